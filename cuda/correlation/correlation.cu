// SPDX-License-Identifier: MIT
// The kernels of correlations. The selections of a frame are computed together: each is too small to occupy a GPU.
#include <climits>

#include "check.cuh"
#include "correlation.h"
#include "gauss_block.cuh"
#include "lattice_records.cuh"
#include "prefix_sum.h"
#include "wide_sum.cuh"

enum {
    THREADS = 256,
    WARPS = 4,            // warps in a thread block of correlate()
    MIN_SHIFT = 2,        // a grid cell has at least 2^2 points along each axis
    THREAD_BLOCKS = 2048, // thread blocks of correlate(): enough for the largest GPU
    MAX_SHARES = 64,      // largest number of thread blocks that find the box of a selection
    POINTS = BLOCK * BLOCK * BLOCK,
};

// ---- boxes and records

static __global__ void clear_selections(cuda_correlation_args c) {
    unsigned s = blockIdx.x * THREADS + threadIdx.x;
    if (s > c.selections) return;
    if (s == c.selections) { // the element after the last one, which the scan reads
        c.blocks[s] = 0;
        *c.taken = 0;
        return;
    }
    for (int k = 0; k < 3; k++) {
        c.box[s].low[k] = INT_MAX;
        c.box[s].high[k] = INT_MIN;
    }
    c.sums[s] = cuda_correlation_sums{};
}

// Finds the box of the nearest points of the records of selection blockIdx.x.
static __global__ void find_boxes(cuda_correlation_args c) {
    unsigned s = blockIdx.x, end = c.first[s + 1];
    int low[3] = {INT_MAX, INT_MAX, INT_MAX}, high[3] = {INT_MIN, INT_MIN, INT_MIN};
    for (unsigned i = c.first[s] + blockIdx.y * THREADS + threadIdx.x; i < end; i += gridDim.y * THREADS) {
        if (c.gauss.amplitude[i] == 0) continue;
        for_records(c.gauss, i, [&](int4 point, float4) {
            const int index[3] = {point.x, point.y, point.z};
            for (int k = 0; k < 3; k++) {
                low[k] = min(low[k], index[k]);
                high[k] = max(high[k], index[k]);
            }
        });
    }
    for (int k = 0; k < 3; k++) {
        for (int step = 16; step; step /= 2) {
            low[k] = min(low[k], __shfl_xor_sync(FULL, low[k], step));
            high[k] = max(high[k], __shfl_xor_sync(FULL, high[k], step));
        }
        if (threadIdx.x % 32 || low[k] > high[k]) continue;
        atomicMin(&c.box[s].low[k], low[k]);
        atomicMax(&c.box[s].high[k], high[k]);
    }
}

// Divides the box of each selection into at most first_cell[s + 1] - first_cell[s] grid cells, and the points that its
// records reach into blocks.
static __global__ void divide_boxes(cuda_correlation_args c) {
    unsigned s = blockIdx.x * THREADS + threadIdx.x;
    if (s >= c.selections) return;
    const cuda_lattice_plan &p = c.gauss.plan;
    cuda_correlation_box &box = c.box[s];
    c.blocks[s] = 0;
    if (box.low[0] > box.high[0]) return;
    unsigned long long limit = c.first_cell[s + 1] - c.first_cell[s], cells, blocks = 1;
    for (box.shift = MIN_SHIFT;; box.shift++) {
        cells = 1;
        for (int k = 0; k < 3; k++) {
            box.cells[k] = ((unsigned)(box.high[k] - box.low[k]) >> box.shift) + 1;
            cells *= box.cells[k];
        }
        if (cells <= limit) break;
    }
    for (int k = 0; k < 3; k++) {
        int last = min(box.high[k] + p.farthest[k], p.n[k] - 1);
        box.block[k] = max(box.low[k] - p.farthest[k], 0);
        box.blocks[k] = (unsigned)(last - box.block[k]) / BLOCK + 1;
        blocks *= box.blocks[k];
    }
    c.blocks[s] = blocks;
}

static __device__ unsigned cell_along(const cuda_correlation_box &box, int k, int point) {
    return (unsigned)(min(max(point, box.low[k]), box.high[k]) - box.low[k]) >> box.shift;
}

static __device__ unsigned cell_of(const cuda_correlation_args &c, unsigned s, int4 point) {
    const cuda_correlation_box &box = c.box[s];
    return c.first_cell[s] + cell_along(box, 0, point.x) +
           box.cells[0] * (cell_along(box, 1, point.y) + box.cells[1] * cell_along(box, 2, point.z));
}

static __global__ void count_records(cuda_correlation_args c, unsigned *cells) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= c.gauss.count || c.gauss.amplitude[i] == 0) return;
    for_records(c.gauss, i, [&](int4 point, float4) { atomicAdd(&cells[cell_of(c, c.selection[i], point)], 1u); });
}

static __global__ void place_records(cuda_correlation_args c, cuda_density_records r) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= c.gauss.count || c.gauss.amplitude[i] == 0) return;
    for_records(c.gauss, i, [&](int4 point, float4 offset) {
        unsigned to = atomicAdd(&r.next[cell_of(c, c.selection[i], point)], 1u);
        r.point[to] = point;
        r.offset[to] = offset;
    });
}

// ---- sums

// Returns the selection of a block: the last one whose first block is not after this block.
static __device__ unsigned selection_of(const cuda_correlation_args &c, unsigned long long block) {
    unsigned low = 0, high = c.selections;
    while (high - low > 1) {
        unsigned middle = low + (high - low) / 2;
        if (c.first_block[middle] <= block)
            low = middle;
        else
            high = middle;
    }
    return low;
}

// Adds the points of a block to the sums of selection s.
static __device__ void add_points(const cuda_correlation_args &c, unsigned s, const int first[3],
                                  const long long *density) {
    const int *size = c.gauss.plan.n;
    unsigned long long n = 0, overflow = 0;
    wide x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (unsigned p = threadIdx.x; p < POINTS; p += WARPS * 32) {
        int i = first[0] + p % BLOCK, j = first[1] + p / BLOCK % BLOCK, k = first[2] + p / BLOCK / BLOCK;
        if (i >= size[0] || j >= size[1] || k >= size[2]) continue;
        size_t index = i + (size_t)size[0] * (j + (size_t)size[1] * k);
        if ((c.own && density[p] <= c.above) || (c.fixed && !c.fixed[index])) continue;
        long long value = c.whole ? c.whole[index] : density[p];
        if (value >= 1ll << 43 || value <= -(1ll << 43)) overflow++;
        unsigned long long other = c.y[index];
        n++;
        x += value;
        y += other;
        xx += (wide)value * value;
        xy += (wide)value * other;
        yy += other * other;
    }
    cuda_correlation_sums &to = c.sums[s];
    if (!__any_sync(FULL, c.own ? n > 0 : xx != 0)) return;
    add_wide(to.x, x);
    add_wide(to.xx, xx);
    add_wide(to.xy, xy);
    if (overflow) atomicAdd(&to.overflow, overflow);
    if (!c.own) return;
    for (int step = 16; step; step /= 2) n += __shfl_xor_sync(FULL, n, step);
    if (threadIdx.x % 32 == 0) atomicAdd(&to.n, n);
    add_wide(to.y, y);
    add_wide(to.yy, yy);
}

template <enum shape shape>
static __global__ void __launch_bounds__(WARPS * 32, 4) correlate(cuda_correlation_args c, cuda_density_records r) {
    __shared__ gather_memory<shape> memory[WARPS];
    __shared__ long long density[POINTS];
    __shared__ unsigned long long taken;
    const cuda_lattice_plan &p = c.gauss.plan;
    for (;;) {
        __syncthreads(); // all threads have added their points of the previous block
        if (!threadIdx.x) taken = atomicAdd(c.taken, 1ull);
        for (unsigned i = threadIdx.x; i < POINTS; i += WARPS * 32) density[i] = 0;
        __syncthreads();
        unsigned long long block = taken;
        if (block >= c.first_block[c.selections]) return;
        unsigned s = selection_of(c, block);
        const cuda_correlation_box &box = c.box[s];
        block -= c.first_block[s];
        const int first[3] = {box.block[0] + (int)(block % box.blocks[0]) * BLOCK,
                              box.block[1] + (int)(block / box.blocks[0] % box.blocks[1]) * BLOCK,
                              box.block[2] + (int)(block / box.blocks[0] / box.blocks[1]) * BLOCK};
        cell_box cells = {.first = c.first_cell[s], .row = box.cells[0], .plane = box.cells[0] * box.cells[1]};
        for (int k = 0; k < 3; k++) {
            cells.low[k] = cell_along(box, k, first[k] - p.farthest[k]);
            cells.high[k] = cell_along(box, k, first[k] + BLOCK - 1 + p.farthest[k]);
        }
        gather_records<shape>(c.gauss, r, cells, first, threadIdx.x / 32, WARPS, memory[threadIdx.x / 32],
                              [&](int i, int j, int k, long long value) {
                                  atomicAdd((unsigned long long *)&density[i + BLOCK * (j + BLOCK * k)],
                                            (unsigned long long)value);
                              });
        __syncthreads();
        add_points(c, s, first, density);
    }
}

// ---- host

extern "C" int cuda_correlation_scratch(size_t cells, size_t selections, size_t *bytes, struct trj_error *err) {
    unsigned *cell = nullptr;
    unsigned long long *block = nullptr;
    size_t more;
    CUDA_CHECK(cuda_prefix_sum(nullptr, bytes, cell, cell, cells + 1, 0));
    CUDA_CHECK(cuda_prefix_sum_64(nullptr, &more, block, block, selections + 1, 0));
    if (more > *bytes) *bytes = more;
    return 0;
}

static unsigned launch_blocks(size_t items) {
    return (unsigned)((items + THREADS - 1) / THREADS);
}

extern "C" int cuda_correlation_launch(const cuda_correlation_args *c, const cuda_density_records *r,
                                       cudaStream_t stream, struct trj_error *err) {
    const unsigned atoms = launch_blocks(c->gauss.count), shares = launch_blocks(c->longest);
    size_t scratch = r->scratch_bytes;
    clear_selections<<<launch_blocks(c->selections + 1), THREADS, 0, stream>>>(*c);
    CUDA_CHECK(cudaGetLastError());
    find_boxes<<<dim3(c->selections, shares < MAX_SHARES ? shares : MAX_SHARES), THREADS, 0, stream>>>(*c);
    CUDA_CHECK(cudaGetLastError());
    divide_boxes<<<launch_blocks(c->selections), THREADS, 0, stream>>>(*c);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cuda_prefix_sum_64(r->scratch, &scratch, c->blocks, c->first_block, c->selections + 1, stream));
    CUDA_CHECK(cudaMemsetAsync(r->next, 0, (c->cells + 1) * sizeof *r->next, stream));
    count_records<<<atoms, THREADS, 0, stream>>>(*c, r->next);
    CUDA_CHECK(cudaGetLastError());
    scratch = r->scratch_bytes;
    CUDA_CHECK(cuda_prefix_sum(r->scratch, &scratch, r->next, r->first, c->cells + 1, stream));
    CUDA_CHECK(cudaMemcpyAsync(r->next, r->first, c->cells * sizeof *r->next, cudaMemcpyDeviceToDevice, stream));
    place_records<<<atoms, THREADS, 0, stream>>>(*c, *r);
    CUDA_CHECK(cudaGetLastError());
    switch (shape_of(&c->gauss)) {
    case ORTHOGONAL:
        correlate<ORTHOGONAL><<<THREAD_BLOCKS, WARPS * 32, 0, stream>>>(*c, *r);
        break;
    case SKEW:
        correlate<SKEW><<<THREAD_BLOCKS, WARPS * 32, 0, stream>>>(*c, *r);
        break;
    case OBLIQUE:
        correlate<OBLIQUE><<<THREAD_BLOCKS, WARPS * 32, 0, stream>>>(*c, *r);
        break;
    }
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
