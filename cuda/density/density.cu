// SPDX-License-Identifier: MIT
// Gaussians: a warp gathers a block of 8 x 8 x 8 points. Its four groups of eight lanes process different records; lane
// t of a group keeps the 64 points with x = t as int32 partial sums in registers. A record thus needs eight factors
// along each axis, of which those along y and z are shared by the lanes of a group, and then one FMA and one integer
// addition for each voxel. Records that reach the block wait in a queue in shared memory, from which the groups take
// them. No data in shared memory is shared between warps, so that __syncwarp() is the only barrier.
#include <cub/device/device_scan.cuh>

#include "check.cuh"
#include "density.h"
extern "C" {
#include "gauss.h"
}

#define FULL 0xffffffffu

enum {
    THREADS = 256,
    BLOCK = CUDA_DENSITY_BLOCK,
    GROUPS = 32 / BLOCK,     // groups of lanes in a warp
    WARPS = 4,               // warps in a thread block
    QUEUE = 32 + GROUPS - 1, // largest number of records in a queue
    ENOUGH_WARPS = 4096,     // warps that occupy the largest GPU
};

// ---- records

// Returns the nearest point along an axis.
static __device__ double nearest_point(const cuda_lattice_plan &p, int axis, double u, double position) {
    double point = floor(u + 0.5);
    if (!p.aligned || !(fabs(u - point) > 0.499999)) return point;
    if (position < point * p.step[axis] + p.border[axis]) return point - 1;
    return position >= (point + 1) * p.step[axis] + p.border[axis] ? point + 1 : point;
}

// Calls `take` with each record of an atom; the arithmetic is that of tile_lattice_plan_find.
template <typename Take> static __device__ void for_records(const cuda_density_args &a, unsigned i, Take take) {
    const cuda_lattice_plan &p = a.plan;
    unsigned atom = a.list[i], kind = a.kind_of[i];
    double x[3], d[3], u[3];
    int far[3];
    for (int k = 0; k < 3; k++) {
        x[k] = (double)a.x[k * a.x_room + atom] * a.unit;
        d[k] = x[k] - p.origin[k];
        far[k] = (int)((double)a.kind[kind].reach[k] + 0.5);
    }
    for (int k = 0; k < 3; k++) u[k] = (p.g[k][0] * d[0] + p.g[k][1] * d[1]) + p.g[k][2] * d[2];
    double first[3] = {0, 0, 0};
    unsigned count[3] = {1, 1, 1};
    for (int v = 0; v < 3; v++) {
        if (!(p.images >> v & 1)) continue;
        double at = (p.fraction[v][0] * x[0] + p.fraction[v][1] * x[1]) + p.fraction[v][2] * x[2];
        double slack = 1e-12 * fabs(at);
        first[v] = ceil(p.low[v] - at - slack);
        double last = floor(p.high[v] - at + slack);
        if (!(last >= first[v])) return;
        count[v] = (unsigned)(last - first[v]) + 1;
    }
    for (unsigned c = 0; c < count[2]; c++)
        for (unsigned b = 0; b < count[1]; b++)
            for (unsigned e = 0; e < count[0]; e++) {
                double n[3] = {first[0] + e, first[1] + b, first[2] + c};
                int point[3], low[3], high[3];
                float offset[3];
                bool reaches = true;
                for (int k = 0; k < 3; k++) {
                    double at = u[k], position = x[k], whole, length = p.n[k];
                    if (p.images) {
                        at += (n[0] * p.shift[0][k] + n[1] * p.shift[1][k]) + n[2] * p.shift[2][k];
                        position += (n[0] * p.h[0][k] + n[1] * p.h[1][k]) + n[2] * p.h[2][k];
                    }
                    reaches = reaches && fabs(at) < 0x1p62; // excludes images that are too far away
                    whole = nearest_point(p, k, at, position);
                    offset[k] = (float)(at - whole);
                    low[k] = high[k] = 0;
                    if (p.wrapped >> k & 1) {
                        if (!(whole >= 0 && whole < length)) whole -= length * floor(whole / length);
                        if (whole < 0) whole += length;
                        if (whole >= length) whole -= length;
                        low[k] = -(int)(((long long)whole + far[k]) / p.n[k]);
                        high[k] = (int)((p.n[k] - 1 + far[k] - (long long)whole) / p.n[k]);
                    } else if (!(whole >= -far[k] && whole <= length - 1 + far[k])) {
                        reaches = false;
                    }
                    point[k] = (int)whole;
                }
                if (!reaches) continue;
                for (int z = low[2]; z <= high[2]; z++)
                    for (int y = low[1]; y <= high[1]; y++)
                        for (int w = low[0]; w <= high[0]; w++)
                            take(make_int4(point[0] + w * p.n[0], point[1] + y * p.n[1], point[2] + z * p.n[2],
                                           (int)kind),
                                 make_float4(offset[0], offset[1], offset[2], a.amplitude ? a.amplitude[i] : 0.0f));
            }
}

static __device__ unsigned cell_along(const cuda_lattice_plan &p, int k, int point) {
    return (unsigned)min(max(point, 0), p.n[k] - 1) >> p.shift_of_cell;
}

static __device__ unsigned cell_of(const cuda_lattice_plan &p, int4 point) {
    return cell_along(p, 0, point.x) +
           p.cells[0] * (cell_along(p, 1, point.y) + p.cells[1] * cell_along(p, 2, point.z));
}

static __global__ void count_records(cuda_density_args a, unsigned *cells, unsigned long long *total) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    unsigned long long found = 0;
    if (i < a.count && a.amplitude[i] != 0)
        for_records(a, i, [&](int4 point, float4) {
            atomicAdd(&cells[cell_of(a.plan, point)], 1u);
            found++;
        });
    for (int step = 16; step; step /= 2) found += __shfl_xor_sync(FULL, found, step);
    if (threadIdx.x % 32 == 0 && found) atomicAdd(total, found);
}

// Updates the largest number of records, found[0], and resets that of the current frame.
static __global__ void keep_most(unsigned long long *found) {
    if (found[1] > found[0]) found[0] = found[1];
    found[1] = 0;
}

static __global__ void place_records(cuda_density_args a, cuda_density_records r) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= a.count || a.amplitude[i] == 0 || r.found[0] > r.room) return;
    for_records(a, i, [&](int4 point, float4 offset) {
        unsigned to = atomicAdd(&r.next[cell_of(a.plan, point)], 1u);
        r.point[to] = point;
        r.offset[to] = offset;
    });
}

// ---- gather

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

// Factors of a record that the lanes of a group share.
template <bool skew> struct shared_factors { __align__(16) float y[BLOCK], z[BLOCK]; };
template <> struct shared_factors<true> {
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
template <bool skew> static __device__ bool reaches_block(const cuda_density_kind &kind, int4 point, float4 offset) {
    float x = block_distance(point.x, offset.x), y = block_distance(point.y, offset.y),
          z = block_distance(point.z, offset.z);
    bool inside = x <= kind.reach[0] && y <= kind.reach[1] && z <= kind.reach[2];
    return inside && (skew || x * x * kind.c[0] + y * y * kind.c[1] + z * z * kind.c[2] > -23.1f);
}

struct queue {
    float4 offset[QUEUE]; // and amplitude
    int4 point[QUEUE];    // relative to the first point of the block; kind
};

static __device__ void load8(float to[BLOCK], const float *from) {
    const float4 low = *(const float4 *)from, high = *(const float4 *)(from + 4);
    to[0] = low.x, to[1] = low.y, to[2] = low.z, to[3] = low.w;
    to[4] = high.x, to[5] = high.y, to[6] = high.z, to[7] = high.w;
}

// Adds bits(t) of each contribution of a record to the sums of a lane; flush() subtracts bits(M) for each record.
static __device__ void add_record(const cuda_density_args &a, shared_factors<false> &f, int lane, int4 point,
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

static __device__ void add_record(const cuda_density_args &a, shared_factors<true> &f, int lane, int4 point,
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

// Adds the sums of the groups, each of `records` records, to the map, and sets them to 0.
static __device__ void flush(const cuda_density_args &a, const int first[3], unsigned records,
                             unsigned sum[BLOCK][BLOCK]) {
    int lane = threadIdx.x % BLOCK, group = threadIdx.x % 32 / BLOCK;
    unsigned offset = records * a.magic_bits;
    int x = first[0] + lane;
#pragma unroll
    for (int j = 0; j < BLOCK; j++) {
        int y = first[1] + j;
#pragma unroll
        for (int i = 0; i < BLOCK; i++) {
            long long value = (int)(sum[j][i] - offset);
            sum[j][i] = 0;
            value += __shfl_xor_sync(FULL, value, BLOCK);
            value += __shfl_xor_sync(FULL, value, 2 * BLOCK);
            int z = first[2] + i;
            if (i / 2 == group && x < a.plan.n[0] && y < a.plan.n[1] && z < a.plane + a.planes) {
                long long *to = &a.map[x + (size_t)a.plan.n[0] * (y + (size_t)a.plan.n[1] * (z - a.plane))];
                if (gridDim.y > 1)
                    atomicAdd((unsigned long long *)to, (unsigned long long)value);
                else
                    *to += value;
            }
        }
    }
}

template <bool skew>
static __global__ void __launch_bounds__(WARPS * 32, 4)
    gather(cuda_density_args a, cuda_density_records r, int3 blocks) {
    __shared__ shared_factors<skew> factors[WARPS][GROUPS];
    __shared__ queue queues[WARPS];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    long long block = (long long)blockIdx.x * WARPS + warp;
    if (block >= (long long)blocks.x * blocks.y * blocks.z || r.found[0] > r.room) return;
    const cuda_lattice_plan &p = a.plan;
    const int first[3] = {(int)(block % blocks.x) * BLOCK, (int)(block / blocks.x % blocks.y) * BLOCK,
                          (int)(block / blocks.x / blocks.y) * BLOCK + a.plane};
    queue &q = queues[warp];
    unsigned sum[BLOCK][BLOCK] = {{0}}, queued = 0, records = 0, low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = cell_along(p, k, first[k] - p.farthest[k]);
        high[k] = cell_along(p, k, first[k] + BLOCK - 1 + p.farthest[k]);
    }
    unsigned y = low[1], z = low[2], from = 0, end = 0, skip = blockIdx.y; // rows before the next one of this warp
    bool more = true;
    while (more) {
        while (from >= end && z <= high[2]) {
            unsigned row = p.cells[0] * (y + p.cells[1] * z);
            if (!skip--) {
                from = r.first[row + low[0]];
                end = r.first[row + high[0] + 1];
                skip = gridDim.y - 1;
            }
            if (++y > high[1]) y = low[1], z++;
        }
        more = from < end;
        int4 point = make_int4(0, 0, 0, 0);
        float4 offset = make_float4(0, 0, 0, 0);
        bool reaches = from + lane < end;
        if (reaches) {
            point = r.point[from + lane];
            offset = r.offset[from + lane];
            point.x -= first[0], point.y -= first[1], point.z -= first[2];
            reaches = reaches_block<skew>(a.kind[point.w], point, offset);
        }
        from += 32;
        // At the end, records of amplitude 0 fill the last group.
        if (!more && queued) reaches = lane < GROUPS - queued;
        unsigned found = __ballot_sync(FULL, reaches);
        if (reaches) {
            unsigned to = queued + __popc(found & ((1u << lane) - 1));
            q.point[to] = point;
            q.offset[to] = offset;
        }
        __syncwarp();
        for (queued += __popc(found); queued >= GROUPS; records++) {
            queued -= GROUPS;
            unsigned mine = queued + lane / BLOCK;
            add_record(a, factors[warp][lane / BLOCK], lane % BLOCK, q.point[mine], q.offset[mine], sum);
        }
        if (more && records < DEN_GAUSS_PARTIAL - QUEUE / GROUPS) continue;
        flush(a, first, records, sum);
        records = 0;
    }
}

// ---- count, cic and ball

static __device__ double round_even(double x) {
    return (x + 0x1.8p52) - 0x1.8p52;
}

// Returns the contribution at distances d, as in lib/density/scatter.c.
static __device__ long long contribution(const cuda_density_args &a, double units, const double d[3]) {
    if (a.kernel == CUDA_CIC) {
        double product = units * ((1 - fabs(d[0])) * (1 - fabs(d[1]))) * (1 - fabs(d[2]));
        return fabs(d[0]) < 1 && fabs(d[1]) < 1 && fabs(d[2]) < 1 ? (long long)round_even(product) : 0;
    }
    double v[3];
    for (int c = 0; c < 3; c++) v[c] = (d[0] * a.step[0][c] + d[1] * a.step[1][c]) + d[2] * a.step[2][c];
    return (v[0] * v[0] + v[1] * v[1]) + v[2] * v[2] <= a.radius2 ? (long long)units : 0;
}

static __device__ void add_at(const cuda_density_args &a, int x, int y, int z, long long units) {
    unsigned long long *to =
        (unsigned long long *)a.map + (x + (size_t)a.plan.n[0] * (y + (size_t)a.plan.n[1] * (z - a.plane)));
    if (units) atomicAdd(to, (unsigned long long)units);
}

static __global__ void scatter(cuda_density_args a) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= a.count || a.units[i] == 0) return;
    const cuda_lattice_plan &p = a.plan;
    for_records(a, i, [&](int4 point, float4 offset) {
        if (a.kernel == CUDA_COUNT) {
            if (point.z >= a.plane && point.z < a.plane + a.planes)
                add_at(a, point.x, point.y, point.z, (long long)a.units[i]);
            return;
        }
        int3 low = make_int3(max(point.x - p.farthest[0], 0), max(point.y - p.farthest[1], 0),
                             max(point.z - p.farthest[2], a.plane));
        int3 high = make_int3(min(point.x + p.farthest[0], p.n[0] - 1), min(point.y + p.farthest[1], p.n[1] - 1),
                              min(point.z + p.farthest[2], a.plane + a.planes - 1));
        for (int z = low.z; z <= high.z; z++)
            for (int y = low.y; y <= high.y; y++)
                for (int x = low.x; x <= high.x; x++) {
                    const double d[3] = {(double)(x - point.x) - (double)offset.x,
                                         (double)(y - point.y) - (double)offset.y,
                                         (double)(z - point.z) - (double)offset.z};
                    add_at(a, x, y, z, contribution(a, a.units[i], d));
                }
    });
}

// ---- host

extern "C" int cuda_density_check(struct trj_error *err) {
    cudaFuncAttributes attributes;
    CUDA_CHECK(cudaFuncGetAttributes(&attributes, (const void *)scatter));
    return 0;
}

extern "C" int cuda_density_scratch(size_t cells, size_t *bytes, struct trj_error *err) {
    unsigned *none = nullptr;
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(nullptr, *bytes, none, none, (int)cells + 1));
    return 0;
}

static unsigned launch_blocks(size_t items, unsigned of) {
    return (unsigned)((items + of - 1) / of);
}

extern "C" int cuda_density_launch(const cuda_density_args *a, const cuda_density_records *r, cudaStream_t stream,
                                   struct trj_error *err) {
    const cuda_lattice_plan &p = a->plan;
    if (!a->count || !a->planes) return 0; // a lattice may have fewer blocks than there are slices
    if (a->kernel != CUDA_GAUSS) {
        scatter<<<launch_blocks(a->count, THREADS), THREADS, 0, stream>>>(*a);
        CUDA_CHECK(cudaGetLastError());
        return 0;
    }
    size_t cells = (size_t)p.cells[0] * p.cells[1] * p.cells[2], scratch = r->scratch_bytes;
    CUDA_CHECK(cudaMemsetAsync(r->next, 0, (cells + 1) * sizeof *r->next, stream));
    count_records<<<launch_blocks(a->count, THREADS), THREADS, 0, stream>>>(*a, r->next, r->found + 1);
    CUDA_CHECK(cudaGetLastError());
    keep_most<<<1, 1, 0, stream>>>(r->found);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cub::DeviceScan::ExclusiveSum(r->scratch, scratch, r->next, r->first, (int)cells + 1, stream));
    CUDA_CHECK(cudaMemcpyAsync(r->next, r->first, cells * sizeof *r->next, cudaMemcpyDeviceToDevice, stream));
    place_records<<<launch_blocks(a->count, THREADS), THREADS, 0, stream>>>(*a, *r);
    CUDA_CHECK(cudaGetLastError());
    const int3 blocks =
        make_int3((p.n[0] + BLOCK - 1) / BLOCK, (p.n[1] + BLOCK - 1) / BLOCK, (a->planes + BLOCK - 1) / BLOCK);
    // If the map has few blocks, several warps share the records of a block.
    const size_t count = (size_t)blocks.x * blocks.y * blocks.z;
    const dim3 grid(launch_blocks(count, WARPS), (unsigned)(1 + ENOUGH_WARPS / count));
    if (a->skew)
        gather<true><<<grid, WARPS * 32, 0, stream>>>(*a, *r, blocks);
    else
        gather<false><<<grid, WARPS * 32, 0, stream>>>(*a, *r, blocks);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
