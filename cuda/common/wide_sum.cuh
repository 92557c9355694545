// SPDX-License-Identifier: MIT
// Sums of 128-bit integers in device memory: two words, the low one first.
#ifndef CUDA_WIDE_SUM_CUH
#define CUDA_WIDE_SUM_CUH

__extension__ typedef __int128 wide;

// Adds the sum of v over the lanes of the warp to *to. All lanes must call it.
static __device__ void add_wide(unsigned long long to[2], wide v) {
    for (int step = 16; step; step /= 2) {
        unsigned long long low = __shfl_xor_sync(0xffffffffu, (unsigned long long)v, step),
                           high = __shfl_xor_sync(0xffffffffu, (unsigned long long)(v >> 64), step);
        v += (wide)high << 64 | low;
    }
    unsigned long long low = (unsigned long long)v, high = (unsigned long long)(v >> 64);
    if (threadIdx.x % 32 || (!low && !high)) return;
    // The high words and the carries out of the low word may be added in any order.
    high += atomicAdd(&to[0], low) + low < low;
    if (high) atomicAdd(&to[1], high);
}

#endif
