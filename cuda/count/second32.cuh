// SPDX-License-Identifier: MIT
// Counts an item of a metric with a second coordinate (lib/count/metric.h) in float32. The atoms of the column that are
// within reach are copied to shared memory, with the axis of the metric as the last coordinate; each lane holds two
// atoms of the row.
//
// If the pairs of a job are mirrored (rdf_job_is_mirrored), the cell of -d has the opposite bin of the angle, because
// the edges of cosines are symmetric within their rounding. Pairs are counted once, and the histogram is added to these
// cells, too (add_histogram in warp.cuh). Pairs near an edge have two cells by the rule, and are added to device
// memory.
//
// With y = rsqrt.approx(r2), r = r2 y is binned as in count_one (warp.cuh). The second coordinate is p = |d_w| scale +
// 1 for a plane, and p = (d_w y + 1) scale + 1 for an angle; its bin is floor(p) - 1, and h2 = p - floor(p) - 1/2. The
// bin 0 of p, which no pair is in, lets values slightly below 0 be near an edge.
//
// Let e = 2^-24, n the bins of the second coordinate. The relative error of y is 2^-22.9 = 2.2 e (PTX ISA) and 1.5 e
// from r2, so that r has 1.2 e r more than in float32 (`error`). `near` = 1/2 - threshold of the first coordinate
// bounds the error E of d, in bins of the first coordinate (edge_error_bound.h):
//     plane:  |error of p| <= E scale + 4 e p
//     angle:  moving d by E turns it by at most 2 E / r / (1 - E/r). The margin is 4 times 2 E scale / r, so that pairs
//             with E > r/8 are near an edge, and the bound holds for all others. The product with y has a relative
//             error of 4.7 e, and p is rounded once: 2.4 e n + e (n + 1), which 6e-7 n + 1e-6 exceeds.
//     body:   as the angle, with d . u instead of d_w, where u is the axis of the row atom. The fused products add at
//             most 3 e n / 2.
#ifndef CUDA_SECOND32_CUH
#define CUDA_SECOND32_CUH

#include "float32.cuh"

// As rdf_metric_bound.
static __device__ __forceinline__ double second_bound(const struct rdf_metric &m, int q) {
    double n = (double)m.second, e = m.kind == RDF_METRIC_PLANE ? (double)q * (m.window / n) : (double)q * (2 / n) - 1;
    return e * fabs(e);
}

// Returns the bin of the second coordinate, by lib/count/metric.h; -1 if there is none.
static __device__ int exact_second(const struct rdf_metric &m, double r2, double along) {
    double s = along * fabs(along), scale = 1, value = 0;
    if (m.kind == RDF_METRIC_PLANE) {
        s = fabs(s);
        if (!(s < second_bound(m, (int)m.second))) return -1;
        value = fabs(along) / m.window * (double)m.second;
    } else {
        scale = r2;
        value = r2 > 0 ? (along / sqrt(r2) + 1) / 2 * (double)m.second : (double)m.second;
    }
    int n = (int)m.second, q = value > 0 ? value < (double)n ? (int)value : n - 1 : 0;
#pragma unroll 1
    while (q > 0 && s < second_bound(m, q) * scale) q--;
#pragma unroll 1
    while (q + 1 < n && s >= second_bound(m, q + 1) * scale) q++;
    return q;
}

// KIND is that of the metric.
template <int KIND> struct second32 {
    enum { THREADS = 1024 };
    static constexpr bool PLANE = KIND == RDF_METRIC_PLANE, BODY = KIND == RDF_METRIC_BODY;

    static __device__ double error(const cuda_count_args &a, double between, double radii) {
        return cuda_error32(a.reach, between, radii) + 1.2 * 0x1p-24 * a.reach;
    }

    // Counts a pair by the float64 rule; a mirrored one in both orders.
    static __device__ __noinline__ void count_exactly(const cuda_count_args &a, const near_pair &e,
                                                      const unsigned atom[2], const double d[3]) {
        const struct rdf_metric &m = a.metric;
        double r2 = (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2], along = d[m.axis];
        if (BODY) { // as rdf_metric_along
            const cuda_frame &f = a.plan.frames[tag_frame(e)];
            const float *u = f.x + a.first_axis + atom[0];
            along = (d[0] * (double)u[0] + d[1] * (double)u[f.capacity]) + d[2] * (double)u[2 * f.capacity];
        }
        if (PLANE) {
            double u = d[m.axis == 0], v = d[m.axis == 2 ? 1 : 2];
            r2 = u * u + v * v;
        }
        const int k = exact_bin(a, r2);
        if (k < 0 || k >= (int)a.bins) return;
#pragma unroll 1
        for (int order = 0; order < 1 + a.mirrored; order++, along = -along) {
            const int q = exact_second(m, r2, along);
            const unsigned long long cell = (unsigned long long)q * a.bins + (unsigned)k;
            if (q >= 0 && cell - a.window_first < a.window_bins)
                atomicAdd(&a.counts[tag_part(e) * a.part_stride + cell], 1ull);
        }
    }

    // Constants of the binning.
    struct constants {
        float start, threshold;
        float scale, offset, limit, shrink;
        float first, last;             // t outside of these is in no bin
        float end;                     // planes: pairs from this p on are in no bin
        unsigned row;                  // bytes of a bin of the second coordinate
        unsigned base;                 // see count_pair
        unsigned histogram, discarded; // addresses
    };

    static __device__ __forceinline__ constants make_constants(const warp_state &s, float threshold) {
        const cuda_count_args &a = *s.a;
        const struct rdf_metric &m = a.metric;
        constants c;
        const float near = 0.5f - threshold + 1e-7f, n = (float)m.second;
        c.start = a.start;
        c.threshold = threshold;
        c.scale = (float)(PLANE ? m.second * a.dr / m.window : m.second * 0.5);
        c.offset = PLANE ? 1 : c.scale + 1;
        c.limit = 0.5f - (PLANE ? near * c.scale * 1.001f : 0) - 1e-6f - 6e-7f * n;
        c.shrink = 8 * near * c.scale;
        c.first = (float)a.shift;
        c.last = (float)(a.bins + a.shift);
        c.end = n + 1;
        c.row = 4 * (unsigned)a.bins;
        c.histogram = s.own->histogram;
        c.discarded = c.histogram + 4 * (a.window_bins + threadIdx.x / 32);
        // Modulo 2^32, base is the address of the cell that bits of zero would give.
        c.base = c.histogram - 4 * (MAGIC_BITS + a.shift + a.window_first) - (MAGIC_BITS + 1) * c.row;
        return c;
    }

    // Counts a pair unless it is near an edge; then adds `bit` to the mask. au, av, aw are the axis of the row atom of
    // a body. A cell has the address base + 4 (bits of floor(t)) + row (bits of floor(p)).
    template <bool PLAIN>
    static __device__ __forceinline__ void count_pair(const constants &c, float du, float dv, float dw, float au,
                                                      float av, float aw, float bit, float *mask) {
        float r2 = __fmaf_rn(du, du, __fmul_rn(dv, dv));
        if (!PLANE) r2 = __fmaf_rn(dw, dw, r2);
        const float along = BODY ? __fmaf_rn(du, au, __fmaf_rn(dv, av, __fmul_rn(dw, aw))) : dw;
        const float y = reciprocal_root(r2);
        float t = __fmul_rn(r2, y);
        if (!PLAIN) t -= c.start;
        const float floored = __fadd_rz(t, MAGIC), h = t + (MAGIC_LESS_HALF - floored);
        const float p = __fmaf_rn(PLANE ? fabsf(dw) : __fmul_rn(along, y), c.scale, c.offset);
        const float whole = __fadd_rz(p, MAGIC), h2 = p + (MAGIC_LESS_HALF - whole);
        const float limit = PLANE ? c.limit : __fmaf_rn(-c.shrink, y, c.limit);
        unsigned address = __float_as_uint(whole) * c.row + (4 * __float_as_uint(floored) + c.base);
        if (!PLAIN) address = c.histogram + min(address - c.histogram, c.discarded - c.histogram);
        if (PLANE && p >= c.end) t = c.last;
        discard_near2<PLAIN>(h, c.threshold, h2, limit, t, c.first, c.last, bit, mask, c.discarded, &address);
        increment_shared(address);
    }

    // Exchanges the axis of the metric with z. Uses masks, because cicc 13.0 does not terminate with conditions here.
    static __device__ __forceinline__ float3 turned(float x, float y, float z, unsigned axis) {
        unsigned a = __float_as_uint(x), b = __float_as_uint(y), c = __float_as_uint(z);
        unsigned first = 0u - (axis == 0), second = 0u - (axis == 1);
        unsigned swap_a = (a ^ c) & first, swap_b = (b ^ c) & second;
        return make_float3(__uint_as_float(a ^ swap_a), __uint_as_float(b ^ swap_b),
                           __uint_as_float(c ^ swap_a ^ swap_b));
    }

    template <bool PLAIN> static __device__ __forceinline__ void count_items(warp_state &s, unsigned listed) {
        for (unsigned i = 0; i < listed; i++) {
            const warp_item &item = s.own->list[i];
            if (s.self && item.column == s.row)
                count_item<PLAIN, true>(s, item);
            else
                count_item<PLAIN, false>(s, item);
            flush_in_time(s);
        }
    }

    template <bool PLAIN, bool DIAGONAL>
    static __device__ __noinline__ void count_item(warp_state &s, const warp_item &item) {
        const cuda_plan &p = s.a->plan;
        const unsigned axis = s.a->turn, place = s.row * CUDA_TILE + s.lane;
        const float4 *row = p.local32 + (size_t)s.row * CUDA_TILE;
        const unsigned rows = s.rows.set->atoms - (s.row - s.rows.tile) * CUDA_TILE;
        const unsigned n = float32::stage_column(s, item), padded = (n + 7) & ~7u;
        if (s.lane < padded - n) s.own->stage[n + s.lane] = make_float4(1e15f, 0, 0, 0); // out of reach of all atoms
        __syncwarp();
        for (unsigned j = s.lane; j < padded; j += 32) {
            const float4 u = s.own->stage[j];
            const float3 w = turned(u.x, u.y, u.z, axis);
            s.own->stage[j] = make_float4(w.x, w.y, w.z, u.w);
        }
        __syncwarp();
        float3 v[2], direction[2] = {};
        for (int r = 0; r < 2; r++) {
            const bool there = 32 * r + s.lane < rows;
            v[r] = float32::moved(row[32 * r + s.lane], item.q);
            v[r] = turned(v[r].x, v[r].y, v[r].z, axis);
            if (!there) v[r].x = -1e15f;
            if (BODY && there) {
                const float *axes = s.within.frame->x + s.a->first_axis + p.atom[place + 32 * r];
                const size_t capacity = s.within.frame->capacity;
                direction[r] = make_float3(axes[0], axes[capacity], axes[2 * capacity]);
            }
        }
        const constants constant = make_constants(s, item.threshold);
        unsigned stage = shared_address(s.own->stage), m[4] = {0, 0, 0, 0};
#pragma unroll
        for (int word = 0; word < 2; word++) {
#pragma unroll 1
            for (unsigned g = 32 * word; g < padded && g < 32 * word + 32; g += 8) {
                float some[2] = {0, 0};
#pragma unroll
                for (int k = 0; k < 8; k++) {
                    float4 u = load_shared(stage + 16 * (g + k));
#pragma unroll
                    for (int r = 0; r < 2; r++)
                        if (!DIAGONAL || __float_as_uint(u.w) > place + 32 * r)
                            count_pair<PLAIN>(constant, u.x - v[r].x, u.y - v[r].y, u.z - v[r].z, direction[r].x,
                                              direction[r].y, direction[r].z, (float)(1u << k), &some[r]);
                }
                m[word] |= (unsigned)some[0] << (g & 31);
                m[2 + word] |= (unsigned)some[1] << (g & 31);
            }
            unsigned valid = n >= 32 * word + 32 ? FULL : n > 32 * word ? (1u << (n - 32 * word)) - 1 : 0;
            m[word] &= valid;
            m[2 + word] &= valid;
        }
        queue_pairs<second32, false>(s, item, m, float32::places{s.own->stage, s.row, s.lane});
        s.since_flush += CUDA_TILE * padded;
        if (s.lane == 0) s.own->evaluated += CUDA_TILE * n;
    }
};

#endif
