// SPDX-License-Identifier: MIT
// Frames that come again, as where a run was started again: by step and by time they do not lie behind all those before.
#ifndef TRJ_REPEATS_H
#define TRJ_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct trj_repeated_frames {
    int64_t last_step; // the largest so far, TRJ_NO_STEP: none
    double last_time;  // the same, NaN: none
    uint64_t count;    // frames that come again
    bool blind;        // the last frame has neither step nor time that can be compared: it cannot be told
    bool advances;     // some lie behind others: where none does, steps and times tell nothing
};

void trj_repeated_frames_start(struct trj_repeated_frames *r);
// Whether the next frame comes again. One that cannot be told does not.
bool trj_repeated_frames_add(struct trj_repeated_frames *r, const struct trj_frame *f);

#endif
