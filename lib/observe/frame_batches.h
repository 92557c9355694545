// SPDX-License-Identifier: MIT
// Computes observables of frames in several threads, and passes their values on in the order of the frames.
#ifndef OBS_FRAME_BATCHES_H
#define OBS_FRAME_BATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_share.h"
#include "observable.h"
#include "system.h"

struct obs_batches;

struct obs_batches_plan {
    const struct obs_system *system;
    struct obs_observable *observable; // [count]
    size_t count, values;              // values: of all observables together
    unsigned threads;                  // as in pool.h
    // Gets value[values] of a frame, in the order of the frames, in the thread that adds frames. It fails with
    // TRJ_BAD_DATA only for an error of the content of the frame.
    int (*take)(void *arg, const struct trj_frame *f, const double *value, struct trj_error *err);
    void *arg;
    // The frames that this process computes; the values of others come from work_share_combine. NULL: all.
    const struct work_share *share;
};

// *plan is copied; what it points to must outlive the batches. obs_batches_close frees, also after a failure.
int obs_batches_open(struct obs_batches **b, const struct obs_batches_plan *plan, struct trj_error *err);
// Adds a frame, and exchanges its memory. The values come later, at the latest with obs_batches_finish. If the error is
// of the content of a frame, obs_batches_failed returns its number in the order of adding; otherwise UINT64_MAX.
int obs_batches_add(struct obs_batches *b, struct trj_frame *f, struct trj_error *err);
// Waits for the values of the frames so far; more frames may follow.
int obs_batches_finish(struct obs_batches *b, struct trj_error *err);
uint64_t obs_batches_failed(const struct obs_batches *b);
void obs_batches_close(struct obs_batches *b); // NULL is allowed

#endif
