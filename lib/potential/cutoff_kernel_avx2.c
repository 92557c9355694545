// SPDX-License-Identifier: MIT
// AVX2 and FMA: vectors of eight numbers.
#ifdef __x86_64__
#include <immintrin.h>
#include <stdint.h>

#include "inverse_root.h"

#define LANES 8
typedef __m256 reals;
typedef __m256 flags;

static inline __m256 v_all(float x) {
    return _mm256_set1_ps(x);
}
static inline __m256 v_load(const float *p) {
    return _mm256_loadu_ps(p);
}
static inline __m256 v_points(const float *p) {
    return _mm256_loadu_ps(p);
}
static inline __m256 v_rows(const float *p) {
    return _mm256_broadcast_ss(p);
}
static inline __m256 v_repeat(const float *p) {
    return _mm256_loadu_ps(p);
}
static inline __m256 v_planes(const float *p) {
    return _mm256_broadcast_ss(p);
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
static inline __m256 v_nfma(__m256 a, __m256 b, __m256 c) {
    return _mm256_fnmadd_ps(a, b, c);
}
static inline __m256 v_max(__m256 a, __m256 b) {
    return _mm256_max_ps(a, b);
}
static inline __m256 v_min(__m256 a, __m256 b) {
    return _mm256_min_ps(a, b);
}
static inline __m256 v_abs(__m256 x) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
}
static inline __m256 v_less(__m256 a, __m256 b) {
    return _mm256_cmp_ps(a, b, _CMP_LT_OQ);
}
static inline __m256 v_not_above(__m256 a, __m256 b) {
    return _mm256_cmp_ps(a, b, _CMP_LE_OQ);
}
static inline unsigned v_bits(__m256 f) {
    return (unsigned)_mm256_movemask_ps(f);
}
static inline __m256 v_keep(__m256 f, __m256 v) {
    return _mm256_and_ps(f, v);
}
static inline __m256 v_select(__m256 f, __m256 v, __m256 w) {
    return _mm256_blendv_ps(w, v, f);
}
static inline __m256 v_guess(__m256 x) {
    return _mm256_castsi256_ps(
        _mm256_sub_epi32(_mm256_set1_epi32((int)POT_ROOT_MAGIC), _mm256_srli_epi32(_mm256_castps_si256(x), 1)));
}
static inline __m256 v_scale(__m256 s, __m256 n) {
    return _mm256_castsi256_ps(_mm256_add_epi32(_mm256_castps_si256(s), _mm256_slli_epi32(_mm256_castps_si256(n), 23)));
}
// (Loads of four numbers and a transposition are twice to four times as fast as gather instructions.)
static inline __m256 two(const float (*p)[4], const int32_t *at) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p[at[0]])), _mm_loadu_ps(p[at[4]]), 1);
}
static inline void v_gather(const float (*p)[4], __m256 n, __m256 c[4]) {
    int32_t at[LANES];
    _mm256_storeu_si256((__m256i *)at, _mm256_sub_epi32(_mm256_castps_si256(n), _mm256_set1_epi32(0x4b400000)));
    __m256 r0 = two(p, at), r1 = two(p, at + 1), r2 = two(p, at + 2), r3 = two(p, at + 3),
           t0 = _mm256_unpacklo_ps(r0, r1), t1 = _mm256_unpackhi_ps(r0, r1), t2 = _mm256_unpacklo_ps(r2, r3),
           t3 = _mm256_unpackhi_ps(r2, r3);
    c[0] = _mm256_shuffle_ps(t0, t2, 0x44);
    c[1] = _mm256_shuffle_ps(t0, t2, 0xee);
    c[2] = _mm256_shuffle_ps(t1, t3, 0x44);
    c[3] = _mm256_shuffle_ps(t1, t3, 0xee);
}
static inline void v_accumulate(uint32_t *p, __m256 t, __m256 m) {
    __m256i add = _mm256_sub_epi32(_mm256_castps_si256(t), _mm256_castps_si256(m));
    _mm256_storeu_si256((__m256i *)p, _mm256_add_epi32(_mm256_loadu_si256((const __m256i *)p), add));
}

#include "cutoff_kernel_body.h"

const struct pot_cutoff_kernel pot_cutoff_kernel_avx2 = {"avx2", add, flush, find};
#endif
