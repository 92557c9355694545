// SPDX-License-Identifier: MIT
// Host interface of the kernels of the method cutoff, which compute the sums that lib/potential/cutoff_sum.h defines,
// byte for byte. All pointers are to device memory.
//
// The images of atoms are sorted by grid cells as in lib/tile/lattice_plan.h: one thread for each atom counts its
// images in each grid cell, a scan gives the first image of each cell, and one thread for each atom writes its images.
// Then a thread block adds the images that reach a block of 8 x 8 x 8 points.
#ifndef CUDA_CUTOFF_KERNELS_H
#define CUDA_CUTOFF_KERNELS_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#include "lattice_images.h"

#ifdef __cplusplus
extern "C" {
#endif
#include "cutoff_lattice.h"
#include "pot_kernel.h"

struct trj_error;

// X, Y, Z and `strength` of an image (cutoff_images.h).
typedef struct __align__(16) cuda_cutoff_place {
    double r[3], strength;
}
cuda_cutoff_place;

// Its position in Å, and the numbers of pot_kernel_value.
typedef struct cuda_cutoff_exact {
    double y[3], a, b;
} cuda_cutoff_exact;

// Images that reach a lattice, as in cutoff_images.h, sorted by grid cells.
typedef struct cuda_cutoff_images {
    float4 *rough;            // [capacity] X, Y, Z rounded, and `near`
    cuda_cutoff_place *place; // [capacity]
    float2 *numbers;          // [capacity] a and b of the kernel in float32
    cuda_cutoff_exact *exact; // [capacity]
    unsigned long long capacity;
    unsigned *first, *next; // [cells + 1] each
    // [3] largest number of images of a frame since it was set to 0; that of this frame; bits of the largest error
    // bound of a block since it was set to 0
    unsigned long long *found;
    void *scratch; // [scratch_bytes] for the scan
    size_t scratch_bytes;
} cuda_cutoff_images;

typedef struct cuda_cutoff_args {
    struct pot_cutoff_constants constants; // vectors.cubic is in device memory
    struct pot_kernel kernel;              // its arrays are in device memory
    double parameter[3];                   // of the kernel
    double max_charge, quantum;
    int lowest;         // exponent e of M of class 0 (cutoff_sum.h)
    double error_scale; // as in cutoff_sum.c
    cuda_lattice_plan plan;
    double step[3][3]; // of the lattice, Å
    unsigned periodic; // TRJ_PERIODIC_ bits of the cell
    float rough_limit; // squared distance of `rough` from a block beyond which an image is outside of the cutoff
    // Atoms:
    const double *position[3];               // [count] Å
    const double *charge, *radius, *epsilon; // [count]
    unsigned count;
    unsigned first_plane, end_plane; // multiples of 8, or the end of the lattice
    unsigned chunk, entries;         // numbers of images that a thread block processes, and finds, at a time
    const double (*point)[3];        // of a list
    size_t first_point, end_point;
    // address that point 0 would have, which may be before the array; the kernel adds quanta to it
    unsigned long long *values;
    unsigned *failed; // set to 1 if the engine cpu must compute the frame
} cuda_cutoff_args;

// Sets *bytes to the size of `scratch` for a number of grid cells.
int cuda_cutoff_scratch(size_t cells, size_t *bytes, struct trj_error *err);
// Sets chunk and entries for the current device.
int cuda_cutoff_shape(cuda_cutoff_args *args, struct trj_error *err);
// Enqueues one frame. If it has more images than r->capacity, found[0] becomes their number, and the values are
// unchanged.
int cuda_cutoff_add(const cuda_cutoff_args *args, const cuda_cutoff_images *r, cudaStream_t stream,
                    struct trj_error *err);
// Enqueues one frame for a list of points.
int cuda_cutoff_add_points(const cuda_cutoff_args *args, cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
