// SPDX-License-Identifier: MIT
// AVX-512: vectors of sixteen numbers, two rows of a block. Their points alternate, because one instruction then loads
// the numbers of both rows.
#ifdef __x86_64__
#include <immintrin.h>
#include <stdint.h>
#include <string.h>

#include "inverse_root.h"

#define LANES 16
typedef __m512 reals;
typedef __mmask16 flags;

static inline __m512 v_all(float x) {
    return _mm512_set1_ps(x);
}
static inline __m512 v_load(const float *p) {
    return _mm512_loadu_ps(p);
}
static inline __m512 v_points(const float *p) {
    return _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7),
                                 _mm512_castps256_ps512(_mm256_loadu_ps(p)));
}
static inline __m512 v_rows(const float *p) {
    double both;
    memcpy(&both, p, sizeof both);
    return _mm512_castpd_ps(_mm512_set1_pd(both));
}
static inline __m512 v_repeat(const float *p) {
    return _mm512_broadcast_f32x8(_mm256_loadu_ps(p));
}
static inline __m512 v_planes(const float *p) {
    return _mm512_insertf32x8(_mm512_set1_ps(p[0]), _mm256_set1_ps(p[1]), 1);
}
static inline void v_store(float *p, __m512 x) {
    _mm512_storeu_ps(p, x);
}
static inline __m512 v_mul(__m512 a, __m512 b) {
    return _mm512_mul_ps(a, b);
}
static inline __m512 v_add(__m512 a, __m512 b) {
    return _mm512_add_ps(a, b);
}
static inline __m512 v_sub(__m512 a, __m512 b) {
    return _mm512_sub_ps(a, b);
}
static inline __m512 v_fma(__m512 a, __m512 b, __m512 c) {
    return _mm512_fmadd_ps(a, b, c);
}
static inline __m512 v_nfma(__m512 a, __m512 b, __m512 c) {
    return _mm512_fnmadd_ps(a, b, c);
}
static inline __m512 v_max(__m512 a, __m512 b) {
    return _mm512_max_ps(a, b);
}
static inline __m512 v_min(__m512 a, __m512 b) {
    return _mm512_min_ps(a, b);
}
static inline __m512 v_abs(__m512 x) {
    return _mm512_abs_ps(x);
}
static inline __mmask16 v_less(__m512 a, __m512 b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LT_OQ);
}
static inline __mmask16 v_not_above(__m512 a, __m512 b) {
    return _mm512_cmp_ps_mask(a, b, _CMP_LE_OQ);
}
static inline unsigned v_bits(__mmask16 f) {
    return f;
}
static inline __m512 v_keep(__mmask16 f, __m512 v) {
    return _mm512_maskz_mov_ps(f, v);
}
static inline __m512 v_select(__mmask16 f, __m512 v, __m512 w) {
    return _mm512_mask_mov_ps(w, f, v);
}
static inline __m512 v_guess(__m512 x) {
    return _mm512_castsi512_ps(
        _mm512_sub_epi32(_mm512_set1_epi32((int)POT_ROOT_MAGIC), _mm512_srli_epi32(_mm512_castps_si512(x), 1)));
}
static inline __m512 v_scale(__m512 s, __m512 n) {
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(s), _mm512_slli_epi32(_mm512_castps_si512(n), 23)));
}
// (Loads of four numbers and a transposition are twice to four times as fast as gather instructions.)
static inline __m512 four(const float (*p)[4], const int32_t *at) {
    __m512 r = _mm512_castps128_ps512(_mm_loadu_ps(p[at[0]]));
    r = _mm512_insertf32x4(r, _mm_loadu_ps(p[at[4]]), 1);
    r = _mm512_insertf32x4(r, _mm_loadu_ps(p[at[8]]), 2);
    return _mm512_insertf32x4(r, _mm_loadu_ps(p[at[12]]), 3);
}
static inline void v_gather(const float (*p)[4], __m512 n, __m512 c[4]) {
    int32_t at[LANES];
    _mm512_storeu_si512(at, _mm512_sub_epi32(_mm512_castps_si512(n), _mm512_set1_epi32(0x4b400000)));
    __m512 r0 = four(p, at), r1 = four(p, at + 1), r2 = four(p, at + 2), r3 = four(p, at + 3),
           t0 = _mm512_unpacklo_ps(r0, r1), t1 = _mm512_unpackhi_ps(r0, r1), t2 = _mm512_unpacklo_ps(r2, r3),
           t3 = _mm512_unpackhi_ps(r2, r3);
    c[0] = _mm512_shuffle_ps(t0, t2, 0x44);
    c[1] = _mm512_shuffle_ps(t0, t2, 0xee);
    c[2] = _mm512_shuffle_ps(t1, t3, 0x44);
    c[3] = _mm512_shuffle_ps(t1, t3, 0xee);
}
static inline void v_accumulate(uint32_t *p, __m512 t, __m512 m) {
    __m512i add = _mm512_sub_epi32(_mm512_castps_si512(t), _mm512_castps_si512(m));
    _mm512_storeu_si512(p, _mm512_add_epi32(_mm512_loadu_si512(p), add));
}

#include "cutoff_kernel_body.h"

const struct pot_cutoff_kernel pot_cutoff_kernel_avx512 = {"avx512", add, flush, find};
#endif
