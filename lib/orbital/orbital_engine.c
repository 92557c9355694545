// SPDX-License-Identifier: MIT
// Lists the engines of this build.
#include "orbital_engine.h"

const struct trj_engine *const orb_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &orb_engine_cuda.kind,
#endif
    &orb_engine_cpu.kind, &orb_engine_direct.kind, NULL};

const struct trj_choice orb_engine_choices[] = {
    {"auto", "cpu, then cuda when the GPUs have started"},
    {"cuda", "one or several GPUs; the same bytes as cpu"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {"direct", "as cpu, but all functions at each point, without tables of a lattice"},
    {NULL, NULL},
};
