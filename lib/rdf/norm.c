// SPDX-License-Identifier: MIT
#include "norm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "shell.h"

// What sets the conventions apart: which density, how many pairs a group is said to make with itself, and what the counts of a bin are divided by.
struct convention {
    enum { MEAN_INVERSE_VOLUME, INVERSE_MEAN_VOLUME, FRAME_BY_FRAME, GIVEN } density;
    // N_A N_B of two groups, N^2 of one with itself, atoms with themselves among them though they are never counted.
    enum { NEVER = 0, OF_TWO = 1, OF_ITSELF = 2, ALWAYS = 3 } square;
    enum { SHELL, RING, WIDTH, BIN } measure; // volume of its shell, area of its ring in a plane, its width, nothing
    double given;                             // GIVEN: of atoms of B
};

enum { DENSITY, MDANALYSIS, GROMACS, VMD, MDTRAJ, CPPTRAJ, PLANE, NUMBER, RADIAL, NONE, CONVENTIONS };

static const struct convention conventions[CONVENTIONS] = {
    [DENSITY] = {MEAN_INVERSE_VOLUME, NEVER, SHELL, 0},
    [MDANALYSIS] = {INVERSE_MEAN_VOLUME, OF_TWO, SHELL, 0},
    [GROMACS] = {MEAN_INVERSE_VOLUME, ALWAYS, SHELL, 0},
    [VMD] = {FRAME_BY_FRAME, NEVER, SHELL, 0},
    [MDTRAJ] = {MEAN_INVERSE_VOLUME, NEVER, SHELL, 0},
    [CPPTRAJ] = {GIVEN, NEVER, SHELL, 0.033456},
    [PLANE] = {MEAN_INVERSE_VOLUME, NEVER, RING, 0},
    [NUMBER] = {GIVEN, NEVER, SHELL, 1},
    [RADIAL] = {GIVEN, NEVER, WIDTH, 1},
    [NONE] = {GIVEN, NEVER, BIN, 1},
};

const struct trj_choice rdf_norms[CONVENTIONS + 1] = {
    [DENSITY] = {"density", "mean density <1/V>, pairs of different atoms"},
    [MDANALYSIS] = {"mdanalysis",
                    "mean volume <V>, pairs of different atoms, N_A N_B of two groups (MDAnalysis InterRDF)"},
    [GROMACS] = {"gromacs", "<1/V>, but N^2 pairs for a group with itself (gmx rdf)"},
    [VMD] = {"vmd",
             "g(r) of each frame with its own V, then the mean (measure gofr); takes rdfhist -B 1 where V varies"},
    [MDTRAJ] = {"mdtraj", "as density (mdtraj.compute_rdf with the pairs of select_pairs)"},
    [CPPTRAJ] = {"cpptraj", "density 0.033456 of B, that of water (cpptraj radial), or --density"},
    [PLANE] = {"plane",
               "g(r) in two dimensions, of atoms in a plane: that of frames periodic in two directions, or --plane"},
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

// The finite body that atoms are in: its volume, and the largest distance in it.
static bool has_body(const struct rdf_sums *s) {
    return s->droplet > 0 || s->box.side[0] > 0;
}

static double body_volume(const struct rdf_sums *s) {
    return s->droplet > 0 ? rdf_shell_full(0, s->droplet) : s->box.side[0] * s->box.side[1] * s->box.side[2];
}

static double body_farthest(const struct rdf_sums *s) {
    return s->droplet > 0 ? 2 * s->droplet : rdf_shell_box_farthest(&s->box);
}

// What is said of a slab must be of use.
static int check_slab(const struct convention *c, const struct rdf_sums *s, bool given, struct trj_error *err) {
    const char *what = s->slab > 0 ? "thickness" : "plane";
    if (given) return trj_fail(err, TRJ_USAGE, "%s: it goes with volumes of the frames, not with a given one", what);
    if (c->density == GIVEN || (c->measure == RING && s->slab > 0))
        return trj_fail(err, TRJ_USAGE, "%s: the convention %s takes none", what, s->norm);
    if (c->measure != RING && !(s->slab > 0))
        return trj_fail(err, TRJ_USAGE,
                        "plane: g(r) of atoms in a plane is the convention plane; that of a slab takes its thickness");
    return 0;
}

// The convention that the sums are for; a zero or NaN is not given.
static int find(struct convention *c, const struct rdf_sums *s, struct trj_error *err) {
    size_t i = number_of(s->norm);
    if (i == CONVENTIONS) return trj_fail(err, TRJ_USAGE, "norm: there is no convention '%s'", s->norm);
    *c = conventions[i];
    bool volume = s->volume > 0, density = s->density > 0, droplet = s->droplet > 0, box = s->box.side[0] > 0;
    if (volume + density + droplet + box > 1)
        return trj_fail(err, TRJ_USAGE, "a volume, a density, a droplet and a box say the same: give one of them");
    if (density && i != DENSITY && i != CPPTRAJ)
        return trj_fail(err, TRJ_USAGE, "density: the convention %s takes none", s->norm);
    if ((volume || has_body(s)) && (c->density == GIVEN || c->measure == RING))
        return trj_fail(err, TRJ_USAGE, "%s: the convention %s takes none",
                        volume    ? "volume"
                        : droplet ? "droplet"
                                  : "box",
                        s->norm);
    if ((s->plane || s->slab > 0) && check_slab(c, s, volume || density || has_body(s), err)) return -1;
    if (density) {
        c->density = GIVEN;
        c->given = s->density;
    }
    if (s->total_count && c->density == GIVEN)
        return trj_fail(err, TRJ_USAGE, "total: %s, which is of B around A, is not made for all atoms",
                        density ? "a given density" : s->norm);
    if (!s->self) return 0;
    if (volume || density || has_body(s) || s->total_count)
        return trj_fail(err, TRJ_USAGE, "the self part takes no volume and no density, and makes no totals");
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
        for (int k = 0; k < 3; k++) widen(&t.spacing_min[k], &t.spacing_max[k], r->spacing_min[k], r->spacing_max[k]);
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

// What of the volumes of frames is a slab's: how far it is across the cell, the least and the most; 0 where they are no slab.
static double across_min(const struct rdf_sums *s, const struct rdf_record *r) {
    return s->plane ? r->spacing_min[s->plane - 1] : r->height_min;
}

static double across_max(const struct rdf_sums *s, const struct rdf_record *r) {
    return s->plane ? r->spacing_max[s->plane - 1] : r->height_max;
}

bool rdf_same_height(double low, double high) {
    return high - low <= 1e-9 * high;
}

// Images of what is `extent` long, along the directions `periodic`, must be beyond all bins.
static int check_images(const struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *t,
                        unsigned periodic, double extent, struct trj_error *err) {
    double farthest = rdf_view_edge(&s->view, &setup->bins, s->view.bins);
    for (unsigned k = 0; k < 3; k++) {
        if (!(periodic & 1u << k)) continue;
        if (t->volume_frames < t->frames || !(t->spacing_min[k] > 0))
            return trj_fail(err, TRJ_BAD_DATA,
                            "frames are periodic along %c, and how far their images are is not known; see trjcat "
                            "--periodic, or count again",
                            "xyz"[k]);
        double from = t->spacing_min[k] - extent;
        if (from <= setup->bins.rmin)
            return trj_fail(err, TRJ_BAD_DATA,
                            "frames are periodic along %c, where images are as near as %.10g Å, so that bins of all "
                            "distances hold pairs with images; see trjcat --periodic",
                            "xyz"[k], t -> spacing_min[k]);
        if (farthest > from)
            return trj_fail(
                err, TRJ_BAD_DATA,
                "frames are periodic along %c, so that bins from %.10g Å on hold pairs with images, and they "
                "reach to %.10g; give a range that ends before, or see trjcat --periodic",
                "xyz"[k], from, farthest);
    }
    return 0;
}

static int check_volumes(const struct rdf_record *t, const struct convention *c, const struct rdf_sums *s,
                         const struct rdf_setup *setup, struct trj_error *err) {
    const char *use = t->periodic_any ? "give --volume, or print rdfnorm --counts"
                                      : "give --volume, or print rdfnorm --counts, or, where atoms fill a sphere or a "
                                        "box, rdfnorm --droplet or --box";
    if (t->periodic_all != t->periodic_any)
        return trj_fail(err, TRJ_BAD_DATA, "frames of different periodicity have no common g(r); %s", use);
    if (t->volume_frames < t->frames)
        return trj_fail(err, TRJ_BAD_DATA, "%llu of %llu frames have no volume; %s",
                        (unsigned long long)(t->frames - t->volume_frames), (unsigned long long)t->frames,
                        c->measure == RING ? "for atoms in a plane it may have any height, as of trjcat --cell A,B,1"
                                           : use);
    bool all = t->periodic_all == TRJ_PERIODIC_ALL;
    if (s->plane && !all && t->periodic_all != (TRJ_PERIODIC_ALL & ~(1u << (s->plane - 1))))
        return trj_fail(err, TRJ_BAD_DATA,
                        "plane: frames are periodic neither in the plane across %c nor in all directions",
                        "xyz"[s->plane - 1]);
    if (c->measure == RING && all && !s->plane)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "frames that are not periodic in just two directions have no plane of their own; give --plane, or "
            "see trjcat --periodic");
    if (s->slab > 0 && all && !s->plane)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "thickness: frames that are periodic in all directions do not tell how the slab lies; give --plane");
    if (!all && !slab(t))
        return trj_fail(err, TRJ_BAD_DATA, "frames periodic in fewer than two directions have no uniform density; %s",
                        use);
    return s->plane ? check_images(s, setup, t, t->periodic_all & 1u << (s->plane - 1), fmax(s->slab, 0), err) : 0;
}

// The sums of pairs as the convention sees them, and of their density.
static bool squares(const struct rdf_setup *s, size_t pair, const struct convention *c) {
    if (c->square == OF_TWO && s->exclusion) return false; // excluded pairs are taken off
    return c->square & (s->pairs[pair].a == s->pairs[pair].b ? OF_ITSELF : OF_TWO);
}

static double pair_sum(const struct rdf_setup *s, const struct rdf_pair_sums *sums, size_t pair,
                       const struct convention *c) {
    return trj_exact_value(squares(s, pair, c) ? &sums[pair].product : &sums[pair].pairs);
}

static double density_sum(const struct rdf_setup *s, const struct rdf_pair_sums *sums, size_t pair,
                          const struct convention *c) {
    return trj_exact_value(squares(s, pair, c) ? &sums[pair].product_density : &sums[pair].pair_density);
}

// N_pairs as the convention sees it, unordered for a group with itself, as the counts are.
static double pair_number(const struct rdf_setup *s, size_t pair, const struct convention *c) {
    const struct rdf_pair *p = &s->pairs[pair];
    double a = (double)s->groups[p->a].atoms, b = (double)s->groups[p->b].atoms;
    if (!squares(s, pair, c)) return (double)p->pairs;
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
    double pairs = changing ? pair_sum(s, changing, pair, c) / frames : pair_number(s, pair, c);
    if (volume > 0) return pairs * (frames / volume);
    if (c->density != MEAN_INVERSE_VOLUME) return pairs * (frames * frames / trj_exact_value(&r->volume));
    return changing ? density_sum(s, changing, pair, c) : pairs * trj_exact_value(&r->inverse_volume);
}

// What a record counts for among others.
static double weight(const struct rdf_setup *s, const struct rdf_record *r, size_t pair, const struct convention *c) {
    if (!r->pair_sums || c->density == FRAME_BY_FRAME) return (double)r->frames;
    if (c->density == GIVEN) return centres(s, r, r->group_atoms, pair);
    return pair_sum(s, r->pair_sums, pair, c);
}

void rdf_sums_free(struct rdf_sums *s) {
    free(s->counts);
    free(s->below);
    free(s->record);
    free(s->weighted);
    free(s->weights);
    free(s->measures);
    free(s->atoms);
    free(s->pairs);
    free(s->shares);
    free(s->group_atoms);
    free(s->pair_sums);
    free(s->own);
    rdf_mean_free(&s->mean);
    s->counts = s->below = s->record = s->group_atoms = s->own = NULL;
    s->weighted = s->weights = s->measures = s->atoms = s->pairs = s->shares = NULL;
    s->pair_sums = NULL;
}

static int open_sums(struct rdf_sums *s, const struct rdf_setup *setup, struct trj_error *err) {
    if (rdf_view_fit(&s->view, &setup->bins, err)) return -1;
    double last = rdf_view_edge(&s->view, &setup->bins, s->view.bins - 1);
    if (has_body(s) && last >= body_farthest(s))
        return trj_fail(err, TRJ_USAGE, "%s %.10g Å, but bins go on beyond %.10g; give a range that ends there",
                        s->droplet > 0 ? "droplet: its diameter is" : "box: its diagonal is", body_farthest(s), last);
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
    size_t curves = setup->pair_count + s->total_count;
    s->weighted = trj_alloc(curves * s->view.bins, sizeof *s->weighted, "sums", err);
    s->weights = s->weighted ? trj_alloc(curves, sizeof *s->weights, "sums", err) : NULL;
    s->measures = s->weights ? trj_alloc(s->view.bins, sizeof *s->measures, "shells", err) : NULL;
    s->across = NAN;
    if (s->measures && s->total_count) {
        s->atoms = trj_alloc(setup->group_count, sizeof *s->atoms, "totals", err);
        s->pairs = s->atoms ? trj_alloc(setup->pair_count, sizeof *s->pairs, "totals", err) : NULL;
        s->shares = s->pairs ? trj_alloc(setup->pair_count, sizeof *s->shares, "totals", err) : NULL;
        if (!s->shares) return -1;
    }
    return s->measures ? rdf_mean_open(&s->mean, curves, s->view.bins, err) : -1;
}

// The volume that stands in for that of the frames; 0 or NaN: none.
static double given_volume(const struct rdf_sums *s) {
    return has_body(s) ? body_volume(s) : s->volume;
}

// Where no volume of the frames is used, what is outside of a slab is not left out either.
static bool takes_volumes(const struct rdf_sums *s, const struct convention *c) {
    return !(given_volume(s) > 0) && c->density != GIVEN;
}

// The shell that points of the slab find, in a cell that is `across`. Where the slab is thinner its density is higher than the cell's.
static double slab_shell(const struct rdf_sums *s, double low, double high, double across) {
    return s->slab > 0 ? across / s->slab * rdf_shell_slab(low, high, s->slab) : rdf_shell_slab(low, high, across);
}

// What the counts of a bin are divided by besides the density.
static double measure(const struct rdf_sums *s, const struct rdf_setup *setup, const struct convention *c, uint64_t k,
                      double across) {
    double low = rdf_view_edge(&s->view, &setup->bins, k), high = rdf_view_edge(&s->view, &setup->bins, k + 1);
    switch (c->measure) {
    case SHELL:
        if (s->droplet > 0) return rdf_shell_sphere(low, high, s->droplet);
        if (s->box.side[0] > 0) return rdf_shell_box(&s->box, low, high);
        return across > 0 ? slab_shell(s, low, high, across) : rdf_shell_full(low, high);
    case RING:
        return across * rdf_shell_ring(low, high);
    case WIDTH:
        return high - low;
    default:
        return 1;
    }
}

static void set_measures(struct rdf_sums *s, const struct rdf_setup *setup, const struct convention *c, double across) {
    if (s->across == across) return;
    s->across = across;
    for (uint64_t k = 0; k < s->view.bins; k++) s->measures[k] = measure(s, setup, c, k, across);
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

// The weights of the curves of pairs in a total, with the counts to expect in s->pairs; see rdf_scattering_weights. `r` is a record,
// or all together, as for expected().
static double weigh(double *w, double *rest, const struct rdf_sums *s, const struct rdf_setup *setup,
                    const struct rdf_record *r, const struct rdf_pair_sums *changing, const uint64_t *group_atoms,
                    size_t total, const struct convention *c) {
    for (size_t g = 0; g < setup->group_count; g++)
        s->atoms[g] = group_atoms ? (double)group_atoms[g] : (double)setup->groups[g].atoms;
    for (size_t p = 0; p < setup->pair_count; p++)
        s->pairs[p] = expected(setup, r, changing, group_atoms, p, c, given_volume(s));
    return rdf_scattering_weights(w, rest, s->scattering, s->totals[total].probe,
                                  s->amplitudes + total * setup->group_count, s->atoms, s->pairs);
}

// The same of a total.
static void make_total(struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *r, size_t total,
                       const struct convention *c) {
    size_t bins = s->view.bins, curve = setup->pair_count + total;
    double *to = s->weighted + curve * bins, w = 0, rest;
    memset(to, 0, bins * sizeof *to);
    weigh(s->shares, &rest, s, setup, r, r->pair_sums, r->group_atoms, total, c);
    for (size_t p = 0; p < setup->pair_count; p++) {
        double scale = s->pairs[p] > 0 ? s->shares[p] / s->pairs[p] : 0;
        w += s->weights[p];
        for (size_t k = 0; k < bins; k++) to[k] += scale * (double)s->record[p * bins + k];
    }
    s->weights[curve] = w;
    for (size_t k = 0; k < bins; k++) to[k] = w * (to[k] / s->measures[k] + rest);
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
    set_measures(s, setup, &convention, takes_volumes(s, &convention) ? across_max(s, r) : 0);
    for (size_t p = 0; p < setup->pair_count; p++)
        if (make_curve(s, setup, r, p, &convention, err)) return -1;
    for (size_t t = 0; t < s->total_count; t++) make_total(s, setup, r, t, &convention);
    return rdf_mean_add(&s->mean, s->weighted, s->weights, err);
}

// Whether one normalisation fits all records, so that their counts may be added first.
static int uniform(bool *result, const struct rdf_hist *h, const struct rdf_sums *s, const struct rdf_record *total,
                   const struct convention *c, struct trj_error *err) {
    *result = c->density != FRAME_BY_FRAME && rdf_same_height(across_min(s, total), across_max(s, total));
    for (size_t i = 0; i < h->record_count; i++) {
        const struct rdf_record *r = &h->records[i];
        if (c->density == FRAME_BY_FRAME && r->volume_min != r->volume_max)
            return trj_fail(err, TRJ_BAD_DATA,
                            "the volume varies within a record: this convention takes counts made with rdfhist -B 1");
        if (c->density == FRAME_BY_FRAME && rdf_setup_changes(&h->setup) && r->frames > 1)
            return trj_fail(err, TRJ_BAD_DATA,
                            "groups change within a record: this convention takes counts made with rdfhist -B 1");
        if (!rdf_same_height(across_min(s, r), across_max(s, r)))
            return trj_fail(
                err, TRJ_BAD_DATA,
                "the thickness of the slab, or of the cell across the plane, varies within a record: use counts "
                "made with rdfhist -B 1");
    }
    return 0;
}

// Whether the records have a curve in this convention, and one normalisation in common.
static int fits(bool *together, const struct rdf_hist *h, const struct rdf_sums *s, const struct rdf_record *total,
                const struct convention *c, struct trj_error *err) {
    *together = true;
    if (takes_volumes(s, c) && (check_volumes(total, c, s, &h->setup, err) || uniform(together, h, s, total, c, err)))
        return -1;
    return has_body(s) ? check_images(s, &h->setup, total, total->periodic_any, body_farthest(s), err) : 0;
}

int rdf_norm_curve(struct rdf_curve *c, const struct rdf_hist *h, const struct rdf_sums *sums, size_t pair,
                   struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    const struct rdf_pair *p = &s->pairs[pair];
    struct rdf_record total = rdf_hist_total(h);
    struct convention convention;
    size_t bins = sums->view.bins, at = pair * bins;
    bool together;
    *c = (struct rdf_curve){0};
    if (find(&convention, sums, err)) return -1;
    total.own = sums->own;
    if (sums->own && !sums->own[pair])
        return trj_fail(err, TRJ_BAD_DATA, "groups %s and %s have no atom in common in any frame", s->groups[p->a].name,
                        s->groups[p->b].name);
    if (!sums->own && sums->pair_sums && !(trj_exact_value(&sums->pair_sums[pair].pairs) > 0))
        return trj_fail(err, TRJ_BAD_DATA, "groups %s and %s hold no pair of different atoms in any frame",
                        s->groups[p->a].name, s->groups[p->b].name);
    if (fits(&together, h, sums, &total, &convention, err)) return -1;
    c->g = trj_alloc(bins, sizeof *c->g, "a curve", err);
    c->n = c->g ? trj_alloc(bins, sizeof *c->n, "a curve", err) : NULL;
    if (!c->n) goto fail;
    double scale = 1 / expected(s, &total, sums->pair_sums, sums->group_atoms, pair, &convention, given_volume(sums)),
           all = sums->mean.weight[pair], around = centres(s, &total, sums->group_atoms, pair);
    uint64_t passed = sums->below[pair];
    for (size_t k = 0; k < bins; k++, at++) {
        // The mean of the records' curves, weighted by frames, where each has its own normalisation.
        // Where there is one for all the measures of the last record are those of all.
        c->g[k] = together ? (double)sums->counts[at] * scale / sums->measures[k] : sums->mean.sum[at] / all;
        passed += sums->counts[at];
        c->n[k] = neighbours(s, pair) * (double)passed / around;
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

// The density of one atom that g(r) of all frames is made with.
static double one_atom(const struct rdf_record *all, const struct convention *c, double volume) {
    double frames = (double)all->frames;
    if (volume > 0) return 1 / volume;
    return c->density == MEAN_INVERSE_VOLUME ? trj_exact_value(&all->inverse_volume) / frames
                                             : frames / trj_exact_value(&all->volume);
}

int rdf_norm_total(struct rdf_total_curve *c, const struct rdf_hist *h, const struct rdf_sums *sums, size_t total,
                   struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    struct rdf_record all = rdf_hist_total(h);
    struct convention convention;
    size_t bins = sums->view.bins, curve = s->pair_count + total;
    bool together;
    *c = (struct rdf_total_curve){.weight = NULL};
    if (find(&convention, sums, err)) return -1;
    if (fits(&together, h, sums, &all, &convention, err)) return -1;
    double *u = c->curve.g = trj_alloc(bins, sizeof *u, "a curve", err), rest;
    c->weight = u ? trj_alloc(s->pair_count, sizeof *c->weight, "a curve", err) : NULL;
    if (!c->weight) goto fail;
    c->mean = weigh(c->weight, &rest, sums, s, &all, sums->pair_sums, sums->group_atoms, total, &convention);
    c->density = one_atom(&all, &convention, given_volume(sums)) * sums->scattering->atoms;
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
