// SPDX-License-Identifier: MIT
// Runs a plan: starts the processes of one or several groups at a time, and connects them by pipes.
//
// The files of a group appear after all its processes have succeeded. If a process fails, all running processes are
// stopped and their incomplete files are removed. The error names the process that failed first; processes that failed
// only because they lost their input or their reader are not a cause.
#ifndef TRJ_RECIPE_RUNNER_H
#define TRJ_RECIPE_RUNNER_H

#include "recipe_plan.h"

struct trj_run_options {
    unsigned at_once;                      // most groups at a time; 0: no limit
    const char *only;                      // run only the group with this output; NULL: all groups
    void (*report)(const char *line);      // prints notes, and messages of the stages
    void (*show_status)(const char *line); // replaces the status line; an empty line removes it. NULL: the status is
                                           // reported every 30 s instead
    int signal;                            // result: number of the signal that ended the run, else 0
};

// Runs the plan in the current folder, which must be the plan's folder.
int trj_plan_run(struct trj_run_options *options, const struct trj_plan *plan, struct trj_error *err);

#endif
