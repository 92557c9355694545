// SPDX-License-Identifier: MIT
// Integers for float32 coordinates. Coordinates that a program has rounded to decimals are integers times a step;
// others become their rank among all float32 numbers.
#ifndef TRJ_LATTICE_H
#define TRJ_LATTICE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum trj_lattice_kind {
    TRJ_LATTICE_NONE,    // the rank of the float32 among all float32 numbers, in ascending order
    TRJ_LATTICE_PRODUCT, // ((float)k * step) * factor in float arithmetic, as readers of XTC files compute it
    TRJ_LATTICE_DECIMAL, // (float)((double)k / divisor), as decimals are read
};

struct trj_lattice {
    enum trj_lattice_kind kind;
    float step, factor;
    double divisor;
};

// Integers of lattices are below this, so that the floats are at least as dense as the lattice.
#define TRJ_LATTICE_MAX (1 << 24)

static inline int32_t trj_float_number(float x) {
    int32_t v;
    memcpy(&v, &x, sizeof v);
    return v < 0 ? (int32_t)((uint32_t)v ^ 0x7fffffff) : v;
}

static inline float trj_numbered_float(int32_t v) {
    float x;
    if (v < 0) v = (int32_t)((uint32_t)v ^ 0x7fffffff);
    memcpy(&x, &v, sizeof x);
    return x;
}

// Computes floats x[n] from the integers k[n].
void trj_lattice_floats(const struct trj_lattice *l, const int32_t *k, size_t n, float *x);

// Computes integers k[n] from the floats x[n]. Returns the number of floats that are not on the lattice: their integer
// is the nearest one.
size_t trj_lattice_integers(const struct trj_lattice *l, const float *x, size_t n, int32_t *k);

// Returns the lattice of these floats, possibly with the given step (0: unknown), if at most one in 64 is not on it;
// otherwise one of the kind TRJ_LATTICE_NONE.
struct trj_lattice trj_lattice_find(const float *x, size_t n, float step);

#endif
