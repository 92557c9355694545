// SPDX-License-Identifier: MIT
// Makes random points in a cell, for programs that make frames for tests and benchmarks.
#ifndef POINTS_H
#define POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cell.h"

// Returns a random number in [0, 1) (splitmix64; Steele, Lea, Flood, OOPSLA 2014).
static inline double points_uniform(uint64_t *seed) {
    uint64_t z = *seed += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

// Sets point n from its fractional coordinates s.
static inline void points_put(float *const x[3], size_t n, const double s[3], const struct trj_cell *cell) {
    for (int k = 0; k < 3; k++) x[k][n] = (float)(s[0] * cell->h[0][k] + s[1] * cell->h[1][k] + s[2] * cell->h[2][k]);
}

#endif
