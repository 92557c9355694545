// SPDX-License-Identifier: MIT
// Allocates, adds and merges records, so that every kind of count is added by the same rules.
#include "hist_record.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

void rdf_record_free(struct rdf_record *r) {
    free(r->runs);
    free(r->counts);
    free(r->excluded);
    free(r->group_atoms);
    free(r->pair_sums);
    free(r->moved);
    free(r->own);
    free(r->densities);
    free(r->neighbours);
    free(r->triplets);
    free(r->triplet_density);
    free(r->surface);
    free(r->surface_points);
    free(r->wave_vectors);
    free(r->wave_lengths);
    free(r->wave_products);
    *r = (struct rdf_record){0};
}

int rdf_record_append_runs(struct rdf_record *to, const struct rdf_record *from, struct trj_error *err) {
    for (size_t i = 0; i < from->run_count; i++) {
        const struct trj_frame_run *run = &from->runs[i];
        for (uint64_t k = 0; k < run->count; k++)
            if (trj_frame_runs_add(&to->runs, &to->run_count, run->source, run->first + k * run->step, err)) return -1;
    }
    return 0;
}

// Extends the range [low, high] by [min, max]; zeros are an empty range.
static void widen(double *low, double *high, double min, double max) {
    if (min > 0 && (*low == 0 || min < *low)) *low = min;
    if (max > *high) *high = max;
}

// Extends the range of times, which is not defined in a record without frames.
static void widen_times(struct rdf_record *r, double first, double last) {
    bool unknown = isnan(first) || (r->frames && isnan(r->first_time));
    r->first_time = unknown ? NAN : r->frames ? fmin(r->first_time, first) : first;
    r->last_time = unknown ? NAN : r->frames ? fmax(r->last_time, last) : last;
}

int rdf_record_open_sums(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err) {
    r->group_atoms = trj_alloc(s->group_count, sizeof *r->group_atoms, "groups", err);
    r->pair_sums = r->group_atoms ? trj_alloc(s->pair_count, sizeof *r->pair_sums, "pairs", err) : NULL;
    return r->pair_sums ? 0 : -1;
}

int rdf_record_open_neighbours(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err) {
    size_t row = rdf_neighbour_row(&s->neighbours), triplets = s->triplets.count;
    if (row && !(r->neighbours = trj_alloc(s->pair_count * row, sizeof *r->neighbours, "counts", err))) return -1;
    if (!triplets) return 0;
    r->triplets = trj_alloc(triplets * rdf_triplet_row(&s->triplets), sizeof *r->triplets, "counts", err);
    r->triplet_density = r->triplets ? trj_alloc(triplets, sizeof *r->triplet_density, "counts", err) : NULL;
    return r->triplet_density ? 0 : -1;
}

int rdf_record_open_surface(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err) {
    size_t row = rdf_setup_surface_row(s), bins = rdf_setup_surface_bins(s);
    if (!row) return 0;
    if (!(r->surface = trj_alloc(s->pair_count * row, sizeof *r->surface, "counts", err))) return -1;
    r->surface_points = trj_alloc(s->pair_count * bins, sizeof *r->surface_points, "counts", err);
    return r->surface_points ? 0 : -1;
}

int rdf_record_open_waves(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err) {
    size_t row = rdf_setup_wave_row(s);
    if (!row) return 0;
    r->wave_vectors = trj_alloc(row, sizeof *r->wave_vectors, "shells", err);
    r->wave_lengths = r->wave_vectors ? trj_alloc(row, sizeof *r->wave_lengths, "shells", err) : NULL;
    r->wave_products = r->wave_lengths ? trj_alloc(s->pair_count * row, sizeof *r->wave_products, "shells", err) : NULL;
    return r->wave_products ? 0 : -1;
}

static void add_quotient(struct trj_exact_sum *sum, double number, double volume) {
    if (volume > 0) trj_exact_add(sum, number / volume);
}

int rdf_record_add_groups(struct rdf_record *r, const struct rdf_setup *s, const struct rdf_job *job,
                          const uint64_t *own, const struct trj_frame *f, struct trj_error *err) {
    const struct trj_group *groups = job->groups;
    double volume = trj_cell_volume(&f->cell);
    if (!r->pair_sums && rdf_record_open_sums(r, s, err)) return -1;
    for (size_t g = 0; g < s->group_count; g++) r->group_atoms[g] += trj_group_size(&groups[g], f);
    for (size_t p = 0; p < s->pair_count; p++) {
        const struct rdf_pair *pair = &job->pairs[p];
        struct rdf_pair_sums *sums = &r->pair_sums[p];
        double pairs = (double)(rdf_pairs_in(pair, groups, f) - (own ? own[p] : 0)),
               a = (double)trj_group_size(&groups[pair->a], f), b = (double)trj_group_size(&groups[pair->b], f),
               product = pair->a == pair->b ? a * a / 2 : a * b;
        trj_exact_add(&sums->pairs, pairs);
        trj_exact_add(&sums->product, product);
        add_quotient(&sums->pair_density, pairs, volume);
        add_quotient(&sums->product_density, product, volume);
    }
    return 0;
}

int rdf_record_add_densities(struct rdf_record *r, const struct rdf_setup *s, const struct rdf_job *job,
                             const struct trj_frame *f, struct rdf_heights *heights, struct trj_error *err) {
    if (!r->densities && !(r->densities = trj_alloc(s->pair_count, sizeof *r->densities, "pairs", err))) return -1;
    bool defined = false;
    for (size_t p = 0; p < s->pair_count; p++) {
        const struct rdf_pair *pair = &job->pairs[p];
        double density, pairs = (double)rdf_pairs_in(pair, job->groups, f);
        if (rdf_metric_density(&density, &s->bins.metric, &job->groups[pair->a], &job->groups[pair->b], pairs, f,
                               heights, &defined, err))
            return -1;
        if (defined) trj_exact_add(&r->densities[p], density);
    }
    r->density_frames += defined;
    return 0;
}

void rdf_record_add_excluded(struct rdf_record *r, const struct rdf_setup *s, const uint64_t *pairs,
                             const struct trj_frame *f) {
    double volume = trj_cell_volume(&f->cell);
    for (size_t p = 0; p < s->pair_count; p++) {
        trj_exact_add(&r->pair_sums[p].excluded, (double)pairs[p]);
        add_quotient(&r->pair_sums[p].excluded_density, (double)pairs[p], volume);
    }
}

int rdf_record_add_frame(struct rdf_record *r, const struct trj_frame *f, struct trj_error *err) {
    const struct trj_cell *cell = &f->cell;
    double volume = trj_cell_volume(cell);
    if (volume > 0) {
        if (!trj_exact_in_range(volume) || !trj_exact_in_range(1 / volume))
            return trj_fail(err, TRJ_BAD_DATA,
                            "invalid cell volume %g Å^3; correct the cell or its unit (trjcat --cell)", volume);
        trj_exact_add(&r->volume, volume);
        trj_exact_add(&r->inverse_volume, 1 / volume);
        widen(&r->volume_min, &r->volume_max, volume, volume);
        for (int k = 0; k < 3; k++) {
            double spacing = trj_cell_height(cell, k);
            widen(&r->spacing_min[k], &r->spacing_max[k], spacing, spacing);
        }
        r->volume_frames++;
    }
    static const int open_axis[] = {[TRJ_PERIODIC_B | TRJ_PERIODIC_C] = 0,
                                    [TRJ_PERIODIC_A | TRJ_PERIODIC_C] = 1,
                                    [TRJ_PERIODIC_A | TRJ_PERIODIC_B] = 2};
    int periods = !!(cell->periodic & 1) + !!(cell->periodic & 2) + !!(cell->periodic & 4);
    if (periods == 2 && volume > 0) {
        double height = trj_cell_height(cell, open_axis[cell->periodic]);
        widen(&r->height_min, &r->height_max, height, height);
    }
    r->periodic_all = r->frames ? r->periodic_all & cell->periodic : cell->periodic;
    r->periodic_any |= cell->periodic;
    widen_times(r, f->time, f->time);
    r->frames++;
    return trj_frame_runs_add(&r->runs, &r->run_count, f->source, f->index, err);
}

struct rdf_record rdf_record_without_arrays(const struct rdf_record *r) {
    struct rdf_record bare = *r;
    bare.runs = NULL;
    bare.run_count = 0;
    bare.counts = bare.excluded = bare.group_atoms = bare.moved = bare.own = NULL;
    bare.neighbours = bare.triplets = bare.surface = NULL;
    bare.surface_points = NULL;
    bare.triplet_density = NULL;
    bare.wave_vectors = NULL;
    bare.wave_lengths = bare.wave_products = NULL;
    bare.pair_sums = NULL;
    bare.densities = NULL;
    return bare;
}

// Without volume frames there is no spacing, so it is not unknown.
static bool knows_spacing(const struct rdf_record *r) {
    return r->spacing_min[0] > 0 || !r->volume_frames;
}

void rdf_record_merge(struct rdf_record *to, const struct rdf_record *from) {
    bool known = knows_spacing(to) && knows_spacing(from);
    widen_times(to, from->first_time, from->last_time);
    to->frames += from->frames;
    to->volume_frames += from->volume_frames;
    trj_exact_merge(&to->volume, &from->volume);
    trj_exact_merge(&to->inverse_volume, &from->inverse_volume);
    widen(&to->volume_min, &to->volume_max, from->volume_min, from->volume_max);
    widen(&to->height_min, &to->height_max, from->height_min, from->height_max);
    for (int k = 0; k < 3; k++)
        widen(&to->spacing_min[k], &to->spacing_max[k], from->spacing_min[k], from->spacing_max[k]);
    for (int k = 0; k < 3 && !known; k++) to->spacing_min[k] = to->spacing_max[k] = 0;
    to->periodic_all &= from->periodic_all;
    to->periodic_any |= from->periodic_any;
    to->step = fmax(to->step, from->step);
    to->density_frames += from->density_frames;
    to->transitions += from->transitions;
    trj_exact_merge(&to->transition_time, &from->transition_time);
}

void rdf_pair_sums_merge(struct rdf_pair_sums *to, const struct rdf_pair_sums *from) {
    trj_exact_merge(&to->pairs, &from->pairs);
    trj_exact_merge(&to->product, &from->product);
    trj_exact_merge(&to->pair_density, &from->pair_density);
    trj_exact_merge(&to->product_density, &from->product_density);
    trj_exact_merge(&to->excluded, &from->excluded);
    trj_exact_merge(&to->excluded_density, &from->excluded_density);
}

static void add_numbers(uint64_t *to, const uint64_t *from, size_t n) {
    for (size_t i = 0; to && from && i < n; i++) to[i] += from[i];
}

void rdf_record_add(struct rdf_record *to, const struct rdf_setup *s, const struct rdf_record *from) {
    size_t n = s->pair_count * rdf_bins_cells(&s->bins);
    rdf_record_merge(to, from);
    add_numbers(to->counts, from->counts, n);
    add_numbers(to->excluded, from->excluded, n);
    add_numbers(to->moved, from->moved, n);
    add_numbers(to->own, from->own, s->pair_count);
    add_numbers(to->group_atoms, from->group_atoms, s->group_count);
    add_numbers(to->neighbours, from->neighbours, s->pair_count * rdf_neighbour_row(&s->neighbours));
    add_numbers(to->triplets, from->triplets, s->triplets.count * rdf_triplet_row(&s->triplets));
    add_numbers(to->surface, from->surface, s->pair_count * rdf_setup_surface_row(s));
    for (size_t k = 0; to->surface_points && from->surface_points && k < s->pair_count * rdf_setup_surface_bins(s); k++)
        rdf_wide_add(&to->surface_points[k], from->surface_points[k]);
    add_numbers(to->wave_vectors, from->wave_vectors, rdf_setup_wave_row(s));
    for (size_t k = 0; to->wave_lengths && from->wave_lengths && k < rdf_setup_wave_row(s); k++)
        rdf_wide_add(&to->wave_lengths[k], from->wave_lengths[k]);
    for (size_t k = 0; to->wave_products && from->wave_products && k < s->pair_count * rdf_setup_wave_row(s); k++)
        rdf_wide_add(&to->wave_products[k], from->wave_products[k]);
    for (size_t t = 0; to->triplet_density && from->triplet_density && t < s->triplets.count; t++)
        trj_exact_merge(&to->triplet_density[t], &from->triplet_density[t]);
    for (size_t p = 0; to->pair_sums && p < s->pair_count; p++)
        rdf_pair_sums_merge(&to->pair_sums[p], &from->pair_sums[p]);
    for (size_t p = 0; to->densities && from->densities && p < s->pair_count; p++)
        trj_exact_merge(&to->densities[p], &from->densities[p]);
}

bool rdf_same_height(double low, double high) {
    return high - low <= 1e-9 * high;
}
