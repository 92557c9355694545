// SPDX-License-Identifier: MIT
// A plan as a makefile: a rule for each group, with what its files depend on.
#ifndef TRJ_MAKEFILE_WRITER_H
#define TRJ_MAKEFILE_WRITER_H

#include "bytes.h"
#include "recipe.h"

// Fails on names of files that make cannot take.
int trj_plan_put_makefile(struct trj_bytes *b, const struct trj_plan *plan, const struct trj_definition *definitions,
                          size_t count, struct trj_error *err);

#endif
