// SPDX-License-Identifier: MIT
// The kernels that place ions. They keep the state between ions, because a launch takes less time than its result needs
// to reach the host.
#include "check.cuh"
#include "ion_kernels.h"
extern "C" {
#include "distance_terms.h"
#include "exclusion_terms.h"
}

#define FULL 0xffffffffu

enum {
    THREADS = 256,
    WARPS = THREADS / 32,
    ROW_THREADS = 128, // of the exclusion: a thread block for each atom, a thread for each row
};

typedef cuda_ion_args arguments;
typedef cuda_ion_lowest lowest;
typedef unsigned long long u64;

// ---- distances

static __device__ size_t thread_number() {
    return (size_t)blockIdx.x * blockDim.x + threadIdx.x;
}

static __global__ void tabulate_along(arguments a, size_t count) {
    const pot_distances &d = a.distances;
    size_t number = thread_number(), row = number / d.size[0];
    if (number < count) d.along[number] = pot_distances_along(&d, number % d.size[0], row % d.size[1], row / d.size[1]);
}

static __global__ void tabulate_offsets(arguments a, size_t count) {
    size_t row = thread_number(), y = row % a.distances.size[1], z = row / a.distances.size[1];
    if (row < count) pot_distances_offset(&a.distances, y, z, &a.offset[row][0], &a.offset[row][1]);
}

// ---- exclusion

// Threads may exclude a point at the same time; they all write the same value.
static __global__ void exclude(arguments a, size_t first) {
    const pot_exclusion &e = a.exclusion;
    const double *u = e.index[first + blockIdx.x];
    const uint64_t *n = e.lattice.n;
    int64_t j0, j1, k0, k1;
    if (!pot_exclusion_find_range(&e, u, 1, 0, (double)n[1] - 1, &j0, &j1) ||
        !pot_exclusion_find_range(&e, u, 2, 0, (double)n[2] - 1, &k0, &k1))
        return;
    int64_t rows = j1 - j0 + 1, all = rows * (k1 - k0 + 1);
    for (int64_t row = threadIdx.x; row < all; row += ROW_THREADS) {
        int64_t j = j0 + row % rows, k = k0 + row / rows;
        uint64_t from = n[0] * (pot_exclusion_wrap(j, n[1]) + n[1] * pot_exclusion_wrap(k, n[2]));
        pot_exclusion_apply_row(&e, a.value + from, u, j, k);
    }
}

// ---- search

static __device__ void take_lower(lowest *best, const lowest &other) {
    if (other.energy < best->energy || (other.energy == best->energy && other.point < best->point)) *best = other;
}

// Finds the lowest of the energies that the threads of a block pass; the result is that of thread 0.
static __device__ lowest find_in_block(lowest best) {
    __shared__ lowest of_warp[WARPS];
    for (int step = 16; step; step /= 2) {
        const lowest other = {__shfl_down_sync(FULL, best.energy, step), __shfl_down_sync(FULL, best.point, step)};
        take_lower(&best, other);
    }
    __syncthreads(); // an earlier call may still use `of_warp`
    if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = best;
    __syncthreads();
    if (threadIdx.x == 0)
        for (int w = 1; w < WARPS; w++) take_lower(&best, of_warp[w]);
    return best;
}

static __device__ lowest nothing() {
    return {INFINITY, ~(u64)0};
}

// Stores the place of an ion, and its indices for the next kernel.
static __device__ void set_ion(const arguments &a, const lowest &best, unsigned number) {
    cuda_ion_state &s = *a.state;
    if (!(best.energy < INFINITY)) {
        s.full = 1;
        return;
    }
    const uint64_t *n = a.distances.lattice.n;
    a.ion[number] = best;
    s.last[0] = (unsigned)(best.point % n[0]);
    s.last[1] = (unsigned)(best.point / n[0] % n[1]);
    s.last[2] = (unsigned)(best.point / n[0] / n[1]);
}

// Finds the lowest of the energies that all threads of a kernel pass. The last block to arrive places the ion, because
// all others have then read the indices of the previous ion.
static __device__ void finish(const arguments &a, lowest best, unsigned number) {
    __shared__ bool last;
    best = find_in_block(best);
    if (threadIdx.x == 0) {
        a.lowest[blockIdx.x] = best;
        __threadfence();
        last = atomicInc(&a.state->blocks_done, gridDim.x - 1) == gridDim.x - 1; // the last one resets it to 0
    }
    __syncthreads();
    if (!last) return;
    __threadfence();
    best = nothing();
    for (unsigned b = threadIdx.x; b < gridDim.x; b += THREADS) {
        const lowest other = {__ldcg(&a.lowest[b].energy), __ldcg(&a.lowest[b].point)};
        take_lower(&best, other);
    }
    best = find_in_block(best);
    if (threadIdx.x == 0) set_ion(a, best, number);
}

// A thread visits its points in ascending order, so that the first of several equal energies remains.
static __device__ void note_energy(lowest *best, double energy, unsigned point) {
    if (!(energy < best->energy)) return;
    best->energy = energy;
    best->point = point;
}

static __global__ void __launch_bounds__(THREADS) place_first(arguments a, double sign) {
    lowest best = nothing();
    unsigned excluded = 0;
    for (unsigned p = blockIdx.x * THREADS + threadIdx.x; p < a.points; p += gridDim.x * THREADS) {
        double v = a.value[p];
        note_energy(&best, sign * v, p);
        excluded += isnan(v) != 0;
        if (isinf(v)) a.state->infinite = 1;
    }
    for (int step = 16; step; step /= 2) excluded += __shfl_down_sync(FULL, excluded, step);
    if (threadIdx.x % 32 == 0) atomicAdd(&a.state->excluded, (u64)excluded);
    finish(a, best, 0);
}

// The numbers of the differences of indices along an axis from a point (pot_distances_number): the sum of the index and
// `base`, modulo 2^32, and `period` if the index is less than that of the point.
struct differences {
    unsigned from, base, period;
};

static __device__ differences differences_from(const pot_distances &d, int axis, unsigned from) {
    unsigned base = (unsigned)pot_distances_number(&d, axis, from, from) - from;
    return {from, base, d.lattice.periodic >> axis & 1 ? (unsigned)d.lattice.n[axis] : 0};
}

static __device__ unsigned number_of(const differences &d, unsigned index) {
    return index + d.base + (index < d.from ? d.period : 0);
}

// The indices of a point. Points are visited in steps of a constant number of points, because divisions are slow.
struct place {
    unsigned i, j, k;
};

static __device__ place place_of(const arguments &a, unsigned point) {
    unsigned width = (unsigned)a.distances.lattice.n[0], height = (unsigned)a.distances.lattice.n[1];
    return {point % width, point / width % height, point / width / height};
}

static __device__ void advance(const arguments &a, place *here, const place &by) {
    unsigned width = (unsigned)a.distances.lattice.n[0], height = (unsigned)a.distances.lattice.n[1];
    here->i += by.i;
    bool carry = here->i >= width;
    if (carry) here->i -= width;
    here->j += by.j + carry;
    carry = here->j >= height;
    if (carry) here->j -= height;
    here->k += by.k + carry;
}

static __global__ void __launch_bounds__(THREADS)
    place_next(arguments a, struct pot_row_update update, unsigned number) {
    const pot_distances &d = a.distances;
    const cuda_ion_state &s = *a.state;
    if (s.full) return;
    const differences x = differences_from(d, 0, s.last[0]), y = differences_from(d, 1, s.last[1]),
                      z = differences_from(d, 2, s.last[2]);
    unsigned stride = gridDim.x * THREADS, p = blockIdx.x * THREADS + threadIdx.x;
    const place by = place_of(a, stride);
    place here = place_of(a, p);
    lowest best = nothing();
    for (; p < a.points; p += stride, advance(a, &here, by)) {
        size_t row = number_of(z, here.k) * d.size[1] + number_of(y, here.j), along = number_of(x, here.i);
        double2 offset = {0, 0};
        if (d.whole)
            along += row * d.size[0];
        else
            offset = *(const double2 *)a.offset[row];
        double v = pot_point_update(a.value[p], d.along[along], offset.x, offset.y, update.charge, update.reach2);
        a.value[p] = v;
        note_energy(&best, update.sign * v, p);
    }
    finish(a, best, number);
}

// ---- host

extern "C" int cuda_ion_blocks(unsigned *blocks, struct trj_error *err) {
    int device, processors, each;
    CUDA_CHECK(cudaGetDevice(&device));
    CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, place_next, THREADS, 0));
    *blocks = (unsigned)(processors * each);
    return 0;
}

static unsigned launch_blocks(size_t threads) {
    return (unsigned)((threads + THREADS - 1) / THREADS);
}

extern "C" int cuda_ion_tabulate(const arguments *a, cudaStream_t stream, struct trj_error *err) {
    const pot_distances &d = a->distances;
    size_t rows = d.size[1] * d.size[2], along = d.size[0] * (d.whole ? rows : 1);
    tabulate_along<<<launch_blocks(along), THREADS, 0, stream>>>(*a, along);
    CUDA_CHECK(cudaGetLastError());
    if (d.whole) return 0;
    tabulate_offsets<<<launch_blocks(rows), THREADS, 0, stream>>>(*a, rows);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_ion_exclude(const arguments *a, size_t first, unsigned count, cudaStream_t stream,
                                struct trj_error *err) {
    exclude<<<count, ROW_THREADS, 0, stream>>>(*a, first);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_ion_place_first(const arguments *a, double sign, cudaStream_t stream, struct trj_error *err) {
    place_first<<<a->blocks, THREADS, 0, stream>>>(*a, sign);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_ion_place_next(const arguments *a, const struct pot_row_update *update, unsigned number,
                                   cudaStream_t stream, struct trj_error *err) {
    place_next<<<a->blocks, THREADS, 0, stream>>>(*a, *update, number);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
