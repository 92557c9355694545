// SPDX-License-Identifier: MIT
// Runs engines of orbitals slab by slab.
#include "orbital_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine_start.h"
#include "handover.h"
#include "memory.h"
#include "orbital_box.h"

// A slab is large enough for many threads.
#define SLAB_BYTES     ((uint64_t)64 << 20)
#define SLAB_BYTES_MAX ((uint64_t)1 << 30) // of one layer of boxes; larger ones are divided

// While a GPU may take over, a slab is at most this part of a job.
enum { SLABS_OF_JOB = 16 };

enum { NOTE = 1400 }; // characters of a note

struct used_engine {
    const struct orb_engine *engine;
    void *state;
};

struct orb_run {
    struct orb_run_plan plan;
    struct used_engine now, other; // the one that computes, and another one that is open, or NULL
    struct work_handover *handover;
    uint64_t jobs; // complete ones
    double share;  // of all jobs that is complete
    uint64_t slabs;
    double *value; // for engines without memory
    size_t capacity;
};

static void print_note(void *run, const char *text) {
    char line[NOTE];
    snprintf(line, sizeof line, "note: %s", text);
    ((struct orb_run *)run)->plan.print(line);
}

static void print(void *run, const char *text) {
    ((struct orb_run *)run)->plan.print(text);
}

static const struct orb_engine *engine_of(const struct trj_engine *kind) {
    return (const struct orb_engine *)(const void *)kind; // its first member
}

static int open_engine(struct orb_run *r, struct used_engine *e, const struct orb_engine *engine,
                       void (*note)(void *run, const char *text), struct trj_error *err) {
    const struct trj_engine_options *o = r->plan.options;
    const struct work_resources resources = {
        .threads = (unsigned)o->threads, .devices = o->devices, .note = note, .note_arg = r};
    if (engine->open(&e->state, &resources, err)) return -1;
    e->engine = engine;
    return 0;
}

static void close_engine(struct used_engine *e) {
    if (e->engine) e->engine->close(e->state);
    e->engine = NULL;
}

static void note_of_second(void *run, const char *text) {
    char line[NOTE];
    snprintf(line, sizeof line, "note: %s", text);
    work_handover_note(((struct orb_run *)run)->handover, line);
}

// Runs in the thread of the hand-over.
static int open_second(void *run, struct trj_error *err) {
    struct orb_run *r = run;
    return open_engine(r, &r->other, engine_of(orb_engines[0]), note_of_second, err);
}

static double share_done(void *run) {
    return ((const struct orb_run *)run)->share;
}

// Opens the engine `cpu`, and prepares the start of the GPUs.
static int open_both(struct orb_run *r, const struct trj_engine *gpus, struct trj_error *err) {
    const struct work_handover_plan plan = {.second = gpus,
                                            .open = open_second,
                                            .owner = r,
                                            .share_read = share_done,
                                            .share_of = r,
                                            .note = print,
                                            .note_arg = r};
    return open_engine(r, &r->now, &orb_engine_cpu, print_note, err) || work_handover_open(&r->handover, &plan, err)
               ? -1
               : 0;
}

int orb_run_open(struct orb_run **run, const struct orb_run_plan *plan, struct trj_error *err) {
    const struct trj_engine_options *o = plan->options;
    const struct trj_engine *kind;
    if (trj_engine_check_options(o, err) || trj_engine_find(&kind, orb_engines, o->engine, err)) return -1;
    struct orb_run *r = trj_alloc(1, sizeof *r, "an engine", err);
    if (!r) return -1;
    r->plan = *plan;
    const bool both = trj_engine_is_auto(o) && !o->devices && kind->probe;
    if (both ? open_both(r, kind, err) : open_engine(r, &r->now, engine_of(kind), print_note, err)) {
        orb_run_close(r);
        return -1;
    }
    *run = r;
    return 0;
}

void orb_run_close(struct orb_run *r) {
    if (!r) return;
    bool started = r->handover && !work_handover_is_done(r->handover);
    work_handover_close(r->handover);
    close_engine(&r->now);
    if (started && work_start_abandoned()) return; // the thread that starts the GPUs may use the rest
    close_engine(&r->other);
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

// Exchanges the engines, and prepares the job.
static int exchange(struct orb_run *r, const struct orb_job *job, struct trj_error *err) {
    const struct used_engine now = r->now;
    r->now = r->other;
    r->other = now;
    return r->now.engine->start(r->now.state, job, err);
}

// After a failure of the GPUs, continues with the engine `cpu` if `auto` may do so.
static int fall_back(struct orb_run *r, const struct orb_job *job, struct trj_error *err) {
    char text[sizeof err->text + 64];
    if (err->status != TRJ_NO_ENGINE || !trj_engine_is_auto(r->plan.options) || r->now.engine == &orb_engine_cpu)
        return -1;
    snprintf(text, sizeof text, "%.*s; the CPU computes the rest", (int)trj_engine_reason(err), err->text);
    print_note(r, text);
    return (!r->other.engine && open_engine(r, &r->other, &orb_engine_cpu, print_note, err)) || exchange(r, job, err)
               ? -1
               : 0;
}

// Lets the GPUs take over, if they are ready and this saves time.
static int check_handover(struct orb_run *r, const struct orb_job *job, struct trj_error *err) {
    int ready =
        r->handover && !work_handover_is_done(r->handover) ? work_handover_check(r->handover, r->slabs, err) : 0;
    if (ready <= 0) return ready;
    work_handover_done(r->handover);
    return exchange(r, job, err) ? fall_back(r, job, err) : 0;
}

static double *memory_of(struct orb_run *r, size_t values, struct trj_error *err) {
    const struct used_engine *e = &r->now;
    if (e->engine->memory) return e->engine->memory(e->state, values, err);
    return trj_grow(&r->value, &r->capacity, values, sizeof *r->value, "values of orbitals", err) ? NULL : r->value;
}

static int compute_slab(struct orb_run *r, const struct orb_job *job, struct orb_slab *slab, struct trj_error *err) {
    for (;;) {
        slab->value = memory_of(r, (size_t)(slab->count * orb_job_plane(job)) * orb_job_values(job), err);
        if (slab->value && !r->now.engine->compute(r->now.state, slab, err)) return 0;
        if (fall_back(r, job, err)) return -1;
    }
}

int orb_run_job(struct orb_run *r, const struct orb_job *job,
                int (*take)(void *arg, const struct orb_slab *slab, struct trj_error *err), void *arg,
                struct trj_error *err) {
    if (r->now.engine->start(r->now.state, job, err) && fall_back(r, job, err)) return -1;
    const uint64_t planes = orb_job_planes(job), size = slab_size(job), step = job->point ? ORB_BOX : ORB_SLAB_PLANES;
    for (uint64_t first = 0; first < planes; r->slabs++) {
        if (check_handover(r, job, err)) return -1;
        uint64_t count = size, part = (planes / SLABS_OF_JOB + step) / step * step;
        if (r->handover && !work_handover_is_done(r->handover) && part < count) count = part;
        struct orb_slab slab = {first, planes - first < count ? planes - first : count, NULL};
        if (compute_slab(r, job, &slab, err) || take(arg, &slab, err)) return -1;
        first += slab.count;
        r->share = ((double)r->jobs + (double)first / (double)planes) / (double)r->plan.jobs;
    }
    r->jobs++;
    return 0;
}

// Writes the engine, or "cpu, then cuda". Returns the seconds of both.
static double describe(struct orb_run *r, char text[TRJ_ENGINE_TEXT]) {
    struct trj_engine_stats stats, other = {.seconds = 0};
    const struct trj_engine *kind = &r->now.engine->kind;
    char names[64];
    r->now.engine->stats(r->now.state, &stats);
    // Until the GPUs have taken over, the thread that starts them may use `other`.
    if ((!r->handover || work_handover_is_done(r->handover)) && r->other.engine)
        r->other.engine->stats(r->other.state, &other);
    snprintf(names, sizeof names, "%s, then %s", orb_engine_cpu.kind.name, kind->name);
    const struct trj_engine both = {.name = names, .workers = kind->workers};
    const bool is_second = r->handover && work_handover_is_done(r->handover) && r->now.engine != &orb_engine_cpu;
    trj_engine_describe(text, is_second ? &both : kind, stats.workers);
    return stats.seconds + other.seconds;
}

void orb_run_print_engine(struct orb_run *r) {
    char text[TRJ_ENGINE_TEXT];
    describe(r, text);
    r->plan.print(text);
}

void orb_run_print_stats(struct orb_run *r, uint64_t points) {
    char engine[TRJ_ENGINE_TEXT], text[256];
    double seconds = describe(r, engine);
    snprintf(text, sizeof text, "%llu job%s, %llu point%s: %.3f s in %s", (unsigned long long)r->jobs,
             r->jobs == 1 ? "" : "s", (unsigned long long)points, points == 1 ? "" : "s", seconds, engine);
    r->plan.print(text);
    const struct trj_engine_stats of_cpus = {.kind = NULL};
    trj_engine_print_energy(&of_cpus, r->jobs, "job", "", r->plan.print);
}
