// SPDX-License-Identifier: MIT
#include "norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

#define PI 3.14159265358979323846

// What sets the conventions apart: which density, how many pairs a group is said to make with itself, and what the counts of a bin are divided by.
struct convention {
    enum { MEAN_INVERSE_VOLUME, INVERSE_MEAN_VOLUME, FRAME_BY_FRAME, GIVEN } density;
    bool
        square; // N^2 ordered pairs (N_A N_B for two groups), atoms with themselves among them though they are never counted
    enum { SHELL, RING, WIDTH, BIN } measure; // volume of its shell, or ring in the plane of a slab, its width, nothing
    double given;                             // GIVEN: of atoms of B
};

enum { DENSITY, MDANALYSIS, GROMACS, VMD, MDTRAJ, CPPTRAJ, PLANE, NUMBER, RADIAL, NONE, CONVENTIONS };

static const struct convention conventions[CONVENTIONS] = {
    [DENSITY] = {MEAN_INVERSE_VOLUME, false, SHELL, 0},
    [MDANALYSIS] = {INVERSE_MEAN_VOLUME, false, SHELL, 0},
    [GROMACS] = {MEAN_INVERSE_VOLUME, true, SHELL, 0},
    [VMD] = {FRAME_BY_FRAME, false, SHELL, 0},
    [MDTRAJ] = {MEAN_INVERSE_VOLUME, false, SHELL, 0},
    [CPPTRAJ] = {GIVEN, false, SHELL, 0.033456},
    [PLANE] = {MEAN_INVERSE_VOLUME, false, RING, 0},
    [NUMBER] = {GIVEN, false, SHELL, 1},
    [RADIAL] = {GIVEN, false, WIDTH, 1},
    [NONE] = {GIVEN, false, BIN, 1},
};

const struct trj_choice rdf_norms[CONVENTIONS + 1] = {
    [DENSITY] = {"density", "mean density <1/V>, pairs of different atoms"},
    [MDANALYSIS] = {"mdanalysis",
                    "mean volume <V>, pairs of different atoms (MDAnalysis InterRDF, exclusion_block=(1,1); cpptraj "
                    "radial volume)"},
    [GROMACS] = {"gromacs", "<1/V>, but N^2 pairs for a group with itself (gmx rdf)"},
    [VMD] = {"vmd",
             "g(r) of each frame with its own V, then the mean (measure gofr); takes rdfhist -B 1 where V varies"},
    [MDTRAJ] = {"mdtraj", "as density (mdtraj.compute_rdf with the pairs of select_pairs)"},
    [CPPTRAJ] = {"cpptraj", "density 0.033456 of B, that of water (cpptraj radial), or --density"},
    [PLANE] = {"plane", "g(r) in two dimensions, of atoms in a plane, from frames periodic in two directions"},
    [NUMBER] = {"number", "atoms of B per cubic Angstrom, rho g(r); takes no volume"},
    [RADIAL] = {"radial", "atoms of B per Angstrom, 4 pi r^2 rho g(r); takes no volume"},
    [NONE] = {"none", "atoms of B in the bin, around one of A; takes no volume"},
};

// What the column holds, and its name; and that of the self part.
static const struct trj_choice selves[CONVENTIONS] =
    {
        [DENSITY] = {"Gs", "G_s(r,t), share of the atoms that went so far, per cubic Angstrom"},
        [NUMBER] = {"Gs", "G_s(r,t), share of the atoms that went so far, per cubic Angstrom"},
        [RADIAL] = {"radialGs", "4 pi r^2 G_s(r,t), share of the atoms that went so far, per Angstrom"},
        [NONE] = {"share", "share of the atoms that went so far"},
},
                               columns[CONVENTIONS] = {
                                   [NUMBER] = {"number", "rho g(r), atoms of B per cubic Angstrom around one of A"},
                                   [RADIAL] = {"radial", "4 pi r^2 rho g(r), atoms of B per Angstrom around one of A"},
                                   [NONE] = {"atoms", "atoms of B in the bin, around one of A"},
};

static size_t number_of(const char *name) {
    size_t i = 0;
    while (i < CONVENTIONS && strcmp(rdf_norms[i].name, name) != 0) i++;
    return i;
}

const struct trj_choice *rdf_norm_column(const char *norm, bool self) {
    static const struct trj_choice g = {"g", "g(r)"};
    size_t i = number_of(norm);
    if (self && i < CONVENTIONS) return &selves[i];
    return i < CONVENTIONS && columns[i].name ? &columns[i] : &g;
}

// The convention that the sums are for; a zero or NaN is not given.
static int find(struct convention *c, const struct rdf_sums *s, struct trj_error *err) {
    size_t i = number_of(s->norm);
    if (i == CONVENTIONS) return trj_fail(err, TRJ_USAGE, "norm: there is no convention '%s'", s->norm);
    *c = conventions[i];
    bool volume = s->volume > 0, density = s->density > 0, droplet = s->droplet > 0;
    if (volume + density + droplet > 1)
        return trj_fail(err, TRJ_USAGE, "a volume, a density and a droplet say the same: give one of them");
    if (density && i != DENSITY && i != CPPTRAJ)
        return trj_fail(err, TRJ_USAGE, "density: the convention %s takes none", s->norm);
    if ((volume || droplet) && (c->density == GIVEN || c->measure == RING))
        return trj_fail(err, TRJ_USAGE, "%s: the convention %s takes none", volume ? "volume" : "droplet", s->norm);
    if (density) {
        c->density = GIVEN;
        c->given = s->density;
    }
    if (!s->self) return 0;
    if (volume || density || droplet) return trj_fail(err, TRJ_USAGE, "the self part takes no volume and no density");
    if (i != DENSITY && (c->density != GIVEN || i == CPPTRAJ))
        return trj_fail(err, TRJ_USAGE, "norm: the self part is a density: it is one of density, number, radial, none");
    c->density = GIVEN;
    c->given = 1;
    return 0;
}

int rdf_sums_check(const struct rdf_sums *s, struct trj_error *err) {
    struct convention c;
    return s->norm ? find(&c, s, err) : 0;
}

void rdf_curve_free(struct rdf_curve *c) {
    free(c->g);
    free(c->n);
    free(c->error.error);
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
        t.step = fmax(t.step, r->step);
    }
    t.runs = NULL;
    t.counts = t.group_atoms = t.moved = t.own = NULL;
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

// What a droplet of radius R leaves of the shell: its volume times C(high/R) - C(low/R); see norm.h. In factors, as the plain shell, for the same
// reason.
static double droplet_shell(double low, double high, double radius) {
    double x = low / radius, y = fmin(high / radius, 2), d = y - x, square = y * y + y * x + x * x;
    if (!(d > 0)) return 0;
    return 4.0 / 3.0 * PI * radius * radius * radius *
           (d * square - 9.0 / 16.0 * d * (y + x) * (y * y + x * x) + d * square * (y * y * y + x * x * x) / 32);
}

static double shell(double low, double high, double h) {
    // The plain shell from factors, not as a difference of cubes: at many bins that would lose digits.
    if (h == 0) return 4.0 / 3.0 * PI * (high - low) * (high * high + high * low + low * low);
    return ball(high, h) - ball(low, h);
}

static int check_volumes(const struct rdf_record *t, const struct convention *c, struct trj_error *err) {
    static const char *const use = "give --volume, or print --counts";
    if (t->periodic_all != t->periodic_any)
        return trj_fail(err, TRJ_BAD_DATA, "frames of different periodicity have no common g(r); %s", use);
    if (t->volume_frames < t->frames)
        return trj_fail(err, TRJ_BAD_DATA, "%llu of %llu frames have no volume; %s",
                        (unsigned long long)(t->frames - t->volume_frames), (unsigned long long)t->frames, use);
    if (c->measure == RING && !slab(t))
        return trj_fail(err, TRJ_BAD_DATA,
                        "frames that are not periodic in just two directions have no plane; see trjcat --periodic");
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
    return rdf_setup_unordered(s, pair) ? a * a / 2 : a * b;
}

// How many atoms of A there were to be a centre, summed over the frames; of the self part those in both groups.
static double centres(const struct rdf_setup *s, const struct rdf_record *r, const uint64_t *group_atoms, size_t pair) {
    uint32_t a = s->pairs[pair].a;
    if (s->lag.self && r->own) return (double)r->own[pair];
    return group_atoms ? (double)group_atoms[a] : (double)r->frames * (double)s->groups[a].atoms;
}

// How often an atom of B near one of A is counted: each pair of a group with itself is two neighbours.
static double neighbours(const struct rdf_setup *s, size_t pair) {
    return rdf_setup_unordered(s, pair) ? 2 : 1;
}

// How many counts a bin of measure 1 has on average, where pairs are spread evenly: the sum over frames of N_pairs times the density of one
// atom. `r` is a record, or all together; `changing` the sums of its pairs, `group_atoms` of its atoms where groups change, else NULL.
static double expected(const struct rdf_setup *s, const struct rdf_record *r, const struct rdf_pair_sums *changing,
                       const uint64_t *group_atoms, size_t pair, const struct convention *c, double volume) {
    double frames = (double)r->frames;
    if (c->density == GIVEN) return centres(s, r, group_atoms, pair) * c->given / neighbours(s, pair);
    double pairs = changing ? trj_exact_value(pair_sum(&changing[pair], c)) / frames : pair_number(s, pair, c);
    if (volume > 0) return pairs * (frames / volume);
    if (c->density != MEAN_INVERSE_VOLUME) return pairs * (frames * frames / trj_exact_value(&r->volume));
    return changing ? trj_exact_value(density_sum(&changing[pair], c)) : pairs * trj_exact_value(&r->inverse_volume);
}

// What a record counts for among others.
static double weight(const struct rdf_setup *s, const struct rdf_record *r, size_t pair, const struct convention *c) {
    if (!r->pair_sums || c->density == FRAME_BY_FRAME) return (double)r->frames;
    if (c->density == GIVEN) return centres(s, r, r->group_atoms, pair);
    return trj_exact_value(pair_sum(&r->pair_sums[pair], c));
}

void rdf_sums_free(struct rdf_sums *s) {
    free(s->counts);
    free(s->below);
    free(s->record);
    free(s->weighted);
    free(s->weights);
    free(s->measures);
    free(s->group_atoms);
    free(s->pair_sums);
    free(s->own);
    rdf_mean_free(&s->mean);
    s->counts = s->below = s->record = s->group_atoms = s->own = NULL;
    s->weighted = s->weights = s->measures = NULL;
    s->pair_sums = NULL;
}

static int open_sums(struct rdf_sums *s, const struct rdf_setup *setup, struct trj_error *err) {
    if (rdf_view_fit(&s->view, &setup->bins, err)) return -1;
    double farthest = rdf_view_edge(&s->view, &setup->bins, s->view.bins - 1);
    if (s->droplet > 0 && farthest >= 2 * s->droplet)
        return trj_fail(err, TRJ_USAGE,
                        "droplet: its diameter is %.10g Å, but bins go on beyond %.10g; give a range that ends there",
                        2 * s->droplet, farthest);
    size_t n = setup->pair_count * s->view.bins;
    s->counts = trj_alloc(n, sizeof *s->counts, "sums", err);
    s->record = s->counts ? trj_alloc(n, sizeof *s->record, "sums", err) : NULL;
    s->below = s->record ? trj_alloc(setup->pair_count, sizeof *s->below, "sums", err) : NULL;
    if (!s->below) return -1;
    if (setup->lag.self && !(s->own = trj_alloc(setup->pair_count, sizeof *s->own, "sums", err))) return -1;
    if (rdf_setup_changes(setup)) {
        s->group_atoms = trj_alloc(setup->group_count, sizeof *s->group_atoms, "sums", err);
        s->pair_sums = s->group_atoms ? trj_alloc(setup->pair_count, sizeof *s->pair_sums, "sums", err) : NULL;
        if (!s->pair_sums) return -1;
    }
    if (!s->norm) return 0;
    s->weighted = trj_alloc(n, sizeof *s->weighted, "sums", err);
    s->weights = s->weighted ? trj_alloc(setup->pair_count, sizeof *s->weights, "sums", err) : NULL;
    s->measures = s->weights ? trj_alloc(s->view.bins, sizeof *s->measures, "shells", err) : NULL;
    s->thickness = NAN;
    return s->measures ? rdf_mean_open(&s->mean, setup->pair_count, s->view.bins, err) : -1;
}

// The volume that stands in for that of the frames; 0 or NaN: none.
static double given_volume(const struct rdf_sums *s) {
    return s->droplet > 0 ? ball(s->droplet, 0) : s->volume;
}

// Where no volume of the frames is used, what is outside of a slab is not left out either.
static bool takes_volumes(const struct rdf_sums *s, const struct convention *c) {
    return !(given_volume(s) > 0) && c->density != GIVEN;
}

// What the counts of a bin are divided by besides the density.
static double measure(const struct rdf_sums *s, const struct rdf_setup *setup, const struct convention *c, uint64_t k,
                      double thickness) {
    double low = rdf_view_edge(&s->view, &setup->bins, k), high = rdf_view_edge(&s->view, &setup->bins, k + 1);
    switch (c->measure) {
    case SHELL:
        return s->droplet > 0 ? droplet_shell(low, high, s->droplet) : shell(low, high, thickness);
    case RING:
        return thickness * PI * (high - low) * (high + low);
    case WIDTH:
        return high - low;
    default:
        return 1;
    }
}

static void set_measures(struct rdf_sums *s, const struct rdf_setup *setup, const struct convention *c,
                         double thickness) {
    if (s->thickness == thickness) return;
    s->thickness = thickness;
    for (uint64_t k = 0; k < s->view.bins; k++) s->measures[k] = measure(s, setup, c, k, thickness);
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

// The record's own curve of a pair, times what it counts for.
static int make_curve(struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *r, size_t pair,
                      const struct convention *c, struct trj_error *err) {
    const struct rdf_pair *p = &setup->pairs[pair];
    double w = weight(setup, r, pair, c);
    if (c->density == FRAME_BY_FRAME && r->pair_sums && !(trj_exact_value(&r->pair_sums[pair].pairs) > 0))
        return trj_fail(err, TRJ_BAD_DATA,
                        "groups %s and %s hold no pair in some frame: it has no g(r), and this convention no mean",
                        setup->groups[p->a].name, setup->groups[p->b].name);
    s->weights[pair] = w;
    double scale = w > 0 ? w / expected(setup, r, r->pair_sums, r->group_atoms, pair, c, given_volume(s)) : 0;
    for (uint64_t k = 0, i = pair * s->view.bins; k < s->view.bins; k++, i++)
        s->weighted[i] = (double)s->record[i] * scale / s->measures[k];
    return 0;
}

int rdf_sums_take(void *sums, const struct rdf_setup *setup, const struct rdf_record *r, struct trj_error *err) {
    struct rdf_sums *s = sums;
    struct convention convention = conventions[DENSITY];
    if (s->norm && find(&convention, s, err)) return -1;
    if (!s->counts && open_sums(s, setup, err)) return -1;
    s->records++;
    if (s->pair_sums) add_sums(s, setup, r);
    for (size_t p = 0; s->own && p < setup->pair_count; p++) s->own[p] += r->own[p];
    for (size_t p = 0; p < setup->pair_count; p++)
        s->below[p] += rdf_view_counts(&s->view, r->counts + p * setup->bins.count, s->record + p * s->view.bins);
    for (size_t i = 0; i < setup->pair_count * s->view.bins; i++) s->counts[i] += s->record[i];
    if (!s->norm) return 0;
    set_measures(s, setup, &convention, takes_volumes(s, &convention) ? r->height_max : 0);
    for (size_t p = 0; p < setup->pair_count; p++)
        if (make_curve(s, setup, r, p, &convention, err)) return -1;
    return rdf_mean_add(&s->mean, s->weighted, s->weights, err);
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
    const struct rdf_setup *s = &h->setup;
    const struct rdf_pair *p = &s->pairs[pair];
    struct rdf_record total = rdf_hist_total(h);
    struct convention convention;
    size_t bins = sums->view.bins, at = pair * bins;
    bool together = true;
    *c = (struct rdf_curve){0};
    if (find(&convention, sums, err)) return -1;
    total.own = sums->own;
    if (sums->own && !sums->own[pair])
        return trj_fail(err, TRJ_BAD_DATA, "groups %s and %s have no atom in common in any frame", s->groups[p->a].name,
                        s->groups[p->b].name);
    if (!sums->own && sums->pair_sums && !(trj_exact_value(&sums->pair_sums[pair].pairs) > 0))
        return trj_fail(err, TRJ_BAD_DATA, "groups %s and %s hold no pair of different atoms in any frame",
                        s->groups[p->a].name, s->groups[p->b].name);
    bool volumes = takes_volumes(sums, &convention);
    if (volumes && (check_volumes(&total, &convention, err) || uniform(&together, h, &total, &convention, err)))
        return -1;
    c->g = trj_alloc(bins, sizeof *c->g, "a curve", err);
    c->n = c->g ? trj_alloc(bins, sizeof *c->n, "a curve", err) : NULL;
    if (!c->n) goto fail;
    double scale = 1 / expected(s, &total, sums->pair_sums, sums->group_atoms, pair, &convention, given_volume(sums)),
           thickness = volumes ? total.height_max : 0, all = sums->mean.weight[pair],
           around = centres(s, &total, sums->group_atoms, pair);
    uint64_t passed = sums->below[pair];
    for (size_t k = 0; k < bins; k++, at++) {
        // The mean of the records' curves, weighted by frames, where each has its own normalisation.
        c->g[k] = together ? (double)sums->counts[at] * scale / measure(sums, s, &convention, k, thickness)
                           : sums->mean.sum[at] / all;
        passed += sums->counts[at];
        c->n[k] = neighbours(s, pair) * (double)passed / around;
    }
    if (!rdf_mean_error(&c->error, &sums->mean, pair, c->g, err)) return 0;
fail:
    rdf_curve_free(c);
    return -1;
}
