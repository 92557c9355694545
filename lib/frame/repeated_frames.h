// SPDX-License-Identifier: MIT
// Detects repeated frames, as after a restart: neither their step nor their time is later than in all earlier frames.
#ifndef TRJ_REPEATED_FRAMES_H
#define TRJ_REPEATED_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct trj_repeated_frames {
    int64_t last_step; // largest so far; TRJ_NO_STEP: none
    double last_time;  // largest so far; NaN: none
    uint64_t count;    // repeated frames
    bool blind;        // neither step nor time of the last frame can be compared
    bool advances;     // some frame is later than another; if none is, steps and times are useless
};

void trj_repeated_frames_start(struct trj_repeated_frames *r);
// Adds the next frame. Returns whether it is repeated; false if it cannot be compared.
bool trj_repeated_frames_add(struct trj_repeated_frames *r, const struct trj_frame *f);

#endif
