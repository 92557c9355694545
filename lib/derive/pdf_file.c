// SPDX-License-Identifier: MIT
// Writes the files of other programs, whose readers depend on the order of comments and on fixed words.
#include "pdf_file.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "derived_table.h"
#include "table.h"

enum { TSV, GR, SQ, FQ, RMC, RMC_FQ, FORMATS };
const struct trj_choice rdf_pdf_formats[FORMATS + 1] = {
    [TSV] = {"tsv", "tab-separated table, as rdfnorm prints it"},
    [GR] = {"gr", "G(r) for PDFgui and GSAS-II"},
    [SQ] = {"sq", "S(q) for GSAS-II"},
    [FQ] = {"fq", "q (S(q) - 1) for GSAS-II"},
    [RMC] = {"rmc", "function of r for RMCProfile"},
    [RMC_FQ] = {"rmc-fq", "F(q) for RMCProfile"},
};

static size_t format_of(const struct rdf_pdf_report *r) {
    size_t i = 0;
    while (strcmp(rdf_pdf_formats[i].name, r->format) != 0) i++;
    return i;
}

bool rdf_pdf_takes_f(const char *format, const char *form, enum rdf_probe probe) {
    if (!strcmp(format, rdf_pdf_formats[RMC_FQ].name)) return probe == RDF_NEUTRON;
    return !strcmp(form, "fz") || !strcmp(form, "d") || !strcmp(form, "t");
}

// Prints the range of the transform, its window and the resolution.
static int print_transform(struct trj_output *out, const struct rdf_pdf_report *r, struct trj_error *err) {
    const struct rdf_pdf *p = r->pdf;
    if (trj_output_print(out, err, "# transform: q from %.10g to %.10g 1/Angstrom", p->qmin, p->qmax) ||
        (p->step > 0 && trj_output_print(out, err, ", step %.10g", p->step)) ||
        trj_output_print(out, err, "; window %s\n", r->window))
        return -1;
    if (r->options->qdamp > 0 &&
        trj_output_print(out, err, "# resolution: envelope exp(-(r Qdamp)^2/2), Qdamp %.10g 1/Angstrom\n",
                         r->options->qdamp))
        return -1;
    if (r->options->qbroad > 0 &&
        trj_output_print(out, err, "# resolution: peaks broadened by %.10g r (Qbroad %.10g 1/Angstrom, width %.10g)\n",
                         r->options->qbroad * r->options->peak_width, r->options->qbroad, r->options->peak_width))
        return -1;
    if (r->d && r->d->summed)
        return trj_output_print(out, err, "# frames have no density: G(r) contains no term -4 pi r rho\n");
    return 0;
}

static int print_comments(struct trj_output *out, const struct rdf_pdf_report *r, struct trj_error *err) {
    struct trj_table t = {.out = out, .err = err};
    if (r->d) {
        if (rdf_derived_print_comments(out, r->d, r->provenance, err)) return -1;
    } else {
        trj_table_provenance(&t, r->provenance, SIZE_MAX);
        trj_table_comment(&t, "quantity: %s", rdf_quantity_names[RDF_PDF].help);
        trj_table_comment(&t, "table: %s, column %s", r->table, r->column);
        if (r->pdf->error) trj_table_comment(&t, "errors: se_, from the errors in the input, taken as exact");
    }
    return trj_table_status(&t) || print_transform(out, r, err) ? -1 : 0;
}

static double r_of(const struct rdf_pdf *p, size_t k) {
    return p->r.min + p->r.step * (double)k;
}

static int print_table(struct trj_output *out, const struct rdf_pdf_report *r, struct trj_error *err) {
    const struct rdf_pdf *p = r->pdf;
    const struct trj_choice *column = rdf_form_column(r->options->form);
    struct trj_table t = {.out = out, .err = err};
    double half_width = r->d ? rdf_derived_half_width(r->d) : NAN;
    char text[RDF_PIECE_NAME];
    int rc = print_comments(out, r, err);
    if (rc) return rc;
    trj_table_comment(&t, "columns: r in Angstrom; %s", column->help);
    trj_table_name(&t, "r");
    for (size_t c = 0; c < p->curves; c++) {
        const char *name = r->d ? r->d->options.totals[c].name : r->probe;
        trj_table_name(&t, "%s(%s)", column->name, name);
        snprintf(text, sizeof text, "%s(%s)", column->name, name);
        if (p->error && r->d) rdf_derived_put_error_names(&t, r->d, text);
        if (p->error && !r->d) trj_table_name(&t, "se_%s", text);
    }
    rc = trj_table_end_row(&t);
    for (size_t k = 0; !rc && k < p->r.count; k++) {
        trj_table_real(&t, 10, r_of(p, k));
        for (size_t c = 0; c < p->curves; c++) {
            trj_table_real(&t, 10, p->value[c * p->r.count + k]);
            if (p->error && r->d) rdf_derived_put_error(&t, r->d, p->error[c * p->r.count + k], half_width);
            if (p->error && !r->d) trj_table_real(&t, 4, p->error[c * p->r.count + k]);
        }
        rc = trj_table_end_row(&t);
    }
    return rc;
}

// Prints the lines that other programs read. PDFgui searches all of them up to "# metadata" for the probe, so that the
// command lines of the provenance come after it.
static int print_keys(struct trj_output *out, const struct rdf_pdf_report *r, struct trj_error *err) {
    const struct rdf_pdf *p = r->pdf;
    static const char *const types[][2] = {{"xray", "X  X-Ray scattering"}, {"neutron", "N  neutron scattering"}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(r->probe, types[i][0]) &&
            trj_output_print(out, err, "# stype = %s\n# mode = %s\n", types[i][1], types[i][0]))
            return -1;
    if (!strcmp(r->probe, "electron") && trj_output_print(out, err, "# mode = electron\n")) return -1;
    return trj_output_print(out, err, "# qmin = %.10g\n# qmax = %.10g\n# qdamp = %.10g\n# qbroad = %.10g\n", p->qmin,
                            p->qmax, r->options->qdamp, r->options->qbroad) ||
                   trj_output_print(out, err, "# rmin = %.10g\n# rmax = %.10g\n# rstep = %.10g\n# metadata\n", p->r.min,
                                    r_of(p, p->r.count - 1), p->r.step) ||
                   print_comments(out, r, err) || trj_output_print(out, err, "#### start data\n#S 1\n")
               ? -1
               : 0;
}

static int print_gr(struct trj_output *out, const struct rdf_pdf_report *r, struct trj_error *err) {
    const struct rdf_pdf *p = r->pdf;
    int rc = print_keys(out, r, err);
    if (!rc) rc = trj_output_print(out, err, "#L r(A) G(A^-2)%s\n", p->error ? " d_r d_Gr" : "");
    for (size_t k = 0; !rc && k < p->r.count; k++)
        rc = p->error ? trj_output_print(out, err, "%.10g %.10g 0 %.4g\n", r_of(p, k), p->value[k], p->error[k])
                      : trj_output_print(out, err, "%.10g %.10g\n", r_of(p, k), p->value[k]);
    return rc;
}

static int print_waves(struct trj_output *out, const struct rdf_pdf_report *r, bool s, struct trj_error *err) {
    const struct rdf_pdf *p = r->pdf;
    double one = r->d && r->d->part == RDF_PART_REST ? 0 : 1;
    int rc = print_keys(out, r, err);
    if (!rc) rc = trj_output_print(out, err, "#L Q(A^-1) %s", s ? "S(Q)" : "F(A^-1)");
    if (!rc) rc = trj_output_print(out, err, "%s\n", !p->error ? "" : s ? " dS(Q)" : " dF(A^-1)");
    for (size_t i = 0; !rc && i < p->waves; i++) {
        double q = p->q[i], scale = s ? 1 : q;
        if (q < p->qmin || q > p->qmax) continue;
        rc = trj_output_print(out, err, "%.10g %.10g", q, s ? p->i[i] + one : scale * p->i[i]);
        if (!rc && p->error) rc = trj_output_print(out, err, " %.4g", scale * p->i_error[i]);
        if (!rc) rc = trj_output_print(out, err, "\n");
    }
    return rc;
}

// RMCProfile reads no comments; the title contains the last command line of the provenance.
static int print_rmc(struct trj_output *out, const struct rdf_pdf_report *r, bool q, struct trj_error *err) {
    const struct rdf_pdf *p = r->pdf;
    const char *name = q ? "F(Q)" : rdf_form_column(r->options->form)->name, *last = "";
    size_t rows = 0, count = q ? p->waves : p->r.count;
    for (char **line = r->provenance; *line; line++) last = *line;
    for (int print = 0; print < 2; print++) {
        if (print && trj_output_print(out, err, "%zu\nrmc %s%s # %s: %s\n", rows, name,
                                      q || strchr(name, '(') ? "" : "(r)", r->probe, last))
            return -1;
        for (size_t k = 0; k < count; k++) {
            double x = q ? p->q[k] : r_of(p, k);
            if (!(x > 0) || (q && (x < p->qmin || x > p->qmax))) continue;
            rows++;
            if (print && trj_output_print(out, err, "%.10g %.10g\n", x, q ? p->i[k] : p->value[k])) return -1;
        }
    }
    return 0;
}

int rdf_pdf_print(struct trj_output *out, const struct rdf_pdf_report *r, struct trj_error *err) {
    size_t format = format_of(r);
    if (format == TSV) return print_table(out, r, err);
    if (format == GR) return print_gr(out, r, err);
    if (format == RMC || format == RMC_FQ) return print_rmc(out, r, format == RMC_FQ, err);
    return print_waves(out, r, format == SQ, err);
}
