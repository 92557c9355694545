// SPDX-License-Identifier: MIT
// Computes G(r) in the form in which it is measured, from the totals S(q) of a histogram (measured_pdf.h).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "quantity_parts.h"

// As a function of q, the integrand oscillates like sin(q d) with d up to rmax of the counts plus rmax of the table.
// The steps of q are so small that q d changes by at most 0.1 in a step. The integration rule then has an error of
// 19/720 0.1^3 = 3e-5 times the integrand at its end and a step. The trapezoidal rule alone has 0.1/12 times that,
// which was 5e-4 of a peak with a resolution that broadens it, and 1e-3 at r = 0.
enum { MAX_WAVES = 4000000 };

int rdf_pdf_prepare(struct rdf_derivation *d, struct trj_error *err) {
    const struct rdf_record total = rdf_hist_total(&d->hist);
    const char *form = d->options.pdf.form;
    double rmax = d->hist.setup.bins.rmax, range = d->options.qmax - d->options.qmin;
    d->summed = !total.periodic_any && !(d->options.volume > 0);
    if (d->summed && strcmp(form, "pdf") != 0 && strcmp(form, "d") != 0)
        return trj_fail(
            err, TRJ_BAD_DATA,
            "--form %s: requires a density, which frames without periodicity do not have; use --form pdf or "
            "d, or give --volume",
            form);
    if (rdf_pdf_set_grid(&d->pdf, &d->options.pdf, rmax, err)) return -1;
    double end = d->pdf.r.min + d->pdf.r.step * (double)(d->pdf.r.count - 1);
    if (end > rmax * (1 + 1e-9) && !d->summed)
        return trj_fail(err, TRJ_USAGE, "--%s %g: pairs were counted up to %g Angstrom; count farther (rdfhist -r)",
                        isnan(d->options.pdf.rmax) ? "rmin" : "rmax", end, rmax);
    if (!(range > 0))
        return trj_fail(err, TRJ_USAGE, "--qmin %g, --qmax %g: expected qmin < qmax", d->options.qmin, d->options.qmax);
    double steps = ceil(range / d->options.dq - 1e-9), each = ceil(range / steps * (end + rmax) / 0.1);
    each = fmax(each, ceil((RDF_PDF_MIN_POINTS - 1) / steps));
    if (!(steps * each < MAX_WAVES))
        return trj_fail(err, TRJ_USAGE,
                        "--qmax %g, --dq %g: %.10g points of q are required, at most %d are possible; give a smaller "
                        "--qmax, or a larger --dq",
                        d->options.qmax, d->options.dq, steps * each, MAX_WAVES);
    d->each = (size_t)each;
    d->pdf.qmin = d->options.qmin;
    d->pdf.qmax = d->options.qmax;
    d->pdf.step = range / steps;
    d->pdf.waves = (size_t)steps + 1;
    d->options.dq = range / (steps * each);
    return 0;
}

// Returns <b>^2 at q = 0 in the unit of F(q); NaN after an error.
static double mean_at_zero(const struct rdf_derivation *d, enum rdf_probe probe, struct trj_error *err) {
    const struct rdf_setup *s = &d->hist.setup;
    double *amplitude = trj_alloc(s->group_count, 2 * sizeof *amplitude, "groups", err), mean = NAN, rest;
    double *weight = amplitude ? trj_alloc(d->pairs, 2 * sizeof *weight, "pairs", err) : NULL;
    double *atoms = amplitude ? amplitude + s->group_count : NULL;
    if (weight && !rdf_scattering_amplitudes(amplitude, &d->scattering, probe, 0, err)) {
        for (uint32_t g = 0; g < s->group_count; g++) atoms[g] = rdf_set_atoms(d, 0, g);
        for (size_t p = 0; p < d->pairs; p++) weight[d->pairs + p] = (double)s->pairs[p].pairs;
        mean = rdf_scattering_weights(weight, &rest, &d->scattering, probe, amplitude, atoms, weight + d->pairs) *
               rdf_scattering_unit(probe);
    }
    free(amplitude);
    free(weight);
    return mean;
}

// Collects S(q) - 1, or F(q), of all sets: y[rows][sets].
static void collect(double *y, const struct rdf_derivation *d, size_t total) {
    double one = d->options.undivided || d->part == RDF_PART_REST ? 0 : 1;
    for (size_t set = 0; set < d->sets; set++)
        for (size_t row = 0; row < d->rows; row++)
            y[row * d->sets + set] = d->totals[(set * d->total_curves + total) * d->rows + row] - one;
}

static double error_of(const struct rdf_derivation *d, const double *x) {
    return rdf_blocks_error(&d->blocks, x[0], x + 1);
}

static void fill_rows(struct rdf_derivation *d, size_t total, double *h, double mean) {
    double base = d->part == RDF_PART_EXCLUDED ? 0 : 1;
    for (size_t k = 0; k < d->pdf.r.count; k++) {
        double r = d->pdf.r.min + d->pdf.r.step * (double)k, *from = h + k * d->sets;
        for (size_t set = 0; set < d->sets; set++) {
            double add, density = d->scattering.atoms * d->inverse_volume[set];
            from[set] *= rdf_pdf_scale(&add, d->options.pdf.form, r, density, mean, base);
            from[set] += add;
        }
        d->pdf.value[total * d->pdf.r.count + k] = from[0];
        if (d->sets > 1) d->pdf.error[total * d->pdf.r.count + k] = error_of(d, from);
    }
}

int rdf_pdf_fill(struct rdf_derivation *d, struct trj_error *err) {
    double *q = trj_alloc(d->rows, 2 * sizeof *q, "waves", err), *weight = q ? q + d->rows : NULL;
    double *y = q ? trj_alloc(d->rows, d->sets * sizeof *y, "waves", err) : NULL;
    double *h = y ? trj_alloc(d->pdf.r.count, d->sets * sizeof *h, "the table", err) : NULL;
    int rc = !h || rdf_pdf_alloc(&d->pdf, d->options.total_count, d->sets > 1, err) ? -1 : 0;
    for (size_t row = 0; !rc && row < d->rows; row++) q[row] = rdf_row_wave(d, row);
    if (!rc) {
        q[d->rows - 1] = d->options.qmax;
        rdf_pdf_smooth_weights(weight, d->rows, d->options.qmin, d->options.qmax, d->options.window);
    }
    for (size_t t = 0; !rc && t < d->options.total_count; t++) {
        double mean = mean_at_zero(d, d->options.totals[t].probe, err);
        if (isnan(mean)) rc = -1;
        collect(y, d, t);
        memset(h, 0, d->pdf.r.count * d->sets * sizeof *h);
        if (!rc) rdf_back_transform(h, &d->pdf.r, y, d->sets, q, weight, d->rows);
        if (!rc) fill_rows(d, t, h, mean);
        for (size_t i = 0; !rc && i < d->pdf.waves; i++) {
            const double *from = y + i * d->each * d->sets;
            d->pdf.q[i] = q[i * d->each];
            d->pdf.i[t * d->pdf.waves + i] = from[0];
            if (d->sets > 1) d->pdf.i_error[t * d->pdf.waves + i] = error_of(d, from);
        }
    }
    free(q);
    free(y);
    free(h);
    return rc;
}
