// SPDX-License-Identifier: MIT
// Prints the table of rdfnorm; rows are computed while they are printed, because layers have many of them.
#include "norm_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error_blocks.h"
#include "memory.h"
#include "table.h"

// ---- the columns before those of the distance: the coordinate of the layers, and the second one of a metric

// Begins the comment on the columns.
static int print_first_columns(struct trj_output *out, const struct rdf_norm_layers *l, bool edges,
                               struct trj_error *err) {
    const struct rdf_normalisation *n = l->whole;
    bool angle = rdf_metric_is_angle(&n->sums.metric);
    if (trj_output_print(out, err, "# columns: ")) return -1;
    if (l->column && trj_output_print(out, err, "%s%s; ",
                                      l->each    ? l->timed ? "middle of the times" : "middle of the numbers"
                                      : l->timed ? "lag"
                                                 : "lag in frames",
                                      l->each    ? l->timed ? " of the frames in ps" : " of the frames, from 0"
                                      : l->timed ? " in ps"
                                                 : ""))
        return -1;
    if (n->sums.second < 2) return 0;
    return trj_output_print(out, err, "%s of the %s; ", edges ? "bin edges" : "middle of the bin",
                            angle ? "cosine" : "height difference in Angstrom");
}

static void put_first_names(struct trj_table *t, const struct rdf_norm_layers *l, bool edges) {
    static const char *const heights[] = {"dx", "dy", "dz"};
    const struct rdf_metric *m = &l->whole->sums.metric;
    const char *name = rdf_metric_is_angle(m) ? "cos" : heights[m->axis];
    if (l->column) trj_table_name(t, "%s", l->column);
    if (l->whole->sums.second < 2) return;
    trj_table_name(t, edges ? "%s_lo" : "%s", name);
    if (edges) trj_table_name(t, "%s_hi", name);
}

static void put_first(struct trj_table *t, const struct rdf_norm_layers *l, const struct rdf_layer *layer, uint64_t q,
                      bool edges) {
    const struct rdf_metric *m = &l->whole->sums.metric;
    if (l->column) trj_table_text(t, "%.*g", l->digits, l->timed ? layer->time : layer->frames);
    if (l->whole->sums.second < 2) return;
    double low = rdf_metric_edge(m, q), high = rdf_metric_edge(m, q + 1);
    trj_table_real(t, 10, edges ? low : (low + high) / 2);
    if (edges) trj_table_real(t, 10, high);
}

static int print_counts_of_layer(struct trj_table *t, const struct rdf_norm_layers *l, const struct rdf_layer *layer) {
    const struct rdf_normalisation *n = l->whole;
    const struct rdf_coarse_bins *v = &n->sums.coarse;
    int rc = 0;
    for (uint64_t i = 0; !rc && i < n->sums.second * v->bins; i++) {
        uint64_t q = i / v->bins, k = i % v->bins;
        put_first(t, l, layer, q, true);
        trj_table_real(t, 10, rdf_coarse_bins_edge(v, &n->hist.setup.bins, k));
        trj_table_real(t, 10, rdf_coarse_bins_edge(v, &n->hist.setup.bins, k + 1));
        for (size_t p = 0; p < n->hist.setup.pair_count; p++)
            trj_table_count(t, layer->counts[(p * n->sums.second + q) * v->bins + k]);
        rc = trj_table_end_row(t);
    }
    return rc;
}

static int print_counts(struct trj_output *out, const struct rdf_norm_layers *l, struct trj_error *err) {
    const struct rdf_normalisation *n = l->whole;
    const struct rdf_setup *s = &n->hist.setup;
    struct trj_table t = {.out = out, .err = err};
    if (print_first_columns(out, l, true, err) ||
        trj_output_print(out, err, "bin edges in Angstrom, %s counted in all frames%s\n",
                         n->options.self ? "atoms" : "pairs", l->each ? " of these" : ""))
        return -1;
    put_first_names(&t, l, true);
    trj_table_name(&t, "r_lo");
    trj_table_name(&t, "r_hi");
    for (size_t p = 0; p < s->pair_count; p++) rdf_table_name(&t, "count", s, p, false);
    int rc = trj_table_end_row(&t);
    for (size_t i = 0; !rc && i < l->count; i++) rc = print_counts_of_layer(&t, l, &l->layer[i]);
    return rc;
}

// Prints the convention, and the volume and geometry that it is used with.
static int print_norm(struct trj_output *out, const struct rdf_normalisation *n, struct trj_error *err) {
    const struct rdf_norm_options *q = &n->options;
    const struct rdf_record all = rdf_hist_total(&n->hist);
    double height[2];
    rdf_sums_cell_heights(height, &n->sums, &all);
    if (trj_output_print(out, err, "# norm: %s", q->norm)) return -1;
    if (q->volume > 0 && trj_output_print(out, err, ", with a volume of %.10g Angstrom^3", q->volume)) return -1;
    if (q->density > 0 && trj_output_print(out, err, ", with a density of %.10g per Angstrom^3", q->density)) return -1;
    if (q->droplet > 0 && trj_output_print(out, err, ", in a sphere of radius %.10g Angstrom", q->droplet)) return -1;
    if (q->box &&
        trj_output_print(out, err, ", in a box of %.10g by %.10g by %.10g Angstrom", n->box[0], n->box[1], n->box[2]))
        return -1;
    if (q->thickness > 0 && trj_output_print(out, err, ", in a slab of %.10g Angstrom", q->thickness)) return -1;
    if (q->plane && trj_output_print(out, err, ", in the plane across %s", q->plane)) return -1;
    if (height[1] > 0 && trj_output_print(out, err, ", in a slab over the whole height of the cell, %.10g", height[0]))
        return -1;
    if (height[1] > 0 && !rdf_same_height(height[0], height[1]) && trj_output_print(out, err, " to %.10g", height[1]))
        return -1;
    if (height[1] > 0 && trj_output_print(out, err, " Angstrom; see --thickness")) return -1;
    return trj_output_print(out, err, "\n");
}

// Prints the blocks from which the errors of a curve were estimated. Reports if there are too few records.
static int print_blocks(struct trj_output *out, const struct rdf_norm_layers *l, const char *curve,
                        const struct curve_mean_error *e, struct trj_error *err) {
    const struct rdf_normalisation *n = l->normalisation[0]; // has the notes
    char text[1024], blocks[CURVE_ERROR_BLOCKS_TEXT];
    snprintf(text, sizeof text,
             "note: %s: too few records to estimate their correlation: its errors may be too small; count more frames, "
             "or shorter records if they have several frames each (rdfhist -B)",
             curve);
    if (e->too_few && n->note) n->note(text);
    curve_error_blocks_text(blocks, NULL, e);
    return trj_output_print(out, err, "# error %s: %s\n", curve, blocks);
}

// Writes ", longest of N" to of[40] if the blocks of several curves are described together.
static void name_longest(char longest[40], size_t curves) {
    *longest = 0;
    if (curves > 1) snprintf(longest, 40, ", longest of %zu", curves);
}

// The errors of each layer and of each bin of a second coordinate are estimated separately.
static int print_pair_blocks(struct trj_output *out, const struct rdf_norm_layers *l, size_t pair,
                             struct trj_error *err) {
    const struct rdf_normalisation *n = l->whole;
    const struct rdf_setup *s = &n->hist.setup;
    const struct curve_mean_error *e = &l->layer[0].curves[pair * n->sums.second].error;
    char name[256], longest[40];
    for (size_t i = 0; i < l->count; i++)
        for (size_t q = 0; q < n->sums.second; q++)
            e = curve_error_blocks_longer(e, &l->layer[i].curves[pair * n->sums.second + q].error);
    if (!e->error) return 0;
    name_longest(longest, l->count * n->sums.second);
    snprintf(name, sizeof name, "%s:%s%s", s->groups[s->pairs[pair].a].name, s->groups[s->pairs[pair].b].name, longest);
    return print_blocks(out, l, name, e, err);
}

// The same for a total and its contributions: contribution 0 is the total.
static int print_total_blocks(struct trj_output *out, const struct rdf_norm_layers *l, size_t total,
                              size_t contribution, const char *name, struct trj_error *err) {
    const struct rdf_total_curve *first = &l->layer[0].total_curves[total];
    const struct curve_mean_error *e =
        contribution ? &first->contribution[contribution - 1].error : &first->curve.error;
    char text[RDF_PIECE_NAME + 40], longest[40];
    for (size_t i = 1; i < l->count; i++) {
        const struct rdf_total_curve *c = &l->layer[i].total_curves[total];
        e = curve_error_blocks_longer(e, contribution ? &c->contribution[contribution - 1].error : &c->curve.error);
    }
    if (!e->error) return 0;
    name_longest(longest, l->count);
    snprintf(text, sizeof text, "%s%s", name, longest);
    return print_blocks(out, l, text, e, err);
}

// Returns whether the curve of a pair is printed: with contributions of given pairs only if it is in one of them.
static bool is_shown(const struct rdf_normalisation *n, size_t pair) {
    return !n->options.totals.count || rdf_scattering_given(&n->sums.scattering, &n->options.pairs, pair);
}

// Prints the limit of each contribution to a total, and the blocks of its error.
static int print_contribution_heads(struct trj_output *out, const struct rdf_norm_layers *l, size_t total,
                                    const char *unit, struct trj_error *err) {
    const struct rdf_normalisation *n = l->whole;
    const struct rdf_total_curve *c = &n->total_curves[total];
    char name[RDF_PIECE_NAME];
    for (size_t i = 0; i < c->contribution_count; i++) {
        rdf_scattering_contribution_name(name, &n->totals[total], &n->options.pairs, n->options.split, i + 1);
        if (trj_output_print(out, err, "# contribution %s: %.7g%s of <b>^2\n", name,
                             c->limit[i] * rdf_scattering_unit(n->totals[total].probe), unit) ||
            print_total_blocks(out, l, total, 1 + i, name, err))
            return -1;
    }
    return 0;
}

// Prints the scatterers of the groups of a total, the weight of each pair of groups, and the blocks of the error.
static int print_total_head(struct trj_output *out, const struct rdf_norm_layers *l, size_t total,
                            struct trj_error *err) {
    const struct rdf_normalisation *n = l->whole;
    const struct rdf_scattering *scattering = &n->sums.scattering;
    const struct rdf_setup *s = scattering->setup;
    const struct rdf_total *t = &n->totals[total];
    const struct rdf_total_curve *c = &n->total_curves[total];
    static const char *const units[] = {
        [RDF_NUMBER] = "", [RDF_NEUTRON] = " barn", [RDF_XRAY] = " electrons^2", [RDF_ELECTRON] = " Angstrom^2"};
    if (rdf_scattering_print(out, scattering, t, err) ||
        trj_output_print(out, err, "# total %s: <b>^2 %.7g%s", t->name, c->mean * rdf_scattering_unit(t->probe),
                         units[t->probe]))
        return -1;
    const char *before = "; weights over it";
    for (size_t p = 0; p < s->pair_count && c->mean > 0; p++) {
        if (!rdf_scattering_first(scattering, p)) continue;
        if (trj_output_print(out, err, "%s %s:%s %.4f", before, s->groups[s->pairs[p].a].name,
                             s->groups[s->pairs[p].b].name, c->weight[p] / c->mean))
            return -1;
        before = ",";
    }
    if (trj_output_print(out, err, "\n")) return -1;
    if (print_total_blocks(out, l, total, 0, t->name, err)) return -1;
    return print_contribution_heads(out, l, total, units[t->probe], err);
}

static int print_columns(struct trj_table *t, const struct rdf_norm_layers *l, bool errors) {
    const struct rdf_normalisation *n = l->whole;
    const struct rdf_norm_options *q = &n->options;
    const struct rdf_setup *s = &n->hist.setup;
    const struct trj_choice *column = rdf_norm_column(q->norm, q->self), *of_total = rdf_form_column(q->form);
    struct trj_output *out = t->out;
    struct trj_error *err = t->err;
    bool by_name = strcmp(q->error, "auto") != 0, interval = errors && !isnan(q->interval);
    char half[CURVE_INTERVAL_NAME], width[80] = "";
    curve_interval_name(half, q->interval);
    if (interval) snprintf(width, sizeof width, ", the half-width of its confidence interval of %g %%", q->interval);
    size_t each = 1 + n->sums.contributions;
    bool free_edges = n->sums.coarse.edge_index; // n(r) at an upper edge cannot be found from middles of bins
    if (print_first_columns(out, l, false, err) ||
        trj_output_print(out, err, "%s in Angstrom; ", free_edges ? "edges of the bin" : "middle of the bin") ||
        (q->totals.count && trj_output_print(out, err, "a total%s: %s%s%s; ", each > 1 ? ", and its contributions" : "",
                                             of_total->help, errors ? ", its standard error" : "", width)) ||
        trj_output_print(out, err, "a pair of groups: %s, ", column->help) ||
        (errors && trj_output_print(out, err, "its standard error%s%s%s, ", by_name ? " over " : "",
                                    by_name ? q->error : "", width)) ||
        trj_output_print(out, err, "%s within the bin's upper edge\n",
                         q->self ? "share of the atoms that stay" : "neighbours"))
        return -1;
    put_first_names(t, l, false);
    trj_table_name(t, free_edges ? "r_lo" : "r");
    if (free_edges) trj_table_name(t, "r_hi");
    for (size_t i = 0; i < q->totals.count * each; i++) {
        char name[RDF_PIECE_NAME];
        rdf_scattering_contribution_name(name, &n->totals[i / each], &n->options.pairs, n->options.split, i % each);
        trj_table_name(t, "%s(%s)", of_total->name, name);
        if (errors) trj_table_name(t, "se(%s)", name);
        if (interval) trj_table_name(t, "%s(%s)", half, name);
    }
    for (size_t p = 0; p < s->pair_count; p++) {
        if (!is_shown(n, p)) continue;
        rdf_table_name(t, column->name, s, p, false);
        if (errors) rdf_table_name(t, "se", s, p, false);
        if (interval) rdf_table_name(t, half, s, p, false);
        rdf_table_name(t, "n", s, p, false);
    }
    return trj_table_end_row(t);
}

// Puts a standard error and, if requested, the half-width of a confidence interval.
static void put_error(struct trj_table *t, const struct rdf_normalisation *n, const struct rdf_curve *c, uint64_t k,
                      double scale, bool errors) {
    double error = c->error.error ? c->error.error[k] * scale : NAN;
    if (errors) trj_table_real(t, 4, error);
    if (errors && !isnan(n->options.interval)) trj_table_real(t, 4, c->error.error ? error * c->error.half_width : NAN);
}

static void put_total(struct trj_table *t, const struct rdf_normalisation *n, const struct rdf_total_curve *c,
                      const struct rdf_total *total, uint64_t k, double r, bool errors) {
    for (size_t i = 0; i < 1 + c->contribution_count; i++) {
        const struct rdf_curve *curve = i ? &c->contribution[i - 1] : &c->curve;
        double scale[2], limit = n->sums.scattering.share ? 0 : i ? c->limit[i - 1] : c->mean;
        rdf_form_scale(scale, n->options.form, total->probe, limit, c->mean, c->density, r);
        trj_table_real(t, 10, curve->g[k] * scale[0] + scale[1]);
        put_error(t, n, curve, k, fabs(scale[0]), errors);
    }
}

// Prints the row of bin k, and of bin q of the second coordinate.
static int print_row(struct trj_table *t, const struct rdf_norm_layers *l, const struct rdf_layer *layer, uint64_t q,
                     uint64_t k, bool errors) {
    const struct rdf_normalisation *n = l->whole;
    const struct rdf_coarse_bins *v = &n->sums.coarse;
    const struct rdf_bins *bins = &n->hist.setup.bins;
    double low = rdf_coarse_bins_edge(v, bins, k), high = rdf_coarse_bins_edge(v, bins, k + 1),
           middle = (low + high) / 2;
    put_first(t, l, layer, q, false);
    trj_table_real(t, 10, v->edge_index ? low : middle);
    if (v->edge_index) trj_table_real(t, 10, high);
    for (size_t i = 0; i < n->options.totals.count; i++)
        put_total(t, n, &layer->total_curves[i], &n->totals[i], k, middle, errors);
    for (size_t p = 0; p < n->hist.setup.pair_count; p++) {
        const struct rdf_curve *c = &layer->curves[p * n->sums.second + q];
        if (!is_shown(n, p)) continue;
        trj_table_real(t, 10, c->g[k]);
        put_error(t, n, c, k, 1, errors);
        trj_table_real(t, 10, c->n[k]);
    }
    return trj_table_end_row(t);
}

static int print_curves(struct trj_output *out, const struct rdf_norm_layers *l, struct trj_error *err) {
    const struct rdf_normalisation *n = l->whole;
    const uint64_t bins = n->sums.coarse.bins, rows = n->sums.second * bins;
    struct trj_table t = {.out = out, .err = err};
    const bool intervals = !isnan(n->options.interval);
    bool errors = false, unknown = false;
    for (size_t i = 0; i < l->count; i++)
        for (size_t p = 0; p < n->hist.setup.pair_count * n->sums.second; p++) {
            const struct curve_mean_error *e = &l->layer[i].curves[p].error;
            errors = errors || e->error;
            unknown = unknown || (intervals && e->error && isnan(e->half_width));
        }
    if (!errors && intervals) return curve_interval_fail_single(err);
    if (unknown && l->normalisation[0]->note) l->normalisation[0]->note(curve_interval_unknown);
    if (print_norm(out, n, err)) return -1;
    for (size_t p = 0; p < n->hist.setup.pair_count; p++)
        if (is_shown(n, p) && print_pair_blocks(out, l, p, err)) return -1;
    for (size_t i = 0; i < n->options.totals.count; i++)
        if (print_total_head(out, l, i, err)) return -1;
    int rc = print_columns(&t, l, errors);
    for (size_t i = 0; i < l->count; i++)
        for (uint64_t k = 0; !rc && k < rows; k++) rc = print_row(&t, l, &l->layer[i], k / bins, k % bins, errors);
    return rc;
}

// ---- covariances

enum { MAX_COVARIANCE_BINS = 5000 };

// Prints the row of bins k and l: the covariances of totals, then those of pairs.
static int print_covariance_row(struct trj_table *t, const struct rdf_normalisation *n, double *const *covariance,
                                size_t k, size_t l) {
    const struct rdf_coarse_bins *v = &n->sums.coarse;
    const struct rdf_bins *b = &n->hist.setup.bins;
    const size_t bin[2] = {k, l}, number = k * v->bins + l;
    double r[2];
    for (int i = 0; i < 2; i++) {
        r[i] = (rdf_coarse_bins_edge(v, b, bin[i]) + rdf_coarse_bins_edge(v, b, bin[i] + 1)) / 2;
        trj_table_real(t, 10, r[i]);
    }
    for (size_t i = 0; i < n->options.totals.count; i++) {
        const struct rdf_total_curve *c = &n->total_curves[i];
        double scale[2][2];
        for (int j = 0; j < 2; j++)
            rdf_form_scale(scale[j], n->options.form, n->totals[i].probe, n->sums.scattering.share ? 0 : c->mean,
                           c->mean, c->density, r[j]);
        trj_table_real(t, 6, covariance[i][number] * scale[0][0] * scale[1][0]);
    }
    for (size_t p = 0; p < n->hist.setup.pair_count; p++)
        if (is_shown(n, p)) trj_table_real(t, 6, covariance[n->options.totals.count + p][number]);
    return trj_table_end_row(t);
}

static int print_covariance_rows(struct trj_output *out, const struct rdf_normalisation *n, double *const *covariance,
                                 struct trj_error *err) {
    const struct rdf_setup *s = &n->hist.setup;
    struct trj_table t = {.out = out, .err = err};
    trj_table_comment(&t, "columns: middles of two bins in Angstrom; %s, the covariance of the two bins",
                      n->options.totals.count ? "a total, and a pair of groups" : "a pair of groups");
    trj_table_name(&t, "r1");
    trj_table_name(&t, "r2");
    for (size_t i = 0; i < n->options.totals.count; i++) trj_table_name(&t, "cov(%s)", n->options.totals.texts[i]);
    for (size_t p = 0; p < s->pair_count; p++)
        if (is_shown(n, p)) rdf_table_name(&t, "cov", s, p, false);
    int rc = trj_table_end_row(&t);
    for (size_t k = 0; k < n->sums.coarse.bins; k++)
        for (size_t l = 0; !rc && l < n->sums.coarse.bins; l++) rc = print_covariance_row(&t, n, covariance, k, l);
    return rc;
}

// Allocates the covariance of a curve, whose error is known. Fails if there is none.
static int open_covariance(double **to, const struct rdf_normalisation *n, const struct rdf_curve *c,
                           struct trj_error *err) {
    size_t bins = n->sums.coarse.bins;
    if (!c->error.error || isinf(c->error.error[0]))
        return trj_fail(err, TRJ_BAD_DATA,
                        "--covariance requires several records, and pairs in more than one of them; count with rdfhist "
                        "-B, or more frames");
    *to = trj_alloc(bins * bins, sizeof **to, "a covariance", err);
    return *to ? 0 : -1;
}

static int print_covariances(struct trj_output *out, const struct rdf_norm_layers *l, struct trj_error *err) {
    const struct rdf_normalisation *n = l->whole;
    size_t pairs = n->hist.setup.pair_count, totals = n->options.totals.count;
    if (n->sums.second > 1)
        return trj_fail(err, TRJ_BAD_DATA, "--covariance: counts have a second coordinate; count without its bins");
    if (n->sums.coarse.bins > MAX_COVARIANCE_BINS)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--covariance: %llu bins: at most %d have a covariance; merge them with "
                        "--rebin, or give a --range",
                        (unsigned long long)n->sums.coarse.bins, MAX_COVARIANCE_BINS);
    double **covariance = trj_alloc(totals + pairs, sizeof *covariance, "covariances", err);
    int rc = covariance ? print_norm(out, n, err) : -1;
    for (size_t i = 0; !rc && i < totals; i++)
        rc = print_total_head(out, l, i, err) || open_covariance(&covariance[i], n, &n->total_curves[i].curve, err) ||
             rdf_norm_total_covariance(covariance[i], &n->sums, &n->hist.setup, i, &n->total_curves[i], err);
    for (size_t p = 0; !rc && p < pairs; p++)
        if (is_shown(n, p))
            rc = print_pair_blocks(out, l, p, err) || open_covariance(&covariance[totals + p], n, &n->curves[p], err) ||
                 curve_mean_covariance(covariance[totals + p], &n->sums.mean, p, n->curves[p].g, &n->curves[p].error,
                                       err);
    if (!rc) rc = print_covariance_rows(out, n, covariance, err);
    for (size_t i = 0; covariance && i < totals + pairs; i++) free(covariance[i]);
    free(covariance);
    return rc ? -1 : 0;
}

int rdf_norm_print(struct trj_output *out, const struct rdf_norm_layers *l, char **provenance, struct trj_error *err) {
    const struct rdf_normalisation *n = l->whole;
    struct trj_table t = {.out = out, .err = err};
    rdf_table_head(&t, &n->hist, n->sums.group_atoms, provenance);
    for (size_t i = 1; !l->each && i < l->count; i++) rdf_table_lag(&t, l->layer[i].lag);
    if (l->each)
        trj_table_comment(&t, "each: %zu curve%s of %llu record%s; the last one may have fewer", l->count,
                          l->count > 1 ? "s" : "", (unsigned long long)l->each, l->each > 1 ? "s" : "");
    if (trj_table_status(&t)) return -1;
    if (n->options.covariance) return print_covariances(out, l, err);
    return n->options.counts ? print_counts(out, l, err) : print_curves(out, l, err);
}
