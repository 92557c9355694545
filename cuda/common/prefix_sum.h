// SPDX-License-Identifier: MIT
// Prefix sums of numbers in device memory, by CUB. They are in a file of their own, because CUB takes longer to compile
// than all other code of the files that need sums.
#ifndef CUDA_PREFIX_SUM_H
#define CUDA_PREFIX_SUM_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
// Sets out[i] to the sum of in[0] to in[i - 1], for i < n; `in` and `out` may be the same. Like CUB: if `scratch` is
// NULL, only sets *bytes to the size of the device memory that the sums need as scratch memory.
cudaError_t cuda_prefix_sum(void *scratch, size_t *bytes, const unsigned *in, unsigned *out, size_t n,
                            cudaStream_t stream);
cudaError_t cuda_prefix_sum_64(void *scratch, size_t *bytes, const unsigned long long *in, unsigned long long *out,
                               size_t n, cudaStream_t stream);
#ifdef __cplusplus
}
#endif

#endif
