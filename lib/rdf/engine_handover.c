// SPDX-License-Identifier: MIT
// Threads: the second engine is opened by the thread of work_start, with a copy of the job. Until the start has ended,
// that thread alone uses the members `second` and `notes`. The thread that calls the engine does everything else.
//
// The first engine uses all cores, and the start needs one more thread, which mostly waits for the device. Both go on:
// the scheduler gives each of the threads, one more than cores, an equal share of time.
#include "engine_handover.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine_start.h"
#include "memory.h"
#include "number.h"
#include "tool.h"

#define CHECK_INTERVAL 1e-3 // s; small frames are counted in microseconds

struct handover {
    const struct rdf_job *job;
    const struct rdf_engine *first_engine, *second_engine, *current_engine;
    void *first, *second, *current; // states; `first` is NULL after the hand-over
    char names[64];
    struct trj_engine kind;    // of both engines, for messages after the hand-over
    struct trj_frame sample;   // of second_job: only its cell
    struct rdf_job second_job; // a copy, because job->sample changes while the second engine starts
    char **notes;              // of the second engine, until it takes over
    size_t note_count, note_capacity;
    struct work_start_plan plan;
    struct work_start *start;
    bool decided;                  // the second engine has taken over, or cannot be used
    bool taken;                    // the second engine has taken over
    uint64_t frames, forced;       // frames added; number of the frame of TRJPIPE_HANDOVER, UINT64_MAX: not set
    double opened, share;          // time, and share of the input that was read, when this engine was opened
    double checked;                // time of the last check
    double began;                  // time when the start began
    uint64_t *held;                // [pairs][bins] counts of the first engine in the current part; NULL: none
    struct rdf_engine_stats stats; // of the first engine, after the hand-over
};

static void note(const struct handover *h, const char *text) {
    if (h->job->note) h->job->note(h->job->note_arg, text);
}

// Keeps a note of the second engine until the calling thread reports it. Without memory the note is lost.
static void keep_note(void *arg, const char *text) {
    struct handover *h = arg;
    struct trj_error ignored;
    if (h->taken) {
        note(h, text);
        return;
    }
    if (trj_grow(&h->notes, &h->note_capacity, h->note_count + 1, sizeof *h->notes, "notes", &ignored)) return;
    h->notes[h->note_count] = trj_copy_text(text, &ignored);
    if (h->notes[h->note_count]) h->note_count++;
}

static void report_notes(struct handover *h) {
    for (size_t i = 0; i < h->note_count; i++) {
        note(h, h->notes[i]);
        free(h->notes[i]);
    }
    h->note_count = 0;
}

static int open_second(void *owner, struct trj_error *err) {
    struct handover *h = owner;
    return h->second_engine->open(&h->second, &h->second_job, err);
}

static double share_read(const struct handover *h) {
    return h->job->share_read ? h->job->share_read(h->job->share_arg) : NAN;
}

void rdf_handover_close(void *engine) {
    struct handover *h = engine;
    if (!h) return;
    if (h->first) h->first_engine->close(h->first);
    work_start_close(h->start, h->taken);
    if (h->taken) h->second_engine->close(h->second);
    free(h->held);
    if (work_start_abandoned()) return; // the thread of the start may use the rest
    for (size_t i = 0; i < h->note_count; i++) free(h->notes[i]);
    free(h->notes);
    free(h);
}

int rdf_handover_open(void **engine, const struct rdf_engine *first, const struct rdf_engine *second,
                      const struct rdf_job *job, struct trj_error *err) {
    const char *forced = getenv("TRJPIPE_HANDOVER");
    struct handover *h = trj_alloc(1, sizeof *h, "an engine", err);
    if (!h) return -1;
    h->job = job;
    h->forced = UINT64_MAX;
    if (forced && !trj_parse_u64(forced, &h->forced)) {
        free(h);
        return trj_fail(err, TRJ_USAGE, "TRJPIPE_HANDOVER: invalid value '%s': expected the number of a frame", forced);
    }
    h->first_engine = h->current_engine = first;
    h->second_engine = second;
    snprintf(h->names, sizeof h->names, "%s, then %s", first->kind.name, second->kind.name);
    h->kind = (struct trj_engine){.name = h->names, .workers = second->kind.workers};
    h->second_job = *job;
    h->second_job.note = keep_note;
    h->second_job.note_arg = h;
    if (job->sample) {
        h->sample.cell = job->sample->cell;
        h->second_job.sample = &h->sample;
    }
    h->plan = (struct work_start_plan){second->kind.name, second->kind.probe, open_second, h};
    if (first->open(&h->first, job, err)) {
        rdf_handover_close(h);
        return -1;
    }
    h->current = h->first;
    h->opened = h->checked = trj_seconds();
    h->share = share_read(h);
    *engine = h;
    return 0;
}

// ---- the hand-over

static int take_over(struct handover *h, struct trj_error *err) {
    char text[TRJ_ENGINE_TEXT];
    h->held = trj_alloc(h->job->pair_count * rdf_bins_cells(&h->job->bins), sizeof *h->held, "counts", err);
    if (!h->held || h->first_engine->finish(h->first, h->held, err)) return -1;
    h->first_engine->stats(h->first, &h->stats);
    h->stats.start = trj_seconds() - h->began;
    h->stats.before = h->frames;
    h->first_engine->close(h->first);
    h->first = NULL;
    h->taken = h->decided = true;
    h->current = h->second;
    h->current_engine = h->second_engine;
    report_notes(h);
    struct rdf_engine_stats stats;
    rdf_handover_stats(h, &stats);
    trj_engine_describe(text, stats.kind, stats.threads);
    note(h, text);
    return 0;
}

// Continues without the second engine after its failure, which is an error only if a setting of the user is invalid.
static int give_up(struct handover *h, const struct trj_error *why, bool absent, struct trj_error *err) {
    char text[sizeof why->text + 8];
    h->decided = true;
    work_start_close(h->start, false);
    h->start = NULL;
    report_notes(h);
    if (why->status == TRJ_USAGE) {
        *err = *why;
        return -1;
    }
    snprintf(text, sizeof text, "note: %s", why->text);
    if (!absent) note(h, text);
    return 0;
}

static int begin_start(struct handover *h, struct trj_error *err) {
    h->began = trj_seconds();
    return work_start_begin(&h->start, &h->plan, err);
}

// Begins the start of the second engine, or lets it take over, if it is time for that.
static int check_start(struct handover *h, struct trj_error *err) {
    struct trj_error why;
    bool forced = h->forced != UINT64_MAX, absent;
    double now = trj_seconds();
    if (!forced && now - h->checked < CHECK_INTERVAL) return 0;
    h->checked = now;
    if (!h->start && !forced && !work_start_pays(now - h->opened, h->share, share_read(h), false)) return 0;
    if (!h->start && begin_start(h, &why)) return give_up(h, &why, false, err);
    if (forced && h->frames < h->forced) return 0;
    switch (work_start_state(h->start, forced, &why, &absent)) {
    case WORK_START_IN_PROGRESS:
        return 0;
    case WORK_START_FAILED:
        return give_up(h, &why, absent, err);
    case WORK_START_READY:
        break;
    }
    return forced || work_start_pays(now - h->opened, h->share, share_read(h), true) ? take_over(h, err) : 0;
}

// ---- functions of struct rdf_engine

int rdf_handover_add(void *engine, struct trj_frame *frame, struct trj_error *err) {
    struct handover *h = engine;
    if (!h->decided && check_start(h, err)) return -1;
    h->frames++;
    return h->current_engine->add(h->current, frame, err);
}

int rdf_handover_cut(void *engine, uint64_t tag, struct trj_error *err) {
    struct handover *h = engine;
    if (h->current_engine->cut(h->current, tag, err)) return -1;
    if (h->held) h->job->deliver(h->job->deliver_arg, tag, h->held);
    free(h->held);
    h->held = NULL;
    return 0;
}

int rdf_handover_finish(void *engine, uint64_t *counts, struct trj_error *err) {
    struct handover *h = engine;
    if (h->current_engine->finish(h->current, counts, err)) return -1;
    for (size_t i = 0; h->held && i < h->job->pair_count * rdf_bins_cells(&h->job->bins); i++) counts[i] += h->held[i];
    free(h->held);
    h->held = NULL;
    return 0;
}

void rdf_handover_stats(void *engine, struct rdf_engine_stats *s) {
    const struct handover *h = engine;
    h->current_engine->stats(h->current, s);
    if (!h->taken) {
        s->kind = &h->first_engine->kind;
        return;
    }
    s->kind = &h->kind;
    s->start = h->stats.start;
    s->before = h->stats.before;
    s->plan += h->stats.plan;
    s->count += h->stats.count;
    s->resolve += h->stats.resolve;
    s->evaluated += h->stats.evaluated;
    s->resolved += h->stats.resolved;
}
