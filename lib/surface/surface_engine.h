// SPDX-License-Identifier: MIT
// Engines that compute surfaces. All of them produce the same bytes. The engine `cpu` needs a few planes of a map at a
// time (surface.h); the others need all planes.
#ifndef SURF_SURFACE_ENGINE_H
#define SURF_SURFACE_ENGINE_H

#include "engine_choice.h"
#include "error.h"
#include "surface.h"
#include "tool.h"

struct surf_engine {
    struct trj_engine kind;
    // All functions are NULL for the engine `cpu`. `devices` is the number of one GPU; NULL: the first one that can be
    // used. `open` fails with TRJ_NO_ENGINE if the engine cannot run here.
    int (*open)(void **engine, const char *devices, struct trj_error *err);
    // Computes the surface of a map from all of its values, and its colours from those of a second map (NULL: no
    // colours). Fails as surf_builder_add and surf_builder_finish, and with TRJ_NO_ENGINE if the memory of the device
    // is too small. The caller frees summary->components.
    int (*build)(void *engine, const struct surf_setup *setup, const void *values, const void *colours,
                 struct surf_summary *summary, struct trj_error *err);
    void (*stats)(void *engine, struct trj_engine_stats *s); // sets the times of the steps
    void (*close)(void *engine);                             // NULL is allowed
};

extern const struct surf_engine surf_engine_cuda; // cuda/surface/surface_cuda.c; in builds with TRJPIPE_CUDA

extern const struct trj_choice
    surf_engine_choices[]; // names and descriptions, for option tables; ends with a NULL name

// Opens the engine that the options name. Leaves *state as it is for the engine `cpu`. Fails with TRJ_USAGE for an
// invalid list of devices or more than one device, and as trj_engine_find and as `open` of the engine.
int surf_engine_open(const struct surf_engine **engine, void **state, const struct trj_engine_options *o,
                     struct trj_error *err);

extern const struct trj_engine *const surf_engines[]; // the list of trj_engine_find; each is a struct surf_engine

#endif
