// SPDX-License-Identifier: MIT
#include "density_engine.h"

#include <stddef.h>

const struct trj_engine *const den_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &den_engine_cuda.kind,
#endif
    &den_engine_cpu.kind, &den_engine_reference.kind, NULL};

const struct trj_choice den_engine_choices[] = {
    {"auto", "cuda if a GPU can be used, otherwise cpu"},
    {"cuda", "NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {"reference", "the formulas in float64 on one thread, for comparison"},
    {NULL, NULL},
};

const char *den_engine_versions(void) {
    return trj_engine_versions(den_engines);
}
