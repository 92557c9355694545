// SPDX-License-Identifier: MIT
// Engines that compute potentials. Each has a function table for each method (potential_job.h).
#ifndef POT_POTENTIAL_ENGINE_H
#define POT_POTENTIAL_ENGINE_H

#include "engine_choice.h"
#include "potential_job.h"
#include "tool.h"

struct pot_engine {
    struct trj_engine kind;
    const struct pot_method *method[POT_METHODS]; // NULL: not available
};

extern const struct pot_engine pot_engine_cuda;      // cuda/potential/potential_cuda.c; in builds with TRJPIPE_CUDA
extern const struct pot_engine pot_engine_cpu;       // threads
extern const struct pot_engine pot_engine_reference; // simple float64 sums, with which tests compare

extern const struct trj_choice pot_method_choices[]; // [POT_METHODS] as enum pot_method_kind; ends with a NULL name
extern const struct trj_choice pot_engine_choices[]; // names and descriptions; ends with a NULL name
// The list of trj_engine_find and trj_engine_fall_back, fastest first; each is a struct pot_engine.
extern const struct trj_engine *const pot_engines[];
// Opens the method of a job. *engine is the result of trj_engine_find for `name`; if it is `auto`, *engine changes to
// an engine that has the method and can run. Otherwise fails with TRJ_NO_ENGINE.
int pot_engine_open(const struct trj_engine **engine, const char *name, const struct pot_job *job,
                    const struct pot_method **method, void **state, struct trj_error *err);
const char *pot_engine_versions(void); // as trj_engine_versions, of these engines

#endif
