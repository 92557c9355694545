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

static bool in_reach(const struct rdf_block *b, const float v[3], const struct tile_patch *patch) {
    float gap[3];
    for (int k = 0; k < 3; k++) { // fmaxf would be a function call
        float below = patch->low[k] - v[k], above = v[k] - patch->high[k], most = below > above ? below : above;
        gap[k] = most > 0 ? most : 0;
    }
    const struct rdf_second *s = &b->second;
    if (s->kind == RDF_METRIC_PLANE) {
        if (gap[s->axis] > s->window) return false;
        gap[s->axis] = 0;
    }
    return (gap[0] * gap[0] + gap[1] * gap[1]) + gap[2] * gap[2] <= b->far2;
}

// Results for the columns of a patch: the cell; 1 if the pair is counted; 1 if it is near an edge.
struct columns {
    int32_t cell[TILE_PATCH], counts[TILE_PATCH], is_near[TILE_PATCH];
};

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
    const float window = b->second.window, most = (float)b->second.bins - 1;
    const int32_t of_first = (int32_t)b->second.of_first;
    const float count = (float)of_first;
    int32_t any = 0;
    for (int j = 0; j < TILE_PATCH; j++) {
        float du = xu[j] - vu, dv = xv[j] - vv, dw = xw[j] - vw, high = fabsf(dw);
        float r2 = du * du + dv * dv;
        if (!plane) r2 += dw * dw;
        float along = kind == RDF_METRIC_BODY ? (du * au + dv * av) + dw * aw : dw;
        float r = sqrtf(r2), s = r - start, t = (plane ? high * scale : (along / r + 1) * scale) - 0.5f;
        int32_t in = plane ? (s > first) & (s < last) & (high < window) : (s > first) & (s < last);
        s = s < last ? s : last; // values that can be converted to int
        s = s > first ? s : first;
        float f = (s + RDF_MAGIC) - RDF_MAGIC;
        float in_t = t < most + 1 ? t : most + 1; // also for NaN, if the atoms coincide
        in_t = in_t > -1 ? in_t : -1;
        float g = (in_t + RDF_MAGIC) - RDF_MAGIC;
        // t is at least -1/2, within its error, so that g below 0 is near an edge.
        int32_t far =
            (fabsf(s - f) <= threshold) & (fabsf(t - g) <= (plane ? limit : limit - shrink / r)) & (g <= most);
        c->cell[j] = (int32_t)g * of_first + (int32_t)f;
        c->is_near[j] = in & !far;
        c->counts[j] = in & far & (f < count); // `last` is beyond the last edge by more than `threshold`
        any |= c->is_near[j];
    }
    return any;
}

size_t SECOND_KERNEL(const struct rdf_block *b, struct rdf_near *near) {
    const enum rdf_metric_kind kind = b->second.kind;
    const unsigned w = kind == RDF_METRIC_BODY ? 2 : b->second.axis, u = w == 0, v = w == 2 ? 1 : 2;
    float rows[3][TILE_WIDTH];
    struct columns c;
    uint32_t cell[TILE_WIDTH + TILE_PATCH];
    size_t evaluated = 0;
    near->rows = 0;
    rdf_block_rows(b, rows);
    for (unsigned i = 0; i < b->rows; i++) {
        const float at[3] = {rows[0][i], rows[1][i], rows[2][i]}, turned[3] = {at[u], at[v], at[w]};
        float axis[3] = {0};
        for (int k = 0; kind == RDF_METRIC_BODY && k < 3; k++) axis[k] = b->axis[k][i];
        uint64_t there = rdf_block_columns(b, i), set = 0;
        size_t n = 0;
        for (size_t p = 0; p < TILE_PATCHES; p++) {
            size_t from = p * TILE_PATCH;
            if (!in_reach(b, at, &b->patch[p])) continue;
            const float *const x[3] = {b->column[u] + from, b->column[v] + from, b->column[w] + from};
            int32_t any = kind == RDF_METRIC_PLANE  ? bin_columns(b, x, turned, axis, RDF_METRIC_PLANE, &c)
                          : kind == RDF_METRIC_BODY ? bin_columns(b, x, turned, axis, RDF_METRIC_BODY, &c)
                                                    : bin_columns(b, x, turned, axis, RDF_METRIC_ANGLE, &c);
            n += pack(cell + n, c.cell, mask_of(c.counts) & (unsigned)(there >> from));
            if (any) set |= (uint64_t)mask_of(c.is_near) << from;
            evaluated += TILE_PATCH;
        }
        rdf_near_add(near, i, set & there);
        rdf_block_count(b, cell, rdf_block_pad(b, cell, n));
    }
    return evaluated;
}

#endif
