// SPDX-License-Identifier: MIT
// What the kernels of orbitals share: lists that keep the order of their entries.
#ifndef CUDA_ORBITAL_DEVICE_CUH
#define CUDA_ORBITAL_DEVICE_CUH

#include "orbital_derivative.h"
#include "orbital_kernels.h"

// Returns the number of threads before this one for which `keep` is true, and sets *total to that number for all
// threads of the block, which has WARPS warps. All threads call it.
template <unsigned WARPS>
static __device__ __forceinline__ unsigned rank_of(bool keep, unsigned (&kept)[WARPS], unsigned *total) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, hits = __ballot_sync(0xffffffffu, keep);
    if (lane == 0) kept[warp] = __popc(hits);
    __syncthreads();
    unsigned rank = __popc(hits & ((1u << lane) - 1)), sum = 0;
    for (unsigned w = 0; w < WARPS; w++) {
        if (w < warp) rank += kept[w];
        sum += kept[w];
    }
    __syncthreads(); // `kept` can be used again
    *total = sum;
    return rank;
}

#endif
