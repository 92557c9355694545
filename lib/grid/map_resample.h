// SPDX-License-Identifier: MIT
// Interpolates a map trilinearly at the points of another lattice.
#ifndef TRJ_MAP_RESAMPLE_H
#define TRJ_MAP_RESAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "map.h"

struct trj_map_resampling {
    const struct trj_map *from;
    const struct trj_map_lattice *to;
    double start[3], step[3][3]; // index in `from` of the point 0, 0, 0, and its changes along each axis of `to`
    double scale;                // factor of values: the ratio of the voxel volumes if values are totals, otherwise 1
    bool coarser;                // the voxels of `to` are larger by over 1%: some values have no effect
};

// Prepares the interpolation. The caller keeps both.
void trj_map_resampling_open(struct trj_map_resampling *r, const struct trj_map *from,
                             const struct trj_map_lattice *to);
// Computes the planes [first, first + planes) of the other lattice, with all components, from the values of the whole
// map. Along periodic axes, points are wrapped into the map. Points that lie before the first or after the last point
// of another axis by more than TRJ_MAP_NEAR become NaN; their number is returned. A point within TRJ_MAP_NEAR of a
// point of the map gets its value without interpolation.
uint64_t trj_map_resample(const struct trj_map_resampling *r, const double *values, uint64_t first, uint64_t planes,
                          double *to);

#endif
