// SPDX-License-Identifier: MIT
// Engines that place ions. All of them give the same ions, to the last bit.
#ifndef POT_ION_ENGINE_H
#define POT_ION_ENGINE_H

#include "engine_choice.h"
#include "error.h"
#include "ion_place.h"
#include "tool.h"

struct pot_ion_engine {
    struct trj_engine kind;
    // `devices` is the number of one GPU; NULL: the first one that can be used. Fails with TRJ_NO_ENGINE if the engine
    // cannot run here. NULL: nothing to open, and *engine remains as it is.
    int (*open)(void **engine, const char *devices, struct trj_error *err);
    // As pot_place_ions. An engine that fails for a reason of its own, with TRJ_NO_ENGINE, has not changed p->value:
    // its GPU has failed, or has too little memory for this map.
    int (*place)(void *engine, const struct pot_placement *p, struct pot_ion *ion, uint64_t *excluded,
                 struct trj_error *err);
    void (*stats)(void *engine, struct trj_engine_stats *s); // sets the times of the steps; NULL: there are none
    void (*close)(void *engine);                             // NULL if `open` is NULL
};

extern const struct pot_ion_engine pot_ion_engine_cuda; // cuda/potential/ion_cuda.c; in builds with TRJPIPE_CUDA

extern const struct trj_choice pot_ion_engine_choices[]; // names and descriptions, for option tables; ends with NULL

// Checks the options before any input is read. Fails as trj_engine_check_options, with TRJ_USAGE for more than one
// device, and as trj_engine_find.
int pot_ion_engine_check(const struct trj_engine_options *o, struct trj_error *err);

// Places ions as pot_place_ions, with the engine that the options name. `auto` uses a GPU only
// if its start takes less time than the work on the CPU. If that GPU cannot be used or fails, the CPU places all ions;
// `note` reports a failure after the start. Sets stats->kind to the engine, stats->start to the
// start of a GPU, and stats->seconds to the rest.
int pot_ion_engine_place(const struct trj_engine_options *o, const struct pot_placement *p, struct pot_ion *ion,
                         uint64_t *excluded, struct trj_engine_stats *stats, void (*note)(const char *text),
                         struct trj_error *err);

const char *pot_ion_engine_versions(void); // as trj_engine_versions, of these engines

#endif
