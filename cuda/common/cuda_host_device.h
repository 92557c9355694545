// SPDX-License-Identifier: MIT
// CUDA_HOST_DEVICE declares functions that run on the device, and on the CPU in the tests.
#ifndef CUDA_HOST_DEVICE_H
#define CUDA_HOST_DEVICE_H

#ifdef __CUDACC__
#define CUDA_HOST_DEVICE static __host__ __device__ __forceinline__
#else
#define CUDA_HOST_DEVICE static inline
#endif

#endif
