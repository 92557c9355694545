// SPDX-License-Identifier: MIT
// Computes one curve from the sums of all records. What the sums contain is decided in norm_sums.c.
#include "norm_curve.h"

#include <stdlib.h>

#include "memory.h"
#include "norm_parts.h"

void rdf_curve_free(struct rdf_curve *c) {
    free(c->g);
    free(c->n);
    free(c->error.error);
    *c = (struct rdf_curve){0};
}

// Returns the sum of all records in the form that norm_parts.h requires; its arrays remain owned by `sums`.
static struct rdf_record all_records(const struct rdf_hist *h, const struct rdf_sums *sums) {
    struct rdf_record all = rdf_hist_total(h);
    all.own = sums->own;
    all.group_atoms = sums->group_atoms;
    all.pair_sums = sums->pair_sums;
    all.densities = sums->densities;
    return all;
}

int rdf_norm_curve(struct rdf_curve *c, const struct rdf_hist *h, const struct rdf_sums *sums, size_t curve,
                   struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    const size_t pair = curve / sums->second;
    const struct rdf_pair *p = &s->pairs[pair];
    struct rdf_record all = all_records(h, sums);
    struct rdf_convention norm;
    size_t bins = sums->coarse.bins, at = curve * bins;
    bool together;
    *c = (struct rdf_curve){0};
    if (rdf_convention_of(&norm, sums, err)) return -1;
    if (sums->own && !sums->own[pair])
        return trj_fail(err, TRJ_BAD_DATA,
                        "groups %s and %s have no common atom in any frame; leave --self out, or choose other groups",
                        s->groups[p->a].name, s->groups[p->b].name);
    if (!sums->own && sums->pair_sums && !(trj_exact_value(&sums->pair_sums[pair].pairs) > 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "groups %s and %s contain no pair of different atoms in any frame; choose other groups",
                        s->groups[p->a].name, s->groups[p->b].name);
    if (rdf_sums_fit(&together, sums, &norm, h, &all, err)) return -1;
    c->g = trj_alloc(bins, sizeof *c->g, "a curve", err);
    c->n = c->g ? trj_alloc(bins, sizeof *c->n, "a curve", err) : NULL;
    if (!c->n) goto fail;
    double scale = 1 / rdf_sums_expected(sums, &norm, s, &all, pair), weight = sums->mean.weight[curve],
           around = rdf_sums_centres(s, &all, pair);
    uint64_t passed = sums->below[curve];
    for (size_t k = 0; k < bins; k++, at++) {
        // If one normalisation applies to all records, their divisors are equal; else g is the mean of their curves.
        c->g[k] = together ? (double)sums->counts[at] * scale / sums->measures[k] : sums->mean.sum[at] / weight;
        passed += sums->counts[at];
        c->n[k] = rdf_setup_neighbours(s, pair) * (double)passed / around;
    }
    if (!rdf_mean_error(&c->error, &sums->mean, curve, c->g, err)) return 0;
fail:
    rdf_curve_free(c);
    return -1;
}

void rdf_total_curve_free(struct rdf_total_curve *c) {
    rdf_curve_free(&c->curve);
    free(c->weight);
    for (size_t i = 0; c->contribution && i < c->contribution_count; i++) rdf_curve_free(&c->contribution[i]);
    free(c->contribution);
    free(c->limit);
    *c = (struct rdf_total_curve){.weight = NULL};
}

// Returns the density of one atom that normalises g(r) of all frames; for a slab, the density inside the slab.
static double one_atom(const struct rdf_hist *h, const struct rdf_sums *s, const struct rdf_convention *c) {
    double frames = 0, inverse = 0, volume = 0;
    if (rdf_sums_given_volume(s) > 0) return 1 / rdf_sums_given_volume(s);
    for (size_t i = 0; i < h->record_count; i++) {
        const struct rdf_record *r = &h->records[i];
        double share = s->slab > 0 ? s->slab / rdf_sums_across(s, r) : 1;
        frames += (double)r->frames;
        inverse += trj_exact_value(&r->inverse_volume) / share;
        volume += trj_exact_value(&r->volume) * share;
    }
    return c->density == RDF_MEAN_INVERSE_VOLUME ? inverse / frames : frames / volume;
}

// Sets the limits of the contributions at large r.
static void set_limits(struct rdf_total_curve *c, const struct rdf_sums *sums, const struct rdf_setup *s) {
    size_t each = sums->split ? 2 : 1;
    for (size_t i = 0; i < sums->contributions; i += each) c->limit[i] = sums->rest[i / each];
    for (size_t p = 0; sums->contributions && p < s->pair_count; p++)
        c->limit[each * rdf_scattering_part(&sums->scattering, s->pairs[p].a, s->pairs[p].b)] += c->weight[p];
}

// Sets a curve of a total, with the number `curve` among all, from its values for all counts; `together` as for
// rdf_sums_fit.
static int set_curve(struct rdf_curve *c, const double *u, const struct rdf_sums *sums, size_t curve, bool together,
                     struct trj_error *err) {
    size_t bins = sums->coarse.bins;
    if (!(c->g = trj_alloc(bins, sizeof *c->g, "a curve", err))) return -1;
    for (size_t k = 0; k < bins; k++)
        c->g[k] = together ? u[k] : sums->mean.sum[curve * bins + k] / sums->mean.weight[curve];
    return rdf_mean_error(&c->error, &sums->mean, curve, c->g, err);
}

int rdf_norm_total(struct rdf_total_curve *c, const struct rdf_hist *h, struct rdf_sums *sums, size_t total,
                   struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    struct rdf_record all = all_records(h, sums);
    struct rdf_convention norm;
    size_t bins = sums->coarse.bins, curve = rdf_sums_total_curve(sums, s, total);
    bool together;
    *c = (struct rdf_total_curve){.contribution_count = sums->contributions};
    if (rdf_convention_of(&norm, sums, err) || rdf_sums_look_up(sums, s, err)) return -1;
    if (rdf_sums_fit(&together, sums, &norm, h, &all, err)) return -1;
    double *u = trj_alloc((1 + sums->contributions) * bins, sizeof *u, "a curve", err);
    c->weight = u ? trj_alloc(s->pair_count, sizeof *c->weight, "a curve", err) : NULL;
    c->contribution = c->weight ? trj_alloc(sums->contributions, sizeof *c->contribution, "a curve", err) : NULL;
    c->limit = c->contribution ? trj_alloc(sums->contributions, sizeof *c->limit, "a curve", err) : NULL;
    int rc = c->limit ? 0 : -1;
    if (!rc) {
        c->mean = rdf_sums_weigh(c->weight, sums, &norm, s, &all, total);
        c->density = one_atom(h, sums, &norm) * sums->scattering.atoms;
        set_limits(c, sums, s);
        rdf_sums_total(u, sums, s, c->weight, sums->counts, sums->excluded);
        rc = set_curve(&c->curve, u, sums, curve, together, err);
    }
    for (size_t i = 0; !rc && i < sums->contributions; i++)
        rc = set_curve(&c->contribution[i], u + (1 + i) * bins, sums, curve + 1 + i, together, err);
    free(u);
    if (rc) rdf_total_curve_free(c);
    return rc;
}
