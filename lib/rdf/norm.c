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

enum { DENSITY, MDANALYSIS, GROMACS, VMD, CONVENTIONS };

static const struct convention conventions[CONVENTIONS] = {
    [DENSITY] = {MEAN_INVERSE_VOLUME, false},
    [MDANALYSIS] = {INVERSE_MEAN_VOLUME, false},
    [GROMACS] = {MEAN_INVERSE_VOLUME, true},
    [VMD] = {FRAME_BY_FRAME, false},
};

const struct trj_choice rdf_norms[CONVENTIONS + 1] = {
    [DENSITY] = {"density", "mean density <1/V>, pairs of different atoms"},
    [MDANALYSIS] = {"mdanalysis",
                    "mean volume <V>, pairs of different atoms (MDAnalysis InterRDF, exclusion_block=(1,1))"},
    [GROMACS] = {"gromacs", "<1/V>, but N^2 pairs for a group with itself (gmx rdf)"},
    [VMD] = {"vmd",
             "g(r) of each frame with its own V, then the mean (measure gofr); takes rdfhist -B 1 where V varies"},
};

static const struct convention *find(const char *name) {
    for (size_t i = 0; i < CONVENTIONS; i++)
        if (!strcmp(rdf_norms[i].name, name)) return &conventions[i];
    return NULL;
}

void rdf_curve_free(struct rdf_curve *c) {
    free(c->g);
    free(c->n);
    free(c->error);
    *c = (struct rdf_curve){0};
}

// Takes [min, max] into [low, high]; zeros stand for no range.
static void widen(double *low, double *high, double min, double max) {
    if (min > 0 && (*low == 0 || min < *low)) *low = min;
    if (max > *high) *high = max;
}

struct rdf_record rdf_hist_total(const struct rdf_hist *h) {
    struct rdf_record t = h->records[0];
    for (size_t i = 1; i < h->record_count; i++) {
        const struct rdf_record *r = &h->records[i];
        t.frames += r->frames;
        t.volume_frames += r->volume_frames;
        trj_exact_merge(&t.volume, &r->volume);
        trj_exact_merge(&t.inverse_volume, &r->inverse_volume);
        widen(&t.volume_min, &t.volume_max, r->volume_min, r->volume_max);
        widen(&t.height_min, &t.height_max, r->height_min, r->height_max);
        t.periodic_all &= r->periodic_all;
        t.periodic_any |= r->periodic_any;
    }
    t.runs = NULL;
    t.counts = t.group_atoms = NULL;
    t.pair_sums = NULL;
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

// The sums of pairs as the convention sees them, and of their density.
static const struct trj_exact_sum *pair_sum(const struct rdf_pair_sums *p, const struct convention *c) {
    return c->square ? &p->product : &p->pairs;
}

static const struct trj_exact_sum *density_sum(const struct rdf_pair_sums *p, const struct convention *c) {
    return c->square ? &p->product_density : &p->pair_density;
}

// N_pairs as the convention sees it, unordered for a group with itself, as the counts are.
static double pair_number(const struct rdf_setup *s, size_t pair, const struct convention *c) {
    const struct rdf_pair *p = &s->pairs[pair];
    double a = (double)s->groups[p->a].atoms, b = (double)s->groups[p->b].atoms;
    if (!c->square) return (double)p->pairs;
    return p->a == p->b ? a * a / 2 : a * b;
}

// How many counts a shell of 1 Å^3 has on average, where pairs are spread evenly: the sum over frames of N_pairs times the density of one
// atom. `r` is a record, or all together; `changing` the sums of its pairs where groups change, else NULL.
static double expected(const struct rdf_setup *s, const struct rdf_record *r, const struct rdf_pair_sums *changing,
                       size_t pair, const struct convention *c, double volume) {
    double frames = (double)r->frames;
    double pairs = changing ? trj_exact_value(pair_sum(&changing[pair], c)) / frames : pair_number(s, pair, c);
    if (volume > 0) return pairs * (frames / volume);
    if (c->density != MEAN_INVERSE_VOLUME) return pairs * (frames * frames / trj_exact_value(&r->volume));
    return changing ? trj_exact_value(density_sum(&changing[pair], c)) : pairs * trj_exact_value(&r->inverse_volume);
}

// What a record counts for among others.
static double weight(const struct rdf_record *r, size_t pair, const struct convention *c) {
    if (!r->pair_sums || c->density == FRAME_BY_FRAME) return (double)r->frames;
    return trj_exact_value(pair_sum(&r->pair_sums[pair], c));
}

void rdf_sums_free(struct rdf_sums *s) {
    free(s->counts);
    free(s->weighted);
    free(s->first);
    free(s->second);
    free(s->shells);
    free(s->weight);
    free(s->weight2);
    free(s->group_atoms);
    free(s->pair_sums);
    s->counts = s->group_atoms = NULL;
    s->weighted = s->first = s->second = s->shells = s->weight = s->weight2 = NULL;
    s->pair_sums = NULL;
}

static int open_sums(struct rdf_sums *s, const struct rdf_setup *setup, struct trj_error *err) {
    size_t n = setup->pair_count * setup->bins.count;
    s->bins = setup->bins.count;
    s->counts = trj_alloc(n, sizeof *s->counts, "sums", err);
    if (!s->counts) return -1;
    if (rdf_setup_changes(setup)) {
        s->group_atoms = trj_alloc(setup->group_count, sizeof *s->group_atoms, "sums", err);
        s->pair_sums = trj_alloc(setup->pair_count, sizeof *s->pair_sums, "sums", err);
        if (!s->group_atoms || !s->pair_sums) return -1;
    }
    if (!s->norm) return 0;
    s->weighted = trj_alloc(n, sizeof *s->weighted, "sums", err);
    s->first = trj_alloc(n, sizeof *s->first, "sums", err);
    s->second = trj_alloc(n, sizeof *s->second, "sums", err);
    s->shells = trj_alloc(s->bins, sizeof *s->shells, "shells", err);
    s->weight = trj_alloc(setup->pair_count, sizeof *s->weight, "sums", err);
    s->weight2 = trj_alloc(setup->pair_count, sizeof *s->weight2, "sums", err);
    s->thickness = NAN;
    return s->weighted && s->first && s->second && s->shells && s->weight && s->weight2 ? 0 : -1;
}

static void set_shells(struct rdf_sums *s, const struct rdf_bins *bins, double thickness) {
    if (s->thickness == thickness) return;
    s->thickness = thickness;
    for (uint64_t k = 0; k < bins->count; k++) s->shells[k] = shell(bins, k, thickness);
}

static void add_sums(struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *r) {
    for (size_t g = 0; g < setup->group_count; g++) s->group_atoms[g] += r->group_atoms[g];
    for (size_t p = 0; p < setup->pair_count; p++) {
        const struct rdf_pair_sums *from = &r->pair_sums[p];
        struct rdf_pair_sums *to = &s->pair_sums[p];
        trj_exact_merge(&to->pairs, &from->pairs);
        trj_exact_merge(&to->product, &from->product);
        trj_exact_merge(&to->pair_density, &from->pair_density);
        trj_exact_merge(&to->product_density, &from->product_density);
    }
}

// The record's own curve of a pair, and what it counts for.
static int add_curve(struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *r, size_t pair,
                     const struct convention *c, struct trj_error *err) {
    const struct rdf_pair *p = &setup->pairs[pair];
    double w = weight(r, pair, c);
    if (c->density == FRAME_BY_FRAME && r->pair_sums && !(trj_exact_value(&r->pair_sums[pair].pairs) > 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "groups %s and %s hold no pair in some frame: it has no g(r), and this convention no mean",
                        setup->groups[p->a].name, setup->groups[p->b].name);
    s->weight[pair] += w;
    s->weight2[pair] += w * w;
    double scale = w > 0 ? 1 / expected(setup, r, r->pair_sums, pair, c, s->volume) : 0;
    for (uint64_t k = 0, i = pair * s->bins; k < s->bins; k++, i++) {
        double g = (double)r->counts[i] * scale / s->shells[k];
        s->weighted[i] += w * g;
        s->first[i] += w * w * g;
        s->second[i] += w * w * g * g;
    }
    return 0;
}

int rdf_sums_take(void *sums, const struct rdf_setup *setup, const struct rdf_record *r, struct trj_error *err) {
    struct rdf_sums *s = sums;
    const struct convention *convention = s->norm ? find(s->norm) : NULL;
    if (s->norm && !convention) return trj_fail(err, TRJ_USAGE, "norm: there is no convention '%s'", s->norm);
    if (!s->counts && open_sums(s, setup, err)) return -1;
    s->records++;
    if (s->pair_sums) add_sums(s, setup, r);
    for (size_t i = 0; i < setup->pair_count * s->bins; i++) s->counts[i] += r->counts[i];
    if (!convention) return 0;
    set_shells(s, &setup->bins, s->volume > 0 ? 0 : r->height_max);
    for (size_t p = 0; p < setup->pair_count; p++)
        if (add_curve(s, setup, r, p, convention, err)) return -1;
    return 0;
}

// Whether one normalisation fits all records, so that their counts may be added first.
static int uniform(bool *result, const struct rdf_hist *h, const struct rdf_record *total, const struct convention *c,
                   struct trj_error *err) {
    *result = c->density != FRAME_BY_FRAME && total->height_min == total->height_max;
    for (size_t i = 0; i < h->record_count; i++) {
        const struct rdf_record *r = &h->records[i];
        if (c->density == FRAME_BY_FRAME && r->volume_min != r->volume_max)
            return trj_fail(err, TRJ_BAD_DATA,
                            "the volume varies within a record: this convention takes counts made with rdfhist -B 1");
        if (c->density == FRAME_BY_FRAME && rdf_setup_changes(&h->setup) && r->frames > 1)
            return trj_fail(err, TRJ_BAD_DATA,
                            "groups change within a record: this convention takes counts made with rdfhist -B 1");
        if (r->height_min != r->height_max)
            return trj_fail(err, TRJ_BAD_DATA,
                            "the thickness of the slab varies within a record: use counts made with rdfhist -B 1");
    }
    return 0;
}

int rdf_norm_curve(struct rdf_curve *c, const struct rdf_hist *h, const struct rdf_sums *sums, size_t pair,
                   struct trj_error *err) {
    const struct convention *convention = find(sums->norm);
    const struct rdf_setup *s = &h->setup;
    const struct rdf_pair *p = &s->pairs[pair];
    struct rdf_record total = rdf_hist_total(h);
    size_t bins = s->bins.count, at = pair * bins;
    bool given = sums->volume > 0, together = true; // NaN is not given
    *c = (struct rdf_curve){0};
    if (!convention) return trj_fail(err, TRJ_USAGE, "norm: there is no convention '%s'", sums->norm);
    if (sums->pair_sums && !(trj_exact_value(&sums->pair_sums[pair].pairs) > 0))
        return trj_fail(err, TRJ_BAD_DATA, "groups %s and %s hold no pair of different atoms in any frame",
                        s->groups[p->a].name, s->groups[p->b].name);
    if (!given && (check(&total, err) || uniform(&together, h, &total, convention, err))) return -1;
    c->g = trj_alloc(bins, sizeof *c->g, "a curve", err);
    c->n = c->g ? trj_alloc(bins, sizeof *c->n, "a curve", err) : NULL;
    if (!c->n || (sums->records > 1 && !(c->error = trj_alloc(bins, sizeof *c->error, "a curve", err)))) {
        rdf_curve_free(c);
        return -1;
    }
    double scale = 1 / expected(s, &total, sums->pair_sums, pair, convention, sums->volume),
           thickness = given ? 0 : total.height_max, all = sums->weight[pair], records = (double)sums->records,
           centres = sums->group_atoms ? (double)sums->group_atoms[p->a]
                                       : (double)total.frames * (double)s->groups[p->a].atoms;
    uint64_t passed = 0;
    for (size_t k = 0; k < bins; k++, at++) {
        // The mean of the records' curves, weighted by frames, where each has its own normalisation.
        c->g[k] =
            together ? (double)sums->counts[at] * scale / shell(&s->bins, k, thickness) : sums->weighted[at] / all;
        passed += sums->counts[at];
        c->n[k] = (p->a == p->b ? 2 : 1) * (double)passed / centres;
        if (!c->error) continue;
        // sum of w^2 (g_record - g)^2, w = W / sum of W, multiplied out.
        double square = sums->second[at] - 2 * c->g[k] * sums->first[at] + c->g[k] * c->g[k] * sums->weight2[pair];
        c->error[k] = sqrt(fmax(square, 0) / (all * all) * records / (records - 1));
    }
    return 0;
}
