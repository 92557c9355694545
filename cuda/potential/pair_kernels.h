// SPDX-License-Identifier: MIT
// Host interface of the kernels of the methods direct and mdh (lib/potential/pair_term.h). All pointers are to device
// memory.
#ifndef CUDA_PAIR_KERNELS_H
#define CUDA_PAIR_KERNELS_H

#include <cuda_runtime_api.h>

#include "pair_blocks.h"
#include "pair_term.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuda_pair_args {
    struct pot_pair pair;
    struct pot_blocks blocks; // `point` is in device memory
    bool exact;
    size_t first_block, end_block; // the blocks to compute
    const double *at[3];           // [charges] Å
    const double *charge;          // [charges] pot_pair_charge
    unsigned charges;
    // Room for the sums: the magnitudes of all contributions to a point, in quanta, must not exceed it.
    double room;
    unsigned long long *values; // [job->values], added to
    unsigned *failed; // set to 1 if a contribution is infinite or the room is exceeded; `values` are undefined
} cuda_pair_args;

// Fails if there is no code for the current device.
int cuda_pair_check(struct trj_error *err);
// Adds the contributions of the charges to the points of the blocks.
int cuda_pair_add(const cuda_pair_args *args, cudaStream_t stream, struct trj_error *err);
// Adds values[count] to total[count], and sets *overflow to 1 if a sum exceeds int64.
int cuda_pair_accumulate(const long long *values, long long *total, size_t count, unsigned *overflow,
                         cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
