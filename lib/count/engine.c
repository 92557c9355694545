// SPDX-License-Identifier: MIT
// Lists the engines of this build. Engines do not depend on this file, so that tests and tools can link a single one.
#include "engine.h"

#ifdef TRJPIPE_CUDA
#include <string.h>

#include "engine_handover.h"
#endif

const struct trj_engine *const rdf_engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &rdf_engine_cuda.kind,
#endif
    &rdf_engine_cpu.kind, &rdf_engine_reference.kind, NULL};

const struct trj_choice rdf_engine_choices[] = {
    {"auto", "cpu, then cuda when the GPUs have started"},
    {"cuda", "tiles on NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "tiles in float32, distances near edges of bins in float64"},
    {"reference", "float64 brute force on one thread, for comparison"},
    {NULL, NULL},
};

#ifdef TRJPIPE_CUDA
static int open_auto(void **engine, const struct rdf_job *job, struct trj_error *err) {
    return rdf_handover_open(engine, &rdf_engine_cpu, &rdf_engine_cuda, job, err);
}

const struct rdf_engine rdf_engine_auto = {
    .kind.name = TRJ_ENGINE_AUTO,
    .neighbours = &rdf_neighbour_cpu,
    .open = open_auto,
    .add = rdf_handover_add,
    .end_record = rdf_handover_end_record,
    .finish = rdf_handover_finish,
    .stats = rdf_handover_stats,
    .close = rdf_handover_close,
};
#endif

int rdf_engine_find(const struct rdf_engine **engine, const char *name, struct trj_error *err) {
#ifdef TRJPIPE_CUDA
    if (!strcmp(name, TRJ_ENGINE_AUTO)) {
        *engine = &rdf_engine_auto;
        return 0;
    }
#endif
    const struct trj_engine *kind;
    if (trj_engine_find(&kind, rdf_engines, name, err)) return -1;
    *engine = (const struct rdf_engine *)(const void *)kind; // its first member
    return 0;
}

void rdf_engine_describe(char *text, const struct rdf_engine *engine, void *state) {
    struct trj_engine_stats stats;
    engine->stats(state, &stats);
    trj_engine_describe(text, stats.kind ? stats.kind : &engine->kind, stats.workers);
}
