// SPDX-License-Identifier: MIT
// The reference engine: counts one pair at a time by the rule of job.h, without optimisation. Tests compare the other
// engines with it.
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "memory.h"
#include "tool.h"

struct reference {
    const struct rdf_job *job;
    double *squares;
    uint64_t *counts;
    struct trj_engine_stats stats;
};

static void close_reference(void *engine) {
    struct reference *e = engine;
    if (!e) return;
    free(e->squares);
    free(e->counts);
    free(e);
}

static int open_reference(void **engine, const struct rdf_job *job, struct trj_error *err) {
    struct reference *e = trj_alloc(1, sizeof *e, "an engine", err);
    if (!e) return -1;
    e->job = job;
    e->stats = (struct trj_engine_stats){.workers = 1, .times = RDF_ENGINE_TIMES};
    e->squares = rdf_bins_squares(&job->bins, err);
    e->counts =
        e->squares ? trj_alloc(job->pair_count * rdf_bins_cells(&job->bins), sizeof *e->counts, "counts", err) : NULL;
    if (!e->counts) {
        close_reference(e);
        return -1;
    }
    *engine = e;
    return 0;
}

static int add(void *engine, struct trj_frame *f, struct trj_error *err) {
    (void)err;
    struct reference *e = engine;
    double g[3][3], began = trj_seconds();
    trj_cell_reciprocal(&f->cell, g);
    double reach = rdf_bins_reach(&e->job->bins) + rdf_job_rounding(e->job, f);
    for (size_t p = 0; p < e->job->pair_count; p++) {
        const struct rdf_pair *pair = &e->job->pairs[p];
        const struct trj_group *a = &e->job->groups[pair->a], *b = &e->job->groups[pair->b];
        for (size_t i = 0; i < a->count; i++)
            for (size_t j = pair->a == pair->b ? i + 1 : 0; j < b->count && trj_group_has(a, f, i); j++)
                if (a->atoms[i] != b->atoms[j] && trj_group_has(b, f, j))
                    e->stats.evaluated += rdf_count_images(&e->job->bins, e->squares, f, g, reach, a->atoms[i],
                                                           b->atoms[j], e->counts + p * rdf_bins_cells(&e->job->bins));
    }
    e->stats.times[RDF_COUNT_TIME].seconds += trj_seconds() - began;
    return 0;
}

static int finish(void *engine, uint64_t *counts, struct trj_error *err) {
    (void)err;
    struct reference *e = engine;
    size_t size = e->job->pair_count * rdf_bins_cells(&e->job->bins) * sizeof *counts;
    memcpy(counts, e->counts, size);
    memset(e->counts, 0, size);
    return 0;
}

static int end_record(void *engine, uint64_t tag, struct trj_error *err) {
    return rdf_engine_end_record_by_finish(&rdf_engine_reference, engine, ((struct reference *)engine)->job, tag, err);
}

static void stats(void *engine, struct trj_engine_stats *s) {
    *s = ((struct reference *)engine)->stats;
}

const struct rdf_engine rdf_engine_reference = {
    .kind = TRJ_ENGINE_KIND_REFERENCE,
    .neighbours = &rdf_neighbour_reference,
    .open = open_reference,
    .add = add,
    .end_record = end_record,
    .finish = finish,
    .stats = stats,
    .close = close_reference,
};
