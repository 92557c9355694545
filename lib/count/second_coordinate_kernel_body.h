// SPDX-License-Identifier: MIT
// The kernel of metrics with a second coordinate (kernel.h), in plain C: compilers vectorise the loop over the columns
// of a patch for the instruction set of the file that includes it. Before, that file defines
//     SECOND_KERNEL                       the name of the kernel
//     static unsigned mask_of(const int32_t flag[TILE_PATCH])    bit j is flag[j], which is 0 or 1
//     static size_t pack(uint32_t *to, const int32_t cell[TILE_PATCH], unsigned mask)
//                                         copies the cells of the mask, and returns their number; `to` has TILE_PATCH
#if !defined RDF_SECOND_COORDINATE_KERNEL_BODY_H && defined SECOND_KERNEL
#define RDF_SECOND_COORDINATE_KERNEL_BODY_H

#include <math.h>

#include "kernel_parts.h"

// Results for the columns of a patch: the cell; 1 if the pair is counted; 1 if it is near an edge.
struct columns {
    int32_t cell[TILE_PATCH], counts[TILE_PATCH], is_near[TILE_PATCH];
};

// Returns a bit for each row that can have pairs within reach in a patch. fmaxf would be a function call.
static inline uint64_t rows_in_reach(const struct rdf_block *b, const float v[3][TILE_WIDTH],
                                     const struct tile_patch *patch) {
    const struct rdf_second *s = &b->second;
    const float far2 = b->far2, window = s->kind == RDF_METRIC_PLANE ? s->window : INFINITY;
    int32_t reached[TILE_WIDTH];
    float sum[TILE_WIDTH] = {0}, height[TILE_WIDTH] = {0};
    for (unsigned k = 0; k < 3; k++) {
        const float low = patch->low[k], high = patch->high[k], *x = v[k];
        float *to = s->kind == RDF_METRIC_PLANE && k == s->axis ? height : sum;
        for (unsigned i = 0; i < TILE_WIDTH; i++) {
            float below = low - x[i], above = x[i] - high, gap = below > above ? below : above;
            gap = gap > 0 ? gap : 0;
            to[i] += gap * gap;
        }
    }
    for (unsigned i = 0; i < TILE_WIDTH; i++) reached[i] = (sum[i] <= far2) & (height[i] <= window * window);
    uint64_t rows = 0;
    for (unsigned i = 0; i < TILE_WIDTH; i += TILE_PATCH) rows |= (uint64_t)mask_of(reached + i) << i;
    return rows & rdf_block_row_mask(b);
}

// Finds the cells of the columns of a patch for the row atom at v, and returns whether any pair is near an edge. The
// axis of the metric is component 2 of x and v, or of a body the vector `axis`.
static inline __attribute__((always_inline)) int32_t bin_columns(const struct rdf_block *b, const float *const x[3],
                                                                 const float v[3], const float axis[3],
                                                                 const enum rdf_metric_kind kind,
                                                                 struct columns *restrict c) {
    const bool plane = kind == RDF_METRIC_PLANE;
    const float au = axis[0], av = axis[1], aw = axis[2];
    const float *restrict xu = x[0], *restrict xv = x[1], *restrict xw = x[2];
    const float vu = v[0], vv = v[1], vw = v[2];
    const float start = b->start, first = b->first, last = b->last, threshold = b->threshold;
    const float scale = b->second.scale, limit = b->second.threshold, shrink = b->second.shrink;
    const float window = b->second.window, max = (float)b->second.bins - 1;
    const int32_t of_first = (int32_t)b->second.of_first;
    const float count = (float)of_first;
    int32_t any = 0;
    for (int j = 0; j < TILE_PATCH; j++) {
        float du = xu[j] - vu, dv = xv[j] - vv, dw = xw[j] - vw, high = fabsf(dw);
        float r2 = du * du + dv * dv;
        if (!plane) r2 += dw * dw;
        float along = kind == RDF_METRIC_BODY ? (du * au + dv * av) + dw * aw : dw;
        float r = sqrtf(r2), y = 1 / r, s = r - start, t = (plane ? high * scale : (along * y + 1) * scale) - 0.5f;
        int32_t in = plane ? (s > first) & (s < last) & (high < window) : (s > first) & (s < last);
        s = s < last ? s : last; // values that can be converted to int
        s = s > first ? s : first;
        float f = (s + RDF_MAGIC) - RDF_MAGIC;
        float in_t = t < max + 1 ? t : max + 1; // also for NaN, if the atoms coincide
        in_t = in_t > -1 ? in_t : -1;
        float g = (in_t + RDF_MAGIC) - RDF_MAGIC;
        // t is at least -1/2, within its error, so that g below 0 is near an edge.
        int32_t far = (fabsf(s - f) <= threshold) & (fabsf(t - g) <= (plane ? limit : limit - shrink * y)) & (g <= max);
        c->cell[j] = (int32_t)g * of_first + (int32_t)f;
        c->is_near[j] = in & !far;
        c->counts[j] = in & far & (f < count); // `last` is beyond the last edge by more than `threshold`
        any |= c->is_near[j];
    }
    return any;
}

// Counts the pairs of some rows with the columns of a patch. One patch after the other, so that its columns and the
// constants stay in registers.
static inline __attribute__((always_inline)) void count_patch(const struct rdf_block *b,
                                                              const float rows[3][TILE_WIDTH], size_t from,
                                                              uint64_t reached, const enum rdf_metric_kind kind,
                                                              struct rdf_near *near) {
    const unsigned w = kind == RDF_METRIC_BODY ? 2 : b->second.axis, u = w == 0, v = w == 2 ? 1 : 2;
    const float *const x[3] = {b->column[u] + from, b->column[v] + from, b->column[w] + from};
    // Cells of several rows, so that few of them are padding.
    uint32_t cell[8 * TILE_PATCH + TILE_PATCH];
    struct columns c;
    size_t n = 0;
    for (; reached; reached &= reached - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(reached);
        const float axes[3] = {rows[u][i], rows[v][i], rows[w][i]};
        float axis[3] = {0};
        for (int k = 0; kind == RDF_METRIC_BODY && k < 3; k++) axis[k] = b->axis[k][i];
        const unsigned there = (unsigned)(rdf_block_columns(b, i) >> from);
        const int32_t any = bin_columns(b, x, axes, axis, kind, &c);
        n += pack(cell + n, c.cell, mask_of(c.counts) & there);
        if (any) rdf_near_add(near, i, (uint64_t)(mask_of(c.is_near) & there) << from);
        if (n <= 7 * TILE_PATCH) continue;
        rdf_block_count(b, cell, rdf_block_pad(b, cell, n));
        n = 0;
    }
    rdf_block_count(b, cell, rdf_block_pad(b, cell, n));
}

size_t SECOND_KERNEL(const struct rdf_block *b, struct rdf_near *near) {
    float rows[3][TILE_WIDTH];
    size_t evaluated = 0;
    near->rows = 0;
    rdf_block_rows(b, rows);
    for (size_t p = 0; p < TILE_PATCHES; p++) {
        const size_t from = p * TILE_PATCH;
        const uint64_t reached = rows_in_reach(b, rows, &b->patch[p]);
        evaluated += TILE_PATCH * (size_t)__builtin_popcountll(reached);
        switch (b->second.kind) {
        case RDF_METRIC_PLANE:
            count_patch(b, rows, from, reached, RDF_METRIC_PLANE, near);
            break;
        case RDF_METRIC_BODY:
            count_patch(b, rows, from, reached, RDF_METRIC_BODY, near);
            break;
        default:
            count_patch(b, rows, from, reached, RDF_METRIC_ANGLE, near);
        }
    }
    return evaluated;
}

#endif
