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

static void multiply(double *restrict sum_re, double *restrict sum_im, const double *restrict a_re,
                     const double *restrict a_im, const double *restrict b_re, const double *restrict b_im,
                     size_t count) {
    for (size_t i = 0; i < count; i++) {
        sum_re[i] += a_re[i] * b_re[i] + a_im[i] * b_im[i];
        sum_im[i] += a_re[i] * b_im[i] - a_im[i] * b_re[i];
    }
}

#endif
