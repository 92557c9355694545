// SPDX-License-Identifier: MIT
// Writes a script that submits the segments of a recipe as an array job of Slurm, and a job that merges them.
#ifndef TRJ_SLURM_WRITER_H
#define TRJ_SLURM_WRITER_H

#include "bytes.h"
#include "recipe.h"
#include "recipe_segments.h"

// Appends the script. Its array contains the segments for which `missing` is set (trj_segments_missing). `folder` is
// the absolute path of the folder in which trjrun was started, to which the path of the recipe is relative. Fails with
// TRJ_USAGE if the recipe is not a regular file.
int trj_segments_put_slurm(struct trj_bytes *b, const struct trj_segments *s, const bool *missing, const char *folder,
                           const struct trj_definition *definitions, size_t count, struct trj_error *err);

#endif
