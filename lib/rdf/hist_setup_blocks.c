// SPDX-License-Identifier: MIT
#include "hist_parts.h"

#include <math.h>
#include <stdlib.h>

#include "common_blocks.h"
#include "element.h"
#include "exact_sum.h"
#include "memory.h"

enum { GROUP = 12, PAIR = 16, ELEMENT = 12 }; // bytes of a group without its name, a pair, and an element

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

// ---- largest payloads

static uint64_t most_setup(const struct rdf_setup *s) {
    (void)s;
    return 4 * (uint64_t)TRJ_BLOCK_ALWAYS_ALLOWED;
}

static uint64_t most_fixed(const struct rdf_setup *s) {
    (void)s;
    return TRJ_SMALL_BLOCK_MAX;
}

static uint64_t most_of_groups(const struct rdf_setup *s) {
    return TRJ_SMALL_BLOCK_MAX + sizeof(uint32_t) * (uint64_t)s->group_count;
}

static uint64_t most_of_pairs(const struct rdf_setup *s) {
    return TRJ_SMALL_BLOCK_MAX + sizeof(uint64_t) * (uint64_t)s->pair_count;
}

static uint64_t most_composition(const struct rdf_setup *s) {
    return TRJ_SMALL_BLOCK_MAX + (sizeof(uint32_t) + (TRJ_ELEMENTS + 1) * ELEMENT) * (uint64_t)s->group_count;
}

const struct rdf_setup_block rdf_setup_blocks[RDF_SETUP_BLOCKS] = {
    {"SETU", true, NULL, put_bins_and_groups, get_bins_and_groups, most_setup},
    {"CHNG", true, rdf_setup_has_dynamic_group, put_changing, get_changing, most_of_groups},
    {"EXCL", true, has_exclusion, put_exclusion, get_exclusion, most_of_pairs},
    {"LAGS", true, has_lag, put_lag, get_lag, most_of_pairs},
    {"COMP", false, has_elements, put_composition, get_composition, most_composition},
    {"SYST", false, has_system, put_system, get_system, most_fixed},
    {"PREC", false, has_precision, put_precision, get_precision, most_fixed},
};

uint64_t rdf_hist_most_of_record(const struct rdf_setup *s, size_t pairs) {
    // Frame ranges may take 8 times TRJ_BLOCK_ALWAYS_ALLOWED. Sums take 6 numbers of TRJ_EXACT_LIMBS for each pair.
    uint64_t bins = s->bins.count, rows = 1U + (s->exclusion != NULL) + (s->lag.frames > 0), of_pair;
    of_pair = rows * bins + 6 * TRJ_EXACT_LIMBS + 1; // at most 3e7: bins are at most RDF_MAX_BINS
    return TRJ_SMALL_BLOCK_MAX + 8 * (uint64_t)TRJ_BLOCK_ALWAYS_ALLOWED +
           sizeof(uint64_t) * (s->group_count + (uint64_t)pairs * of_pair);
}
