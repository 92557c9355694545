// SPDX-License-Identifier: MIT
// Describes each optional block of the set-up by one row of functions, so that reader and writer cannot differ.
#include "hist_parts.h"

#include <math.h>
#include <stdlib.h>

#include "bodies.h"
#include "common_blocks.h"
#include "element.h"
#include "exact_sum.h"
#include "memory.h"
#include "triplet.h"

enum { GROUP = 12, PAIR = 16, ELEMENT = 12, TRIPLET = 52 }; // bytes; of a group without its name

// ---- SETU: bins, groups and pairs

static void put_bins_and_groups(struct trj_bytes *b, const struct rdf_setup *s) {
    trj_put_f64(b, s->bins.rmin);
    trj_put_f64(b, s->bins.rmax);
    trj_put_u64(b, s->bins.count);
    trj_put_u32(b, (uint32_t)s->group_count);
    for (size_t i = 0; i < s->group_count; i++) {
        trj_put_text(b, s->groups[i].name);
        trj_put_u64(b, s->groups[i].atoms);
    }
    trj_put_u32(b, (uint32_t)s->pair_count);
    for (size_t i = 0; i < s->pair_count; i++) {
        trj_put_u32(b, s->pairs[i].a);
        trj_put_u32(b, s->pairs[i].b);
        trj_put_u64(b, s->pairs[i].pairs);
    }
}

static int get_bins_and_groups(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    s->bins.rmin = trj_get_f64(c);
    s->bins.rmax = trj_get_f64(c);
    s->bins.count = trj_get_u64(c);
    if (rdf_bins_check(&s->bins, err)) {
        err->status = TRJ_BAD_DATA;
        return -1;
    }
    uint32_t groups = trj_get_u32(c);
    if (!groups || groups > trj_cursor_left(c) / GROUP) return trj_fail(err, TRJ_BAD_DATA, "invalid number of groups");
    s->groups = trj_alloc(groups, sizeof *s->groups, "groups", err);
    if (!s->groups) return -1;
    s->group_count = groups;
    for (uint32_t i = 0; i < groups; i++) {
        if (trj_get_text(c, &s->groups[i].name, err)) return -1;
        s->groups[i].atoms = trj_get_u64(c);
        if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    }
    uint32_t pairs = trj_get_u32(c);
    if (!pairs || pairs > trj_cursor_left(c) / PAIR) return trj_fail(err, TRJ_BAD_DATA, "invalid number of pairs");
    s->pairs = trj_alloc(pairs, sizeof *s->pairs, "pairs", err);
    if (!s->pairs) return -1;
    s->pair_count = pairs;
    for (uint32_t i = 0; i < pairs; i++) {
        s->pairs[i].a = trj_get_u32(c);
        s->pairs[i].b = trj_get_u32(c);
        s->pairs[i].pairs = trj_get_u64(c);
        if (s->pairs[i].a >= groups || s->pairs[i].b >= groups)
            return trj_fail(err, TRJ_BAD_DATA, "a pair refers to a missing group");
    }
    return 0;
}

// ---- CHNG: dynamic groups

static void put_changing(struct trj_bytes *b, const struct rdf_setup *s) {
    for (size_t i = 0; i < s->group_count; i++) trj_put_u32(b, s->groups[i].dynamic);
}

static int get_changing(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    for (size_t i = 0; i < s->group_count; i++) {
        uint32_t changes = trj_get_u32(c);
        if (c->failed || changes > 1) return trj_fail(err, TRJ_BAD_DATA, "invalid flags of groups");
        s->groups[i].dynamic = changes;
    }
    return rdf_setup_has_dynamic_group(s) ? 0 : trj_fail(err, TRJ_BAD_DATA, "no dynamic group");
}

// ---- EXCL: excluded pairs

static bool has_exclusion(const struct rdf_setup *s) {
    return s->exclusion;
}

static void put_exclusion(struct trj_bytes *b, const struct rdf_setup *s) {
    trj_put_text(b, s->exclusion);
    trj_put_u64s(b, s->excluded, s->pair_count);
}

static int get_exclusion(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    if (trj_get_text(c, &s->exclusion, err)) return -1;
    s->excluded = trj_alloc(s->pair_count, sizeof *s->excluded, "pairs", err);
    if (!s->excluded) return -1;
    trj_get_u64s(c, s->excluded, s->pair_count);
    for (size_t p = 0; p < s->pair_count; p++)
        if (s->excluded[p] > s->pairs[p].pairs) return trj_fail(err, TRJ_BAD_DATA, "more excluded pairs than pairs");
    return c->failed ? trj_fail(err, TRJ_BAD_DATA, "too short") : 0;
}

// ---- LAGS: the lag between the two frames of a pair

static bool has_lag(const struct rdf_setup *s) {
    return s->lag.frames;
}

static void put_lag(struct trj_bytes *b, const struct rdf_setup *s) {
    trj_put_u64(b, s->lag.frames);
    trj_put_f64(b, s->lag.time);
    trj_put_u64s(b, s->lag.own, s->pair_count);
}

static int get_lag(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    s->lag.frames = trj_get_u64(c);
    s->lag.time = trj_get_f64(c);
    s->lag.own = trj_alloc(s->pair_count, sizeof *s->lag.own, "pairs", err);
    if (!s->lag.own) return -1;
    trj_get_u64s(c, s->lag.own, s->pair_count);
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (!s->lag.frames || s->lag.time <= 0 || isinf(s->lag.time)) return trj_fail(err, TRJ_BAD_DATA, "invalid lag");
    for (size_t p = 0; p < s->pair_count; p++) {
        const struct rdf_pair *pair = &s->pairs[p];
        uint64_t all, a = s->groups[pair->a].atoms, b = s->groups[pair->b].atoms, own = s->lag.own[p];
        if (__builtin_mul_overflow(a, b, &all) || own > all || pair->pairs != all - own)
            return trj_fail(err, TRJ_BAD_DATA, "invalid number of atoms in both groups of a pair");
    }
    return 0;
}

// ---- METR: the metric

static bool has_metric(const struct rdf_setup *s) {
    return s->bins.metric.kind != RDF_METRIC_DISTANCE;
}

static void put_metric(struct trj_bytes *b, const struct rdf_setup *s) {
    const struct rdf_metric *m = &s->bins.metric;
    trj_put_u32(b, m->kind);
    trj_put_u32(b, m->axis);
    trj_put_f64(b, m->window);
    trj_put_u64(b, rdf_metric_second(m));
    if (m->kind == RDF_METRIC_BODY) trj_put_text(b, s->body);
}

static int get_metric(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_metric *m = &s->bins.metric;
    uint32_t kind = trj_get_u32(c);
    m->axis = trj_get_u32(c);
    m->window = trj_get_f64(c);
    m->second = trj_get_u64(c);
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (kind == RDF_METRIC_DISTANCE || kind >= RDF_METRICS || !m->second)
        return trj_fail(err, TRJ_BAD_DATA, "unknown metric %lu; use a newer trjpipe", (unsigned long)kind);
    m->kind = kind;
    struct trj_error ignored;
    if (kind == RDF_METRIC_BODY && trj_get_text(c, &s->body, err)) return -1;
    if (s->body && trj_bodies_check(s->body, &ignored)) return trj_fail(err, TRJ_BAD_DATA, "invalid axes of molecules");
    if (s->lag.frames || (s->exclusion && rdf_metric_has_density(m)))
        return trj_fail(err, TRJ_BAD_DATA, "a metric with a lag, or of a plane or axis with excluded pairs");
    if (!rdf_bins_check(&s->bins, err)) return 0;
    err->status = TRJ_BAD_DATA;
    return -1;
}

// ---- OWNI: pairs of an atom with its own images are counted

static bool has_own_images(const struct rdf_setup *s) {
    return s->own_images;
}

static void put_flags(struct trj_bytes *b, const struct rdf_setup *s) {
    (void)s;
    trj_put_u32(b, 0);
}

static int get_own_images(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    uint32_t flags = trj_get_u32(c);
    s->own_images = true;
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (flags) return trj_fail(err, TRJ_BAD_DATA, "unknown flags; use a newer version");
    bool excludes = rdf_setup_has_dynamic_group(s) || s->exclusion || s->lag.frames || has_metric(s);
    return excludes ? trj_fail(err, TRJ_BAD_DATA, "follows a block that excludes it") : 0;
}

// ---- NEIG: numbers of neighbours

static bool has_neighbours(const struct rdf_setup *s) {
    return s->neighbours.radius > 0;
}

static void put_neighbours(struct trj_bytes *b, const struct rdf_setup *s) {
    trj_put_f64(b, s->neighbours.radius);
    trj_put_u64(b, s->neighbours.classes);
}

static int check_one_frame(const struct rdf_setup *s, struct trj_error *err) {
    if (s->own_images) return trj_fail(err, TRJ_BAD_DATA, "follows a block that excludes it");
    return s->lag.frames ? trj_fail(err, TRJ_BAD_DATA, "neighbours are those of one frame, not of frames with a lag")
                         : 0;
}

static int get_neighbours(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    s->neighbours.radius = trj_get_f64(c);
    s->neighbours.classes = trj_get_u64(c);
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (!(s->neighbours.radius >= RDF_MIN_RMAX && s->neighbours.radius <= RDF_MAX_COORDINATE))
        return trj_fail(err, TRJ_BAD_DATA, "invalid distance of neighbours");
    if (s->neighbours.classes < 2 || s->neighbours.classes > RDF_MAX_NEIGHBOUR_CLASSES)
        return trj_fail(err, TRJ_BAD_DATA, "invalid number of classes");
    return check_one_frame(s, err);
}

// ---- TRIP: triplets

static bool has_triplets(const struct rdf_setup *s) {
    return s->triplets.count;
}

static void put_triplets(struct trj_bytes *b, const struct rdf_setup *s) {
    trj_put_u32(b, s->triplets.angles);
    trj_put_u32(b, s->triplets.distances);
    trj_put_u32(b, (uint32_t)s->triplets.count);
    for (size_t i = 0; i < s->triplets.count; i++) {
        const struct rdf_triplet *t = &s->triplets.triplet[i];
        trj_put_u32(b, t->a);
        trj_put_u32(b, t->centre);
        trj_put_u32(b, t->c);
        for (int k = 0; k < 2; k++) {
            trj_put_f64(b, t->low[k]);
            trj_put_f64(b, t->high[k]);
        }
        trj_put_f64(b, t->triplets);
    }
}

static int get_triplets(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    s->triplets.angles = trj_get_u32(c);
    s->triplets.distances = trj_get_u32(c);
    uint32_t count = trj_get_u32(c);
    if (!count || count > trj_cursor_left(c) / TRIPLET)
        return trj_fail(err, TRJ_BAD_DATA, "invalid number of triplets");
    if (!(s->triplets.triplet = trj_alloc(count, sizeof *s->triplets.triplet, "triplets", err))) return -1;
    s->triplets.count = count;
    for (uint32_t i = 0; i < count; i++) {
        struct rdf_triplet *t = &s->triplets.triplet[i];
        t->a = trj_get_u32(c);
        t->centre = trj_get_u32(c);
        t->c = trj_get_u32(c);
        for (int k = 0; k < 2; k++) {
            t->low[k] = trj_get_f64(c);
            t->high[k] = trj_get_f64(c);
        }
        t->triplets = trj_get_f64(c);
        if (t->a >= s->group_count || t->centre >= s->group_count || t->c >= s->group_count)
            return trj_fail(err, TRJ_BAD_DATA, "a triplet refers to a missing group");
        if (!(t->triplets > 0 && isfinite(t->triplets)))
            return trj_fail(err, TRJ_BAD_DATA, "a triplet of groups contains no three atoms");
    }
    if (rdf_triplets_check(&s->triplets, err)) {
        err->status = TRJ_BAD_DATA;
        return -1;
    }
    return check_one_frame(s, err);
}

// ---- SURF: distances from surfaces

static bool has_surface(const struct rdf_setup *s) {
    return s->surface.kind;
}

static void put_surface(struct trj_bytes *b, const struct rdf_setup *s) {
    trj_put_u32(b, s->surface.kind);
    trj_put_u32(b, s->surface.lattice);
}

static int get_surface(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    uint32_t kind = trj_get_u32(c), lattice = trj_get_u32(c);
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (kind == RDF_SURFACE_NONE || kind >= RDF_SURFACES)
        return trj_fail(err, TRJ_BAD_DATA, "unknown kind %lu of surfaces; use a newer trjpipe", (unsigned long)kind);
    if (!lattice || lattice > RDF_MAX_SURFACE_LATTICE) return trj_fail(err, TRJ_BAD_DATA, "invalid number of points");
    s->surface = (struct rdf_surface_setup){(enum rdf_surface_kind)kind, lattice};
    bool excludes = s->exclusion || s->lag.frames || has_metric(s) || s->own_images;
    return excludes ? trj_fail(err, TRJ_BAD_DATA, "follows a block that excludes it") : 0;
}

// ---- WAVE: scattering amplitudes of waves

static bool has_waves(const struct rdf_setup *s) {
    return s->waves.shells.count;
}

static void put_waves(struct trj_bytes *b, const struct rdf_setup *s) {
    const struct rdf_wave_setup *w = &s->waves;
    trj_put_f64(b, w->shells.rmin);
    trj_put_f64(b, w->shells.rmax);
    trj_put_u64(b, w->shells.count);
    trj_put_u32(b, w->bits);
    trj_put_u32(b, w->hkl != NULL);
    trj_put_f64(b, w->interval);
    trj_put_u32(b, (uint32_t)w->lag_count);
    trj_put_u64s(b, w->lags, w->lag_count);
    for (size_t i = 0; w->hkl && i < w->shells.count; i++)
        for (int k = 0; k < 3; k++) trj_put_u32(b, (uint32_t)w->hkl[i][k]);
}

static int get_vectors(struct rdf_wave_setup *w, struct trj_cursor *c, struct trj_error *err) {
    size_t n = (size_t)w->shells.count;
    if (trj_cursor_left(c) / (3 * sizeof(uint32_t)) < n) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (!(w->hkl = trj_alloc(n, sizeof *w->hkl, "vectors", err))) return -1;
    for (size_t i = 0; i < n; i++) {
        int32_t *v = w->hkl[i];
        for (int k = 0; k < 3; k++) v[k] = (int32_t)trj_get_u32(c);
        if (v[0] < 0 || (!v[0] && (v[1] < 0 || (!v[1] && v[2] <= 0))))
            return trj_fail(err, TRJ_BAD_DATA, "invalid vector %ld %ld %ld", (long)v[0], (long)v[1], (long)v[2]);
    }
    return 0;
}

// Rejects numbers of pairs from which no number of common atoms follows.
static int check_pairs_of_waves(const struct rdf_setup *s, struct trj_error *err) {
    for (size_t p = 0; p < s->pair_count; p++) {
        const struct rdf_pair *pair = &s->pairs[p];
        double a = (double)s->groups[pair->a].atoms, b = (double)s->groups[pair->b].atoms,
               common = a * b - (double)pair->pairs;
        if (!(a > 0 && b > 0) || (pair->a != pair->b && !(common >= 0 && common <= fmin(a, b) + 0x1p-50 * a * b)))
            return trj_fail(err, TRJ_BAD_DATA, "pair %zu: invalid number of atoms or pairs", p);
    }
    return 0;
}

static int get_waves(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    struct rdf_wave_setup *w = &s->waves;
    w->shells.rmin = trj_get_f64(c);
    w->shells.rmax = trj_get_f64(c);
    w->shells.count = trj_get_u64(c);
    w->bits = trj_get_u32(c);
    uint32_t single = trj_get_u32(c);
    w->interval = trj_get_f64(c);
    uint32_t lags = trj_get_u32(c);
    if (c->failed || !lags || lags > RDF_MAX_WAVE_LAGS || lags > trj_cursor_left(c) / sizeof(uint64_t) || single > 1 ||
        w->bits > 64 || w->shells.count > RDF_MAX_SHELLS / lags || isinf(w->interval) || w->interval <= 0)
        return trj_fail(err, TRJ_BAD_DATA, "invalid number of lags or shells");
    if (!(w->lags = trj_alloc(lags, sizeof *w->lags, "lags", err))) return -1;
    w->lag_count = lags;
    trj_get_u64s(c, w->lags, lags);
    for (size_t i = 1; i < lags; i++)
        if (w->lags[i] <= w->lags[i - 1]) return trj_fail(err, TRJ_BAD_DATA, "the lags do not ascend");
    if (rdf_bins_check(&w->shells, err)) {
        err->status = TRJ_BAD_DATA;
        return -1;
    }
    if (s->exclusion || s->lag.frames || has_metric(s) || s->own_images || has_neighbours(s) || has_triplets(s) ||
        has_surface(s) || rdf_setup_has_dynamic_group(s))
        return trj_fail(err, TRJ_BAD_DATA, "follows a block that excludes it");
    return check_pairs_of_waves(s, err) || (single && get_vectors(w, c, err)) ? -1 : 0;
}

// ---- COMP: elements of the groups

static bool has_elements(const struct rdf_setup *s) {
    return s->system_atoms;
}

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

static int get_elements(struct rdf_hist_group *g, struct trj_cursor *c, struct trj_error *err) {
    uint64_t left = g->atoms;
    uint32_t kinds = trj_get_u32(c);
    if (!kinds || kinds > TRJ_ELEMENTS + 1 || kinds > trj_cursor_left(c) / ELEMENT)
        return trj_fail(err, TRJ_BAD_DATA, "invalid number of elements");
    g->elements = trj_alloc(kinds, sizeof *g->elements, "elements", err);
    if (!g->elements) return -1;
    g->element_count = kinds;
    for (uint32_t k = 0; k < kinds; k++) {
        struct rdf_element_count *e = &g->elements[k];
        e->number = trj_get_u32(c);
        e->atoms = trj_get_u64(c);
        if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
        if (e->number > TRJ_ELEMENTS || (k && e->number <= e[-1].number) || !e->atoms || e->atoms > left)
            return trj_fail(err, TRJ_BAD_DATA, "invalid composition of group %s", g->name);
        left -= e->atoms;
    }
    return left ? trj_fail(err, TRJ_BAD_DATA, "the elements of group %s do not add up to its number of atoms", g->name)
                : 0;
}

static int get_composition(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    s->system_atoms = trj_get_u64(c);
    if (trj_get_text(c, &s->element_from, err)) return -1;
    if (!s->system_atoms) return trj_fail(err, TRJ_BAD_DATA, "no atoms");
    if (!*s->element_from) {
        free(s->element_from);
        s->element_from = NULL;
    }
    for (size_t i = 0; i < s->group_count; i++)
        if (get_elements(&s->groups[i], c, err)) return -1;
    return 0;
}

// ---- SYST: atoms in the trajectory

static bool has_system(const struct rdf_setup *s) {
    return s->trajectory_atoms;
}

static void put_system(struct trj_bytes *b, const struct rdf_setup *s) {
    trj_put_u64(b, s->trajectory_atoms);
    trj_put_u64(b, s->centres);
}

static int get_system(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    s->trajectory_atoms = trj_get_u64(c);
    s->centres = trj_get_u64(c);
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    return s->trajectory_atoms ? 0 : trj_fail(err, TRJ_BAD_DATA, "no atoms in the trajectory");
}

// ---- PREC: precision of rounded coordinates

static bool has_precision(const struct rdf_setup *s) {
    return s->precision > 0;
}

static void put_precision(struct trj_bytes *b, const struct rdf_setup *s) {
    trj_put_f64(b, s->precision);
}

static int get_precision(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    s->precision = trj_get_f64(c);
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    return s->precision > 0 && isfinite(s->precision) ? 0 : trj_fail(err, TRJ_BAD_DATA, "invalid precision");
}

// ---- OPEN: the number of atoms changes

static bool is_open(const struct rdf_setup *s) {
    return s->open_system;
}

static int get_open(struct rdf_setup *s, struct trj_cursor *c, struct trj_error *err) {
    uint32_t flags = trj_get_u32(c);
    s->open_system = true;
    for (size_t i = 0; i < s->group_count; i++)
        if (!s->groups[i].dynamic) return trj_fail(err, TRJ_BAD_DATA, "a group that is not dynamic");
    if (c->failed) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (flags) return trj_fail(err, TRJ_BAD_DATA, "unknown flags; use a newer version");
    bool same_atoms = s->lag.frames || s->exclusion || s->system_atoms || s->trajectory_atoms;
    return same_atoms ? trj_fail(err, TRJ_BAD_DATA, "follows a block that requires the same atoms in all frames") : 0;
}

// ---- largest payloads

static uint64_t max_setup(const struct rdf_setup *s) {
    (void)s;
    return 4 * (uint64_t)TRJ_BLOCK_ALWAYS_ALLOWED;
}

static uint64_t max_fixed(const struct rdf_setup *s) {
    (void)s;
    return TRJ_SMALL_BLOCK_MAX;
}

static uint64_t max_waves(const struct rdf_setup *s) {
    (void)s;
    return TRJ_SMALL_BLOCK_MAX + RDF_MAX_WAVE_LAGS * sizeof(uint64_t) + RDF_MAX_SHELLS * 3 * sizeof(uint32_t);
}

static uint64_t max_of_groups(const struct rdf_setup *s) {
    return TRJ_SMALL_BLOCK_MAX + sizeof(uint32_t) * (uint64_t)s->group_count;
}

static uint64_t max_of_pairs(const struct rdf_setup *s) {
    return TRJ_SMALL_BLOCK_MAX + sizeof(uint64_t) * (uint64_t)s->pair_count;
}

static uint64_t max_composition(const struct rdf_setup *s) {
    return TRJ_SMALL_BLOCK_MAX + (sizeof(uint32_t) + (TRJ_ELEMENTS + 1) * ELEMENT) * (uint64_t)s->group_count;
}

const struct rdf_setup_block rdf_setup_blocks[RDF_SETUP_BLOCKS] = {
    {"SETU", true, NULL, put_bins_and_groups, get_bins_and_groups, max_setup},
    {"CHNG", true, rdf_setup_has_dynamic_group, put_changing, get_changing, max_of_groups},
    {"EXCL", true, has_exclusion, put_exclusion, get_exclusion, max_of_pairs},
    {"LAGS", true, has_lag, put_lag, get_lag, max_of_pairs},
    {"METR", true, has_metric, put_metric, get_metric, max_fixed},
    {"OWNI", true, has_own_images, put_flags, get_own_images, max_fixed},
    {"NEIG", true, has_neighbours, put_neighbours, get_neighbours, max_fixed},
    {"TRIP", true, has_triplets, put_triplets, get_triplets, max_setup},
    {"SURF", true, has_surface, put_surface, get_surface, max_fixed},
    {"WAVE", true, has_waves, put_waves, get_waves, max_waves},
    {"COMP", false, has_elements, put_composition, get_composition, max_composition},
    {"SYST", false, has_system, put_system, get_system, max_fixed},
    {"PREC", false, has_precision, put_precision, get_precision, max_fixed},
    {"OPEN", false, is_open, put_flags, get_open, max_fixed},
};

uint64_t rdf_hist_max_of_record(const struct rdf_setup *s, size_t pairs) {
    // Frame ranges may take 8 times TRJ_BLOCK_ALWAYS_ALLOWED. Sums take 7 numbers of TRJ_EXACT_LIMBS for each pair.
    uint64_t bins = rdf_bins_cells(&s->bins), rows = 1U + (s->exclusion != NULL) + (s->lag.frames > 0), of_pair;
    // At most 7e7: bins are at most RDF_MAX_BINS, classes at most RDF_MAX_NEIGHBOUR_CLASSES.
    of_pair = rows * bins + 7 * TRJ_EXACT_LIMBS + 1 + rdf_neighbour_row(&s->neighbours) + rdf_setup_surface_row(s) +
              2 * rdf_setup_surface_bins(s) + 2 * rdf_setup_wave_row(s);
    return TRJ_SMALL_BLOCK_MAX + 8 * (uint64_t)TRJ_BLOCK_ALWAYS_ALLOWED +
           sizeof(uint64_t) * (s->group_count + 3 * (uint64_t)rdf_setup_wave_row(s) + (uint64_t)pairs * of_pair +
                               s->triplets.count * (rdf_triplet_row(&s->triplets) + TRJ_EXACT_LIMBS));
}
