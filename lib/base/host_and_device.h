// SPDX-License-Identifier: MIT
// TRJ_HOST_DEVICE declares functions of headers that CUDA compiles for GPUs, too. Both compilers round every operation
// as IEEE 754 defines it and contract none (-ffp-contract=off, -fmad=false), so that the results have the same bytes.
#ifndef TRJ_HOST_AND_DEVICE_H
#define TRJ_HOST_AND_DEVICE_H

#ifdef __CUDACC__
#define TRJ_HOST_DEVICE static inline __host__ __device__
#else
#define TRJ_HOST_DEVICE static inline
#endif

#endif
