// SPDX-License-Identifier: MIT
// rdfderive: reads histogram streams and prints a table of quantities derived from g(r).
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "derive_options.h"
#include "derived_table.h"
#include "memory.h"
#include "output.h"
#include "pdf_file.h"
#include "quantity.h"
#include "segment_note.h"
#include "table.h"
#include "tool.h"

static const char *output_path;
static struct rdf_derive_options o = {.format = "tsv",
                                      .options = {.window = "none",
                                                  .volume = NAN,
                                                  .temperature = NAN,
                                                  .interval = NAN,
                                                  .qmax = NAN,
                                                  .dq = 0.05,
                                                  .reach = 0.3,
                                                  .shells = 1,
                                                  .pdf = {.rmax = NAN, .dr = 0.01}},
                                      .table = {.cutoff = NAN, .switching = NAN, .spacing = NAN}};

static const struct trj_option options[] = {
    {.heading = "Quantity",
     TRJ_OPTION('q', "quantity", CHOICE, &o.quantity, "QUANTITY", "derive this quantity; required"),
     .choices = rdf_quantity_names},
    {TRJ_OPTION('v', "volume", REAL, &o.options.volume, "V",
                "use this volume in cubic Angstrom instead of that of the frames")},
    {TRJ_OPTION('T', "temperature", REAL, &o.options.temperature, "K", "pmf: set the temperature in kelvin")},
    {.table = curve_interval_option, .value = &o.options.interval},
    {.heading = "Structure factors",
     TRJ_OPTION('w', "window", CHOICE, &o.options.window, "WINDOW",
                "sq: multiply g(r) - 1 by this window, x = r/rmax; pdf: multiply S(q) - 1 by it, x = q/qmax"),
     .choices = rdf_windows},
    {TRJ_OPTION(0, "qmin", REAL, &o.options.qmin, "Q", "sq, debye, pdf: set the smallest q in 1/Angstrom")},
    {TRJ_OPTION(0, "qmax", REAL, &o.options.qmax, "Q",
                "sq, debye, pdf: set the largest q in 1/Angstrom (default: 20; pdf of a table: its last q)")},
    {TRJ_OPTION(0, "dq", REAL, &o.options.dq, "Q", "sq, debye, pdf: set the step of q in 1/Angstrom")},
    {TRJ_OPTION(0, "atoms", COUNT, &o.options.atoms, "N",
                "sq, debye: use N atoms of the whole system for partial S(q) of Faber and Ziman (default: Ashcroft and "
                "Langreth)"),
     .max = UINT32_MAX},
    {TRJ_OPTION(0, "total", LIST, &o.totals, "WHAT",
                "sq, debye: also print the total S(q) of all pairs of groups: number, neutron, xray or "
                "electron; pdf: transform this total")},
    {TRJ_OPTION(0, "form", CHOICE, &o.form, "FORM", "print totals in this form (default: s; pdf: pdf)"),
     .choices = rdf_derived_forms},
    {.table = rdf_split_option, .value = &o.options.split},
    {.table = rdf_scatterer_option, .value = &o.options.scatterers},
    {.table = rdf_partial_option, .value = &o.partial},
    {.table = rdf_pdf_option_table, .value = &o},
    {.table = rdf_simulation_option_table, .value = &o},
    {.heading = "Other quantities",
     TRJ_OPTION(
         0, "corrected", FLAG, &o.options.corrected, NULL,
         "kb: correct g(r) for the closed system (Ganguly and van der Vegt); s2: subtract the bias caused by noise")},
    {TRJ_OPTION(0, "smooth", REAL, &o.options.smooth, "W",
                "pmf, s2: smooth g(r) in windows of W Angstrom, so that n(r) is unchanged at their edges")},
    {TRJ_OPTION(0, "shells", COUNT, &o.options.shells, "N", "shells: find N shells"), .min = 1, .max = 100},
    {TRJ_OPTION(0, "reach", REAL, &o.options.reach, "R",
                "shells: smooth g(r) with parabolas over at most R Angstrom on either side")},
    {.table = rdf_pair_option, .value = &o.pairs},
    {TRJ_OPTION(0, "excluded", CHOICE, &o.excluded, "WHERE",
                "treat the pairs that rdfhist -x excluded in this way (default: in for sq, debye and pdf, out for all "
                "others)"),
     .choices = rdf_parts},
    TRJ_OPTION_OUTPUT(&output_path, "write to FILE instead of standard output"),
    TRJ_OPTION_DIGEST,
    TRJ_OPTION_END,
};

static bool to_stdout(void) {
    return trj_output_is_stdout(output_path);
}

static const struct trj_tool tool = {
    .name = "rdfderive",
    .purpose = "Derives structure factors, coordination numbers, Kirkwood-Buff integrals and other quantities from "
               "histogram streams (of rdfhist), as tab-separated text.",
    .operands = "[FILE...]",
    .max_operands = SIZE_MAX,
    .options = options,
    .to_stdout = to_stdout,
};

// Reports the pairs with missing shells; the shells that were found are in the table.
static void report_missing_shells(const struct rdf_derivation *d) {
    for (size_t p = 0; d->missing_shells && p < d->pairs; p++)
        if (*d->missing_shells[p].text)
            trj_tool_message("note: %s: nan in the table; count more frames, or smooth more with --reach",
                             d->missing_shells[p].text);
}

// Reports pairs that are beyond rmax, and thus missing from Debye's sum over a finite body or over excluded pairs.
static void note_missing_pairs(const struct rdf_derivation *d) {
    const struct rdf_setup *s = &d->hist.setup;
    bool of_excluded = s->exclusion && (d->hist.part == RDF_PART_EXCLUDED || d->hist.part == RDF_PART_SEPARATE);
    if (d->quantity->axis != RDF_WAVES) return;
    bool sum = d->summed || (d->number == RDF_DEBYE && !rdf_hist_total(&d->hist).periodic_any);
    if (!of_excluded && !sum) return;
    for (size_t p = 0; p < d->pairs; p++) {
        double all, counted;
        rdf_derived_coverage(d, p, &all, &counted);
        if (counted < all)
            trj_tool_message("%s:%s: %.10g of %.10g %spairs are beyond rmax and not in the sum",
                             s->groups[s->pairs[p].a].name, s->groups[s->pairs[p].b].name, all - counted, all,
                             of_excluded ? "excluded " : "");
    }
}

struct job {
    struct rdf_derivation derivation;
    struct trj_output *out;
};

// Prints G(r) of a measured table.
static int run_table(struct job *j, char **operands, int count, struct trj_error *err) {
    struct trj_measured_curve curve = {.name = NULL};
    struct rdf_pdf pdf = {.value = NULL};
    double density = o.options.atoms ? (double)o.options.atoms / o.options.volume : NAN;
    if (count > 1)
        return trj_fail(err, TRJ_USAGE, "%s: a measured table is the only input; leave out %s", operands[0],
                        operands[1]);
    int rc = rdf_pdf_of_table(&pdf, &curve, *operands, &o.options.pdf, o.options.window, o.options.qmin, o.options.qmax,
                              density, err);
    if (!rc && !trj_tool_provenance(err)) rc = -1;
    const struct rdf_pdf_report report = {.format = o.format,
                                          .pdf = &pdf,
                                          .options = &o.options.pdf,
                                          .window = o.options.window,
                                          .table = *operands,
                                          .probe = o.options.pdf.probe ? o.options.pdf.probe
                                                   : curve.probe       ? curve.probe
                                                                       : "measured",
                                          .column = curve.name,
                                          .provenance = rc ? NULL : trj_tool_provenance(err)};
    if (!rc && (trj_output_open(&j->out, output_path, TRJ_OUTPUT_TEXT, err) || rdf_pdf_print(j->out, &report, err) ||
                trj_output_commit(j->out, err)))
        rc = -1;
    rdf_pdf_free(&pdf);
    trj_measured_free(&curve);
    return rc;
}

static int print(struct trj_output *out, const struct rdf_derivation *d, struct trj_error *err) {
    char **provenance = trj_tool_provenance(err);
    const struct rdf_pdf_report report = {.format = o.format,
                                          .pdf = &d->pdf,
                                          .options = &d->options.pdf,
                                          .window = d->options.window,
                                          .probe = d->options.total_count ? d->options.totals->name : "",
                                          .d = d,
                                          .provenance = provenance};
    if (o.table.program) return rdf_simulation_table_print(out, d, &o.table, provenance, trj_tool_print_line, err);
    return d->number == RDF_PDF ? rdf_pdf_print(out, &report, err) : rdf_derived_print(out, d, provenance, err);
}

// Rejects counts with a lag before those of a second lag, which cannot be added to them.
static struct rdf_hist *reject_lags(void *hist, const struct rdf_setup *setup, struct trj_error *err) {
    if (!setup->lag.frames) return hist;
    trj_fail(err, TRJ_BAD_DATA, "counts of atoms at two times cannot be used; count without rdfhist --lag");
    return NULL;
}

static int run_counts(struct job *j, char **operands, int count, struct trj_error *err) {
    struct rdf_derivation *d = &j->derivation;
    char note[RDF_SHARE_NOTE] = "";
    d->progress = trj_tool_progress;
    if (!o.totals.count) d->hist.pairs = o.pairs; // a total is the sum over all pairs
    d->hist.choose = reject_lags;
    d->hist.choose_arg = &d->hist;
    char segments[TRJ_SEGMENT_NOTE];
    int rc = rdf_table_read(&d->hist, operands, count, err);
    if (!rc) trj_tool_print_line(trj_segment_note(segments, d->hist.provenance.text, d->hist.provenance.count));
    if (!rc) rc = rdf_derive(d, err);
    trj_tool_progress_end();
    if (!rc && o.totals.count)
        rc = rdf_scattering_check_share(&d->scattering, d->group_atoms, rdf_hist_total(&d->hist).frames,
                                        o.options.totals, o.totals.count, o.partial, note, err);
    if (rc) return -1;
    trj_tool_print_line(note);
    note_missing_pairs(d);
    report_missing_shells(d);
    if (d->blocks.rule.too_few)
        trj_tool_message("note: too few records to estimate their correlation: errors may be too small; count more "
                         "frames, or shorter records if they have several frames each (rdfhist -B)");
    if (!isnan(o.options.interval) && isnan(rdf_derived_half_width(d))) trj_tool_print_line(curve_interval_unknown);
    if (!trj_tool_provenance(err) || trj_output_open(&j->out, output_path, TRJ_OUTPUT_TEXT, err) ||
        print(j->out, d, err))
        return -1;
    return trj_output_commit(j->out, err);
}

static int run(void *state, char **operands, int count, struct trj_error *err) {
    struct job *j = state;
    struct rdf_total *asked = NULL;
    if (!o.quantity)
        return trj_fail(err, TRJ_USAGE, "--quantity: missing; give one of the quantities listed by rdfderive --help");
    enum rdf_quantity_number number = rdf_derive_options_number(&o);
    bool table = false;
    if (number == RDF_PDF && count && rdf_pdf_detect_table(&table, *operands, err)) return -1;
    int rc = rdf_totals_parse(&asked, &o.totals, false, err);
    if (!rc) {
        rdf_derive_options_resolve(&o, table, o.totals.count ? asked->probe : RDF_NUMBER);
        o.options.totals = asked;
        o.options.total_count = o.totals.count;
        if (o.totals.count) o.options.patterns = o.pairs;
        o.options.pdf.probe = o.totals.count ? asked->name : NULL;
        rc = rdf_derivation_open(&j->derivation, number, &o.options, o.excluded, err) ||
                     rdf_derive_options_check(&o, table, err)
                 ? -1
                 : 0;
    }
    if (!rc) rc = table ? run_table(j, operands, count, err) : run_counts(j, operands, count, err);
    free(asked);
    return rc;
}

static void close_all(void *state) {
    struct job *j = state;
    trj_output_close(j->out);
    rdf_derivation_close(&j->derivation);
    free(o.totals.texts);
    free(o.options.scatterers.texts);
    free(o.pairs.texts);
}

int main(int argc, char **argv) {
    static struct job j;
    return trj_tool_main(&tool, argc, argv, run, close_all, &j);
}
