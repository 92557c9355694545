// SPDX-License-Identifier: MIT
// rdfnorm: histogram streams in, a table of g(r) out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hist_stream.h"
#include "memory.h"
#include "norm.h"
#include "number.h"
#include "output.h"
#include "scattering.h"
#include "table.h"
#include "tool.h"

static const char *norm, *error, *range, *plane, *box_text, *excluded = "out", *form, *output_path;
static double volume = NAN, density = NAN, droplet = NAN, thickness = NAN, box[3];
static uint64_t rebin = 1;
static bool only_counts, self, partial;
static struct trj_text_list totals, scatterers, pairs;
static struct rdf_total *asked; // [totals.count]

static const struct trj_choice planes[] = {
    {"x", "that of b and c"}, {"y", "that of a and c"}, {"z", "that of a and b"}, {NULL, NULL}};

static const struct trj_option options[] = {
    {.letter = 'n',
     .name = "norm",
     .kind = TRJ_OPTION_CHOICE,
     .value = &norm,
     .arg = "CONVENTION",
     .help = "how g(r) is normalised",
     .choices = rdf_norms},
    {.letter = 'v',
     .name = "volume",
     .kind = TRJ_OPTION_REAL,
     .value = &volume,
     .arg = "V",
     .help = "volume in cubic Angstrom instead of the frames' own"},
    {.letter = 'd',
     .name = "density",
     .kind = TRJ_OPTION_REAL,
     .value = &density,
     .arg = "RHO",
     .help = "atoms of B per cubic Angstrom, instead of those of the frames"},
    {.name = "droplet",
     .kind = TRJ_OPTION_REAL,
     .value = &droplet,
     .arg = "R",
     .help = "atoms are in a sphere of this radius, in Angstrom, and nothing is outside"},
    {.name = "box",
     .kind = TRJ_OPTION_TEXT,
     .value = &box_text,
     .arg = "LX,LY,LZ",
     .help = "atoms are in a box of these sides, in Angstrom, and nothing is outside"},
    {.name = "plane",
     .kind = TRJ_OPTION_CHOICE,
     .value = &plane,
     .arg = "AXIS",
     .help = "atoms are in a plane, or a slab, across this direction, and are not repeated along it",
     .choices = planes},
    {.name = "thickness",
     .kind = TRJ_OPTION_REAL,
     .value = &thickness,
     .arg = "H",
     .help = "atoms are in a slab of this thickness, in Angstrom, and nothing is outside"},
    {.letter = 'e',
     .name = "error",
     .kind = TRJ_OPTION_CHOICE,
     .value = &error,
     .arg = "WAY",
     .help = "how the standard error is estimated from two records or more",
     .choices = rdf_errors},
    {.letter = 'b',
     .name = "rebin",
     .kind = TRJ_OPTION_COUNT,
     .value = &rebin,
     .arg = "N",
     .help = "take N bins together",
     .min = 1,
     .max = RDF_MOST_BINS},
    {.letter = 'r',
     .name = "range",
     .kind = TRJ_OPTION_TEXT,
     .value = &range,
     .arg = "LOW:HIGH",
     .help = "only bins between these edges, in Angstrom"},
    RDF_OPTION_PAIR(&pairs),
    {.name = "excluded",
     .kind = TRJ_OPTION_CHOICE,
     .value = &excluded,
     .arg = "WHERE",
     .help = "what becomes of pairs that rdfhist -x excluded",
     .choices = rdf_parts},
    {.name = "total",
     .kind = TRJ_OPTION_LIST,
     .value = &totals,
     .arg = "WHAT",
     .help = "print the sum over all pairs of groups, too: number, neutron, xray, or xray@Q, with f at Q"},
    {.name = "form",
     .kind = TRJ_OPTION_CHOICE,
     .value = &form,
     .arg = "FORM",
     .help = "what --total is printed as",
     .choices = rdf_forms},
    RDF_OPTION_SCATTERER(&scatterers),
    RDF_OPTION_PARTIAL(&partial),
    {.name = "self",
     .kind = TRJ_OPTION_FLAG,
     .value = &self,
     .help = "how far atoms themselves went, of counts with rdfhist --lag, instead of where the others are"},
    {.letter = 'c',
     .name = "counts",
     .kind = TRJ_OPTION_FLAG,
     .value = &only_counts,
     .help = "print the raw counts instead of g(r)"},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "rdfnorm",
    .purpose = "Adds histogram streams (from rdfhist) and prints g(r) and n(r) as tab-separated text.",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
    .to_stdout = to_stdout,
};

// Atoms are followed through the boundary by the nearest image from frame to frame, which is the right one where none goes near to half of
// the cell.
static int check_steps(const struct rdf_hist *h, struct trj_error *err) {
    double step = rdf_hist_total(h).step;
    return step <= RDF_LONGEST_STEP ? 0
                                    : trj_fail(err, TRJ_BAD_DATA,
                                               "--self: an atom moves by %.4g of the cell between two frames, so that "
                                               "its direction is ambiguous; use frames that are closer in time",
                                               step);
}

static int print_counts(struct trj_output *out, const struct rdf_hist *h, const struct rdf_sums *sums,
                        struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    const struct rdf_rebin *v = &sums->rebin;
    if (trj_output_print(out, err, "# columns: bin edges in Angstrom, %s counted in all frames\n# r_lo\tr_hi",
                         self ? "atoms" : "pairs"))
        return -1;
    for (size_t p = 0; p < s->pair_count; p++)
        if (rdf_table_name(out, "count", s, p, false, err)) return -1;
    for (uint64_t k = 0; k < v->bins; k++) {
        if (trj_output_print(out, err, "\n%.10g\t%.10g", rdf_rebin_edge(v, &s->bins, k),
                             rdf_rebin_edge(v, &s->bins, k + 1)))
            return -1;
        for (size_t p = 0; p < s->pair_count; p++) {
            unsigned long long n = sums->counts[p * v->bins + k];
            if (trj_output_print(out, err, "\t%llu", n)) return -1;
        }
    }
    return trj_output_print(out, err, "\n");
}

static int print_norm(struct trj_output *out, const struct rdf_hist *h, const struct rdf_sums *sums,
                      struct trj_error *err) {
    const struct rdf_record all = rdf_hist_total(h);
    double height[2];
    rdf_sums_cell_heights(height, sums, &all);
    if (trj_output_print(out, err, "# norm: %s", norm)) return -1;
    if (volume > 0 && trj_output_print(out, err, ", with a volume of %.10g Angstrom^3", volume)) return -1;
    if (density > 0 && trj_output_print(out, err, ", with a density of %.10g per Angstrom^3", density)) return -1;
    if (droplet > 0 && trj_output_print(out, err, ", in a sphere of radius %.10g Angstrom", droplet)) return -1;
    if (box_text &&
        trj_output_print(out, err, ", in a box of %.10g by %.10g by %.10g Angstrom", box[0], box[1], box[2]))
        return -1;
    if (thickness > 0 && trj_output_print(out, err, ", in a slab of %.10g Angstrom", thickness)) return -1;
    if (plane && trj_output_print(out, err, ", in the plane across %s", plane)) return -1;
    if (height[1] > 0 && trj_output_print(out, err, ", in a slab over the whole height of the cell, %.10g", height[0]))
        return -1;
    if (height[1] > 0 && !rdf_same_height(height[0], height[1]) && trj_output_print(out, err, " to %.10g", height[1]))
        return -1;
    if (height[1] > 0 && trj_output_print(out, err, " Angstrom; --thickness takes that of the atoms")) return -1;
    return trj_output_print(out, err, "\n");
}

// Prints the records or blocks from which the errors of a curve were estimated, and whether they are enough.
static int print_blocks(struct trj_output *out, const char *curve, const struct rdf_mean_error *e,
                        struct trj_error *err) {
    if (e->too_few)
        trj_tool_message("%s: too few records to estimate their correlation: its errors may be too small; count more "
                         "frames, or shorter records if they have several frames each (rdfhist -B)",
                         curve);
    if (!strcmp(error, "auto") && !e->correlated)
        return trj_output_print(out, err, "# error %s: records, %s\n", curve,
                                e->tested ? "which show no correlation" : "too few to detect correlation");
    return trj_output_print(out, err, "# error %s: blocks of %llu record%s, statistical inefficiency %.4g records%s\n",
                            curve, (unsigned long long)e->block, e->block > 1 ? "s" : "", e->inefficiency,
                            e->too_few ? ", of too few records" : "");
}

static int print_pair_blocks(struct trj_output *out, const struct rdf_setup *s, size_t pair,
                             const struct rdf_mean_error *e, struct trj_error *err) {
    char name[256];
    snprintf(name, sizeof name, "%s:%s", s->groups[s->pairs[pair].a].name, s->groups[s->pairs[pair].b].name);
    return print_blocks(out, name, e, err);
}

// What the total is of, how much each pair adds to it, and its blocks.
static int print_total_head(struct trj_output *out, const struct rdf_sums *sums, size_t total,
                            const struct rdf_total_curve *c, struct trj_error *err) {
    const struct rdf_setup *s = sums->scattering.setup;
    const struct rdf_total *t = &asked[total];
    static const char *const units[] = {[RDF_NUMBER] = "", [RDF_NEUTRON] = " barn", [RDF_XRAY] = " electrons^2"};
    if (rdf_scattering_print(out, &sums->scattering, t, err) ||
        trj_output_print(out, err, "# total %s: <b>^2 %.7g%s", t->name, c->mean * rdf_scattering_unit(t->probe),
                         units[t->probe]))
        return -1;
    const char *before = "; weights over it";
    for (size_t p = 0; p < s->pair_count && c->mean > 0; p++) {
        if (!rdf_scattering_first(&sums->scattering, p)) continue;
        if (trj_output_print(out, err, "%s %s:%s %.4f", before, s->groups[s->pairs[p].a].name,
                             s->groups[s->pairs[p].b].name, c->weight[p] / c->mean))
            return -1;
        before = ",";
    }
    return trj_output_print(out, err, "\n") ||
                   (c->curve.error.block && print_blocks(out, t->name, &c->curve.error, err))
               ? -1
               : 0;
}

static int print_total(struct trj_output *out, const struct rdf_sums *sums, size_t total,
                       const struct rdf_total_curve *c, uint64_t k, double r, struct trj_error *err) {
    double scale[2];
    rdf_form_scale(scale, form, asked[total].probe, sums->scattering.share, c->mean, c->density, r);
    if (rdf_table_number(out, 10, c->curve.g[k] * scale[0] + scale[1], err)) return -1;
    return c->curve.error.error ? rdf_table_number(out, 4, c->curve.error.error[k] * fabs(scale[0]), err) : 0;
}

static int print_curves(struct trj_output *out, const struct rdf_hist *h, const struct rdf_sums *sums,
                        const struct rdf_curve *curves, const struct rdf_total_curve *total, struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    const struct rdf_rebin *v = &sums->rebin;
    const struct trj_choice *column = rdf_norm_column(norm, self), *of_total = rdf_form_column(form);
    bool errors = false;
    for (size_t p = 0; p < s->pair_count; p++) errors = errors || curves[p].error.error;
    if (print_norm(out, h, sums, err)) return -1;
    for (size_t p = 0; p < s->pair_count; p++)
        if (curves[p].error.block && print_pair_blocks(out, s, p, &curves[p].error, err)) return -1;
    for (size_t i = 0; i < totals.count; i++)
        if (print_total_head(out, sums, i, &total[i], err)) return -1;
    if (trj_output_print(out, err, "# columns: middle of the bin in Angstrom; ") ||
        (totals.count &&
         trj_output_print(out, err, "a total: %s%s; ", of_total->help, errors ? ", its standard error" : "")) ||
        trj_output_print(out, err, "a pair of groups: %s, ", column->help) ||
        (errors && trj_output_print(out, err, "its standard error%s%s, ", strcmp(error, "auto") ? " over " : "",
                                    strcmp(error, "auto") ? error : "")) ||
        trj_output_print(out, err, "%s within the bin's upper edge\n# r",
                         self ? "share of the atoms that stay" : "neighbours"))
        return -1;
    for (size_t i = 0; i < totals.count; i++)
        if (trj_output_print(out, err, "\t%s(%s)", of_total->name, totals.texts[i]) ||
            (errors && trj_output_print(out, err, "\tse(%s)", totals.texts[i])))
            return -1;
    for (size_t p = 0; p < s->pair_count; p++)
        if (rdf_table_name(out, column->name, s, p, false, err) ||
            (errors && rdf_table_name(out, "se", s, p, false, err)) || rdf_table_name(out, "n", s, p, false, err))
            return -1;
    for (uint64_t k = 0; k < v->bins; k++) {
        double middle = (rdf_rebin_edge(v, &s->bins, k) + rdf_rebin_edge(v, &s->bins, k + 1)) / 2;
        if (trj_output_print(out, err, "\n%.10g", middle)) return -1;
        for (size_t i = 0; i < totals.count; i++)
            if (print_total(out, sums, i, &total[i], k, middle, err)) return -1;
        for (size_t p = 0; p < s->pair_count; p++) {
            const double *error_of = curves[p].error.error;
            if (rdf_table_number(out, 10, curves[p].g[k], err) ||
                (errors && rdf_table_number(out, 4, error_of ? error_of[k] : NAN, err)) ||
                rdf_table_number(out, 10, curves[p].n[k], err))
                return -1;
        }
    }
    return trj_output_print(out, err, "\n");
}

// What was asked for, and whether it makes sense before anything is read.
static int ask(struct rdf_sums *sums, struct trj_error *err) {
    if (!isnan(volume) && !(volume > 0))
        return trj_fail(err, TRJ_USAGE, "--volume: invalid value %g: expected a volume above 0 in Angstrom^3", volume);
    if (!isnan(density) && !(density > 0))
        return trj_fail(err, TRJ_USAGE,
                        "--density: invalid value %g: expected a density above 0 in atoms per Angstrom^3", density);
    if (!isnan(droplet) && !(droplet > 0))
        return trj_fail(err, TRJ_USAGE, "--droplet: invalid value %g: expected a radius above 0 in Angstrom", droplet);
    if (!isnan(thickness) && !(thickness > 0))
        return trj_fail(err, TRJ_USAGE, "--thickness: invalid value %g: expected a thickness above 0 in Angstrom",
                        thickness);
    if (box_text && (trj_parse_reals(box_text, box, 3) != 3 || !(box[0] > 0 && box[1] > 0 && box[2] > 0)))
        return trj_fail(err, TRJ_USAGE, "--box: invalid value '%s': expected three sides LX,LY,LZ above 0 in Angstrom",
                        box_text);
    *sums = (struct rdf_sums){.norm = only_counts ? NULL : norm,
                              .volume = volume,
                              .density = density,
                              .droplet = droplet,
                              .plane = plane ? (unsigned)(*plane - 'x') + 1 : 0,
                              .slab = thickness,
                              .total_count = totals.count,
                              .scatterers = &scatterers,
                              .part = rdf_part_named(excluded),
                              .self = self,
                              .rebin.merge = rebin,
                              .mean.error = error};
    if (box_text) rdf_shell_box_open(&sums->box, box);
    if (range && rdf_rebin_parse(&sums->rebin, range, err)) return trj_fail_at(err, "--range");
    if (!totals.count && (scatterers.count || partial || strcmp(form, rdf_forms[0].name) != 0))
        return trj_fail(err, TRJ_USAGE, "--%s applies to totals only; add --total, or leave it out",
                        scatterers.count ? "scatterer"
                        : partial        ? "partial"
                                         : "form");
    if (totals.count && pairs.count)
        return trj_fail(err, TRJ_USAGE, "--total and --pair: a total is the sum over all pairs; leave one of them out");
    if (totals.count && only_counts)
        return trj_fail(err, TRJ_USAGE, "--total and --counts: counts are not weighted; leave one of them out");
    if (totals.count && rdf_form_takes_density(form) && !strcmp(norm, "plane"))
        return trj_fail(err, TRJ_USAGE,
                        "--form %s requires three dimensions, --norm plane has two; use --form g or --form fz", form);
    if (rdf_totals_parse(&asked, &totals, true, err)) return -1;
    sums->totals = asked;
    return rdf_sums_check(sums, err);
}

static void note_nothing(const struct rdf_setup *s, size_t pair, const char *reason) {
    trj_tool_message("note: %s:%s: %s: there is no g(r)", s->groups[s->pairs[pair].a].name,
                     s->groups[s->pairs[pair].b].name, reason);
}

// Where a convention goes by pairs, two groups that are left without any have no g(r); others go on.
static void leave_empty(struct rdf_curve *c, const struct rdf_setup *s, size_t pair, size_t bins) {
    if (self || s->pairs[pair].pairs || !isnan(c->g[0])) return;
    note_nothing(s, pair, s->exclusion ? "all pairs are excluded" : "no two different atoms");
    for (size_t k = 0; k < bins; k++) {
        c->g[k] = NAN;
        if (c->error.error) c->error.error[k] = NAN;
    }
    c->error.block = 0;
}

// Whether groups that change have nothing to make a curve of in any frame.
static bool never_there(const struct rdf_sums *sums, size_t pair) {
    return sums->own ? !sums->own[pair] : sums->pair_sums && !(trj_exact_value(&sums->pair_sums[pair].pairs) > 0);
}

static int make_nothing(struct rdf_curve *c, size_t bins, struct trj_error *err) {
    c->g = trj_alloc(bins, sizeof *c->g, "a curve", err);
    c->n = c->g ? trj_alloc(bins, sizeof *c->n, "a curve", err) : NULL;
    for (size_t k = 0; c->n && k < bins; k++) c->g[k] = c->n[k] = NAN;
    return c->n ? 0 : -1;
}

// Both kinds of curves.
static int make_curves(struct rdf_curve *curves, struct rdf_total_curve *total, const struct rdf_hist *h,
                       struct rdf_sums *sums, struct trj_error *err) {
    const struct rdf_setup *s = &h->setup;
    size_t bins = sums->rebin.bins, empty = 0;
    for (size_t p = 0; p < s->pair_count; p++) empty += never_there(sums, p);
    for (size_t p = 0; p < s->pair_count; p++) {
        if (empty < s->pair_count && never_there(sums, p)) {
            note_nothing(s, p, self ? "in no frame is there an atom of both" : "in no frame is there a pair of atoms");
            if (make_nothing(&curves[p], bins, err)) return -1;
            continue;
        }
        if (rdf_norm_curve(&curves[p], h, sums, p, err)) return -1;
        leave_empty(&curves[p], s, p, bins);
    }
    if (totals.count && rdf_setup_changes(s) && rdf_form_takes_density(form))
        return trj_fail(err, TRJ_BAD_DATA,
                        "a dynamic group has no constant density, which --form %s requires; use --form g or --form fz",
                        form);
    for (size_t i = 0; i < totals.count; i++) {
        if (rdf_norm_total(&total[i], h, sums, i, err)) return -1;
        double most = 0;
        for (size_t p = 0; p < h->setup.pair_count; p++) most += fabs(total[i].weight[p]);
        if (rdf_form_takes_mean(form) && !(total[i].mean > 1e-9 * most))
            return trj_fail(err, TRJ_BAD_DATA, "total %s: <b>^2 is %.3g, too small to divide by; use --form fz",
                            totals.texts[i], total[i].mean);
    }
    char note[RDF_SHARE_NOTE] = "";
    if (totals.count && rdf_scattering_check_share(&sums->scattering, sums->group_atoms, rdf_hist_total(h).frames,
                                                   asked, totals.count, partial, note, err))
        return -1;
    if (*note) trj_tool_message("%s", note);
    return 0;
}

static int run(struct rdf_hist *h, struct rdf_sums *sums, struct trj_output **out, int argc, char **argv, int first,
               struct trj_error *err) {
    struct rdf_total_curve *total = NULL;
    struct rdf_curve *curves = NULL;
    char **provenance = NULL;
    int rc = -1;
    if (ask(sums, err)) return -1;
    h->part = sums->part;
    h->self = self;
    h->pairs = pairs;
    h->take = rdf_sums_take;
    h->take_arg = sums;
    if (rdf_table_read(h, argv + first, argc - first, err)) return -1;
    if (self ? check_steps(h, err) : !only_counts && rdf_table_check_pairs(&h->setup, totals.count, err)) return -1;
    size_t n = h->setup.pair_count;
    curves = trj_alloc(n, sizeof *curves, "curves", err);
    total = curves ? trj_alloc(totals.count, sizeof *total, "curves", err) : NULL;
    provenance = total ? trj_tool_provenance(&tool, argc, argv, err) : NULL;
    if (!provenance || (!only_counts && make_curves(curves, total, h, sums, err))) goto out;
    if (trj_output_open(out, output_path, TRJ_OUTPUT_TEXT, err) ||
        rdf_table_head(*out, h, sums->group_atoms, provenance, err))
        goto out;
    if (only_counts ? print_counts(*out, h, sums, err) : print_curves(*out, h, sums, curves, total, err)) goto out;
    rc = trj_output_commit(*out, err);
out:
    for (size_t p = 0; curves && p < n; p++) rdf_curve_free(&curves[p]);
    for (size_t i = 0; total && i < totals.count; i++) rdf_total_curve_free(&total[i]);
    free(curves);
    free(total);
    trj_text_array_free(provenance);
    return rc;
}

int main(int argc, char **argv) {
    struct trj_error err;
    struct rdf_hist h = {.records = NULL};
    struct rdf_sums sums = {.counts = NULL};
    struct trj_output *out = NULL;
    int first, rc;
    norm = rdf_norms[0].name;
    error = rdf_errors[0].name;
    form = rdf_forms[0].name;
    trj_tool_start(&tool);
    rc = trj_tool_parse(&tool, argc, argv, &first, &err);
    if (rc > 0) rc = run(&h, &sums, &out, argc, argv, first, &err);
    trj_output_close(out);
    rdf_sums_free(&sums);
    free(asked);
    rdf_hist_free(&h);
    free(totals.texts);
    free(scatterers.texts);
    free(pairs.texts);
    return rc < 0 ? trj_tool_fail(&err) : 0;
}
