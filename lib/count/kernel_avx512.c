// SPDX-License-Identifier: MIT
// The counting kernel for AVX-512: processes the 64 columns of a row in four registers. Bins are written to a list in
// the L1 cache; the increments are scalar, one or two in a cycle, and overlap with the arithmetic of the next row. The
// root is an estimate with one Newton step, since vsqrtps alone takes 12 cycles.
#include "kernel_parts.h"

#ifdef __x86_64__
#include <immintrin.h>
#include <stdalign.h>

enum { LANES = TILE_PATCH, PARTS = TILE_PATCHES };

struct columns {
    __m512 x[PARTS], y[PARTS], z[PARTS];
};

static inline void load_columns(struct columns *c, const struct rdf_block *b) {
    for (int p = 0; p < PARTS; p++) {
        c->x[p] = _mm512_loadu_ps(b->column[0] + LANES * p);
        c->y[p] = _mm512_loadu_ps(b->column[1] + LANES * p);
        c->z[p] = _mm512_loadu_ps(b->column[2] + LANES * p);
    }
}

static inline __m512 root(__m512 r2) {
    __m512 estimate = _mm512_rsqrt14_ps(r2), r = _mm512_mul_ps(r2, estimate);
    __m512 wrong = _mm512_fnmadd_ps(r, r, r2), half = _mm512_mul_ps(estimate, _mm512_set1_ps(0.5f));
    return _mm512_fmadd_ps(wrong, half, r);
}

static inline __m512 square(__m512 dx, __m512 dy, __m512 dz) {
    return _mm512_fmadd_ps(dx, dx, _mm512_fmadd_ps(dy, dy, _mm512_mul_ps(dz, dz)));
}

// Computes s of part p for the row atom at v.
static inline __m512 distances(const struct columns *c, int p, const __m512 v[3], __m512 start) {
    __m512 dx = _mm512_sub_ps(c->x[p], v[0]), dy = _mm512_sub_ps(c->y[p], v[1]), dz = _mm512_sub_ps(c->z[p], v[2]);
    return _mm512_sub_ps(root(square(dx, dy, dz)), start);
}

static inline __m512i bins_of(__m512 s, __m512 *h) {
    const __m512 magic = _mm512_set1_ps(RDF_MAGIC);
    __m512 m = _mm512_add_ps(s, magic);
    *h = _mm512_abs_ps(_mm512_sub_ps(s, _mm512_sub_ps(m, magic)));
    return _mm512_sub_epi32(_mm512_castps_si512(m), _mm512_set1_epi32(RDF_MAGIC_BITS));
}

static inline void broadcast(__m512 x[3], float v[3][TILE_WIDTH], unsigned i) {
    for (int k = 0; k < 3; k++) x[k] = _mm512_set1_ps(v[k][i]);
}

static size_t count_inside(const struct rdf_block *b, struct rdf_near *near) {
    struct columns c;
    float v[3][TILE_WIDTH];
    alignas(64) uint32_t bin[TILE_WIDTH];
    load_columns(&c, b);
    rdf_block_rows(b, v);
    const __m512 start = _mm512_set1_ps(b->start), threshold = _mm512_set1_ps(b->threshold);
    const __m512i nowhere = _mm512_set1_epi32((int)b->nowhere);
    for (unsigned i = 0; i < TILE_WIDTH; i++) {
        __m512 x[3], h;
        uint64_t all = 0;
        broadcast(x, v, i);
        for (int p = 0; p < PARTS; p++) {
            __m512i k = bins_of(distances(&c, p, x, start), &h);
            __mmask16 is_near = _mm512_cmp_ps_mask(h, threshold, _CMP_NLE_UQ);
            _mm512_store_si512(bin + LANES * p, _mm512_mask_mov_epi32(k, is_near, nowhere));
            all |= (uint64_t)is_near << LANES * p;
        }
        rdf_near_add(near, i, all);
        rdf_block_count(b, bin, TILE_WIDTH);
    }
    return TILE_WIDTH * TILE_WIDTH;
}

// Returns the mask of the rows within reach of a patch.
static inline uint64_t rows_in_reach(const struct rdf_block *b, float v[3][TILE_WIDTH],
                                     const struct tile_patch *patch) {
    const __m512 far2 = _mm512_set1_ps(b->far2);
    uint64_t rows = 0;
    for (int p = 0; p < PARTS; p++) {
        __m512 gap[3];
        for (int k = 0; k < 3; k++) {
            __m512 x = _mm512_loadu_ps(v[k] + LANES * p), below = _mm512_sub_ps(_mm512_set1_ps(patch->low[k]), x),
                   above = _mm512_sub_ps(x, _mm512_set1_ps(patch->high[k]));
            gap[k] = _mm512_max_ps(_mm512_max_ps(below, above), _mm512_setzero_ps());
        }
        rows |= (uint64_t)_mm512_cmp_ps_mask(square(gap[0], gap[1], gap[2]), far2, _CMP_LE_OQ) << LANES * p;
    }
    return rows & rdf_block_row_mask(b);
}

static size_t count_rim(const struct rdf_block *b, struct rdf_near *near) {
    struct columns c;
    float v[3][TILE_WIDTH];
    uint32_t bin[TILE_WIDTH * TILE_PATCH + LANES];
    size_t evaluated = 0;
    load_columns(&c, b);
    rdf_block_rows(b, v);
    const __m512 start = _mm512_set1_ps(b->start), threshold = _mm512_set1_ps(b->threshold),
                 first = _mm512_set1_ps(b->first), last = _mm512_set1_ps(b->last);
    for (int p = 0; p < PARTS; p++) {
        size_t n = 0;
        uint64_t rows = rows_in_reach(b, v, &b->patch[p]);
        evaluated += (unsigned)__builtin_popcountll(rows) * TILE_PATCH;
        for (; rows; rows &= rows - 1) {
            unsigned i = (unsigned)__builtin_ctzll(rows);
            __m512 x[3], h;
            broadcast(x, v, i);
            __m512 s = distances(&c, p, x, start);
            __m512i k = bins_of(s, &h);
            __mmask16 in = (__mmask16)(rdf_block_columns(b, i) >> LANES * p);
            in = _mm512_mask_cmp_ps_mask(in, s, last, _CMP_NGE_UQ);
            in = _mm512_mask_cmp_ps_mask(in, s, first, _CMP_NLE_UQ);
            __mmask16 is_near = _mm512_mask_cmp_ps_mask(in, h, threshold, _CMP_NLE_UQ);
            in = (__mmask16)(in & ~is_near);
            // Stores whole registers, because masked stores are slower, on some CPUs by a large factor.
            _mm512_storeu_si512(bin + n, _mm512_maskz_compress_epi32(in, k));
            n += (unsigned)__builtin_popcount(in);
            rdf_near_add(near, i, (uint64_t)is_near << LANES * p);
        }
        rdf_block_count(b, bin, rdf_block_pad(b, bin, n));
    }
    return evaluated;
}

size_t rdf_kernel_avx512(const struct rdf_block *b, struct rdf_near *near) {
    near->rows = 0;
    return b->inside ? count_inside(b, near) : count_rim(b, near);
}
#endif
