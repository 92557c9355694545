// SPDX-License-Identifier: MIT
// The kernel for AVX2: the sums of two rows take 8 of 16 registers.
#ifdef __x86_64__
#include <immintrin.h>

#include "wave_kernel.h"

enum { LANES = 4, TOGETHER = 2 };
typedef __m256d vector;

static inline vector load(const double *x) {
    return _mm256_load_pd(x);
}

static inline void store(double *to, vector x) {
    _mm256_storeu_pd(to, x);
}

static inline vector all(double x) {
    return _mm256_set1_pd(x);
}

static inline vector add_product(vector sum, vector x, vector y) {
    return _mm256_fmadd_pd(x, y, sum);
}

static inline vector subtract_product(vector sum, vector x, vector y) {
    return _mm256_fnmadd_pd(x, y, sum);
}

#define KERNEL wav_kernel_avx2
#include "wave_kernel_body.h"
#endif
