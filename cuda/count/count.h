// SPDX-License-Identifier: MIT
// Host interface of the counting kernel. All pointers are to device memory.
#ifndef CUDA_COUNT_H
#define CUDA_COUNT_H

#include "metric.h"
#include "tile_planner.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    CUDA_MAX_FINE_BINS = 1 << 20, // with more, cuda_count_args.coarse is set
    CUDA_MAX_PARTS = 64,          // of a launch
    CUDA_MAX_FRAMES = 1024,       // of a plan
};

// The kernel exists in these variants: squared distances in float64 from tensor cores, for GPUs with fast float64, and
// in float32; and two coordinates in float32 (second32.cuh), for the metrics with a second coordinate.
typedef enum cuda_arithmetic {
    CUDA_FLOAT32,
    CUDA_FLOAT64,
    CUDA_PLANE32,
    CUDA_ANGLE32,
    CUDA_BODY32,
    CUDA_ARITHMETICS
} cuda_arithmetic;

// One pair of sets of one frame.
typedef struct cuda_task {
    unsigned rows, columns;  // sets; equal for a group with itself
    unsigned segments;       // of the columns: units of work in a row of tiles
    unsigned long long unit; // number of its first unit
} cuda_task;

typedef struct cuda_totals {
    unsigned long long evaluated, resolved; // pairs
} cuda_totals;

typedef struct cuda_count_args {
    cuda_plan plan;
    const cuda_task *tasks; // [task_count], all of one pair of groups
    unsigned task_count;
    unsigned parts;                          // ranges of tasks with counts of their own
    unsigned part_end[CUDA_MAX_PARTS];       // [parts] number of the first task after each part; parts may be empty
    unsigned long long first_unit, end_unit; // of these tasks
    unsigned long long slice, slices;        // only units with (unit - first_unit) % slices == slice are counted
    double rmin, rmax, dr, inverse;
    // The fast bin is floor(d / dr - start) - shift. If rmin > 0, there is one bin below rmin, so that distances
    // slightly below rmin are found to be near an edge.
    float start;
    unsigned shift;
    int coarse;                         // bins are too narrow for float32: every pair is resolved
    unsigned long long bins;            // of the first coordinate
    unsigned long long cells;           // bins of the first times bins of the second coordinate
    struct rdf_metric metric;           // of jobs with a second coordinate; else zeros
    int mirrored;                       // the pairs are counted in both orders (rdf_job_is_mirrored)
    unsigned turn;                      // the axis that the kernel exchanges with z; 2: none, as for bodies
    size_t first_axis;                  // of bodies: place of the axis of atom 0 in the frames; else 0
    double reach;                       // Å, rdf_bins_reach
    unsigned window_first, window_bins; // the cells this launch counts
    unsigned long long *counts;         // [cells] of the first part, added to
    unsigned long long part_stride;     // from the counts of one part to those of the next
    unsigned long long *next_unit;      // zero at launch
    cuda_totals *totals;                // added to
} cuda_count_args;

// Sets the members that follow from rmin, rmax and bins.
void cuda_count_binning(cuda_count_args *args);
// Returns the scale of the plan's positions, which makes dr the unit of distance.
double cuda_count_scale(const cuda_count_args *args, cuda_arithmetic arithmetic);

typedef struct cuda_shape {
    cuda_arithmetic arithmetic;
    unsigned threads, blocks; // of a launch
    unsigned window;          // bins that one launch counts
    unsigned parts;           // that one launch counts at most
} cuda_shape;

// Chooses the shape of launches on the current device for this number of cells. Fails if there is no code for the
// device.
int cuda_count_shape(cuda_shape *shape, cuda_arithmetic arithmetic, unsigned long long cells, struct trj_error *err);
int cuda_count_launch(const cuda_count_args *args, const cuda_shape *shape, cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
