// SPDX-License-Identifier: MIT
// AVX2 and FMA: vectors of eight float or four double numbers.
#ifdef __x86_64__
#include <immintrin.h>
#include <stdint.h>

#include "inverse_root.h"
#include "pair_kernel.h"

#define LANES 8
#define PAIRS 4
typedef __m256 reals;
typedef __m256i wholes;
typedef __m256d doubles;
typedef __m256i longs;

static inline __m256 v_all(float x) {
    return _mm256_set1_ps(x);
}
static inline __m256 v_load(const float *p) {
    return _mm256_loadu_ps(p);
}
static inline __m256 v_sub(__m256 a, __m256 b) {
    return _mm256_sub_ps(a, b);
}
static inline __m256 v_mul(__m256 a, __m256 b) {
    return _mm256_mul_ps(a, b);
}
static inline __m256 v_fma(__m256 a, __m256 b, __m256 c) {
    return _mm256_fmadd_ps(a, b, c);
}
static inline __m256 v_fnma(__m256 a, __m256 b, __m256 c) {
    return _mm256_fnmadd_ps(a, b, c);
}
static inline __m256 v_guess(__m256 x) {
    __m256i half = _mm256_srli_epi32(_mm256_castps_si256(x), 1);
    return _mm256_castsi256_ps(_mm256_sub_epi32(_mm256_set1_epi32(POT_ROOT_MAGIC), half));
}
static inline __m256 v_scale(__m256 g, __m256 n) {
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(g), _mm256_slli_epi32(_mm256_castps_si256(n), 23)));
}
static inline __m256i w_zero(void) {
    return _mm256_setzero_si256();
}
static inline __m256i w_add(__m256i s, __m256 x) {
    return _mm256_add_epi32(s, _mm256_castps_si256(x));
}
static inline void w_store(uint32_t *p, __m256i s) {
    _mm256_storeu_si256((__m256i *)p, s);
}

static inline __m256d d_all(double x) {
    return _mm256_set1_pd(x);
}
static inline __m256d d_load(const double *p) {
    return _mm256_loadu_pd(p);
}
static inline __m256d d_add(__m256d a, __m256d b) {
    return _mm256_add_pd(a, b);
}
static inline __m256d d_sub(__m256d a, __m256d b) {
    return _mm256_sub_pd(a, b);
}
static inline __m256d d_mul(__m256d a, __m256d b) {
    return _mm256_mul_pd(a, b);
}
static inline __m256d d_fma(__m256d a, __m256d b, __m256d c) {
    return _mm256_fmadd_pd(a, b, c);
}
static inline __m256d d_div(__m256d a, __m256d b) {
    return _mm256_div_pd(a, b);
}
static inline __m256d d_sqrt(__m256d a) {
    return _mm256_sqrt_pd(a);
}
static inline __m256d d_max(__m256d a, __m256d b) {
    return _mm256_max_pd(a, b);
}
static inline __m256d d_scale(__m256d g, __m256d n) {
    return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(g), _mm256_slli_epi64(_mm256_castpd_si256(n), 52)));
}
static inline __m256d d_clear_large(__m256d x, int *any) {
    __m256d size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
    __m256d small = _mm256_cmp_pd(size, _mm256_set1_pd(POT_NEAR_LARGE), _CMP_LE_OQ);
    *any |= _mm256_movemask_pd(small) ^ 15;
    return _mm256_and_pd(x, small);
}
static inline __m256i l_zero(void) {
    return _mm256_setzero_si256();
}
static inline __m256i l_add(__m256i s, __m256d x) {
    return _mm256_add_epi64(s, _mm256_castpd_si256(x));
}
static inline void l_store(uint64_t *p, __m256i s) {
    _mm256_storeu_si256((__m256i *)p, s);
}

#include "pair_kernel_body.h"

const struct pot_pair_kernel pot_pair_kernel_avx2 = {far, near};
#endif
