// SPDX-License-Identifier: MIT
// Records signals that end the process, so that incomplete files can be removed first. Calls may be nested: only the
// outermost call has an effect.
#ifndef TRJ_SIGNAL_WATCH_H
#define TRJ_SIGNAL_WATCH_H

#include "error.h"

// Handles the signals of termination_signals.h, and SIGCHLD, which only ends a wait.
int trj_signals_watch(struct trj_error *err);
void trj_signals_unwatch(void);

// Returns the number of the last signal since the outermost trj_signals_watch, other than SIGCHLD; 0: none.
int trj_signals_received(void);
int trj_signals_wait_fd(void); // returns a descriptor that is readable after a signal
void trj_signals_drain(void);  // makes it unreadable again
// Sets the error "ended by signal 2 (Interrupt)", followed by `removed`.
int trj_signals_fail(struct trj_error *err, const char *removed);

#endif
