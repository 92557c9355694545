// SPDX-License-Identifier: MIT
// Host interface of the kernels of amplitudes (lib/waves/wave_amplitude.h). All pointers are to device memory.
#ifndef CUDA_WAVE_KERNELS_H
#define CUDA_WAVE_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

struct trj_error;

#ifdef __cplusplus
extern "C" {
#endif

// As struct wav_row.
typedef struct cuda_wave_row {
    int32_t h, k, l;
    uint32_t count;
    unsigned long long first;
} cuda_wave_row;

// Some atoms of a group.
typedef struct cuda_wave_args {
    const float *x; // [3][capacity]
    size_t capacity;
    double unit, g[3][3];
    const uint32_t *list; // [atoms] numbers in the frame
    unsigned atoms;
    unsigned bits;
    int max[3];        // largest |h|, |k|, |l|
    double2 *power[3]; // [max + 1][atoms]: E_0(h), E_1(k), and Z(l) rounded
    const cuda_wave_row *rows;
    unsigned row_count;
    unsigned long long vectors;
    unsigned long long *rho; // [2][vectors], added to modulo 2^64
} cuda_wave_args;

// Computes the powers of the atoms, and adds their amplitudes to rho.
int cuda_wave_add(const cuda_wave_args *args, cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
