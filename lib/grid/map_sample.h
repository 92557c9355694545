// SPDX-License-Identifier: MIT
// Computes the values of maps at given positions, in one pass over the planes.
#ifndef TRJ_MAP_SAMPLE_H
#define TRJ_MAP_SAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "map.h"

enum trj_map_sampling {
    TRJ_MAP_TRILINEAR, // interpolation between the eight points around the position
    TRJ_MAP_NEAREST,   // the value of the nearest point in index coordinates
};

struct trj_map_positions {
    double (*position)[3]; // [count] Å. free(position) frees it
    size_t count, capacity;
};

// Appends positions in Å: one from a text "X,Y,Z", otherwise those of a file, "-" for standard input. Each line of a
// file begins with three numbers, separated by blanks or commas; empty lines and those that begin with # are ignored.
// Errors give file and line.
int trj_map_positions_add(struct trj_map_positions *p, const char *text, struct trj_error *err);

struct trj_map_sampler;

// Prepares sampling. Along periodic axes, positions are wrapped into the map. Along others, a position before the first
// or after the last point, or with TRJ_MAP_NEAREST outside of the voxels of these points, is TRJ_BAD_DATA. The caller
// keeps the map; the positions are copied.
int trj_map_sampler_open(struct trj_map_sampler **s, const struct trj_map *map, const struct trj_map_positions *p,
                         enum trj_map_sampling how, struct trj_error *err);
// Begins a map: sets all values to 0.
void trj_map_sampler_begin(struct trj_map_sampler *s);
// Adds the next planes of the map, as float64.
void trj_map_sampler_add(struct trj_map_sampler *s, const double *values, uint64_t planes);
// Returns the values after the last plane: [positions][components], which the sampler keeps until the next map.
const double *trj_map_sampler_values(const struct trj_map_sampler *s);
void trj_map_sampler_close(struct trj_map_sampler *s); // NULL is allowed

#endif
