// SPDX-License-Identifier: MIT
// Turns the status of a CUDA call into an error. Every source that calls CUDA includes this file, C and C++ alike.
#ifndef CUDA_CHECK_CUH
#define CUDA_CHECK_CUH

#include <cuda_runtime_api.h>

#ifdef __cplusplus
extern "C" {
#endif
#include "error.h"

// Sets *err to TRJ_NO_ENGINE, the status of a GPU that has failed (gpu.h), with the call, the reason that CUDA gives,
// and the place of the call. Clears the last error of CUDA: otherwise the check after a launch on another GPU would
// report it.
void cuda_set_error(struct trj_error *err, cudaError_t status, const char *call, const char *file, int line);
#ifdef __cplusplus
}
#endif

// Makes the calling function, which has a parameter `struct trj_error *err`, return -1 if the call fails.
#define CUDA_CHECK(call)                                                                                               \
    do {                                                                                                               \
        cudaError_t cuda_status = (call);                                                                              \
        if (cuda_status != cudaSuccess) {                                                                              \
            cuda_set_error(err, cuda_status, #call, __FILE__, __LINE__);                                               \
            return -1;                                                                                                 \
        }                                                                                                              \
    } while (0)

// For calls that release something, often after an error. A failure is ignored, because nothing depends on it, and the
// last error of CUDA is cleared.
#define CUDA_RELEASE(call) ((void)((call) == cudaSuccess || cudaGetLastError()))

#endif
