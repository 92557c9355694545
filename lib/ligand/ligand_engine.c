// SPDX-License-Identifier: MIT
#include "ligand_engine.h"

#include <stddef.h>

const struct trj_engine *const lig_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &lig_engine_cuda.kind,
#endif
    &lig_engine_cpu.kind, NULL};

const struct trj_choice lig_engine_choices[] = {
    {"auto", "cuda if a GPU can be used, otherwise cpu"},
    {"cuda", "NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {NULL, NULL},
};

const char *lig_engine_versions(void) {
    return trj_engine_versions(lig_engines);
}
