// SPDX-License-Identifier: MIT
// Compares and joins set-ups, so that records of different systems or bins are never added.
#include "hist_setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "memory.h"

bool rdf_setup_has_dynamic_group(const struct rdf_setup *s) {
    for (size_t i = 0; i < s->group_count; i++)
        if (s->groups[i].dynamic) return true;
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
    s->trajectory_atoms = h->open_system ? 0 : h->source_atoms - h->absent_sites;
    s->open_system = h->open_system;
    s->centres = h->centres;
    s->precision = h->precision;
    if (!h->element) return 0;
    s->system_atoms = h->source_atoms - h->absent_sites;
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

void rdf_setup_free_own(struct rdf_setup *s) {
    rdf_setup_drop_composition(s);
    free(s->groups);
    free(s->pairs);
    free(s->triplets.triplet);
    free(s->waves.hkl);
    free(s->waves.lags);
    *s = (struct rdf_setup){0};
}

void rdf_setup_free(struct rdf_setup *s) {
    for (size_t i = 0; s->groups && i < s->group_count; i++) free(s->groups[i].name);
    free(s->exclusion);
    free(s->body);
    free(s->excluded);
    free(s->lag.own);
    rdf_setup_free_own(s);
}

static bool same_composition(const struct rdf_hist_group *a, const struct rdf_hist_group *b) {
    bool same = a->element_count == b->element_count;
    for (size_t k = 0; same && k < a->element_count; k++)
        same = a->elements[k].number == b->elements[k].number && a->elements[k].atoms == b->elements[k].atoms;
    return same;
}

// Compares groups that are equal otherwise, if both streams contain the elements.
static int compare_compositions(const struct rdf_setup *a, const struct rdf_setup *b, struct trj_error *err) {
    for (size_t i = 0; a->system_atoms && b->system_atoms && i < a->group_count; i++)
        if (!same_composition(&a->groups[i], &b->groups[i]))
            return trj_fail(err, TRJ_BAD_DATA, "group %s: the elements differ", a->groups[i].name);
    return 0;
}

// If one of the streams lacks the elements, the sum has none; if the elements of one are guessed, the elements of the
// sum are taken to be guessed.
static void join_compositions(struct rdf_setup *a, struct rdf_setup *b) {
    if (!a->system_atoms || !b->system_atoms) {
        rdf_setup_drop_composition(a);
    } else if (!a->element_from) {
        a->element_from = b->element_from;
        b->element_from = NULL;
    }
}

static int compare_lags(const struct rdf_lag *a, const struct rdf_lag *b, struct trj_error *err) {
    if (a->frames != b->frames)
        return trj_fail(err, TRJ_BAD_DATA, "expected a lag of %llu frames, found %llu", (unsigned long long)a->frames,
                        (unsigned long long)b->frames);
    // Times are float32 values since the start of the simulation, so that their differences are rounded.
    if (a->frames && (isnan(a->time) != isnan(b->time) || fabs(a->time - b->time) > 1e-3 * fmin(a->time, b->time)))
        return trj_fail(err, TRJ_BAD_DATA, "expected a lag of %g ps, found %g ps", a->time, b->time);
    return 0;
}

static int compare_exclusions(const struct rdf_setup *a, const struct rdf_setup *b, struct trj_error *err) {
    const char *expected = a->exclusion ? a->exclusion : "none", *found = b->exclusion ? b->exclusion : "none";
    if (strcmp(expected, found))
        return trj_fail(err, TRJ_BAD_DATA, "expected excluded pairs %s, found %s", expected, found);
    for (size_t p = 0; a->excluded && p < a->pair_count && p < b->pair_count; p++)
        if (a->excluded[p] != b->excluded[p])
            return trj_fail(err, TRJ_BAD_DATA, "expected %llu excluded pairs, found %llu (%s)",
                            (unsigned long long)a->excluded[p], (unsigned long long)b->excluded[p], found);
    return 0;
}

static int compare_metrics(const struct rdf_metric *a, const struct rdf_metric *b, struct trj_error *err) {
    char expected[RDF_METRIC_TEXT], found[RDF_METRIC_TEXT];
    if (a->kind == b->kind && a->axis == b->axis && a->window == b->window &&
        rdf_metric_second(a) == rdf_metric_second(b))
        return 0;
    return trj_fail(err, TRJ_BAD_DATA, "expected the metric %s, found %s", rdf_metric_text(expected, a),
                    rdf_metric_text(found, b));
}

static int compare_neighbours(const struct rdf_setup *a, const struct rdf_setup *b, struct trj_error *err) {
    const struct rdf_triplet_setup *t = &a->triplets, *u = &b->triplets;
    if (a->neighbours.radius != b->neighbours.radius || a->neighbours.classes != b->neighbours.classes)
        return trj_fail(err, TRJ_BAD_DATA, "expected numbers of neighbours within %g Å, found %g Å (0: none)",
                        a->neighbours.radius, b->neighbours.radius);
    bool same = t->count == u->count && t->angles == u->angles && t->distances == u->distances;
    for (size_t i = 0; same && i < t->count; i++) {
        const struct rdf_triplet *x = &t->triplet[i], *y = &u->triplet[i];
        same = x->a == y->a && x->centre == y->centre && x->c == y->c && (a->open_system || x->triplets == y->triplets);
        for (int arm = 0; same && arm < 2; arm++) same = x->low[arm] == y->low[arm] && x->high[arm] == y->high[arm];
    }
    return same ? 0 : trj_fail(err, TRJ_BAD_DATA, "the triplets or their bins differ");
}

static int compare_surfaces(const struct rdf_surface_setup *a, const struct rdf_surface_setup *b,
                            struct trj_error *err) {
    if (a->kind == b->kind && a->lattice == b->lattice) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "expected distances from surfaces %s:%lu, found %s:%lu",
                    rdf_surface_name(a->kind), (unsigned long)a->lattice, rdf_surface_name(b->kind),
                    (unsigned long)b->lattice);
}

enum { INTERVAL_TEXT = 32 };

// Writes the interval for a message.
static const char *interval_text(char text[INTERVAL_TEXT], double interval) {
    if (isnan(interval)) return "an unknown time";
    snprintf(text, INTERVAL_TEXT, "%g ps", interval);
    return text;
}

static int compare_waves(const struct rdf_wave_setup *a, const struct rdf_wave_setup *b, struct trj_error *err) {
    if (!a->shells.count != !b->shells.count)
        return trj_fail(err, TRJ_BAD_DATA, "one stream has distances (rdfhist), the other waves (skhist)");
    bool same = a->lag_count == b->lag_count && a->shells.count == b->shells.count && a->bits == b->bits &&
                a->shells.rmin == b->shells.rmin && a->shells.rmax == b->shells.rmax && !a->hkl == !b->hkl;
    if (same && a->hkl) same = !memcmp(a->hkl, b->hkl, a->shells.count * sizeof *a->hkl);
    if (same && a->lag_count) same = !memcmp(a->lags, b->lags, a->lag_count * sizeof *a->lags);
    if (!same) return trj_fail(err, TRJ_BAD_DATA, "the wave vectors, their shells or the lags differ");
    // Times of frames are rounded, as for lags.
    char expected[INTERVAL_TEXT], found[INTERVAL_TEXT];
    if (isnan(a->interval) == isnan(b->interval) && !(fabs(a->interval - b->interval) > 1e-3 * a->interval)) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "expected frames %s apart, found %s", interval_text(expected, a->interval),
                    interval_text(found, b->interval));
}

static int compare_groups(const struct rdf_setup *a, const struct rdf_setup *b, struct trj_error *err) {
    const bool numbers = !a->open_system; // numbers of atoms must be equal
    if (a->open_system != b->open_system)
        return trj_fail(err, TRJ_BAD_DATA, "one stream has an open system, the other one does not");
    for (size_t i = 0; i < a->group_count && i < b->group_count; i++) {
        const struct rdf_hist_group *expected = &a->groups[i], *found = &b->groups[i];
        if (strcmp(expected->name, found->name) != 0)
            return trj_fail(err, TRJ_BAD_DATA, "expected group %s, found %s", expected->name, found->name);
        if (expected->dynamic != found->dynamic)
            return trj_fail(err, TRJ_BAD_DATA, "group %s is dynamic in one stream and fixed in the other", found->name);
        if (numbers && expected->atoms != found->atoms)
            return trj_fail(err, TRJ_BAD_DATA, "expected %llu atoms in group %s, found %llu",
                            (unsigned long long)expected->atoms, found->name, (unsigned long long)found->atoms);
    }
    if (a->group_count == b->group_count) return 0;
    const bool expected_more = a->group_count > b->group_count;
    const char *name = expected_more ? a->groups[b->group_count].name : b->groups[a->group_count].name;
    return trj_fail(err, TRJ_BAD_DATA, "group %s is %s", name, expected_more ? "missing" : "new");
}

// The groups of both setups are the same.
static int compare_pairs(const struct rdf_setup *a, const struct rdf_setup *b, struct trj_error *err) {
    for (size_t i = 0; i < a->pair_count && i < b->pair_count; i++) {
        const struct rdf_pair *p = &a->pairs[i], *q = &b->pairs[i];
        const char *first = a->groups[q->a].name, *second = a->groups[q->b].name;
        if (p->a != q->a || p->b != q->b)
            return trj_fail(err, TRJ_BAD_DATA, "expected pair %s:%s, found %s:%s", a->groups[p->a].name,
                            a->groups[p->b].name, first, second);
        if (!a->open_system && p->pairs != q->pairs)
            return trj_fail(err, TRJ_BAD_DATA, "expected %llu pairs of atoms in %s:%s, found %llu",
                            (unsigned long long)p->pairs, first, second, (unsigned long long)q->pairs);
    }
    if (a->pair_count == b->pair_count) return 0;
    const bool expected_more = a->pair_count > b->pair_count;
    const struct rdf_pair *p = expected_more ? &a->pairs[b->pair_count] : &b->pairs[a->pair_count];
    return trj_fail(err, TRJ_BAD_DATA, "pair %s:%s is %s", a->groups[p->a].name, a->groups[p->b].name,
                    expected_more ? "missing" : "new");
}

static int compare_setups(const struct rdf_setup *a, const struct rdf_setup *b, struct trj_error *err) {
    if (compare_waves(&a->waves, &b->waves, err) || compare_exclusions(a, b, err) || compare_neighbours(a, b, err) ||
        compare_surfaces(&a->surface, &b->surface, err))
        return -1;
    if (compare_metrics(&a->bins.metric, &b->bins.metric, err)) return -1;
    if (a->own_images != b->own_images)
        return trj_fail(err, TRJ_BAD_DATA, "pairs of atoms with their own images are counted in one stream only");
    if (a->body && strcmp(a->body, b->body) != 0)
        return trj_fail(err, TRJ_BAD_DATA, "expected the axes %s of molecules, found %s", a->body, b->body);
    if (compare_groups(a, b, err) || compare_pairs(a, b, err)) return -1;
    if (a->lag.own && b->lag.own && memcmp(a->lag.own, b->lag.own, a->pair_count * sizeof *a->lag.own) != 0)
        return trj_fail(err, TRJ_BAD_DATA, "the self part (--lag) is counted for different pairs of groups");
    return 0;
}

// Names the remedy of a difference.
static int fail_difference(const struct rdf_setup *s, struct trj_error *err) {
    char remedy[100];
    snprintf(remedy, sizeof remedy, "run %s with the same groups, pairs and options on all inputs", rdf_setup_tool(s));
    trj_error_set_remedy(err, remedy);
    return trj_fail_at(err, "cannot be added to the previous records");
}

int rdf_setup_check_lags(const struct rdf_setup *a, const struct rdf_setup *b, struct trj_error *err) {
    return compare_setups(a, b, err) || compare_compositions(a, b, err) ? fail_difference(a, err) : 0;
}

int rdf_setup_join(struct rdf_setup *s, struct rdf_setup *other, struct trj_error *err) {
    if (compare_waves(&s->waves, &other->waves, err) || compare_lags(&s->lag, &other->lag, err))
        return fail_difference(s, err);
    if (rdf_setup_check_lags(s, other, err)) return -1;
    join_compositions(s, other);
    bool known = s->trajectory_atoms && other->trajectory_atoms;
    if (!known || other->trajectory_atoms > s->trajectory_atoms)
        s->trajectory_atoms = known ? other->trajectory_atoms : 0;
    for (size_t i = 0; s->open_system && i < s->group_count; i++)
        if (other->groups[i].atoms > s->groups[i].atoms) s->groups[i].atoms = other->groups[i].atoms;
    for (size_t i = 0; s->open_system && i < s->pair_count; i++)
        if (other->pairs[i].pairs > s->pairs[i].pairs) s->pairs[i].pairs = other->pairs[i].pairs;
    for (size_t i = 0; s->open_system && i < s->triplets.count; i++)
        if (other->triplets.triplet[i].triplets > s->triplets.triplet[i].triplets)
            s->triplets.triplet[i].triplets = other->triplets.triplet[i].triplets;
    if (other->centres > s->centres) s->centres = other->centres;
    if (other->precision > s->precision) s->precision = other->precision;
    return 0;
}
