// SPDX-License-Identifier: MIT
// Counts an item with squared distances from tensor cores, on GPUs with fast float64. All positions are in registers:
// eight doubles a lane for the column, two for the next patches of the row. 768 threads a block leave 85 registers a
// thread.
#ifndef CUDA_FLOAT64_CUH
#define CUDA_FLOAT64_CUH

#include "edge_error_bound.h"
#include "warp.cuh"

// One instruction computes the squared distances of 8 atoms and 8 others. A lane provides one component of one atom of
// each side: component lane % 4, where 3 is the square, of atom lane / 4. It receives the distances of row lane / 4 to
// columns 2 (lane % 4) and 2 (lane % 4) + 1.
struct float64 : distance_rule {
    enum { THREADS = 768 };
    static __device__ __forceinline__ void multiply(double d[2], double a, double b, const double c[2]) {
#if __CUDA_ARCH__ >= 800
        asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
            : "=d"(d[0]), "=d"(d[1])
            : "d"(a), "d"(b), "d"(c[0]), "d"(c[1]));
#endif
    }

    struct places {
        unsigned row, column, lane;
        __device__ __forceinline__ void pair_of(unsigned word, unsigned bit, unsigned *i, unsigned *j) const {
            *i = row * CUDA_TILE + 16 * word + 8 * (bit / 16) + lane / 4;
            *j = column * CUDA_TILE + 8 * (bit % 16 / 2) + 2 * (lane % 4) + bit % 2;
        }
    };

    // Determines which of the 8 x 8 pairs of patches can have pairs in the window: bit mb of byte nb % 4 of active[nb /
    // 4], for patch mb of the row and nb of the column.
    static __device__ __forceinline__ void patches(const warp_state &s, const warp_item &item, unsigned active[2]) {
        const float4 *row = s.a->plan.patch + 2 * (s.row * (CUDA_TILE / CUDA_PATCH) + s.lane % 8);
        float4 rc = row[0], rh = row[1];
        float low = (float)s.within.low * 0.99999f - item.margin, high = (float)s.within.high * 1.00001f + item.margin;
        for (int w = 0; w < 2; w++) {
            const float4 *column = s.a->plan.patch + 2 * (item.column * (CUDA_TILE / CUDA_PATCH) + 4 * w + s.lane / 8);
            float4 cc = column[0], ch = column[1];
            float dx = fabsf(rc.x + item.away[0] - cc.x), dy = fabsf(rc.y + item.away[1] - cc.y),
                  dz = fabsf(rc.z + item.away[2] - cc.z);
            float hx = rh.x + ch.x, hy = rh.y + ch.y, hz = rh.z + ch.z;
            float gx = fmaxf(dx - hx, 0.0f), gy = fmaxf(dy - hy, 0.0f), gz = fmaxf(dz - hz, 0.0f);
            bool in = gx * gx + gy * gy + gz * gz <= high * high;
            if (low > 0) {
                float far2 = (dx + hx) * (dx + hx) + (dy + hy) * (dy + hy) + (dz + hz) * (dz + hz);
                in = in && far2 >= low * low;
            }
            active[w] = __ballot_sync(FULL, in);
        }
    }

    // Sets `active` of all listed items before any is counted, so that their loads overlap. Returns a bit for each item
    // with pairs in the window.
    static __device__ __forceinline__ unsigned prepare(warp_state &s, unsigned listed) {
        unsigned todo = 0;
#pragma unroll 2
        for (unsigned i = 0; i < listed; i++) {
            warp_item &item = s.own->list[i];
            unsigned active[2] = {FULL, FULL};
            if (!item.inside) patches(s, item, active);
            if (s.lane < 2) item.active[s.lane] = s.lane ? active[1] : active[0];
            if (active[0] | active[1]) todo |= 1u << i;
        }
        __syncwarp();
        return todo;
    }

    template <bool PLAIN> static __device__ __forceinline__ void count_items(warp_state &s, unsigned listed) {
        for (unsigned todo = prepare(s, listed); todo; todo &= todo - 1) {
            count_item<PLAIN>(s, s.own->list[__ffs(todo) - 1]);
            flush_in_time(s);
        }
    }

    // Returns the masks of two patches of rows as the halves of a word.
    static __device__ __forceinline__ unsigned both(const float mask[2]) {
        return (unsigned)mask[0] | (unsigned)mask[1] << 16;
    }

    // Counts one patch of rows with four patches of columns.
    template <bool PLAIN, bool INSIDE>
    static __device__ __forceinline__ void count_patches(const binning &bins, double a, const double b[4],
                                                         const double v2[2], float threshold, int bit, float *mask) {
        double d[4][2];
#pragma unroll
        for (int n = 0; n < 4; n++) multiply(d[n], a, b[n], v2);
#pragma unroll
        for (int n = 0; n < 4; n++)
#pragma unroll
            for (int e = 0; e < 2; e++)
                count_one<PLAIN, INSIDE>(bins, cuda_cut(d[n][e]), threshold, (float)(1u << (bit + 2 * n + e)), mask);
    }

    // Counts a tile with itself: only columns after the row. Other pairs are moved out of reach.
    template <bool PLAIN>
    static __device__ __noinline__ void count_triangle(const binning bins, const double *row, double times, double plus,
                                                       double shift, double q2, float threshold, unsigned *masks) {
        unsigned lane = threadIdx.x % 32;
        const double square[2] = {q2, q2};
#pragma unroll 1
        for (int word = 0; word < 4; word++) {
            float mask[2] = {0, 0};
#pragma unroll
            for (int half = 0; half < 2; half++) {
                int mb = 2 * word + half;
                double w = row[32 * mb], v2[2];
                multiply(v2, w, shift, square);
#pragma unroll 1
                for (int nb = mb; nb < 8; nb++) {
                    double c[2], d[2];
                    bool counted[2];
                    for (int e = 0; e < 2; e++) {
                        counted[e] = nb > mb || 2 * (lane % 4) + e > lane / 4;
                        c[e] = counted[e] ? v2[e] : CUDA_FAR_AWAY;
                    }
                    multiply(d, fma(w, times, plus), row[32 * nb], c);
                    for (int e = 0; e < 2; e++)
                        count_one<PLAIN, false>(bins, cuda_cut(d[e]), threshold,
                                                counted[e] ? (float)(1u << (2 * nb + e)) : 0.0f, &mask[half]);
                }
            }
            masks[32 * word] = both(mask);
        }
    }

    template <bool PLAIN> static __device__ __forceinline__ void count_item(warp_state &s, const warp_item &item) {
        const cuda_plan &p = s.a->plan;
        unsigned k = s.lane % 4, evaluated = CUDA_TILE * CUDA_TILE;
        const double *row = p.local64 + 4 * (size_t)s.row * CUDA_TILE + s.lane;
        const double *column = p.local64 + 4 * (size_t)item.column * CUDA_TILE + s.lane;
        // With v = w + q the atoms of the row relative to the centre of the column's image: the row provides -2 v and
        // 1, to be multiplied with u and |u|^2 of the column. |v|^2 is computed by the same instruction.
        double qk = item.q[k < 3 ? k : 0];
        double times = k < 3 ? -2.0 : 0.0, plus = k < 3 ? -2.0 * qk : 1.0, shift = k < 3 ? 2.0 * qk : 1.0;
        const float threshold = item.threshold;
        const binning bins = make_binning(s);
        unsigned *masks = &s.own->masks[0][s.lane];
        if (s.self && item.column == s.row) {
            count_triangle<PLAIN>(bins, row, times, plus, shift, item.q2, threshold, masks);
        } else {
            double b[8], w[2] = {row[0], row[32]};
#pragma unroll
            for (int nb = 0; nb < 8; nb++) b[nb] = column[32 * nb];
            const unsigned active[2] = {item.active[0], item.active[1]};
            evaluated = 0;
            for (int g = 0; g < 2; g++)
                evaluated += 256 * __popc((active[g] | active[g] >> 8 | active[g] >> 16 | active[g] >> 24) & 0xff);
            const double square[2] = {item.q2, item.q2};
#pragma unroll 1
            for (int word = 0; word < 4; word++) {
                float mask[2] = {0, 0};
                double a[2], v2[2][2], now[2] = {w[0], w[1]};
                w[0] = row[64 * ((word + 1) % 4)]; // for the next iteration
                w[1] = row[64 * ((word + 1) % 4) + 32];
                if (!((active[0] | active[1]) & 0x03030303u << 2 * word)) {
                    masks[32 * word] = 0;
                    continue;
                }
#pragma unroll
                for (int half = 0; half < 2; half++) {
                    multiply(v2[half], now[half], shift, square);
                    a[half] = fma(now[half], times, plus);
                }
                if (item.inside) {
#pragma unroll
                    for (int half = 0; half < 2; half++)
#pragma unroll
                        for (int g = 0; g < 2; g++)
                            count_patches<PLAIN, true>(bins, a[half], b + 4 * g, v2[half], threshold, 8 * g,
                                                       &mask[half]);
                } else {
#pragma unroll
                    for (int half = 0; half < 2; half++)
#pragma unroll
                        for (int g = 0; g < 2; g++)
                            if (active[g] & 0x01010101u << (2 * word + half))
                                count_patches<PLAIN, false>(bins, a[half], b + 4 * g, v2[half], threshold, 8 * g,
                                                            &mask[half]);
                }
                masks[32 * word] = both(mask);
            }
        }
        unsigned m[4];
        for (int word = 0; word < 4; word++) m[word] = masks[32 * word];
        queue_pairs<float64, !PLAIN>(s, item, m, places{s.row, item.column, s.lane});
        s.since_flush += evaluated;
        if (s.lane == 0) s.own->evaluated += evaluated;
    }

    static __device__ double error(const cuda_count_args &a, double between, double radii) {
        return cuda_error64(a.rmax, between, radii, a.dr);
    }
};

#endif
