// SPDX-License-Identifier: MIT
// Lists the engines of this build, and estimates the time of a frame on the CPU, so that `auto` can decide whether
// starting the GPUs would save time.
#include "cor_engine.h"

#include "density_engine.h"

const struct trj_engine *const cor_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &cor_engine_cuda.kind,
#endif
    &cor_engine_cpu.kind, NULL};

const struct trj_choice cor_engine_choices[] = {
    {"auto", "cpu, then cuda when the GPUs have started"},
    {"cuda", "NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {NULL, NULL},
};

double cor_engine_seconds(const struct cor_job *job) {
    const struct cor_model *m = job->frames.model;
    const struct den_gauss_setup gauss = cor_model_gauss(m);
    return den_gauss_seconds(&gauss, (double)m->group->count * m->terms, &job->frames.map->lattice);
}

const char *cor_engine_versions(void) {
    return trj_engine_versions(cor_engines);
}
