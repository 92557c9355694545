// SPDX-License-Identifier: MIT
// The kernel of the methods direct and mdh for AVX-512: vectors of sixteen float or eight double numbers.
#ifdef __x86_64__
#include "pair_kernel.h"
#include "vector_avx512.h"

typedef __m512i vector_u32;
typedef __m512i vector_u64;

static inline __m512i w_zero(void) {
    return _mm512_setzero_si512();
}
static inline __m512i w_add(__m512i s, reals x) {
    return _mm512_add_epi32(s, _mm512_castps_si512(x));
}
static inline void w_store(uint32_t *p, __m512i s) {
    _mm512_storeu_si512(p, s);
}

static inline doubles d_add(doubles a, doubles b) {
    return _mm512_add_pd(a, b);
}
static inline doubles d_sub(doubles a, doubles b) {
    return _mm512_sub_pd(a, b);
}
static inline doubles d_div(doubles a, doubles b) {
    return _mm512_div_pd(a, b);
}
static inline doubles d_sqrt(doubles a) {
    return _mm512_sqrt_pd(a);
}
static inline doubles d_max(doubles a, doubles b) {
    return _mm512_max_pd(a, b);
}
static inline doubles d_scale(doubles g, doubles n) {
    return _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(g), _mm512_slli_epi64(_mm512_castpd_si512(n), 52)));
}
static inline doubles d_clear_large(doubles x, int *any) {
    __mmask8 small = _mm512_cmp_pd_mask(_mm512_abs_pd(x), _mm512_set1_pd(POT_NEAR_LARGE), _CMP_LE_OQ);
    *any |= small ^ 255;
    return _mm512_maskz_mov_pd(small, x);
}
static inline __m512i l_zero(void) {
    return _mm512_setzero_si512();
}
static inline __m512i l_add(__m512i s, doubles x) {
    return _mm512_add_epi64(s, _mm512_castpd_si512(x));
}
static inline void l_store(uint64_t *p, __m512i s) {
    _mm512_storeu_si512(p, s);
}

#include "pair_kernel_body.h"

const struct pot_pair_kernel pot_pair_kernel_avx512 = {far, distant, near};
#endif
