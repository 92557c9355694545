// SPDX-License-Identifier: MIT
// AVX-512: vectors of sixteen numbers.
#ifdef __x86_64__
#include <immintrin.h>
#include <stdint.h>

#define LANES 16
typedef __m512 reals;

static inline __m512 v_all(float x) {
    return _mm512_set1_ps(x);
}
static inline __m512 v_lanes(void) {
    return _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
static inline __m512 v_load(const float *p) {
    return _mm512_loadu_ps(p);
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
static inline __m512 v_clamp(__m512 x, __m512 low, __m512 high) {
    return _mm512_min_ps(_mm512_max_ps(x, low), high);
}
static inline __m512 v_zero_if_above(__m512 v, __m512 x, __m512 limit) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(_mm512_abs_ps(x), limit, _CMP_NGT_UQ), v);
}
static inline __m512 v_scale(__m512 s, __m512 n) {
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(s), _mm512_slli_epi32(_mm512_castps_si512(n), 23)));
}
static inline void v_accumulate(uint32_t *p, __m512 t, uint32_t bits) {
    __m512i add = _mm512_sub_epi32(_mm512_castps_si512(t), _mm512_set1_epi32((int)bits));
    _mm512_storeu_si512(p, _mm512_add_epi32(_mm512_loadu_si512(p), add));
}

#include "gauss_kernel_body.h"

const struct den_gauss_kernel den_gauss_kernel_avx512 = {"avx512", add, flush};
#endif
