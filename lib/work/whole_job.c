// SPDX-License-Identifier: MIT
// Computes a job with the engine that the options name, and falls back to the CPU. `auto` does not start a GPU if the
// CPU would finish before the driver is ready.
#include "whole_job.h"

#include <stdio.h>
#include <string.h>

#include "pool.h"
#include "tool.h"

#define GPU_START_SECONDS 0.3 // measured (tests/bench/RESULTS.md)

int work_whole_check(const struct trj_engine *const *engines, const struct trj_engine_options *o, const char *work,
                     struct trj_error *err) {
    const struct trj_engine *kind;
    if (trj_engine_check_options(o, err)) return -1;
    if (o->devices && strchr(o->devices, ','))
        return trj_fail(err, TRJ_USAGE, "--devices: '%s' lists several GPUs, but one %s; give one", o->devices, work);
    return trj_engine_find(&kind, engines, o->engine, err);
}

static const struct work_whole_engine *engine_of(const struct trj_engine *kind) {
    return (const struct work_whole_engine *)(const void *)kind; // its first member
}

// Computes the job with one engine. Sets *started to whether the engine could be opened.
static int compute(const struct work_whole_engine *e, const struct work_whole_job *w, bool *started,
                   struct trj_engine_stats *stats, struct trj_error *err) {
    void *state = NULL;
    double began = trj_seconds();
    *started = !e->open || !e->open(&state, w->options->devices, err);
    if (!*started) return -1;
    double start = e->open ? trj_seconds() - began : 0;
    int rc = e->compute(state, w->job, err);
    *stats = (struct trj_engine_stats){.workers = trj_pool_size((unsigned)w->options->threads)};
    if (e->stats) e->stats(state, stats);
    stats->kind = &e->kind;
    stats->start = start;
    stats->seconds = trj_seconds() - began - start;
    if (e->close) e->close(state);
    return rc;
}

int work_whole_compute(const struct work_whole_job *w, struct trj_engine_stats *stats, struct trj_error *err) {
    const struct trj_engine_options *o = w->options;
    bool small = trj_engine_is_auto(o) && !o->devices &&
                 w->cpu_seconds / trj_pool_size((unsigned)o->threads) < GPU_START_SECONDS,
         started;
    const struct trj_engine *used;
    if (trj_engine_find(&used, w->engines, small ? "cpu" : o->engine, err)) return -1;
    while (compute(engine_of(used), w, &started, stats, err)) {
        struct trj_error why = *err;
        if (small || !trj_engine_fall_back(&used, w->engines, o->engine, &why))
            return started && err->status == TRJ_NO_ENGINE ? trj_fail(err, TRJ_NO_ENGINE, "%s; use -e cpu", why.text)
                                                           : -1;
        if (started) w->note(err->text);
    }
    return 0;
}

void work_whole_print(const struct trj_engine_options *o, const struct trj_engine_stats *s, const char *work,
                      void (*print)(const char *text)) {
    char engine[TRJ_ENGINE_TEXT], times[128], text[320];
    trj_engine_describe(engine, s->kind, s->workers);
    if (trj_engine_is_auto(o)) print(engine);
    if (!o->stats) return;
    snprintf(text, sizeof text, "%s: %.6f s in %s", work, s->seconds, engine);
    print(text);
    trj_engine_times_text(times, sizeof times, s, 6, " s");
    if (s->start > 0) {
        snprintf(text, sizeof text, "GPU: start %.6f s, %s", s->start, times);
        print(text);
    }
    trj_engine_print_energy(s, 1, "run", "", print);
}
