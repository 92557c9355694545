// SPDX-License-Identifier: MIT
#include "surface_engine.h"

#include "instruction_set.h"

static const struct surf_engine cpu = {.kind.name = "cpu", .kind.built_for = trj_isa_names};

const struct trj_engine *const surf_engines[] = { // the default first
    &cpu.kind,
#ifdef TRJPIPE_CUDA
    &surf_engine_cuda.kind,
#endif
    NULL};

const struct trj_choice surf_engine_choices[] = {
    {"cpu", "one thread"},
    {"cuda", "an NVIDIA GPU; requires a build with nvcc"},
    {NULL, NULL},
};

const char *surf_engine_versions(void) {
    return trj_engine_versions(surf_engines);
}
