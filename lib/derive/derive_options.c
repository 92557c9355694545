// SPDX-License-Identifier: MIT
// Checks the options of rdfderive together, because which of them are allowed depends on the quantity.
#include "derive_options.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "table.h"

const struct trj_option rdf_simulation_option_table[] = {
    {.heading = "Tables for simulation",
     TRJ_OPTION_FIELD(0, "table", CHOICE, struct rdf_derive_options, table.program, "PROGRAM",
                      "pmf: write the potential and its force as a table of this program"),
     .choices = rdf_table_programs},
    {TRJ_OPTION_FIELD(0, "units", CHOICE, struct rdf_derive_options, table.units, "UNITS",
                      "table: use these units (default: real for LAMMPS, else gromacs)"),
     .choices = rdf_table_units},
    {TRJ_OPTION_FIELD(0, "cutoff", REAL, struct rdf_derive_options, table.cutoff, "R",
                      "table: let the potential reach 0 at R Angstrom (default: rmax of the counts)")},
    {TRJ_OPTION_FIELD(0, "switch", REAL, struct rdf_derive_options, table.switching, "R",
                      "table: begin to switch off the potential at R Angstrom (default: 0.9 of the cutoff)")},
    {TRJ_OPTION_FIELD(0, "core", CHOICE, struct rdf_derive_options, table.core, "WAY",
                      "table: extrapolate the potential in this way where g(r) is 0 or too noisy (default: linear)"),
     .choices = rdf_table_cores},
    {TRJ_OPTION_FIELD(0, "spacing", REAL, struct rdf_derive_options, table.spacing, "R",
                      "table: set the largest spacing of rows in Angstrom (default: 0.01)")},
    TRJ_OPTION_END,
};

const struct trj_option rdf_pdf_option_table[] = {
    {.heading = "G(r) as measured",
     TRJ_OPTION_FIELD(0, "qdamp", REAL, struct rdf_derive_options, options.pdf.qdamp, "Q",
                      "pdf: damp G(r) by exp(-(r Q)^2/2), in 1/Angstrom")},
    {TRJ_OPTION_FIELD(0, "qbroad", REAL, struct rdf_derive_options, options.pdf.qbroad, "Q",
                      "pdf: broaden peaks by Q r times their width, in 1/Angstrom")},
    {TRJ_OPTION_FIELD(0, "peak-width", REAL, struct rdf_derive_options, options.pdf.peak_width, "W",
                      "pdf: set the width of peaks for --qbroad in Angstrom")},
    {TRJ_OPTION_FIELD(0, "rmin", REAL, struct rdf_derive_options, options.pdf.rmin, "R",
                      "pdf: set the smallest r in Angstrom")},
    {TRJ_OPTION_FIELD(0, "rmax", REAL, struct rdf_derive_options, options.pdf.rmax, "R",
                      "pdf: set the largest r in Angstrom (default: that of the counts; of a table: 20)")},
    {TRJ_OPTION_FIELD(0, "dr", REAL, struct rdf_derive_options, options.pdf.dr, "R",
                      "pdf: set the step of r in Angstrom")},
    {TRJ_OPTION_FIELD(0, "to", CHOICE, struct rdf_derive_options, format, "FORMAT", "pdf: write this format"),
     .choices = rdf_pdf_formats},
    TRJ_OPTION_END,
};

const struct trj_choice rdf_derived_forms[] = {
    {"s", "sq, debye: S(q), which tends to 1"},
    {"fz", "F(q) = <b>^2 (S(q) - 1) of Faber and Ziman, which tends to 0; pdf: G(r), its transform"},
    {"fq", "sq, debye: q (S(q) - 1)"},
    {"pdf", "pdf: G(r) of PDFgui, 4 pi r rho (g(r) - 1)"},
    {"g", "pdf: g(r), which tends to 1"},
    {"d", "pdf: D(r) = 4 pi r rho G(r)"},
    {"t", "pdf: T(r) = D(r) + 4 pi r rho <b>^2"},
    {"rdf", "pdf: RDF(r) = 4 pi r^2 rho g(r)"},
    {NULL, NULL},
};

enum rdf_quantity_number rdf_derive_options_number(const struct rdf_derive_options *o) {
    enum rdf_quantity_number number = 0;
    while (strcmp(rdf_quantity_names[number].name, o->quantity) != 0) number++;
    return number;
}

static bool is_form(const struct rdf_derive_options *o, const char *form) {
    return o->form && !strcmp(o->form, form);
}

void rdf_derive_options_resolve(struct rdf_derive_options *o, bool table, enum rdf_probe probe) {
    enum { USUAL_QMAX = 20 };
    bool pdf = rdf_derive_options_number(o) == RDF_PDF;
    if (isnan(o->options.qmax) && !table) o->options.qmax = USUAL_QMAX;
    o->options.pdf.form = o->form ? o->form : "pdf";
    o->options.undivided = pdf ? rdf_pdf_takes_f(o->format, o->options.pdf.form, probe) : is_form(o, "fz");
    o->options.reduced = !pdf && is_form(o, "fq");
}

// ---- checks

struct option_use {
    const char *name;
    bool given, fits;
};

static int check_use(const struct rdf_derive_options *o, const struct option_use *use, size_t count,
                     struct trj_error *err) {
    for (size_t i = 0; i < count; i++)
        if (use[i].given && !use[i].fits)
            return trj_fail(err, TRJ_USAGE, "--%s has no effect on --quantity %s; leave it out", use[i].name,
                            o->quantity);
    return 0;
}

static int check_pdf(const struct rdf_derive_options *o, bool table, struct trj_error *err) {
    const struct rdf_quantity_options *options = &o->options;
    const struct rdf_pdf_options *pdf = &options->pdf;
    bool tsv = !strcmp(o->format, rdf_pdf_formats[0].name);
    bool of_form = tsv || !strcmp(o->format, "rmc");
    if (!strcmp(pdf->form, "s") || !strcmp(pdf->form, "fq"))
        return trj_fail(err, TRJ_USAGE, "--form %s: applies to S(q), not to G(r); for S(q) give --to sq, or -q sq",
                        pdf->form);
    if (!of_form && strcmp(pdf->form, "pdf") != 0)
        return trj_fail(err, TRJ_USAGE, "--form %s: has no effect on --to %s; leave it out", pdf->form, o->format);
    if (!table && !o->totals.count)
        return trj_fail(
            err, TRJ_USAGE,
            "--quantity pdf: --total is missing; give neutron, xray, electron or number, or a measured table");
    if (!tsv && o->totals.count > 1)
        return trj_fail(err, TRJ_USAGE, "--to %s: a file contains one total, not %zu; give one --total", o->format,
                        o->totals.count);
    if (o->pairs.count || (table && (o->options.scatterers.count || o->partial || o->excluded)))
        return trj_fail(err, TRJ_USAGE, "--%s has no effect on %s; leave it out",
                        o->pairs.count                ? "pair"
                        : o->options.scatterers.count ? "scatterer"
                        : o->partial                  ? "partial"
                                                      : "excluded",
                        table ? "a measured table" : "--quantity pdf");
    if (table && (pdf->qdamp > 0 || pdf->qbroad > 0))
        return trj_fail(err, TRJ_USAGE,
                        "--%s: a measured table has the resolution of its instrument already; leave it out",
                        pdf->qdamp > 0 ? "qdamp" : "qbroad");
    if (table && (options->atoms > 0) != (options->volume > 0))
        return trj_fail(err, TRJ_USAGE,
                        "--atoms and --volume: the density of a measured table requires both; give both");
    if (!(pdf->qdamp >= 0 && pdf->qdamp < 10 && pdf->qbroad >= 0 && pdf->qbroad < 10))
        return trj_fail(err, TRJ_USAGE, "--qdamp %g, --qbroad %g: expected values from 0 to 10 1/Angstrom", pdf->qdamp,
                        pdf->qbroad);
    if ((pdf->qbroad > 0) != (pdf->peak_width > 0) || pdf->peak_width < 0)
        return trj_fail(err, TRJ_USAGE,
                        "--qbroad %g, --peak-width %g: both are required, because peaks become wider by Qbroad times "
                        "their own width; give the width of the peaks in Angstrom",
                        pdf->qbroad, pdf->peak_width);
    return 0;
}

static int check_table(const struct rdf_simulation_options *t, struct trj_error *err) {
    if (t->program) return rdf_simulation_table_check(t, err);
    const char *name = t->units               ? "units"
                       : !isnan(t->cutoff)    ? "cutoff"
                       : !isnan(t->switching) ? "switch"
                       : !isnan(t->spacing)   ? "spacing"
                       : t->core              ? "core"
                                              : NULL;
    return name ? trj_fail(err, TRJ_USAGE, "--%s applies to --table only; add --table, or leave it out", name) : 0;
}

int rdf_derive_options_check(const struct rdf_derive_options *o, bool table, struct trj_error *err) {
    enum { MAX_ROWS = 1000000 };
    const struct rdf_quantity_options *options = &o->options;
    const struct rdf_pdf_options *p = &options->pdf;
    enum rdf_quantity_number number = rdf_derive_options_number(o);
    bool waves = number == RDF_SQ || number == RDF_DEBYE, pdf = number == RDF_PDF;
    bool curve = number != RDF_COORDINATION && number != RDF_DEBYE;
    bool windows_of_sq = !strcmp(options->window, rdf_windows[0].name) || !strcmp(options->window, rdf_windows[1].name);
    double qmax = isnan(options->qmax) ? INFINITY : options->qmax;
    bool columns = !table && !o->table.program && !strcmp(o->format, rdf_pdf_formats[0].name);
    if (!isnan(options->interval) && !columns)
        return trj_fail(err, TRJ_USAGE, "--interval: has no effect on %s; leave it out",
                        table              ? "a measured table"
                        : o->table.program ? "--table"
                                           : "--to other formats");
    if (curve_interval_check(options->interval, err)) return -1;
    const struct option_use use[] = {
        {"temperature", !isnan(options->temperature), number == RDF_PMF},
        {"window", strcmp(options->window, rdf_windows[0].name) != 0, number == RDF_SQ || pdf},
        {"atoms", options->atoms > 0, waves || table},
        {"total", o->totals.count > 0, waves || pdf},
        {"split", options->split, number == RDF_SQ},
        {"corrected", options->corrected, number == RDF_KB || number == RDF_S2},
        {"volume", !isnan(options->volume), curve},
        {"to", strcmp(o->format, rdf_pdf_formats[0].name) != 0, pdf},
        {"qdamp", p->qdamp != 0, pdf},
        {"qbroad", p->qbroad != 0, pdf},
        {"peak-width", p->peak_width != 0, pdf},
        {"rmin", p->rmin != 0, pdf},
        {"rmax", !isnan(p->rmax), pdf},
        {"table", o->table.program, number == RDF_PMF},
        {"smooth", options->smooth != 0, number == RDF_PMF || number == RDF_S2},
    };
    if (check_use(o, use, sizeof use / sizeof *use, err)) return -1;
    if (number == RDF_SQ && !windows_of_sq)
        return trj_fail(err, TRJ_USAGE, "--window %s: applies to pdf only; give none or lorch", options->window);
    if (!isnan(options->volume) && !(options->volume > 0))
        return trj_fail(err, TRJ_USAGE, "--volume: invalid value %g: expected a volume above 0 in Angstrom^3",
                        options->volume);
    if (number == RDF_PMF && !(options->temperature > 0 && options->temperature < 1e100))
        return isnan(options->temperature)
                   ? trj_fail(err, TRJ_USAGE, "--quantity pmf: the temperature is missing; give it with --temperature")
                   : trj_fail(err, TRJ_USAGE, "--temperature: invalid value %g K: must be above 0 and below 1e100",
                              options->temperature);
    if (!(options->qmin >= 0 && qmax >= options->qmin && options->dq > 0 &&
          (table || (qmax - options->qmin) / options->dq < MAX_ROWS)))
        return trj_fail(
            err, TRJ_USAGE,
            "--qmin %g, --qmax %g, --dq %g: invalid grid: expected 0 <= qmin <= qmax, dq > 0 and at most %d points",
            options->qmin, qmax, options->dq, MAX_ROWS);
    if (pdf && check_pdf(o, table, err)) return -1;
    if (!pdf && !o->totals.count &&
        (options->scatterers.count || o->partial || options->split || options->undivided || options->reduced))
        return trj_fail(err, TRJ_USAGE, "--%s applies to totals only; add --total, or leave it out",
                        options->scatterers.count ? "scatterer"
                        : o->partial              ? "partial"
                        : options->split          ? "split"
                                                  : "form");
    if (options->split && o->excluded && rdf_part_named(o->excluded) != RDF_PART_ALL)
        return trj_fail(
            err, TRJ_USAGE,
            "--split requires totals that include excluded pairs; give --excluded in, or leave --split out");
    if (!pdf && o->form && strcmp(o->form, "s") != 0 && !options->undivided && !options->reduced)
        return trj_fail(err, TRJ_USAGE, "--form %s: applies to --quantity pdf only; give s, fz or fq", o->form);
    for (size_t i = 0; i < options->total_count && !table; i++) {
        double max = rdf_probe_max_q(options->totals[i].probe);
        if (qmax > max)
            return trj_fail(
                err, TRJ_USAGE,
                "--qmax %g: form factors for the total %s are tabulated up to q = %g; give a smaller --qmax", qmax,
                options->totals[i].name, max);
    }
    if (check_table(&o->table, err)) return -1;
    if (!(options->reach > 0))
        return trj_fail(err, TRJ_USAGE, "--reach: invalid value %g Angstrom: must be above 0", options->reach);
    return 0;
}
