// SPDX-License-Identifier: MIT
// Sorts atoms and makes tiles and boxes: five kernels and a radix sort. Positions are wrapped and measured in float64
// without contraction (-fmad=false), so that all devices divide a frame into the same tiles; cuda_bounds.order is a
// digest by which the host checks this.
#include <cub/device/device_radix_sort.cuh>
#include <math.h>

#include "check.cuh"
#include "tile_planner.h"

#define FULL 0xffffffffu

enum { THREADS = 256, MEASURE_BLOCKS = 512 };

// Maps doubles to unsigned integers above 0 in the same order.
static __device__ unsigned long long ordered(double x) {
    unsigned long long b = (unsigned long long)__double_as_longlong(x);
    return b >> 63 ? ~b : b | 1ull << 63;
}

static __device__ double unordered(unsigned long long b) {
    return __longlong_as_double((long long)(b >> 63 ? b & ~(1ull << 63) : ~b));
}

// Wraps an atom into the cell, by its fractional coordinates.
static __device__ void wrapped(const cuda_frame &f, unsigned atom, int wrap[3], double position[3]) {
    double x[3];
    for (int k = 0; k < 3; k++) x[k] = (double)f.x[k * f.capacity + atom] * f.unit;
    for (int k = 0; k < 3; k++) wrap[k] = -(int)floor(f.g[k][0] * x[0] + f.g[k][1] * x[1] + f.g[k][2] * x[2]);
    for (int k = 0; k < 3; k++) position[k] = x[k] + (wrap[0] * f.h[0][k] + wrap[1] * f.h[1][k] + wrap[2] * f.h[2][k]);
}

static __device__ double warp_max(double x, int width) {
    for (int step = width / 2; step; step /= 2) x = fmax(x, __shfl_xor_sync(FULL, x, step));
    return x;
}

static __device__ double warp_min(double x, int width) {
    return -warp_max(-x, width);
}

// Measures the bounds of the wrapped positions, and the largest coordinate of the file. All are maxima; the lower
// bounds are maxima of -x. Each block reduces by shuffles and shared memory, then by atomicMax.
static __global__ void measure(cuda_plan p) {
    const cuda_set &s = p.sets[blockIdx.y];
    const cuda_frame &f = p.frames[s.frame];
    double largest[7];
    for (int i = 0; i < 7; i++) largest[i] = -INFINITY;
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < s.atoms; i += gridDim.x * THREADS) {
        unsigned atom = s.list[i];
        int wrap[3];
        double position[3];
        wrapped(f, atom, wrap, position);
        for (int k = 0; k < 3; k++) {
            largest[k] = fmax(largest[k], -position[k]);
            largest[3 + k] = fmax(largest[3 + k], position[k]);
            largest[6] = fmax(largest[6], fabs((double)f.x[k * f.capacity + atom] * f.unit));
        }
    }
    __shared__ double warps[7][THREADS / 32];
    for (int i = 0; i < 7; i++) {
        double m = warp_max(largest[i], 32);
        if (threadIdx.x % 32 == 0) warps[i][threadIdx.x / 32] = m;
    }
    __syncthreads();
    if (threadIdx.x < 7) {
        double m = -INFINITY;
        for (int w = 0; w < THREADS / 32; w++) m = fmax(m, warps[threadIdx.x][w]);
        unsigned long long *to = threadIdx.x < 3   ? &p.bounds[blockIdx.y].low[threadIdx.x]
                                 : threadIdx.x < 6 ? &p.bounds[blockIdx.y].high[threadIdx.x - 3]
                                                   : &p.bounds[blockIdx.y].farthest;
        if (m > -INFINITY) atomicMax(to, ordered(m));
    }
}

static __global__ void make_columns(cuda_plan p, struct cuda_key key) {
    unsigned set = blockIdx.x * THREADS + threadIdx.x;
    if (set >= p.set_count) return;
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = -unordered(p.bounds[set].low[k]);
        high[k] = unordered(p.bounds[set].high[k]);
    }
    p.columns[set] = cuda_columns_make(low, high, p.sets[set].atoms, CUDA_TILE, key);
}

// Empty places come last in their set and stay there, because the sort is stable.
static __global__ void make_keys(cuda_plan p, uint32_t *keys, uint32_t *values, struct cuda_key key) {
    unsigned place = blockIdx.x * THREADS + threadIdx.x;
    if (place >= p.tiles * CUDA_TILE) return;
    unsigned set = p.set_of_tile[place / CUDA_TILE];
    const cuda_set &s = p.sets[set];
    unsigned i = place - s.first[0] * CUDA_TILE;
    bool there = i < s.atoms;
    values[place] = there ? s.list[i] : CUDA_NO_ATOM;
    keys[place] = cuda_columns_last(key, set);
    if (!there) return;
    int wrap[3];
    double position[3];
    wrapped(p.frames[s.frame], s.list[i], wrap, position);
    keys[place] = cuda_columns_key(&p.columns[set], key, set, position);
}

// Atoms of a tile while they are sorted, in shared memory, one for each warp.
struct workbench {
    double position[3][CUDA_TILE];
    int wrap[3][CUDA_TILE];
    uint32_t atom[CUDA_TILE];
    __align__(16) uint32_t key[CUDA_TILE]; // in the current order; no two are equal
    unsigned char order[CUDA_TILE];        // number of the atom at this place
};

// Sorts each part of `width` places by their keys, by rank. Each lane has two places, 32 apart.
template <unsigned width> static __device__ void sort_parts(workbench &w, unsigned lane) {
    unsigned rank[2], which[2];
    for (int r = 0; r < 2; r++) {
        unsigned me = 32 * r + lane, first = me / width * width;
        uint32_t mine = w.key[me];
        rank[r] = first;
        which[r] = w.order[me];
#pragma unroll
        for (unsigned i = 0; i < width; i += 4) {
            uint4 k = *(const uint4 *)&w.key[first + i];
            rank[r] += (k.x < mine) + (k.y < mine) + (k.z < mine) + (k.w < mine);
        }
    }
    __syncwarp();
    for (int r = 0; r < 2; r++) w.order[rank[r]] = (unsigned char)which[r];
    __syncwarp();
}

// Sorts each part of `width` places along an axis, so that its halves are separated.
template <unsigned width> static __device__ void halve(workbench &w, unsigned lane, int axis, const double low[3]) {
    double from = axis == 0 ? low[0] : axis == 1 ? low[1] : low[2];
    for (int r = 0; r < 2; r++) {
        unsigned me = 32 * r + lane, which = w.order[me];
        float x = w.atom[which] != CUDA_NO_ATOM ? (float)(w.position[axis][which] - from)
                                                : INFINITY;       // empty places come last
        w.key[me] = (__float_as_uint(x) & ~(CUDA_TILE - 1)) | me; // x is not negative
    }
    __syncwarp();
    sort_parts<width>(w, lane);
}

// What a warp knows about its tile. Each lane has the places `lane` and 32 + lane.
struct tile_work {
    unsigned tile, set, lane;
    double low[3], high[3], centre[3]; // of all atoms
    double position[2][3];
    bool there[2]; // the place has an atom
};

static __device__ __forceinline__ size_t place_of(const tile_work &t, int r) {
    return (size_t)t.tile * CUDA_TILE + 32 * r + t.lane;
}

// Loads the atoms of a tile, and finds its box.
static __device__ __forceinline__ void load_tile(const cuda_plan &p, tile_work &t, workbench &bench) {
    const cuda_frame &f = p.frames[p.sets[t.set].frame];
    for (int k = 0; k < 3; k++) {
        t.low[k] = INFINITY;
        t.high[k] = -INFINITY;
    }
    for (int r = 0; r < 2; r++) {
        unsigned i = 32 * r + t.lane, atom = p.atom[(size_t)t.tile * CUDA_TILE + i];
        bench.order[i] = (unsigned char)i;
        bench.atom[i] = atom;
        if (atom == CUDA_NO_ATOM) continue;
        int wrap[3];
        wrapped(f, atom, wrap, t.position[r]);
        for (int k = 0; k < 3; k++) {
            t.low[k] = fmin(t.low[k], t.position[r][k]);
            t.high[k] = fmax(t.high[k], t.position[r][k]);
            bench.position[k][i] = t.position[r][k];
            bench.wrap[k][i] = wrap[k];
        }
    }
    __syncwarp();
    for (int k = 0; k < 3; k++) {
        t.low[k] = warp_min(t.low[k], 32);
        t.high[k] = warp_max(t.high[k], 32);
    }
}

// Sorts the atoms: halved along the longest side, the halves along the next, and their halves along the third, which
// gives eight compact patches.
static __device__ __forceinline__ void sort_tile(const tile_work &t, workbench &bench) {
    double side[3] = {t.high[0] - t.low[0], t.high[1] - t.low[1], t.high[2] - t.low[2]};
    int longest = side[0] >= side[1] && side[0] >= side[2] ? 0 : side[1] >= side[2] ? 1 : 2;
    int next = side[(longest + 1) % 3] >= side[(longest + 2) % 3] ? (longest + 1) % 3 : (longest + 2) % 3;
    halve<CUDA_TILE>(bench, t.lane, longest, t.low);
    halve<CUDA_TILE / 2>(bench, t.lane, next, t.low);
    halve<CUDA_TILE / 4>(bench, t.lane, 3 - longest - next, t.low);
}

// Stores the atoms in their new order. Returns the lane's part of the digest of the order.
static __device__ __forceinline__ unsigned long long store_order(const cuda_plan &p, tile_work &t,
                                                                 const workbench &bench) {
    unsigned long long digest = 0;
    for (int r = 0; r < 2; r++) {
        unsigned which = bench.order[32 * r + t.lane], atom = bench.atom[which];
        size_t place = place_of(t, r);
        p.atom[place] = atom;
        t.there[r] = atom != CUDA_NO_ATOM;
        for (int k = 0; k < 3; k++) p.wrap[3 * place + k] = t.there[r] ? bench.wrap[k][which] : 0;
        if (!t.there[r]) continue;
        for (int k = 0; k < 3; k++) t.position[r][k] = bench.position[k][which];
        digest += (atom + 1ull) *
                  (2654435761ull * (place - (size_t)p.sets[t.set].first[0] * CUDA_TILE) + 0x9E3779B97F4A7C15ull);
    }
    return digest;
}

static __device__ __forceinline__ void store_box(const cuda_plan &p, tile_work &t) {
    for (int k = 0; k < 3; k++) {
        t.centre[k] = t.low[k] + (t.high[k] - t.low[k]) / 2;
        if (t.lane == 0) { // from the rounded centre
            p.centre[0][3 * t.tile + k] = t.centre[k];
            p.half[0][3 * t.tile + k] = fmax(t.high[k] - t.centre[k], t.centre[k] - t.low[k]);
        }
    }
}

// Stores the coordinates of one of the lane's atoms, relative to the centre, and the box of its patch. Returns the
// square of the distance from the centre; 0 without an atom.
static __device__ __forceinline__ double store_patch(const cuda_plan &p, const tile_work &t, int r) {
    size_t place = place_of(t, r);
    double d[3], patch_centre[3], patch_half[3];
    for (int k = 0; k < 3; k++) {
        d[k] = t.there[r] ? t.position[r][k] - t.centre[k] : 0;
        double from = warp_min(t.there[r] ? d[k] : INFINITY, CUDA_PATCH),
               to = warp_max(t.there[r] ? d[k] : -INFINITY, CUDA_PATCH);
        float middle = from <= to ? (float)(from + (to - from) / 2) : 0;
        patch_centre[k] = (double)middle;
        patch_half[k] = from <= to ? fmax(to - (double)middle, (double)middle - from) : -1e30;
    }
    if (p.local32)
        p.local32[place] = make_float4((float)(d[0] * p.scale), (float)(d[1] * p.scale), (float)(d[2] * p.scale), 0);
    if (p.local64) {
        double u[3], *to = p.local64 + 4 * place;
        for (int k = 0; k < 3; k++) to[k] = u[k] = d[k] * p.scale;
        to[3] = t.there[r] ? u[0] * u[0] + u[1] * u[1] + u[2] * u[2] : CUDA_FAR_AWAY;
    }
    if (t.lane % CUDA_PATCH == 0) {
        float4 *to = p.patch + 2 * (place / CUDA_PATCH);
        to[0] = make_float4((float)patch_centre[0], (float)patch_centre[1], (float)patch_centre[2], 0);
        to[1] = make_float4(__double2float_ru(patch_half[0]), __double2float_ru(patch_half[1]),
                            __double2float_ru(patch_half[2]), 0);
    }
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

// Makes one tile a warp.
static __global__ void __launch_bounds__(THREADS) build_tiles(cuda_plan p) {
    __shared__ workbench benches[THREADS / 32];
    workbench &bench = benches[threadIdx.x / 32];
    tile_work t;
    t.tile = (blockIdx.x * THREADS + threadIdx.x) / 32;
    t.lane = threadIdx.x % 32;
    if (t.tile >= p.tiles) return;
    t.set = p.set_of_tile[t.tile];
    load_tile(p, t, bench);
    sort_tile(t, bench);
    unsigned long long digest = store_order(p, t, bench);
    store_box(p, t);
    double radius2 = 0;
    for (int r = 0; r < 2; r++) radius2 = fmax(radius2, store_patch(p, t, r));
    radius2 = warp_max(radius2, 32);
    for (int step = 16; step; step /= 2) digest += __shfl_xor_sync(FULL, digest, step);
    if (t.lane) return;
    p.radius[t.tile] = sqrt(radius2) * (1 + 1e-12);
    atomicAdd(&p.bounds[t.set].order, digest);
}

// Makes the boxes of a level from those of the level below, one warp a box and one lane a box below it.
static __global__ void build_boxes(cuda_plan p, int level) {
    const cuda_set &s = p.sets[blockIdx.y];
    unsigned lane = threadIdx.x % 32;
    for (unsigned b = (blockIdx.x * THREADS + threadIdx.x) / 32; b < s.boxes[level]; b += gridDim.x * (THREADS / 32)) {
        unsigned child = b * CUDA_CHILDREN + lane;
        for (int k = 0; k < 3; k++) {
            double low = INFINITY, high = -INFINITY;
            if (child < s.boxes[level - 1]) {
                size_t i = 3 * (size_t)(s.first[level - 1] + child) + k;
                low = p.centre[level - 1][i] - p.half[level - 1][i];
                high = p.centre[level - 1][i] + p.half[level - 1][i];
            }
            low = warp_min(low, 32);
            high = warp_max(high, 32);
            if (lane) continue;
            size_t i = 3 * (size_t)(s.first[level] + b) + k;
            p.centre[level][i] = low + (high - low) / 2;
            p.half[level][i] = (high - low) / 2 * (1 + 1e-9); // exceeds the rounding
        }
    }
}

extern "C" int cuda_plan_scratch(unsigned places, size_t *bytes, struct trj_error *err) {
    *bytes = 0;
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(NULL, *bytes, (uint32_t *)NULL, (uint32_t *)NULL, (uint32_t *)NULL,
                                               (uint32_t *)NULL, places, 0, 32));
    return 0;
}

extern "C" int cuda_plan_launch(const cuda_plan *plan, const cuda_sorter *sorter, unsigned max_atoms,
                                cudaStream_t stream, struct trj_error *err) {
    const cuda_plan p = *plan;
    unsigned places = p.tiles * CUDA_TILE;
    struct cuda_key key = cuda_key_make(p.set_count, CUDA_TILE, max_atoms);
    size_t bytes = sorter->scratch_bytes;
    unsigned segments = (max_atoms + 4 * THREADS - 1) / (4 * THREADS),
             tops = (max_atoms / CUDA_TILE / CUDA_CHILDREN + 8) / 8;
    CUDA_CHECK(cudaMemsetAsync(p.bounds, 0, p.set_count * sizeof *p.bounds, stream));
    measure<<<dim3(segments < MEASURE_BLOCKS ? segments : MEASURE_BLOCKS, p.set_count), THREADS, 0, stream>>>(p);
    make_columns<<<(p.set_count + THREADS - 1) / THREADS, THREADS, 0, stream>>>(p, key);
    make_keys<<<(places + THREADS - 1) / THREADS, THREADS, 0, stream>>>(p, sorter->keys[0], sorter->atom, key);
    CUDA_CHECK(cub::DeviceRadixSort::SortPairs(sorter->scratch, bytes, sorter->keys[0], sorter->keys[1], sorter->atom,
                                               p.atom, (int)places, 0, key.set + key.column + key.along, stream));
    build_tiles<<<(p.tiles * 32 + THREADS - 1) / THREADS, THREADS, 0, stream>>>(p);
    for (int level = 1; level < CUDA_LEVELS; level++)
        build_boxes<<<dim3(tops < 256 ? tops : 256, p.set_count), THREADS, 0, stream>>>(p, level);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
