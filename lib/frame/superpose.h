// SPDX-License-Identifier: MIT
// Superposes one set of points on another: finds the proper rotation and the translation that minimise the sum of
// squared distances between corresponding points, each with a weight. Coordinates may have any unit.
//
// The rotation is given by the unit quaternion q that maximises q . N q: the eigenvector with the largest eigenvalue of
// the symmetric 4 x 4 matrix N of B. K. P. Horn, J. Opt. Soc. Am. A 4, 629 (1987), section 4. A quaternion never gives
// a reflection. The eigenvectors are computed by Jacobi rotations, which require no assumption about the other
// eigenvalues. All operations are sums, products, quotients and square roots of float64 in a fixed order, so that
// results are the same on every machine.
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
// The largest eigenvalue of N must exceed the second largest by this fraction of itself. Also, the second moment of
// each set across its longest axis must be at least this fraction of that along it; this ratio is about (distance from
// a line / length)^2. Points on a line deviate from it by about 1e-6 of its length if they are rounded to float32, and
// the atoms of a linear molecule that vibrates by about 1e-2.
#define TRJ_SUPERPOSE_GAP 1e-9

// Computes the superposition of `points` on `reference`, both [count][3], with positive weights, such as masses; NULL:
// each weight is 1. Fails with TRJ_BAD_DATA if the best rotation
// is not unique: for fewer than TRJ_SUPERPOSE_MIN points, for points on a line, and for mirror images of symmetric
// sets.
int trj_superpose(struct trj_superposition *s, double (*reference)[3], double (*points)[3], const double *weight,
                  size_t count, struct trj_error *err);
// Moves points x[count][3].
void trj_superpose_points(const struct trj_superposition *s, double (*x)[3], size_t count);
void trj_superpose_cell(const struct trj_superposition *s, struct trj_cell *cell); // rotates the cell vectors

// Replaces the symmetric matrix a by a diagonal one with its eigenvalues; the columns of v are the unit eigenvectors. A
// smaller matrix is extended by zeros.
void trj_diagonalise(double a[4][4], double v[4][4]);

#endif
