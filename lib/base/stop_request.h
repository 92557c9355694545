// SPDX-License-Identifier: MIT
// Lets a user end a tool that reads without a foreseeable end, so that its output is complete, and lets a batch system
// end a tool that writes checkpoints. The tool follows the request of a signal.
#ifndef TRJ_STOP_REQUEST_H
#define TRJ_STOP_REQUEST_H

#include <signal.h>
#include <stdbool.h>

// From this call on, the first SIGINT or SIGTERM is a request; a second one ends the process as it would without this
// file. A signal that the parent process ignores stays ignored.
void trj_stop_on_signals(void);
// From this call on, each SIGTERM and SIGUSR1 is a request, because batch systems send several of them while the tool
// writes its checkpoint. `wake` is called by the signal handler, so that it may call only what a handler may; NULL:
// nothing.
void trj_stop_on_batch_signals(void (*wake)(void));
// From this call on, the first of these signals is ignored, and a second one ends the process, as before the call of
// trj_stop_on_batch_signals; signals that came earlier count.
void trj_stop_on_second_signal(void);
// Sets the action of a second signal with this number. Returns false, without effect, unless the first one is awaited:
// the caller then sets the action of the signal itself.
bool trj_stop_then(int number, const struct sigaction *next);
// Returns whether a signal has come. It may be called by any thread.
bool trj_stop_requested(void);
// Returns the number of the first signal that has come; 0: none.
int trj_stop_signal(void);

#endif
