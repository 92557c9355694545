// SPDX-License-Identifier: MIT
// AVX-512: vectors of sixteen numbers.
#ifdef __x86_64__
#include <immintrin.h>

#define LANES 16
typedef __m512 reals;

static inline __m512 v_all(float x) {
    return _mm512_set1_ps(x);
}
static inline __m512 v_load(const float *p) {
    return _mm512_load_ps(p);
}
static inline void v_store(float *p, __m512 x) {
    _mm512_store_ps(p, x);
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
static inline __m512 v_div(__m512 a, __m512 b) {
    return _mm512_div_ps(a, b);
}
static inline __m512 v_max(__m512 a, __m512 b) {
    return _mm512_max_ps(a, b);
}
static inline __m512 v_root(__m512 x) {
    return _mm512_sqrt_ps(x);
}
static inline __m512 v_fma(__m512 a, __m512 b, __m512 c) {
    return _mm512_fmadd_ps(a, b, c);
}
static inline __m512 v_if_less(__m512 x, __m512 limit, __m512 v) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, limit, _CMP_LT_OQ), v);
}

#include "ligand_kernel_body.h"

const struct lig_kernel lig_kernel_avx512 = {"avx512", energies};
#endif
