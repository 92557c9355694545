// SPDX-License-Identifier: MIT
// Fourier shell correlation of two maps (G. Harauz, M. van Heel, Optik 73, 146 (1986)): with F and G, the Fourier
// transforms of both maps, and the sums over the wave vectors of a shell,
//
//     FSC = Re sum F G* / sqrt(sum |F|^2 sum |G|^2)
//
// A shell contains the wave vectors whose length s, in 1/Å, rounds to a multiple of the width of a shell, 1 / (longest
// edge of the box). Shells end where the lattice no longer contains all directions: at 1 / (2 longest step).
#ifndef COR_FOURIER_SHELL_H
#define COR_FOURIER_SHELL_H

#include <stddef.h>
#include <stdint.h>

#include "cor_map.h"
#include "error.h"

struct cor_shell {
    double s;       // 1/Å: middle
    double fsc;     // NaN: one of the maps has no power in the shell
    uint64_t terms; // wave vectors
};

struct cor_shells {
    size_t count;
    struct cor_shell *shell; // [count] the first is at one width, since s = 0 is the mean
};

// Computes the shells. Fails with TRJ_NO_ENGINE in a build without FFTW, with TRJ_BAD_DATA if the lattices differ or a
// map has less than four points along an axis. The caller frees `shell`.
int cor_fourier_shells(struct cor_shells *f, const struct cor_map *a, const struct cor_map *b, struct trj_error *err);

// Returns the resolution, in Å, at which the curve first falls below a threshold, by linear interpolation; 0 if it
// never does.
double cor_shells_resolution(const struct cor_shells *f, double threshold);

#endif
