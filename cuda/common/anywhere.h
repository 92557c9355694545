// SPDX-License-Identifier: MIT
// Functions that the device runs, and the tests on the CPU.
#ifndef CUDA_ANYWHERE_H
#define CUDA_ANYWHERE_H

#ifdef __CUDACC__
#define CUDA_ANYWHERE static __host__ __device__ __forceinline__
#else
#define CUDA_ANYWHERE static inline
#endif

#endif
