// SPDX-License-Identifier: MIT
// The kernel for one instruction set. The file that includes this one defines KERNEL, vectors like those of
// vector_plain.h, d_nfma(a, b, c) = c - a * b, and TOGETHER, the number of rows whose sums fit into the
// registers.
#if !defined WAV_KERNEL_BODY_H && defined KERNEL
#define WAV_KERNEL_BODY_H

#include "wave_kernel.h"

enum { PARTS = WAV_LANES / DOUBLES };

static inline void sum_rows(const double *b, const double *z, size_t atoms, double *sum) {
    doubles re[TOGETHER][PARTS], im[TOGETHER][PARTS];
    for (int r = 0; r < TOGETHER; r++)
        for (int p = 0; p < PARTS; p++) re[r][p] = im[r][p] = d_all(0);
    for (size_t j = 0; j < atoms; j++)
        for (int p = 0; p < PARTS; p++) {
            const doubles zr = d_load(z + j * 2 * WAV_LANES + p * DOUBLES),
                          zi = d_load(z + j * 2 * WAV_LANES + WAV_LANES + p * DOUBLES);
            for (int r = 0; r < TOGETHER; r++) {
                const double *value = b + ((size_t)r * WAV_TILE + j) * 2;
                const doubles br = d_all(value[0]), bi = d_all(value[1]);
                re[r][p] = d_nfma(bi, zi, d_fma(br, zr, re[r][p]));
                im[r][p] = d_fma(bi, zr, d_fma(br, zi, im[r][p]));
            }
        }
    for (int r = 0; r < TOGETHER; r++)
        for (int p = 0; p < PARTS; p++) {
            d_store(sum + (size_t)r * 2 * WAV_LANES + p * DOUBLES, re[r][p]);
            d_store(sum + (size_t)r * 2 * WAV_LANES + WAV_LANES + p * DOUBLES, im[r][p]);
        }
}

void KERNEL(size_t rows, const double *b, const double *z, size_t atoms, double *sum) {
    for (size_t r = 0; r < rows; r += TOGETHER) sum_rows(b + r * WAV_TILE * 2, z, atoms, sum + r * 2 * WAV_LANES);
}

#endif
