// SPDX-License-Identifier: MIT
// Adds to a record what is not counted by the engine, and ends records at the same frames for all counts.
#include "record_counter.h"

#include <stdlib.h>

#include "memory.h"
#include "own_images.h"
#include "record_arrays.h"

void rdf_counter_free(struct rdf_counter *c) {
    rdf_exclusion_close(c->exclusion);
    rdf_van_hove_close(c->van_hove);
    rdf_neighbour_counter_close(c->neighbours);
    rdf_surface_counter_close(c->surface);
    rdf_merger_free(&c->merger);
}

int rdf_counter_describe(struct rdf_counter *c, const struct trj_frame *first, struct trj_frame *all, uint64_t number,
                         struct trj_error *err) {
    const bool computes = work_share_computes(c->share, number),
               before = !computes && work_share_computes(c->share, number + 1);
    const uint64_t *own = c->van_hove ? rdf_van_hove_own(c->van_hove) : NULL;
    struct rdf_record *record = rdf_merger_next(&c->merger, err);
    double began = trj_seconds();
    const struct rdf_metric *metric = &c->setup->bins.metric;
    const bool projects = rdf_metric_projects(metric);
    if (!record) return -1;
    if (!projects && rdf_job_check_frame(c->job, all, err)) return -1;
    if (rdf_record_add_frame(record, first, err)) return -1;
    if (rdf_metric_check_cell(metric, &all->cell, err)) return -1;
    if (rdf_metric_has_density(metric) && rdf_record_add_densities(record, c->setup, c->job, all, &c->heights, err))
        return -1;
    if (c->van_hove && rdf_van_hove_count(c->van_hove, record, computes, err)) return -1;
    if (rdf_setup_has_dynamic_group(c->setup) && rdf_record_add_groups(record, c->setup, c->job, own, all, err))
        return -1;
    c->paired += c->van_hove ? trj_seconds() - began : 0;
    began = trj_seconds();
    if (c->neighbours && rdf_neighbour_counter_add(c->neighbours, all, computes, before, record, err)) return -1;
    if (computes && c->surface && rdf_surface_counter_add(c->surface, all, record, err)) return -1;
    c->gathered += trj_seconds() - began;
    rdf_metric_project(metric, all);
    if (projects && rdf_job_check_frame(c->job, all, err)) return -1;
    for (size_t i = 0; i < c->setup->pair_count; i++)
        c->pairs += (double)rdf_pairs_in(&c->job->pairs[i], c->job->groups, all) - (own ? (double)own[i] : 0);
    if (computes && c->setup->own_images && rdf_own_images_add(c->setup, c->job, all, record->counts, err)) return -1;
    began = trj_seconds();
    if (computes && c->exclusion) rdf_exclusion_count(c->exclusion, c->setup, all, record);
    c->excluded += trj_seconds() - began;
    return 0;
}

// Adds the counts since the last call that are not by the engine. The engine adds its counts earlier or later, modulo
// 2^64.
static int take_other_counts(struct rdf_counter *c, struct rdf_record *record, struct trj_error *err) {
    if (c->exclusion) rdf_exclusion_finish(c->exclusion, record->excluded);
    if (c->van_hove) rdf_van_hove_finish(c->van_hove, record->counts, record->moved);
    return c->neighbours ? rdf_neighbour_counter_finish(c->neighbours, record, err) : 0;
}

static int end_record(struct rdf_counter *c, struct trj_error *err) {
    bool given = c->given;
    c->given = false;
    return given ? c->engine->end_record(c->state, c->tag + rdf_merger_tag(&c->merger), err) : 0;
}

int rdf_counter_pause(struct rdf_counter *c, struct trj_error *err) {
    if (!c->merger.count || rdf_merger_full(&c->merger)) return 0;
    return take_other_counts(c, &c->merger.record[c->merger.count - 1], err) || end_record(c, err) ? -1 : 0;
}

int rdf_counter_settle(struct rdf_counter *c, struct trj_error *err) {
    rdf_heights_free(&c->heights);
    size_t n = c->setup->pair_count * rdf_bins_cells(&c->setup->bins);
    uint64_t *counts = trj_alloc(n, sizeof *counts, "counts", err);
    int rc = counts ? c->engine->finish(c->state, counts, err) : -1;
    c->given = false;
    // The last record has not been ended if it is not full.
    if (!rc && c->merger.count && !rdf_merger_full(&c->merger)) {
        struct rdf_record *last = &c->merger.record[c->merger.count - 1];
        for (size_t i = 0; i < n; i++) last->counts[i] += counts[i];
        rc = take_other_counts(c, last, err);
    }
    free(counts);
    return rc;
}

int rdf_counter_end(struct rdf_counter *c, uint64_t read, const char *input, struct trj_output *out,
                    void (*report)(const char *), struct trj_error *err) {
    char series[TRJ_GAP_NOTE] = "", exchange[TRJ_GAP_NOTE] = "";
    if (c->van_hove && rdf_van_hove_check_series(c->van_hove, read, series, err)) return trj_fail_at(err, "%s", input);
    if (c->neighbours && rdf_neighbour_counter_end(c->neighbours, exchange, out, err))
        return trj_fail_at(err, "%s", input);
    report(series);
    report(exchange);
    return 0;
}

int rdf_counter_write(struct rdf_counter *c, struct trj_error *err) {
    double began = trj_seconds();
    for (size_t i = 0; i < c->merger.count; i++) {
        const struct rdf_record *record = &c->merger.record[i];
        if (rdf_hist_write(c->writer, record, err)) return -1;
        for (size_t k = 0; k < c->setup->pair_count * rdf_bins_cells(&c->setup->bins); k++)
            c->counted += record->counts[k];
    }
    rdf_merger_free(&c->merger);
    int rc = c->live ? rdf_hist_writer_flush(c->writer, err) : 0;
    c->wrote += trj_seconds() - began;
    return rc;
}

int rdf_counter_count(struct rdf_counter *c, struct trj_frame *all, uint64_t number, struct trj_error *err) {
    struct rdf_record *record = &c->merger.record[c->merger.count - 1];
    if (work_share_computes(c->share, number)) {
        if (c->engine->add(c->state, all, err)) return -1;
        c->given = true;
    }
    if (rdf_merger_full(&c->merger) && (take_other_counts(c, record, err) || end_record(c, err))) return -1;
    if (record->frames != c->block) return 0;
    if (rdf_counter_settle(c, err) || rdf_record_combine(record, c->setup, c->share, err)) return -1;
    return rdf_counter_write(c, err);
}
