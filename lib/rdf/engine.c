// SPDX-License-Identifier: MIT
#include "engine.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

static const struct rdf_engine *const engines[] = { // best first
#ifdef TRJPIPE_CUDA
    &rdf_engine_cuda,
#endif
    &rdf_engine_cpu, &rdf_engine_reference, NULL};

const struct trj_choice rdf_engine_choices[] = {
    {"auto", "the fastest that can run here"},
    {"cuda", "tiles on NVIDIA GPUs; only in builds that found nvcc"},
    {"cpu", "tiles in float32, near edges resolved in float64; all cores"},
    {"reference", "float64 brute force on one thread, for checking"},
    {NULL, NULL},
};

int rdf_engine_cut_by_finish(const struct rdf_engine *engine, void *state, const struct rdf_job *job, uint64_t tag,
                             struct trj_error *err) {
    uint64_t *counts = trj_alloc(job->pair_count * job->bins.count, sizeof *counts, "counts", err);
    int rc = counts ? engine->finish(state, counts, err) : -1;
    if (!rc) job->deliver(job->deliver_arg, tag, counts);
    free(counts);
    return rc;
}

const char *rdf_engine_versions(void) {
    static char text[256];
    size_t at = 0;
    for (size_t i = 0; engines[i] && at < sizeof text; i++) {
        const char *archs = engines[i]->built_for ? engines[i]->built_for() : NULL;
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%s%s%s%s", i ? ", " : "engines: ", engines[i]->name,
                               archs ? " (" : "", archs ? archs : "", archs ? ")" : "");
    }
#ifdef TRJPIPE_CUDA
    static const char end[] = "\n";
#else
    static const char end[] = "; no CUDA\n";
#endif
    if (at < sizeof text) snprintf(text + at, sizeof text - at, "%s", end);
    return text;
}

int rdf_engine_find(const struct rdf_engine **engine, const char *name, struct trj_error *err) {
    bool best = !strcmp(name, "auto");
    // `auto` takes the first that can run; the oracle, the last one, it never comes to: the one before it always runs.
    for (size_t i = 0; engines[i]; i++) {
        *engine = engines[i];
        if (!best && strcmp(name, (*engine)->name)) continue;
        if (!(*engine)->probe(err)) return 0;
        if (!best) return -1;
    }
    return trj_fail(err, TRJ_NO_ENGINE, "engine %s: not available in this build; use -e cpu", name);
}

int rdf_engine_next_device(const char **list, unsigned *number, struct trj_error *err) {
    enum { MOST = 4095 }; // more than any host has
    const char *at = *list;
    unsigned n = 0;
    while (*at >= '0' && *at <= '9' && n <= MOST) n = 10 * n + (unsigned)(*at++ - '0');
    bool last = !*at;
    if (at == *list || n > MOST || !(last || (*at == ',' && at[1])))
        return trj_fail(err, TRJ_USAGE, "--devices: invalid list '%s': expected device numbers, as 0,2", *list);
    *number = n;
    *list = last ? at : at + 1;
    return 0;
}
