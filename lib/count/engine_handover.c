// SPDX-License-Identifier: MIT
// Moves counts from the first engine to the second one. The second engine is opened with a copy of the job, by the
// thread of the start (work/handover.h), which alone uses the member `second` until it has ended.
#include "engine_handover.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine_start.h"
#include "handover.h"
#include "memory.h"
#include "tool.h"

struct handover {
    const struct rdf_job *job;
    const struct rdf_engine *first_engine, *second_engine, *current_engine;
    void *first, *second, *current; // states; `first` is NULL after the hand-over
    char names[64];
    struct trj_engine kind;    // of both engines, for messages after the hand-over
    struct trj_frame sample;   // of second_job: only its cell
    struct rdf_job second_job; // a copy, because job->sample changes while the second engine starts
    struct work_handover *handover;
    uint64_t frames;               // added
    uint64_t *held;                // [pairs][bins] counts of the first engine in the current part; NULL: none
    struct trj_engine_stats stats; // of the first engine, after the hand-over
};

static int open_second(void *owner, struct trj_error *err) {
    struct handover *h = owner;
    return h->second_engine->open(&h->second, &h->second_job, err);
}

static bool is_done(const struct handover *h) {
    return h->handover && work_handover_is_done(h->handover);
}

void rdf_handover_close(void *engine) {
    struct handover *h = engine;
    if (!h) return;
    bool done = is_done(h);
    if (h->first) h->first_engine->close(h->first);
    work_handover_close(h->handover);
    if (done) h->second_engine->close(h->second);
    free(h->held);
    if (!work_start_abandoned()) free(h); // otherwise the thread of the start may use it
}

int rdf_handover_open(void **engine, const struct rdf_engine *first, const struct rdf_engine *second,
                      const struct rdf_job *job, struct trj_error *err) {
    struct handover *h = trj_alloc(1, sizeof *h, "an engine", err);
    if (!h) return -1;
    h->job = job;
    h->first_engine = h->current_engine = first;
    h->second_engine = second;
    snprintf(h->names, sizeof h->names, "%s, then %s", first->kind.name, second->kind.name);
    h->kind = (struct trj_engine){.name = h->names, .workers = second->kind.workers};
    const struct work_handover_plan plan = {.second = &second->kind,
                                            .open = open_second,
                                            .owner = h,
                                            .share_read = job->share_read,
                                            .share_of = job->share_arg,
                                            .note = job->note,
                                            .note_arg = job->note_arg};
    if (first->open(&h->first, job, err) || work_handover_open(&h->handover, &plan, err)) {
        rdf_handover_close(h);
        return -1;
    }
    h->second_job = *job;
    h->second_job.note = work_handover_note;
    h->second_job.note_arg = h->handover;
    if (job->sample) {
        h->sample.cell = job->sample->cell;
        h->second_job.sample = &h->sample;
    }
    h->current = h->first;
    *engine = h;
    return 0;
}

// ---- the hand-over

static int take_over(struct handover *h, struct trj_error *err) {
    char text[TRJ_ENGINE_TEXT];
    h->held = trj_alloc(h->job->pair_count * rdf_bins_cells(&h->job->bins), sizeof *h->held, "counts", err);
    if (!h->held || h->first_engine->finish(h->first, h->held, err)) return -1;
    h->first_engine->stats(h->first, &h->stats);
    h->stats.before = h->frames;
    h->first_engine->close(h->first);
    h->first = NULL;
    h->current = h->second;
    h->current_engine = h->second_engine;
    h->stats.start = work_handover_done(h->handover);
    struct trj_engine_stats stats;
    rdf_handover_stats(h, &stats);
    trj_engine_describe(text, stats.kind, stats.workers);
    if (h->job->note) h->job->note(h->job->note_arg, text);
    return 0;
}

// ---- functions of struct rdf_engine

int rdf_handover_add(void *engine, struct trj_frame *frame, struct trj_error *err) {
    struct handover *h = engine;
    int ready = work_handover_check(h->handover, h->frames, err);
    if (ready < 0 || (ready && take_over(h, err))) return -1;
    h->frames++;
    return h->current_engine->add(h->current, frame, err);
}

int rdf_handover_end_record(void *engine, uint64_t tag, struct trj_error *err) {
    struct handover *h = engine;
    if (h->current_engine->end_record(h->current, tag, err)) return -1;
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

void rdf_handover_stats(void *engine, struct trj_engine_stats *s) {
    const struct handover *h = engine;
    h->current_engine->stats(h->current, s);
    if (!is_done(h)) {
        s->kind = &h->first_engine->kind;
        return;
    }
    s->kind = &h->kind;
    s->start = h->stats.start;
    s->before = h->stats.before;
    for (int i = 0; i < TRJ_ENGINE_TIMES; i++) s->times[i].seconds += h->stats.times[i].seconds;
    s->evaluated += h->stats.evaluated;
    s->resolved += h->stats.resolved;
}
