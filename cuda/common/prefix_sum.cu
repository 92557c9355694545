// SPDX-License-Identifier: MIT
// Instantiates the prefix sums of CUB once, for all files of cuda/ that need them.
#include "prefix_sum.h"

#include <cub/device/device_scan.cuh>

cudaError_t cuda_prefix_sum(void *scratch, size_t *bytes, const unsigned *in, unsigned *out, size_t n,
                            cudaStream_t stream) {
    return cub::DeviceScan::ExclusiveSum(scratch, *bytes, in, out, n, stream);
}

cudaError_t cuda_prefix_sum_64(void *scratch, size_t *bytes, const unsigned long long *in, unsigned long long *out,
                               size_t n, cudaStream_t stream) {
    return cub::DeviceScan::ExclusiveSum(scratch, *bytes, in, out, n, stream);
}
