// SPDX-License-Identifier: MIT
// Host interface of the kernels of correlations: the sums of lib/correlation/cor_sums.h, without those of the relative
// entropy, of a map and the simulated densities of selections. All pointers are to device memory.
//
// The Gaussians of all selections are one list, in which those of a selection follow one another. For each frame, the
// grid cells and the blocks of 8 x 8 x 8 points of a selection are those of the smallest box that contains its nearest
// points, or all points that it reaches. Records are sorted by selections and cells; then thread blocks take one block
// of points after another, gather its density in shared memory, and add its points to the sums of its selection.
#ifndef CUDA_CORRELATION_H
#define CUDA_CORRELATION_H

#include "density.h"

#ifdef __cplusplus
extern "C" {
#endif

// What each frame changes: the boxes of a selection.
typedef struct cuda_correlation_box {
    int low[3], high[3]; // nearest points of its records; low > high if it has none
    unsigned shift;      // a grid cell has 2^shift points along each axis
    unsigned cells[3];
    int block[3]; // first point of the first block
    unsigned blocks[3];
} cuda_correlation_box;

// Sums of 128 bits are two words, the low one first.
typedef struct cuda_correlation_sums {
    unsigned long long n, overflow; // overflow: number of points with |x| of at least 2^43, which make the sums invalid
    unsigned long long x[2], xx[2], xy[2], y[2], yy[2];
} cuda_correlation_sums;

typedef struct cuda_correlation_args {
    cuda_density_args gauss; // with the Gaussians of all selections; without a map
    unsigned selections;
    unsigned longest;           // largest number of Gaussians of a selection
    const uint32_t *first;      // [selections + 1] first Gaussian of each
    const uint32_t *selection;  // [gauss.count] of each Gaussian
    const uint32_t *first_cell; // [selections + 1] the cells of selection s have numbers from first_cell[s] on
    size_t cells;               // first_cell[selections]
    const uint32_t *y;          // [points] values of the map
    const unsigned char *fixed; // [points] 1: points that are used; NULL: all
    const long long *whole;     // [points] density that is x; NULL: that of the selection
    int own;                    // only points where the density of the selection exceeds `above`; also adds n, y and yy
    long long above;
    cuda_correlation_box *box;       // [selections]
    unsigned long long *blocks;      // [selections + 1] numbers of blocks
    unsigned long long *first_block; // [selections + 1]
    unsigned long long *taken;       // [1] blocks
    cuda_correlation_sums *sums;     // [selections] result
} cuda_correlation_args;

// Fails if this build has no code for the architecture of the current device.
int cuda_correlation_check(struct trj_error *err);
// Sets *bytes to the size of `scratch` for numbers of cells and selections.
int cuda_correlation_scratch(size_t cells, size_t selections, size_t *bytes, struct trj_error *err);
// Enqueues one frame without images of atoms, so that r->room must be gauss.count.
int cuda_correlation_launch(const cuda_correlation_args *args, const cuda_density_records *r, cudaStream_t stream,
                            struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
