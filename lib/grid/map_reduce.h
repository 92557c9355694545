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
    TRJ_MAP_REDUCE_INTEGRAL, // the sum times the length of a step along one axis, or the area of two steps
};

struct trj_map_reduction {
    struct trj_map map; // the result: float64, one point along each reduced axis, midway between the first and last
    struct trj_map_lattice lattice; // of the map that is reduced
    bool drop[3];
    enum trj_map_reduction_kind kind;
    double measure;     // length or area for integrals, otherwise 1
    double *sum, *rest; // [values of the result] compensated sums
    uint64_t *known;    // numbers of values that are not NaN
    uint64_t added;     // planes
};

// Opens the reduction of a map along the axes k with drop[k], of which there must be one or two. The unit of integrals
// is that of `map` times Å or Å^2. Fails with TRJ_BAD_DATA if the result has more values than a plane may have, or for
// an integral of totals. trj_map_reduction_close frees it, also after an error.
int trj_map_reduction_open(struct trj_map_reduction *r, const struct trj_map *map, const bool drop[3],
                           enum trj_map_reduction_kind kind, struct trj_error *err);
// Adds the next planes of the map. Each sum is formed in the order of the points, with a compensation (A. Neumaier, Z.
// Angew. Math. Mech. 54, 39 (1974)), so that the result does not depend on how planes are grouped.
void trj_map_reduction_add(struct trj_map_reduction *r, const double *values, uint64_t planes);
// Copies the result to `to` [values of the result], and begins a new map.
void trj_map_reduction_take(struct trj_map_reduction *r, double *to);
void trj_map_reduction_close(struct trj_map_reduction *r);

// Returns the position of the points with the index `plane` along an axis, in Å from 0, 0, 0 along the unit vector that
// is normal to the other two axes and points towards larger indices.
double trj_map_plane_position(const struct trj_map_lattice *l, int axis, uint64_t plane);

#endif
