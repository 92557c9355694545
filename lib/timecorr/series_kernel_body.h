// SPDX-License-Identifier: MIT
// The kernel of series_kernel.h in plain C, whose loops over lanes the compiler turns into vectors of the instruction
// set of the file that includes this one.
#ifndef TCF_SERIES_KERNEL_BODY_H
#define TCF_SERIES_KERNEL_BODY_H

#include "series_kernel.h"

// Decimation in frequency: the inverse (decimation in time) takes its places in the order in which this leaves them, so
// that nothing is sorted.
static void transform(double *restrict re, double *restrict im, size_t n, const double *restrict cosine,
                      const double *restrict sine) {
    for (size_t half = n / 2, step = 1; half; half /= 2, step *= 2)
        for (size_t base = 0; base < n; base += 2 * half)
            for (size_t t = 0; t < half; t++) {
                double *restrict ar = re + (base + t) * TCF_LANES, *restrict ai = im + (base + t) * TCF_LANES;
                double *restrict br = ar + half * TCF_LANES, *restrict bi = ai + half * TCF_LANES;
                const double c = cosine[t * step], s = sine[t * step];
                for (int k = 0; k < TCF_LANES; k++) {
                    const double dr = ar[k] - br[k], di = ai[k] - bi[k];
                    ar[k] += br[k];
                    ai[k] += bi[k];
                    br[k] = dr * c + di * s;
                    bi[k] = di * c - dr * s;
                }
            }
}

enum { TOGETHER = 4 }; // blocks whose products are added before the sum is stored

static void multiply(double *restrict sum_re, double *restrict sum_im, const double *restrict a,
                     const double *restrict b, size_t count, size_t blocks) {
    size_t block = 0;
    for (; block + TOGETHER <= blocks; block += TOGETHER, a += TOGETHER * 2 * count, b += TOGETHER * 2 * count)
        for (size_t i = 0; i < count; i++) {
            double re = sum_re[i], im = sum_im[i];
            for (int k = 0; k < TOGETHER; k++) {
                const double *restrict x = a + (size_t)(2 * k) * count, *restrict y = b + (size_t)(2 * k) * count;
                re += x[i] * y[i] + x[count + i] * y[count + i];
                im += x[i] * y[count + i] - x[count + i] * y[i];
            }
            sum_re[i] = re;
            sum_im[i] = im;
        }
    for (; block < blocks; block++, a += 2 * count, b += 2 * count)
        for (size_t i = 0; i < count; i++) {
            sum_re[i] += a[i] * b[i] + a[count + i] * b[count + i];
            sum_im[i] += a[i] * b[count + i] - a[count + i] * b[i];
        }
}

#endif
