// SPDX-License-Identifier: MIT
// Gathers the members of a group and adds frames, for all methods. Each thread has one member, or some points. All
// accesses but those of lists of places are coalesced.
#include "frame_kernels.h"

#include "check.cuh"

enum { THREADS = 256, MAX_BLOCKS = 65536 };

static unsigned blocks_for(size_t count) {
    size_t blocks = (count + THREADS - 1) / THREADS;
    return (unsigned)(blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS);
}

static __global__ void __launch_bounds__(THREADS) gather_kernel(const __grid_constant__ cuda_frame_members m) {
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < m.count; i += gridDim.x * THREADS) {
        const unsigned place = m.place ? m.place[i] : i, atom = m.atom[place];
        for (int k = 0; k < 3; k++) m.position[k][i] = (double)m.x[k * m.capacity + atom] * m.unit;
        for (int p = 0; m.place && p < CUDA_FRAME_PROPERTIES; p++)
            if (m.property[p]) m.member[p][i] = m.property[p][place];
    }
}

static __global__ void __launch_bounds__(THREADS)
    values_kernel(const double *from, const uint32_t *place, unsigned count, double *to) {
    for (unsigned i = blockIdx.x * THREADS + threadIdx.x; i < count; i += gridDim.x * THREADS) to[i] = from[place[i]];
}

static __global__ void __launch_bounds__(THREADS)
    accumulate_kernel(const unsigned long long *values, unsigned long long *total, size_t count, unsigned *overflow) {
    for (size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x; i < count; i += (size_t)gridDim.x * THREADS) {
        const unsigned long long a = total[i], b = values[i], sum = a + b;
        if ((long long)((a ^ sum) & (b ^ sum)) < 0) *overflow = 1;
        total[i] = sum;
    }
}

extern "C" int cuda_frame_gather(const cuda_frame_members *m, cudaStream_t stream, struct trj_error *err) {
    if (!m->count) return 0;
    gather_kernel<<<blocks_for(m->count), THREADS, 0, stream>>>(*m);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_frame_gather_values(const double *from, const uint32_t *place, unsigned count, double *to,
                                        cudaStream_t stream, struct trj_error *err) {
    if (!count) return 0;
    values_kernel<<<blocks_for(count), THREADS, 0, stream>>>(from, place, count, to);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}

extern "C" int cuda_frame_accumulate(const unsigned long long *values, unsigned long long *total, size_t count,
                                     unsigned *overflow, cudaStream_t stream, struct trj_error *err) {
    if (!count) return 0;
    accumulate_kernel<<<blocks_for(count), THREADS, 0, stream>>>(values, total, count, overflow);
    CUDA_CHECK(cudaGetLastError());
    return 0;
}
