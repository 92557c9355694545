// SPDX-License-Identifier: MIT
// The kernel of two coordinates for AVX-512.
#ifdef __x86_64__
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

#include "tiles.h"

static inline unsigned mask_of(const int32_t flag[TILE_PATCH]) {
    __m512i set = _mm512_loadu_si512(flag);
    return _mm512_test_epi32_mask(set, set);
}

static inline size_t pack(uint32_t *to, const int32_t cell[TILE_PATCH], unsigned mask) {
    _mm512_storeu_si512(to, _mm512_maskz_compress_epi32((__mmask16)mask, _mm512_loadu_si512(cell)));
    return (unsigned)__builtin_popcount(mask & 0xffff);
}

#define SECOND_KERNEL rdf_second_coordinate_kernel_avx512
#include "second_coordinate_kernel_body.h"
#endif
