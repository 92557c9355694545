// SPDX-License-Identifier: MIT
// Files that belong to a trajectory by their names, in the same folder: NAME.key beside NAME.xyz.
#ifndef TRJ_FILE_BESIDE_H
#define TRJ_FILE_BESIDE_H

#include <stddef.h>

#include "error.h"
#include "input.h"

// Returns the length of the name of a trajectory without the ending of compressed files: of "run.xyz" for "run.xyz.gz".
size_t trj_unpacked_length(const char *trajectory);

// Opens the file `path`. If there is none, and the name of the trajectory ends as those of compressed files, opens the
// compressed file: `path` with that ending. *in is NULL if neither exists. Returns 0 or -1.
int trj_open_beside(struct trj_input **in, const char *path, const char *trajectory, struct trj_error *err);

#endif
