// SPDX-License-Identifier: MIT
// The inner loops of correlator.c, compiled for several instruction sets, which give the same bytes: Fourier transforms
// of several series at a time, and products of transforms.
#ifndef TCF_SERIES_KERNEL_H
#define TCF_SERIES_KERNEL_H

#include <stddef.h>

// Complex series that are transformed together: number i of lane k is re[i * TCF_LANES + k]. A complex series contains
// two real ones, as its real and imaginary part.
enum { TCF_LANES = 8 };

struct tcf_kernel {
    // Replaces x[n] of each lane by sum over t of x[t] exp(-2 pi i f t / n), where f is the number of the place with
    // its bits reversed. n is a power of two; cosine[n / 2] and sine[n / 2] are those of 2 pi t / n.
    void (*transform)(double *re, double *im, size_t n, const double *cosine, const double *sine);
    // Adds conjugate(a) b of `count` numbers to the sum.
    void (*multiply)(double *sum_re, double *sum_im, const double *a_re, const double *a_im, const double *b_re,
                     const double *b_im, size_t count);
};

extern const struct tcf_kernel tcf_kernel_avx512, tcf_kernel_avx2, tcf_kernel_plain;

#endif
