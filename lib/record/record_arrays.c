// SPDX-License-Identifier: MIT
// Lists the arrays in one place, so that parts of runs and checkpoints cannot omit different ones.
#include "record_arrays.h"

int rdf_record_arrays(struct rdf_record *r, const struct rdf_setup *s,
                      int (*visit)(void *arg, void *values, size_t count, enum work_share_kind kind,
                                   struct trj_error *err),
                      void *arg, struct trj_error *err) {
    const size_t pairs = s->pair_count, bins = pairs * rdf_bins_cells(&s->bins), waves = rdf_setup_wave_row(s);
    const struct {
        void *values;
        size_t count;
        enum work_share_kind kind;
    } arrays[] = {
        {r->counts, bins, WORK_SHARE_SUM},
        {r->excluded, bins, WORK_SHARE_SUM},
        {r->moved, bins, WORK_SHARE_SUM},
        {r->neighbours, pairs * rdf_neighbour_row(&s->neighbours), WORK_SHARE_SUM},
        {r->triplets, s->triplets.count * rdf_triplet_row(&s->triplets), WORK_SHARE_SUM},
        {r->surface, pairs * rdf_setup_surface_row(s), WORK_SHARE_SUM},
        {r->surface_points, pairs * rdf_setup_surface_bins(s), WORK_SHARE_WIDE},
        {r->wave_vectors, waves, WORK_SHARE_SUM},
        {r->wave_lengths, waves, WORK_SHARE_WIDE},
        {r->wave_products, pairs * waves, WORK_SHARE_WIDE},
    };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        if (arrays[i].values && visit(arg, arrays[i].values, arrays[i].count, arrays[i].kind, err)) return -1;
    for (size_t p = 0; r->excluded && r->pair_sums && p < pairs; p++)
        if (visit(arg, &r->pair_sums[p].excluded, 1, WORK_SHARE_EXACT, err) ||
            visit(arg, &r->pair_sums[p].excluded_density, 1, WORK_SHARE_EXACT, err))
            return -1;
    return 0;
}

static int combine(void *share, void *values, size_t count, enum work_share_kind kind, struct trj_error *err) {
    return work_share_combine(*(const struct work_share *const *)share, values, count, kind, err);
}

int rdf_record_combine(struct rdf_record *r, const struct rdf_setup *s, const struct work_share *share,
                       struct trj_error *err) {
    return share ? rdf_record_arrays(r, s, combine, &share, err) : 0;
}

static int save(void *arrays, void *values, size_t count, enum work_share_kind kind, struct trj_error *err) {
    return work_checkpoint_array(arrays, values, count * work_share_words(kind), err);
}

int rdf_record_checkpoint(struct rdf_record *r, const struct rdf_setup *s, struct work_checkpoint_arrays *a,
                          struct trj_error *err) {
    return rdf_record_arrays(r, s, save, a, err);
}
