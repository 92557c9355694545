// SPDX-License-Identifier: MIT
// Measures the gaps between consecutive frames, and finds the most common gap (interval_reader.h).
#ifndef TRJ_FRAME_GAP_H
#define TRJ_FRAME_GAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"

// Length in ps; in MD steps if times are unknown or equal; else in frames of one source.
struct trj_gap {
    enum trj_gap_unit { TRJ_GAP_UNKNOWN, TRJ_GAP_TIME, TRJ_GAP_STEPS, TRJ_GAP_FRAMES } unit;
    double length;
};

enum { TRJ_GAPS = 64, TRJ_GAP_MARGIN = 1000 };

// Counts how often each gap occurs. When there are more than TRJ_GAPS different gaps, the rarest is replaced, so that
// the most common one is kept.
struct trj_gap_tally {
    struct trj_gap gap[TRJ_GAPS];
    uint64_t times[TRJ_GAPS];
    uint64_t first[TRJ_GAPS]; // index in its source of the frame before the first such gap
    size_t count;
};

// Returns the gap between two frames.
struct trj_gap trj_gap_between(const struct trj_frame *from, const struct trj_frame *to);
// Returns whether two gaps are equal within the rounding of times; `last` is the latest frame.
bool trj_gap_same(const struct trj_gap *a, const struct trj_gap *b, const struct trj_frame *last);
void trj_gap_tally_add(struct trj_gap_tally *t, const struct trj_gap *gap, const struct trj_frame *from,
                       const struct trj_frame *last);
// Returns the most common gap, of several the one that occurred first; TRJ_GAP_UNKNOWN if there is none.
struct trj_gap trj_gap_most_common(const struct trj_gap_tally *t);
// Fails with TRJ_BAD_DATA if another gap occurs more often than `taken`, by more than `margin`, or, with a margin of 0,
// after the last frame, if there are three gaps or more, each of which occurs once.
int trj_gap_check(const struct trj_gap_tally *t, const struct trj_gap *taken, const struct trj_frame *last,
                  uint64_t margin, struct trj_error *err);
// Writes the text of a note about frames that are not consecutive; "" if breaks is 0. `breaks` frames of `frames`, the
// latest of which is `last`, do not follow the frame before at the interval `taken`. The note names another interval
// that is as common.
enum { TRJ_GAP_NOTE = 300 };
void trj_gap_note(char note[TRJ_GAP_NOTE], const struct trj_gap_tally *t, const struct trj_gap *taken,
                  const struct trj_frame *last, uint64_t breaks, uint64_t frames);

#endif
