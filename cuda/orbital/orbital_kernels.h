// SPDX-License-Identifier: MIT
// Host interface of the kernels of orbitals and densities. All pointers are to device memory. The kernels perform the
// operations of the engine cpu (lib/orbital/orbital_tile.h, orbital_box.h) in the same order, so that the values are
// the same bytes.
#ifndef CUDA_ORBITAL_KERNELS_H
#define CUDA_ORBITAL_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "error.h"
#include "orbital_plan.h"

// Memory of a thread block of the kernel of boxes.
typedef struct cuda_orbital_scratch {
    uint32_t *column;   // [blocks][columns]
    double *bound;      // [blocks][columns]
    uint32_t *function; // [blocks][functions] numbers
    uint32_t *first;    // [blocks][functions + 1] first column of each function, in `column`
    double *value;      // [blocks][kinds][functions][ORB_X ORB_Y] of one layer
    double *product;    // [blocks][kinds][CUDA_ORBITAL_ROWS][ORB_X ORB_Y]
    unsigned blocks;
} cuda_orbital_scratch;
enum { CUDA_ORBITAL_ROWS = 32 };

typedef struct cuda_orbital_args {
    struct orb_job job; // only quantity, orbitals, lattice and points
    size_t functions;   // of the basis
    const double (*centre)[3];
    struct orb_fields fields;
    struct orb_kind_parts parts[10]; // [kinds]
    int tables;
    struct orb_combinations c;
    const uint32_t *combination_of; // [columns]
    const double *scale, *threshold;
    struct orb_axis axis[3];
    const double *matrix, *coefficient, *weight; // of struct orb_plan and struct orb_job; `matrix` can be NULL
    double matrix_work; // the matrix is used for n functions if matrix_work n is less than orbital_work
    double orbital_work;
    cuda_orbital_scratch scratch;
    uint64_t first, count; // planes or points of the slab
    double *value;         // [orb_job_values][points of the slab]
} cuda_orbital_args;

// Enqueues the computation of the tables along the axes.
int cuda_orbital_axes(const cuda_orbital_args *a, cudaStream_t stream, struct trj_error *err);
// Enqueues a slab of orbitals, or of the product of two, on a lattice with tables.
int cuda_orbital_tiles(const cuda_orbital_args *a, cudaStream_t stream, struct trj_error *err);
// Enqueues a slab of any quantity, with a.scratch.
int cuda_orbital_boxes(const cuda_orbital_args *a, cudaStream_t stream, struct trj_error *err);
// Sets the largest number of thread blocks of cuda_orbital_boxes that run at the same time on the current device.
int cuda_orbital_box_blocks(unsigned *blocks, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
