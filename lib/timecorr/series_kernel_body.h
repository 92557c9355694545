// SPDX-License-Identifier: MIT
// The kernel of series_kernel.h for vectors of WIDTH lanes: 2, 4 or 8. Products are summed in registers: those of TILE
// chunks of start frames and TCF_LATER of later ones at a time. The file of an instruction set defines both before it
// includes this one.
#if !defined TCF_SERIES_KERNEL_BODY_H && defined WIDTH
#define TCF_SERIES_KERNEL_BODY_H

#include <string.h>

#include "series_kernel.h"

// Decimation in frequency. The inverse (decimation in time) reads the places in the order in which this function writes
// them, so that nothing is sorted.
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

static void transform_back(double *restrict re, double *restrict im, size_t n, const double *restrict cosine,
                           const double *restrict sine) {
    for (size_t half = 1, step = n / 2; half < n; half *= 2, step /= 2)
        for (size_t base = 0; base < n; base += 2 * half)
            for (size_t t = 0; t < half; t++) {
                double *restrict ar = re + (base + t) * TCF_LANES, *restrict ai = im + (base + t) * TCF_LANES;
                double *restrict br = ar + half * TCF_LANES, *restrict bi = ai + half * TCF_LANES;
                const double c = cosine[t * step], s = sine[t * step];
                for (int k = 0; k < TCF_LANES; k++) {
                    const double dr = br[k] * c - bi[k] * s, di = bi[k] * c + br[k] * s;
                    br[k] = ar[k] - dr;
                    bi[k] = ai[k] - di;
                    ar[k] += dr;
                    ai[k] += di;
                }
            }
}

typedef double reals __attribute__((vector_size(8 * WIDTH)));
enum { VECTORS = TCF_LANES / WIDTH, BLOCK = 2 * TCF_LANES };

static inline reals get(const double *x) {
    reals v;
    memcpy(&v, x, sizeof v);
    return v;
}

// Lanes are added in halves: those 4 apart, then those 2 apart, then neighbours.
static inline double sum_lanes(const double *x) {
    return ((x[0] + x[4]) + (x[2] + x[6])) + ((x[1] + x[5]) + (x[3] + x[7]));
}

// Adds the products of TILE chunks of start frames with TCF_LATER later ones; `row` numbers of a chunk.
static inline void multiply_tile(double *restrict sum, const double *restrict start, const double *restrict later,
                                 size_t row) {
    double lanes[TILE][TCF_LATER][2][TCF_LANES];
    for (size_t v = 0; v < VECTORS; v++) {
        reals re[TILE][TCF_LATER], im[TILE][TCF_LATER];
        for (size_t i = 0; i < TILE; i++)
            for (size_t j = 0; j < TCF_LATER; j++) re[i][j] = im[i][j] = (reals){0};
        for (size_t at = v * WIDTH; at < row; at += BLOCK) {
            reals br[TCF_LATER], bi[TCF_LATER];
            for (size_t j = 0; j < TCF_LATER; j++) {
                br[j] = get(later + j * row + at);
                bi[j] = get(later + j * row + at + TCF_LANES);
            }
            for (size_t i = 0; i < TILE; i++) {
                const reals ar = get(start + i * row + at), ai = get(start + i * row + at + TCF_LANES);
                for (size_t j = 0; j < TCF_LATER; j++) {
                    re[i][j] += ar * br[j] + ai * bi[j];
                    im[i][j] += ar * bi[j] - ai * br[j];
                }
            }
        }
        for (size_t i = 0; i < TILE; i++)
            for (size_t j = 0; j < TCF_LATER; j++) {
                memcpy(lanes[i][j][0] + v * WIDTH, &re[i][j], sizeof re[i][j]);
                memcpy(lanes[i][j][1] + v * WIDTH, &im[i][j], sizeof im[i][j]);
            }
    }
    for (size_t i = 0; i < TILE; i++)
        for (size_t j = 0; j < TCF_LATER; j++)
            for (size_t k = 0; k < 2; k++) sum[(2 * j + k) * TCF_LANES + i] += sum_lanes(lanes[i][j][k]);
}

static void multiply(double *restrict sum, const double *restrict start, const double *restrict later, size_t count,
                     size_t blocks) {
    const size_t row = blocks * BLOCK;
    for (size_t j = 0; j < count; j += TCF_LATER)
        for (size_t i = 0; i < TCF_STARTS; i += TILE)
            multiply_tile(sum + 2 * j * TCF_LANES + i, start + i * row, later + j * row, row);
}

#define TCF_KERNEL                                                                                                     \
    { transform, transform_back, multiply }

#endif
