// SPDX-License-Identifier: MIT
// Reduces a map along one or two axes: projections onto a plane, and profiles along an axis.
#ifndef TRJ_MAP_REDUCE_H
#define TRJ_MAP_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "map.h"

enum trj_map_reduction_kind {
    TRJ_MAP_REDUCE_MEAN,     // of the known values; NaN if there is none
    TRJ_MAP_REDUCE_SUM,      // NaN if one of the values is
    TRJ_MAP_REDUCE_INTEGRAL, // the sum times the length of a step, or the area of a cell, that is summed over
};

struct trj_map_reduction {
    struct trj_map map; // the result: float64, one point along each axis that was reduced, at the middle of its points
    struct trj_map_lattice lattice; // of the map that is reduced
    bool drop[3];
    enum trj_map_reduction_kind kind;
    double measure;     // length or area for integrals, otherwise 1
    double *sum, *rest; // [values of the result] compensated sums
    uint64_t *known;    // numbers of values that are not NaN
    uint64_t added;     // planes
};

// Opens the reduction of a map with the unit of `map` along the axes with `drop`, of which there must be one or two.
// Fails with TRJ_BAD_DATA if the result has more points than a plane may have, or for an integral of totals.
// trj_map_reduction_close frees it, also after an error.
int trj_map_reduction_open(struct trj_map_reduction *r, const struct trj_map *map, const bool drop[3],
                           enum trj_map_reduction_kind kind, struct trj_error *err);
// Adds the next planes of the map. Each sum is formed in the order of the points, with a compensation (A. Neumaier,
// Z. Angew. Math. Mech. 54, 39 (1974)), so that the result depends on no grouping.
void trj_map_reduction_add(struct trj_map_reduction *r, const double *values, uint64_t planes);
// Sets to [values of the result] to the result, and begins with a new map.
void trj_map_reduction_take(struct trj_map_reduction *r, double *to);
void trj_map_reduction_close(struct trj_map_reduction *r);

// Returns the position of a plane of points along the normal of the planes that the other two axes span, in Å from
// 0, 0, 0. The normal points to the side of the axis.
double trj_map_plane_position(const struct trj_map_lattice *l, int axis, uint64_t plane);

#endif
