// SPDX-License-Identifier: MIT
// Reads, checks and adds the records of histogram streams, and drops pairs that the caller does not need while reading.
#include "hist_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_stream.h"
#include "common_blocks.h"
#include "decimal.h"
#include "failure.h"
#include "hist_parts.h"
#include "memory.h"

// State while one stream is read.
struct reading {
    struct rdf_hist *h;
    struct rdf_setup setup;
    uint32_t *source; // index in h->sources of each source of the stream
    size_t source_count, source_capacity, record_capacity;
    uint64_t records, frames, pairs_counted;
    uint64_t provenance;                   // bytes of the PROV blocks read so far
    double spacing_min[3], spacing_max[3]; // of the next record
    size_t pairs;                          // number of pairs in the records; the set-up may keep fewer
    bool *kept;                            // [pairs] kept by the set-up
    uint64_t *own;                         // [pairs] as in the set-up; NULL: no lag
    size_t setup_blocks;                   // index of the last block of the set-up that was read, plus 1
    bool have_spacing, have_times, setup_finished, ended;
    double first_time, last_time;
    bool skipped; // the stream has other bins than the first stream, or a lag that is not selected
};

// Changes the numbers of pairs to those of the selected part.
static void select_part_of_setup(struct rdf_setup *s, enum rdf_part part) {
    s->without = s->excluded && rdf_part_subtracts_excluded(part);
    for (size_t p = 0; s->without && p < s->pair_count; p++) s->pairs[p].pairs -= s->excluded[p];
}

static bool is_called(const struct rdf_setup *s, size_t pair, const char *name) {
    const char *a = s->groups[s->pairs[pair].a].name, *b = s->groups[s->pairs[pair].b].name;
    size_t n = strlen(a);
    return !strncmp(name, a, n) && name[n] == ':' && !strcmp(name + n + 1, b);
}

// Keeps only the pairs with these names.
static int keep_named(bool *kept, const struct rdf_setup *s, const struct trj_text_list *names, struct trj_error *err) {
    for (size_t i = 0; i < names->count; i++) {
        char has[200] = "";
        bool found = false;
        for (size_t p = 0; p < s->pair_count; p++) {
            found = found || (kept[p] && is_called(s, p, names->texts[i]));
            if (kept[p] && strlen(has) < sizeof has - 1)
                snprintf(has + strlen(has), sizeof has - strlen(has), "%s%s:%s", *has ? ", " : "",
                         s->groups[s->pairs[p].a].name, s->groups[s->pairs[p].b].name);
        }
        if (!found)
            return trj_fail(err, TRJ_USAGE, "--pair: no pair '%s' in the stream, which has %s", names->texts[i], has);
    }
    for (size_t p = 0; p < s->pair_count; p++) {
        bool named = !names->count;
        for (size_t i = 0; i < names->count; i++) named = named || is_called(s, p, names->texts[i]);
        kept[p] = kept[p] && named;
    }
    return 0;
}

// Keeps only pairs of groups with common atoms, for the self part.
static int keep_own(bool *kept, struct rdf_setup *s, struct trj_error *err) {
    bool any = false;
    if (!s->lag.own) return trj_fail(err, TRJ_BAD_DATA, "contains no self part; count with rdfhist --lag");
    for (size_t p = 0; p < s->pair_count; p++) {
        kept[p] = s->lag.own[p];
        any = any || kept[p];
        if (s->excluded) s->excluded[p] = 0; // excluded pairs are pairs of different atoms
        s->pairs[p].pairs = s->lag.own[p];
    }
    s->lag.self = true;
    return any ? 0
               : trj_fail(err, TRJ_BAD_DATA,
                          "contains no self part, as no pair of groups has common atoms; leave --self out");
}

// Selects the pairs; the others are removed from the set-up, and later from each record.
static int keep_pairs_of_setup(struct reading *r, struct trj_error *err) {
    struct rdf_setup *s = &r->setup;
    size_t n = 0;
    if (!(r->kept = trj_alloc(r->pairs, sizeof *r->kept, "pairs", err))) return -1;
    for (size_t p = 0; p < r->pairs; p++) r->kept[p] = true;
    if (s->lag.own) {
        if (!(r->own = trj_alloc(r->pairs, sizeof *r->own, "pairs", err))) return -1;
        memcpy(r->own, s->lag.own, r->pairs * sizeof *r->own);
    }
    if ((r->h->self && keep_own(r->kept, s, err)) || keep_named(r->kept, s, &r->h->pairs, err)) return -1;
    for (size_t p = 0; p < r->pairs; p++) {
        if (!r->kept[p]) continue;
        s->pairs[n] = s->pairs[p];
        if (s->excluded) s->excluded[n] = s->excluded[p];
        if (s->lag.own) s->lag.own[n] = s->lag.own[p];
        n++;
    }
    s->pair_count = n;
    return 0;
}

static void keep_pairs_of_record(const struct reading *r, struct rdf_record *rec) {
    uint64_t *const rows[] = {rec->counts, rec->excluded, rec->moved};
    size_t n = 0, bins = rdf_bins_cells(&r->h->setup.bins), row = rdf_neighbour_row(&r->h->setup.neighbours),
           surface_row = rdf_setup_surface_row(&r->h->setup), wave_row = rdf_setup_wave_row(&r->h->setup);
    for (size_t p = 0; p < r->pairs; p++) {
        if (!r->kept[p]) continue;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rows[i] && n < p) memmove(rows[i] + n * bins, rows[i] + p * bins, bins * sizeof *rows[i]);
        if (rec->own) rec->own[n] = rec->own[p];
        if (rec->pair_sums) rec->pair_sums[n] = rec->pair_sums[p];
        if (rec->densities) rec->densities[n] = rec->densities[p];
        if (rec->neighbours && n < p)
            memmove(rec->neighbours + n * row, rec->neighbours + p * row, row * sizeof *rec->neighbours);
        if (rec->surface && n < p)
            memmove(rec->surface + n * surface_row, rec->surface + p * surface_row, surface_row * sizeof *rec->surface);
        if (rec->surface_points && n < p)
            memmove(rec->surface_points + n * bins, rec->surface_points + p * bins, bins * sizeof *rec->surface_points);
        if (rec->wave_products && n < p)
            memmove(rec->wave_products + n * wave_row, rec->wave_products + p * wave_row,
                    wave_row * sizeof *rec->wave_products);
        n++;
    }
    if (!r->h->self) return;
    free(rec->counts);
    rec->counts = rec->moved;
    rec->moved = NULL;
}

static int select_part_of_record(struct rdf_record *r, const struct rdf_setup *s, enum rdf_part part,
                                 struct trj_error *err) {
    for (size_t i = 0, n = rdf_bins_cells(&s->bins); i < s->pair_count * n; i++) {
        if (r->excluded[i] > r->counts[i])
            return trj_fail(err, TRJ_BAD_DATA, "bin %zu of pair %zu: %llu excluded pairs among %llu pairs", i % n,
                            i / n, (unsigned long long)r->excluded[i], (unsigned long long)r->counts[i]);
        if (rdf_part_subtracts_excluded(part)) r->counts[i] -= r->excluded[i];
        if (part == RDF_PART_EXCLUDED) r->counts[i] = r->excluded[i];
    }
    for (size_t p = 0; r->pair_sums && rdf_part_subtracts_excluded(part) && p < s->pair_count; p++) {
        struct rdf_pair_sums *sums = &r->pair_sums[p];
        trj_exact_subtract(&sums->pairs, &sums->excluded);
        trj_exact_subtract(&sums->pair_density, &sums->excluded_density);
    }
    return 0;
}

static bool note_other_bins(struct rdf_hist *h, const struct rdf_bins *bins) {
    const struct rdf_bins *first = &h->setup.bins;
    if (bins->count == first->count && bins->rmin == first->rmin && bins->rmax == first->rmax) return false;
    if (!h->other_bins.count) {
        h->other_bins = *bins;
        h->smallest_bins = *first;
    }
    if (bins->rmax < h->smallest_bins.rmax) h->smallest_bins = *bins;
    return true;
}

// Writes the shortest decimal number that reads as v, NUL-terminated.
static const char *shortest(char text[TRJ_DECIMAL_CAPACITY + 1], double v) {
    text[trj_print_real(text, v)] = 0;
    return text;
}

int rdf_hist_check_bins(const struct rdf_hist *h, struct trj_error *err) {
    const struct rdf_bins *a = &h->setup.bins, *b = &h->other_bins, *use = &h->smallest_bins;
    char number[6][TRJ_DECIMAL_CAPACITY + 1];
    if (!b->count) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "cannot be added to the previous records: expected %llu bins over [%s, %s) Å, found %llu over [%s, "
                    "%s); count each stream with rdfhist -r %s -b %llu%s%s",
                    (unsigned long long)a->count, shortest(number[0], a->rmin), shortest(number[1], a->rmax),
                    (unsigned long long)b->count, shortest(number[2], b->rmin), shortest(number[3], b->rmax),
                    shortest(number[4], use->rmax), (unsigned long long)use->count, use->rmin > 0 ? " --rmin " : "",
                    use->rmin > 0 ? shortest(number[5], use->rmin) : "");
}

// Finishes the set-up: the set-up of the first stream becomes the common one, and later ones must be equal to it.
static int finish_setup(struct reading *r, struct trj_error *err) {
    struct rdf_hist *h = r->h;
    if (r->setup_finished) return 0;
    r->setup_finished = true;
    r->pairs = r->setup.pair_count;
    for (size_t p = 0; p < r->pairs; p++)
        if (!r->setup.pairs[p].pairs && !r->setup.lag.frames && !r->setup.waves.shells.count)
            return trj_fail(err, TRJ_BAD_DATA, "a pair of groups contains no pair of atoms");
    if (h->found_lags && r->setup.lag.frames) rdf_lag_list_note(h->found_lags, r->setup.lag.frames);
    if (h->lags && h->lags->count && r->setup.lag.frames && !rdf_lag_list_has(h->lags, r->setup.lag.frames)) {
        r->skipped = true;
        return 0;
    }
    if (keep_pairs_of_setup(r, err)) return -1;
    if (!h->self) select_part_of_setup(&r->setup, h->part);
    bool same_kind = !h->setup.waves.shells.count == !r->setup.waves.shells.count;
    if (h->setup.pairs && same_kind && (r->skipped = note_other_bins(h, &r->setup.bins))) return 0;
    if (h->choose) {
        const struct rdf_setup *first = &h->setup;
        if (!(h = h->choose(h->choose_arg, &r->setup, err))) return -1;
        if (first->pairs && !h->setup.pairs && rdf_setup_check_lags(first, &r->setup, err)) return -1;
        r->h = h;
        r->record_capacity = h->record_count;
    }
    if (h->setup.pairs) return rdf_setup_join(&h->setup, &r->setup, err);
    h->setup = r->setup;
    r->setup = (struct rdf_setup){.pairs = NULL};
    return 0;
}

static int read_provenance(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_hist *h = r->h;
    uint32_t n = trj_get_u32(c), ignored;
    r->provenance += c->size;
    h->line_index.texts = &h->provenance;
    for (uint32_t i = 0; i < n; i++) {
        char *line;
        if (trj_get_text(c, &line, err)) return -1;
        int rc = trj_text_index_add(&h->line_index, line, &ignored, err);
        free(line);
        if (rc) return -1;
    }
    return 0;
}

static int read_source(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_hist *h = r->h;
    char *name;
    if (trj_get_text(c, &name, err)) return -1;
    uint64_t fingerprint = trj_get_u64(c);
    size_t k = 0, capacity = h->source_count;
    while (k < h->source_count && h->sources[k].fingerprint != fingerprint) k++;
    if (trj_grow(&r->source, &r->source_capacity, r->source_count + 1, sizeof *r->source, "sources", err)) goto out;
    if (k == h->source_count) {
        if (trj_grow(&h->sources, &capacity, capacity + 1, sizeof *h->sources, "sources", err)) goto out;
        h->sources[h->source_count++] = (struct trj_source){name, fingerprint};
        name = NULL;
    }
    r->source[r->source_count++] = (uint32_t)k;
    free(name);
    return 0;
out:
    free(name);
    return -1;
}

static int read_sums(struct rdf_record *rec, const struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    size_t sums = s->exclusion ? 6 : 4, of_pair = sums * TRJ_EXACT_LIMBS * sizeof(uint64_t);
    if (trj_cursor_left(c) / of_pair < s->pair_count) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (rdf_record_open_sums(rec, s, err)) return -1;
    trj_get_u64s(c, rec->group_atoms, s->group_count);
    for (size_t p = 0; p < s->pair_count; p++) {
        trj_get_u64s(c, rec->pair_sums[p].pairs.limb, TRJ_EXACT_LIMBS);
        trj_get_u64s(c, rec->pair_sums[p].product.limb, TRJ_EXACT_LIMBS);
        trj_get_u64s(c, rec->pair_sums[p].pair_density.limb, TRJ_EXACT_LIMBS);
        trj_get_u64s(c, rec->pair_sums[p].product_density.limb, TRJ_EXACT_LIMBS);
    }
    for (size_t p = 0; s->exclusion && p < s->pair_count; p++) {
        trj_get_u64s(c, rec->pair_sums[p].excluded.limb, TRJ_EXACT_LIMBS);
        trj_get_u64s(c, rec->pair_sums[p].excluded_density.limb, TRJ_EXACT_LIMBS);
    }
    return c->failed ? trj_fail(err, TRJ_BAD_DATA, "too short") : 0;
}

static int read_counts(uint64_t **counts, const struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    size_t n = s->pair_count * rdf_bins_cells(&s->bins);
    if (trj_cursor_left(c) / sizeof **counts < n) return trj_fail(err, TRJ_BAD_DATA, "too short");
    *counts = trj_alloc(n, sizeof **counts, "counts", err);
    if (!*counts) return -1;
    trj_get_u64s(c, *counts, n);
    return 0;
}

static int read_spacing(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    if (r->have_spacing) return trj_fail(err, TRJ_BAD_DATA, "in the wrong place");
    r->have_spacing = true;
    for (int k = 0; k < 3; k++) {
        double low = r->spacing_min[k] = trj_get_f64(c), high = r->spacing_max[k] = trj_get_f64(c);
        if (!c->failed && !(low > 0 && low <= high && isfinite(high)))
            return trj_fail(err, TRJ_BAD_DATA, "invalid distances between cell faces: %g to %g Å", low, high);
    }
    return c->failed ? trj_fail(err, TRJ_BAD_DATA, "too short") : 0;
}

static int read_times(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    if (r->have_times) return trj_fail(err, TRJ_BAD_DATA, "in the wrong place");
    r->have_times = true;
    r->first_time = trj_get_f64(c);
    r->last_time = trj_get_f64(c);
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    bool good = isfinite(r->first_time) && isfinite(r->last_time) && r->first_time <= r->last_time;
    return good ? 0 : trj_fail(err, TRJ_BAD_DATA, "invalid times: %g to %g ps", r->first_time, r->last_time);
}

static int read_moved(struct rdf_record *rec, const struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    rec->step = trj_get_f64(c);
    rec->own = trj_alloc(s->pair_count, sizeof *rec->own, "counts", err);
    if (!rec->own) return -1;
    trj_get_u64s(c, rec->own, s->pair_count);
    if (read_counts(&rec->moved, s, c, err)) return -1;
    if (!(rec->step >= 0 && rec->step <= 0.5)) return trj_fail(err, TRJ_BAD_DATA, "invalid step");
    for (size_t p = 0; p < s->pair_count; p++) {
        uint64_t left = rec->own[p], max;
        if (!__builtin_mul_overflow(rec->frames, s->lag.own[p], &max) && left > max)
            return trj_fail(err, TRJ_BAD_DATA, "pair %zu: too many atoms in both groups", p);
        for (uint64_t k = 0; k < s->bins.count; k++) {
            uint64_t n = rec->moved[p * s->bins.count + k];
            if (n > left)
                return trj_fail(err, TRJ_BAD_DATA, "pair %zu: more displacements than atoms in both groups, %llu", p,
                                (unsigned long long)rec->own[p]);
            left -= n;
        }
    }
    return 0;
}

static int read_densities(struct rdf_record *rec, const struct rdf_setup *s, struct trj_cursor *c,
                          struct trj_error *err) {
    rec->density_frames = trj_get_u64(c);
    if (rec->density_frames > rec->frames) return trj_fail(err, TRJ_BAD_DATA, "invalid number of frames with an area");
    if (trj_cursor_left(c) / (TRJ_EXACT_LIMBS * sizeof(uint64_t)) < s->pair_count)
        return trj_fail(err, TRJ_BAD_DATA, "too short");
    rec->densities = trj_alloc(s->pair_count, sizeof *rec->densities, "pairs", err);
    if (!rec->densities) return -1;
    for (size_t p = 0; p < s->pair_count; p++) trj_get_u64s(c, rec->densities[p].limb, TRJ_EXACT_LIMBS);
    return 0;
}

// Reads the fields of the blocks NEIG and TRIP.
static int read_neighbours(struct rdf_record *rec, const struct rdf_setup *s, struct trj_cursor *c,
                           struct trj_error *err) {
    size_t row = rdf_neighbour_row(&s->neighbours), of_triplet = rdf_triplet_row(&s->triplets);
    uint64_t expected = (uint64_t)s->pair_count * row + (row ? 1 + TRJ_EXACT_LIMBS : 0) +
                        s->triplets.count * (uint64_t)(of_triplet + TRJ_EXACT_LIMBS);
    if (trj_cursor_left(c) / sizeof(uint64_t) < expected) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (rdf_record_open_neighbours(rec, s, err)) return -1;
    if (row) {
        rec->transitions = trj_get_u64(c);
        trj_get_u64s(c, rec->transition_time.limb, TRJ_EXACT_LIMBS);
        trj_get_u64s(c, rec->neighbours, s->pair_count * row);
        if (rec->transitions > rec->frames) return trj_fail(err, TRJ_BAD_DATA, "more pairs of frames than frames");
        if (trj_exact_value(&rec->transition_time) < 0) return trj_fail(err, TRJ_BAD_DATA, "negative time of frames");
    }
    for (size_t t = 0; t < s->triplets.count; t++) {
        trj_get_u64s(c, rec->triplet_density[t].limb, TRJ_EXACT_LIMBS);
        trj_get_u64s(c, rec->triplets + t * of_triplet, of_triplet);
    }
    return 0;
}

static void get_wide(struct trj_cursor *c, rdf_wide *x, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t low = trj_get_u64(c);
        x[i] = (rdf_wide)(int64_t)trj_get_u64(c) * ((rdf_wide)1 << 64) + low;
    }
}

// Reads the fields of the block SURF.
static int read_surface(struct rdf_record *rec, const struct rdf_setup *s, struct trj_cursor *c,
                        struct trj_error *err) {
    size_t row = rdf_setup_surface_row(s), bins = rdf_setup_surface_bins(s);
    if (!row) return 0;
    if (trj_cursor_left(c) / (sizeof(uint64_t) * (row + 2 * bins)) < s->pair_count)
        return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (rdf_record_open_surface(rec, s, err)) return -1;
    trj_get_u64s(c, rec->surface, s->pair_count * row);
    get_wide(c, rec->surface_points, s->pair_count * bins);
    return 0;
}

// Reads the fields of the block WAVE.
static int read_waves(struct rdf_record *rec, const struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    size_t row = rdf_setup_wave_row(s);
    if (!row) return 0;
    if (trj_cursor_left(c) / (sizeof(uint64_t) * (3 + 2 * s->pair_count)) < row)
        return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (rdf_record_open_waves(rec, s, err)) return -1;
    trj_get_u64s(c, rec->wave_vectors, row);
    get_wide(c, rec->wave_lengths, row);
    get_wide(c, rec->wave_products, s->pair_count * row);
    return 0;
}

// Returns whether the sums of a shell are those of its number of vectors; k is the place of a lag and a shell.
static bool possible_waves(const struct rdf_record *rec, const struct rdf_setup *s, size_t k) {
    const struct rdf_wave_setup *w = &s->waves;
    double vectors = (double)rec->wave_vectors[k], length = (double)rec->wave_lengths[k] * RDF_Q_QUANTUM,
           min = w->hkl ? 0 : w->shells.rmin, max = w->hkl ? INFINITY : w->shells.rmax, slack = 0x1p-40;
    bool possible = rec->wave_vectors[k] ? length >= vectors * (min - slack) && length <= vectors * (max + slack)
                                         : !rec->wave_lengths[k];
    for (size_t p = 0; possible && p < s->pair_count; p++) {
        const struct rdf_pair *pair = &s->pairs[p];
        double product = (double)rec->wave_products[p * rdf_setup_wave_row(s) + k] * RDF_WAVE_QUANTUM,
               largest = (double)s->groups[pair->a].atoms * (double)s->groups[pair->b].atoms;
        possible = fabs(product) <= vectors * (largest * (1 + 0x1p-16) + RDF_WAVE_QUANTUM);
    }
    return possible;
}

// Returns whether the objects of a pair can have these numbers of atoms and points at their distances.
static bool possible_surface(const struct rdf_record *rec, const struct rdf_setup *s, size_t p) {
    const uint64_t *row = rec->surface + p * rdf_setup_surface_row(s), pairs = row[RDF_SURFACE_PAIRS];
    const double a = s->surface.kind == RDF_SURFACE_SET ? 1 : (double)s->groups[s->pairs[p].a].atoms,
                 b = (double)s->groups[s->pairs[p].b].atoms, objects = (double)row[RDF_SURFACE_OBJECTS];
    rdf_wide points = (rdf_wide)pairs * (rdf_wide)rdf_surface_points(&s->surface);
    uint64_t left = pairs;
    if (rec->volume_frames < rec->frames) return false;
    if (objects > (double)rec->frames * a * (1 + 1e-12) || (double)pairs > objects * b * (1 + 1e-12)) return false;
    for (uint64_t k = 0; k < s->bins.count; k++) {
        rdf_wide n = rec->surface_points[p * s->bins.count + k];
        if (row[RDF_SURFACE_SUMS + k] > left || n < 0 || n > points) return false;
        left -= row[RDF_SURFACE_SUMS + k];
        points -= n;
    }
    return true;
}

// Rejects sums that contradict the set-up. The pairs of the record are those of the set-up.
static int check_sums(const struct rdf_record *rec, const struct rdf_setup *s, struct trj_error *err) {
    size_t row = rdf_neighbour_row(&s->neighbours);
    for (size_t p = 0; row && p < s->pair_count; p++) {
        uint64_t counted = 0, a = s->pairs[p].a,
                 atoms = rec->group_atoms ? rec->group_atoms[a] : rec->frames * s->groups[a].atoms;
        for (size_t k = 0; k < s->neighbours.classes; k++) counted += rec->neighbours[p * row + k];
        if (counted != atoms)
            return trj_fail(err, TRJ_BAD_DATA, "pair %zu: neighbours of %llu atoms, expected %llu", p,
                            (unsigned long long)counted, (unsigned long long)atoms);
    }
    for (size_t p = 0; rec->surface && p < s->pair_count; p++)
        if (!possible_surface(rec, s, p))
            return trj_fail(err, TRJ_BAD_DATA, "pair %zu: invalid numbers of distances from surfaces", p);
    for (size_t k = 0; k < rdf_setup_wave_row(s); k++)
        if (!possible_waves(rec, s, k))
            return trj_fail(err, TRJ_BAD_DATA, "invalid sums of the %llu waves of shell %zu",
                            (unsigned long long)rec->wave_vectors[k], k % (size_t)s->waves.shells.count);
    return 0;
}

static int read_record(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_hist *h = r->h;
    if (trj_grow(&h->records, &r->record_capacity, h->record_count + 1, sizeof *h->records, "records", err)) return -1;
    struct rdf_record *rec = &h->records[h->record_count++];
    *rec = (struct rdf_record){.frames = trj_get_u64(c)};
    rec->volume_frames = trj_get_u64(c);
    trj_get_u64s(c, rec->volume.limb, TRJ_EXACT_LIMBS);
    trj_get_u64s(c, rec->inverse_volume.limb, TRJ_EXACT_LIMBS);
    rec->volume_min = trj_get_f64(c);
    rec->volume_max = trj_get_f64(c);
    rec->height_min = trj_get_f64(c);
    rec->height_max = trj_get_f64(c);
    rec->periodic_all = trj_get_u32(c);
    rec->periodic_any = trj_get_u32(c);
    if (r->have_spacing) {
        memcpy(rec->spacing_min, r->spacing_min, sizeof rec->spacing_min);
        memcpy(rec->spacing_max, r->spacing_max, sizeof rec->spacing_max);
        r->have_spacing = false;
    }
    rec->first_time = r->have_times ? r->first_time : NAN;
    rec->last_time = r->have_times ? r->last_time : NAN;
    r->have_times = false;
    if (!rec->frames || rec->volume_frames > rec->frames)
        return trj_fail(err, TRJ_BAD_DATA, "invalid number of frames or frame ranges");
    if (trj_frame_runs_get(c, &rec->runs, &rec->run_count, r->source, r->source_count, rec->frames, err)) return -1;
    struct rdf_setup stored = h->setup, *s = &stored;
    s->pair_count = r->pairs;
    s->lag.own = r->own;
    if (read_counts(&rec->counts, s, c, err)) return -1;
    if (s->exclusion && read_counts(&rec->excluded, s, c, err)) return -1;
    if (rdf_setup_has_dynamic_group(s) && read_sums(rec, s, c, err)) return -1;
    if (s->lag.frames && read_moved(rec, s, c, err)) return -1;
    if (rdf_metric_has_density(&s->bins.metric) && read_densities(rec, s, c, err)) return -1;
    if (read_neighbours(rec, s, c, err)) return -1;
    if (read_surface(rec, s, c, err)) return -1;
    if (read_waves(rec, s, c, err)) return -1;
    for (size_t i = 0; i < s->pair_count * rdf_bins_cells(&s->bins); i++) r->pairs_counted += rec->counts[i];
    if (!h->self && s->exclusion && select_part_of_record(rec, s, h->part, err)) return -1;
    keep_pairs_of_record(r, rec);
    if (check_sums(rec, &h->setup, err)) return -1;
    r->frames += rec->frames;
    r->records++;
    if (!h->take) return h->added ? h->added(h->added_arg, err) : 0;
    if (h->take(h->take_arg, &h->setup, rec, err)) return -1;
    free(rec->counts);
    free(rec->excluded);
    free(rec->moved);
    free(rec->neighbours);
    free(rec->triplets);
    free(rec->triplet_density);
    free(rec->surface);
    free(rec->surface_points);
    free(rec->wave_vectors);
    free(rec->wave_lengths);
    free(rec->wave_products);
    rec->wave_vectors = NULL;
    rec->wave_lengths = rec->wave_products = NULL;
    rec->counts = rec->excluded = rec->moved = rec->neighbours = rec->triplets = rec->surface = NULL;
    rec->surface_points = NULL;
    rec->triplet_density = NULL;
    return h->added ? h->added(h->added_arg, err) : 0;
}

static int read_end(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    r->ended = true;
    uint64_t records = trj_get_u64(c), frames = trj_get_u64(c), pairs_counted = trj_get_u64(c);
    if (r->have_spacing || r->have_times)
        return trj_fail(err, TRJ_BAD_DATA, "follows a SPAC or TIME block without a record");
    if (records != r->records || frames != r->frames || pairs_counted != r->pairs_counted)
        return trj_fail(err, TRJ_BAD_DATA, "totals of the END block do not match the records");
    return 0;
}

static uint64_t max_fixed(const struct reading *r) {
    (void)r;
    return TRJ_SMALL_BLOCK_MAX;
}

static uint64_t max_source(const struct reading *r) {
    (void)r;
    return TRJ_SOURCE_MAX;
}

static uint64_t max_provenance(const struct reading *r) {
    return TRJ_PROVENANCE_MAX - r->provenance;
}

static uint64_t max_of_record(const struct reading *r) {
    return rdf_hist_max_of_record(&r->h->setup, r->pairs);
}

// Blocks after the set-up.
static const struct block {
    char type[5];
    uint64_t (*max)(const struct reading *r); // maximum unpacked payload
    int (*read)(struct reading *r, struct trj_cursor *c, struct trj_error *err);
} known_blocks[] = {
    {"PROV", max_provenance, read_provenance}, {"SRCE", max_source, read_source},    {"SPAC", max_fixed, read_spacing},
    {"TIME", max_fixed, read_times},           {"RECO", max_of_record, read_record}, {"END!", max_fixed, read_end},
};

// Type of a block, found from its header.
struct found {
    size_t setup;              // index in rdf_setup_blocks; RDF_SETUP_BLOCKS for another block
    const struct block *known; // for another block; NULL: unknown type
};

// Finds the type of a block, and checks its place: blocks of the set-up precede all others, in their order, each once.
static int find_block(struct reading *r, const struct trj_block *b, struct found *f, struct trj_error *err) {
    *f = (struct found){.known = NULL};
    while (f->setup < RDF_SETUP_BLOCKS && strcmp(b->type, rdf_setup_blocks[f->setup].type) != 0) f->setup++;
    if (f->setup && !r->setup_blocks) return trj_fail(err, TRJ_BAD_DATA, "comes before the set-up");
    if (f->setup < RDF_SETUP_BLOCKS) {
        if (!f->setup && r->setup_blocks) return trj_fail(err, TRJ_BAD_DATA, "second set-up");
        if (f->setup < r->setup_blocks || r->setup_finished) return trj_fail(err, TRJ_BAD_DATA, "in the wrong place");
        r->setup_blocks = f->setup + 1;
        return 0;
    }
    for (size_t i = 0; !f->known && i < sizeof known_blocks / sizeof *known_blocks; i++)
        if (!strcmp(b->type, known_blocks[i].type)) f->known = &known_blocks[i];
    if (!f->known && b->required)
        return trj_fail(err, TRJ_BAD_DATA, "is required, but unknown to this version; use a newer trjpipe");
    return finish_setup(r, err);
}

static int dispatch_block(struct reading *r, const struct found *f, struct trj_cursor *c, struct trj_error *err) {
    bool of_setup = f->setup < RDF_SETUP_BLOCKS;
    if (of_setup ? rdf_setup_blocks[f->setup].get(&r->setup, c, err) : f->known->read(r, c, err)) return -1;
    return c->failed ? trj_fail(err, TRJ_BAD_DATA, "too short") : 0;
}

static int fail_block(const struct trj_block *b, struct trj_error *err) {
    if (err->status == TRJ_USAGE) return -1;
    return trj_fail_at(err, "block %s at byte %llu", b->type, (unsigned long long)b->offset);
}

static int read_block(struct reading *r, struct trj_block_reader *blocks, const struct trj_input *in,
                      struct trj_block *b, struct trj_error *err) {
    struct found f;
    if (!strcmp(b->type, "FAIL"))
        return trj_block_load(blocks, b, TRJ_SMALL_BLOCK_MAX, err) ? -1 : trj_failure_read(b, in, err);
    if (find_block(r, b, &f, err)) return fail_block(b, err);
    bool of_setup = f.setup < RDF_SETUP_BLOCKS;
    if (!of_setup && (!f.known || r->skipped)) {
        r->ended = r->skipped && !strcmp(b->type, "END!");
        return trj_block_skip(blocks, b, err);
    }
    if (trj_block_load(blocks, b, of_setup ? rdf_setup_blocks[f.setup].max(&r->setup) : f.known->max(r), err))
        return -1;
    return dispatch_block(r, &f, &b->payload, err) ? fail_block(b, err) : 0;
}

static int read_stream(struct reading *r, struct trj_input *in, struct trj_error *err) {
    struct trj_block_reader *blocks = NULL;
    struct trj_block b;
    int rc = trj_block_reader_open(&blocks, in, &rdf_hist_kind, err);
    while (!rc && !r->ended) {
        rc = trj_block_next(blocks, &b, err);
        if (!rc)
            rc = trj_fail(err, TRJ_BAD_DATA, "byte %llu: truncated: END block missing after %llu records",
                          (unsigned long long)trj_input_offset(in), (unsigned long long)r->records);
        if (rc > 0) rc = read_block(r, blocks, in, &b, err);
    }
    trj_block_reader_close(blocks);
    if (!rc) return 0;
    char remedy[40];
    snprintf(remedy, sizeof remedy, "run %s again", rdf_setup_tool(r->setup.pairs ? &r->setup : &r->h->setup));
    return trj_fail_remedy(err, remedy);
}

int rdf_hist_read(struct rdf_hist *h, struct trj_input *in, struct trj_error *err) {
    const unsigned char *head;
    size_t got;
    bool any = false;
    int rc = trj_input_peek(in, &head, 1, &got, err);
    if (!rc && !got) return trj_fail(err, TRJ_BAD_DATA, "is empty; check the program that writes it, and run it again");
    while (!rc && got) {
        struct reading r = {.h = h, .record_capacity = h->record_count};
        rc = read_stream(&r, in, err);
        any = any || r.records || r.skipped;
        free(r.source);
        free(r.own);
        free(r.kept);
        rdf_setup_free(&r.setup);
        bool live = trj_input_is_live(in); // its first stream is its last one
        if (!rc && !live) rc = trj_input_peek(in, &head, 1, &got, err);
        if (live) got = 0;
    }
    bool ended = rc && err->status == TRJ_BAD_DATA && trj_input_live_ended(in);
    if (ended && !trj_input_check_interruption(in, err) && any) rc = 0;
    if (!rc && rdf_hist_check_bins(h, err)) return -1;
    if (!rc && !any) return trj_fail(err, TRJ_BAD_DATA, "contains no record; run rdfhist again");
    return rc;
}
