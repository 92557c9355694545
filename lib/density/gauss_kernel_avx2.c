// SPDX-License-Identifier: MIT
// AVX2 and FMA: vectors of eight numbers.
#ifdef __x86_64__
#include <immintrin.h>
#include <stdint.h>

#define LANES 8
typedef __m256 reals;

static inline __m256 v_all(float x) {
    return _mm256_set1_ps(x);
}
static inline __m256 v_lanes(void) {
    return _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
}
static inline __m256 v_load(const float *p) {
    return _mm256_loadu_ps(p);
}
static inline void v_store(float *p, __m256 x) {
    _mm256_storeu_ps(p, x);
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
static inline __m256 v_fma(__m256 a, __m256 b, __m256 c) {
    return _mm256_fmadd_ps(a, b, c);
}
static inline __m256 v_clamp(__m256 x, __m256 low, __m256 high) {
    return _mm256_min_ps(_mm256_max_ps(x, low), high);
}
static inline __m256 v_zero_if_above(__m256 v, __m256 x, __m256 limit) {
    __m256 above = _mm256_cmp_ps(_mm256_andnot_ps(_mm256_set1_ps(-0.0f), x), limit, _CMP_GT_OQ);
    return _mm256_andnot_ps(above, v);
}
static inline __m256 v_scale(__m256 s, __m256 n) {
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(s), _mm256_slli_epi32(_mm256_castps_si256(n), 23)));
}
static inline void v_accumulate(uint32_t *p, __m256 t, uint32_t bits) {
    __m256i add = _mm256_sub_epi32(_mm256_castps_si256(t), _mm256_set1_epi32((int)bits));
    _mm256_storeu_si256((__m256i *)p, _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)p), add));
}

#include "gauss_kernel_body.h"

const struct den_gauss_kernel den_gauss_kernel_avx2 = {"avx2", add, flush};
#endif
