// SPDX-License-Identifier: MIT
// Frames that come again, as where a run was started again: by step and by time they do not lie behind all those before.
#ifndef TRJ_REPEATS_H
#define TRJ_REPEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "frame.h"

struct trj_repeats {
    int64_t last_step; // the largest so far, TRJ_NO_STEP: none
    double last_time;  // the same, NaN: none
    uint64_t count;    // frames that come again
    bool blind;        // the last frame has neither step nor time that can be compared: it cannot be told
    bool advances;     // some lie behind others: where none does, steps and times tell nothing
};

void trj_repeats_start(struct trj_repeats *r);
// Whether the next frame comes again. One that cannot be told does not.
bool trj_repeats_add(struct trj_repeats *r, const struct trj_frame *f);

#endif
