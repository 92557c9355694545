// SPDX-License-Identifier: MIT
// Describes the errors of Gaussians that are too narrow for the steps of a lattice.
#ifndef DEN_SAMPLING_NOTE_H
#define DEN_SAMPLING_NOTE_H

#include <stdbool.h>

#include "map_lattice.h"

enum { DEN_SAMPLING_NOTE = 300 };

// The sums over the points of a lattice that a note is about.
enum den_sampled_sum {
    DEN_INTEGRAL,      // of a density
    DEN_SUM_OF_SQUARES // and of products, from which correlations are computed
};

// Writes a note if the smallest of the widths sigma[kinds] (Å) makes the integral of a Gaussian wrong by more than
// 0.1 %, or its sum of squares by more than 1 %, and otherwise "". Returns whether there is a note.
//
// By Poisson's sum formula, the largest relative error of the integral is the sum of exp(-2 pi^2 sigma^2 g^2) over the
// reciprocal vectors g (1/Å) of the steps but 0. The square of a Gaussian is one with sigma / sqrt(2). For cubic voxels
// the limits are sigma = 0.66 and 0.81 steps. The correlations of 60 frames of examples/cryo-em with sigma of 1.8 Å
// differed from those with steps of 0.5 Å by up to 0.0001 (sigma = 0.9 steps), 0.0004 (0.8), 0.0023 (0.7), 0.007 (0.6)
// and 0.05 (0.4).
bool den_sampling_note(char text[DEN_SAMPLING_NOTE], enum den_sampled_sum sampled, const double *sigma, unsigned kinds,
                       const struct trj_map_lattice *lattice);

#endif
