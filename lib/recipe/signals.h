// SPDX-License-Identifier: MIT
// Signals that are to end us, noted instead, so that what is half made can be removed first. Watching may be nested: what is outermost counts.
#ifndef TRJ_SIGNALS_H
#define TRJ_SIGNALS_H

#include "error.h"

// SIGINT, SIGTERM, SIGHUP, SIGQUIT; and SIGCHLD, which only wakes.
int trj_signals_watch(struct trj_error *err);
void trj_signals_unwatch(void);

int trj_signals_came(void);    // the number of the one that came since the outermost trj_signals_watch; 0: none
int trj_signals_wait_fd(void); // becomes readable with each signal
void trj_signals_drain(void);  // makes it unreadable again
int trj_signals_fail(struct trj_error *err, const char *removed); // "ended by signal 2 (Interrupt)", then `removed`

#endif
