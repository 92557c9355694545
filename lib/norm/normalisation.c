// SPDX-License-Identifier: MIT
// Checks the options together and computes all curves, so that rdfnorm, rdfcmp and tests normalise alike.
#include "normalisation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error_blocks.h"
#include "memory.h"
#include "number.h"
#include "table.h"

static int check_values(struct rdf_normalisation *n, struct trj_error *err) {
    const struct rdf_norm_options *q = &n->options;
    if (!isnan(q->volume) && !(q->volume > 0))
        return trj_fail(err, TRJ_USAGE, "--volume: invalid value %g: expected a volume above 0 in Angstrom^3",
                        q->volume);
    if (!isnan(q->density) && !(q->density > 0))
        return trj_fail(err, TRJ_USAGE,
                        "--density: invalid value %g: expected a density above 0 in atoms per Angstrom^3", q->density);
    if (!isnan(q->droplet) && !(q->droplet > 0))
        return trj_fail(err, TRJ_USAGE, "--droplet: invalid value %g: expected a radius above 0 in Angstrom",
                        q->droplet);
    if (!isnan(q->thickness) && !(q->thickness > 0))
        return trj_fail(err, TRJ_USAGE, "--thickness: invalid value %g: expected a thickness above 0 in Angstrom",
                        q->thickness);
    const double *box = n->box;
    if (q->box && (trj_parse_reals(q->box, n->box, 3) != 3 || !(box[0] > 0 && box[1] > 0 && box[2] > 0)))
        return trj_fail(err, TRJ_USAGE, "--box: invalid value '%s': expected three sides LX,LY,LZ above 0 in Angstrom",
                        q->box);
    return 0;
}

int rdf_norm_check_interval(const struct rdf_norm_options *q, struct trj_error *err) {
    if (isnan(q->interval)) return 0;
    if (q->counts || q->covariance)
        return trj_fail(err, TRJ_USAGE, "--interval and --%s: no curve is printed; leave one of them out",
                        q->counts ? "counts" : "covariance");
    if (!strcmp(q->error, "none"))
        return trj_fail(err, TRJ_USAGE, "--interval requires errors; leave --error none out");
    return curve_interval_check(q->interval, err);
}

static int check_covariance(const struct rdf_norm_options *q, struct trj_error *err) {
    if (!q->covariance) return 0;
    if (q->counts)
        return trj_fail(err, TRJ_USAGE, "--covariance and --counts: counts have no errors; leave one of them out");
    if (!strcmp(q->error, "none"))
        return trj_fail(err, TRJ_USAGE, "--covariance requires errors; leave --error none out");
    return 0;
}

static int check_totals(const struct rdf_norm_options *q, struct trj_error *err) {
    if (!q->totals.count && (q->scatterers.count || q->partial || q->split || strcmp(q->form, rdf_forms[0].name) != 0))
        return trj_fail(err, TRJ_USAGE, "--%s applies to totals only; add --total, or leave it out",
                        q->scatterers.count ? "scatterer"
                        : q->partial        ? "partial"
                        : q->split          ? "split"
                                            : "form");
    if (!q->totals.count) return 0;
    if (q->split && rdf_part_named(q->excluded) != RDF_PART_ALL)
        return trj_fail(
            err, TRJ_USAGE,
            "--split requires totals that include excluded pairs; give --excluded in, or leave --split out");
    if (q->counts)
        return trj_fail(err, TRJ_USAGE, "--total and --counts: counts are not weighted; leave one of them out");
    if (rdf_form_takes_density(q->form) && !strcmp(q->norm, "plane"))
        return trj_fail(err, TRJ_USAGE,
                        "--form %s requires three dimensions, --norm plane has two; use --form g or --form fz",
                        q->form);
    return 0;
}

int rdf_norm_check_other_table(const char *option, const struct rdf_norm_options *q, bool bins, struct trj_error *err) {
    bool of_bins = q->range || q->edges || q->merge != 1 || !isnan(q->density);
    if (!isnan(q->volume) || !isnan(q->droplet) || !isnan(q->thickness) || q->box || q->plane || (of_bins && !bins) ||
        q->counts || q->covariance || q->self || q->partial || q->split || q->totals.count || q->scatterers.count ||
        rdf_part_named(q->excluded) != RDF_PART_REST || strcmp(q->norm, rdf_norms[0].name) != 0 ||
        strcmp(q->form, rdf_forms[0].name) != 0)
        return trj_fail(err, TRJ_USAGE,
                        "--%s: options of g(r) do not apply to this table; leave all but %s--error, --interval, "
                        "--pair and --output out",
                        option, bins ? "--range, --rebin, --edges, --density, " : "");
    return rdf_norm_check_interval(q, err);
}

int rdf_normalisation_open(struct rdf_normalisation *n, const struct rdf_norm_options *options, struct trj_error *err) {
    const struct rdf_norm_options *q = &n->options;
    n->options = *options;
    if (check_values(n, err)) return -1;
    n->sums = (struct rdf_sums){.norm = q->counts ? NULL : q->norm,
                                .volume = q->volume,
                                .density = q->density,
                                .droplet = q->droplet,
                                .plane = q->plane ? (unsigned)(*q->plane - 'x') + 1 : 0,
                                .slab = q->thickness,
                                .total_count = q->totals.count,
                                .scatterers = &q->scatterers,
                                .patterns = &q->pairs,
                                .split = q->split,
                                .form = q->totals.count && rdf_form_takes_density(q->form) ? q->form : NULL,
                                .part = rdf_part_named(q->excluded),
                                .self = q->self,
                                .coarse.merge = q->merge,
                                .mean.error = q->error,
                                .mean.keep = q->covariance,
                                .mean.interval = isnan(q->interval) ? 0 : q->interval,
                                .in_form.error = q->error,
                                .in_form.interval = isnan(q->interval) ? 0 : q->interval,
                                .in_form.keep = q->covariance};
    if (q->box) rdf_shell_box_open(&n->sums.box, n->box);
    if (q->range && rdf_coarse_bins_parse(&n->sums.coarse, q->range, err)) return trj_fail_at(err, "--range");
    if (q->edges && q->merge > 1)
        return trj_fail(err, TRJ_USAGE, "--edges and --rebin: both give the widths of bins; leave one of them out");
    if (q->edges && rdf_coarse_bins_parse_edges(&n->sums.coarse, q->edges, err)) return trj_fail_at(err, "--edges");
    if (q->range && n->sums.coarse.wanted)
        return trj_fail(err, TRJ_USAGE, "--edges and --range: the file gives the range, too; leave --range out");
    if (rdf_norm_check_interval(q, err) || check_covariance(q, err) || check_totals(q, err) ||
        rdf_totals_parse(&n->totals, &q->totals, true, err))
        return -1;
    n->sums.totals = n->totals;
    n->hist.part = n->sums.part;
    n->hist.self = q->self;
    if (!q->totals.count) n->hist.pairs = q->pairs; // a total is the sum over all pairs
    n->hist.take = rdf_sums_take;
    n->hist.take_arg = &n->sums;
    return rdf_sums_check(&n->sums, err);
}

static void free_curves(struct rdf_normalisation *n) {
    for (size_t p = 0; n->curves && p < n->hist.setup.pair_count * n->sums.second; p++) rdf_curve_free(&n->curves[p]);
    for (size_t i = 0; n->total_curves && i < n->options.totals.count; i++) rdf_total_curve_free(&n->total_curves[i]);
    free(n->curves);
    free(n->total_curves);
    n->curves = NULL;
    n->total_curves = NULL;
}

void rdf_normalisation_close(struct rdf_normalisation *n) {
    free_curves(n);
    free(n->totals);
    rdf_sums_free(&n->sums);
    rdf_hist_free(&n->hist);
}

static void note(const struct rdf_normalisation *n, const char *text) {
    if (n->note) n->note(text);
}

static void note_no_curve(const struct rdf_normalisation *n, size_t pair, const char *reason) {
    const struct rdf_setup *s = &n->hist.setup;
    char text[1024];
    snprintf(text, sizeof text, "note: %s:%s: %s: there is no g(r)", s->groups[s->pairs[pair].a].name,
             s->groups[s->pairs[pair].b].name, reason);
    note(n, text);
}

// The image of an atom is followed by the nearest image from frame to frame, which is correct for steps well below half
// of the cell.
static int check_steps(const struct rdf_hist *h, struct trj_error *err) {
    double step = rdf_hist_total(h).step;
    if (step <= RDF_MAX_STEP) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "--self: an atom moves by %.4g of the cell between two frames, so that its direction is "
                    "ambiguous; use frames that are closer in time",
                    step);
}

// In conventions that divide by the number of pairs, two groups without a pair have no g(r); other pairs keep theirs.
static void clear_empty(struct rdf_normalisation *n, size_t curve) {
    const struct rdf_setup *s = &n->hist.setup;
    struct rdf_curve *c = &n->curves[curve];
    size_t pair = curve / n->sums.second;
    if (n->options.self || s->pairs[pair].pairs || !isnan(c->g[0])) return;
    if (curve % n->sums.second == 0)
        note_no_curve(n, pair, s->exclusion ? "all pairs are excluded" : "no two different atoms");
    for (size_t k = 0; k < n->sums.coarse.bins; k++) c->g[k] = NAN;
    free(c->error.error);
    c->error = (struct curve_mean_error){.error = NULL};
}

// Returns whether dynamic groups have no pair of atoms in any frame.
static bool never_counted(const struct rdf_sums *sums, size_t pair) {
    return sums->own ? !sums->own[pair] : sums->pair_sums && !(trj_exact_value(&sums->pair_sums[pair].pairs) > 0);
}

static int make_nan_curve(struct rdf_curve *c, size_t bins, struct trj_error *err) {
    c->g = trj_alloc(bins, sizeof *c->g, "a curve", err);
    c->n = c->g ? trj_alloc(bins, sizeof *c->n, "a curve", err) : NULL;
    for (size_t k = 0; c->n && k < bins; k++) c->g[k] = c->n[k] = NAN;
    return c->n ? 0 : -1;
}

static int make_pair_curves(struct rdf_normalisation *n, struct trj_error *err) {
    size_t pairs = n->hist.setup.pair_count, empty = 0;
    for (size_t p = 0; p < pairs; p++) empty += never_counted(&n->sums, p);
    for (size_t i = 0; i < pairs * n->sums.second; i++) {
        size_t p = i / n->sums.second;
        if ((n->may_be_empty || empty < pairs) && never_counted(&n->sums, p)) {
            if (i % n->sums.second == 0)
                note_no_curve(n, p,
                              n->options.self ? "no frame contains an atom of both groups"
                                              : "no frame contains a pair of atoms");
            if (make_nan_curve(&n->curves[i], n->sums.coarse.bins, err)) return -1;
            continue;
        }
        if (rdf_norm_curve(&n->curves[i], &n->hist, &n->sums, i, err)) return -1;
        clear_empty(n, i);
    }
    return 0;
}

static int make_total_curves(struct rdf_normalisation *n, struct trj_error *err) {
    const struct rdf_setup *s = &n->hist.setup;
    const struct rdf_norm_options *q = &n->options;
    char text[RDF_SHARE_NOTE] = "";
    if (rdf_setup_has_dynamic_group(s) && rdf_form_takes_density(q->form))
        return trj_fail(err, TRJ_BAD_DATA,
                        "a dynamic group has no constant density, which --form %s requires; use --form g or --form fz",
                        q->form);
    for (size_t i = 0; i < q->totals.count; i++) {
        struct rdf_total_curve *c = &n->total_curves[i];
        double scale = 0;
        if (rdf_norm_total(c, &n->hist, &n->sums, i, err)) return -1;
        for (size_t p = 0; p < s->pair_count; p++) scale += fabs(c->weight[p]);
        if (rdf_form_takes_mean(q->form) && !(c->mean > 1e-9 * scale))
            return trj_fail(err, TRJ_BAD_DATA, "total %s: <b>^2 is %.3g, too small to divide by; use --form fz",
                            q->totals.texts[i], c->mean);
    }
    if (rdf_scattering_check_share(&n->sums.scattering, n->sums.group_atoms, rdf_hist_total(&n->hist).frames, n->totals,
                                   q->totals.count, q->partial, text, err))
        return -1;
    if (*text) note(n, text);
    return 0;
}

// Reports how far logarithmic edges were moved to edges of the histogram.
static void note_shift(const struct rdf_normalisation *n) {
    char text[160];
    if (!(n->sums.coarse.shift > 0)) return;
    snprintf(text, sizeof text,
             "note: logarithmic edges were moved to the nearest edges of the histogram, by at most %.4g Angstrom",
             n->sums.coarse.shift);
    note(n, text);
}

int rdf_normalise(struct rdf_normalisation *n, struct trj_error *err) {
    const struct rdf_norm_options *q = &n->options;
    note_shift(n);
    free_curves(n);
    if (q->self && check_steps(&n->hist, err)) return -1;
    if (q->counts) return 0;
    if (!q->self && rdf_table_check_pairs(&n->hist.setup, q->totals.count, err)) return -1;
    n->curves = trj_alloc(n->hist.setup.pair_count * n->sums.second, sizeof *n->curves, "curves", err);
    n->total_curves = n->curves ? trj_alloc(q->totals.count, sizeof *n->total_curves, "curves", err) : NULL;
    if (!n->total_curves || make_pair_curves(n, err)) return -1;
    return q->totals.count ? make_total_curves(n, err) : 0;
}
