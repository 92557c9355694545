// SPDX-License-Identifier: MIT
// Blocks of a lattice, which define the order in which ligand maps add the energies of atoms (ligand_job.h). The
// lattice is divided into large blocks of about 8 Å, and these into small ones of about 2 Å. Blocks depend on the
// lattice alone. The functions have the same results on the CPU and on GPUs.
#ifndef LIG_LIGAND_BLOCKS_H
#define LIG_LIGAND_BLOCKS_H

#include <math.h>
#include <stdint.h>

#include "host_and_device.h"

struct lig_blocks {
    int64_t n[3];               // points of the lattice
    int64_t small[3], large[3]; // points of blocks along each axis; large is a multiple of small
    int64_t count[3];           // of large blocks
};

// The points low[k] <= i_k < high[k].
struct lig_box {
    int64_t low[3], high[3];
};

// Returns the box at `low` with `size` points along each axis, or fewer where it would pass `end`.
TRJ_HOST_DEVICE struct lig_box lig_box_at(const int64_t low[3], const int64_t size[3], const int64_t end[3]) {
    struct lig_box b;
    for (int k = 0; k < 3; k++) {
        b.low[k] = low[k];
        b.high[k] = low[k] + size[k] < end[k] ? low[k] + size[k] : end[k];
    }
    return b;
}

// Returns a large block, whose number is less than the product of b->count; x is the fastest axis.
TRJ_HOST_DEVICE struct lig_box lig_large_block(const struct lig_blocks *b, int64_t number) {
    const int64_t low[3] = {number % b->count[0] * b->large[0], number / b->count[0] % b->count[1] * b->large[1],
                            number / b->count[0] / b->count[1] * b->large[2]};
    return lig_box_at(low, b->large, b->n);
}

// Sets x to the position of a point, in Å, relative to the point `origin` of a lattice with these steps.
TRJ_HOST_DEVICE void lig_position(const double step[3][3], const double point[3], const int64_t origin[3],
                                  double x[3]) {
    double d[3];
    for (int k = 0; k < 3; k++) d[k] = point[k] - (double)origin[k];
    for (int c = 0; c < 3; c++) x[c] = (d[0] * step[0][c] + d[1] * step[1][c]) + d[2] * step[2][c];
}

// Sets x to the centre of a box, as lig_position, and returns the distance of its farthest corner in Å.
TRJ_HOST_DEVICE double lig_measure(const double step[3][3], const struct lig_box *b, const int64_t origin[3],
                                   double x[3]) {
    double middle[3], radius = 0;
    for (int k = 0; k < 3; k++) middle[k] = (double)(b->low[k] + b->high[k] - 1) / 2;
    lig_position(step, middle, origin, x);
    for (int corner = 0; corner < 4; corner++) { // the others are opposite
        double r2 = 0;
        for (int c = 0; c < 3; c++) {
            double r = 0;
            for (int k = 0; k < 3; k++)
                r += (corner >> k & 1 ? -1 : 1) * (double)(b->high[k] - 1 - b->low[k]) / 2 * step[k][c];
            r2 += r * r;
        }
        radius = fmax(radius, sqrt(r2));
    }
    return radius;
}

TRJ_HOST_DEVICE double lig_distance2(const double a[3], const double b[3]) {
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return (x * x + y * y) + z * z;
}

#endif
