// SPDX-License-Identifier: MIT
// Finds the tiles and images that are within reach of a row of tiles, from the largest boxes down: each lane tests one
// box, and the warp descends into the boxes of the lanes that found one within reach.
#ifndef CUDA_SEARCH_CUH
#define CUDA_SEARCH_CUH

#include "edge_error_bound.h"
#include "warp.cuh"

static __device__ double largest_coordinate(const cuda_bounds &b) {
    return __longlong_as_double(
        (long long)(b.farthest & ~(1ull << 63))); // the sign bit marks ordered values; it is never negative
}

// Sets the sets of a task, and the distances between which their pairs can be in the window of bins.
static __device__ void begin_task(warp_state &s, const cuda_task &t) {
    const cuda_count_args &a = *s.a;
    const cuda_plan &p = a.plan;
    s.rows = side{p.sets + t.rows, p.sets[t.rows].first[0]};
    s.columns = side{p.sets + t.columns, p.sets[t.columns].first[0]};
    s.within.frame = p.frames + s.rows.set->frame;
    s.self = t.rows == t.columns;
    double farthest = fmax(largest_coordinate(p.bounds[t.rows]), largest_coordinate(p.bounds[t.columns]));
    s.slack = fmax(s.within.frame->rounding, s.within.frame->rounding_each * farthest);
    if (a.metric.kind) { // a window of cells is no range of distances
        s.within.low = a.rmin;
        s.within.high = a.reach;
    } else {
        s.within.low = a.rmin + (double)a.window_first * a.dr;
        s.within.high = a.window_first + a.window_bins == a.bins
                            ? a.rmax
                            : a.rmin + (double)(a.window_first + a.window_bins) * a.dr;
    }
    s.within.low = s.within.low * (1 - 1e-12) - s.slack;
    s.within.high = s.within.high * (1 + 1e-12) + s.slack;
}

// Makes the item of a column and an image.
template <class A>
static __device__ __forceinline__ warp_item make_item(const warp_state &s, unsigned column, const int image[3]) {
    const cuda_count_args &a = *s.a;
    const cuda_plan &p = a.plan;
    warp_item e;
    double between2 = 0;
    e.column = column;
    e.image[0] = (image[0] & 0xffff) | image[1] << 16;
    e.image[1] = (image[2] & 0xffff) | (int)s.own->tag;
    for (int c = 0; c < 3; c++) {
        const double(*h)[3] = s.within.frame->h;
        double shift = image[0] * h[0][c] + image[1] * h[1][c] + image[2] * h[2][c];
        double q = p.centre[0][3 * s.row + c] - p.centre[0][3 * column + c] - shift;
        e.away[c] = (float)q;
        e.q[c] = q * p.scale;
        between2 += q * q;
    }
    double between = sqrt(between2), radii = (p.radius[column] + p.radius[s.row]) * 1.00001;
    e.margin = (float)(4e-6 * (between + radii));
    e.q2 = (between2 + cuda_bias(between, radii, a.dr)) * p.scale * p.scale;
    e.threshold = a.coarse ? -1.0f
                           : cuda_threshold(A::error(a, between, radii) + s.slack, a.dr, a.start,
                                            (double)a.bins + a.start, between + radii);
    e.inside = between + radii < s.within.high && between - radii > s.within.low &&
               (column - s.columns.tile + 1) * CUDA_TILE <= s.columns.set->atoms &&
               (s.row - s.rows.tile + 1) * CUDA_TILE <= s.rows.set->atoms;
    return e;
}

// Iterates over the images n of a box whose centre is at d from the centre of the row, |n_k + g_k d| <= range, as in
// lib/tile/items.c. Here atoms are wrapped into the cell, so that fractional coordinates of two atoms differ by at most
// 1.
struct images {
    int low[3], high[3], image[3];
};

static __device__ __noinline__ bool images_start(images &m, reach r, const double d[3], const double half[3]) {
    const cuda_frame &f = *r.frame;
    bool any = true;
    for (int k = 0; k < 3; k++) {
        double along = 0, extent = 0, length2 = 0;
        for (int c = 0; c < 3; c++) {
            along += f.g[k][c] * d[c];
            extent += fabs(f.g[k][c]) * half[c];
            length2 += f.g[k][c] * f.g[k][c];
        }
        double length = sqrt(length2) * r.high, range = length2 > 0 ? length + extent + 1e-9 : 0,
               max = length2 > 0 ? length + 1.01 : 0;
        m.low[k] = m.image[k] = (int)ceil(fmax(-along - range, -max));
        m.high[k] = (int)floor(fmin(-along + range, max));
        any = any && m.low[k] <= m.high[k];
    }
    m.image[2]--;
    return any;
}

// Steps to the next image with pairs that can be in the window. Returns false after the last one.
static __device__ __noinline__ bool images_next(images &m, reach r, const double d[3], const double half[3]) {
    for (;;) {
        int k = 2;
        while (k >= 0 && ++m.image[k] > m.high[k]) {
            m.image[k] = m.low[k];
            k--;
        }
        if (k < 0) return false;
        double gap2 = 0, far2 = 0;
        for (int c = 0; c < 3; c++) {
            const double(*h)[3] = r.frame->h;
            double away = fabs(d[c] + m.image[0] * h[0][c] + m.image[1] * h[1][c] + m.image[2] * h[2][c]),
                   gap = away - half[c];
            if (gap > 0) gap2 += gap * gap;
            far2 += (away + half[c]) * (away + half[c]);
        }
        if (gap2 <= r.high * r.high * (1 + 1e-12) && (r.low <= 0 || far2 >= r.low * r.low * (1 - 1e-12))) return true;
    }
}

// Returns whether an image of a box is within reach, and leaves `m` at the first one.
static __device__ __forceinline__ bool within_reach(images &m, const warp_state &s, int level, unsigned box,
                                                    double d[3], double half[3]) {
    const cuda_plan &p = s.a->plan;
    for (int c = 0; c < 3; c++) {
        d[c] = p.centre[level][3 * (size_t)box + c] - p.centre[0][3 * (size_t)s.row + c];
        half[c] = p.half[level][3 * (size_t)box + c] + p.half[0][3 * (size_t)s.row + c];
    }
    return images_start(m, s.within, d, half) && images_next(m, s.within, d, half);
}

// Counts the items of 32 tiles, one tile a lane. A list is counted when its free space may be too small for one more
// item of each lane.
template <class A, bool PLAIN>
static __device__ __forceinline__ void count_tiles(warp_state &s, unsigned column, bool more) {
    images m;
    double d[3], half[3];
    if (more) more = within_reach(m, s, 0, column, d, half);
    do {
        unsigned listed = 0, hits;
        while (listed <= LIST - 32 && (hits = __ballot_sync(FULL, more))) {
            if (more) {
                s.own->list[listed + __popc(hits & ((1u << s.lane) - 1))] = make_item<A>(s, column, m.image);
                more = images_next(m, s.within, d, half);
            }
            listed += __popc(hits);
        }
        __syncwarp();
        A::template count_items<PLAIN>(s, listed);
        __syncwarp();
    } while (__any_sync(FULL, more));
}

// Counts a row with one segment of the columns: consecutive boxes of level 1. The search begins at level 2: one box a
// lane, and for each box within reach one box of the level below a lane.
template <class A, bool PLAIN>
static __device__ __forceinline__ void count_row(warp_state &s, unsigned segment, unsigned segments) {
    const cuda_set &columns = *s.columns.set;
    unsigned first_column = s.self ? s.row - s.columns.tile : 0;
    unsigned first_chunk = (unsigned)((unsigned long long)columns.boxes[1] * segment / segments);
    unsigned end_chunk = (unsigned)((unsigned long long)columns.boxes[1] * (segment + 1) / segments);
    first_chunk = max(first_chunk, first_column / CUDA_CHILDREN);
    for (unsigned top = first_chunk / CUDA_CHILDREN; top * CUDA_CHILDREN < end_chunk; top += 32) {
        images m;
        double d[3], half[3];
        unsigned box = top + s.lane;
        bool near = box * CUDA_CHILDREN < end_chunk && within_reach(m, s, 2, columns.first[2] + box, d, half);
        for (unsigned tops = __ballot_sync(FULL, near); tops; tops &= tops - 1) {
            unsigned chunk = (top + __ffs(tops) - 1) * CUDA_CHILDREN + s.lane;
            near =
                chunk >= first_chunk && chunk < end_chunk && within_reach(m, s, 1, columns.first[1] + chunk, d, half);
            for (unsigned chunks = __ballot_sync(FULL, near); chunks; chunks &= chunks - 1) {
                unsigned column =
                    ((top + __ffs(tops) - 1) * CUDA_CHILDREN + __ffs(chunks) - 1) * CUDA_CHILDREN + s.lane;
                count_tiles<A, PLAIN>(s, s.columns.tile + column, column >= first_column && column < columns.boxes[0]);
            }
        }
    }
}

#endif
