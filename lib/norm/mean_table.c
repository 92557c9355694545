// SPDX-License-Identifier: MIT
// Computes means over records with their errors, and prints them, so that all tables state errors in one way.
#include "mean_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "memory.h"

// Computes the mean of a curve and its error; the caller frees both. *mean is NaN if there is no weight.
static int finish_curve(const struct curve_mean *m, size_t curve, double **mean, struct curve_mean_error *e,
                        struct trj_error *err) {
    if (!(*mean = trj_alloc(m->bins, sizeof **mean, "a curve", err))) return -1;
    for (size_t k = 0; k < m->bins; k++)
        (*mean)[k] = m->weight[curve] > 0 ? m->sum[curve * m->bins + k] / m->weight[curve] : NAN;
    return curve_mean_error(e, m, curve, *mean, err);
}

void rdf_mean_curves_free(struct rdf_mean_curve *c, size_t count) {
    for (size_t i = 0; c && i < count; i++) {
        free(c[i].mean);
        free(c[i].error.error);
    }
    free(c);
}

struct rdf_mean_curve *rdf_mean_curves_make(const struct curve_mean *m, struct trj_error *err) {
    struct rdf_mean_curve *c = trj_alloc(m->curves, sizeof *c, "curves", err);
    for (size_t i = 0; c && i < m->curves; i++)
        if (finish_curve(m, i, &c[i].mean, &c[i].error, err)) {
            rdf_mean_curves_free(c, m->curves);
            return NULL;
        }
    return c;
}

static double error_at(const struct rdf_mean_curve *c, size_t k) {
    return c->error.error ? c->error.error[k] : NAN;
}

static double half_width_at(const struct rdf_mean_curve *c, size_t k) {
    return error_at(c, k) * c->error.half_width;
}

static bool has_errors(const struct rdf_mean_curve *c, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) any = any || c[i].error.error;
    return any;
}

struct rdf_mean_columns rdf_mean_columns(double interval, const struct rdf_mean_curve *c, size_t count) {
    struct rdf_mean_columns e = {.errors = has_errors(c, count)};
    e.intervals = e.errors && interval > 0;
    curve_interval_name(e.name, interval);
    if (e.errors) snprintf(e.text, sizeof e.text, ", its standard error");
    if (e.intervals)
        snprintf(e.text, sizeof e.text, ", its standard error, the half-width of its confidence interval of %g %%",
                 interval);
    return e;
}

void rdf_mean_put_error(struct trj_table *t, const struct rdf_mean_columns *e, const struct rdf_mean_curve *c, size_t k,
                        double scale) {
    if (e->errors) trj_table_real(t, 4, error_at(c, k) * scale);
    if (e->intervals) trj_table_real(t, 4, half_width_at(c, k) * scale);
}

const char *rdf_mean_error_text(char text[RDF_MEAN_ERROR_TEXT], double interval, const struct rdf_mean_curve *c,
                                size_t k, double scale) {
    char name[CURVE_INTERVAL_NAME];
    int used = snprintf(text, RDF_MEAN_ERROR_TEXT, "standard error %.4g", error_at(c, k) * scale);
    curve_interval_name(name, interval);
    if (interval > 0 && used > 0 && used < RDF_MEAN_ERROR_TEXT)
        snprintf(text + used, RDF_MEAN_ERROR_TEXT - (size_t)used, ", %s %.4g", name, half_width_at(c, k) * scale);
    return text;
}

int rdf_mean_check_intervals(double interval, void (*note)(const char *text), const struct rdf_mean_curve *c,
                             size_t count, struct trj_error *err) {
    bool unknown = false;
    if (!(interval > 0)) return 0;
    if (!has_errors(c, count)) return curve_interval_fail_single(err);
    for (size_t i = 0; i < count; i++) unknown = unknown || (c[i].error.error && isnan(c[i].error.half_width));
    if (unknown && note) note(curve_interval_unknown);
    return 0;
}

void rdf_mean_note_too_few(void (*note)(const char *text), const struct rdf_mean_curve *c, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) any = any || c[i].error.too_few;
    if (any && note)
        note("note: too few records to estimate their correlation: errors may be too small; count more frames, or "
             "shorter records if they have several frames each (rdfhist -B)");
}

void rdf_mean_put_blocks(struct trj_table *t, const struct rdf_mean_curve *c, size_t count) {
    const struct curve_mean_error *e = &c->error;
    char text[CURVE_ERROR_BLOCKS_TEXT];
    for (size_t i = 1; i < count; i++) e = curve_error_blocks_longer(e, &c[i].error);
    if (!e->error) return;
    curve_error_blocks_text(text, NULL, e);
    trj_table_comment(t, "errors: %s", text);
}
