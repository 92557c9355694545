// SPDX-License-Identifier: MIT
// Makes an error of the status of a CUDA call: in a function, because CUDA_CHECK is expanded some hundred times.
#include "check.cuh"

void cuda_set_error(struct trj_error *err, cudaError_t status, const char *call, const char *file, int line) {
    trj_error_set(err, TRJ_NO_ENGINE, "%s: %s (%s:%d)", call, cudaGetErrorString(status), file, line);
    (void)cudaGetLastError();
}
