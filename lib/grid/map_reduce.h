// SPDX-License-Identifier: MIT
// Reduces a map: projections onto a plane along one axis, profiles along an axis, and radial profiles.
#ifndef TRJ_MAP_REDUCE_H
#define TRJ_MAP_REDUCE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "map.h"
#include "map_shells.h"

enum trj_map_reduction_kind {
    TRJ_MAP_REDUCE_MEAN,     // of the known values; NaN if there is none
    TRJ_MAP_REDUCE_SUM,      // NaN if one of the values is
    TRJ_MAP_REDUCE_INTEGRAL, // the sum times the length of a step along one axis, the area of two, or the volume
};

struct trj_map_reduction {
    struct trj_map map; // the result: float64, one point along each reduced axis, midway between the first and last
    struct trj_map_lattice lattice; // of the map that is reduced
    bool drop[3];
    enum trj_map_reduction_kind kind;
    double measure; // by which a sum is multiplied: length, area or volume for integrals, otherwise 1
    bool radial;    // the result is along axis 2, with one point for each shell
    struct trj_map_shells shells;
    double *sum, *rest; // [values of the result] compensated sums; radial: of values times numbers of parts of voxels
    uint64_t *known;    // numbers of values that are not NaN; radial: of parts of voxels
    uint64_t added;     // planes
};

// Opens the reduction of a map along the axes k with drop[k], of which there must be one or two. The unit of integrals
// is that of `map` times Å or Å^2. Fails with TRJ_BAD_DATA if the result has more values than a plane may have, or for
// an integral of totals. trj_map_reduction_close frees it, also after an error.
int trj_map_reduction_open(struct trj_map_reduction *r, const struct trj_map *map, const bool drop[3],
                           enum trj_map_reduction_kind kind, struct trj_error *err);
// Opens a radial profile, of TRJ_MAP_CYLINDER or TRJ_MAP_SPHERE. A voxel counts in each shell by the share of its parts
// there: means are those over these shares, so that the profile of a constant is exact. The unit of integrals is that
// of `map` times Å^3. Fails as above and as trj_map_shells_open.
int trj_map_reduction_open_shells(struct trj_map_reduction *r, const struct trj_map *map,
                                  const struct trj_map_profile *p, enum trj_map_reduction_kind kind,
                                  struct trj_error *err);
// Adds the next planes of the map. Each sum is formed in the order of the points, with a compensation (A. Neumaier, Z.
// Angew. Math. Mech. 54, 39 (1974)), so that the result does not depend on how planes are grouped.
void trj_map_reduction_add(struct trj_map_reduction *r, const double *values, uint64_t planes);
// Copies the result to `to` [values of the result], and begins a new map.
void trj_map_reduction_take(struct trj_map_reduction *r, double *to);
void trj_map_reduction_close(struct trj_map_reduction *r);

// Returns the position of a point of a profile in Å: that of its plane, or the middle of the shell.
double trj_map_reduction_position(const struct trj_map_reduction *r, uint64_t point);

// Returns the position of the points with the index `plane` along an axis, in Å from 0, 0, 0 along the unit vector that
// is normal to the other two axes and points towards larger indices.
double trj_map_plane_position(const struct trj_map_lattice *l, int axis, uint64_t plane);

#endif
