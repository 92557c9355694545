// SPDX-License-Identifier: MIT
// Writes the plan as a Snakefile.
#ifndef TRJ_SNAKEMAKE_WRITER_H
#define TRJ_SNAKEMAKE_WRITER_H

#include "bytes.h"
#include "recipe.h"
#include "recipe_segments.h"

// Appends a rule for each group of runs; with segments (s->count is not 0), one for all segments of a group, in which
// {segment} is a wildcard, and rules for their merge. Fails with TRJ_USAGE for a recipe that is not a regular file, and
// for series of files and names that Snakemake does not support.
int trj_plan_put_snakefile(struct trj_bytes *b, const struct trj_plan *plan, const struct trj_segments *s,
                           const struct trj_definition *definitions, size_t count, struct trj_error *err);

#endif
