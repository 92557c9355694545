// SPDX-License-Identifier: MIT
// Superposes one set of points on another: the proper rotation and the translation with the least sum of squared
// distances between corresponding points, each with weight 1.
//
// The rotation is the unit quaternion that maximises q . N q, the eigenvector to the largest eigenvalue of the
// symmetric 4 x 4 matrix N of B. K. P. Horn, J. Opt. Soc. Am. A 4, 629 (1987), section 4; a quaternion never gives a
// reflection. Jacobi rotations find it, which need no assumption about the other eigenvalues. All operations are sums,
// products, quotients and square roots of float64 in a fixed order.
#ifndef TRJ_SUPERPOSE_H
#define TRJ_SUPERPOSE_H

#include <stddef.h>

#include "cell.h"
#include "error.h"

// x' = rotation (x - from) + to
struct trj_superposition {
    double rotation[3][3]; // orthogonal, with determinant 1
    double from[3], to[3]; // the centres of both sets
};

enum { TRJ_SUPERPOSE_MIN = 3 }; // points
// The largest eigenvalue of N must exceed the second one by this fraction of itself; and the second moments of each set
// along and across its longest axis must have at least this ratio, about (distance from a line / length)^2. Float32
// coordinates of a line deviate by 1e-6 of its length, those of a molecule that vibrates by 1e-2.
#define TRJ_SUPERPOSE_GAP 1e-9

// Computes the superposition of `points` on `reference`, both [count][3]. Fails with TRJ_BAD_DATA unless there is one
// best rotation: not for fewer than three points, for points on a line, or for mirror images of symmetric sets.
int trj_superpose(struct trj_superposition *s, double (*reference)[3], double (*points)[3], size_t count,
                  struct trj_error *err);
// Moves points x[count][3].
void trj_superpose_points(const struct trj_superposition *s, double (*x)[3], size_t count);
void trj_superpose_cell(const struct trj_superposition *s, struct trj_cell *cell); // rotates the cell vectors

#endif
