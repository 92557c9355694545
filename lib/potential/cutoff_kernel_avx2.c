// SPDX-License-Identifier: MIT
// The kernel of the method cutoff for AVX2 and FMA: vectors of eight numbers.
#ifdef __x86_64__
#include "vector_avx2.h"

static inline reals v_points(const float *p) {
    return _mm256_loadu_ps(p);
}
static inline reals v_rows(const float *p) {
    return _mm256_broadcast_ss(p);
}
static inline reals v_repeat(const float *p) {
    return _mm256_loadu_ps(p);
}
static inline reals v_planes(const float *p) {
    return _mm256_broadcast_ss(p);
}
static inline unsigned v_bits(flags f) {
    return (unsigned)_mm256_movemask_ps(f);
}
static inline reals v_select(flags f, reals v, reals w) {
    return _mm256_blendv_ps(w, v, f);
}
// (Loads of four numbers and a transposition are twice to four times as fast as gather instructions.)
static inline reals two(const float (*p)[4], const int32_t *row) {
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(p[row[0]])), _mm_loadu_ps(p[row[4]]), 1);
}
static inline void v_gather(const float (*p)[4], reals n, reals c[4]) {
    int32_t row[LANES];
    _mm256_storeu_si256((__m256i *)row, _mm256_sub_epi32(_mm256_castps_si256(n), _mm256_set1_epi32(0x4b400000)));
    reals r0 = two(p, row), r1 = two(p, row + 1), r2 = two(p, row + 2), r3 = two(p, row + 3),
          t0 = _mm256_unpacklo_ps(r0, r1), t1 = _mm256_unpackhi_ps(r0, r1), t2 = _mm256_unpacklo_ps(r2, r3),
          t3 = _mm256_unpackhi_ps(r2, r3);
    c[0] = _mm256_shuffle_ps(t0, t2, 0x44);
    c[1] = _mm256_shuffle_ps(t0, t2, 0xee);
    c[2] = _mm256_shuffle_ps(t1, t3, 0x44);
    c[3] = _mm256_shuffle_ps(t1, t3, 0xee);
}

#include "cutoff_kernel_body.h"

const struct pot_cutoff_kernel pot_cutoff_kernel_avx2 = {"avx2", add, flush, find};
#endif
