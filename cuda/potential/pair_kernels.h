// SPDX-License-Identifier: MIT
// Host interface of the kernels of the methods direct and mdh (lib/potential/pair_term.h). All pointers are to device
// memory.
#ifndef CUDA_PAIR_KERNELS_H
#define CUDA_PAIR_KERNELS_H

#include <cuda_runtime_api.h>

#include "error.h"
#include "pair_blocks.h"
#include "pair_classes.h"
#include "pair_groups.h"
#include "pair_term.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cuda_pair_args {
    struct pot_pair pair;
    struct pot_blocks blocks;                  // `point` is in device memory
    struct pot_group_shape shape[POT_REGIONS]; // of the groups of each region
    bool exact;
    size_t first, end;         // the planes of the lattice, or the points of the list, to compute
    const double *position[3]; // [charges] Å
    const double *charge;      // [charges] pot_pair_charge
    unsigned charges;
    // Limit, in quanta, of the sum of the magnitudes of all contributions to a point.
    double limit;
    // address that point 0 would have, which may be before the array; the kernel adds quanta to it
    unsigned long long *values;
    // [blocks.count][POT_CLASSES] numbers of charges that are not 0, added to for the blocks whose first plane, or
    // point, is to be computed
    unsigned *counts;
    unsigned *failed; // set to 1 if a contribution is infinite or the limit is exceeded; `values` are undefined
} cuda_pair_args;

// Adds the contributions of the charges to the points. A block with other points is computed, too, so that ranges which
// begin at blocks cost least.
int cuda_pair_add(const cuda_pair_args *args, cudaStream_t stream, struct trj_error *err);

// How the error bound of a frame follows from `counts` of cuda_pair_args.
typedef struct cuda_pair_error {
    struct pot_pair pair;
    double term[POT_FLOAT32_CLASSES]; // of pot_pair_error_terms
    const unsigned *counts;           // [blocks][POT_CLASSES]
    size_t blocks;
    double *error; // replaced by the largest bound of a block, if this is larger; not negative
} cuda_pair_error;

int cuda_pair_find_error(const cuda_pair_error *args, cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
