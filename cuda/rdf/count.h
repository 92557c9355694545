// SPDX-License-Identifier: MIT
// The counting kernel as the host sees it. All pointers are to device memory.
#ifndef CUDA_COUNT_H
#define CUDA_COUNT_H

#include "tile_planner.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CUDA_MOST_FINE_BINS = 1 << 20, // beyond, cuda_count_args.coarse must be set
};

// There are two kernels: one computes squared distances in float64 on tensor cores, for GPUs that are fast at it; the
// other in float32.
typedef enum cuda_arithmetic { CUDA_FLOAT32, CUDA_FLOAT64, CUDA_ARITHMETICS } cuda_arithmetic;

// One pair of sets of one frame.
typedef struct cuda_task {
    unsigned rows, columns;  // sets; the same: a group with itself
    unsigned segments;       // of the columns: a row of tiles is so many units of work
    unsigned long long unit; // number of its first unit
} cuda_task;

typedef struct cuda_totals {
    unsigned long long evaluated, resolved; // pairs
} cuda_totals;

typedef struct cuda_count_args {
    cuda_plan plan;
    const cuda_task *tasks; // [task_count], all of one pair of groups
    unsigned task_count;
    unsigned long long units;         // of all tasks
    unsigned long long slice, slices; // only units with unit % slices == slice are done
    double rmin, rmax, dr, inverse;
    // The fast bin is floor(d / dr - start) - shift: where rmin > 0 the bin below it is there too, so that distances
    // just under rmin are seen to be near an edge.
    float start;
    unsigned shift;
    int coarse; // bins so narrow that float32 says nothing: every pair is resolved
    unsigned long long bins;
    unsigned window_first, window_bins; // the bins this launch counts
    unsigned long long *counts;         // [bins], added to
    unsigned long long *next_unit;      // zero at launch
    cuda_totals *totals;                // added to
} cuda_count_args;

const char *cuda_count_archs(void); // "750,800,...": what there is machine code for

// Fills in what follows from rmin, rmax and bins.
void cuda_count_binning(cuda_count_args *args);
// What the plan's positions must be multiplied with: they come in units of dr.
double cuda_count_scale(const cuda_count_args *args, cuda_arithmetic arithmetic);

typedef struct cuda_shape {
    cuda_arithmetic arithmetic;
    unsigned threads, blocks; // of a launch
    unsigned window;          // bins at once
} cuda_shape;

// How launches on the current device are to look for so many bins.
int cuda_count_shape(cuda_shape *shape, cuda_arithmetic arithmetic, unsigned long long bins, struct trj_error *err);
int cuda_count_launch(const cuda_count_args *args, const cuda_shape *shape, cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
