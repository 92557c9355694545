// SPDX-License-Identifier: MIT
// The extended lattice of a surface. The lattice of a map is extended beyond its borders: by a plane of outside points
// at both ends of an axis along which the surface is closed, and by the image of the first plane after the last plane
// of a periodic axis. The corners of every cell are then points of this lattice, so that boundaries need no special
// case.
#ifndef SURF_SURFACE_LATTICE_H
#define SURF_SURFACE_LATTICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "component.h"
#include "error.h"
#include "surface.h"

struct surf_lattice {
    size_t n[3];          // points
    size_t lead[3];       // number of outside planes before the first one of the map: 0 or 1
    bool image[3];        // the last plane is the image of the first one, and its vertices are not counted
    size_t words;         // number of words of 64 points in a row
    double inverse[3][3]; // trj_map_lattice_inverse of the map
    double unit;          // Å^2: the unit of surf_share_of
    double voxel;         // Å^3
    bool mirrored;        // the lattice is left-handed
};

void surf_lattice_set(struct surf_lattice *e, const struct trj_map *m, bool close);
// Fails with TRJ_BAD_DATA unless the maps of a set-up have one component and the same lattice.
int surf_lattice_check(const struct surf_setup *s, struct trj_error *err);
// Fail with TRJ_BAD_DATA for a point whose value is NaN, and with TRJ_FAILED for more than SURF_VERTICES_MAX vertices.
int surf_lattice_fail_nan(const uint64_t point[3], struct trj_error *err);
int surf_lattice_fail_large(struct trj_error *err);
// Adds up the pieces of a surface. `top` is the sum of surf_area_inside over the last plane if it is an image,
// otherwise 0. The caller frees summary->components.
int surf_lattice_sum(const struct surf_lattice *e, struct surf_labels *pieces, surf_sum top,
                     struct surf_summary *summary, struct trj_error *err);

#endif
