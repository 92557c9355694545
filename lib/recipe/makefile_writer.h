// SPDX-License-Identifier: MIT
// Writes a plan as a makefile for GNU make 4.3 or later, with one rule for each group of runs.
#ifndef TRJ_MAKEFILE_WRITER_H
#define TRJ_MAKEFILE_WRITER_H

#include "bytes.h"
#include "recipe.h"

// Appends the makefile to `b`; its rules call trjrun with these definitions. Returns -1 with TRJ_USAGE if make does not
// support a file name, or if the recipe is not a regular file.
int trj_plan_put_makefile(struct trj_bytes *b, const struct trj_plan *plan, const struct trj_definition *definitions,
                          size_t count, struct trj_error *err);

#endif
