// SPDX-License-Identifier: MIT
#include "engine.h"

#include <stdio.h>
#include <string.h>

static const struct trj_engine *const engines[] = { // fastest first
#ifdef TRJPIPE_CUDA
    &rdf_engine_cuda.kind,
#endif
    &rdf_engine_cpu.kind, &rdf_engine_reference.kind, NULL};

const struct trj_choice rdf_engine_choices[] = {
    {"auto", "the fastest engine that can run here"},
    {"cuda", "tiles on NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "tiles in float32, distances near edges of bins in float64"},
    {"reference", "float64 brute force on one thread, for comparison"},
    {NULL, NULL},
};

const char *rdf_engine_versions(void) {
    return trj_engine_versions(engines);
}

static const struct rdf_engine *engine_of(const struct trj_engine *kind) {
    return (const struct rdf_engine *)(const void *)kind; // its first member
}

int rdf_engine_find(const struct rdf_engine **engine, const char *name, struct trj_error *err) {
    const struct trj_engine *kind;
    if (trj_engine_find(&kind, engines, name, err)) return -1;
    *engine = engine_of(kind);
    return 0;
}

static void report(const struct rdf_job *job, const char *text) {
    if (job->note) job->note(text);
}

int rdf_engine_open(const struct rdf_engine **engine, void **state, const char *name, const struct rdf_job *job,
                    struct trj_error *err) {
    char text[sizeof err->text + 8];
    while ((*engine)->open(state, job, err)) {
        const struct trj_engine *kind = &(*engine)->kind;
        if (!trj_engine_fall_back(&kind, engines, name, err)) return -1;
        snprintf(text, sizeof text, "note: %s", err->text);
        report(job, text);
        *engine = engine_of(kind);
    }
    if (strcmp(name, TRJ_ENGINE_AUTO) != 0) return 0;
    struct rdf_engine_stats stats;
    (*engine)->stats(*state, &stats);
    trj_engine_describe(text, &(*engine)->kind, stats.threads);
    report(job, text);
    return 0;
}
