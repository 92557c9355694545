// SPDX-License-Identifier: MIT
// CUDA_ANYWHERE declares functions that run on the device, and on the CPU in the tests.
#ifndef CUDA_ANYWHERE_H
#define CUDA_ANYWHERE_H

#ifdef __CUDACC__
#define CUDA_ANYWHERE static __host__ __device__ __forceinline__
#else
#define CUDA_ANYWHERE static inline
#endif

#endif
