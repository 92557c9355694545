// SPDX-License-Identifier: MIT
// Reads the frames of a frame stream for computations that compare frames, and finds the interval between them before
// the first frame is used. There is one rule for all such computations (rdfhist --lag and --neighbours, skhist --lag):
// frames are consecutive if the gap between them is the most common one. The first gap is often another one, because
// simulations are continued at a step that is no multiple of the interval of their output.
//
// Frames are read ahead until one gap has occurred twice, and more often than any other; at most TRJ_INTERVAL_FRAMES
// of them, or TRJ_INTERVAL_BYTES, but three in any case. Then the most common gap is the interval; of several, the one
// that occurred first. If another gap proves to be more common in the rest of the frames, trj_gap_check rejects them at
// the end.
#ifndef TRJ_INTERVAL_READER_H
#define TRJ_INTERVAL_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "frame.h"
#include "frame_gap.h"
#include "reader.h"

enum { TRJ_INTERVAL_FRAMES = 16, TRJ_INTERVAL_BYTES = 100000000 };

// Set `wanted`; the rest must be zero.
struct trj_interval_reader {
    bool wanted;             // frames are compared; otherwise frames are read one by one
    bool started, ended;     // `interval` is known; the last frame has been read
    struct trj_gap interval; // TRJ_GAP_UNKNOWN: no two frames are consecutive
    struct trj_frame ahead[TRJ_INTERVAL_FRAMES];
    size_t count, next; // of `ahead`
};

// As trj_stream_input_read: 1, 0 at the end, -1.
int trj_interval_read(struct trj_interval_reader *r, struct trj_reader *in, struct trj_frame *f, struct trj_error *err);
// As trj_stream_input_fail_frame, for the last frame that trj_interval_read returned. -1
int trj_interval_fail_frame(const struct trj_interval_reader *r, const struct trj_reader *in, struct trj_error *err);
void trj_interval_reader_free(struct trj_interval_reader *r); // not r itself

#endif
