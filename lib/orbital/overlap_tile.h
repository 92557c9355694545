// SPDX-License-Identifier: MIT
// The inner loop of products of matrices for overlaps of orbitals. All instruction sets give the same bytes: each sum
// is in the order of its terms, and no operation is fused.
#ifndef ORB_OVERLAP_TILE_H
#define ORB_OVERLAP_TILE_H

#include <stddef.h>

enum { ORB_TILE_ROWS = 8, ORB_TILE_COLUMNS = 24 };

struct orb_tile_kernel {
    // Adds a[k][i] b[row[k]][j], summed over k < depth, to sum[ORB_TILE_ROWS][ORB_TILE_COLUMNS]. Rows of `a` have
    // ORB_TILE_ROWS numbers in steps of a_step, rows of `b` have ORB_TILE_COLUMNS numbers.
    void (*add)(double *sum, const double *a, size_t a_step, const double *b, const size_t *row, size_t depth);
};

extern const struct orb_tile_kernel orb_tile_kernel_avx512, orb_tile_kernel_avx2, orb_tile_kernel_plain;

#endif
