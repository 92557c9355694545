// SPDX-License-Identifier: MIT
// Engines that place ions. All of them give the same ions, to the last bit.
#ifndef POT_ION_ENGINE_H
#define POT_ION_ENGINE_H

#include "engine_choice.h"
#include "error.h"
#include "ion_place.h"
#include "tool.h"
#include "whole_job.h"

// The job of an engine: as the arguments of pot_place_ions.
struct pot_ion_job {
    const struct pot_placement *placement;
    struct pot_ion *ion;
    uint64_t *excluded;
};

extern const struct work_whole_engine pot_ion_engine_cuda; // cuda/potential/ion_cuda.c; in builds with TRJPIPE_CUDA

extern const struct trj_choice pot_ion_engine_choices[]; // names and descriptions, for option tables; ends with NULL
extern const struct trj_engine *const pot_ion_engines[]; // of whole_job.h

// Checks the options before any input is read, as work_whole_check.
int pot_ion_engine_check(const struct trj_engine_options *o, struct trj_error *err);

// Places ions as pot_place_ions, with an engine as work_whole_compute.
int pot_ion_engine_place(const struct trj_engine_options *o, const struct pot_ion_job *job,
                         struct trj_engine_stats *stats, void (*note)(const char *text), struct trj_error *err);

#endif
