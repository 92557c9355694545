// SPDX-License-Identifier: MIT
// The kernel for AVX-512: the sums of four rows take 8 of 32 registers.
#ifdef __x86_64__
#include <immintrin.h>

#include "wave_kernel.h"

enum { LANES = 8, TOGETHER = 4 };
typedef __m512d vector;

static inline vector load(const double *x) {
    return _mm512_load_pd(x);
}

static inline void store(double *to, vector x) {
    _mm512_storeu_pd(to, x);
}

static inline vector all(double x) {
    return _mm512_set1_pd(x);
}

static inline vector add_product(vector sum, vector x, vector y) {
    return _mm512_fmadd_pd(x, y, sum);
}

static inline vector subtract_product(vector sum, vector x, vector y) {
    return _mm512_fnmadd_pd(x, y, sum);
}

#define KERNEL wav_kernel_avx512
#include "wave_kernel_body.h"
#endif
