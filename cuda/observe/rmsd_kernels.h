// SPDX-License-Identifier: MIT
// Host interface of the kernel that compares all pairs of frames (lib/observe/rmsd_pairs.h). All pointers are to device
// memory. The arrays are padded with zeros to a multiple of CUDA_RMSD_SIDE frames.
//
// A thread block compares CUDA_RMSD_SIDE frames with as many: it copies the deviations of some atoms, two panels of
// each, to shared memory, and each thread adds the products of two frames with two. A product of two numbers of float32
// is exact in float64, so that sums depend only on the order of the atoms, which is that of the engine reference.
#ifndef CUDA_RMSD_KERNELS_H
#define CUDA_RMSD_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "error.h"
#include "rmsd_pairs.h"

enum { CUDA_RMSD_SIDE = 2 * OBS_RMSD_COLUMNS };

typedef struct cuda_rmsd_args {
    size_t frames, atoms;
    int rotates;
    double total;
    const float *v; // [panels][atoms][3][OBS_RMSD_COLUMNS]
    const struct obs_rmsd_row *row;
    const struct obs_rmsd_panel *panel;
    float *value; // [frames][frames] result
} cuda_rmsd_args;

// Enqueues the comparison of `rows` times CUDA_RMSD_SIDE frames, from `first_row` times CUDA_RMSD_SIDE on, with
// themselves and all later frames.
int cuda_rmsd_compare(const cuda_rmsd_args *a, unsigned first_row, unsigned rows, cudaStream_t stream,
                      struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
