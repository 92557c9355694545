// SPDX-License-Identifier: MIT
// The kernel of the method cutoff for AVX-512: vectors of sixteen numbers, two rows of a block. Their points alternate,
// because one instruction then loads the numbers of both rows.
#ifdef __x86_64__
#include <string.h>

#include "vector_avx512.h"

static inline reals v_points(const float *p) {
    return _mm512_permutexvar_ps(_mm512_setr_epi32(0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7),
                                 _mm512_castps256_ps512(_mm256_loadu_ps(p)));
}
static inline reals v_rows(const float *p) {
    double both;
    memcpy(&both, p, sizeof both);
    return _mm512_castpd_ps(_mm512_set1_pd(both));
}
static inline reals v_repeat(const float *p) {
    return _mm512_broadcast_f32x8(_mm256_loadu_ps(p));
}
static inline reals v_planes(const float *p) {
    return _mm512_insertf32x8(_mm512_set1_ps(p[0]), _mm256_set1_ps(p[1]), 1);
}
static inline unsigned v_bits(flags f) {
    return f;
}
static inline reals v_select(flags f, reals v, reals w) {
    return _mm512_mask_mov_ps(w, f, v);
}
// (Loads of four numbers and a transposition are twice to four times as fast as gather instructions.)
static inline reals four(const float (*p)[4], const int32_t *row) {
    reals r = _mm512_castps128_ps512(_mm_loadu_ps(p[row[0]]));
    r = _mm512_insertf32x4(r, _mm_loadu_ps(p[row[4]]), 1);
    r = _mm512_insertf32x4(r, _mm_loadu_ps(p[row[8]]), 2);
    return _mm512_insertf32x4(r, _mm_loadu_ps(p[row[12]]), 3);
}
static inline void v_gather(const float (*p)[4], reals n, reals c[4]) {
    int32_t row[LANES];
    _mm512_storeu_si512(row, _mm512_sub_epi32(_mm512_castps_si512(n), _mm512_set1_epi32(0x4b400000)));
    reals r0 = four(p, row), r1 = four(p, row + 1), r2 = four(p, row + 2), r3 = four(p, row + 3),
          t0 = _mm512_unpacklo_ps(r0, r1), t1 = _mm512_unpackhi_ps(r0, r1), t2 = _mm512_unpacklo_ps(r2, r3),
          t3 = _mm512_unpackhi_ps(r2, r3);
    c[0] = _mm512_shuffle_ps(t0, t2, 0x44);
    c[1] = _mm512_shuffle_ps(t0, t2, 0xee);
    c[2] = _mm512_shuffle_ps(t1, t3, 0x44);
    c[3] = _mm512_shuffle_ps(t1, t3, 0xee);
}

#include "cutoff_kernel_body.h"

const struct pot_cutoff_kernel pot_cutoff_kernel_avx512 = {"avx512", add, flush, find};
#endif
