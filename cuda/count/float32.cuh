// SPDX-License-Identifier: MIT
// Counts an item with distances in float32, on GPUs with slow float64. Each lane holds two atoms of the row in
// registers and reads the atoms of the column from shared memory, where all lanes read the same address.
#ifndef CUDA_FLOAT32_CUH
#define CUDA_FLOAT32_CUH

#include "edge_error_bound.h"
#include "warp.cuh"

struct float32 : distance_rule {
    enum { THREADS = 1024 };
    static __device__ __forceinline__ float3 moved(const float4 &u, const double q[3]) { // q and u: in units of dr
        return make_float3((float)((double)u.x + q[0]), (float)((double)u.y + q[1]), (float)((double)u.z + q[2]));
    }

    struct places {
        const float4 *stage;
        unsigned row, lane;
        __device__ __forceinline__ void pair_of(unsigned word, unsigned bit, unsigned *i, unsigned *j) const {
            *i = row * CUDA_TILE + 32 * (word / 2) + lane;
            *j = __float_as_uint(stage[32 * (word % 2) + bit].w);
        }
    };

    // Copies the atoms of the item's column that are within reach of the row's box to s.own->stage; w is their place.
    // Returns their number. The caller calls __syncwarp before it reads them.
    static __device__ __forceinline__ unsigned stage_column(warp_state &s, const warp_item &item) {
        const cuda_plan &p = s.a->plan;
        const float4 *column = p.local32 + (size_t)item.column * CUDA_TILE;
        unsigned present = s.columns.set->atoms - (item.column - s.columns.tile) * CUDA_TILE, n = 0;
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
            u.w = __uint_as_float(item.column * CUDA_TILE + j);
            if (in) s.own->stage[n + __popc(vote & ((1u << s.lane) - 1))] = u;
            n += __popc(vote);
        }
        return n;
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
    static __device__ __forceinline__ void count_item(warp_state &s, const warp_item &item) {
        const cuda_plan &p = s.a->plan;
        const float4 *row = p.local32 + (size_t)s.row * CUDA_TILE;
        unsigned rows = s.rows.set->atoms - (s.row - s.rows.tile) * CUDA_TILE;
        const unsigned n = stage_column(s, item);
        unsigned padded = (n + 7) & ~7u;
        if (s.lane < padded - n) s.own->stage[n + s.lane] = make_float4(1e15f, 0, 0, 0); // out of reach of all atoms
        __syncwarp();
        float3 v[2];
        for (int r = 0; r < 2; r++) {
            v[r] = moved(row[32 * r + s.lane], item.q);
            if (32 * r + s.lane >= rows) v[r].x = -1e15f;
        }
        unsigned place = s.row * CUDA_TILE + s.lane;
        const float threshold = item.threshold;
        const binning bins = make_binning(s);
        unsigned stage = shared_address(s.own->stage), m[4] = {0, 0, 0, 0};
#pragma unroll
        for (int word = 0; word < 2; word++) {
            for (unsigned g = 32 * word; g < padded && g < 32 * word + 32; g += 8) {
                float some[2] = {0, 0};
#pragma unroll
                for (int k = 0; k < 8; k++) {
                    float4 u = load_shared(stage + 16 * (g + k));
#pragma unroll
                    for (int r = 0; r < 2; r++) {
                        float dx = u.x - v[r].x, dy = u.y - v[r].y, dz = u.z - v[r].z;
                        float r2 = __fmaf_rn(dx, dx, __fmaf_rn(dy, dy, dz * dz));
                        if (!DIAGONAL || __float_as_uint(u.w) > place + 32 * r)
                            count_one<PLAIN, false>(bins, r2, threshold, (float)(1u << k), &some[r]);
                    }
                }
                m[word] |= (unsigned)some[0] << (g & 31);
                m[2 + word] |= (unsigned)some[1] << (g & 31);
            }
            unsigned valid = n >= 32 * word + 32 ? FULL : n > 32 * word ? (1u << (n - 32 * word)) - 1 : 0;
            m[word] &= valid;
            m[2 + word] &= valid;
        }
        queue_pairs<float32, !PLAIN>(s, item, m, places{s.own->stage, s.row, s.lane});
        s.since_flush += CUDA_TILE * padded;
        if (s.lane == 0) s.own->evaluated += CUDA_TILE * n;
    }

    static __device__ double error(const cuda_count_args &a, double between, double radii) {
        return cuda_error32(a.rmax, between, radii);
    }
};

#endif
