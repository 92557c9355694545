// SPDX-License-Identifier: MIT
// Host interface of the kernels of Fourier transforms of charges on a mesh (lib/potential/pme_transform.h and
// fast_transform.h). All pointers are to device memory; `value` and `row` are those of struct cuda_fourier.
#ifndef CUDA_TRANSFORM_KERNELS_H
#define CUDA_TRANSFORM_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#include "error.h"
#include "mesh_wave.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuda_transform_args {
    size_t n[3], row;
    double *value;     // [n[2]][n[1]][row][2]
    double *factor[3]; // [n[k]] of each axis: 1 / c, or those of pot_green_set_factors
    struct pot_green green;
    struct pot_smooth smooth;
    size_t rows[2]; // of `kernel`, as in fast_transform.c
    double *kernel; // [rows[1]][rows[0]][row]
} cuda_transform_args;

// Sets the real numbers to quantum * charge[n[2]][n[1]][n[0]].
int cuda_transform_load(const cuda_transform_args *args, const long long *charge, double quantum, cudaStream_t stream,
                        struct trj_error *err);
// Copies the first size[k] real numbers along each axis to to[size[2]][size[1]][size[0]].
int cuda_transform_pack(const cuda_transform_args *args, const size_t size[3], double *to, cudaStream_t stream,
                        struct trj_error *err);
// Multiplies the transform by G / (c_0 c_1 c_2). If the cell has right angles, `factor` is that of
// pot_green_set_factors.
int cuda_transform_multiply_green(const cuda_transform_args *args, cudaStream_t stream, struct trj_error *err);
// Sets the real numbers to the samples of `smooth`.
int cuda_transform_sample(const cuda_transform_args *args, cudaStream_t stream, struct trj_error *err);
// Sets the kernel to the real parts of the transform, divided by c_0 c_1 c_2 and the number of points.
int cuda_transform_take_kernel(const cuda_transform_args *args, cudaStream_t stream, struct trj_error *err);
// Multiplies the transform by the kernel.
int cuda_transform_multiply_kernel(const cuda_transform_args *args, cudaStream_t stream, struct trj_error *err);

// Adds the first size[k] real numbers along each axis, rounded to the quantum, and near[size[2]][size[1]][size[0]],
// rounded after a multiplication by `ratio`, to values[size[2]][size[1]][size[0]]. Sets *failed to 1 if one of them
// exceeds 2^61 quanta.
int cuda_transform_add(const cuda_transform_args *args, const size_t size[3], double quantum, const long long *near,
                       double ratio, unsigned long long *values, unsigned *failed, cudaStream_t stream,
                       struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
