// SPDX-License-Identifier: MIT
// AVX-512: vectors of sixteen float or eight double numbers.
#ifdef __x86_64__
#include <immintrin.h>
#include <stdint.h>

#include "inverse_root.h"
#include "pair_kernel.h"

#define LANES 16
#define PAIRS 8
typedef __m512 reals;
typedef __m512i wholes;
typedef __m512d doubles;
typedef __m512i longs;

static inline __m512 v_all(float x) {
    return _mm512_set1_ps(x);
}
static inline __m512 v_load(const float *p) {
    return _mm512_loadu_ps(p);
}
static inline __m512 v_sub(__m512 a, __m512 b) {
    return _mm512_sub_ps(a, b);
}
static inline __m512 v_mul(__m512 a, __m512 b) {
    return _mm512_mul_ps(a, b);
}
static inline __m512 v_fma(__m512 a, __m512 b, __m512 c) {
    return _mm512_fmadd_ps(a, b, c);
}
static inline __m512 v_fnma(__m512 a, __m512 b, __m512 c) {
    return _mm512_fnmadd_ps(a, b, c);
}
static inline __m512 v_guess(__m512 x) {
    __m512i half = _mm512_srli_epi32(_mm512_castps_si512(x), 1);
    return _mm512_castsi512_ps(_mm512_sub_epi32(_mm512_set1_epi32(POT_ROOT_MAGIC), half));
}
static inline __m512 v_scale(__m512 g, __m512 n) {
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(g), _mm512_slli_epi32(_mm512_castps_si512(n), 23)));
}
static inline __m512i w_zero(void) {
    return _mm512_setzero_si512();
}
static inline __m512i w_add(__m512i s, __m512 x) {
    return _mm512_add_epi32(s, _mm512_castps_si512(x));
}
static inline void w_store(uint32_t *p, __m512i s) {
    _mm512_storeu_si512(p, s);
}

static inline __m512d d_all(double x) {
    return _mm512_set1_pd(x);
}
static inline __m512d d_load(const double *p) {
    return _mm512_loadu_pd(p);
}
static inline __m512d d_add(__m512d a, __m512d b) {
    return _mm512_add_pd(a, b);
}
static inline __m512d d_sub(__m512d a, __m512d b) {
    return _mm512_sub_pd(a, b);
}
static inline __m512d d_mul(__m512d a, __m512d b) {
    return _mm512_mul_pd(a, b);
}
static inline __m512d d_fma(__m512d a, __m512d b, __m512d c) {
    return _mm512_fmadd_pd(a, b, c);
}
static inline __m512d d_div(__m512d a, __m512d b) {
    return _mm512_div_pd(a, b);
}
static inline __m512d d_sqrt(__m512d a) {
    return _mm512_sqrt_pd(a);
}
static inline __m512d d_max(__m512d a, __m512d b) {
    return _mm512_max_pd(a, b);
}
static inline __m512d d_scale(__m512d g, __m512d n) {
    return _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(g), _mm512_slli_epi64(_mm512_castpd_si512(n), 52)));
}
static inline __m512d d_clear_large(__m512d x, int *any) {
    __mmask8 small = _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(POT_NEAR_LARGE), _CMP_LE_OQ);
    *any |= small ^ 255;
    return _mm512_maskz_mov_pd(small, x);
}
static inline __m512i l_zero(void) {
    return _mm512_setzero_si512();
}
static inline __m512i l_add(__m512i s, __m512d x) {
    return _mm512_add_epi64(s, _mm512_castpd_si512(x));
}
static inline void l_store(uint64_t *p, __m512i s) {
    _mm512_storeu_si512(p, s);
}

#include "pair_kernel_body.h"

const struct pot_pair_kernel pot_pair_kernel_avx512 = {far, near};
#endif
