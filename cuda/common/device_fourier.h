// SPDX-License-Identifier: MIT
// Fourier transforms on a GPU by cuFFT, as those of fourier_transform.h. The library is loaded when the first one is
// opened, so that programs also start without it.
#ifndef CUDA_DEVICE_FOURIER_H
#define CUDA_DEVICE_FOURIER_H

#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device_memory.h"
#include "error.h"

// The layout is that of struct trj_fourier.
struct cuda_fourier {
    size_t n[3], row;
    double *value;         // [n[2]][n[1]][row][2] in device memory
    int forward, backward; // plans
    bool planned[2];       // whether they exist
};

// Returns whether this build has the header of cuFFT, and the library can be loaded.
bool cuda_fourier_available(void);
// Allocates the numbers on the current device, and makes plans. Requires cuda_fourier_available. Fails with
// TRJ_BAD_DATA if n is 0 or more than 2^31 - 1 along an axis, and with TRJ_NO_ENGINE if memory is not available. After
// a failure, cuda_fourier_close is required, too.
int cuda_fourier_open(struct cuda_fourier *f, const uint64_t n[3], struct cuda_memory *memory, struct trj_error *err);
void cuda_fourier_close(struct cuda_fourier *f); // `value` belongs to the memory; a zeroed one is allowed
// Enqueue the transforms, which are those of trj_fourier_forward and trj_fourier_backward.
int cuda_fourier_forward(const struct cuda_fourier *f, cudaStream_t stream, struct trj_error *err);
int cuda_fourier_backward(const struct cuda_fourier *f, cudaStream_t stream, struct trj_error *err);

#endif
