// SPDX-License-Identifier: MIT
// The inner loops of correlator.c, compiled for several instruction sets, which give the same bytes: Fourier transforms
// of several series at a time, and products of transforms.
#ifndef TCF_SERIES_KERNEL_H
#define TCF_SERIES_KERNEL_H

#include <stddef.h>

// Complex series that are transformed together: number i of lane k is re[i * TCF_LANES + k]. A complex series contains
// two real ones, as its real and imaginary part.
enum { TCF_LANES = 8 };

// Chunks whose products with others are summed together: those of start frames and of later frames. Numbers of the
// latter are multiples of TCF_LATER.
enum { TCF_STARTS = 4, TCF_LATER = 2 };

struct tcf_kernel {
    // Replaces x[n] of each lane by sum over t of x[t] exp(-2 pi i f t / n), where f is the number of the place with
    // its bits reversed. n is a power of two; cosine[n / 2] and sine[n / 2] are those of 2 pi t / n.
    void (*transform)(double *re, double *im, size_t n, const double *cosine, const double *sine);
    // The inverse of `transform`, times n.
    void (*transform_back)(double *re, double *im, size_t n, const double *cosine, const double *sine);
    // Adds the sum over b of conjugate(start i) later j, in all lanes of `blocks` blocks, to sum[j][0 and 1][TCF_LANES]
    // at i, for i < TCF_STARTS and j < count: first the real, then the imaginary part. A block of a chunk has
    // TCF_LANES real and as many imaginary parts; the blocks of a chunk are followed by those of the next one.
    void (*multiply)(double *sum, const double *start, const double *later, size_t count, size_t blocks);
};

extern const struct tcf_kernel tcf_kernel_avx512, tcf_kernel_avx2, tcf_kernel_plain;

#endif
