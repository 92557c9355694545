// SPDX-License-Identifier: MIT
// Runs engines of orbitals slab by slab.
#include "orbital_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "memory.h"
#include "orbital_box.h"

// A slab is large enough for many threads.
#define SLAB_BYTES     ((uint64_t)64 << 20)
#define SLAB_BYTES_MAX ((uint64_t)1 << 30) // of one layer of boxes; larger ones are divided

struct orb_run {
    struct orb_run_plan plan;
    const struct orb_engine *engine;
    void *state;
    uint64_t jobs; // complete ones
    double *value;
    size_t capacity;
};

static void print_note(void *run, const char *text) {
    char line[1400];
    snprintf(line, sizeof line, "note: %s", text);
    ((struct orb_run *)run)->plan.print(line);
}

int orb_run_open(struct orb_run **run, const struct orb_run_plan *plan, struct trj_error *err) {
    const struct trj_engine_options *o = plan->options;
    const struct trj_engine *kind;
    if (trj_engine_check_options(o, err) || trj_engine_find(&kind, orb_engines, o->engine, err)) return -1;
    struct orb_run *r = trj_alloc(1, sizeof *r, "an engine", err);
    if (!r) return -1;
    r->plan = *plan;
    r->engine = (const struct orb_engine *)(const void *)kind; // its first member
    const struct work_resources resources = {.threads = (unsigned)o->threads, .note = print_note, .note_arg = r};
    if (r->engine->open(&r->state, &resources, err)) {
        orb_run_close(r);
        return -1;
    }
    *run = r;
    return 0;
}

void orb_run_close(struct orb_run *r) {
    if (!r) return;
    r->engine->close(r->state);
    free(r->value);
    free(r);
}

// Returns the number of planes or points of a slab.
static uint64_t slab_size(const struct orb_job *job) {
    const uint64_t plane = orb_job_plane(job) * orb_job_values(job) * sizeof(double),
                   step = job->point ? ORB_BOX : ORB_SLAB_PLANES;
    if (plane > SLAB_BYTES_MAX / step) return plane > SLAB_BYTES_MAX ? 1 : SLAB_BYTES_MAX / plane;
    return plane > SLAB_BYTES / step ? step : SLAB_BYTES / plane / step * step;
}

int orb_run_job(struct orb_run *r, const struct orb_job *job,
                int (*take)(void *arg, const struct orb_slab *slab, struct trj_error *err), void *arg,
                struct trj_error *err) {
    if (r->engine->start(r->state, job, err)) return -1;
    const uint64_t planes = orb_job_planes(job), plane = orb_job_plane(job), size = slab_size(job);
    const uint64_t most = size < planes ? size : planes;
    if (trj_grow(&r->value, &r->capacity, (size_t)(most * plane) * orb_job_values(job), sizeof *r->value,
                 "values of orbitals", err))
        return -1;
    for (uint64_t first = 0; first < planes; first += size) {
        const struct orb_slab slab = {first, planes - first < size ? planes - first : size, r->value};
        if (r->engine->compute(r->state, &slab, err) || take(arg, &slab, err)) return -1;
    }
    r->jobs++;
    return 0;
}

void orb_run_print_engine(struct orb_run *r) {
    char text[TRJ_ENGINE_TEXT];
    struct trj_engine_stats stats;
    r->engine->stats(r->state, &stats);
    trj_engine_describe(text, &r->engine->kind, stats.workers);
    r->plan.print(text);
}

void orb_run_print_stats(struct orb_run *r, uint64_t points) {
    char engine[TRJ_ENGINE_TEXT], text[256];
    struct trj_engine_stats stats;
    r->engine->stats(r->state, &stats);
    trj_engine_describe(engine, &r->engine->kind, stats.workers);
    snprintf(text, sizeof text, "%llu jobs, %llu points: %.3f s in %s", (unsigned long long)r->jobs,
             (unsigned long long)points, stats.seconds, engine);
    r->plan.print(text);
}
