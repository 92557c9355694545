// SPDX-License-Identifier: MIT
// Finds the shortest periodic image of a vector, in a cell of any shape and orientation.
#ifndef TRJ_NEAREST_IMAGE_H
#define TRJ_NEAREST_IMAGE_H

#include <math.h>
#include <stdbool.h>

#include "cell.h"
#include "error.h"
#include "vector_products.h"

// The lattice of the periodic images of a cell. With a basis from trj_cell_reduce, a vector is its shortest image if no
// sum of basis vectors with coefficients -1, 0 or 1 shortens it (Nguyen, Stehlé, ACM Trans. Algorithms 5, 46 (2009),
// theorem on Voronoi coordinates).
enum { TRJ_LATTICE_SUMS = 13 };
struct trj_lattice {
    struct trj_cell cell; // reduced
    double g[3][3];       // reciprocal vectors, 1/Å: g[k] . d is the fractional coordinate k of d
    double half; // Å, half the smallest width of the cell: a shorter vector needs no image; INFINITY: not periodic
    // [sums] These sums of basis vectors, in Å, one of each pair of opposite ones, and their squared lengths. There are
    // none if the basis is orthogonal, because rounding fractional coordinates then gives the shortest image.
    int sums;
    double sum[TRJ_LATTICE_SUMS][3], length2[TRJ_LATTICE_SUMS];
};

// Prepares the lattice of a cell. Fails with TRJ_BAD_DATA for cells that trj_cell_reduce rejects.
int trj_lattice_make(struct trj_lattice *l, const struct trj_cell *cell, struct trj_error *err);
// Prepares the lattice of a cell, projected along its vector number `axis`, which is then no longer periodic, and sets
// *along to the unit vector parallel to it. Fails, too, with TRJ_BAD_DATA if this vector is unknown.
int trj_lattice_project(struct trj_lattice *l, const struct trj_cell *cell, int axis, double along[3],
                        struct trj_error *err);
// Returns half of the shortest vector of the lattice, in Å: the radius of the largest sphere, or in a projected lattice
// cylinder, that does not overlap its images, and up to which each point is its own nearest image. INFINITY without
// periodicity.
double trj_lattice_half_shortest(const struct trj_lattice *l);
// As trj_nearest_image, without the test whether d is short.
void trj_nearest_image_of_long(const struct trj_lattice *l, double d[3]);

// Returns whether d, in Å, is not longer than l->half, and therefore its own shortest image.
TRJ_HOST_DEVICE bool trj_is_short(const struct trj_lattice *l, const double d[3]) {
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= l->half * l->half;
}

// Replaces d, in Å, by its shortest periodic image. A short vector is not changed, not even by rounding.
static inline void trj_nearest_image(const struct trj_lattice *l, double d[3]) {
    if (!trj_is_short(l, d)) trj_nearest_image_of_long(l, d);
}

// Does the same as trj_nearest_image_of_long, for CUDA kernels. Rounds the fractional coordinates, and then subtracts
// sums s as long as this shortens the vector: |d - s|^2 < |d|^2 if 2 d . s > s^2. The factor 1 + 1e-12 excludes steps
// that are only rounding errors.
TRJ_HOST_DEVICE void trj_nearest_image_inline(const struct trj_lattice *l, double d[3]) {
    for (int k = 0; k < 3; k++) {
        double n = round(trj_dot(l->g[k], d));
        for (int c = 0; c < 3; c++) d[c] -= n * l->cell.h[k][c];
    }
    bool shorter = l->sums > 0 && !trj_is_short(l, d);
    while (shorter) {
        shorter = false;
        for (int i = 0; i < l->sums; i++) {
            double twice = 2 * trj_dot(d, l->sum[i]);
            if (!(fabs(twice) > l->length2[i] * (1 + 1e-12))) continue;
            for (int c = 0; c < 3; c++) d[c] -= copysign(l->sum[i][c], twice * l->sum[i][c]);
            shorter = true;
        }
    }
}

#endif
