// SPDX-License-Identifier: MIT
// Lets a user end a tool that reads without a foreseeable end, so that its output is complete. The first SIGINT or
// SIGTERM is a request that the tool follows; a second one ends the process as it would without this file.
#ifndef TRJ_STOP_REQUEST_H
#define TRJ_STOP_REQUEST_H

#include <signal.h>
#include <stdbool.h>

// From this call on, the first SIGINT or SIGTERM is a request. A signal that the parent process ignores stays ignored.
void trj_stop_on_signals(void);
// Sets the action of a second signal with this number. Returns false, without effect, unless the first one is awaited:
// the caller then sets the action of the signal itself.
bool trj_stop_then(int number, const struct sigaction *next);
// Returns whether a signal has come. It may be called by any thread.
bool trj_stop_requested(void);

#endif
