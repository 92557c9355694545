// SPDX-License-Identifier: MIT
// Finds the shortest periodic image of a vector, in a cell of any shape and orientation.
#ifndef TRJ_NEAREST_IMAGE_H
#define TRJ_NEAREST_IMAGE_H

#include "cell.h"
#include "error.h"

// The lattice of a cell. With a basis from trj_cell_reduce, a vector is its shortest image if no sum of basis vectors
// with factors -1, 0 or 1 shortens it (Nguyen, Stehlé, ACM Trans. Algorithms 5, 46 (2009), theorem on Voronoi
// coordinates).
enum { TRJ_LATTICE_SUMS = 26 };
struct trj_lattice {
    struct trj_cell cell; // reduced
    double g[3][3], sum[TRJ_LATTICE_SUMS][3];
    double half; // Å, half the smallest width: a shorter vector is the shortest image; INFINITY without periodicity
    int sums;
};

// Fails with TRJ_BAD_DATA for cells that trj_cell_reduce rejects.
int trj_lattice_make(struct trj_lattice *l, const struct trj_cell *cell, struct trj_error *err);
// Replaces d, in Å, by its shortest image. A vector that is not longer than l->half stays as it is, bit for bit.
void trj_nearest_image(const struct trj_lattice *l, double d[3]);

#endif
