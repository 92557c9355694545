// SPDX-License-Identifier: MIT
// Host interface of the kernels of correlations, which compute the sums of lib/correlation/cor_sums.h, except for those
// of the relative entropy, over a map and the simulated densities of selections. All pointers are to device memory.
//
// The Gaussians of all selections are in one list, in which those of a selection are consecutive. In each frame, the
// grid cells of a selection divide the smallest box that contains the nearest points of its records, and its blocks of
// 8 x 8 x 8 points cover the smallest box of all points that it reaches. Records are sorted by selection and grid cell.
// Then thread blocks take one block of points after another, gather its density in shared memory, and add its points to
// the sums of its selection.
#ifndef CUDA_CORRELATION_H
#define CUDA_CORRELATION_H

#include "density.h"

#ifdef __cplusplus
extern "C" {
#endif

// The boxes of a selection, which change with each frame.
typedef struct cuda_correlation_box {
    int low[3], high[3]; // nearest points of its records; low > high if it has none
    unsigned shift;      // a grid cell has 2^shift points along each axis
    unsigned cells[3];
    int block[3]; // first point of the first block
    unsigned blocks[3];
} cuda_correlation_box;

// Sums of 128 bits in two's complement are two words, the low one first.
typedef struct cuda_correlation_sums {
    unsigned long long n, overflow; // overflow: number of points with |x| >= 2^43, which make the sums invalid
    unsigned long long x[2], xx[2], xy[2], y[2], yy[2];
} cuda_correlation_sums;

typedef struct cuda_correlation_args {
    cuda_density_args gauss; // with the Gaussians of all selections; `map` is not used
    unsigned selections;
    unsigned longest;           // largest number of Gaussians of a selection
    const uint32_t *first;      // [selections + 1] number of the first Gaussian of each selection
    const uint32_t *selection;  // [gauss.count] selection of each Gaussian
    const uint32_t *first_cell; // [selections + 1] number of the first grid cell of each selection
    size_t cells;               // first_cell[selections]
    const uint32_t *y;          // [points] values of the map
    const unsigned char *fixed; // [points] 1: the point is used; NULL: all points are used
    const long long *whole;     // [points] density to use as x; NULL: the density of the selection
    int own; // 1: use only points where the density of the selection exceeds `above`, and also sum n, y and yy
    long long above;
    cuda_correlation_box *box;       // [selections]
    unsigned long long *blocks;      // [selections + 1] number of blocks of each selection
    unsigned long long *first_block; // [selections + 1] number of the first block of each selection
    unsigned long long *taken;       // [1] number of blocks that thread blocks have taken
    cuda_correlation_sums *sums;     // [selections] result
} cuda_correlation_args;

// Sets *bytes to the size of `scratch` for these numbers of grid cells and selections.
int cuda_correlation_scratch(size_t cells, size_t selections, size_t *bytes, struct trj_error *err);
// Enqueues one frame. r->capacity must be at least gauss.count: without periodic images, a Gaussian has at most one
// record.
int cuda_correlation_launch(const cuda_correlation_args *args, const cuda_density_records *r, cudaStream_t stream,
                            struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
