// SPDX-License-Identifier: MIT
#include "check.cuh"

void cuda_set_error(struct trj_error *err, cudaError_t status, const char *call, const char *file, int line) {
    trj_error_set(err, TRJ_FAILED, "%s: %s (%s:%d)", call, cudaGetErrorString(status), file, line);
    (void)cudaGetLastError();
}
