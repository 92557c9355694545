// SPDX-License-Identifier: MIT
// The kernel of accessible_surface.c for AVX2 and FMA: vectors of eight numbers.
#ifdef __x86_64__
#include "surface_kernel.h"
#include "vector_avx2.h"

static inline unsigned bits(flags f) {
    return (unsigned)_mm256_movemask_ps(f);
}

static inline reals multiply_add(reals a, reals b, reals c) {
    return v_fma(a, b, c);
}

// [mask] a byte for each set bit, from the lowest one on: its number
#define BIT(m, i) ((uint64_t)(m) >> (i)&1)
#define BELOW(m, i)                                                                                                    \
    (BIT(m, 0) * ((i) > 0) + BIT(m, 1) * ((i) > 1) + BIT(m, 2) * ((i) > 2) + BIT(m, 3) * ((i) > 3) +                   \
     BIT(m, 4) * ((i) > 4) + BIT(m, 5) * ((i) > 5) + BIT(m, 6) * ((i) > 6))
#define MOVE(m, i) ((BIT(m, i) * (i)) << (8 * BELOW(m, i)))
#define MOVES(m)   MOVE(m, 1) | MOVE(m, 2) | MOVE(m, 3) | MOVE(m, 4) | MOVE(m, 5) | MOVE(m, 6) | MOVE(m, 7)
#define FOUR(m)    MOVES(m), MOVES((m) + 1), MOVES((m) + 2), MOVES((m) + 3)
#define ROW(m)     FOUR(m), FOUR((m) + 4), FOUR((m) + 8), FOUR((m) + 12)
static const uint64_t moves[1 << LANES] = {ROW(0),   ROW(16),  ROW(32),  ROW(48),  ROW(64),  ROW(80),
                                           ROW(96),  ROW(112), ROW(128), ROW(144), ROW(160), ROW(176),
                                           ROW(192), ROW(208), ROW(224), ROW(240)};

static inline void append(struct obs_surface_atoms *to, unsigned mask, const reals x[4], uint32_t first, uint32_t run) {
    const __m256i order = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)&moves[mask]));
    const size_t n = to->count;
    for (int k = 0; k < 4; k++) v_store(to->x[k] + n, _mm256_permutevar8x32_ps(x[k], order));
    _mm256_storeu_si256((__m256i *)(to->point + n), _mm256_add_epi32(order, _mm256_set1_epi32((int)first)));
    _mm256_storeu_si256((__m256i *)(to->run + n), _mm256_set1_epi32((int)run));
    to->count += (size_t)__builtin_popcount(mask);
}

#include "surface_kernel_body.h"

const struct obs_surface_kernel obs_surface_kernel_avx2 = {gather, expose};
#endif
