// SPDX-License-Identifier: MIT
// What the frames of a trajectory tell together: times, steps, cells, how far coordinates reach.
#ifndef TRJ_SURVEY_H
#define TRJ_SURVEY_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

// A number that each frame may have.
struct trj_series {
    uint64_t count; // of frames that have it
    double first, last;
    double most;                      // the largest absolute value
    uint64_t gaps;                    // differences to the frame before
    double least_gap, most_gap;       // of them; 0 where there is none
    uint64_t repeated, decreasing;    // gaps of 0, below 0
    uint64_t first_frame, last_frame; // which have `first`, `last`
};

// A zeroed one is empty.
struct trj_frame_statistics {
    uint64_t frames; // that were added
    struct trj_series time, step;
    struct trj_cell cell; // of the first one
    double unit;
    uint64_t other_cells;             // frames whose cell is not that of the first
    uint64_t volumes;                 // frames whose cell has one
    double least_volume, most_volume; // Å^3, of them
    double reach;                     // the largest |coordinate|, Å
    uint64_t reach_frame, reach_atom;
};

// Adds frame `number` of the trajectory; later ones have higher numbers. Only where the one before was added there is a gap.
void trj_frame_statistics_add(struct trj_frame_statistics *s, const struct trj_frame *f, uint64_t number);

// The mean gap, NaN where there are no two frames, and whether all gaps that were seen are as long, to within what `rounding`, the relative
// error of the numbers, explains. Times are often float32.
double trj_series_spacing(const struct trj_series *q, double rounding, bool *uniform);

extern const double trj_time_rounding; // 2^-23: of times that were float32 once

#endif
