// SPDX-License-Identifier: MIT
// The arithmetic of distances between the points of a lattice (point_distances.h), which CPUs and GPUs share. For files
// of this folder and kernels.
#ifndef POT_DISTANCE_TERMS_H
#define POT_DISTANCE_TERMS_H

#include "point_distances.h"
#include "vector_products.h"

// Returns the number of the difference of two indices along an axis.
TRJ_HOST_DEVICE uint64_t pot_distances_number(const struct pot_distances *d, int axis, uint64_t index, uint64_t from) {
    uint64_t n = d->lattice.n[axis];
    if (d->lattice.periodic & 1u << axis) return index >= from ? index - from : n - (from - index);
    return index + n - 1 - from;
}

// Returns the shortest difference of indices for the number of a difference.
TRJ_HOST_DEVICE double pot_distances_difference(const struct pot_distances *d, int axis, uint64_t number) {
    uint64_t n = d->lattice.n[axis];
    if (!(d->lattice.periodic & 1u << axis)) return (double)number - (double)(n - 1);
    return (double)number - (2 * number > n ? (double)n : 0);
}

// Computes `shift` and `across2` of struct pot_run, for the numbers of the differences along axes 1 and 2. Not for
// d->whole.
TRJ_HOST_DEVICE void pot_distances_offset(const struct pot_distances *d, uint64_t y, uint64_t z, double *shift,
                                          double *across2) {
    double r[3], n[2] = {pot_distances_difference(d, 1, y), pot_distances_difference(d, 2, z)};
    for (int c = 0; c < 3; c++) r[c] = n[0] * d->lattice.step[1][c] + n[1] * d->lattice.step[2][c];
    *shift = trj_dot(r, d->unit);
    for (int c = 0; c < 3; c++) r[c] -= *shift * d->unit[c];
    *across2 = trj_dot(r, r);
}

// Returns the element of d->along for the numbers of the differences along the axes; y and z matter for d->whole only.
TRJ_HOST_DEVICE double pot_distances_along(const struct pot_distances *d, uint64_t x, uint64_t y, uint64_t z) {
    double n[3] = {pot_distances_difference(d, 0, x), 0, 0}, v[3];
    if (!d->whole) return n[0] * d->length;
    n[1] = pot_distances_difference(d, 1, y);
    n[2] = pot_distances_difference(d, 2, z);
    for (int c = 0; c < 3; c++)
        v[c] = n[0] * d->lattice.step[0][c] + n[1] * d->lattice.step[1][c] + n[2] * d->lattice.step[2][c];
    if (!trj_is_short(&d->images, v)) trj_nearest_image_inline(&d->images, v);
    return sqrt(trj_dot(v, v));
}

#endif
