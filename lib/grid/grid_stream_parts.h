// SPDX-License-Identifier: MIT
// Definitions shared by the reader and the writer of grid streams.
#ifndef TRJ_GRID_STREAM_PARTS_H
#define TRJ_GRID_STREAM_PARTS_H

#include "bytes.h"
#include "grid_stream.h"

enum trj_grid_layout { TRJ_GRID_VALUES, TRJ_GRID_BYTE_PLANES };

enum { TRJ_GRID_SLAB_HEAD = 20 }; // bytes of a SLAB before its values

// Largest decompressed payload of a RECO, and of an ATOM.
#define TRJ_GRID_RECORD_MAX ((uint64_t)1 << 27)
uint64_t trj_grid_max_slab(const struct trj_map *m); // largest decompressed payload of a SLAB

void trj_grid_put_head(struct trj_bytes *b, const struct trj_map *m);
// Reads a HEAD. The caller frees *m with trj_map_free, also after an error.
int trj_grid_get_head(struct trj_map *m, struct trj_cursor *c, struct trj_error *err);

// Appends n values of the kind of the map, little-endian.
void trj_grid_put_values(struct trj_bytes *b, const struct trj_map *m, enum trj_grid_layout layout, const void *values,
                         size_t n);
// Reads n values, for which the cursor must have enough bytes left.
void trj_grid_get_values(struct trj_cursor *c, const struct trj_map *m, enum trj_grid_layout layout, void *values,
                         size_t n);

#endif
