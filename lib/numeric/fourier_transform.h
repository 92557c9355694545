// SPDX-License-Identifier: MIT
// Fourier transforms of real numbers on a periodic lattice, in float64, by FFTW (M. Frigo, S. G. Johnson, Proc. IEEE
// 93, 216 (2005)), which is an optional library of the build. Plans are estimated and not measured, so that the same
// machine gives the same bytes in each run.
#ifndef TRJ_FOURIER_TRANSFORM_H
#define TRJ_FOURIER_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

// The numbers before and after a transform use the same memory. Real: value[(k n[1] + j) 2 row + i] for i < n[0].
// Transformed: the real and imaginary parts of wave vector i, j, k are value[((k n[1] + j) row + i) 2] and the next
// one, for i < row = n[0] / 2 + 1. The others are conjugates of these.
struct trj_fourier {
    size_t n[3], row;
    double *value; // [n[2]][n[1]][row][2]
};

// Allocates the numbers, which are not initialised. Fails with TRJ_NO_ENGINE in a build without FFTW, whose message
// contains `what`, the result for which the transform is needed; with TRJ_BAD_DATA if n is 0 or more than 2^31 - 1
// along an axis; with TRJ_FAILED if memory is not available.
int trj_fourier_open(struct trj_fourier *f, const uint64_t n[3], const char *what, struct trj_error *err);
void trj_fourier_close(struct trj_fourier *f); // after a failed open, too

// Sets the real numbers to factor * from[n[2]][n[1]][n[0]].
void trj_fourier_load(struct trj_fourier *f, const int64_t *from, double factor);
// Moves the first size[k] <= n[k] real numbers along each axis to value[size[2]][size[1]][size[0]].
void trj_fourier_pack(struct trj_fourier *f, const uint64_t size[3]);

// Returns the least number of at least n, and at least 1, without a factor above 7: transforms of such sizes are fast.
uint64_t trj_fourier_size(uint64_t n);

// Computes sum over x of value(x) exp(-2 pi i m . x / n). Fails with TRJ_FAILED if memory is not available. These two
// functions must not be called by two threads at the same time.
int trj_fourier_forward(struct trj_fourier *f, struct trj_error *err);
// Computes sum over m of value(m) exp(+2 pi i m . x / n), without a factor 1 / (n[0] n[1] n[2]).
int trj_fourier_backward(struct trj_fourier *f, struct trj_error *err);

#endif
