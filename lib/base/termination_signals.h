// SPDX-License-Identifier: MIT
// Lists the signals that end a process by default, can be handled, and report no fault of the program.
//
// Temporary files must be removed on each of them. Batch systems and time limits send SIGXCPU, SIGALRM, SIGUSR1 and
// SIGUSR2; terminals send SIGQUIT.
#ifndef TRJ_TERMINATION_SIGNALS_H
#define TRJ_TERMINATION_SIGNALS_H

enum { TRJ_TERMINATION_SIGNALS = 10 };
extern const int trj_termination_signals[TRJ_TERMINATION_SIGNALS];

#endif
