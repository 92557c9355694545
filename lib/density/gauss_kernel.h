// SPDX-License-Identifier: MIT
// The inner loops of Gaussian densities: they add the contributions of records to the points of a box. Each instruction
// set has its own file, and all perform the operations that gauss.h states. The value of a record is its amplitude A.
#ifndef DEN_GAUSS_KERNEL_H
#define DEN_GAUSS_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "gauss.h"

// Partial sums of a box, uint32 modulo 2^32, as [DEN_GAUSS_BLOCK][DEN_GAUSS_BLOCK][DEN_GAUSS_ROW]. Vectors begin at any
// point, and may write up to 15 points after the end of a row, which are not part of the result. The distance of two
// planes is an odd number of cache lines, so that the points of a column do not compete for the same cache sets.
enum {
    DEN_GAUSS_ROW = DEN_GAUSS_BLOCK + 16,
    DEN_GAUSS_PLANE = DEN_GAUSS_BLOCK * DEN_GAUSS_ROW + 16,
    DEN_GAUSS_SUMS = DEN_GAUSS_BLOCK * DEN_GAUSS_PLANE,
};

struct den_gauss_box {
    const struct den_gauss_lattice *lattice;
    const struct den_gauss_kind *kind;
    int32_t low[3], high[3]; // points low <= i <= high; at most DEN_GAUSS_BLOCK along each axis
    uint32_t *sum;           // [DEN_GAUSS_SUMS]
};

struct den_gauss_kernel {
    const char *name;
    // Adds the contributions of records to the partial sums, until *capacity records have been added or there are no
    // more; records that do not reach the box do not count. Returns the number of records that were processed, and
    // reduces *capacity.
    size_t (*add)(const struct den_gauss_box *b, const struct tile_lattice_record *r, size_t n, unsigned *capacity);
    // Adds the partial sums to value[n[2]][n[1]][n[0]] (or sets it, if `set`), where n is the size of the box, and sets
    // the partial sums to 0.
    void (*flush)(const struct den_gauss_box *b, int64_t *value, int set);
};

extern const struct den_gauss_kernel den_gauss_kernel_avx512, den_gauss_kernel_avx2, den_gauss_kernel_plain;

#endif
