// SPDX-License-Identifier: MIT
// Starts an engine with a slow or unreliable driver while the caller computes with another engine.
//
// The start of a GPU driver takes seconds of system time, and a broken driver can crash, or wait for hardware without
// end. A start therefore has two steps. First a child process probes the engine: a crash ends only the child. If that
// succeeds, a thread of this process opens the engine. The caller never waits for either: it checks the state between
// two frames, and a process whose result is complete ends while a start is in progress (work_start_abandoned).
#ifndef WORK_ENGINE_START_H
#define WORK_ENGINE_START_H

#include <stdbool.h>

#include "error.h"

struct work_start;

struct work_start_plan {
    const char *name; // of the engine, for messages; must stay valid
    // Runs in a child process. Fails with a reason. The child keeps what it has initialised until `open` has returned,
    // since some drivers shut a GPU down when its last user ends. NULL: there is nothing to probe.
    int (*probe)(struct trj_error *err);
    int (*open)(void *owner, struct trj_error *err); // runs in a thread of its own
    void *owner;                                     // passed to `open`
};

enum work_start_state { WORK_START_IN_PROGRESS, WORK_START_READY, WORK_START_FAILED };

// Begins a start. The caller keeps ownership of the plan, which must stay valid until work_start_close.
int work_start_begin(struct work_start **start, const struct work_start_plan *plan, struct trj_error *err);
// Returns the state; with `wait`, waits until the start has ended. After a failure, sets *why, and *absent to whether
// the probe has reported the failure, which means that the engine is not available here.
enum work_start_state work_start_state(struct work_start *s, bool wait, struct trj_error *why, bool *absent);
// Frees the start without waiting for the driver; NULL is allowed. `used` is true if the caller uses the engine, which
// is ready. Otherwise, if `open` is in progress or has succeeded, the start is abandoned.
void work_start_close(struct work_start *s, bool used);

// Returns whether a start has been abandoned. The process must then keep what the owner of the start uses until it
// ends, and must end with _exit() when its output is complete: exit() would call the handlers of the driver while
// another thread may be in the driver, and the two could wait for each other, or crash. Even _exit() waits for a system
// call that cannot be interrupted. The thread makes only calls that have succeeded in the child process shortly before.
bool work_start_abandoned(void);
// Ends a main function: returns the exit status, or ends the process with it if a start has been abandoned.
int work_start_end_process(int status);

// Decides whether a start, or the use of an engine that is ready, is worthwhile. `seconds` have passed since the work
// began, and during this time the share of the input that was read has grown from `from` to `to` (NAN: the size of the
// input is unknown).
bool work_start_pays(double seconds, double from, double to, bool ready);

#endif
