// SPDX-License-Identifier: MIT
// The vectors and functions of vector_plain.h for AVX2 and FMA: eight float or four double numbers. Include it where
// these are enabled.
#ifndef TRJ_VECTOR_AVX2_H
#define TRJ_VECTOR_AVX2_H

#ifdef __AVX2__
#include <immintrin.h>
#include <stdint.h>

#define LANES   8
#define DOUBLES 4
typedef __m256 reals;
typedef __m256 flags;
typedef __m256d doubles;

static inline reals v_all(float x) {
    return _mm256_set1_ps(x);
}
static inline reals v_load(const float *p) {
    return _mm256_loadu_ps(p);
}
static inline void v_store(float *p, reals x) {
    _mm256_storeu_ps(p, x);
}
static inline reals v_add(reals a, reals b) {
    return _mm256_add_ps(a, b);
}
static inline reals v_sub(reals a, reals b) {
    return _mm256_sub_ps(a, b);
}
static inline reals v_mul(reals a, reals b) {
    return _mm256_mul_ps(a, b);
}
static inline reals v_fma(reals a, reals b, reals c) {
    return _mm256_fmadd_ps(a, b, c);
}
static inline reals v_nfma(reals a, reals b, reals c) {
    return _mm256_fnmadd_ps(a, b, c);
}
static inline reals v_max(reals a, reals b) {
    return _mm256_max_ps(a, b);
}
static inline reals v_min(reals a, reals b) {
    return _mm256_min_ps(a, b);
}
static inline reals v_abs(reals x) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
}
static inline flags v_less(reals a, reals b) {
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
static inline flags v_not_above(reals a, reals b) {
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}
static inline reals v_keep(flags f, reals x) {
    return _mm256_and_ps(f, x);
}
static inline reals v_scale(reals x, reals n) {
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(x), _mm256_slli_epi32(_mm256_castps_si256(n), 23)));
}
static inline reals v_half_from(uint32_t bits, reals x) {
    return _mm256_castsi256_ps(
        _mm256_sub_epi32(_mm256_set1_epi32((int)bits), _mm256_srli_epi32(_mm256_castps_si256(x), 1)));
}
static inline void v_accumulate(uint32_t *p, reals x, reals m) {
    __m256i *to = (__m256i *)p, add = _mm256_sub_epi32(_mm256_castps_si256(x), _mm256_castps_si256(m));
    _mm256_storeu_si256(to, _mm256_add_epi32(_mm256_loadu_si256(to), add));
}
static inline void v_add_to_doubles(double *p, reals x) {
    _mm256_storeu_pd(p, _mm256_add_pd(_mm256_loadu_pd(p), _mm256_cvtps_pd(_mm256_castps256_ps128(x))));
    _mm256_storeu_pd(p + 4, _mm256_add_pd(_mm256_loadu_pd(p + 4), _mm256_cvtps_pd(_mm256_extractf128_ps(x, 1))));
}

static inline doubles d_all(double x) {
    return _mm256_set1_pd(x);
}
static inline doubles d_load(const double *p) {
    return _mm256_loadu_pd(p);
}
static inline void d_store(double *p, doubles x) {
    _mm256_storeu_pd(p, x);
}
static inline doubles d_mul(doubles a, doubles b) {
    return _mm256_mul_pd(a, b);
}
static inline doubles d_fma(doubles a, doubles b, doubles c) {
    return _mm256_fmadd_pd(a, b, c);
}
#endif

#endif
