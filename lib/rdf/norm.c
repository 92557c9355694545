// SPDX-License-Identifier: MIT
#include "norm.h"

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
    return all;
}

int rdf_norm_curve(struct rdf_curve *c, const struct rdf_hist *h, const struct rdf_sums *sums, size_t pair,
                   struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    const struct rdf_pair *p = &s->pairs[pair];
    struct rdf_record all = all_records(h, sums);
    struct rdf_convention norm;
    size_t bins = sums->rebin.bins, at = pair * bins;
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
    double scale = 1 / rdf_sums_expected(sums, &norm, s, &all, pair), weight = sums->mean.weight[pair],
           around = rdf_sums_centres(s, &all, pair);
    uint64_t passed = sums->below[pair];
    for (size_t k = 0; k < bins; k++, at++) {
        // If one normalisation applies to all records, their divisors are equal; else g is the mean of their curves.
        c->g[k] = together ? (double)sums->counts[at] * scale / sums->measures[k] : sums->mean.sum[at] / weight;
        passed += sums->counts[at];
        c->n[k] = rdf_setup_neighbours(s, pair) * (double)passed / around;
    }
    if (!rdf_mean_error(&c->error, &sums->mean, pair, c->g, err)) return 0;
fail:
    rdf_curve_free(c);
    return -1;
}

void rdf_total_curve_free(struct rdf_total_curve *c) {
    rdf_curve_free(&c->curve);
    free(c->weight);
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

int rdf_norm_total(struct rdf_total_curve *c, const struct rdf_hist *h, struct rdf_sums *sums, size_t total,
                   struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    struct rdf_record all = all_records(h, sums);
    struct rdf_convention norm;
    size_t bins = sums->rebin.bins, curve = s->pair_count + total;
    bool together;
    *c = (struct rdf_total_curve){.weight = NULL};
    if (rdf_convention_of(&norm, sums, err) || rdf_sums_look_up(sums, s, err)) return -1;
    if (rdf_sums_fit(&together, sums, &norm, h, &all, err)) return -1;
    double *u = c->curve.g = trj_alloc(bins, sizeof *u, "a curve", err), rest;
    c->weight = u ? trj_alloc(s->pair_count, sizeof *c->weight, "a curve", err) : NULL;
    if (!c->weight) goto fail;
    c->mean = rdf_sums_weigh(c->weight, &rest, sums, &norm, s, &all, total);
    c->density = one_atom(h, sums, &norm) * sums->scattering.atoms;
    for (size_t p = 0; p < s->pair_count; p++) {
        double scale = sums->pairs[p] > 0 ? c->weight[p] / sums->pairs[p] : 0;
        for (size_t k = 0; k < bins; k++) u[k] += scale * (double)sums->counts[p * bins + k];
    }
    for (size_t k = 0; k < bins; k++)
        u[k] = together ? u[k] / sums->measures[k] + rest : sums->mean.sum[curve * bins + k] / sums->mean.weight[curve];
    if (!rdf_mean_error(&c->curve.error, &sums->mean, curve, u, err)) return 0;
fail:
    rdf_total_curve_free(c);
    return -1;
}
