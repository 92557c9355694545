// SPDX-License-Identifier: MIT
// Estimates the errors of narrow Gaussians on a lattice, which no value of the map shows.
#include "sampling_note.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

bool den_sampling_note(char text[DEN_SAMPLING_NOTE], const double *sigma, unsigned kinds,
                       const struct trj_map_lattice *lattice) {
    double g[3][3], width = INFINITY, longest = 0, diagonal = 0, integral = 1;
    *text = 0;
    for (unsigned i = 0; i < kinds; i++) width = fmin(width, sigma[i]);
    trj_map_lattice_inverse(lattice, g);
    for (int k = 0; k < 3; k++) {
        const double *h = lattice->step[k];
        double step = h[0] * h[0] + h[1] * h[1] + h[2] * h[2],
               wave = g[k][0] * g[k][0] + g[k][1] * g[k][1] + g[k][2] * g[k][2];
        longest = fmax(longest, sqrt(step));
        diagonal += step / 4;
        integral *= 1 + 2 * exp(-2 * PI * PI * width * width * wave);
    }
    if (!(width < longest)) return false;
    snprintf(text, DEN_SAMPLING_NOTE,
             "the Gaussians, of width %.3g Å, are narrower than the steps of the lattice, %.3g Å: the integral of an "
             "atom is wrong by up to %.3g %%, and its maximum by up to %.0f %%; use smaller steps or wider Gaussians",
             width, longest, 100 * (integral - 1), 100 * (1 - exp(-diagonal / (2 * width * width))));
    return true;
}
