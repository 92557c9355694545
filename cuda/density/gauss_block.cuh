// SPDX-License-Identifier: MIT
// The Gaussian density of a block of 8 x 8 x 8 points, as lib/density/gauss.h defines it. A warp gathers the records.
// Its four groups of eight lanes process different records; lane t of a group keeps the 64 points with x = t as int32
// partial sums in registers. In an orthogonal lattice, a record thus needs eight factors along each axis, of which
// those along y and z are shared by the lanes of a group, and then one FMA and one integer addition for each voxel.
// Records that reach the block wait in a queue in shared memory, from which the groups take them. No data in this
// memory is shared between warps, so that __syncwarp() is the only barrier.
#ifndef CUDA_GAUSS_BLOCK_CUH
#define CUDA_GAUSS_BLOCK_CUH

#include "density.h"
extern "C" {
#include "gauss.h"
}

#define FULL 0xffffffffu

enum {
    BLOCK = CUDA_DENSITY_BLOCK,
    GROUPS = 32 / BLOCK,     // groups of lanes in a warp
    QUEUE = 32 + GROUPS - 1, // largest number of records in a queue
};

// E of lib/density/gauss.h.
static __device__ float exp2_of(float x) {
    x = fminf(fmaxf(x, -90.0f), 90.0f);
    float n = __fadd_rn(x, 12582912.0f), r = __fsub_rn(x, __fsub_rn(n, 12582912.0f)), s = DEN_EXP2_6;
    s = __fmaf_rn(s, r, DEN_EXP2_5);
    s = __fmaf_rn(s, r, DEN_EXP2_4);
    s = __fmaf_rn(s, r, DEN_EXP2_3);
    s = __fmaf_rn(s, r, DEN_EXP2_2);
    s = __fmaf_rn(s, r, DEN_EXP2_1);
    s = __fmaf_rn(s, r, 1.0f);
    return __uint_as_float(__float_as_uint(s) + (__float_as_uint(n) << 23));
}

static __device__ float exp2_within(float d, float exponent, float reach) {
    return fabsf(d) <= reach ? exp2_of(exponent) : 0.0f;
}

// F of lib/density/gauss.h.
static __device__ float exponents(float k, float l, float a_k, float a_l, float b_kl) {
    return __fmaf_rn(k, __fmaf_rn(a_k, k, __fmul_rn(b_kl, l)), __fmul_rn(__fmul_rn(a_l, l), l));
}

// The kinds of lattices that gauss.h distinguishes, whose contributions have different formulas.
enum shape { ORTHOGONAL, SKEW, OBLIQUE };

static inline enum shape shape_of(const cuda_density_args *a) {
    return a->oblique ? OBLIQUE : a->skew ? SKEW : ORTHOGONAL;
}

// Factors of a record that the lanes of a group share.
template <enum shape shape> struct shared_factors {};
template <> struct shared_factors<ORTHOGONAL> { __align__(16) float y[BLOCK], z[BLOCK]; };
template <> struct shared_factors<SKEW> {
    __align__(16) float q[BLOCK][BLOCK]; // [y][z]
};

static __device__ float distance(int lane, int point, float offset) {
    return __fsub_rn((float)(lane - point), offset);
}

// Returns the absolute distance, in steps along an axis, of a record from the nearest point of the block.
static __device__ float block_distance(int point, float offset) {
    return fabsf(distance(min(max(point, 0), BLOCK - 1), point, offset));
}

// Returns whether a record can contribute to a block: whether its support reaches a point and, in an orthogonal
// lattice, the largest contribution does not round to 0. |A| is less than 2^22 quanta, so that a contribution below |A|
// 2^-23.1 is below 2^-1.1 quanta and rounds to 0. The margin of 0.1 in the exponent is much larger than its rounding
// error.
template <enum shape shape>
static __device__ bool reaches_block(const cuda_density_kind &kind, int4 point, float4 offset) {
    float x = block_distance(point.x, offset.x), y = block_distance(point.y, offset.y),
          z = block_distance(point.z, offset.z);
    bool inside = x <= kind.reach[0] && y <= kind.reach[1] && z <= kind.reach[2];
    return inside && (shape != ORTHOGONAL || x * x * kind.c[0] + y * y * kind.c[1] + z * z * kind.c[2] > -23.1f);
}

// Shared memory of a warp.
template <enum shape shape> struct gather_memory {
    shared_factors<shape> factors[GROUPS];
    float4 offset[QUEUE]; // the queue: offset and amplitude
    int4 point[QUEUE];    // relative to the first point of the block; kind
};

// Grid cells whose records may reach a block: low <= cell <= high along each axis. The cell (x, y, z) has the number
// first + x + row y + plane z.
struct cell_box {
    unsigned first, row, plane, low[3], high[3];
};

static __device__ void load8(float to[BLOCK], const float *from) {
    const float4 low = *(const float4 *)from, high = *(const float4 *)(from + 4);
    to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
    to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
}

// Adds bits(t) of each contribution of a record to the sums of a lane; take_sums() subtracts bits(M) for each record.
static __device__ void add_record(const cuda_density_args &a, shared_factors<ORTHOGONAL> &f, int lane, int4 point,
                                  float4 offset, unsigned sum[BLOCK][BLOCK]) {
    const cuda_density_kind &kind = a.kind[point.w];
    float d0 = distance(lane, point.x, offset.x), d1 = distance(lane, point.y, offset.y),
          d2 = distance(lane, point.z, offset.z), y[BLOCK], z[BLOCK];
    float x = exp2_within(d0, __fmul_rn(__fmul_rn(d0, d0), kind.c[0]), kind.reach[0]);
    f.y[lane] = exp2_within(d1, __fmul_rn(__fmul_rn(d1, d1), kind.c[1]), kind.reach[1]);
    f.z[lane] = __fmul_rn(offset.w, exp2_within(d2, __fmul_rn(__fmul_rn(d2, d2), kind.c[2]), kind.reach[2]));
    __syncwarp();
    load8(y, f.y);
    load8(z, f.z);
#pragma unroll
    for (int j = 0; j < BLOCK; j++) {
        float xy = __fmul_rn(x, y[j]);
#pragma unroll
        for (int i = 0; i < BLOCK; i++) sum[j][i] += __float_as_uint(__fmaf_rn(xy, z[i], a.magic));
    }
    __syncwarp();
}

static __device__ void add_record(const cuda_density_args &a, shared_factors<SKEW> &f, int lane, int4 point,
                                  float4 offset, unsigned sum[BLOCK][BLOCK]) {
    const cuda_density_kind &kind = a.kind[point.w];
    float d0 = distance(lane, point.x, offset.x), r[BLOCK];
    bool reached = fabsf(d0) <= kind.reach[0];
#pragma unroll
    for (int i = 0; i < BLOCK; i++) {
        float d2 = distance(i, point.z, offset.z);
        r[i] = exp2_of(exponents(d0, d2, kind.a[0], kind.a[2], kind.b[2]));
    }
    // Q for y = lane
    float l = distance(lane, point.y, offset.y);
#pragma unroll
    for (int i = 0; i < BLOCK; i++) {
        float d2 = distance(i, point.z, offset.z);
        bool inside = fabsf(l) <= kind.reach[1] && fabsf(d2) <= kind.reach[2];
        float q = __fmul_rn(offset.w, exp2_of(exponents(l, d2, kind.a[1], kind.a[2], kind.b[1])));
        f.q[lane][i] = inside ? q : 0.0f;
    }
    __syncwarp();
#pragma unroll
    for (int j = 0; j < BLOCK; j++) {
        float q[BLOCK], d1 = distance(j, point.y, offset.y);
        float p = reached ? exp2_of(exponents(d0, d1, kind.a[0], kind.a[1], kind.b[0])) : 0.0f;
        load8(q, f.q[j]);
#pragma unroll
        for (int i = 0; i < BLOCK; i++) sum[j][i] += __float_as_uint(__fmaf_rn(__fmul_rn(p, q[i]), r[i], a.magic));
    }
    __syncwarp();
}

static __device__ void add_record(const cuda_density_args &a, shared_factors<OBLIQUE> &, int lane, int4 point,
                                  float4 offset, unsigned sum[BLOCK][BLOCK]) {
    const cuda_density_kind &kind = a.kind[point.w];
    float d0 = distance(lane, point.x, offset.x);
    bool reached = fabsf(d0) <= kind.reach[0];
#pragma unroll
    for (int j = 0; j < BLOCK; j++) {
        float d1 = distance(j, point.y, offset.y);
#pragma unroll
        for (int i = 0; i < BLOCK; i++) {
            float d2 = distance(i, point.z, offset.z);
            float y0 = __fadd_rn(d0, __fmaf_rn(kind.l[0], d1, __fmul_rn(kind.l[2], d2)));
            float y1 = __fmaf_rn(kind.l[1], d2, d1);
            float h = __fmaf_rn(__fmul_rn(kind.e[1], y1), y1, __fmul_rn(__fmul_rn(kind.e[2], d2), d2));
            bool inside = reached && fabsf(d1) <= kind.reach[1] && fabsf(d2) <= kind.reach[2];
            float e = inside ? exp2_of(__fmaf_rn(__fmul_rn(kind.e[0], y0), y0, h)) : 0.0f;
            sum[j][i] += __float_as_uint(__fmaf_rn(e, offset.w, a.magic));
        }
    }
}

// Calls `take` with x, y, z of each point of a block, and its sum over all groups, each of which has processed
// `records` records. Then sets the sums to 0. Exactly one lane calls `take` for each point.
template <typename Take>
static __device__ void take_sums(const cuda_density_args &a, unsigned records, unsigned sum[BLOCK][BLOCK], Take take) {
    int lane = threadIdx.x % BLOCK, group = threadIdx.x % 32 / BLOCK;
    unsigned offset = records * a.magic_bits;
#pragma unroll
    for (int j = 0; j < BLOCK; j++)
#pragma unroll
        for (int i = 0; i < BLOCK; i++) {
            long long value = (int)(sum[j][i] - offset);
            sum[j][i] = 0;
            value += __shfl_xor_sync(FULL, value, BLOCK);
            value += __shfl_xor_sync(FULL, value, 2 * BLOCK);
            if (i / 2 == group) take(lane, j, i, value);
        }
}

// Gathers the records that reach the block whose first point is `first`, from each row of grid cells whose number
// modulo `parts` is `part`. `take` is as for take_sums, and may be called several times for a point.
template <enum shape shape, typename Take>
static __device__ void gather_records(const cuda_density_args &a, const cuda_density_records &r, const cell_box &cells,
                                      const int first[3], unsigned part, unsigned parts, gather_memory<shape> &m,
                                      Take take) {
    unsigned lane = threadIdx.x % 32;
    unsigned sum[BLOCK][BLOCK] = {{0}}, queued = 0, records = 0;
    unsigned y = cells.low[1], z = cells.low[2], from = 0, end = 0, skip = part; // number of rows to skip
    bool more = true;
    while (more) {
        while (from >= end && z <= cells.high[2]) {
            unsigned row = cells.first + cells.row * y + cells.plane * z;
            if (!skip--) {
                from = r.first[row + cells.low[0]];
                end = r.first[row + cells.high[0] + 1];
                skip = parts - 1;
            }
            if (++y > cells.high[1]) y = cells.low[1], z++;
        }
        more = from < end;
        int4 point = make_int4(0, 0, 0, 0);
        float4 offset = make_float4(0, 0, 0, 0);
        bool reaches = from + lane < end;
        if (reaches) {
            point = r.point[from + lane];
            offset = r.offset[from + lane];
            point.x -= first[0], point.y -= first[1], point.z -= first[2];
            reaches = reaches_block<shape>(a.kind[point.w], point, offset);
        }
        from += 32;
        // After the last row, records of amplitude 0 fill the queue up to GROUPS records.
        if (!more && queued) reaches = lane < GROUPS - queued;
        unsigned found = __ballot_sync(FULL, reaches);
        if (reaches) {
            unsigned to = queued + __popc(found & ((1u << lane) - 1));
            m.point[to] = point;
            m.offset[to] = offset;
        }
        __syncwarp();
        for (queued += __popc(found); queued >= GROUPS; records++) {
            queued -= GROUPS;
            unsigned mine = queued + lane / BLOCK;
            add_record(a, m.factors[lane / BLOCK], lane % BLOCK, m.point[mine], m.offset[mine], sum);
        }
        if (more && records < DEN_GAUSS_PARTIAL - QUEUE / GROUPS) continue;
        take_sums(a, records, sum, take);
        records = 0;
    }
}

#endif
