// SPDX-License-Identifier: MIT
// The counting kernel in plain C, for any CPU. Compilers vectorise the loop over the columns of a patch with the base
// instruction set.
#include <math.h>

#include "kernel_parts.h"

static float square(const float d[3]) {
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
}

static bool in_reach(const struct rdf_block *b, const float v[3], const struct tile_patch *patch) {
    float gap[3];
    for (int k = 0; k < 3; k++) { // fmaxf would be a function call
        float below = patch->low[k] - v[k], above = v[k] - patch->high[k], max = below > above ? below : above;
        gap[k] = max > 0 ? max : 0;
    }
    return square(gap) <= b->far2;
}

// Finds the bins of the columns from `from` on for the row atom at v, and the columns near an edge. Returns whether any
// column is near an edge.
static bool bin_columns(const struct rdf_block *b, size_t from, const float v[3], int32_t *restrict place,
                        int32_t *restrict counts, int32_t *restrict is_near) {
    const float *x = b->column[0] + from, *y = b->column[1] + from, *z = b->column[2] + from;
    const float start = b->start, first = b->first, last = b->last, threshold = b->threshold;
    const float vx = v[0], vy = v[1], vz = v[2];
    int32_t any = 0;
    for (int j = 0; j < TILE_PATCH; j++) {
        float d[3] = {x[j] - vx, y[j] - vy, z[j] - vz}, s = sqrtf(square(d)) - start;
        int32_t in = (s > first) & (s < last);
        s = s < last ? s : last; // values that can be converted to int
        s = s > first ? s : first;
        float f = (s + RDF_MAGIC) - RDF_MAGIC;
        place[j] = (int32_t)f;
        is_near[j] = in & (fabsf(s - f) > threshold);
        counts[j] = in & (fabsf(s - f) <= threshold);
        any |= is_near[j];
    }
    return any;
}

size_t rdf_kernel_plain(const struct rdf_block *b, struct rdf_near *near) {
    float rows[3][TILE_WIDTH];
    int32_t place[TILE_PATCH], counts[TILE_PATCH], is_near[TILE_PATCH];
    uint32_t bin[TILE_WIDTH + RDF_KERNEL_COPIES];
    size_t evaluated = 0;
    near->rows = 0;
    rdf_block_rows(b, rows);
    for (unsigned i = 0; i < b->rows; i++) {
        const float v[3] = {rows[0][i], rows[1][i], rows[2][i]};
        uint64_t there = rdf_block_columns(b, i), set = 0;
        size_t n = 0;
        for (size_t p = 0; p < TILE_PATCHES; p++) {
            size_t from = p * TILE_PATCH;
            if (!in_reach(b, v, &b->patch[p])) continue;
            bool any = bin_columns(b, from, v, place, counts, is_near);
            for (size_t j = 0; j < TILE_PATCH; j++) {
                bin[n] = (uint32_t)place[j];
                n += (size_t)counts[j] & (there >> (from + j) & 1);
            }
            for (size_t j = 0; any && j < TILE_PATCH; j++) set |= (uint64_t)is_near[j] << (from + j);
            evaluated += TILE_PATCH;
        }
        rdf_near_add(near, i, set & there);
        rdf_block_count(b, bin, rdf_block_pad(b, bin, n));
    }
    return evaluated;
}
