// SPDX-License-Identifier: MIT
// Engines that compute a job as a whole, and the choice among them. Other engines get one frame after another
// (map_engine.h).
#ifndef WORK_WHOLE_JOB_H
#define WORK_WHOLE_JOB_H

#include "engine_choice.h"
#include "error.h"

struct work_whole_engine {
    struct trj_engine kind;
    // `devices` is the number of one GPU; NULL: the first one that can be used. Fails with TRJ_NO_ENGINE if the engine
    // cannot run here. NULL: nothing to open, and *engine remains as it is.
    int (*open)(void **engine, const char *devices, struct trj_error *err);
    // An engine that fails for a reason of its own, with TRJ_NO_ENGINE, has not changed the input of the job: its GPU
    // has failed, or has too little memory for this job.
    int (*compute)(void *engine, const void *job, struct trj_error *err);
    void (*stats)(void *engine, struct trj_engine_stats *s); // sets the times of the steps; NULL: there are none
    void (*close)(void *engine);                             // NULL if `open` is NULL
};

struct work_whole_job {
    const struct trj_engine *const *engines; // the list of trj_engine_find; each is a struct work_whole_engine
    const struct trj_engine_options *options;
    const void *job;                // what `compute` gets
    double cpu_seconds;             // expected time of the engine cpu with one thread; 0: `auto` uses no GPU
    void (*note)(const char *text); // reports a failure after the start of an engine that another one replaces
};

// Checks the options before any input is read. Fails as trj_engine_check_options, as trj_engine_find, and with
// TRJ_USAGE for more than one device. `work` states in this message what one device does: "places all ions".
int work_whole_check(const struct trj_engine *const *engines, const struct trj_engine_options *o, const char *work,
                     struct trj_error *err);

// Computes the job with the engine that the options name. `auto` uses a GPU only if its start takes less time than the
// work on the CPU, or if the options list it. If that GPU cannot be used or fails, the CPU computes everything. Sets
// stats->kind to the engine, stats->start to the time that the start of a GPU takes, and stats->seconds to the rest.
int work_whole_compute(const struct work_whole_job *w, struct trj_engine_stats *stats, struct trj_error *err);

// Prints the engine that `auto` has used, and with --stats the times of `work`, such as "9 ions, 800 points".
void work_whole_print(const struct trj_engine_options *o, const struct trj_engine_stats *stats, const char *work,
                      void (*print)(const char *text));

#endif
