// SPDX-License-Identifier: MIT
// Host interface of the kernels of density maps, which compute the sums that lib/density/density_job.h and gauss.h
// define, byte for byte. All pointers are to device memory.
//
// For Gaussians, the records of a frame are found and sorted by grid cells as in lib/tile/lattice_plan.h: one thread
// for each atom counts its records in each grid cell, a scan gives the first record of each cell, and one thread for
// each atom writes its records. Then, for each block of 8 x 8 x 8 points, one or more warps gather the records that
// reach the block. For the other kernels, one thread for each atom adds to the points.
#ifndef CUDA_DENSITY_H
#define CUDA_DENSITY_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "lattice_images.h"

struct trj_error;

#ifdef __cplusplus
extern "C" {
#endif

enum { CUDA_DENSITY_BLOCK = 8 }; // points of a block along each axis; fewer at the end of an axis

// Members of struct den_gauss_kind (lib/density/gauss.h).
typedef struct cuda_density_kind {
    float reach[3], c[3], a[3], b[3], e[3], l[3];
} cuda_density_kind;

typedef struct cuda_density_records {
    float4 *offset; // [capacity] offset, amplitude
    int4 *point;    // [capacity] nearest point, kind
    unsigned long long capacity;
    unsigned *first, *next;    // [cells + 1] each
    unsigned long long *found; // [2] largest number of records of a frame since it was set to 0; that of this frame
    void *scratch;             // [scratch_bytes] for the scan
    size_t scratch_bytes;
} cuda_density_records;

typedef enum cuda_density_kernel { CUDA_COUNT, CUDA_CIC, CUDA_BALL, CUDA_GAUSS } cuda_density_kernel;

typedef struct cuda_density_args {
    cuda_density_kernel kernel;
    cuda_lattice_plan plan;
    // Atoms:
    const float *x; // [3][x_capacity] coordinates of the frame, in `unit`
    size_t x_capacity;
    double unit;          // Å
    const uint32_t *list; // [count] numbers in the frame
    unsigned count;
    const float *amplitude;        // [count] A, for Gaussians; atoms with 0 do not contribute
    const double *units;           // [count] W, for the other kernels; atoms with 0 do not contribute
    const uint16_t *kind_of;       // [count]
    const cuda_density_kind *kind; // [kinds] for the lattice of this frame
    // struct den_gauss_lattice:
    int skew, oblique;
    float magic;
    unsigned magic_bits;
    // The ball:
    double step[3][3], radius2;
    // Result: the planes [plane, plane + planes) of the lattice.
    int plane, planes;
    long long *map; // [planes][n[1]][n[0]] quanta, to which the density is added
} cuda_density_args;

// Sets *bytes to the size of `scratch` for a number of grid cells.
int cuda_density_scratch(size_t cells, size_t *bytes, struct trj_error *err);
// Enqueues one frame. If it has more records than r->capacity, found[0] becomes their number, and the map is invalid.
// `r` is for Gaussians only.
int cuda_density_launch(const cuda_density_args *args, const cuda_density_records *r, cudaStream_t stream,
                        struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
