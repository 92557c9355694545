// SPDX-License-Identifier: MIT
// Host interface of the kernels in point_kernels.cu, which evaluate an orbital on the current device.
#ifndef POINT_KERNELS_H
#define POINT_KERNELS_H

#include <cuda_runtime_api.h>
#include <stdint.h>

#include "kernel_data.h"

struct trj_error;

enum point_kernel {
    KERNEL_CONSTANT, // all data in constant memory
    KERNEL_TILES,    // primitives and coefficients in tiles of shared memory, which are loaded on demand
    KERNEL_GLOBAL,   // all data in global memory, through the caches
    KERNEL_COMPILED, // generated for the molecule and compiled at run time: kernel_compiler.h
    KERNEL_EMPTY,    // computes nothing, to measure the time of a launch
    KERNEL_COUNT,
};

#ifdef __cplusplus
extern "C" {
#endif

// Copies the data to constant memory, and to `global`, which is in the memory of the device.
int point_kernel_upload(const struct kernel_data *data, struct kernel_data *global, struct trj_error *err);

// Launches a kernel, except KERNEL_COMPILED, which sets value[planes][height][width] of the planes from lattice->first.
int point_kernel_launch(enum point_kernel kernel, const struct kernel_data *global,
                        const struct kernel_lattice *lattice, uint32_t planes, float *value, cudaStream_t stream,
                        struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
