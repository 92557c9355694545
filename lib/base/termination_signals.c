// SPDX-License-Identifier: MIT
#include "ending_signals.h"

#include <signal.h>

const int trj_ending_signals[TRJ_ENDING_SIGNALS] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGXCPU,
                                                    SIGALRM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF};
