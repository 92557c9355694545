// SPDX-License-Identifier: MIT
// Computes one curve from the sums of all records. What the sums contain is decided in norm_sums.c.
#include "norm_curve.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    size_t bins = sums->coarse.bins, bin = curve * bins;
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
    for (size_t k = 0; k < bins; k++, bin++) {
        // If one normalisation applies to all records, their divisors are equal; else g is the mean of their curves.
        c->g[k] = together ? (double)sums->counts[bin] * scale / sums->measures[k] : sums->mean.sum[bin] / weight;
        passed += sums->counts[bin];
        c->n[k] = rdf_setup_neighbours(s, pair) * (double)passed / around;
    }
    if (!curve_mean_error(&c->error, &sums->mean, curve, c->g, err)) return 0;
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

// Sets a curve of a total, with the number `curve` among all, from its values for all counts; `together` as for
// rdf_sums_fit.
static int set_curve(struct rdf_curve *c, const double *u, const struct rdf_sums *sums, size_t curve, bool together,
                     struct trj_error *err) {
    size_t bins = sums->coarse.bins;
    if (!(c->g = trj_alloc(bins, sizeof *c->g, "a curve", err))) return -1;
    for (size_t k = 0; k < bins; k++)
        c->g[k] = together ? u[k] : sums->mean.sum[curve * bins + k] / sums->mean.weight[curve];
    return curve_mean_error(&c->error, &sums->mean, curve, c->g, err);
}

// Returns the mean of a curve of the form that contains the density.
static double *mean_in_form(const struct rdf_sums *sums, size_t curve, struct trj_error *err) {
    size_t bins = sums->coarse.bins;
    double *value = trj_alloc(bins, sizeof *value, "a curve", err);
    for (size_t k = 0; value && k < bins; k++)
        value[k] = sums->in_form.sum[curve * bins + k] / sums->in_form.weight[curve];
    return value;
}

// Replaces the error of a total, for contribution 0, or of a contribution by that of its form, which contains the
// density: the densities of records differ.
static int take_error_of_form(struct rdf_total_curve *c, const struct rdf_sums *sums, const struct rdf_setup *s,
                              size_t total, size_t contribution, struct trj_error *err) {
    struct curve_mean_error *e = contribution ? &c->contribution[contribution - 1].error : &c->curve.error;
    size_t curve = total * (1 + sums->contributions) + contribution;
    double *value = mean_in_form(sums, curve, err), scale[2];
    if (!value) return -1;
    free(e->error);
    int rc = curve_mean_error(e, &sums->in_form, curve, value, err);
    for (size_t k = 0; !rc && e->error && k < sums->coarse.bins; k++) {
        rdf_sums_form_scale(scale, sums, s, total, contribution, c->mean, c->density, k);
        e->error[k] /= fabs(scale[0]);
    }
    free(value);
    return rc;
}

int rdf_norm_total_covariance(double *covariance, const struct rdf_sums *sums, const struct rdf_setup *setup,
                              size_t total, const struct rdf_total_curve *c, struct trj_error *err) {
    size_t bins = sums->coarse.bins, curve = rdf_sums_total_curve(sums, setup, total),
           in_form = total * (1 + sums->contributions);
    double a[2], b[2];
    if (!sums->form) return curve_mean_covariance(covariance, &sums->mean, curve, c->curve.g, &c->curve.error, err);
    double *value = mean_in_form(sums, in_form, err);
    int rc = value ? curve_mean_covariance(covariance, &sums->in_form, in_form, value, &c->curve.error, err) : -1;
    for (size_t i = 0; !rc && i < bins * bins; i++) {
        rdf_sums_form_scale(a, sums, setup, total, 0, c->mean, c->density, i / bins);
        rdf_sums_form_scale(b, sums, setup, total, 0, c->mean, c->density, i % bins);
        covariance[i] /= a[0] * b[0];
    }
    free(value);
    return rc;
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
        c->density = rdf_sums_one_atom(sums, &norm, h->records, h->record_count) * sums->scattering.atoms;
        rdf_sums_limit(sums, s, c->weight);
        if (sums->contributions) memcpy(c->limit, sums->limits, sums->contributions * sizeof *c->limit);
        rdf_sums_total(u, sums, s, c->weight, sums->counts, sums->excluded);
        rc = set_curve(&c->curve, u, sums, curve, together, err);
    }
    for (size_t i = 0; !rc && i < sums->contributions; i++)
        rc = set_curve(&c->contribution[i], u + (1 + i) * bins, sums, curve + 1 + i, together, err);
    for (size_t i = 0; !rc && sums->form && i < 1 + sums->contributions; i++)
        rc = take_error_of_form(c, sums, s, total, i, err);
    free(u);
    if (rc) rdf_total_curve_free(c);
    return rc;
}
