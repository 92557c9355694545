// SPDX-License-Identifier: MIT
// Passes frames to an engine of neighbours, and decides which frames are consecutive, because gaps have no exchange.
#include "neighbour_count.h"

#include <stdio.h>
#include <stdlib.h>

#include "frame_gap.h"
#include "memory.h"
#include "triplet.h"

struct rdf_neighbour_counter {
    const struct trj_stream_header *header;
    const struct rdf_job *job;
    const struct rdf_setup *setup;
    const struct rdf_neighbour_engine *engine;
    void *state;           // of the engine
    bool neighbours;       // are counted, not only triplets
    struct trj_frame last; // without coordinates
    uint64_t frames, breaks;
    const struct trj_gap *interval;
    struct trj_gap_tally gaps;
    struct trj_output *file; // of events; NULL: not written
    struct rdf_neighbour_events events;
    uint64_t *discarded; // counts of frames that only the next one needs; NULL: there were none
};

void rdf_neighbour_counter_close(struct rdf_neighbour_counter *c) {
    if (!c) return;
    c->engine->close(c->state);
    trj_output_close(c->file);
    free(c->events.event);
    free(c->discarded);
    free(c);
}

int rdf_neighbour_counter_end(struct rdf_neighbour_counter *c, char note[TRJ_GAP_NOTE], struct trj_output *counts,
                              struct trj_error *err) {
    *note = 0;
    if (c->neighbours && c->header->open_system)
        snprintf(note, TRJ_GAP_NOTE,
                 "the number of atoms changes, so that neighbours that enter and leave are not counted");
    else if (c->neighbours && trj_gap_check(&c->gaps, c->interval, &c->last, 0, err))
        return trj_fail_at(err, "--neighbours");
    else
        trj_gap_note(note, &c->gaps, c->interval, &c->last, c->breaks, c->frames);
    if (c->file) trj_output_join(counts, c->file);
    c->file = NULL; // the output of the counts is its owner
    return 0;
}

static int open_events(struct rdf_neighbour_counter *c, const char *path, struct trj_error *err) {
    return trj_output_open(&c->file, path, TRJ_OUTPUT_TEXT, err) ||
                   trj_output_print(c->file, err,
                                    "# columns: number of the source, of the frame in it, time in ps, pair of groups, "
                                    "atoms of the trajectory from 0 (c: centres), event\n"
                                    "# source\tframe\ttime\tpair\ti\tj\tevent\n")
               ? -1
               : 0;
}

int rdf_neighbour_counter_open(struct rdf_neighbour_counter **result, const struct trj_stream_header *h,
                               const struct rdf_job *job, const struct rdf_setup *setup,
                               const struct rdf_neighbour_engine *engine, const struct trj_gap *interval,
                               const char *events, struct trj_error *err) {
    if (events && h->open_system)
        return trj_fail(err, TRJ_USAGE,
                        "--events: the number of atoms changes, so that atoms cannot be followed from frame to frame; "
                        "leave it out");
    struct rdf_neighbour_counter *c = trj_alloc(1, sizeof *c, "neighbours", err);
    if (!c) return -1;
    c->header = h;
    c->job = job;
    c->setup = setup;
    c->engine = engine;
    c->interval = interval;
    c->neighbours = rdf_neighbour_row(&setup->neighbours) > 0;
    if (engine->open(&c->state, job, &setup->neighbours, &setup->triplets, err) ||
        (events && open_events(c, events, err))) {
        rdf_neighbour_counter_close(c);
        return -1;
    }
    *result = c;
    return 0;
}

static int compare_events(const void *x, const void *y) {
    const struct rdf_neighbour_event *a = x, *b = y;
    if (a->pair != b->pair) return (a->pair > b->pair) - (a->pair < b->pair);
    if (a->i != b->i) return (a->i > b->i) - (a->i < b->i);
    return (a->j > b->j) - (a->j < b->j);
}

enum { NUMBER_TEXT = 24 };

// Returns the number of an atom in the trajectory; of a centre, which has none, "c" and its number among the centres.
static const char *number_of(char text[NUMBER_TEXT], const struct trj_stream_header *h, uint32_t atom) {
    const size_t first_centre = h->atoms - h->centres;
    if (atom >= first_centre)
        snprintf(text, NUMBER_TEXT, "c%zu", atom - first_centre);
    else
        snprintf(text, NUMBER_TEXT, "%lu", (unsigned long)(h->number ? h->number[atom] : atom));
    return text;
}

static int print_events(struct rdf_neighbour_counter *c, const struct trj_frame *f, struct trj_error *err) {
    size_t n = c->events.count;
    c->events.count = 0;
    if (n > 1) qsort(c->events.event, n, sizeof *c->events.event, compare_events);
    for (size_t k = 0; k < n; k++) {
        const struct rdf_neighbour_event *e = &c->events.event[k];
        const struct rdf_pair *p = &c->setup->pairs[e->pair];
        char i[NUMBER_TEXT], j[NUMBER_TEXT];
        if (trj_output_print(c->file, err, "%lu\t%llu\t%.10g\t%s:%s\t%s\t%s\t%s\n", (unsigned long)f->source,
                             (unsigned long long)f->index, f->time, c->job->groups[p->a].name,
                             c->job->groups[p->b].name, number_of(i, c->header, e->i), number_of(j, c->header, e->j),
                             e->enters ? "enters" : "leaves"))
            return -1;
    }
    return 0;
}

// Returns whether a frame is compared with the previous one, and adds this to the record.
static bool begin_frame(struct rdf_neighbour_counter *c, const struct trj_frame *f, struct rdf_record *record) {
    struct trj_gap gap = c->frames ? trj_gap_between(&c->last, f) : (struct trj_gap){TRJ_GAP_UNKNOWN, 0};
    bool compare = !c->header->open_system && c->frames && gap.length > 0 && trj_gap_same(c->interval, &gap, f);
    if (c->frames) trj_gap_tally_add(&c->gaps, &gap, &c->last, f);
    c->breaks += c->frames && !compare;
    if (!compare) return false;
    record->transitions++;
    if (gap.unit == TRJ_GAP_TIME) trj_exact_add(&record->transition_time, gap.length);
    return true;
}

static void keep_time(struct rdf_neighbour_counter *c, const struct trj_frame *f) {
    c->last = (struct trj_frame){
        .index = f->index, .source = f->source, .step = f->step, .time = f->time, .unit = f->unit, .cell = f->cell};
    c->frames++;
}

// Gives a frame to the engine, so that the next one can be compared with it, and discards its counts.
static int find_neighbours(struct rdf_neighbour_counter *c, const struct trj_frame *f, struct rdf_record *record,
                           struct trj_error *err) {
    size_t rows = c->setup->pair_count * rdf_neighbour_row(&c->setup->neighbours),
           triplets = c->setup->triplets.count * rdf_triplet_row(&c->setup->triplets);
    if (!c->discarded && !(c->discarded = trj_alloc(rows + triplets, sizeof *c->discarded, "counts", err))) return -1;
    return rdf_neighbour_counter_finish(c, record, err) || c->engine->add(c->state, f, false, NULL, err) ||
                   c->engine->finish(c->state, c->discarded, c->discarded + rows, err)
               ? -1
               : 0;
}

int rdf_neighbour_counter_add(struct rdf_neighbour_counter *c, const struct trj_frame *f, bool computes, bool before,
                              struct rdf_record *record, struct trj_error *err) {
    double volume = trj_cell_volume(&f->cell);
    bool compare = c->neighbours && begin_frame(c, f, record);
    if (before && find_neighbours(c, f, record, err)) return -1;
    if (computes && (c->engine->add(c->state, f, compare, c->file ? &c->events : NULL, err) ||
                     (c->file && print_events(c, f, err))))
        return -1;
    keep_time(c, f);
    for (size_t t = 0; volume > 0 && t < c->setup->triplets.count; t++) {
        const struct rdf_triplet *triplet = &c->setup->triplets.triplet[t];
        trj_exact_add(&record->triplet_density[t], rdf_triplet_number(triplet, c->job->groups, f) / (volume * volume));
    }
    return 0;
}

int rdf_neighbour_counter_finish(struct rdf_neighbour_counter *c, struct rdf_record *record, struct trj_error *err) {
    return c->engine->finish(c->state, record->neighbours, record->triplets, err);
}
