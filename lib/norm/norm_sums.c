// SPDX-License-Identifier: MIT
// Adds the records in the form that each convention needs, because some of them average counts and others curves.
#include "norm_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "shell.h"

// Returns whether the number of pairs is the product of the sizes of the groups.
static bool squares(const struct rdf_convention *c, const struct rdf_setup *setup, size_t pair) {
    if (setup->own_images) return true; // atoms of the infinite system: own images are like other atoms
    if (c->square == RDF_OF_TWO && setup->without) return false; // pairs of an atom with itself are excluded, too
    return c->square & (setup->pairs[pair].a == setup->pairs[pair].b ? RDF_OF_ITSELF : RDF_OF_TWO);
}

// Returns N_pairs of the convention; unordered for a group with itself, as the counts.
static double pair_number(const struct rdf_convention *c, const struct rdf_setup *setup, size_t pair) {
    const struct rdf_pair *p = &setup->pairs[pair];
    double a = (double)setup->groups[p->a].atoms, b = (double)setup->groups[p->b].atoms;
    if (!squares(c, setup, pair)) return (double)p->pairs;
    return rdf_setup_unordered(setup, pair) ? a * a / 2 : a * b;
}

// Returns the sum of N_pairs over the frames, for dynamic groups.
static double pair_sum(const struct rdf_convention *c, const struct rdf_setup *setup, const struct rdf_record *r,
                       size_t pair) {
    const struct rdf_pair_sums *sums = &r->pair_sums[pair];
    return trj_exact_value(squares(c, setup, pair) ? &sums->product : &sums->pairs);
}

// Returns the sum of N_pairs / V over the frames, for dynamic groups.
static double density_sum(const struct rdf_convention *c, const struct rdf_setup *setup, const struct rdf_record *r,
                          size_t pair) {
    const struct rdf_pair_sums *sums = &r->pair_sums[pair];
    return trj_exact_value(squares(c, setup, pair) ? &sums->product_density : &sums->pair_density);
}

double rdf_sums_centres(const struct rdf_setup *setup, const struct rdf_record *r, size_t pair) {
    uint32_t a = setup->pairs[pair].a;
    if (setup->lag.self && r->own) return (double)r->own[pair];
    return r->group_atoms ? (double)r->group_atoms[a] : (double)r->frames * (double)setup->groups[a].atoms;
}

// Returns the sum over the frames of N_pairs / N_B, which is the number of centres in the formula of cpptraj.
static double pairs_around(const struct rdf_convention *c, const struct rdf_setup *setup, const struct rdf_record *r,
                           size_t pair) {
    uint32_t b = setup->pairs[pair].b;
    double frames = (double)r->frames,
           of_b = r->group_atoms ? (double)r->group_atoms[b] / frames : (double)setup->groups[b].atoms,
           pairs = r->pair_sums ? pair_sum(c, setup, r, pair) : frames * pair_number(c, setup, pair);
    return pairs / of_b;
}

double rdf_sums_expected(const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_setup *setup,
                         const struct rdf_record *r, size_t pair) {
    double frames = (double)r->frames, volume = rdf_sums_given_volume(s);
    if (c->density == RDF_OF_METRIC) return trj_exact_value(&r->densities[pair]);
    if (c->around_pairs) return c->given * pairs_around(c, setup, r, pair);
    if (c->density == RDF_GIVEN) return rdf_sums_centres(setup, r, pair) * c->given / rdf_setup_neighbours(setup, pair);
    double pairs = r->pair_sums ? pair_sum(c, setup, r, pair) / frames : pair_number(c, setup, pair);
    if (volume > 0) return pairs * (frames / volume);
    if (c->density != RDF_MEAN_INVERSE_VOLUME) return pairs * (frames * frames / trj_exact_value(&r->volume));
    return r->pair_sums ? density_sum(c, setup, r, pair) : pairs * trj_exact_value(&r->inverse_volume);
}

double rdf_sums_weigh(double *w, const struct rdf_sums *s, const struct rdf_convention *c,
                      const struct rdf_setup *setup, const struct rdf_record *r, size_t total) {
    for (size_t g = 0; g < setup->group_count; g++)
        s->atoms[g] = r->group_atoms ? (double)r->group_atoms[g] : (double)setup->groups[g].atoms;
    for (size_t p = 0; p < setup->pair_count; p++) s->pairs[p] = rdf_sums_expected(s, c, setup, r, p);
    return rdf_scattering_weights(w, s->rest, &s->scattering, s->totals[total].probe,
                                  s->amplitudes + total * setup->group_count, s->atoms, s->pairs);
}

int rdf_sums_look_up(struct rdf_sums *s, const struct rdf_setup *setup, struct trj_error *err) {
    static const struct trj_text_list none;
    rdf_scattering_close(&s->scattering);
    free(s->amplitudes);
    s->amplitudes = trj_alloc(s->total_count * setup->group_count, sizeof *s->amplitudes, "totals", err);
    if (!s->amplitudes ||
        rdf_scattering_open(&s->scattering, setup, s->part, s->scatterers ? s->scatterers : &none, err) ||
        rdf_scattering_split(&s->scattering, s->patterns ? s->patterns : &none, err))
        return -1;
    for (size_t i = 0; i < s->total_count; i++)
        if (rdf_scattering_amplitudes(s->amplitudes + i * setup->group_count, &s->scattering, s->totals[i].probe,
                                      s->totals[i].q, err))
            return -1;
    return 0;
}

// Returns the weight of a record in the mean over records.
static double weight(const struct rdf_convention *c, const struct rdf_setup *setup, const struct rdf_record *r,
                     size_t pair) {
    if (!r->pair_sums || c->density == RDF_FRAME_BY_FRAME) return (double)r->frames;
    return c->density == RDF_GIVEN && !c->around_pairs ? rdf_sums_centres(setup, r, pair) : pair_sum(c, setup, r, pair);
}

// Returns the mean volume of the shell around points of the slab, in a cell of height `across`. It is scaled by the
// ratio of the density in the slab to that in the cell.
static double slab_shell(const struct rdf_sums *s, double low, double high, double across) {
    return s->slab > 0 ? across / s->slab * rdf_shell_slab(low, high, s->slab) : rdf_shell_slab(low, high, across);
}

// Returns the length, area or volume of a bin of the first coordinate, in one bin of the second, by metric.h.
static double measure_cell(const struct rdf_metric *m, double low, double high) {
    double second = (double)rdf_metric_second(m);
    switch (m->kind) {
    case RDF_METRIC_AXIS:
        return 2 * (high - low);
    case RDF_METRIC_ANGLE:
    case RDF_METRIC_BODY:
        return rdf_shell_full(low, high) / second;
    default: // with a density, the pairs within the window are known
        return rdf_shell_ring(low, high) * (rdf_metric_has_density(m) ? 1 : 2 * m->window / second);
    }
}

// Returns the divisor of the counts of a bin, without the density.
static double measure(const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_setup *setup,
                      uint64_t k, double across) {
    double low = rdf_coarse_bins_edge(&s->coarse, &setup->bins, k),
           high = rdf_coarse_bins_edge(&s->coarse, &setup->bins, k + 1);
    switch (c->measure) {
    case RDF_SHELL:
        if (s->droplet > 0) return rdf_shell_sphere(low, high, s->droplet);
        if (s->box.side[0] > 0) return rdf_shell_box(&s->box, low, high);
        return across > 0 ? slab_shell(s, low, high, across) : rdf_shell_full(low, high);
    case RDF_RING:
        return across * rdf_shell_ring(low, high);
    case RDF_WIDTH:
        return high - low;
    case RDF_CELL:
        return measure_cell(&s->metric, low, high);
    default:
        return 1;
    }
}

static void set_measures(struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_setup *setup,
                         double across) {
    if (s->across == across) return;
    s->across = across;
    for (uint64_t k = 0; k < s->coarse.bins; k++) s->measures[k] = measure(s, c, setup, k, across);
}

static void add_sums(struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *r) {
    for (size_t g = 0; g < setup->group_count; g++) s->group_atoms[g] += r->group_atoms[g];
    for (size_t p = 0; p < setup->pair_count; p++) rdf_pair_sums_merge(&s->pair_sums[p], &r->pair_sums[p]);
}

// Computes the curve of a pair in the record, times its weight.
static int make_curve(struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_setup *setup,
                      const struct rdf_record *r, size_t pair, struct trj_error *err) {
    const struct rdf_pair *p = &setup->pairs[pair];
    double w = weight(c, setup, r, pair);
    if (c->density == RDF_FRAME_BY_FRAME && r->pair_sums && !(trj_exact_value(&r->pair_sums[pair].pairs) > 0))
        return trj_fail(
            err, TRJ_BAD_DATA,
            "groups %s and %s contain no pair in some frame, so that this convention has no mean; use another --norm",
            setup->groups[p->a].name, setup->groups[p->b].name);
    double expected = rdf_sums_expected(s, c, setup, r, pair), scale = w > 0 && expected > 0 ? w / expected : 0;
    for (uint64_t q = 0, i = pair * s->second * s->coarse.bins; q < s->second; q++) {
        s->weights[pair * s->second + q] = w;
        for (uint64_t k = 0; k < s->coarse.bins; k++, i++)
            s->weighted[i] = (double)s->record[i] * scale / s->measures[k];
    }
    return 0;
}

size_t rdf_sums_total_curve(const struct rdf_sums *s, const struct rdf_setup *setup, size_t total) {
    return setup->pair_count + total * (1 + s->contributions);
}

static void add_scaled(double *to, double scale, const uint64_t *counts, const uint64_t *without, size_t bins) {
    for (size_t k = 0; k < bins; k++) to[k] += scale * (double)(counts[k] - (without ? without[k] : 0));
}

static void divide(double *u, const struct rdf_sums *s, double rest) {
    for (size_t k = 0; k < s->coarse.bins; k++) u[k] = u[k] / s->measures[k] + rest;
}

void rdf_sums_total(double *u, const struct rdf_sums *s, const struct rdf_setup *setup, const double *weights,
                    const uint64_t *counts, const uint64_t *excluded) {
    size_t bins = s->coarse.bins, each = s->split ? 2 : 1;
    double rest = 0;
    memset(u, 0, (1 + s->contributions) * bins * sizeof *u);
    for (size_t p = 0; p < setup->pair_count; p++) {
        size_t contribution = each * rdf_scattering_part(&s->scattering, setup->pairs[p].a, setup->pairs[p].b);
        double scale = s->pairs[p] > 0 ? weights[p] / s->pairs[p] : 0, *to = u + (1 + contribution) * bins;
        add_scaled(u, scale, counts + p * bins, NULL, bins);
        if (s->contributions) add_scaled(to, scale, counts + p * bins, s->split ? excluded + p * bins : NULL, bins);
        if (s->split) add_scaled(to + bins, scale, excluded + p * bins, NULL, bins);
    }
    for (size_t i = 0; i < s->scattering.parts; i++) rest += s->rest[i];
    divide(u, s, rest);
    for (size_t i = 0; i < s->contributions; i++) divide(u + (1 + i) * bins, s, i % each ? 0 : s->rest[i / each]);
}

void rdf_sums_limit(const struct rdf_sums *s, const struct rdf_setup *setup, const double *weights) {
    size_t each = s->split ? 2 : 1;
    for (size_t i = 0; i < s->contributions; i++) s->limits[i] = i % each ? 0 : s->rest[i / each];
    for (size_t p = 0; s->contributions && p < setup->pair_count; p++)
        s->limits[each * rdf_scattering_part(&s->scattering, setup->pairs[p].a, setup->pairs[p].b)] += weights[p];
}

double rdf_sums_one_atom(const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_record *records,
                         size_t count) {
    double frames = 0, inverse = 0, volume = 0;
    if (rdf_sums_given_volume(s) > 0) return 1 / rdf_sums_given_volume(s);
    for (size_t i = 0; i < count; i++) {
        const struct rdf_record *r = &records[i];
        double share = s->slab > 0 ? s->slab / rdf_sums_across(s, r) : 1;
        frames += (double)r->frames;
        inverse += trj_exact_value(&r->inverse_volume) / share;
        volume += trj_exact_value(&r->volume) * share;
    }
    return c->density == RDF_MEAN_INVERSE_VOLUME ? inverse / frames : frames / volume;
}

void rdf_sums_form_scale(double scale[2], const struct rdf_sums *s, const struct rdf_setup *setup, size_t total,
                         size_t contribution, double mean, double density, size_t bin) {
    double r = (rdf_coarse_bins_edge(&s->coarse, &setup->bins, bin) +
                rdf_coarse_bins_edge(&s->coarse, &setup->bins, bin + 1)) /
               2;
    double limit = s->scattering.share ? 0 : contribution ? s->limits[contribution - 1] : mean;
    rdf_form_scale(scale, s->form, s->totals[total].probe, limit, mean, density, r);
}

// Computes a total and its contributions, `values` times w, in the form that contains the density, with the density of
// the record.
static void put_in_form(struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_setup *setup,
                        const struct rdf_record *r, size_t total, double mean, double w, const double *values) {
    size_t bins = s->coarse.bins, curves = 1 + s->contributions;
    double density = rdf_sums_one_atom(s, c, r, 1) * s->scattering.atoms, scale[2];
    rdf_sums_limit(s, setup, s->shares);
    for (size_t i = 0; i < curves; i++)
        for (size_t k = 0; k < bins; k++) {
            rdf_sums_form_scale(scale, s, setup, total, i, mean, density, k);
            s->weighted_form[(total * curves + i) * bins + k] = values[i * bins + k] * scale[0] + w * scale[1];
        }
}

// Computes the curves of a total and of its contributions in the record, times their weight.
static void make_total(struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_setup *setup,
                       const struct rdf_record *r, size_t total) {
    size_t bins = s->coarse.bins, curve = rdf_sums_total_curve(s, setup, total);
    double *to = s->weighted + curve * bins, w = 0;
    double mean = rdf_sums_weigh(s->shares, s, c, setup, r, total);
    rdf_sums_total(to, s, setup, s->shares, s->record, s->record_excluded);
    for (size_t p = 0; p < setup->pair_count; p++) w += s->weights[p];
    for (size_t i = 0; i < 1 + s->contributions; i++) s->weights[curve + i] = w;
    for (size_t k = 0; k < (1 + s->contributions) * bins; k++) to[k] *= w;
    if (s->form) put_in_form(s, c, setup, r, total, mean, w, to);
}

void rdf_sums_free(struct rdf_sums *s) {
    free(s->counts);
    free(s->below);
    free(s->record);
    free(s->weighted);
    free(s->weights);
    free(s->measures);
    free(s->weighted_form);
    free(s->limits);
    rdf_scattering_close(&s->scattering);
    free(s->amplitudes);
    free(s->atoms);
    free(s->pairs);
    free(s->shares);
    free(s->rest);
    free(s->excluded);
    free(s->record_excluded);
    free(s->group_atoms);
    free(s->pair_sums);
    free(s->own);
    free(s->densities);
    curve_mean_free(&s->mean);
    curve_mean_free(&s->in_form);
    rdf_coarse_bins_free(&s->coarse);
    s->counts = s->excluded = s->below = s->record = s->record_excluded = s->group_atoms = s->own = NULL;
    s->weighted = s->weights = s->measures = s->amplitudes = s->atoms = s->pairs = s->shares = s->rest = NULL;
    s->weighted_form = s->limits = NULL;
    s->pair_sums = NULL;
    s->densities = NULL;
}

// Looks up the scatterers, and opens the sums of totals and their contributions.
static int open_totals(struct rdf_sums *s, const struct rdf_setup *setup, struct trj_error *err) {
    s->atoms = trj_alloc(setup->group_count, sizeof *s->atoms, "totals", err);
    s->pairs = s->atoms ? trj_alloc(setup->pair_count, sizeof *s->pairs, "totals", err) : NULL;
    s->shares = s->pairs ? trj_alloc(setup->pair_count, sizeof *s->shares, "totals", err) : NULL;
    if (!s->shares || rdf_sums_look_up(s, setup, err)) return -1;
    if (!(s->rest = trj_alloc(s->scattering.parts, sizeof *s->rest, "totals", err))) return -1;
    s->contributions = rdf_scattering_contributions(&s->scattering, s->split);
    if (!(s->limits = trj_alloc(s->contributions, sizeof *s->limits, "totals", err))) return -1;
    if (s->form) {
        size_t curves = s->total_count * (1 + s->contributions), bins = s->coarse.bins;
        s->weighted_form = trj_alloc(curves * bins, sizeof *s->weighted_form, "totals", err);
        if (!s->weighted_form || curve_mean_open(&s->in_form, curves, bins, err)) return -1;
    }
    if (!s->split) return 0;
    if (!setup->exclusion)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--split: no pairs are excluded in these counts; exclude them with rdfhist -x");
    s->excluded = trj_alloc(setup->pair_count, s->coarse.bins * sizeof *s->excluded, "sums", err);
    s->record_excluded =
        s->excluded ? trj_alloc(setup->pair_count, s->coarse.bins * sizeof *s->record_excluded, "sums", err) : NULL;
    return s->record_excluded ? 0 : -1;
}

static int open_sums(struct rdf_sums *s, const struct rdf_setup *setup, struct trj_error *err) {
    if (rdf_coarse_bins_fit(&s->coarse, &setup->bins, err)) return -1;
    double last = rdf_coarse_bins_edge(&s->coarse, &setup->bins, s->coarse.bins - 1);
    if (rdf_sums_have_body(s) && last >= rdf_sums_body_farthest(s))
        return trj_fail(err, TRJ_USAGE, "%s %.10g Å, but bins go on beyond %.10g; give a range that ends there",
                        s->droplet > 0 ? "droplet: its diameter is" : "box: its diagonal is", rdf_sums_body_farthest(s),
                        last);
    s->second = rdf_metric_second(&setup->bins.metric);
    size_t of_pairs = setup->pair_count * s->second, n = of_pairs * s->coarse.bins;
    s->counts = trj_alloc(n, sizeof *s->counts, "sums", err);
    s->record = s->counts ? trj_alloc(n, sizeof *s->record, "sums", err) : NULL;
    s->below = s->record ? trj_alloc(of_pairs, sizeof *s->below, "sums", err) : NULL;
    if (!s->below) return -1;
    if (setup->lag.self && !(s->own = trj_alloc(setup->pair_count, sizeof *s->own, "sums", err))) return -1;
    if (rdf_metric_has_density(&setup->bins.metric) &&
        !(s->densities = trj_alloc(setup->pair_count, sizeof *s->densities, "sums", err)))
        return -1;
    if (rdf_setup_has_dynamic_group(setup)) {
        s->group_atoms = trj_alloc(setup->group_count, sizeof *s->group_atoms, "sums", err);
        s->pair_sums = s->group_atoms ? trj_alloc(setup->pair_count, sizeof *s->pair_sums, "sums", err) : NULL;
        if (!s->pair_sums) return -1;
    }
    if (!s->norm) return 0;
    if (s->total_count && open_totals(s, setup, err)) return -1;
    size_t curves = of_pairs + s->total_count * (1 + s->contributions);
    s->weighted = trj_alloc(curves * s->coarse.bins, sizeof *s->weighted, "sums", err);
    s->weights = s->weighted ? trj_alloc(curves, sizeof *s->weights, "sums", err) : NULL;
    s->measures = s->weights ? trj_alloc(s->coarse.bins, sizeof *s->measures, "shells", err) : NULL;
    s->across = NAN;
    return s->measures ? curve_mean_open(&s->mean, curves, s->coarse.bins, err) : -1;
}

int rdf_sums_take(void *sums, const struct rdf_setup *setup, const struct rdf_record *r, struct trj_error *err) {
    if (setup->waves.shells.count)
        return trj_fail(err, TRJ_BAD_DATA,
                        "contains amplitudes of waves instead of distances; print them with rdfnorm");
    struct rdf_sums *s = sums;
    struct rdf_convention c;
    s->metric = setup->bins.metric;
    if (s->norm && rdf_convention_of(&c, s, err)) return -1;
    if (s->norm && rdf_sums_check_body(s, setup, r, err)) return -1;
    if (!s->counts && open_sums(s, setup, err)) return -1;
    if (s->total_count && rdf_scattering_check(&s->scattering, s->part, r, err)) return -1;
    s->records++;
    if (s->pair_sums) add_sums(s, setup, r);
    for (size_t p = 0; s->own && p < setup->pair_count; p++) s->own[p] += r->own[p];
    s->density_frames += r->density_frames;
    for (size_t p = 0; s->densities && p < setup->pair_count; p++) trj_exact_merge(&s->densities[p], &r->densities[p]);
    for (size_t i = 0; i < setup->pair_count * s->second; i++)
        s->below[i] +=
            rdf_coarse_bins_counts(&s->coarse, r->counts + i * setup->bins.count, s->record + i * s->coarse.bins);
    for (size_t i = 0; i < setup->pair_count * s->second * s->coarse.bins; i++) s->counts[i] += s->record[i];
    for (size_t p = 0; s->split && p < setup->pair_count; p++)
        rdf_coarse_bins_counts(&s->coarse, r->excluded + p * setup->bins.count,
                               s->record_excluded + p * s->coarse.bins);
    for (size_t i = 0; s->split && i < setup->pair_count * s->coarse.bins; i++) s->excluded[i] += s->record_excluded[i];
    if (!s->norm) return 0;
    set_measures(s, &c, setup, rdf_sums_take_volumes(s, &c) ? rdf_sums_across(s, r) : 0);
    for (size_t p = 0; p < setup->pair_count; p++)
        if (make_curve(s, &c, setup, r, p, err)) return -1;
    for (size_t t = 0; t < s->total_count; t++) make_total(s, &c, setup, r, t);
    const double *of_totals = s->weights + setup->pair_count * s->second;
    if (s->form && curve_mean_add(&s->in_form, s->weighted_form, of_totals, err)) return -1;
    return curve_mean_add(&s->mean, s->weighted, s->weights, err);
}
