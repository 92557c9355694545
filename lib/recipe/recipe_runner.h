// SPDX-License-Identifier: MIT
// Runs a plan: processes and pipes, group after group, several at once.
//
// A group's files appear when all its processes have ended well, and not before. When one fails, all that runs is ended, and nothing of it
// stays. The error names the first one that failed by itself: those that only lost their input or their reader are told after it.
#ifndef TRJ_RECIPE_RUNNER_H
#define TRJ_RECIPE_RUNNER_H

#include "recipe_plan.h"

struct trj_run_options {
    unsigned at_once;                 // groups that may run at a time; 0: as many as there are
    const char *only;                 // the output whose group is wanted; NULL: all
    void (*report)(const char *line); // notes, and what the stages say, as it comes
    void (*show_status)(
        const char *line); // a line about what is going on, that replaces the last one; NULL: said now and then
    int signal;            // after trj_run: SIGINT or the like if that ended it, else 0
};

// In the plan's folder, which must be the current one.
int trj_plan_run(struct trj_run_options *options, const struct trj_plan *plan, struct trj_error *err);

#endif
