// SPDX-License-Identifier: MIT
// Makes the table of g(r) from surfaces with the errors of curve_mean.h, as for g(r).
#include "surface_norm.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mean_table.h"
#include "memory.h"
#include "table.h"

const struct trj_option rdf_surface_norm_option_table[] = {
    {TRJ_OPTION_FIELD(0, "surface", FLAG, struct rdf_surface_norm, requested, NULL,
                      "print g(r) of the distances from surfaces that rdfhist --surface counted")},
    TRJ_OPTION_END,
};

void rdf_surface_norm_free(struct rdf_surface_norm *n) {
    rdf_coarse_bins_free(&n->coarse);
    free(n->totals);
    free(n->below);
    free(n->fine);
    free(n->merged);
    free(n->record_frames);
    free(n->rows);
}

// ---- records

static int open_sums(struct rdf_surface_norm *n, const struct rdf_setup *s, struct trj_error *err) {
    if (!s->surface.kind)
        return trj_fail(err, TRJ_BAD_DATA, "contains no distances from surfaces; count with rdfhist --surface");
    if (n->totals) return 0;
    if (rdf_coarse_bins_fit(&n->coarse, &s->bins, err)) return -1;
    n->totals = trj_alloc(s->pair_count * RDF_SURFACE_SUMS, sizeof *n->totals, "pairs", err);
    n->below = n->totals ? trj_alloc(s->pair_count, sizeof *n->below, "pairs", err) : NULL;
    n->fine = n->below ? trj_alloc(s->bins.count, sizeof *n->fine, "a curve", err) : NULL;
    n->merged = n->fine ? trj_alloc(n->coarse.bins, sizeof *n->merged, "a curve", err) : NULL;
    return n->merged ? 0 : -1;
}

// Sets to[coarse.bins] to the shares P_k / M. The sums are exact, in two parts of 32 bits and more.
static void take_points(struct rdf_surface_norm *n, const struct rdf_setup *s, const rdf_wide *points, double *to) {
    const double m = (double)rdf_surface_points(&s->surface);
    for (int part = 0; part < 2; part++) {
        const double scale = part ? 0x1p32 : 1;
        for (uint64_t k = 0; k < s->bins.count; k++)
            n->fine[k] = part ? (uint64_t)(points[k] >> 32) : (uint64_t)points[k] & UINT32_MAX;
        rdf_coarse_bins_counts(&n->coarse, n->fine, n->merged);
        for (uint64_t k = 0; k < n->coarse.bins; k++) to[k] = (part ? to[k] : 0) + scale * (double)n->merged[k] / m;
    }
}

static int take(void *norm, const struct rdf_setup *s, const struct rdf_record *r, struct trj_error *err) {
    struct rdf_surface_norm *n = norm;
    if (open_sums(n, s, err)) return -1;
    const size_t bins = (size_t)n->coarse.bins, row = rdf_setup_surface_row(s), pairs = s->pair_count;
    if (trj_grow(&n->rows, &n->rows_capacity, (n->records + 1) * pairs * 2 * bins, sizeof *n->rows, "records", err) ||
        trj_grow(&n->record_frames, &n->frames_capacity, n->records + 1, sizeof *n->record_frames, "records", err))
        return -1;
    double *to = n->rows + n->records * pairs * 2 * bins;
    for (size_t p = 0; p < pairs; p++) {
        const uint64_t *from = r->surface + p * row;
        for (size_t i = 0; i < RDF_SURFACE_SUMS; i++) n->totals[p * RDF_SURFACE_SUMS + i] += from[i];
        n->below[p] += rdf_coarse_bins_counts(&n->coarse, from + RDF_SURFACE_SUMS, n->merged);
        for (size_t k = 0; k < bins; k++) to[2 * p * bins + k] = (double)n->merged[k];
        take_points(n, s, r->surface_points + p * s->bins.count, to + (2 * p + 1) * bins);
    }
    n->record_frames[n->records++] = (double)r->frames;
    n->frames += r->frames;
    return 0;
}

int rdf_surface_norm_open(struct rdf_surface_norm *n, const struct rdf_norm_options *q, struct rdf_hist *hist,
                          struct trj_error *err) {
    n->options = q;
    if (rdf_norm_check_other_table("surface", q, true, err)) return -1;
    if (!isnan(q->density) && !(q->density > 0)) return trj_fail(err, TRJ_USAGE, "--density: must be above 0");
    if (q->range && rdf_coarse_bins_parse(&n->coarse, q->range, err)) return trj_fail_at(err, "--range");
    if (q->edges && q->merge != 1) return trj_fail(err, TRJ_USAGE, "--edges and --rebin: leave one of them out");
    n->coarse.merge = q->merge;
    if (q->edges && rdf_coarse_bins_parse_edges(&n->coarse, q->edges, err)) return trj_fail_at(err, "--edges");
    hist->pairs = q->pairs;
    hist->take = take;
    hist->take_arg = n;
    return 0;
}

// ---- the table

// Sums over all records: n_k and P_k / M.
static double *make_totals(const struct rdf_surface_norm *n, size_t pairs, struct trj_error *err) {
    size_t row = pairs * 2 * (size_t)n->coarse.bins;
    double *total = trj_alloc(row, sizeof *total, "curves", err);
    for (size_t i = 0; total && i < n->records; i++)
        for (size_t k = 0; k < row; k++) total[k] += n->rows[i * row + k];
    return total;
}

// Computes g, and its error from the variation of the records. Bins without a point, whose g is not defined, are 0.
static struct rdf_mean_curve *make_curves(const struct rdf_surface_norm *n, const double *total, size_t pairs,
                                          struct trj_error *err) {
    const size_t bins = (size_t)n->coarse.bins;
    const double interval = n->options->interval;
    struct curve_mean mean = {.error = n->options->error, .interval = isnan(interval) ? 0 : interval};
    double *weighted = trj_alloc(pairs * bins, sizeof *weighted, "a curve", err);
    double *weights = weighted ? trj_alloc(pairs, sizeof *weights, "a curve", err) : NULL;
    struct rdf_mean_curve *curves = NULL;
    int rc = weights ? curve_mean_open(&mean, pairs, bins, err) : -1;
    for (size_t i = 0; !rc && i < n->records; i++) {
        const double frames = n->record_frames[i];
        for (size_t p = 0; p < pairs; p++) {
            const double *own = n->rows + (i * pairs + p) * 2 * bins, *all = total + p * 2 * bins;
            weights[p] = frames;
            for (size_t k = 0; k < bins; k++) {
                double expected = all[bins + k], g = expected > 0 ? all[k] / expected : 0,
                       rest = expected > 0 ? (own[k] - g * own[bins + k]) / expected : 0;
                weighted[p * bins + k] = frames * g + rest * (double)n->frames;
            }
        }
        rc = curve_mean_add(&mean, weighted, weights, err);
    }
    if (!rc) curves = rdf_mean_curves_make(&mean, err);
    curve_mean_free(&mean);
    free(weighted);
    free(weights);
    return curves;
}

static void pair_name(char text[256], const struct rdf_setup *s, size_t pair) {
    snprintf(text, 256, "%s:%s", s->groups[s->pairs[pair].a].name, s->groups[s->pairs[pair].b].name);
}

// Prints the comments of a pair, and reports bins that contain atoms, but no point.
static void put_pair(struct trj_table *t, const struct rdf_surface_norm *n, const struct rdf_setup *s, size_t pair,
                     const double *total) {
    const size_t bins = (size_t)n->coarse.bins;
    const uint64_t *sums = n->totals + pair * RDF_SURFACE_SUMS;
    const double *all = total + pair * 2 * bins;
    size_t empty = 0, missing = 0;
    char name[256], text[512];
    pair_name(name, s, pair);
    for (size_t k = 0; k < bins; k++) {
        if (all[bins + k] > 0) continue;
        empty++;
        if (all[k] > 0) missing++;
    }
    trj_table_comment(t, "surface of %s: %llu %s%s and %llu atoms around them in %llu frames", name,
                      (unsigned long long)sums[RDF_SURFACE_OBJECTS], rdf_surface_name(s->surface.kind),
                      sums[RDF_SURFACE_OBJECTS] == 1 ? "" : "s", (unsigned long long)sums[RDF_SURFACE_PAIRS],
                      (unsigned long long)n->frames);
    if (empty) trj_table_comment(t, "%zu bins of %s contain no point, so that g(r) is not defined", empty, name);
    if (!missing || !n->note) return;
    snprintf(text, sizeof text,
             "note: pair %s: g(r) is NaN in %zu bins that contain atoms, but no point for their volume; merge bins "
             "(--rebin), or count with more points (rdfhist --surface %s:N)",
             name, missing, rdf_surface_name(s->surface.kind));
    n->note(text);
}

static int print_names(struct trj_table *t, const struct rdf_surface_norm *n, const struct rdf_setup *s,
                       const struct rdf_mean_columns *columns) {
    const bool edges = n->coarse.edge_index;
    trj_table_comment(t,
                      "columns: %s in Angstrom; a pair of groups: g(r) from the surface%s, atoms of B within the bin's "
                      "upper edge around each object, volume of the bin around each object in cubic Angstrom",
                      edges ? "edges of the bin" : "middle of the bin", columns->text);
    trj_table_name(t, edges ? "r_lo" : "r");
    if (edges) trj_table_name(t, "r_hi");
    for (size_t p = 0; p < s->pair_count; p++) {
        rdf_table_name(t, "g", s, p, false);
        if (columns->errors) rdf_table_name(t, "se", s, p, false);
        if (columns->intervals) rdf_table_name(t, columns->name, s, p, false);
        rdf_table_name(t, "n", s, p, false);
        rdf_table_name(t, "v", s, p, false);
    }
    return trj_table_end_row(t);
}

static int print_rows(struct trj_table *t, const struct rdf_surface_norm *n, const struct rdf_setup *s, double volume,
                      const double *total, const struct rdf_mean_curve *curves,
                      const struct rdf_mean_columns *columns) {
    const size_t bins = (size_t)n->coarse.bins;
    double *within = trj_alloc(s->pair_count, sizeof *within, "pairs", t->err);
    int rc = within ? 0 : -1;
    for (size_t p = 0; !rc && p < s->pair_count; p++) within[p] = (double)n->below[p];
    for (size_t k = 0; !rc && k < bins; k++) {
        double low = rdf_coarse_bins_edge(&n->coarse, &s->bins, k),
               high = rdf_coarse_bins_edge(&n->coarse, &s->bins, k + 1);
        trj_table_real(t, 10, n->coarse.edge_index ? low : (low + high) / 2);
        if (n->coarse.edge_index) trj_table_real(t, 10, high);
        for (size_t p = 0; p < s->pair_count; p++) {
            const double objects = (double)n->totals[p * RDF_SURFACE_SUMS + RDF_SURFACE_OBJECTS],
                         pairs = (double)n->totals[p * RDF_SURFACE_SUMS + RDF_SURFACE_PAIRS],
                         *all = total + p * 2 * bins, rho = n->options->density;
            double scale = isnan(rho) ? 1 : pairs / (rho * objects * volume);
            within[p] += all[k];
            if (!(all[bins + k] > 0)) scale = NAN;
            trj_table_real(t, 10, curves[p].mean[k] * scale);
            rdf_mean_put_error(t, columns, &curves[p], k, scale);
            trj_table_real(t, 10, within[p] / objects);
            trj_table_real(t, 10, volume * all[bins + k] / pairs);
        }
        rc = trj_table_end_row(t);
    }
    free(within);
    return rc;
}

static int check_objects(const struct rdf_surface_norm *n, const struct rdf_setup *s, struct trj_error *err) {
    for (size_t p = 0; p < s->pair_count; p++) {
        char name[256];
        pair_name(name, s, p);
        if (!n->totals[p * RDF_SURFACE_SUMS + RDF_SURFACE_PAIRS])
            return trj_fail(err, TRJ_BAD_DATA,
                            "pair %s: no frame has an object and atoms around it; select other pairs (--pair)", name);
    }
    return 0;
}

// Prints the table below its head.
static int print_curves(struct trj_table *t, const struct rdf_surface_norm *n, const struct rdf_hist *hist,
                        const double *total, const struct rdf_mean_curve *curves) {
    const struct rdf_setup *s = &hist->setup;
    const struct rdf_record all = rdf_hist_total(hist);
    const double volume = trj_exact_value(&all.volume) / (double)all.volume_frames,
                 interval = isnan(n->options->interval) ? 0 : n->options->interval;
    const struct rdf_mean_columns columns = rdf_mean_columns(interval, curves, s->pair_count);
    if (rdf_mean_check_intervals(interval, n->note, curves, s->pair_count, t->err)) return -1;
    trj_table_comment(t, "surface: distances from the nearest atom of A in %s; %llu points in each frame",
                      s->surface.kind == RDF_SURFACE_SET       ? "the whole group"
                      : s->surface.kind == RDF_SURFACE_RESIDUE ? "each residue"
                                                               : "each molecule",
                      (unsigned long long)rdf_surface_points(&s->surface));
    if (!isnan(n->options->density))
        trj_table_comment(t, "density of B: %.10g atoms per cubic Angstrom, given", n->options->density);
    for (size_t p = 0; p < s->pair_count; p++) put_pair(t, n, s, p, total);
    rdf_mean_note_too_few(n->note, curves, s->pair_count);
    rdf_mean_put_blocks(t, curves, s->pair_count);
    return print_names(t, n, s, &columns) || print_rows(t, n, s, volume, total, curves, &columns) ? -1 : 0;
}

int rdf_surface_norm_print(struct trj_output *out, struct rdf_surface_norm *n, const struct rdf_hist *hist,
                           char **provenance, struct trj_error *err) {
    const struct rdf_setup *s = &hist->setup;
    struct trj_table t = {.out = out, .err = err};
    if (check_objects(n, s, err)) return -1;
    uint64_t *atoms = trj_alloc(s->group_count, sizeof *atoms, "groups", err);
    double *total = atoms ? make_totals(n, s->pair_count, err) : NULL;
    struct rdf_mean_curve *curves = total ? make_curves(n, total, s->pair_count, err) : NULL;
    int rc = curves ? 0 : -1;
    for (size_t i = 0; !rc && i < hist->record_count; i++)
        for (size_t g = 0; hist->records[i].group_atoms && g < s->group_count; g++)
            atoms[g] += hist->records[i].group_atoms[g];
    if (!rc) rdf_table_head(&t, hist, atoms, provenance);
    if (!rc) rc = trj_table_status(&t);
    if (!rc) rc = print_curves(&t, n, hist, total, curves);
    rdf_mean_curves_free(curves, s->pair_count);
    free(total);
    free(atoms);
    return rc;
}
