// SPDX-License-Identifier: MIT
// Statistics over the frames of a trajectory: times, steps, gaps, cells, volumes, and the extent of coordinates.
#ifndef TRJ_FRAME_STATISTICS_H
#define TRJ_FRAME_STATISTICS_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

// A quantity that each frame may have: time or step.
struct trj_series {
    uint64_t count; // frames that have it
    double first, last;
    double max;                       // largest absolute value
    uint64_t gaps;                    // number of differences between consecutive frames
    double min_gap, max_gap;          // of these differences; 0 if there are none
    uint64_t repeated, decreasing;    // gaps of 0, below 0
    uint64_t first_frame, last_frame; // numbers of the frames with `first` and `last`
};

// A zeroed struct is empty.
struct trj_frame_statistics {
    uint64_t frames; // frames added
    struct trj_series time, step;
    struct trj_cell cell; // of the first frame
    double unit;
    uint64_t other_cells;          // frames whose cell differs from the first cell
    uint64_t volumes;              // frames whose cell has a volume
    double min_volume, max_volume; // Å^3, of them
    double reach;                  // the largest |coordinate|, Å
    uint64_t reach_frame, reach_atom;
};

// Adds frame `number` of the trajectory, in ascending order. A gap is counted only if the previous frame was added.
void trj_frame_statistics_add(struct trj_frame_statistics *s, const struct trj_frame *f, uint64_t number);

// Returns the mean gap; NaN if there are fewer than two frames. *uniform: all counted gaps are equal within `rounding`,
// the relative error of the numbers, since times are often float32.
double trj_series_spacing(const struct trj_series *q, double rounding, bool *uniform);

extern const double trj_time_rounding; // 2^-23, for times that were stored as float32

#endif
