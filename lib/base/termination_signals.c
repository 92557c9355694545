// SPDX-License-Identifier: MIT
// Lists the signals in one place, for temporary files of tools and for the processes of recipes.
#include "termination_signals.h"

#include <signal.h>

const int trj_termination_signals[TRJ_TERMINATION_SIGNALS] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGXCPU,
                                                              SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF};
