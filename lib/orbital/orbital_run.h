// SPDX-License-Identifier: MIT
// Runs engines of orbitals for a filter: the choice among the engines, slabs of limited memory, and statistics.
//
// `auto` begins with the engine `cpu`, and continues with `cuda` at a slab where a GPU is ready and the rest takes long
// enough (handover.h); with --devices it begins with `cuda`. If the GPUs fail, `cpu` computes the rest. The bytes are
// the same.
#ifndef ORB_RUN_H
#define ORB_RUN_H

#include <stdint.h>

#include "engine_choice.h"
#include "error.h"
#include "orbital_engine.h"

struct orb_run_plan {
    const struct trj_engine_options *options;
    uint64_t jobs;                   // number of jobs that will be computed
    void (*print)(const char *text); // prints a line for the user
};

struct orb_run;

// Opens the engine that the options name. The plan is copied; what it points to must outlive the run. Fails as
// trj_engine_check_options, trj_engine_find, and as `open` of the engine.
int orb_run_open(struct orb_run **run, const struct orb_run_plan *plan, struct trj_error *err);
// Computes a job. Calls `take` for each slab, in ascending order, in the thread of the caller; the values are valid
// until it returns, and it can modify them. If it fails, this function returns its error.
int orb_run_job(struct orb_run *run, const struct orb_job *job,
                int (*take)(void *arg, const struct orb_slab *slab, struct trj_error *err), void *arg,
                struct trj_error *err);
void orb_run_print_engine(struct orb_run *run); // prints which engines were used
// Prints statistics, for --stats. `points` is the number of points of all jobs.
void orb_run_print_stats(struct orb_run *run, uint64_t points);
// Frees the run; NULL is allowed. If work_start_abandoned() is true after this, the process must end at once.
void orb_run_close(struct orb_run *run);

#endif
