// SPDX-License-Identifier: MIT
#include "hist_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "block_stream.h"
#include "element.h"
#include "memory.h"

static const struct trj_stream_kind kind = {"histogram stream", {0x89, 'R', 'D', 'H', '\r', '\n', 0x1a, '\n'}, 1, 0};

enum { ZSTD_LEVEL = 3 }; // counts are small numbers in 8 bytes each: they shrink to a third and less

bool rdf_hist_is(const unsigned char *head, size_t n) {
    return trj_stream_is(head, n, &kind);
}

void rdf_record_free(struct rdf_record *r) {
    free(r->runs);
    free(r->counts);
    free(r->excluded);
    free(r->group_atoms);
    free(r->pair_sums);
    free(r->moved);
    free(r->own);
    *r = (struct rdf_record){0};
}

static uint64_t last_of(const struct rdf_run *r) {
    return r->first + (r->count - 1) * r->step;
}

// Frames that follow their predecessor at a constant stride make one run.
static int add_run(struct rdf_record *r, uint32_t source, uint64_t index, struct trj_error *err) {
    struct rdf_run *last = r->run_count ? &r->runs[r->run_count - 1] : NULL;
    if (last && last->source == source && index > last_of(last)) {
        if (last->count == 1) last->step = index - last->first;
        if (index == last->first + last->count * last->step) {
            last->count++;
            return 0;
        }
    }
    if (last && last->count == 1) last->step = 1;
    size_t room = r->run_count;
    if (trj_grow(&r->runs, &room, room + 1, sizeof *r->runs, "frame ranges", err)) return -1;
    r->runs[r->run_count++] = (struct rdf_run){source, index, 1, 1};
    return 0;
}

static void widen(double *low, double *high, double value) {
    if (*low == 0 || value < *low) *low = value;
    if (value > *high) *high = value;
}

bool rdf_setup_changes(const struct rdf_setup *s) {
    for (size_t i = 0; i < s->group_count; i++)
        if (s->groups[i].changes) return true;
    return false;
}

void rdf_setup_drop_composition(struct rdf_setup *s) {
    for (size_t i = 0; s->groups && i < s->group_count; i++) {
        free(s->groups[i].elements);
        s->groups[i].elements = NULL;
        s->groups[i].element_count = 0;
    }
    free(s->element_from);
    s->element_from = NULL;
    s->system_atoms = 0;
}

int rdf_setup_compose(struct rdf_setup *s, const struct trj_stream_header *h, struct trj_error *err) {
    if (!h->element) return 0;
    s->system_atoms = h->source_atoms;
    if (h->element_from && !(s->element_from = trj_copy_text(h->element_from, err))) return -1;
    for (size_t i = 0; i < s->group_count; i++) {
        const struct trj_group *from = &h->groups[i];
        struct rdf_hist_group *g = &s->groups[i];
        uint64_t atoms[TRJ_ELEMENTS + 1] = {0};
        size_t kinds = 0;
        for (size_t k = 0; k < from->count; k++) kinds += !atoms[h->element[from->atoms[k]]]++;
        if (!(g->elements = trj_alloc(kinds, sizeof *g->elements, "elements", err))) return -1;
        for (uint32_t z = 0; z <= TRJ_ELEMENTS; z++)
            if (atoms[z]) g->elements[g->element_count++] = (struct rdf_element_count){z, atoms[z]};
    }
    return 0;
}

static int make_sums(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err) {
    r->group_atoms = trj_alloc(s->group_count, sizeof *r->group_atoms, "groups", err);
    r->pair_sums = r->group_atoms ? trj_alloc(s->pair_count, sizeof *r->pair_sums, "pairs", err) : NULL;
    return r->pair_sums ? 0 : -1;
}

static void add_quotient(struct trj_exact_sum *sum, double number, double volume) {
    if (volume > 0) trj_exact_add(sum, number / volume);
}

int rdf_record_add_groups(struct rdf_record *r, const struct rdf_setup *s, const struct rdf_job *job,
                          const uint64_t *own, const struct trj_frame *f, struct trj_error *err) {
    const struct trj_group *groups = job->groups;
    double volume = trj_cell_volume(&f->cell);
    if (!r->pair_sums && make_sums(r, s, err)) return -1;
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
        if (!trj_exact_can(volume) || !trj_exact_can(1 / volume))
            return trj_fail(err, TRJ_BAD_DATA, "cell volume %g Å^3 is beyond all measure", volume);
        trj_exact_add(&r->volume, volume);
        trj_exact_add(&r->inverse_volume, 1 / volume);
        widen(&r->volume_min, &r->volume_max, volume);
        for (int k = 0; k < 3; k++) widen(&r->spacing_min[k], &r->spacing_max[k], trj_cell_height(cell, k));
        r->volume_frames++;
    }
    static const int open_axis[] = {[TRJ_PERIODIC_B | TRJ_PERIODIC_C] = 0,
                                    [TRJ_PERIODIC_A | TRJ_PERIODIC_C] = 1,
                                    [TRJ_PERIODIC_A | TRJ_PERIODIC_B] = 2};
    int periods = !!(cell->periodic & 1) + !!(cell->periodic & 2) + !!(cell->periodic & 4);
    if (periods == 2 && volume > 0)
        widen(&r->height_min, &r->height_max, trj_cell_height(cell, open_axis[cell->periodic]));
    r->periodic_all = r->frames ? r->periodic_all & cell->periodic : cell->periodic;
    r->periodic_any |= cell->periodic;
    r->frames++;
    return add_run(r, f->source, f->index, err);
}

// ---- writing ----

struct rdf_hist_writer {
    const struct rdf_setup *setup;
    const struct trj_stream_header *origin;
    struct trj_block_writer *blocks;
    size_t sources_written;
    uint64_t records, frames, pairs_counted;
};

static void put_composition(struct trj_bytes *b, const struct rdf_setup *s) {
    trj_put_u64(b, s->system_atoms);
    trj_put_text(b, s->element_from ? s->element_from : "");
    for (size_t i = 0; i < s->group_count; i++) {
        trj_put_u32(b, (uint32_t)s->groups[i].element_count);
        for (size_t k = 0; k < s->groups[i].element_count; k++) {
            trj_put_u32(b, s->groups[i].elements[k].number);
            trj_put_u64(b, s->groups[i].elements[k].atoms);
        }
    }
}

static int write_setup(struct rdf_hist_writer *w, struct trj_error *err) {
    const struct rdf_setup *s = w->setup;
    struct trj_bytes b = {0};
    trj_put_f64(&b, s->bins.rmin);
    trj_put_f64(&b, s->bins.rmax);
    trj_put_u64(&b, s->bins.count);
    trj_put_u32(&b, (uint32_t)s->group_count);
    for (size_t i = 0; i < s->group_count; i++) {
        trj_put_text(&b, s->groups[i].name);
        trj_put_u64(&b, s->groups[i].atoms);
    }
    trj_put_u32(&b, (uint32_t)s->pair_count);
    for (size_t i = 0; i < s->pair_count; i++) {
        trj_put_u32(&b, s->pairs[i].a);
        trj_put_u32(&b, s->pairs[i].b);
        trj_put_u64(&b, s->pairs[i].pairs);
    }
    int rc = trj_block_write(w->blocks, "SETU", true, &b, err);
    b.size = 0;
    if (!rc && rdf_setup_changes(s)) {
        for (size_t i = 0; i < s->group_count; i++) trj_put_u32(&b, s->groups[i].changes);
        rc = trj_block_write(w->blocks, "CHNG", true, &b, err);
        b.size = 0;
    }
    if (!rc && s->exclusion) {
        trj_put_text(&b, s->exclusion);
        trj_put_u64s(&b, s->excluded, s->pair_count);
        rc = trj_block_write(w->blocks, "EXCL", true, &b, err);
        b.size = 0;
    }
    if (!rc && s->lag.frames) {
        trj_put_u64(&b, s->lag.frames);
        trj_put_f64(&b, s->lag.time);
        trj_put_u64s(&b, s->lag.own, s->pair_count);
        rc = trj_block_write(w->blocks, "LAGS", true, &b, err);
        b.size = 0;
    }
    if (!rc && s->system_atoms) {
        put_composition(&b, s);
        rc = trj_block_write(w->blocks, "COMP", false, &b, err);
        b.size = 0;
    }
    trj_put_u32(&b, (uint32_t)w->origin->provenance_count);
    for (size_t i = 0; i < w->origin->provenance_count; i++) trj_put_text(&b, w->origin->provenance[i]);
    if (!rc) rc = trj_block_write(w->blocks, "PROV", false, &b, err);
    trj_bytes_free(&b);
    return rc;
}

int rdf_hist_writer_open(struct rdf_hist_writer **result, struct trj_output *out, const struct rdf_setup *setup,
                         const struct trj_stream_header *origin, struct trj_error *err) {
    struct rdf_hist_writer *w = trj_alloc(1, sizeof *w, "a stream", err);
    if (!w) return -1;
    w->setup = setup;
    w->origin = origin;
    if (trj_block_writer_open(&w->blocks, out, &kind, ZSTD_LEVEL, err) || write_setup(w, err)) {
        rdf_hist_writer_close(w);
        return -1;
    }
    *result = w;
    return 0;
}

void rdf_hist_writer_close(struct rdf_hist_writer *w) {
    if (!w) return;
    trj_block_writer_close(w->blocks);
    free(w);
}

static void put_sums(struct trj_bytes *b, const struct rdf_setup *s, const struct rdf_record *r) {
    trj_put_u64s(b, r->group_atoms, s->group_count);
    for (size_t p = 0; p < s->pair_count; p++) {
        trj_put_u64s(b, r->pair_sums[p].pairs.limb, TRJ_EXACT_LIMBS);
        trj_put_u64s(b, r->pair_sums[p].product.limb, TRJ_EXACT_LIMBS);
        trj_put_u64s(b, r->pair_sums[p].pair_density.limb, TRJ_EXACT_LIMBS);
        trj_put_u64s(b, r->pair_sums[p].product_density.limb, TRJ_EXACT_LIMBS);
    }
    for (size_t p = 0; s->exclusion && p < s->pair_count; p++) {
        trj_put_u64s(b, r->pair_sums[p].excluded.limb, TRJ_EXACT_LIMBS);
        trj_put_u64s(b, r->pair_sums[p].excluded_density.limb, TRJ_EXACT_LIMBS);
    }
}

// Before its record: other readers may pass over it.
static int write_spacing(struct rdf_hist_writer *w, struct trj_bytes *b, const struct rdf_record *r,
                         struct trj_error *err) {
    b->size = 0;
    for (int k = 0; k < 3; k++) {
        trj_put_f64(b, r->spacing_min[k]);
        trj_put_f64(b, r->spacing_max[k]);
    }
    return trj_block_write(w->blocks, "SPAC", false, b, err);
}

int rdf_hist_write(struct rdf_hist_writer *w, const struct rdf_record *r, struct trj_error *err) {
    struct trj_bytes b = {0};
    int rc = 0;
    size_t n = w->setup->pair_count * w->setup->bins.count;
    for (; !rc && w->sources_written < w->origin->source_count; w->sources_written++) {
        const struct trj_source *s = &w->origin->sources[w->sources_written];
        b.size = 0;
        trj_put_text(&b, s->name);
        trj_put_u64(&b, s->fingerprint);
        rc = trj_block_write(w->blocks, "SRCE", true, &b, err);
    }
    if (!rc && r->spacing_min[0] > 0) rc = write_spacing(w, &b, r, err);
    b.size = 0;
    trj_put_u64(&b, r->frames);
    trj_put_u64(&b, r->volume_frames);
    trj_put_u64s(&b, r->volume.limb, TRJ_EXACT_LIMBS);
    trj_put_u64s(&b, r->inverse_volume.limb, TRJ_EXACT_LIMBS);
    trj_put_f64(&b, r->volume_min);
    trj_put_f64(&b, r->volume_max);
    trj_put_f64(&b, r->height_min);
    trj_put_f64(&b, r->height_max);
    trj_put_u32(&b, r->periodic_all);
    trj_put_u32(&b, r->periodic_any);
    trj_put_u64(&b, r->run_count);
    for (size_t i = 0; i < r->run_count; i++) {
        trj_put_u64(&b, r->runs[i].source);
        trj_put_u64(&b, r->runs[i].first);
        trj_put_u64(&b, r->runs[i].step);
        trj_put_u64(&b, r->runs[i].count);
    }
    trj_put_u64s(&b, r->counts, n);
    if (w->setup->exclusion) trj_put_u64s(&b, r->excluded, n);
    if (r->pair_sums) put_sums(&b, w->setup, r);
    if (w->setup->lag.frames) {
        trj_put_f64(&b, r->step);
        trj_put_u64s(&b, r->own, w->setup->pair_count);
        trj_put_u64s(&b, r->moved, n);
    }
    if (!rc) rc = trj_block_write(w->blocks, "RECO", true, &b, err);
    w->records++;
    w->frames += r->frames;
    for (size_t i = 0; i < n; i++) w->pairs_counted += r->counts[i];
    trj_bytes_free(&b);
    return rc;
}

int rdf_hist_writer_finish(struct rdf_hist_writer *w, struct trj_error *err) {
    struct trj_bytes b = {0};
    trj_put_u64(&b, w->records);
    trj_put_u64(&b, w->frames);
    trj_put_u64(&b, w->pairs_counted);
    int rc = trj_block_write(w->blocks, "END!", true, &b, err);
    trj_bytes_free(&b);
    return rc;
}

// ---- reading ----

static void setup_free(struct rdf_setup *s) {
    rdf_setup_drop_composition(s);
    for (size_t i = 0; s->groups && i < s->group_count; i++) free(s->groups[i].name);
    free(s->groups);
    free(s->pairs);
    free(s->exclusion);
    free(s->excluded);
    free(s->lag.own);
    *s = (struct rdf_setup){0};
}

void rdf_hist_free(struct rdf_hist *h) {
    for (size_t i = 0; i < h->record_count; i++) rdf_record_free(&h->records[i]);
    for (size_t i = 0; i < h->source_count; i++) free(h->sources[i].name);
    for (size_t i = 0; i < h->provenance_count; i++) free(h->provenance[i]);
    free(h->records);
    free(h->sources);
    free(h->provenance);
    setup_free(&h->setup);
    *h = (struct rdf_hist){0};
}

// One stream being read into a rdf_hist.
struct reading {
    struct rdf_hist *h;
    struct rdf_setup setup;
    uint32_t *source; // the stream's numbers of sources -> places in h->sources
    size_t source_count, source_room, record_room;
    uint64_t records, frames, pairs_counted;
    double spacing_min[3], spacing_max[3]; // of the record that comes next
    size_t pairs;                          // that records hold: more than the set-up has where only some are taken
    bool *kept;                            // [pairs] which are
    uint64_t *own;                         // [pairs] as in the set-up; NULL: no lag
    bool have_setup, have_spacing, settled, ended;
};

static int read_setup(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_setup *s = &r->setup;
    if (r->have_setup) return trj_fail(err, TRJ_BAD_DATA, "second set-up");
    r->have_setup = true;
    s->bins.rmin = trj_get_f64(c);
    s->bins.rmax = trj_get_f64(c);
    s->bins.count = trj_get_u64(c);
    if (rdf_bins_check(&s->bins, err)) {
        err->status = TRJ_BAD_DATA;
        return -1;
    }
    uint32_t groups = trj_get_u32(c);
    if (!groups || groups > trj_cursor_left(c)) return trj_fail(err, TRJ_BAD_DATA, "impossible number of groups");
    s->groups = trj_alloc(groups, sizeof *s->groups, "groups", err);
    if (!s->groups) return -1;
    s->group_count = groups;
    for (uint32_t i = 0; i < groups; i++) {
        s->groups[i].name = trj_get_text(c);
        s->groups[i].atoms = trj_get_u64(c);
        if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    }
    uint32_t pairs = trj_get_u32(c);
    if (!pairs || pairs > trj_cursor_left(c)) return trj_fail(err, TRJ_BAD_DATA, "impossible number of pairs");
    s->pairs = trj_alloc(pairs, sizeof *s->pairs, "pairs", err);
    if (!s->pairs) return -1;
    s->pair_count = pairs;
    for (uint32_t i = 0; i < pairs; i++) {
        s->pairs[i].a = trj_get_u32(c);
        s->pairs[i].b = trj_get_u32(c);
        s->pairs[i].pairs = trj_get_u64(c);
        if (s->pairs[i].a >= groups || s->pairs[i].b >= groups)
            return trj_fail(err, TRJ_BAD_DATA, "a pair of groups that are not there");
    }
    return 0;
}

static int read_changing(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_setup *s = &r->setup;
    if (r->settled || s->lag.frames || s->exclusion || rdf_setup_changes(s))
        return trj_fail(err, TRJ_BAD_DATA, "in the wrong place");
    for (size_t i = 0; i < s->group_count; i++) {
        uint32_t changes = trj_get_u32(c);
        if (c->failed || changes > 1) return trj_fail(err, TRJ_BAD_DATA, "impossible flags of groups");
        s->groups[i].changes = changes;
    }
    return rdf_setup_changes(s) ? 0 : trj_fail(err, TRJ_BAD_DATA, "no group changes");
}

static int read_exclusion(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_setup *s = &r->setup;
    if (r->settled || s->lag.frames || s->exclusion) return trj_fail(err, TRJ_BAD_DATA, "in the wrong place");
    s->exclusion = trj_get_text(c);
    s->excluded = trj_alloc(s->pair_count, sizeof *s->excluded, "pairs", err);
    if (!s->excluded) return -1;
    trj_get_u64s(c, s->excluded, s->pair_count);
    for (size_t p = 0; p < s->pair_count; p++)
        if (s->excluded[p] > s->pairs[p].pairs)
            return trj_fail(err, TRJ_BAD_DATA, "more pairs are excluded than there are");
    return c->failed ? trj_fail(err, TRJ_BAD_DATA, "too short") : 0;
}

static int read_lag(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_setup *s = &r->setup;
    if (r->settled || s->lag.frames) return trj_fail(err, TRJ_BAD_DATA, "in the wrong place");
    s->lag.frames = trj_get_u64(c);
    s->lag.time = trj_get_f64(c);
    s->lag.own = trj_alloc(s->pair_count, sizeof *s->lag.own, "pairs", err);
    if (!s->lag.own) return -1;
    trj_get_u64s(c, s->lag.own, s->pair_count);
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (!s->lag.frames || s->lag.time <= 0 || isinf(s->lag.time)) return trj_fail(err, TRJ_BAD_DATA, "impossible lag");
    for (size_t p = 0; p < s->pair_count; p++) {
        const struct rdf_pair *pair = &s->pairs[p];
        uint64_t all, a = s->groups[pair->a].atoms, b = s->groups[pair->b].atoms, own = s->lag.own[p];
        if (__builtin_mul_overflow(a, b, &all) || own > all || pair->pairs != all - own)
            return trj_fail(err, TRJ_BAD_DATA, "impossible number of atoms in both groups of a pair");
    }
    return 0;
}

static int read_elements(struct rdf_hist_group *g, struct trj_cursor *c, struct trj_error *err) {
    uint64_t left = g->atoms;
    uint32_t kinds = trj_get_u32(c);
    if (!kinds || kinds > TRJ_ELEMENTS + 1 || kinds > trj_cursor_left(c) / 12)
        return trj_fail(err, TRJ_BAD_DATA, "impossible number of elements");
    g->elements = trj_alloc(kinds, sizeof *g->elements, "elements", err);
    if (!g->elements) return -1;
    g->element_count = kinds;
    for (uint32_t k = 0; k < kinds; k++) {
        struct rdf_element_count *e = &g->elements[k];
        e->number = trj_get_u32(c);
        e->atoms = trj_get_u64(c);
        if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
        if (e->number > TRJ_ELEMENTS || (k && e->number <= e[-1].number) || !e->atoms || e->atoms > left)
            return trj_fail(err, TRJ_BAD_DATA, "impossible composition of group %s", g->name);
        left -= e->atoms;
    }
    return left ? trj_fail(err, TRJ_BAD_DATA, "the elements of group %s do not make up its atoms", g->name) : 0;
}

static int read_composition(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_setup *s = &r->setup;
    if (r->settled || s->system_atoms) return trj_fail(err, TRJ_BAD_DATA, "in the wrong place");
    s->system_atoms = trj_get_u64(c);
    s->element_from = trj_get_text(c);
    if (!s->system_atoms || !s->element_from) return trj_fail(err, TRJ_BAD_DATA, "no atoms, or too short");
    if (!*s->element_from) {
        free(s->element_from);
        s->element_from = NULL;
    }
    for (size_t i = 0; i < s->group_count; i++)
        if (read_elements(&s->groups[i], c, err)) return -1;
    return 0;
}

static bool same_composition(const struct rdf_hist_group *a, const struct rdf_hist_group *b) {
    bool same = a->element_count == b->element_count;
    for (size_t k = 0; same && k < a->element_count; k++)
        same = a->elements[k].number == b->elements[k].number && a->elements[k].atoms == b->elements[k].atoms;
    return same;
}

// Of groups that are the same otherwise. Where only one stream tells, nothing is known of both; where one has guessed, all is guessed.
static int compare_compositions(struct rdf_setup *a, struct rdf_setup *b, struct trj_error *err) {
    if (!a->system_atoms || !b->system_atoms) {
        rdf_setup_drop_composition(a);
        return 0;
    }
    for (size_t i = 0; i < a->group_count; i++)
        if (!same_composition(&a->groups[i], &b->groups[i]))
            return trj_fail(err, TRJ_BAD_DATA,
                            "cannot be added to the records before: group %s is of other elements there",
                            a->groups[i].name);
    if (!a->element_from) {
        a->element_from = b->element_from;
        b->element_from = NULL;
    }
    return 0;
}

static int compare_lags(const struct rdf_lag *a, const struct rdf_lag *b, struct trj_error *err) {
    if (a->frames != b->frames)
        return trj_fail(err, TRJ_BAD_DATA,
                        "cannot be added to the records before: a lag of %llu frame%s there, %llu here",
                        (unsigned long long)a->frames, a->frames == 1 ? "" : "s", (unsigned long long)b->frames);
    // Times are made of float32 numbers, which count from the beginning of a run.
    if (a->frames && (isnan(a->time) != isnan(b->time) || fabs(a->time - b->time) > 1e-3 * fmin(a->time, b->time)))
        return trj_fail(err, TRJ_BAD_DATA, "cannot be added to the records before: a lag of %g ps there, %g ps here",
                        a->time, b->time);
    return 0;
}

static int compare_exclusions(const struct rdf_setup *a, const struct rdf_setup *b, struct trj_error *err) {
    const char *there = a->exclusion ? a->exclusion : "nothing", *here = b->exclusion ? b->exclusion : "nothing";
    if (strcmp(there, here))
        return trj_fail(err, TRJ_BAD_DATA, "cannot be added to the records before: excluded are %s there, %s here",
                        there, here);
    for (size_t p = 0; a->excluded && p < a->pair_count && p < b->pair_count; p++)
        if (a->excluded[p] != b->excluded[p])
            return trj_fail(err, TRJ_BAD_DATA,
                            "cannot be added to the records before: %llu pairs are excluded there, %llu here (%s)",
                            (unsigned long long)a->excluded[p], (unsigned long long)b->excluded[p], here);
    return 0;
}

static int compare_setups(const struct rdf_setup *a, const struct rdf_setup *b, struct trj_error *err) {
    if (a->bins.count != b->bins.count || a->bins.rmin != b->bins.rmin || a->bins.rmax != b->bins.rmax)
        return trj_fail(err, TRJ_BAD_DATA,
                        "cannot be added to the records before: %llu bins over [%.17g, %.17g) Å there, %llu over "
                        "[%.17g, %.17g) here",
                        (unsigned long long)a->bins.count, a->bins.rmin, a->bins.rmax,
                        (unsigned long long)b->bins.count, b->bins.rmin, b->bins.rmax);
    if (compare_exclusions(a, b, err) || compare_lags(&a->lag, &b->lag, err)) return -1;
    bool same = a->group_count == b->group_count && a->pair_count == b->pair_count;
    for (size_t i = 0; same && i < a->group_count; i++)
        same = !strcmp(a->groups[i].name, b->groups[i].name) && a->groups[i].atoms == b->groups[i].atoms &&
               a->groups[i].changes == b->groups[i].changes;
    for (size_t i = 0; same && i < a->pair_count; i++)
        same =
            a->pairs[i].a == b->pairs[i].a && a->pairs[i].b == b->pairs[i].b && a->pairs[i].pairs == b->pairs[i].pairs;
    if (same && a->lag.own && b->lag.own) same = !memcmp(a->lag.own, b->lag.own, a->pair_count * sizeof *a->lag.own);
    if (!same) return trj_fail(err, TRJ_BAD_DATA, "cannot be added to the records before: other groups or pairs");
    return 0;
}

// From here on the numbers of pairs are those of the part that is taken.
static void take_part_of_setup(struct rdf_setup *s, enum rdf_part part) {
    for (size_t p = 0; s->excluded && rdf_part_takes_off(part) && p < s->pair_count; p++)
        s->pairs[p].pairs -= s->excluded[p];
}

static bool is_called(const struct rdf_setup *s, size_t pair, const char *name) {
    const char *a = s->groups[s->pairs[pair].a].name, *b = s->groups[s->pairs[pair].b].name;
    size_t n = strlen(a);
    return !strncmp(name, a, n) && name[n] == ':' && !strcmp(name + n + 1, b);
}

// Those that are asked for, of pairs that would be kept.
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

// The self part is that of pairs of groups with atoms in common.
static int keep_own(bool *kept, struct rdf_setup *s, struct trj_error *err) {
    bool any = false;
    if (!s->lag.frames) return trj_fail(err, TRJ_BAD_DATA, "no self part: it comes of rdfhist --lag");
    for (size_t p = 0; p < s->pair_count; p++) {
        kept[p] = s->lag.own[p];
        any = any || kept[p];
        if (s->excluded) s->excluded[p] = 0; // pairs of different atoms
        s->pairs[p].pairs = s->lag.own[p];
    }
    s->lag.self = true;
    return any ? 0 : trj_fail(err, TRJ_BAD_DATA, "no self part: no pair of groups has atoms in common");
}

// Which pairs are taken; the others leave the set-up, and later each record.
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
    size_t n = 0, bins = r->h->setup.bins.count;
    for (size_t p = 0; p < r->pairs; p++) {
        if (!r->kept[p]) continue;
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
            if (rows[i] && n < p) memmove(rows[i] + n * bins, rows[i] + p * bins, bins * sizeof *rows[i]);
        if (rec->own) rec->own[n] = rec->own[p];
        if (rec->pair_sums) rec->pair_sums[n] = rec->pair_sums[p];
        n++;
    }
    if (!r->h->self) return;
    free(rec->counts);
    rec->counts = rec->moved;
    rec->moved = NULL;
}

static int take_part_of_record(struct rdf_record *r, const struct rdf_setup *s, enum rdf_part part,
                               struct trj_error *err) {
    for (size_t i = 0; i < s->pair_count * s->bins.count; i++) {
        if (r->excluded[i] > r->counts[i])
            return trj_fail(err, TRJ_BAD_DATA, "bin %zu of pair %zu: %llu of %llu pairs are excluded",
                            i % s->bins.count, i / s->bins.count, (unsigned long long)r->excluded[i],
                            (unsigned long long)r->counts[i]);
        if (rdf_part_takes_off(part)) r->counts[i] -= r->excluded[i];
        if (part == RDF_PART_EXCLUDED) r->counts[i] = r->excluded[i];
    }
    for (size_t p = 0; r->pair_sums && rdf_part_takes_off(part) && p < s->pair_count; p++) {
        struct rdf_pair_sums *sums = &r->pair_sums[p];
        trj_exact_take(&sums->pairs, &sums->excluded);
        trj_exact_take(&sums->pair_density, &sums->excluded_density);
    }
    return 0;
}

// Once it is whole: the set-up of the first stream becomes the common one, that of each further one must be the same.
static int settle_setup(struct reading *r, struct trj_error *err) {
    struct rdf_hist *h = r->h;
    if (r->settled) return 0;
    r->settled = true;
    r->pairs = r->setup.pair_count;
    for (size_t p = 0; p < r->pairs; p++)
        if (!r->setup.pairs[p].pairs && !r->setup.lag.frames)
            return trj_fail(err, TRJ_BAD_DATA, "a pair of groups without a pair of atoms");
    if (keep_pairs_of_setup(r, err)) return -1;
    if (!h->self) take_part_of_setup(&r->setup, h->part);
    if (h->setup.pairs)
        return compare_setups(&h->setup, &r->setup, err) || compare_compositions(&h->setup, &r->setup, err) ? -1 : 0;
    h->setup = r->setup;
    r->setup = (struct rdf_setup){.pairs = NULL};
    return 0;
}

static int read_provenance(struct rdf_hist *h, struct trj_cursor *c, struct trj_error *err) {
    uint32_t n = trj_get_u32(c);
    for (uint32_t i = 0; i < n; i++) {
        char *line = trj_get_text(c);
        bool known = !line;
        for (size_t k = 0; !known && k < h->provenance_count; k++) known = !strcmp(h->provenance[k], line);
        size_t room = h->provenance_count;
        if (known || trj_grow(&h->provenance, &room, room + 1, sizeof *h->provenance, "provenance", err)) {
            free(line);
            if (!known) return -1;
            if (c->failed) break;
            continue;
        }
        h->provenance[h->provenance_count++] = line;
    }
    return 0;
}

static int read_source(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_hist *h = r->h;
    char *name = trj_get_text(c);
    uint64_t fingerprint = trj_get_u64(c);
    size_t k = 0, room = h->source_count;
    if (!name) return trj_fail(err, TRJ_BAD_DATA, "too short");
    while (k < h->source_count && h->sources[k].fingerprint != fingerprint) k++;
    if (trj_grow(&r->source, &r->source_room, r->source_count + 1, sizeof *r->source, "sources", err)) goto out;
    if (k == h->source_count) {
        if (trj_grow(&h->sources, &room, room + 1, sizeof *h->sources, "sources", err)) goto out;
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

static bool sane_run(const struct rdf_run *run) {
    uint64_t span;
    return run->count && run->step && !__builtin_mul_overflow(run->count - 1, run->step, &span) &&
           span <= UINT64_MAX - run->first;
}

static int read_sums(struct rdf_record *rec, const struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    if (make_sums(rec, s, err)) return -1;
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
    size_t n = s->pair_count * s->bins.count;
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
            return trj_fail(err, TRJ_BAD_DATA, "impossible distances of faces, %g to %g Å", low, high);
    }
    return c->failed ? trj_fail(err, TRJ_BAD_DATA, "too short") : 0;
}

static int read_moved(struct rdf_record *rec, const struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    rec->step = trj_get_f64(c);
    rec->own = trj_alloc(s->pair_count, sizeof *rec->own, "counts", err);
    if (!rec->own) return -1;
    trj_get_u64s(c, rec->own, s->pair_count);
    if (read_counts(&rec->moved, s, c, err)) return -1;
    if (!(rec->step >= 0 && rec->step <= 0.5)) return trj_fail(err, TRJ_BAD_DATA, "impossible step");
    for (size_t p = 0; p < s->pair_count; p++) {
        uint64_t left = rec->own[p], most;
        if (!__builtin_mul_overflow(rec->frames, s->lag.own[p], &most) && left > most)
            return trj_fail(err, TRJ_BAD_DATA, "pair %zu: more atoms in both groups than there can be", p);
        for (uint64_t k = 0; k < s->bins.count; k++) {
            uint64_t n = rec->moved[p * s->bins.count + k];
            if (n > left)
                return trj_fail(err, TRJ_BAD_DATA, "pair %zu: more atoms went somewhere than there are, %llu", p,
                                (unsigned long long)rec->own[p]);
            left -= n;
        }
    }
    return 0;
}

static int read_record(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_hist *h = r->h;
    if (trj_grow(&h->records, &r->record_room, h->record_count + 1, sizeof *h->records, "records", err)) return -1;
    struct rdf_record *rec = &h->records[h->record_count++];
    *rec = (struct rdf_record){.frames = trj_get_u64(c), .volume_frames = trj_get_u64(c)};
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
    uint64_t runs = trj_get_u64(c), covered = 0;
    if (!rec->frames || rec->volume_frames > rec->frames || runs > trj_cursor_left(c) / sizeof *rec->runs)
        return trj_fail(err, TRJ_BAD_DATA, "impossible numbers");
    rec->runs = trj_alloc(runs, sizeof *rec->runs, "frame ranges", err);
    if (!rec->runs) return -1;
    rec->run_count = runs;
    for (uint64_t i = 0; i < runs; i++) {
        uint64_t source = trj_get_u64(c);
        struct rdf_run *run = &rec->runs[i];
        run->first = trj_get_u64(c);
        run->step = trj_get_u64(c);
        run->count = trj_get_u64(c);
        if (source >= r->source_count || !sane_run(run) || __builtin_add_overflow(covered, run->count, &covered))
            return trj_fail(err, TRJ_BAD_DATA, "impossible frame range");
        run->source = r->source[source];
    }
    if (covered != rec->frames) return trj_fail(err, TRJ_BAD_DATA, "frame ranges do not make up its frames");
    struct rdf_setup stored = h->setup, *s = &stored;
    s->pair_count = r->pairs;
    s->lag.own = r->own;
    if (read_counts(&rec->counts, s, c, err) || (s->exclusion && read_counts(&rec->excluded, s, c, err)) ||
        (rdf_setup_changes(s) && read_sums(rec, s, c, err)) || (s->lag.frames && read_moved(rec, s, c, err)))
        return -1;
    for (size_t i = 0; i < s->pair_count * s->bins.count; i++) r->pairs_counted += rec->counts[i];
    if (!h->self && s->exclusion && take_part_of_record(rec, s, h->part, err)) return -1;
    keep_pairs_of_record(r, rec);
    r->frames += rec->frames;
    r->records++;
    if (!h->take) return 0;
    if (h->take(h->take_arg, &h->setup, rec, err)) return -1;
    free(rec->counts);
    free(rec->excluded);
    free(rec->moved);
    rec->counts = rec->excluded = rec->moved = NULL;
    return 0;
}

static int read_end(struct reading *r, struct trj_cursor *c, struct trj_error *err) {
    r->ended = true;
    uint64_t records = trj_get_u64(c), frames = trj_get_u64(c), pairs_counted = trj_get_u64(c);
    if (r->have_spacing)
        return trj_fail(err, TRJ_BAD_DATA, "behind distances of faces of no record: in the wrong place");
    if (records != r->records || frames != r->frames || pairs_counted != r->pairs_counted)
        return trj_fail(err, TRJ_BAD_DATA, "totals of the END block do not match the records");
    return 0;
}

static int take_block(struct reading *r, struct trj_block *b, struct trj_error *err) {
    struct trj_cursor *c = &b->payload;
    if (!strcmp(b->type, "SETU")) return read_setup(r, c, err);
    if (!r->have_setup) return trj_fail(err, TRJ_BAD_DATA, "comes before the set-up");
    if (!strcmp(b->type, "CHNG")) return read_changing(r, c, err);
    if (!strcmp(b->type, "EXCL")) return read_exclusion(r, c, err);
    if (!strcmp(b->type, "COMP")) return read_composition(r, c, err);
    if (!strcmp(b->type, "LAGS")) return read_lag(r, c, err);
    if (settle_setup(r, err)) return -1;
    if (!strcmp(b->type, "PROV")) return read_provenance(r->h, c, err);
    if (!strcmp(b->type, "SRCE")) return read_source(r, c, err);
    if (!strcmp(b->type, "END!")) return read_end(r, c, err);
    if (!strcmp(b->type, "SPAC")) return read_spacing(r, c, err);
    if (!strcmp(b->type, "RECO")) return read_record(r, c, err);
    return b->required ? trj_fail(err, TRJ_BAD_DATA, "is required, and unknown to this version") : 0;
}

static int read_stream(struct reading *r, struct trj_input *in, struct trj_error *err) {
    struct trj_block_reader *blocks = NULL;
    struct trj_block b;
    int rc = trj_block_reader_open(&blocks, in, &kind, err);
    while (!rc && !r->ended) {
        rc = trj_block_read(blocks, &b, err);
        if (rc < 0) break;
        if (!rc) {
            rc = trj_fail(err, TRJ_BAD_DATA, "cut off: no END block after %llu records, at byte %llu",
                          (unsigned long long)r->records, (unsigned long long)trj_input_offset(in));
            break;
        }
        rc = take_block(r, &b, err);
        if (!rc && b.payload.failed) rc = trj_fail(err, TRJ_BAD_DATA, "too short");
        if (rc && err->status != TRJ_USAGE)
            trj_fail_at(err, "block %s at byte %llu", b.type, (unsigned long long)b.offset);
    }
    trj_block_reader_close(blocks);
    return rc;
}

int rdf_hist_read(struct rdf_hist *h, struct trj_input *in, struct trj_error *err) {
    const unsigned char *head;
    size_t got, before = h->record_count, room = h->record_count;
    int rc = trj_input_peek(in, &head, 1, &got, err);
    if (!rc && !got) return trj_fail(err, TRJ_BAD_DATA, "is empty");
    while (!rc && got) {
        struct reading r = {.h = h, .record_room = room};
        rc = read_stream(&r, in, err);
        room = r.record_room;
        free(r.source);
        free(r.own);
        free(r.kept);
        setup_free(&r.setup);
        if (!rc) rc = trj_input_peek(in, &head, 1, &got, err);
    }
    if (!rc && h->record_count == before) return trj_fail(err, TRJ_BAD_DATA, "holds no record");
    return rc;
}

// ---- frames counted twice ----

static int by_source_and_first(const void *x, const void *y) {
    const struct rdf_run *a = x, *b = y;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return a->first < b->first ? -1 : a->first > b->first;
}

// (x * y) mod m, and y with (x * y) mod m == 1 mod m for an x that shares no factor with m.
static uint64_t multiply(uint64_t x, uint64_t y, uint64_t m) {
    return (uint64_t)((unsigned __int128)x * y % m);
}

static uint64_t invert(uint64_t x, uint64_t m) {
    uint64_t r0 = m, r1 = x % m, y0 = 0, y1 = 1 % m; // r1 == x * y1 mod m, all along (Euclid)
    while (r1 > 1) {
        uint64_t q = r0 / r1, r = r0 % r1, t = multiply(q, y1, m), y = y0 >= t ? y0 - t : m - (t - y0);
        r0 = r1, r1 = r;
        y0 = y1, y1 = y;
    }
    return y1;
}

static uint64_t greatest_divisor(uint64_t x, uint64_t y) {
    while (y) {
        uint64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

// The first frame that both runs hold, if there is one: b->first + k b->step with k b->step = a->first - b->first mod a->step.
static bool common(const struct rdf_run *a, const struct rdf_run *b, uint64_t *frame) {
    if (a->first > b->first) {
        const struct rdf_run *c = a;
        a = b;
        b = c;
    }
    uint64_t divisor = greatest_divisor(a->step, b->step), m = a->step / divisor,
             behind = (b->first - a->first) % a->step;
    if (behind % divisor) return false;
    uint64_t need = behind ? (a->step - behind) / divisor : 0, k = multiply(need, invert(b->step / divisor, m), m);
    if (k >= b->count) return false;
    *frame = b->first + k * b->step;
    return *frame <= last_of(a);
}

int rdf_hist_check_frames(const struct rdf_hist *h, struct trj_error *err) {
    size_t n = 0, k = 0;
    for (size_t i = 0; i < h->record_count; i++) n += h->records[i].run_count;
    struct rdf_run *runs = trj_alloc(n, sizeof *runs, "frame ranges", err);
    if (!runs) return -1;
    for (size_t i = 0; i < h->record_count; i++)
        for (size_t j = 0; j < h->records[i].run_count; j++) runs[k++] = h->records[i].runs[j];
    qsort(runs, n, sizeof *runs, by_source_and_first);
    int rc = 0;
    for (size_t i = 0; !rc && i < n; i++)
        for (size_t j = i + 1; !rc && j < n && runs[j].source == runs[i].source && runs[j].first <= last_of(&runs[i]);
             j++) {
            uint64_t frame;
            if (common(&runs[i], &runs[j], &frame))
                rc = trj_fail(err, TRJ_BAD_DATA,
                              "frame %llu of %s is counted twice (files are told apart by their size and ends, pipes "
                              "by their first 64 KiB)",
                              (unsigned long long)frame, h->sources[runs[i].source].name);
        }
    free(runs);
    return rc;
}
