// SPDX-License-Identifier: MIT
// The kernel of the methods direct and mdh for AVX2 and FMA: vectors of eight float or four double numbers.
#ifdef __x86_64__
#include "pair_kernel.h"
#include "vector_avx2.h"

typedef __m256i vector_u32;
typedef __m256i vector_u64;

static inline __m256i w_zero(void) {
    return _mm256_setzero_si256();
}
static inline __m256i w_add(__m256i s, reals x) {
    return _mm256_add_epi32(s, _mm256_castps_si256(x));
}
static inline void w_store(uint32_t *p, __m256i s) {
    _mm256_storeu_si256((__m256i *)p, s);
}

static inline doubles d_add(doubles a, doubles b) {
    return _mm256_add_pd(a, b);
}
static inline doubles d_sub(doubles a, doubles b) {
    return _mm256_sub_pd(a, b);
}
static inline doubles d_div(doubles a, doubles b) {
    return _mm256_div_pd(a, b);
}
static inline doubles d_sqrt(doubles a) {
    return _mm256_sqrt_pd(a);
}
static inline doubles d_max(doubles a, doubles b) {
    return _mm256_max_pd(a, b);
}
static inline doubles d_scale(doubles g, doubles n) {
    return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(g), _mm256_slli_epi64(_mm256_castpd_si256(n), 52)));
}
static inline doubles d_clear_large(doubles x, int *any) {
    doubles size = _mm256_andnot_pd(_mm256_set1_pd(-0.0), x);
    doubles small = _mm256_cmp_pd(size, _mm256_set1_pd(POT_NEAR_LARGE), _CMP_LE_OQ);
    *any |= _mm256_movemask_pd(small) ^ 15;
    return _mm256_and_pd(x, small);
}
static inline __m256i l_zero(void) {
    return _mm256_setzero_si256();
}
static inline __m256i l_add(__m256i s, doubles x) {
    return _mm256_add_epi64(s, _mm256_castpd_si256(x));
}
static inline void l_store(uint64_t *p, __m256i s) {
    _mm256_storeu_si256((__m256i *)p, s);
}

#include "pair_kernel_body.h"

const struct pot_pair_kernel pot_pair_kernel_avx2 = {far, distant, near};
#endif
