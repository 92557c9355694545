// SPDX-License-Identifier: MIT
// The kernel of two coordinates for AVX2.
#ifdef __x86_64__
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "pack_avx2.h"
#include "tiles.h"

enum { LANES = 8 };

static inline unsigned mask_of(const int32_t flag[TILE_PATCH]) {
    unsigned mask = 0;
    for (unsigned p = 0; p < TILE_PATCH / LANES; p++) {
        __m256i set = _mm256_slli_epi32(_mm256_loadu_si256((const __m256i *)(flag + LANES * p)), 31);
        mask |= (unsigned)_mm256_movemask_ps(_mm256_castsi256_ps(set)) << LANES * p;
    }
    return mask;
}

static inline size_t pack(uint32_t *to, const int32_t cell[TILE_PATCH], unsigned mask) {
    size_t n = 0;
    for (unsigned p = 0; p < TILE_PATCH / LANES; p++, mask >>= LANES) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(cell + LANES * p));
        _mm256_storeu_si256((__m256i *)(to + n), rdf_packed(x, mask & 0xff));
        n += (unsigned)__builtin_popcount(mask & 0xff);
    }
    return n;
}

#define SECOND_KERNEL rdf_second_coordinate_kernel_avx2
#include "second_coordinate_kernel_body.h"
#endif
