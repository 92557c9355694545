// SPDX-License-Identifier: MIT
// The kernels of densities. Points gather Gaussians, as each has many; atoms add the few points of other kernels.

#include "check.cuh"
#include "density.h"
#include "gauss_block.cuh"
#include "lattice_images.cuh"
#include "lattice_records.cuh"
#include "prefix_sum.h"

enum {
    THREADS = 256,
    WARPS = 4,           // warps in a thread block
    ENOUGH_WARPS = 4096, // warps that occupy the largest GPU
};

// ---- records

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
static __global__ void keep_max(unsigned long long *found) {
    if (found[1] > found[0]) found[0] = found[1];
    found[1] = 0;
}

static __global__ void place_records(cuda_density_args a, cuda_density_records r) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= a.count || a.amplitude[i] == 0 || r.found[0] > r.capacity) return;
    for_records(a, i, [&](int4 point, float4 offset) {
        unsigned to = atomicAdd(&r.next[cell_of(a.plan, point)], 1u);
        r.point[to] = point;
        r.offset[to] = offset;
    });
}

// ---- Gaussians

template <enum shape shape>
static __global__ void __launch_bounds__(WARPS * 32, 4)
    gather(cuda_density_args a, cuda_density_records r, int3 blocks) {
    __shared__ gather_memory<shape> memory[WARPS];
    long long block = (long long)blockIdx.x * WARPS + threadIdx.x / 32;
    if (block >= (long long)blocks.x * blocks.y * blocks.z || r.found[0] > r.capacity) return;
    const cuda_lattice_plan &p = a.plan;
    const int first[3] = {(int)(block % blocks.x) * BLOCK, (int)(block / blocks.x % blocks.y) * BLOCK,
                          (int)(block / blocks.x / blocks.y) * BLOCK + a.plane};
    cell_box cells = {.first = 0, .row = p.cells[0], .plane = p.cells[0] * p.cells[1]};
    for (int k = 0; k < 3; k++) {
        cells.low[k] = cell_along(p, k, first[k] - p.farthest[k]);
        cells.high[k] = cell_along(p, k, first[k] + BLOCK - 1 + p.farthest[k]);
    }
    gather_records<shape>(a, r, cells, first, blockIdx.y, gridDim.y, memory[threadIdx.x / 32],
                          [&](int i, int j, int k, long long value) {
                              int x = first[0] + i, y = first[1] + j, z = first[2] + k;
                              if (x >= p.n[0] || y >= p.n[1] || z >= a.plane + a.planes) return;
                              long long *to = &a.map[x + (size_t)p.n[0] * (y + (size_t)p.n[1] * (z - a.plane))];
                              if (gridDim.y > 1)
                                  atomicAdd((unsigned long long *)to, (unsigned long long)value);
                              else
                                  *to += value;
                          });
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

extern "C" int cuda_density_scratch(size_t cells, size_t *bytes, struct trj_error *err) {
    unsigned *none = nullptr;
    CUDA_CHECK(cuda_prefix_sum(nullptr, bytes, none, none, cells + 1, 0));
    return 0;
}

static unsigned launch_blocks(size_t items, unsigned each) {
    return (unsigned)((items + each - 1) / each);
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
    keep_max<<<1, 1, 0, stream>>>(r->found);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cuda_prefix_sum(r->scratch, &scratch, r->next, r->first, cells + 1, stream));
    CUDA_CHECK(cudaMemcpyAsync(r->next, r->first, cells * sizeof *r->next, cudaMemcpyDeviceToDevice, stream));
    place_records<<<launch_blocks(a->count, THREADS), THREADS, 0, stream>>>(*a, *r);
    CUDA_CHECK(cudaGetLastError());
    const int3 blocks =
        make_int3((p.n[0] + BLOCK - 1) / BLOCK, (p.n[1] + BLOCK - 1) / BLOCK, (a->planes + BLOCK - 1) / BLOCK);
    // If the map has few blocks, several warps share the records of a block.
    const size_t count = (size_t)blocks.x * blocks.y * blocks.z;
    const dim3 grid(launch_blocks(count, WARPS), (unsigned)(1 + ENOUGH_WARPS / count));
    switch (shape_of(a)) {
    case ORTHOGONAL:
        gather<ORTHOGONAL><<<grid, WARPS * 32, 0, stream>>>(*a, *r, blocks);
        break;
    case SKEW:
        gather<SKEW><<<grid, WARPS * 32, 0, stream>>>(*a, *r, blocks);
        break;
    case OBLIQUE:
        gather<OBLIQUE><<<grid, WARPS * 32, 0, stream>>>(*a, *r, blocks);
        break;
    }
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
