// SPDX-License-Identifier: MIT
// The kernel for one instruction set. The file that includes this one defines KERNEL, the type vector of LANES doubles
// with load, store, all (a vector of equal numbers), add_product(s, x, y), s + x y, and subtract_product, and TOGETHER,
// the number of rows whose sums fit into the registers.
#if !defined WAV_KERNEL_BODY_H && defined KERNEL
#define WAV_KERNEL_BODY_H

#include "wave_kernel.h"

enum { PARTS = WAV_LANES / LANES };

static inline void sum_rows(const double *b, const double *z, size_t atoms, double *sum) {
    vector re[TOGETHER][PARTS], im[TOGETHER][PARTS];
    for (int r = 0; r < TOGETHER; r++)
        for (int p = 0; p < PARTS; p++) re[r][p] = im[r][p] = all(0);
    for (size_t j = 0; j < atoms; j++)
        for (int p = 0; p < PARTS; p++) {
            const vector zr = load(z + j * 2 * WAV_LANES + p * LANES),
                         zi = load(z + j * 2 * WAV_LANES + WAV_LANES + p * LANES);
            for (int r = 0; r < TOGETHER; r++) {
                const double *at = b + ((size_t)r * WAV_TILE + j) * 2;
                const vector br = all(at[0]), bi = all(at[1]);
                re[r][p] = subtract_product(add_product(re[r][p], br, zr), bi, zi);
                im[r][p] = add_product(add_product(im[r][p], br, zi), bi, zr);
            }
        }
    for (int r = 0; r < TOGETHER; r++)
        for (int p = 0; p < PARTS; p++) {
            store(sum + (size_t)r * 2 * WAV_LANES + p * LANES, re[r][p]);
            store(sum + (size_t)r * 2 * WAV_LANES + WAV_LANES + p * LANES, im[r][p]);
        }
}

void KERNEL(size_t rows, const double *b, const double *z, size_t atoms, double *sum) {
    for (size_t r = 0; r < rows; r += TOGETHER) sum_rows(b + r * WAV_TILE * 2, z, atoms, sum + r * 2 * WAV_LANES);
}

#endif
