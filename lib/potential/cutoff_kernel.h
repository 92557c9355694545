// SPDX-License-Identifier: MIT
// The inner loops of the method cutoff: they add the contributions of atom images to the points of a block. Each
// instruction set has its own file; all perform the float32 operations that cutoff_sum.h states, so that the sums are
// the same bytes.
#ifndef POT_CUTOFF_KERNEL_H
#define POT_CUTOFF_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#include "potential_job.h"

enum {
    POT_BLOCK = 8,          // points of a block along each axis
    POT_BLOCK_ROWS = 64,    // rows of a block along axis 0
    POT_BLOCK_POINTS = 512, // point i + 8 (j + 8 k) of a block
    POT_PARTIAL = 511,      // entries whose contributions fit into int32: 511 * 2^22 < 2^31
    POT_PAIRS = 1 << 13,    // pairs that wait for float64
    POT_ERFC_DEGREE = 12,   // of the polynomial in the kernel erfc
};

// Constants of a lattice. Lengths are in units of the cutoff.
struct pot_cutoff_lattice {
    enum pot_kernel_kind kernel;
    double position[3][POT_BLOCK]; // X, Y and Z of points on an axis, relative to the centre of their block
    float shift_x[POT_BLOCK_ROWS]; // of row j + 8 k
    float shift_y[POT_BLOCK_ROWS];
    bool skew;          // some shift is not 0
    float half;         // half of the length of a row, rounded up
    float inner, outer; // squared distances below `inner` are inside of the cutoff, above `outer` outside
    float row_limit;    // rows whose distance from the atom exceeds this are skipped
    float c[3];         // of the kernel, as cutoff_sum.h states
    float map[2];       // erfc, table: see cutoff_sum.h
    float last;         // table: largest float below the number of cubics
    const float (*cubic)[4];
    float series[POT_ERFC_DEGREE + 1];
};

// An image of an atom that reaches a block.
struct pot_cutoff_entry {
    double r[3];     // X, Y, Z relative to the centre of the block
    float a, b;      // of the kernel
    float near;      // pairs at a smaller squared distance are computed in float64
    uint32_t record; // number of the image
};

// Pairs that are computed in float64.
struct pot_cutoff_pair {
    uint32_t record;
    uint32_t point; // of the block
};

struct pot_cutoff_block {
    const struct pot_cutoff_lattice *lattice;
    uint64_t rows;                // bit j + 8 k: the row is part of the lattice
    unsigned columns;             // points of a row that are part of the lattice: 1 to 8
    float magic;                  // M
    uint32_t *sum;                // [POT_BLOCK_POINTS] modulo 2^32, in an order that depends on the instruction set
    struct pot_cutoff_pair *pair; // [POT_PAIRS]
    unsigned pairs;
};

struct pot_cutoff_kernel {
    const char *name;
    // Adds the contributions of the entries list[0], list[1], ... to the partial sums, and appends pairs for float64.
    // Returns the number of entries processed, which is less than n if the capacity may not be enough for more pairs.
    size_t (*add)(struct pot_cutoff_block *b, const struct pot_cutoff_entry *entry, const uint32_t *list, size_t n);
    // Adds the partial sums times 2^shift to value[POT_BLOCK_POINTS], and sets the partial sums to 0.
    void (*flush)(struct pot_cutoff_block *b, int64_t *value, unsigned shift);
    // Finds the images r[n] (X, Y, Z, unused) whose squared distance from the box centre +- box is below `limit`, and
    // returns how many there are. found[n] is set to their numbers, which begin at `first`, and square[n] to the
    // squares.
    size_t (*find)(const double (*r)[4], size_t n, const double centre[3], const double box[3], double limit,
                   uint32_t first, uint32_t *found, double *square);
};

extern const struct pot_cutoff_kernel pot_cutoff_kernel_avx512, pot_cutoff_kernel_avx2, pot_cutoff_kernel_plain;

#endif
