// SPDX-License-Identifier: MIT
// Structure factor of hard spheres of diameter 1 at packing fraction eta, in the Percus-Yevick approximation.
#ifndef HARD_SPHERES_H
#define HARD_SPHERES_H

#include <math.h>

#define PI 3.14159265358979323846

static inline double cube(double x) {
    return x * x * x;
}

// Returns S(q), computed from the direct correlation function: Wertheim, Phys. Rev. Lett. 10, 321 (1963).
static inline double percus_yevick(double eta, double q) {
    double l1 = (1 + 2 * eta) * (1 + 2 * eta) / pow(1 - eta, 4), l2 = -(1 + eta / 2) * (1 + eta / 2) / pow(1 - eta, 4),
           c = 0;
    enum { SLICES = 4000 };
    for (int i = 0; i < SLICES; i++) {
        double x = (i + 0.5) / SLICES, wave = q > 0 ? sin(q * x) / (q * x) : 1;
        c -= (l1 + 6 * eta * l2 * x + eta / 2 * l1 * cube(x)) * 4 * PI * x * x * wave / SLICES;
    }
    return 1 / (1 - 6 * eta / PI * c);
}

#endif
