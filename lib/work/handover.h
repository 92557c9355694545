// SPDX-License-Identifier: MIT
// Decides when a second, faster engine takes over from the one that computes, and starts it meanwhile (engine_start.h).
// This is what `auto` means where both engines give the same sums. Its callers, count/engine_handover.h and map_run.h,
// move the sums.
//
// The second engine is started only if that is likely to pay (work_start_pays), and after the first frames. If it
// cannot be used, the first engine continues. Notes report a failure, but not one that the probe of the second engine
// returns, which means that this engine is not available here. For tests, the environment variable
// TRJPIPE_HANDOVER=N makes the second engine take over at frame N, counted from 0: the start begins with the first
// frame and is waited for.
#ifndef WORK_HANDOVER_H
#define WORK_HANDOVER_H

#include <stdbool.h>
#include <stdint.h>

#include "engine_choice.h"
#include "error.h"

struct work_handover_plan {
    const struct trj_engine *second;
    // Opens the second engine, in a thread of its own. Its notes must go to work_handover_note.
    int (*open)(void *owner, struct trj_error *err);
    void *owner;                                    // passed to `open`
    double (*share_read)(void *share_of);           // returns the share of the input that was read, or NAN; may be NULL
    void *share_of;                                 // passed to share_read
    void (*note)(void *note_arg, const char *text); // may be NULL; called in the thread that calls these functions
    void *note_arg;
};

struct work_handover;

// Opens a hand-over; the first engine has been opened. The plan is copied. Fails with TRJ_USAGE if TRJPIPE_HANDOVER is
// not a number.
int work_handover_open(struct work_handover **h, const struct work_handover_plan *plan, struct trj_error *err);
// Returns whether TRJPIPE_HANDOVER requests a hand-over.
bool work_handover_is_forced(void);
// Checks before a frame, the one after `frames` others, whether the second engine is open and has to take over. The
// caller then moves the sums, closes the first engine, and calls work_handover_done. Returns 1: take over; 0: continue;
// -1: the second engine has failed with TRJ_USAGE, because a setting of the user is invalid.
int work_handover_check(struct work_handover *h, uint64_t frames, struct trj_error *err);
// Ends the hand-over: reports the notes of the second engine. Returns the seconds that its start has taken.
double work_handover_done(struct work_handover *h);
// Passes a note of the second engine on. Before work_handover_done, the note is kept; without memory, it is lost.
void work_handover_note(void *h, const char *text);
bool work_handover_is_done(const struct work_handover *h);
// Frees the hand-over; NULL is allowed. It does not wait for a start in progress: work_start_abandoned is true then,
// and what `open` uses must stay valid until the process ends.
void work_handover_close(struct work_handover *h);

#endif
