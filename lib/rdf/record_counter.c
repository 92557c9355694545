// SPDX-License-Identifier: MIT
#include "record_counter.h"

#include <stdlib.h>

#include "memory.h"

int rdf_counter_describe(struct rdf_counter *c, const struct trj_frame *first, const struct trj_frame *all,
                         struct trj_error *err) {
    const uint64_t *own = c->van_hove ? rdf_van_hove_own(c->van_hove) : NULL;
    struct rdf_record *record = rdf_merger_next(&c->merger, err);
    double began = trj_seconds();
    if (!record || rdf_job_check_frame(c->job, all, err) || rdf_record_add_frame(record, first, err) ||
        (c->van_hove && rdf_van_hove_count(c->van_hove, record, err)) ||
        (rdf_setup_has_dynamic_group(c->setup) && rdf_record_add_groups(record, c->setup, c->job, own, all, err)))
        return -1;
    c->paired += c->van_hove ? trj_seconds() - began : 0;
    for (size_t i = 0; i < c->setup->pair_count; i++)
        c->pairs += (double)rdf_pairs_in(&c->job->pairs[i], c->job->groups, all) - (own ? (double)own[i] : 0);
    began = trj_seconds();
    if (c->exclusion) rdf_exclusion_count(c->exclusion, c->setup, all, record);
    c->excluded += trj_seconds() - began;
    return 0;
}

// Adds the counts that are not by the engine. The engine adds its counts earlier or later, modulo 2^64.
static void take_other_counts(struct rdf_counter *c, struct rdf_record *record) {
    if (c->exclusion) rdf_exclusion_finish(c->exclusion, record->excluded);
    if (c->van_hove) rdf_van_hove_finish(c->van_hove, record->counts, record->moved);
}

// Waits for all counts: also those of the last record, which has not been ended if it is not full.
static int finish_records(struct rdf_counter *c, struct trj_error *err) {
    struct rdf_record *last = &c->merger.record[c->merger.count - 1];
    if (!rdf_merger_full(&c->merger)) {
        if (c->engine->finish(c->state, last->counts, err)) return -1;
        take_other_counts(c, last);
        return 0;
    }
    uint64_t *none = trj_alloc(c->setup->pair_count * c->setup->bins.count, sizeof *none, "counts", err);
    int rc = none ? c->engine->finish(c->state, none, err) : -1;
    free(none);
    return rc;
}

int rdf_counter_finish(struct rdf_counter *c, struct trj_error *err) {
    if (!c->merger.count) return 0;
    if (finish_records(c, err)) return -1;
    double began = trj_seconds();
    for (size_t i = 0; i < c->merger.count; i++) {
        const struct rdf_record *record = &c->merger.record[i];
        if (rdf_hist_write(c->writer, record, err)) return -1;
        for (size_t k = 0; k < c->setup->pair_count * c->setup->bins.count; k++) c->counted += record->counts[k];
    }
    rdf_merger_free(&c->merger);
    c->wrote += trj_seconds() - began;
    return 0;
}

int rdf_counter_count(struct rdf_counter *c, struct trj_frame *all, struct trj_error *err) {
    struct rdf_record *record = &c->merger.record[c->merger.count - 1];
    if (c->engine->add(c->state, all, err)) return -1;
    if (rdf_merger_full(&c->merger)) {
        take_other_counts(c, record);
        if (c->engine->cut(c->state, rdf_merger_tag(&c->merger), err)) return -1;
    }
    return record->frames == c->block ? rdf_counter_finish(c, err) : 0;
}
