// SPDX-License-Identifier: MIT
// Finds the words of a line in a mask of its bytes, in which words start and end where two adjacent bits differ.
#include "word_edges.h"

#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "byte_order.h"

enum { BLOCK = 64 }; // bytes of one mask

// Returns a mask of the bytes of a block that are not spaces. Sets bits of *rare if one of them is at most '\''.
#ifdef __SSE2__
static inline uint64_t mask_of(const char *text, uint64_t *rare) {
    uint64_t mask = 0;
    __m128i found = _mm_setzero_si128();
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(text + i));
        __m128i space = _mm_cmpeq_epi8(v, _mm_set1_epi8(' '));
        __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8('\'')), v);
        found = _mm_or_si128(found, _mm_andnot_si128(space, low));
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(space) << i;
    }
    *rare |= (uint64_t)_mm_movemask_epi8(found);
    return ~mask;
}
#else
static uint64_t repeat(unsigned char byte) {
    return UINT64_C(0x0101010101010101) * byte;
}

static inline uint64_t mask_of(const char *text, uint64_t *rare) {
    uint64_t mask = 0;
    const bool swap = !trj_host_is_little_endian();
    for (unsigned i = 0; i < BLOCK; i += 8) {
        uint64_t v = trj_load_u64((const unsigned char *)text + i, swap), low = v & repeat(0x7f), x = v ^ repeat(' ');
        // The sum of two 7-bit numbers has its highest bit set if it is at least 0x80.
        uint64_t word = (((x & repeat(0x7f)) + repeat(0x7f)) | x) & repeat(0x80);
        *rare |= word & ~((low + repeat(0x7f - '\'')) | v);
        // The product moves bit 8k to bit 56 + k.
        mask |= ((word >> 7) * 0x0102040810204080 >> 56) << i;
    }
    return mask;
}
#endif

// Without -mpopcnt, gcc calls a function for __builtin_popcountll.
static unsigned count_bits(uint64_t v) {
    v -= v >> 1 & 0x5555555555555555;
    v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
    return (unsigned)(((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
}

bool trj_word_edges(const char *text, size_t length, size_t words, size_t needed, uint32_t *edge) {
    uint64_t rare = 0, last = 0;
    size_t n = 0;
    for (size_t from = 0; from < length; from += BLOCK) {
        const size_t rest = length - from;
        char copy[BLOCK];
        uint64_t mask;
        if (rest >= BLOCK) {
            mask = mask_of(text + from, &rare);
        } else if (from) {
            mask = mask_of(text + length - BLOCK, &rare) >> (BLOCK - rest);
        } else {
            memset(copy, ' ', sizeof copy);
            mask = mask_of(memcpy(copy, text, length), &rare);
        }
        uint64_t edges = mask ^ (mask << 1 | last);
        last = mask >> (BLOCK - 1);
        size_t i = n;
        n += count_bits(edges);
        // Edges are stored in groups of 8, because the processor predicts the number of groups better. What the last
        // group stores beyond the edges is overwritten or not used.
        for (; edges && i < 2 * needed; i += 8)
            for (int k = 0; k < 8; k++, edges &= edges - 1)
                edge[i + (size_t)k] = (uint32_t)from + (uint32_t)__builtin_ctzll(edges | (uint64_t)1 << 63);
    }
    if (last && n < 2 * needed) edge[n] = (uint32_t)length;
    return n + last == 2 * words && !rare;
}
