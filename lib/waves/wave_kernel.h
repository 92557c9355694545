// SPDX-License-Identifier: MIT
// The sums of products of a tile of atoms (wave_amplitude.h). All of these kernels return the same values, which are
// exact.
#ifndef WAV_KERNEL_H
#define WAV_KERNEL_H

#include <stddef.h>

#include "wave_amplitude.h"

enum { WAV_ROWS = 4 }; // the number of rows of `b` is a multiple of this

// Sets sum[row][2][WAV_LANES], real and imaginary parts of the sums over the atoms of b[row][WAV_TILE][2] times
// z[WAV_TILE][2][WAV_LANES]. b and z are integers; z is aligned to 64 bytes.
typedef void wav_kernel(size_t rows, const double *b, const double *z, size_t atoms, double *sum);

wav_kernel wav_kernel_plain;
#ifdef __x86_64__
wav_kernel wav_kernel_avx2, wav_kernel_avx512;
#endif

#endif
