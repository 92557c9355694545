// SPDX-License-Identifier: MIT
// Detects repeated frames by the latest step and the latest time so far, so that no list of frames is needed.
#include "repeated_frames.h"

#include <math.h>

void trj_repeated_frames_start(struct trj_repeated_frames *r) {
    *r = (struct trj_repeated_frames){.last_step = TRJ_NO_STEP, .last_time = NAN};
}

// If step and time are known, neither may be later: steps of GROMACS overflow 32 bits, and some programs write only
// zeros as times.
bool trj_repeated_frames_add(struct trj_repeated_frames *r, const struct trj_frame *f) {
    bool step = f->step != TRJ_NO_STEP && r->last_step != TRJ_NO_STEP, time = !isnan(f->time) && !isnan(r->last_time);
    bool again = (step || time) && !(step && f->step > r->last_step) && !(time && f->time > r->last_time);
    bool first = r->last_step == TRJ_NO_STEP && isnan(r->last_time), any = f->step != TRJ_NO_STEP || !isnan(f->time);
    r->blind = !any || (!first && !step && !time);
    r->advances = r->advances || ((step || time) && !again);
    if (f->step != TRJ_NO_STEP && !(step && f->step <= r->last_step)) r->last_step = f->step;
    if (!isnan(f->time) && !(time && f->time <= r->last_time)) r->last_time = f->time;
    r->count += again;
    return again;
}
