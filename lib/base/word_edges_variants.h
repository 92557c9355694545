// SPDX-License-Identifier: MIT
// Finds the words of a line in a mask of its bytes, in which words start and end where two adjacent bits differ. The
// function is compiled for several instruction sets: for rows of mmCIF, AVX2 and BMI2 save instructions.
#ifndef TRJ_WORD_EDGES_VARIANTS_H
#define TRJ_WORD_EDGES_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#if defined __AVX2__ || defined __BMI2__
#include <immintrin.h>
#elif defined __SSE2__
#include <emmintrin.h>
#endif

#include "byte_order.h"

typedef bool trj_word_edges_function(const char *text, size_t length, size_t words, size_t first, size_t end,
                                     uint32_t *edge);
extern trj_word_edges_function trj_word_edges_avx2;

enum { BLOCK = 64 }; // bytes of one mask

// Returns a mask of the bytes of a block that are not spaces. Sets bits of *rare if one of them is at most '\''.
#if defined __AVX2__
static inline uint64_t mask_of(const char *text, uint64_t *rare) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < BLOCK; i += 32) {
        __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)(text + i));
        __m256i space = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(' '));
        __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8('\'')), v);
        *rare |= (unsigned)_mm256_movemask_epi8(_mm256_andnot_si256(space, low));
        mask |= (uint64_t)(unsigned)_mm256_movemask_epi8(space) << i;
    }
    return ~mask;
}
#elif defined __SSE2__
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

static inline unsigned count_bits(uint64_t v) {
#ifdef __POPCNT__
    return (unsigned)__builtin_popcountll(v);
#else // gcc would call a function
    v -= v >> 1 & 0x5555555555555555;
    v = (v & 0x3333333333333333) + (v >> 2 & 0x3333333333333333);
    return (unsigned)(((v + (v >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101 >> 56);
#endif
}

// Clears the lowest n bits of those that are 1; n is less than their number.
static inline uint64_t clear_lowest(uint64_t v, size_t n) {
#ifdef __BMI2__
    return _pdep_u64(UINT64_MAX << n, v);
#else
    while (n--) v &= v - 1;
    return v;
#endif
}

static inline bool trj_find_word_edges(const char *text, size_t length, size_t words, size_t first, size_t end,
                                       uint32_t *edge) {
    uint64_t rare = 0, last = 0;
    size_t n = 0, stored = 2 * first;
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
        if (n <= stored || stored >= 2 * end) continue;
        if (i < stored) {
            edges = clear_lowest(edges, stored - i);
            i = stored;
        }
        // Edges are stored in groups of 8, because the processor predicts the number of groups better. What the last
        // group stores beyond the edges is overwritten or not used.
        for (; edges && i < 2 * end; i += 8)
            for (int k = 0; k < 8; k++, edges &= edges - 1)
                edge[i - 2 * first + (size_t)k] = (uint32_t)from + (uint32_t)__builtin_ctzll(edges | (uint64_t)1 << 63);
        stored = n;
    }
    if (last && n >= 2 * first && n < 2 * end) edge[n - 2 * first] = (uint32_t)length;
    return n + last == 2 * words && !rare;
}

#endif
