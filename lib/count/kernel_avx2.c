// SPDX-License-Identifier: MIT
// The counting kernel for AVX2: processes eight columns of a row at a time. Like kernel_avx512.c, except that a
// permutation packs the lists, and that vsqrtps computes the root, which is not slower here than an estimate with a
// Newton step.
#include "kernel_parts.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <stdalign.h>

#include "pack_avx2.h"

enum { LANES = 8, PARTS = TILE_WIDTH / LANES };

// Constants of a block.
struct constants {
    __m256 start, threshold, first, last;
};

static inline struct constants load_constants(const struct rdf_block *b) {
    return (struct constants){_mm256_set1_ps(b->start), _mm256_set1_ps(b->threshold), _mm256_set1_ps(b->first),
                              _mm256_set1_ps(b->last)};
}

static inline void broadcast(__m256 x[3], float v[3][TILE_WIDTH], unsigned i) {
    for (int k = 0; k < 3; k++) x[k] = _mm256_set1_ps(v[k][i]);
}

static inline __m256 square(__m256 dx, __m256 dy, __m256 dz) {
    return _mm256_fmadd_ps(dx, dx, _mm256_fmadd_ps(dy, dy, _mm256_mul_ps(dz, dz)));
}

static inline __m256 distances(const struct rdf_block *b, int p, const __m256 v[3], __m256 start) {
    __m256 d[3];
    for (int k = 0; k < 3; k++) d[k] = _mm256_sub_ps(_mm256_loadu_ps(b->column[k] + LANES * p), v[k]);
    return _mm256_sub_ps(_mm256_sqrt_ps(square(d[0], d[1], d[2])), start);
}

static inline __m256i bins_of(__m256 s, __m256 threshold, __m256 *is_near) {
    const __m256 magic = _mm256_set1_ps(RDF_MAGIC), sign = _mm256_set1_ps(-0.0f);
    __m256 m = _mm256_add_ps(s, magic), h = _mm256_sub_ps(s, _mm256_sub_ps(m, magic));
    *is_near = _mm256_cmp_ps(_mm256_andnot_ps(sign, h), threshold, _CMP_NLE_UQ);
    return _mm256_sub_epi32(_mm256_castps_si256(m), _mm256_set1_epi32(RDF_MAGIC_BITS));
}

static size_t count_inside(const struct rdf_block *b, struct rdf_near *near) {
    const struct constants c = load_constants(b);
    const __m256i nowhere = _mm256_set1_epi32((int)b->nowhere);
    float v[3][TILE_WIDTH];
    alignas(32) uint32_t bin[TILE_WIDTH];
    rdf_block_rows(b, v);
    for (unsigned i = 0; i < TILE_WIDTH; i++) {
        __m256 x[3], is_near;
        uint64_t all = 0;
        broadcast(x, v, i);
        for (int p = 0; p < PARTS; p++) {
            __m256i k = bins_of(distances(b, p, x, c.start), c.threshold, &is_near);
            _mm256_store_si256((__m256i *)(bin + LANES * p),
                               _mm256_blendv_epi8(k, nowhere, _mm256_castps_si256(is_near)));
            all |= (uint64_t)(unsigned)_mm256_movemask_ps(is_near) << LANES * p;
        }
        rdf_near_add(near, i, all);
        rdf_block_count(b, bin, TILE_WIDTH);
    }
    return TILE_WIDTH * TILE_WIDTH;
}

// Returns the mask of the rows within reach of a patch.
static inline uint64_t rows_in_reach(const struct rdf_block *b, float v[3][TILE_WIDTH],
                                     const struct tile_patch *patch) {
    const __m256 far2 = _mm256_set1_ps(b->far2);
    uint64_t rows = 0;
    for (int p = 0; p < PARTS; p++) {
        __m256 gap[3];
        for (int k = 0; k < 3; k++) {
            __m256 x = _mm256_loadu_ps(v[k] + LANES * p), below = _mm256_sub_ps(_mm256_set1_ps(patch->low[k]), x),
                   above = _mm256_sub_ps(x, _mm256_set1_ps(patch->high[k]));
            gap[k] = _mm256_max_ps(_mm256_max_ps(below, above), _mm256_setzero_ps());
        }
        __m256 reached = _mm256_cmp_ps(square(gap[0], gap[1], gap[2]), far2, _CMP_LE_OQ);
        rows |= (uint64_t)(unsigned)_mm256_movemask_ps(reached) << LANES * p;
    }
    return rows & rdf_block_row_mask(b);
}

static size_t count_rim(const struct rdf_block *b, struct rdf_near *near) {
    const struct constants c = load_constants(b);
    float v[3][TILE_WIDTH];
    uint32_t bin[TILE_WIDTH * TILE_PATCH + LANES];
    size_t evaluated = 0;
    rdf_block_rows(b, v);
    for (int patch = 0; patch < TILE_PATCHES; patch++) {
        size_t n = 0;
        uint64_t rows = rows_in_reach(b, v, &b->patch[patch]);
        evaluated += (unsigned)__builtin_popcountll(rows) * TILE_PATCH;
        for (; rows; rows &= rows - 1) {
            unsigned i = (unsigned)__builtin_ctzll(rows);
            __m256 x[3], is_near;
            uint64_t there = rdf_block_columns(b, i);
            broadcast(x, v, i);
            for (int p = patch * TILE_PATCH / LANES; p < (patch + 1) * TILE_PATCH / LANES; p++) {
                __m256 s = distances(b, p, x, c.start);
                __m256i k = bins_of(s, c.threshold, &is_near);
                __m256 in =
                    _mm256_and_ps(_mm256_cmp_ps(s, c.last, _CMP_NGE_UQ), _mm256_cmp_ps(s, c.first, _CMP_NLE_UQ));
                unsigned in_mask = (unsigned)_mm256_movemask_ps(in) & (unsigned)(there >> LANES * p),
                         near_mask = (unsigned)_mm256_movemask_ps(is_near);
                _mm256_storeu_si256((__m256i *)(bin + n), rdf_packed(k, in_mask & ~near_mask));
                n += (unsigned)__builtin_popcount(in_mask & ~near_mask);
                rdf_near_add(near, i, (uint64_t)(in_mask & near_mask) << LANES * p);
            }
        }
        rdf_block_count(b, bin, rdf_block_pad(b, bin, n));
    }
    return evaluated;
}

size_t rdf_kernel_avx2(const struct rdf_block *b, struct rdf_near *near) {
    near->rows = 0;
    return b->inside ? count_inside(b, near) : count_rim(b, near);
}
#endif
