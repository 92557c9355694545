// SPDX-License-Identifier: MIT
// Detects repeated frames, as after a restart: neither their step nor their time is later than in all earlier frames.
// Frames without either are compared by their coordinates with the frame before.
#ifndef TRJ_REPEATED_FRAMES_H
#define TRJ_REPEATED_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"

enum { TRJ_REPEATED_SAMPLE = 512 }; // atoms whose coordinates are compared, evenly spaced

// The steps and times of the frames of an input that are later than those before them.
struct trj_repeated_span {
    int64_t first_step, last_step; // TRJ_NO_STEP: unknown
    double first_time, last_time;  // NaN: unknown
    bool any;
};

struct trj_repeated_frames {
    int64_t last_step;              // largest so far; TRJ_NO_STEP: none
    double last_time;               // largest so far; NaN: none
    uint64_t count;                 // repeated frames
    bool blind;                     // neither step nor time of the last frame can be compared
    bool advances;                  // some frame is later than another; if none is, steps and times are useless
    struct trj_repeated_span *span; // [spans] of the inputs so far
    size_t spans, span_capacity;
    float (*sample)[3]; // coordinates of the last frame without step and time; NULL: none
    size_t sampled;     // atoms in it
    uint64_t identical; // frames without step and time that have the coordinates of the frame before them
};

void trj_repeated_frames_start(struct trj_repeated_frames *r);
// Adds the next frame. Returns whether it is repeated; false if it cannot be compared.
bool trj_repeated_frames_add(struct trj_repeated_frames *r, const struct trj_frame *f);

// Adds a frame that is not repeated to the span of input number `input`, which is not less than in earlier calls.
// Returns 0, or -1 if memory is missing.
int trj_repeated_frames_extend(struct trj_repeated_frames *r, size_t input, const struct trj_frame *f,
                               struct trj_error *err);
// Returns whether a repeated frame is within the span of an input, so that leaving it out leaves no gap. If not, the
// inputs are in the wrong order, and *later is the number of the first input that is later than the frame.
bool trj_repeated_frames_covers(const struct trj_repeated_frames *r, const struct trj_frame *f, size_t *later);
// Compares the coordinates of a frame that has neither step nor time with the frame before. Returns 0, or -1 if memory
// is missing.
int trj_repeated_frames_compare(struct trj_repeated_frames *r, const struct trj_frame *f, struct trj_error *err);
void trj_repeated_frames_free(struct trj_repeated_frames *r);

#endif
