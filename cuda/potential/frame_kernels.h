// SPDX-License-Identifier: MIT
// Host interface of the kernels that all methods of potentials share. All pointers are to device memory.
#ifndef CUDA_FRAME_KERNELS_H
#define CUDA_FRAME_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { CUDA_FRAME_PROPERTIES = 3 }; // charge, radius, epsilon

// The members of a group in a frame of the stream.
typedef struct cuda_frame_members {
    const float *x; // [3][capacity] coordinates of all atoms of the stream
    size_t capacity;
    double unit;           // Å per stored length
    const uint32_t *atom;  // atoms of the group
    const uint32_t *place; // [count] places of the members in the group; NULL: all atoms are members
    unsigned count;
    double *position[3]; // [count] Å; receives the same bytes as pot_charges_in computes
    // [count] copies of the properties of the members; unused without `place`; NULL: the property does not exist
    const double *property[CUDA_FRAME_PROPERTIES]; // of the group
    double *member[CUDA_FRAME_PROPERTIES];
} cuda_frame_members;

int cuda_frame_gather(const cuda_frame_members *m, cudaStream_t stream, struct trj_error *err);
// Sets to[i] to from[place[i]] for i < count.
int cuda_frame_gather_values(const double *from, const uint32_t *place, unsigned count, double *to, cudaStream_t stream,
                             struct trj_error *err);
// Adds values[count] to total[count], and sets *overflow to 1 if a sum exceeds int64.
int cuda_frame_accumulate(const unsigned long long *values, unsigned long long *total, size_t count, unsigned *overflow,
                          cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
