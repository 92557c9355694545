// SPDX-License-Identifier: MIT
// Estimates the errors of narrow Gaussians on a lattice, which no value of the map shows.
#include "sampling_note.h"

#include <math.h>
#include <stdio.h>

static const double PI = 3.14159265358979323846;

// Returns the sum of exp(-2 pi^2 width^2 g^2) over the vectors g = sum of i_k g[k] with |i_k| <= 3, but 0.
static double aliases(const double g[3][3], double width) {
    enum { REACH = 3 };
    double sum = -1;
    for (int i = -REACH; i <= REACH; i++)
        for (int j = -REACH; j <= REACH; j++)
            for (int k = -REACH; k <= REACH; k++) {
                double square = 0;
                for (int c = 0; c < 3; c++) square += pow(i * g[0][c] + j * g[1][c] + k * g[2][c], 2);
                sum += exp(-2 * PI * PI * width * width * square);
            }
    return sum;
}

bool den_sampling_note(char text[DEN_SAMPLING_NOTE], enum den_sampled_sum sampled, const double *sigma, unsigned kinds,
                       const struct trj_map_lattice *lattice) {
    const bool squares = sampled == DEN_SUM_OF_SQUARES;
    const double max = squares ? 0.01 : 0.001;
    double g[3][3], width = INFINITY, longest = 0;
    *text = 0;
    for (unsigned i = 0; i < kinds; i++) width = fmin(width, sigma[i]);
    trj_map_lattice_inverse(lattice, g);
    for (int k = 0; k < 3; k++) {
        const double *h = lattice->step[k];
        longest = fmax(longest, sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]));
    }
    double error = aliases(g, squares ? width * sqrt(0.5) : width);
    if (!(error > max)) return false;
    snprintf(text, DEN_SAMPLING_NOTE,
             "the Gaussians, of width %.3g Å, are too narrow for the steps of the lattice, %.3g Å: the %s of an atom "
             "is wrong by up to %.3g %%%s; use smaller steps or wider Gaussians",
             width, longest, squares ? "sum of squares" : "integral", 100 * error,
             squares ? ", and so are scores" : "");
    return true;
}
