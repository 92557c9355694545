// SPDX-License-Identifier: MIT
// Parses ranges of frames, ranges of time, and segments, as users give them.
#ifndef TRJ_FRAME_RANGE_H
#define TRJ_FRAME_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

// START:STOP:STEP: each part may be omitted; STOP is not included. A single number selects one frame. Negative numbers
// count from the end: -1 is the last frame.
struct trj_range {
    uint64_t start, stop, step;         // stop UINT64_MAX: to the end
    bool start_from_end, stop_from_end; // start, stop: number of frames before the end, until trj_range_resolve
};

// Fails with TRJ_USAGE for an invalid or empty range.
int trj_range_parse(struct trj_range *r, const char *text, struct trj_error *err);
// Replaces numbers counted from the end, given the number of frames. Fails with TRJ_BAD_DATA if the range selects none.
int trj_range_resolve(struct trj_range *r, uint64_t frames, struct trj_error *err);
// Returns how many frames to skip from frame `position` to the next one in a resolved range; UINT64_MAX if none is
// left.
uint64_t trj_range_gap(const struct trj_range *r, uint64_t position);

// K/N: the K-th of N equal segments, counted from 1. K/N/L: segments whose lengths are multiples of L frames, but for
// the last one.
struct trj_segment {
    uint64_t number, count, unit; // unit 1: K/N
};

int trj_segment_parse(struct trj_segment *s, const char *text, struct trj_error *err); // fails with TRJ_USAGE
// Reduces a resolved range, given the number of frames, to a segment. The segments together are the range, and their
// lengths differ by at most one unit. Fails with TRJ_BAD_DATA if this segment has no frames.
int trj_segment_take(const struct trj_segment *s, struct trj_range *r, uint64_t frames, struct trj_error *err);

// FROM:TO in ps: each part may be omitted; both ends are included. A single number selects that time.
struct trj_times {
    double from, to;
};

int trj_times_parse(struct trj_times *t, const char *text, struct trj_error *err); // fails with TRJ_USAGE
// Returns -1 before the range, 0 in it, 1 after it. Times in files are float32 or products of float32, with a relative
// rounding error of up to 0.125e-6. Twice that is tolerated; more would include frames 1 ps off after a microsecond.
int trj_times_compare(const struct trj_times *t, double time);

#endif
