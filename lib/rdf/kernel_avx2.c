// SPDX-License-Identifier: MIT
// A row's atom meets eight columns at a time. As kernel_avx512.c, but that lists are packed by a permutation, and vsqrtps is taken:
// here it is no slower than an estimate with what it takes to mend it.
#include "kernel_parts.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <stdalign.h>

enum { LANES = 8, PARTS = TILE_WIDTH / LANES, ROWS = 8 };

// What every part of every row needs.
struct constants {
    __m256 start, threshold, first, last;
};

static inline struct constants load_constants(const struct rdf_block *b) {
    return (struct constants){_mm256_set1_ps(b->start), _mm256_set1_ps(b->threshold), _mm256_set1_ps(b->first),
                              _mm256_set1_ps(b->last)};
}

static inline void broadcast(__m256 at[3], float v[3][TILE_WIDTH], unsigned i) {
    for (int k = 0; k < 3; k++) at[k] = _mm256_set1_ps(v[k][i]);
}

static inline __m256 distances(const struct rdf_block *b, int p, const __m256 v[3], __m256 start) {
    __m256 d[3];
    for (int k = 0; k < 3; k++) d[k] = _mm256_sub_ps(_mm256_loadu_ps(b->column[k] + LANES * p), v[k]);
    __m256 r2 = _mm256_fmadd_ps(d[0], d[0], _mm256_fmadd_ps(d[1], d[1], _mm256_mul_ps(d[2], d[2])));
    return _mm256_sub_ps(_mm256_sqrt_ps(r2), start);
}

static inline __m256i bins_of(__m256 s, __m256 threshold, __m256 *is_near) {
    const __m256 magic = _mm256_set1_ps(RDF_MAGIC), sign = _mm256_set1_ps(-0.0f);
    __m256 m = _mm256_add_ps(s, magic), h = _mm256_sub_ps(s, _mm256_sub_ps(m, magic));
    *is_near = _mm256_cmp_ps(_mm256_andnot_ps(sign, h), threshold, _CMP_NLE_UQ);
    return _mm256_sub_epi32(_mm256_castps_si256(m), _mm256_set1_epi32(RDF_MAGIC_BITS));
}

// The lanes of the mask, one after the other.
static inline __m256i packed(__m256i x, unsigned mask) {
    uint64_t bytes = _pdep_u64(mask, 0x0101010101010101u) * 0xff;
    uint64_t lanes = _pext_u64(0x0706050403020100u, bytes);
    return _mm256_permutevar8x32_epi32(x, _mm256_cvtepu8_epi32(_mm_cvtsi64_si128((int64_t)lanes)));
}

static void count_inside(const struct rdf_block *b, uint64_t near[TILE_WIDTH]) {
    const struct constants c = load_constants(b);
    const __m256i nowhere = _mm256_set1_epi32((int)b->nowhere);
    float v[3][TILE_WIDTH];
    alignas(32) uint32_t bin[TILE_WIDTH];
    rdf_block_rows(b, v);
    for (unsigned i = 0; i < TILE_WIDTH; i++) {
        __m256 at[3], is_near;
        uint64_t all = 0;
        broadcast(at, v, i);
        for (int p = 0; p < PARTS; p++) {
            __m256i k = bins_of(distances(b, p, at, c.start), c.threshold, &is_near);
            _mm256_store_si256((__m256i *)(bin + LANES * p),
                               _mm256_blendv_epi8(k, nowhere, _mm256_castps_si256(is_near)));
            all |= (uint64_t)(unsigned)_mm256_movemask_ps(is_near) << LANES * p;
        }
        near[i] = all;
        rdf_block_count(b, bin, TILE_WIDTH);
    }
}

static void count_rim(const struct rdf_block *b, uint64_t near[TILE_WIDTH]) {
    const struct constants c = load_constants(b);
    float v[3][TILE_WIDTH];
    uint32_t bin[ROWS * TILE_WIDTH + LANES];
    size_t n = 0;
    rdf_block_rows(b, v);
    for (unsigned i = 0; i < b->rows; i++) {
        __m256 at[3], is_near;
        uint64_t all = 0, there = rdf_block_columns(b, i);
        broadcast(at, v, i);
        for (int p = 0; p < PARTS; p++) {
            __m256 s = distances(b, p, at, c.start);
            __m256i k = bins_of(s, c.threshold, &is_near);
            __m256 in = _mm256_and_ps(_mm256_cmp_ps(s, c.last, _CMP_NGE_UQ), _mm256_cmp_ps(s, c.first, _CMP_NLE_UQ));
            unsigned in_mask = (unsigned)_mm256_movemask_ps(in) & (unsigned)(there >> LANES * p),
                     near_mask = (unsigned)_mm256_movemask_ps(is_near);
            _mm256_storeu_si256((__m256i *)(bin + n), packed(k, in_mask & ~near_mask));
            n += (unsigned)__builtin_popcount(in_mask & ~near_mask);
            all |= (uint64_t)(in_mask & near_mask) << LANES * p;
        }
        near[i] = all;
        // How long the list gets nobody can foretell: better be wrong once in some rows.
        if ((i + 1) % ROWS && i + 1 < b->rows) continue;
        rdf_block_count(b, bin, rdf_block_pad(b, bin, n));
        n = 0;
    }
}

void rdf_kernel_avx2(const struct rdf_block *b, uint64_t near[TILE_WIDTH]) {
    if (b->inside)
        count_inside(b, near);
    else
        count_rim(b, near);
}
#endif
