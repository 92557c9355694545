// SPDX-License-Identifier: MIT
// Free energies of densities: G = -k_B T ln(value / reference).
#ifndef TRJ_MAP_FREE_ENERGY_H
#define TRJ_MAP_FREE_ENERGY_H

#include <stddef.h>
#include <stdint.h>

struct trj_map_free_energy {
    double kt;               // in the unit of the result, above 0
    double reference;        // in the unit of the values, above 0: G is 0 there
    uint64_t zero, negative; // numbers of such values so far
};

// Replaces n values by G. Where a value is 0, the point was not visited: G is inf. Where it is negative or NaN, G is
// NaN.
void trj_map_free_energy(struct trj_map_free_energy *g, double *values, size_t n);

#endif
