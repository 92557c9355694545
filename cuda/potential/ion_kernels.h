// SPDX-License-Identifier: MIT
// Host interface of the kernels that place ions (lib/ion/ion_place.h). All pointers are to device memory. Values
// are computed by the operations that the engine `cpu` uses, in the same order.
#ifndef CUDA_ION_KERNELS_H
#define CUDA_ION_KERNELS_H

#include <cuda_runtime_api.h>

#include "ion_row.h"
#include "point_distances.h"
#include "point_exclusion.h"

#ifdef __cplusplus
extern "C" {
#endif

// The lowest energy in a part of the map: a value times the sign of an ion, and the number of the first point that has
// it. INFINITY: there is no allowed point.
typedef struct cuda_ion_lowest {
    double energy;
    unsigned long long point;
} cuda_ion_lowest;

typedef struct cuda_ion_state {
    unsigned blocks_done;        // of the running kernel
    unsigned full;               // 1: no point was left for an ion; the kernels after it do nothing
    unsigned infinite;           // 1: an allowed value is infinite before the first ion
    unsigned long long excluded; // points whose value is NaN before the first ion
    unsigned last[3];            // indices of the last ion
} cuda_ion_state;

typedef struct cuda_ion_args {
    unsigned points;                // fewer than 2^31
    struct pot_distances distances; // `along` is in device memory
    // [distances.size[2]][distances.size[1]] shift and across2 of struct pot_run; not used for distances.whole
    double (*offset)[2];
    struct pot_exclusion exclusion; // `index` is in device memory
    unsigned blocks;                // cuda_ion_blocks
    double *value;                  // [points]
    cuda_ion_lowest *lowest;        // [blocks]
    cuda_ion_lowest *ion;           // [ions] result: where each ion is
    cuda_ion_state *state;          // zeroed before the first call
} cuda_ion_args;

// Sets *blocks to the number of thread blocks that run at the same time. Fails if this build has no code for the
// architecture of the current device.
int cuda_ion_blocks(unsigned *blocks, struct trj_error *err);
// Enqueues the computation of distances.along and of `offset`.
int cuda_ion_tabulate(const cuda_ion_args *a, cudaStream_t stream, struct trj_error *err);
// Enqueues the exclusion of the points near to `count` atoms, from the atom `first` on.
int cuda_ion_exclude(const cuda_ion_args *a, size_t first, unsigned count, cudaStream_t stream, struct trj_error *err);
// Enqueues the search for the place of the first ion, whose charge has this sign (1 or -1).
int cuda_ion_place_first(const cuda_ion_args *a, double sign, cudaStream_t stream, struct trj_error *err);
// Enqueues the addition of the potential of the ion before, and the search for the place of ion `number`, from 1 on.
int cuda_ion_place_next(const cuda_ion_args *a, const struct pot_row_update *update, unsigned number,
                        cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
