// SPDX-License-Identifier: MIT
// The counting kernel as the host sees it. All pointers are to device memory.
#ifndef CUDA_COUNT_H
#define CUDA_COUNT_H

#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CUDA_TILE = 64,
    CUDA_MOST_THREADS = 1024,      // of a block
    CUDA_MOST_FINE_BINS = 1 << 20, // beyond, cuda_count_args.coarse must be set
};

// A tile set of lib/tile/tiles.h.
typedef struct cuda_tiles {
    const float4 *local;                     // [tiles * CUDA_TILE] relative to the tile's centre
    const double *centre, *half, *radius;    // [tiles][3], [tiles][3], [tiles]
    const double *chunk_centre, *chunk_half; // [ceil(tiles / 32)][3]: boxes of 32 tiles
    const uint32_t *atom;                    // [atoms]
    const int *wrap;                         // [atoms][3]
    unsigned atoms, tiles;
} cuda_tiles;

// One pair of groups in one frame.
typedef struct cuda_count_task {
    cuda_tiles rows, columns;
    const float *x[3]; // the frame's coordinates
    double unit, h[3][3], g[3][3];
    double reach, slack; // Å: rmax and what float64 may lose, and that loss alone
    int self;
    unsigned long long *counts; // [bins], added to
} cuda_count_task;

typedef struct cuda_count_args {
    double rmin, rmax, dr;
    // The fast bin is floor((d - start) * inverse) - shift: where rmin > 0 the bin below it is there too, so that distances just
    // under rmin are seen to be near an edge.
    float start, inverse;
    unsigned shift;
    int coarse; // bins so narrow that float32 says nothing: every pair is resolved, from scratch
    unsigned long long bins;
    unsigned window_first, window_bins; // the bins this launch counts
    unsigned segments;                  // a row is cut into so many units of work
    unsigned long long *next_unit;      // zero at launch
    unsigned long long *totals;         // [2] pairs evaluated, pairs resolved: added to
} cuda_count_args;

const char *cuda_count_archs(void);                        // "750,800,...": what there is machine code for
size_t cuda_count_shared(unsigned bins, unsigned threads); // bytes of shared memory a block of so many threads takes
// Makes launches with up to so many bins possible; *blocks of them run on a multiprocessor at a time.
cudaError_t cuda_count_blocks(unsigned bins, unsigned threads, int *blocks);
cudaError_t cuda_count_launch(const cuda_count_args *args, const cuda_count_task *task, unsigned blocks,
                              unsigned threads, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
