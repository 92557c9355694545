// SPDX-License-Identifier: MIT
// Runs the engines of maps for all filters, so that `auto`, notes and statistics are the same in all of them.
#include "map_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device_pool.h"
#include "engine_start.h"
#include "handover.h"
#include "memory.h"
#include "pool.h"

// A frame that takes longer on the CPU is left to the GPUs, whose start takes about as long.
#define FRAME_SECONDS 0.5

const struct trj_choice work_map_engine_choices[] = {
    {"auto", "cpu, then cuda when the GPUs have started"},
    {"cuda", "NVIDIA GPUs; requires a build with nvcc"},
    {"cpu", "threads with the vector instructions of the CPU"},
    {NULL, NULL},
};

struct work_map_run {
    bool keeps; // a checkpoint contains the sums of the engine, not those of the record
    struct work_map_run_plan plan;
    struct work_resources resources;
    const struct work_map_engine *engine, *second; // `second` takes over, or NULL
    void *state, *second_state;
    struct work_handover *handover;
    char names[64];
    struct trj_engine kind; // of both engines, for messages after the hand-over
    uint64_t frames;        // that were added
    uint64_t computed;      // of these, by engines: without those of which the process has no share
    uint64_t record;        // of these, frames since the last finish of the engine
    uint64_t before;        // frames that the first engine has computed
    bool adding;            // the last call was `add` of an engine
    double seconds;         // of the first engine, after the hand-over
    bool has_error;         // `error` is that of earlier frames, of the first engine or from a checkpoint
    double error;
    // [plan.values] With a share: the sums of the record without those that the engine has; `complete`: of a record
    // that has ended.
    int64_t *sums;
    bool complete;
};

static const struct work_map_engine *engine_of(const struct trj_engine *kind) {
    return (const struct work_map_engine *)(const void *)kind; // its first member
}

static void print(const struct work_map_run *r, const char *text) {
    r->plan.print(text);
}

// Notes of the engine that the calling thread has opened.
static void print_note(void *run, const char *text) {
    char line[1400];
    snprintf(line, sizeof line, "note: %s", text);
    print(run, line);
}

static void print_of_handover(void *run, const char *text) {
    print(run, text);
}

// Notes of the second engine, which come from the thread that opens it.
static void note_of_second(void *run, const char *text) {
    char line[1400];
    snprintf(line, sizeof line, "note: %s", text);
    work_handover_note(((struct work_map_run *)run)->handover, line);
}

static int open_second(void *run, struct trj_error *err) {
    struct work_map_run *r = run;
    struct work_resources resources = r->resources;
    resources.note = note_of_second;
    return r->second->open(&r->second_state, r->plan.job, &resources, err);
}

// Fails with TRJ_NO_ENGINE if an engine cannot compute the job.
static int check_job(const struct work_map_run *r, const struct work_map_engine *e, struct trj_error *err) {
    if (r->plan.slab && !e->slabs)
        return trj_fail(err, TRJ_NO_ENGINE, "engine %s: computes only whole maps; use -e cpu, or --divide frames",
                        e->kind.name);
    return e->check ? e->check(r->plan.job, err) : 0;
}

// Returns the engine with which `auto` begins, if `kind` starts slowly and may take over later, or NULL.
static const struct trj_engine *first_of(const struct work_map_run *r, const struct trj_engine *kind) {
    const struct trj_engine_options *o = r->plan.options;
    const struct trj_error cannot_run = {.status = TRJ_NO_ENGINE};
    if (!trj_engine_is_auto(o) || !kind->probe || isnan(r->plan.frame_seconds)) return NULL;
    const struct work_map_engine *e = engine_of(kind);
    struct trj_error ignored;
    if (!e->add_sums || check_job(r, e, &ignored)) return NULL;
    double seconds = r->plan.frame_seconds / trj_pool_size((unsigned)o->threads);
    if (!work_handover_is_forced() && !(seconds < FRAME_SECONDS)) return NULL;
    return trj_engine_fall_back(&kind, r->plan.engines, o->engine, &cannot_run) ? kind : NULL;
}

static int open_handover(struct work_map_run *r, const struct trj_engine *first, const struct trj_engine *second,
                         struct trj_error *err) {
    const struct work_handover_plan plan = {.second = second,
                                            .open = open_second,
                                            .owner = r,
                                            .share_read = r->plan.share_read,
                                            .share_of = r->plan.share_of,
                                            .note = print_of_handover,
                                            .note_arg = r};
    r->engine = engine_of(first);
    r->second = engine_of(second);
    snprintf(r->names, sizeof r->names, "%s, then %s", first->name, second->name);
    r->kind = (struct trj_engine){.name = r->names, .workers = second->workers};
    return r->engine->open(&r->state, r->plan.job, &r->resources, err) || work_handover_open(&r->handover, &plan, err)
               ? -1
               : 0;
}

// Reports why `auto` does not use an engine, unless it cannot run here at all.
static void note_unused(struct work_map_run *r, const struct trj_engine *kind, const struct trj_error *why) {
    struct trj_error absent;
    if (kind->probe && !kind->probe(&absent)) print_note(r, why->text);
}

static int open_best(struct work_map_run *r, const struct trj_engine *kind, struct trj_error *err) {
    const struct trj_engine_options *o = r->plan.options;
    for (;;) {
        const struct trj_engine *failed = kind;
        r->engine = engine_of(kind);
        bool computes = !check_job(r, r->engine, err);
        if (computes && !r->engine->open(&r->state, r->plan.job, &r->resources, err)) return 0;
        if (!trj_engine_fall_back(&kind, r->plan.engines, o->engine, err)) return -1;
        if (computes || r->plan.slab) note_unused(r, failed, err);
    }
}

int work_map_run_open(struct work_map_run **run, const struct work_map_run_plan *plan, const struct trj_engine *kind,
                      struct trj_error *err) {
    const struct trj_engine_options *o = plan->options;
    struct work_map_run *r = trj_alloc(1, sizeof *r, "an engine", err);
    if (!r) return -1;
    r->plan = *plan;
    if (plan->share && !(r->sums = trj_alloc(plan->values, sizeof *r->sums, "sums", err))) {
        free(r);
        return -1;
    }
    r->resources = (struct work_resources){.threads = (unsigned)o->threads,
                                           .devices = o->devices,
                                           .cpu_may_finish = trj_engine_is_auto(o),
                                           .note = print_note,
                                           .note_arg = r};
    const struct trj_engine *first = first_of(r, kind);
    if (first ? open_handover(r, first, kind, err) : open_best(r, kind, err)) {
        work_map_run_close(r);
        return -1;
    }
    *run = r;
    return 0;
}

void work_map_run_close(struct work_map_run *r) {
    if (!r) return;
    if (r->state) r->engine->close(r->state);
    work_handover_close(r->handover);
    if (work_start_abandoned()) return; // the thread of the start may use it
    free(r->sums);
    free(r);
}

// ---- the hand-over

static bool is_handed_over(const struct work_map_run *r) {
    return r->handover && work_handover_is_done(r->handover);
}

static double error_of(const struct work_map_run *r) {
    double error = r->engine->error ? r->engine->error(r->state) : NAN;
    if (!r->has_error) return error;
    if (r->computed == r->before) return r->error; // the engine has no frame yet
    return isnan(error) || isnan(r->error) ? NAN : fmax(error, r->error);
}

// Moves the sums of the frames since the last finish to the second engine.
static int take_over(struct work_map_run *r, struct trj_error *err) {
    struct trj_engine_stats stats;
    const int64_t *values = NULL;
    if (r->record && r->engine->finish(r->state, &values, err)) return -1;
    if (values && r->second->add_sums(r->second_state, values, err)) return -1;
    r->engine->stats(r->state, &stats);
    r->seconds = stats.seconds;
    if (r->computed > r->before) {
        r->error = error_of(r);
        r->has_error = true;
    }
    r->before = r->computed;
    r->engine->close(r->state);
    r->engine = r->second;
    r->state = r->second_state;
    work_handover_done(r->handover);
    work_map_run_print_engine(r);
    return 0;
}

// ---- functions for filters

int work_map_run_add(struct work_map_run *r, struct trj_frame *frame, struct trj_error *err) {
    r->adding = false;
    if (!work_share_computes(r->plan.share, r->frames)) {
        r->frames++;
        return 0;
    }
    if (r->handover && !is_handed_over(r)) {
        int ready = work_handover_check(r->handover, r->computed, err);
        if (ready < 0 || (ready && take_over(r, err))) return -1;
    }
    r->adding = true;
    if (r->engine->add(r->state, frame, err)) return -1;
    r->frames++;
    r->computed++;
    r->record++;
    return 0;
}

// Adds the sums that the engine has to those of the record.
static int collect(struct work_map_run *r, struct trj_error *err) {
    const int64_t *values = NULL;
    r->adding = false;
    if (r->complete) memset(r->sums, 0, r->plan.values * sizeof *r->sums);
    r->complete = false;
    if (!r->record) return 0;
    r->record = 0;
    if (r->engine->finish(r->state, &values, err)) return -1;
    for (uint64_t i = 0; values && i < r->plan.values; i++)
        if (__builtin_add_overflow(r->sums[i], values[i], &r->sums[i]))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the sum over the frames of a record exceeds 64 bits at point %llu; end "
                            "records earlier (--block)",
                            (unsigned long long)i);
    return 0;
}

int work_map_run_finish(struct work_map_run *r, const int64_t **values, struct trj_error *err) {
    if (!r->plan.share) {
        r->record = 0;
        r->adding = false;
        return r->engine->finish(r->state, values, err);
    }
    if (collect(r, err) || work_share_combine(r->plan.share, r->sums, r->plan.values, WORK_SHARE_MAP, err)) return -1;
    r->complete = true;
    *values = r->sums;
    return 0;
}

int work_map_run_arrays(struct work_map_run *r, struct work_checkpoint_arrays *a, struct trj_error *err) {
    double error[2]; // whether there is one, and its value
    uint64_t held = r->record, kept = r->keeps;
    if (work_checkpoint_array(a, &kept, 1, err)) return -1;
    if (kept != r->keeps)
        return trj_fail(err, TRJ_USAGE,
                        "its sums are those of another engine, which cannot be added to those of this one; run the "
                        "command with the engine of the earlier run (--engine)");
    int keeps = r->engine->arrays ? r->engine->arrays(r->state, a, err) : 0;
    r->keeps = keeps > 0; // known from the first call on, which only completes the sums
    if (keeps < 0 || (!keeps && collect(r, err)) || work_checkpoint_array(a, &held, 1, err)) return -1;
    if (keeps) r->record = held;
    error[0] = r->has_error || r->computed > 0;
    error[1] = error[0] ? error_of(r) : NAN;
    if (work_checkpoint_array(a, error, 2, err) || work_checkpoint_array(a, r->sums, r->plan.values, err)) return -1;
    if (r->computed) return 0; // saved
    r->has_error = error[0];
    r->error = error[1];
    return 0;
}

uint64_t work_map_run_bad_frame(const struct work_map_run *r) {
    if (!r->engine->bad_frame) return r->adding ? r->frames : UINT64_MAX;
    uint64_t number = r->engine->bad_frame(r->state), frame = 0;
    if (number == UINT64_MAX || !r->plan.share) return number == UINT64_MAX ? number : number + r->before;
    // The engine counts only the frames that it gets.
    for (number += r->before;; frame++)
        if (work_share_computes(r->plan.share, frame) && !number--) return frame;
}

double work_map_run_error(const struct work_map_run *r) {
    return error_of(r);
}

void work_map_run_print_engine(struct work_map_run *r) {
    char text[TRJ_ENGINE_TEXT];
    struct trj_engine_stats stats;
    r->engine->stats(r->state, &stats);
    trj_engine_describe(text, is_handed_over(r) ? &r->kind : &r->engine->kind, stats.workers);
    print(r, text);
}

void work_map_run_print_stats(struct work_map_run *r, size_t atoms, uint64_t points) {
    struct trj_engine_stats s;
    r->engine->stats(r->state, &s);
    s.frames += r->before;
    s.seconds += r->seconds;
    trj_engine_print_stats(is_handed_over(r) ? &r->kind : &r->engine->kind, &s, atoms, points, r->plan.print);
}
