// SPDX-License-Identifier: MIT
// AVX2 and FMA: vectors of eight numbers.
#ifdef __x86_64__
#include <immintrin.h>

#define LANES 8
typedef __m256 reals;

static inline __m256 v_all(float x) {
    return _mm256_set1_ps(x);
}
static inline __m256 v_load(const float *p) {
    return _mm256_load_ps(p);
}
static inline void v_store(float *p, __m256 x) {
    _mm256_store_ps(p, x);
}
static inline __m256 v_mul(__m256 a, __m256 b) {
    return _mm256_mul_ps(a, b);
}
static inline __m256 v_add(__m256 a, __m256 b) {
    return _mm256_add_ps(a, b);
}
static inline __m256 v_sub(__m256 a, __m256 b) {
    return _mm256_sub_ps(a, b);
}
static inline __m256 v_div(__m256 a, __m256 b) {
    return _mm256_div_ps(a, b);
}
static inline __m256 v_max(__m256 a, __m256 b) {
    return _mm256_max_ps(a, b);
}
static inline __m256 v_root(__m256 x) {
    return _mm256_sqrt_ps(x);
}
static inline __m256 v_fma(__m256 a, __m256 b, __m256 c) {
    return _mm256_fmadd_ps(a, b, c);
}
static inline __m256 v_if_less(__m256 x, __m256 limit, __m256 v) {
    return _mm256_and_ps(_mm256_cmp_ps(x, limit, _CMP_LT_OQ), v);
}

#include "ligand_kernel_body.h"

const struct lig_kernel lig_kernel_avx2 = {"avx2", energies};
#endif
