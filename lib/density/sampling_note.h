// SPDX-License-Identifier: MIT
// Describes the errors of Gaussians that are narrower than the steps of a lattice.
#ifndef DEN_SAMPLING_NOTE_H
#define DEN_SAMPLING_NOTE_H

#include <stdbool.h>

#include "map_lattice.h"

enum { DEN_SAMPLING_NOTE = 300 };

// Writes a note if the smallest of the widths sigma[kinds] (Å) is below the longest step of the lattice, and otherwise
// "". Returns whether there is a note. The note gives the largest error of the integral of a Gaussian, by Poisson's sum
// formula the sum of exp(-2 pi^2 sigma^2 g^2) over the reciprocal vectors g (1/Å) of the steps but 0, and the largest
// loss of its height, 1 - exp(-d^2 / (2 sigma^2)) at half the diagonal d of a rectangular voxel.
bool den_sampling_note(char text[DEN_SAMPLING_NOTE], const double *sigma, unsigned kinds,
                       const struct trj_map_lattice *lattice);

#endif
