// SPDX-License-Identifier: MIT
// The vectors and functions of vector_plain.h for AVX-512 (F and DQ): sixteen float or eight double numbers. Include it
// where these are enabled.
#ifndef TRJ_VECTOR_AVX512_H
#define TRJ_VECTOR_AVX512_H

#ifdef __AVX512F__
#include <immintrin.h>
#include <stdint.h>

#define LANES   16
#define DOUBLES 8
typedef __m512 reals;
typedef __mmask16 flags;
typedef __m512d doubles;

static inline reals v_all(float x) {
    return _mm512_set1_ps(x);
}
static inline reals v_load(const float *p) {
    return _mm512_loadu_ps(p);
}
static inline void v_store(float *p, reals x) {
    _mm512_storeu_ps(p, x);
}
static inline reals v_add(reals a, reals b) {
    return _mm512_add_ps(a, b);
}
static inline reals v_sub(reals a, reals b) {
    return _mm512_sub_ps(a, b);
}
static inline reals v_mul(reals a, reals b) {
    return _mm512_mul_ps(a, b);
}
static inline reals v_fma(reals a, reals b, reals c) {
    return _mm512_fmadd_ps(a, b, c);
}
static inline reals v_nfma(reals a, reals b, reals c) {
    return _mm512_fnmadd_ps(a, b, c);
}
static inline reals v_max(reals a, reals b) {
    return _mm512_max_ps(a, b);
}
static inline reals v_min(reals a, reals b) {
    return _mm512_min_ps(a, b);
}
static inline reals v_abs(reals x) {
    return _mm512_abs_ps(x);
}
static inline flags v_less(reals a, reals b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
static inline flags v_not_above(reals a, reals b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
static inline reals v_keep(flags f, reals x) {
    return _mm512_maskz_mov_ps(f, x);
}
static inline reals v_scale(reals x, reals n) {
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(x), _mm512_slli_epi32(_mm512_castps_si512(n), 23)));
}
static inline reals v_half_from(uint32_t bits, reals x) {
    return _mm512_castsi512_ps(
        _mm512_sub_epi32(_mm512_set1_epi32((int)bits), _mm512_srli_epi32(_mm512_castps_si512(x), 1)));
}
static inline void v_accumulate(uint32_t *p, reals x, reals m) {
    __m512i add = _mm512_sub_epi32(_mm512_castps_si512(x), _mm512_castps_si512(m));
    _mm512_storeu_si512(p, _mm512_add_epi32(_mm512_loadu_si512(p), add));
}
static inline void v_add_to_doubles(double *p, reals x) {
    _mm512_storeu_pd(p, _mm512_add_pd(_mm512_loadu_pd(p), _mm512_cvtps_pd(_mm512_castps512_ps256(x))));
    _mm512_storeu_pd(p + 8, _mm512_add_pd(_mm512_loadu_pd(p + 8), _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1))));
}

static inline doubles d_all(double x) {
    return _mm512_set1_pd(x);
}
static inline doubles d_load(const double *p) {
    return _mm512_loadu_pd(p);
}
static inline void d_store(double *p, doubles x) {
    _mm512_storeu_pd(p, x);
}
static inline doubles d_mul(doubles a, doubles b) {
    return _mm512_mul_pd(a, b);
}
static inline doubles d_fma(doubles a, doubles b, doubles c) {
    return _mm512_fmadd_pd(a, b, c);
}
#endif

#endif
