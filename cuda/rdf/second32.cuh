// SPDX-License-Identifier: MIT
// Counts an item of a metric with a second coordinate (lib/count/metric.h) in float32. The atoms of the column that are
// within reach are copied to shared memory, with the axis of the metric as the last coordinate; each lane holds two
// atoms of the row.
//
// The first coordinate is binned as in count_one (warp.cuh). The second one is p = |d_w| scale for a plane, and p =
// (d_w / r + 1) scale for an angle; its bin is floor(p), and h = p - floor(p) - 1/2. `near` = 1/2 - threshold of the
// first coordinate bounds the error E of d, in bins of the first coordinate (edge_error_bound.h):
//     plane:  |error of p| <= E scale + 2^-22 p
//     angle:  moving d by E turns it by at most 2 E / r / (1 - E/r). The margin is 4 times 2 E scale / r, so that pairs
//             with E > r/8 are near an edge, and the bound holds for all others. The quotient by the approximate root,
//             the sum and the product add at most 2^-21 scale.
//     body:   as the angle, with d . u instead of d_w, where u is the axis of the row atom. The fused products add at
//             most 3 * 2^-24 scale.
#ifndef CUDA_SECOND32_CUH
#define CUDA_SECOND32_CUH

#include "float32.cuh"

struct second32 {
    enum { THREADS = 512 };

    // Constants of the binning.
    struct constants {
        float start, threshold, scale, limit, shrink;
        float low, high, end; // t and p outside of these cannot be in a bin
        float most;           // bins of the second coordinate
        unsigned bits, bins, first, window, histogram, discard;
        unsigned body; // all bits of bodies
        bool plane;
    };

    static __device__ __forceinline__ constants make_constants(const warp_state &s, float threshold) {
        const cuda_count_args &a = *s.a;
        const struct rdf_metric &m = a.metric;
        constants c;
        float near = 0.5f - threshold + 1e-7f, n = (float)m.second;
        c.plane = m.kind == RDF_METRIC_PLANE;
        c.body = 0u - (m.kind == RDF_METRIC_BODY);
        c.start = a.start;
        c.threshold = threshold;
        c.scale = (float)(c.plane ? m.second * a.dr / m.window : m.second * 0.5);
        c.limit = 0.5f - (c.plane ? near * c.scale * 1.001f : 0) - 1e-6f - 6e-7f * n;
        c.shrink = c.plane ? 0 : 8 * near * c.scale;
        c.most = n;
        // If the errors may exceed half a bin, all pairs are resolved.
        const bool certain = threshold > 0 && c.limit > 0;
        c.low = certain ? -1 : -INFINITY;
        c.high = certain ? (float)(a.bins + 2) : INFINITY;
        c.end = certain ? n + (0.5f - c.limit) : INFINITY;
        c.bits = MAGIC_BITS + a.shift;
        c.bins = (unsigned)a.bins;
        c.first = a.window_first;
        c.window = a.window_bins;
        c.histogram = s.histogram_address;
        c.discard = a.window_bins + threadIdx.x / 32;
        return c;
    }

    // Counts a pair, or returns true if it must be resolved. au, av, aw are the axis of the row atom of a body.
    static __device__ __forceinline__ bool count_pair(const constants &c, float du, float dv, float dw, float au,
                                                      float av, float aw) {
        float r2 = __fmaf_rn(du, du, __fmul_rn(dv, dv));
        if (!c.plane) r2 = __fmaf_rn(dw, dw, r2);
        // Masks instead of conditions, as in turned().
        unsigned along = __float_as_uint(__fmaf_rn(du, au, __fmaf_rn(dv, av, __fmul_rn(dw, aw)))),
                 other = __float_as_uint(dw);
        dw = __uint_as_float(other ^ ((along ^ other) & c.body));
        float r = root(r2), t = r - c.start, floored = __fadd_rz(t, MAGIC), h = t + (MAGIC_LESS_HALF - floored);
        float p = c.plane ? fabsf(dw) * c.scale : (__fdiv_rn(dw, r) + 1) * c.scale;
        float whole = floorf(p), h2 = p - whole - 0.5f;
        unsigned k = __float_as_uint(floored) - c.bits; // wraps below the first bin
        bool clear = fabsf(h) <= c.threshold && fabsf(h2) <= c.limit - (c.plane ? 0 : c.shrink / r) && whole < c.most &&
                     whole >= 0; // false for NaN
        bool outside = t < c.low || t > c.high || (c.plane && p > c.end);
        unsigned cell = (unsigned)whole * c.bins + k - c.first;
        unsigned at = clear && !outside && k < c.bins && cell < c.window ? cell : c.discard;
        asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(c.histogram + 4 * at));
        return !clear && !outside;
    }

    template <bool PLAIN> static __device__ __forceinline__ void count_items(warp_state &s, unsigned listed) {
        for (unsigned i = 0; i < listed; i++) {
            count_item(s, s.own->list[i]);
            flush_in_time(s);
        }
    }

    // Exchanges the axis of the metric with z. Uses masks, because cicc 13.0 does not terminate with conditions here.
    static __device__ __forceinline__ float3 turned(float x, float y, float z, unsigned axis) {
        unsigned a = __float_as_uint(x), b = __float_as_uint(y), c = __float_as_uint(z);
        unsigned first = 0u - (axis == 0), second = 0u - (axis == 1);
        unsigned swap_a = (a ^ c) & first, swap_b = (b ^ c) & second;
        return make_float3(__uint_as_float(a ^ swap_a), __uint_as_float(b ^ swap_b),
                           __uint_as_float(c ^ swap_a ^ swap_b));
    }

    static __device__ __noinline__ void count_item(warp_state &s, const warp_item &item) {
        const cuda_plan &p = s.a->plan;
        const unsigned axis = s.a->turn;
        const bool diagonal = s.self && item.column == s.row;
        const float4 *row = p.local32 + (size_t)s.row * CUDA_TILE,
                     *column = p.local32 + (size_t)item.column * CUDA_TILE;
        unsigned present = s.columns.set->atoms - (item.column - s.columns.tile) * CUDA_TILE,
                 rows = s.rows.set->atoms - (s.row - s.rows.tile) * CUDA_TILE, n = 0;
        float half[3], centre[3], reach = (float)(s.within.high * p.scale) * 1.00001f;
        for (int c = 0; c < 3; c++) {
            centre[c] = (float)item.q[c];
            half[c] = (float)(p.half[0][3 * s.row + c] * p.scale) * 1.00001f + 1e-6f * fabsf(centre[c]);
        }
        __syncwarp();
        for (int part = 0; part < 2; part++) {
            unsigned j = part * 32 + s.lane;
            float4 u = column[j];
            float gx = fmaxf(fabsf(u.x - centre[0]) - half[0], 0.0f),
                  gy = fmaxf(fabsf(u.y - centre[1]) - half[1], 0.0f),
                  gz = fmaxf(fabsf(u.z - centre[2]) - half[2], 0.0f);
            bool in = j < present && gx * gx + gy * gy + gz * gz <= reach * reach;
            unsigned vote = __ballot_sync(FULL, in);
            float3 w = turned(u.x, u.y, u.z, axis);
            if (in)
                s.own->stage[n + __popc(vote & ((1u << s.lane) - 1))] =
                    make_float4(w.x, w.y, w.z, __uint_as_float(item.column * CUDA_TILE + j));
            n += __popc(vote);
        }
        __syncwarp();
        const constants constant = make_constants(s, item.threshold);
        const float *axes = s.within.frame->x + s.a->first_axis;
        const size_t capacity = s.within.frame->capacity;
        unsigned place = s.row * CUDA_TILE + s.lane, m[4] = {0, 0, 0, 0};
        unsigned stage = (unsigned)__cvta_generic_to_shared(s.own->stage);
#pragma unroll
        for (int r = 0; r < 2; r++) {
            float3 v = float32::moved(row[32 * r + s.lane], item.q);
            v = turned(v.x, v.y, v.z, axis);
            bool there = 32 * r + s.lane < rows;
            const unsigned own = p.atom[place + 32 * r] & (0u - there) & constant.body; // 0: its axis is not used
            const float au = axes[own], av = axes[capacity + own], aw = axes[2 * capacity + own];
            unsigned low = 0, high = 0; // pairs to resolve among the first 32 of the stage, and among the others
#pragma unroll 1
            for (unsigned g = 0; g < n; g++) {
                float4 u = float32::staged(stage + 16 * g);
                bool counts = there && !(diagonal && __float_as_uint(u.w) <= place + 32 * r);
                bool near = counts && count_pair(constant, u.x - v.x, u.y - v.y, u.z - v.z, au, av, aw);
                low |= (near && g < 32) << (g & 31);
                high |= (near && g >= 32) << (g & 31);
            }
            m[2 * r] = low;
            m[2 * r + 1] = high;
        }
        queue_pairs(s, item, m, float32::places{s.own->stage, s.row, s.lane});
        s.since_flush += CUDA_TILE * n;
        if (s.lane == 0) s.own->evaluated += CUDA_TILE * n;
    }

    static __device__ double error(const cuda_count_args &a, double between, double radii) {
        return cuda_error32(a.reach, between, radii);
    }
};

#endif
