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
    // Adds conjugate(a) b of `count` complex numbers in each of `blocks` blocks to the sum, in this order. A block has
    // first its real and then its imaginary parts.
    void (*multiply)(double *sum_re, double *sum_im, const double *a, const double *b, size_t count, size_t blocks);
};

extern const struct tcf_kernel tcf_kernel_avx512, tcf_kernel_avx2, tcf_kernel_plain;

#endif
