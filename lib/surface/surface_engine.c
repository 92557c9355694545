// SPDX-License-Identifier: MIT
// Lists the engines of this build and opens the requested one; the CPU is the default, because it needs a few planes at
// a time.
#include "surface_engine.h"

#include <string.h>

#include "instruction_set.h"

static const struct surf_engine cpu = {.kind.name = "cpu", .kind.built_for = trj_isa_names};

const struct trj_engine *const surf_engines[] = { // the default first
    &cpu.kind,
#ifdef TRJPIPE_CUDA
    &surf_engine_cuda.kind,
#endif
    NULL};

const struct trj_choice surf_engine_choices[] = {
    {"cpu", "threads, each for one map"},
    {"cuda", "an NVIDIA GPU; requires a build with nvcc"},
    {NULL, NULL},
};

int surf_engine_open(const struct surf_engine **engine, void **state, const struct trj_engine_options *o,
                     struct trj_error *err) {
    const struct trj_engine *kind;
    if (trj_engine_check_options(o, err)) return -1;
    if (o->devices && strchr(o->devices, ','))
        return trj_fail(err, TRJ_USAGE, "--devices: '%s' lists several GPUs, but one computes all surfaces; give one",
                        o->devices);
    if (trj_engine_find(&kind, surf_engines, o->engine, err)) return -1;
    *engine = (const struct surf_engine *)(const void *)kind;
    return (*engine)->open ? (*engine)->open(state, o->devices, err) : 0;
}
