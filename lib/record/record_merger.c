// SPDX-License-Identifier: MIT
// Merges neighbouring records when there are too many, so that records never depend on the length of the trajectory.
#include "record_merger.h"

#include "memory.h"

void rdf_merger_open(struct rdf_merger *m, const struct rdf_setup *setup, bool one) {
    double kinds = 1 + (setup->exclusion != NULL) + (setup->lag.frames > 0),
           of_pair = kinds * (double)rdf_bins_cells(&setup->bins) * sizeof(uint64_t) +
                     (rdf_setup_has_dynamic_group(setup) ? sizeof(struct rdf_pair_sums) : 0) +
                     (double)(rdf_neighbour_row(&setup->neighbours) + rdf_setup_surface_row(setup)) * sizeof(uint64_t) +
                     (double)rdf_setup_surface_bins(setup) * sizeof(rdf_wide),
           of_triplet = (double)rdf_triplet_row(&setup->triplets) * sizeof(uint64_t),
           of_wave = (double)setup->pair_count * sizeof(rdf_wide) + sizeof(rdf_wide) + sizeof(uint64_t),
           bytes = (double)setup->pair_count * of_pair + (double)setup->triplets.count * of_triplet +
                   (double)rdf_setup_wave_row(setup) * of_wave;
    *m = (struct rdf_merger){.setup = setup, .max = one ? 1 : RDF_MAX_MERGED};
    while (m->max > 1 && (double)m->max * bytes > RDF_MERGED_BYTES) m->max /= 2;
    m->each = m->max > 1 ? 1 : UINT64_MAX;
}

void rdf_merger_free(struct rdf_merger *m) {
    for (size_t i = 0; i < m->count; i++) rdf_record_free(&m->record[i]);
    m->count = 0;
    m->each = m->max > 1 ? 1 : UINT64_MAX;
}

static int merge_neighbours(struct rdf_merger *m, struct trj_error *err) {
    for (size_t i = 0; i < m->count; i += 2) {
        struct rdf_record *to = &m->record[i], *from = to + 1;
        if (rdf_record_append_runs(to, from, err)) return -1;
        rdf_record_add(to, m->setup, from);
        rdf_record_free(from);
        if (!i) continue;
        m->record[i / 2] = *to;
        *to = (struct rdf_record){.frames = 0};
    }
    m->count /= 2;
    m->each *= 2;
    return 0;
}

static int open_record(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err) {
    size_t n = s->pair_count * rdf_bins_cells(&s->bins);
    if (!(r->counts = trj_alloc(n, sizeof *r->counts, "counts", err))) return -1;
    if (s->exclusion && !(r->excluded = trj_alloc(n, sizeof *r->excluded, "counts", err))) return -1;
    if (s->lag.frames && !(r->moved = trj_alloc(n, sizeof *r->moved, "counts", err))) return -1;
    return rdf_record_open_neighbours(r, s, err) || rdf_record_open_surface(r, s, err) ||
                   rdf_record_open_waves(r, s, err)
               ? -1
               : 0;
}

bool rdf_merger_full(const struct rdf_merger *m) {
    return m->count && m->record[m->count - 1].frames == m->each;
}

struct rdf_record *rdf_merger_next(struct rdf_merger *m, struct trj_error *err) {
    if (!m->count || rdf_merger_full(m)) {
        if (m->count == m->max && merge_neighbours(m, err)) return NULL;
        m->count++; // rdf_merger_free frees it
        if (open_record(&m->record[m->count - 1], m->setup, err)) return NULL;
    }
    return &m->record[m->count - 1];
}

uint64_t rdf_merger_tag(const struct rdf_merger *m) {
    return m->max > 1 ? (m->count - 1) * m->each : 0;
}

void rdf_merger_deliver(void *merger, uint64_t tag, const uint64_t *counts) {
    struct rdf_merger *m = merger;
    uint64_t *to = m->record[tag / m->each].counts;
    for (size_t i = 0; i < m->setup->pair_count * rdf_bins_cells(&m->setup->bins); i++) to[i] += counts[i];
}
