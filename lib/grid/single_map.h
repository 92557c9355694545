// SPDX-License-Identifier: MIT
// Reads files that contain one map of one component.
#ifndef TRJ_SINGLE_MAP_H
#define TRJ_SINGLE_MAP_H

#include "error.h"
#include "map_format.h"

// Opens a file ("-": standard input), calls `read` with a reader whose map has begun, and checks the rest of the file.
// `read` must read all planes; it returns 0, or -1 with an error. *name is set to the name of the input, with which
// errors begin; the caller frees it, also after an error. *notes is set to those of the reader. `setup` and `notes` may
// be NULL. Fails with TRJ_BAD_DATA if the file contains no map, several maps, or vectors.
int trj_single_map_read(const char *path, const struct trj_map_reader_setup *setup, char **name,
                        struct trj_map_notes *notes,
                        int (*read)(void *owner, struct trj_map_reader *r, struct trj_error *err), void *owner,
                        struct trj_error *err);

#endif
