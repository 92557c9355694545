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

double cor_engine_seconds(const struct cor_job *job) {
    const struct cor_model *m = job->frames.model;
    const struct den_gauss_setup gauss = cor_model_gauss(m);
    return den_gauss_seconds(&gauss, (double)m->group->count * m->terms, &job->frames.map->lattice);
}
