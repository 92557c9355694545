// SPDX-License-Identifier: MIT
// Which frames are wanted, as users write it.
#ifndef TRJ_RANGE_H
#define TRJ_RANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"

// START:STOP:STEP, each part may be left out; STOP is not included. One number is that frame alone. Negative ones count from the end: -1 is
// the last frame.
struct trj_range {
    uint64_t start, stop, step;         // stop UINT64_MAX: to the end
    bool start_from_end, stop_from_end; // they are numbers of frames before the end, until trj_range_resolve
};

int trj_range_parse(struct trj_range *r, const char *text, struct trj_error *err); // TRJ_USAGE; refuses empty ranges
// Of so many frames that there are. TRJ_BAD_DATA where none of them is in the range.
int trj_range_resolve(struct trj_range *r, uint64_t frames, struct trj_error *err);
// Frames to pass over from frame `position` to the next one that is in a settled range; UINT64_MAX: there is none.
uint64_t trj_range_gap(const struct trj_range *r, uint64_t position);

// K/N: the K-th of N equal shares, from 1.
struct trj_segment {
    uint64_t number, of;
};

int trj_segment_parse(struct trj_segment *s, const char *text, struct trj_error *err); // TRJ_USAGE
// Leaves of a settled range, of so many frames that there are, its share; those of all numbers together are the range, and none is larger than
// another by more than a frame. TRJ_BAD_DATA where there are fewer frames than shares and this one has none.
int trj_segment_take(const struct trj_segment *s, struct trj_range *r, uint64_t frames, struct trj_error *err);

// FROM:TO in ps, each part may be left out, both ends are included; one number is that time alone.
struct trj_times {
    double from, to;
};

int trj_times_parse(struct trj_times *t, const char *text, struct trj_error *err); // TRJ_USAGE
// -1: before, 0: in, 1: behind. Times of files are float32, or products of such: what is off by a quarter of a millionth is in, which is
// twice what their rounding can be. More would take in frames 1 ps away after a microsecond.
int trj_times_compare(const struct trj_times *t, double time);

#endif
