// SPDX-License-Identifier: MIT
#include "norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define PI 3.14159265358979323846

// What sets the conventions apart: which density, and how many pairs a group is said to make with itself.
struct convention {
    enum { MEAN_INVERSE_VOLUME, INVERSE_MEAN_VOLUME, FRAME_BY_FRAME } density;
    bool
        square; // N^2 ordered pairs (N_A N_B for two groups), atoms with themselves among them though they are never counted
};

static const struct convention conventions[] = {
    {MEAN_INVERSE_VOLUME, false}, {INVERSE_MEAN_VOLUME, false}, {MEAN_INVERSE_VOLUME, true}, {FRAME_BY_FRAME, false}};

const struct trj_choice rdf_norms[] = {
    {"density", "mean density <1/V>, pairs of different atoms"},
    {"mdanalysis", "mean volume <V>, pairs of different atoms (MDAnalysis InterRDF, exclusion_block=(1,1))"},
    {"gromacs", "<1/V>, but N^2 pairs for a group with itself (gmx rdf)"},
    {"vmd", "g(r) of each frame with its own V, then the mean (measure gofr); takes rdfhist -B 1 where V varies"},
    {NULL, NULL},
};

static const struct convention *find(const char *name) {
    size_t i = 0;
    while (strcmp(rdf_norms[i].name, name)) i++; // the option table lets no other name through
    return &conventions[i];
}

void rdf_curve_free(struct rdf_curve *c) {
    free(c->g);
    free(c->n);
    free(c->error);
    *c = (struct rdf_curve){0};
}

struct rdf_record rdf_hist_total(const struct rdf_hist *h) {
    struct rdf_record t = h->records[0];
    for (size_t i = 1; i < h->record_count; i++) {
        const struct rdf_record *r = &h->records[i];
        t.frames += r->frames;
        t.volume_frames += r->volume_frames;
        trj_exact_merge(&t.volume, &r->volume);
        trj_exact_merge(&t.inverse_volume, &r->inverse_volume);
        t.volume_min = fmin(t.volume_min, r->volume_min);
        t.volume_max = fmax(t.volume_max, r->volume_max);
        t.height_min = fmin(t.height_min, r->height_min);
        t.height_max = fmax(t.height_max, r->height_max);
        t.periodic_all &= r->periodic_all;
        t.periodic_any |= r->periodic_any;
    }
    t.runs = NULL;
    t.counts = NULL;
    return t;
}

static bool slab(const struct rdf_record *r) {
    return r->height_max > 0;
}

// Volume of a sphere of radius r, or of what a slab of thickness h leaves of it; see norm.h.
static double ball(double r, double h) {
    if (h == 0) return 4.0 / 3.0 * PI * r * r * r;
    if (r <= h) return 4 * PI * (r * r * r / 3 - r * r * r * r / (8 * h));
    return 5.0 / 6.0 * PI * h * h * h + PI * h * (r * r - h * h);
}

static double shell(const struct rdf_bins *b, uint64_t k, double h) {
    double low = rdf_bins_edge(b, k), high = rdf_bins_edge(b, k + 1);
    // The plain shell from factors, not as a difference of cubes: at many bins that would lose digits.
    if (h == 0) return 4.0 / 3.0 * PI * (high - low) * (high * high + high * low + low * low);
    return ball(high, h) - ball(low, h);
}

static int check(const struct rdf_record *t, struct trj_error *err) {
    static const char *const use = "give --volume, or print --counts";
    if (t->periodic_all != t->periodic_any)
        return trj_fail(err, TRJ_BAD_DATA, "frames of different periodicity have no common g(r); %s", use);
    if (t->volume_frames < t->frames)
        return trj_fail(err, TRJ_BAD_DATA, "%llu of %llu frames have no volume; %s",
                        (unsigned long long)(t->frames - t->volume_frames), (unsigned long long)t->frames, use);
    if (t->periodic_all != TRJ_PERIODIC_ALL && !slab(t))
        return trj_fail(err, TRJ_BAD_DATA, "frames periodic in fewer than two directions have no uniform density; %s",
                        use);
    return 0;
}

// N_pairs as the convention sees it, unordered for a group with itself, as the counts are.
static double pair_number(const struct rdf_setup *s, size_t pair, const struct convention *c) {
    const struct rdf_pair *p = &s->pairs[pair];
    double a = (double)s->groups[p->a].atoms, b = (double)s->groups[p->b].atoms;
    if (!c->square) return (double)p->pairs;
    return p->a == p->b ? a * a / 2 : a * b;
}

// Sum over the record's frames of the density of one atom.
static double density_sum(const struct rdf_record *r, const struct convention *c, double volume) {
    double frames = (double)r->frames;
    if (volume > 0) return frames / volume;
    if (c->density == MEAN_INVERSE_VOLUME) return trj_exact_value(&r->inverse_volume);
    return frames * frames / trj_exact_value(&r->volume);
}

// g of the counts in one record, or of the sums over all.
static void curve_of(double *g, const struct rdf_setup *s, const struct rdf_record *r, const uint64_t *counts,
                     size_t pair, const struct convention *c, double volume) {
    double scale = 1 / (pair_number(s, pair, c) * density_sum(r, c, volume)), h = volume > 0 ? 0 : r->height_max;
    for (uint64_t k = 0; k < s->bins.count; k++) g[k] = (double)counts[k] * scale / shell(&s->bins, k, h);
}

// One curve from all records: their sums where one normalisation fits them all, else the mean of their curves, weighted by frames.
static int combine(struct rdf_curve *out, const struct rdf_hist *h, const struct rdf_record *total,
                   const uint64_t *sums, size_t pair, const struct convention *c, double volume,
                   struct trj_error *err) {
    uint64_t bins = h->setup.bins.count;
    bool given = volume > 0; // NaN is not
    bool each = !given && (c->density == FRAME_BY_FRAME || total->height_min != total->height_max);
    for (size_t i = 0; !given && i < h->record_count; i++) {
        const struct rdf_record *r = &h->records[i];
        if (c->density == FRAME_BY_FRAME && r->volume_min != r->volume_max)
            return trj_fail(err, TRJ_BAD_DATA,
                            "the volume varies within a record: this convention takes counts made with rdfhist -B 1");
        if (r->height_min != r->height_max)
            return trj_fail(err, TRJ_BAD_DATA,
                            "the thickness of the slab varies within a record: use counts made with rdfhist -B 1");
    }
    bool errors = h->record_count > 1;
    double *one = trj_alloc(bins, sizeof *one, "a curve", err);
    if (!one) return -1;
    if (!each) curve_of(out->g, &h->setup, total, sums, pair, c, volume);
    for (size_t i = 0; each && i < h->record_count; i++) {
        const struct rdf_record *r = &h->records[i];
        curve_of(one, &h->setup, r, r->counts + pair * bins, pair, c, volume);
        for (uint64_t k = 0; k < bins; k++) out->g[k] += one[k] * ((double)r->frames / (double)total->frames);
    }
    for (size_t i = 0; errors && i < h->record_count; i++) {
        const struct rdf_record *r = &h->records[i];
        double weight = (double)r->frames / (double)total->frames;
        curve_of(one, &h->setup, r, r->counts + pair * bins, pair, c, volume);
        for (uint64_t k = 0; k < bins; k++)
            out->error[k] += weight * weight * (one[k] - out->g[k]) * (one[k] - out->g[k]);
    }
    double records = (double)h->record_count;
    for (uint64_t k = 0; errors && k < bins; k++) out->error[k] = sqrt(out->error[k] * records / (records - 1));
    free(one);
    return 0;
}

int rdf_norm_curve(struct rdf_curve *c, const struct rdf_hist *h, size_t pair, const char *norm, double volume,
                   struct trj_error *err) {
    const struct convention *convention = find(norm);
    const struct rdf_setup *s = &h->setup;
    uint64_t bins = s->bins.count, *sums = NULL, passed = 0;
    struct rdf_record total = rdf_hist_total(h);
    *c = (struct rdf_curve){0};
    if (!(volume > 0) && check(&total, err)) return -1;
    c->g = trj_alloc(bins, sizeof *c->g, "a curve", err);
    c->n = c->g ? trj_alloc(bins, sizeof *c->n, "a curve", err) : NULL;
    sums = c->n ? trj_alloc(bins, sizeof *sums, "a curve", err) : NULL;
    if (!sums) goto out;
    if (h->record_count > 1 && !(c->error = trj_alloc(bins, sizeof *c->error, "a curve", err))) goto out;
    for (size_t i = 0; i < h->record_count; i++)
        for (uint64_t k = 0; k < bins; k++) sums[k] += h->records[i].counts[pair * bins + k];
    if (combine(c, h, &total, sums, pair, convention, volume, err)) goto out;
    const struct rdf_pair *p = &s->pairs[pair];
    double ordered = p->a == p->b ? 2 : 1, centres = (double)total.frames * (double)s->groups[p->a].atoms;
    for (uint64_t k = 0; k < bins; k++) {
        passed += sums[k];
        c->n[k] = ordered * (double)passed / centres;
    }
    free(sums);
    return 0;
out:
    free(sums);
    rdf_curve_free(c);
    return -1;
}
