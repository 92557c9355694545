// SPDX-License-Identifier: MIT
// Turns the status of a failed CUDA call into an error. This is a function and not part of the macro CUDA_CHECK,
// because the macro is expanded in some hundred places.
#include "check.cuh"

void cuda_set_error(struct trj_error *err, cudaError_t status, const char *call, const char *file, int line) {
    trj_error_set(err, TRJ_NO_ENGINE, "%s: %s (%s:%d)", call, cudaGetErrorString(status), file, line);
    (void)cudaGetLastError();
}
