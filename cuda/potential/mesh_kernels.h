// SPDX-License-Identifier: MIT
// Host interface of the kernels that spread charges onto a mesh (lib/potential/charge_mesh.h). All pointers are to
// device memory.
#ifndef CUDA_MESH_KERNELS_H
#define CUDA_MESH_KERNELS_H

#include <cuda_runtime_api.h>

#include "mesh_place.h"
#include "mesh_spline.h"

#ifdef __cplusplus
extern "C" {
#endif

// Charges of one brick that a thread block spreads.
struct cuda_mesh_item {
    uint32_t brick, first, end;
};

// Most charges of an item.
enum { CUDA_MESH_ITEM = 1024 };

typedef struct cuda_mesh_args {
    struct pot_mesh_spline spline;
    struct pot_mesh_places places;
    uint32_t n[3], bricks[3]; // of the mesh
    double max_charge;
    uint32_t max_charges;      // charges in a brick with which no sum of the frame exceeds int64
    const double *position[3]; // [count] Å
    const double *charge;      // [count] e
    uint32_t count;
    // Work space:
    uint32_t *brick, *rank;      // [count] of each charge: its brick, and its number in the brick
    uint32_t *order;             // [count] charges, sorted by brick
    uint32_t *begin;             // [number of bricks] counts, and then where the charges of a brick begin in `order`
    struct cuda_mesh_item *item; // [number of bricks + count / CUDA_MESH_ITEM]
    uint32_t *items;             // number of items
    unsigned long long *values;  // [n[2]][n[1]][n[0]] quanta, added to
    unsigned *failed; // set to 1 if a charge exceeds max_charge, or a brick has too many; `values` are undefined
} cuda_mesh_args;

int cuda_mesh_add(const cuda_mesh_args *args, cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
