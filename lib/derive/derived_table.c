// SPDX-License-Identifier: MIT
// Prints all derived quantities with one set of functions, so that errors, totals and comments have the same form.
#include "derived_table.h"

#include <math.h>
#include <stdio.h>

#include "error_blocks.h"
#include "table.h"

void rdf_derived_put_error(struct trj_table *t, const struct rdf_derivation *d, double error, double half_width) {
    trj_table_real(t, 4, error);
    if (!isnan(d->options.interval)) trj_table_real(t, 4, error * half_width);
}

// Puts a value and, if there are two blocks or more, its error.
static void put_value(struct trj_table *t, const struct rdf_derivation *d, size_t pair, size_t column, size_t row,
                      double half_width) {
    trj_table_real(t, 10, rdf_derived_value(d, pair, column, row));
    if (d->sets > 1) rdf_derived_put_error(t, d, rdf_derived_error(d, pair, column, row), half_width);
}

void rdf_derived_put_error_names(struct trj_table *t, const struct rdf_derivation *d, const char *column) {
    char half[CURVE_INTERVAL_NAME];
    curve_interval_name(half, d->options.interval);
    trj_table_name(t, "se_%s", column);
    if (!isnan(d->options.interval)) trj_table_name(t, "%s_%s", half, column);
}

static int print_shells(struct trj_table *t, const struct rdf_derivation *d) {
    const struct rdf_setup *s = &d->hist.setup;
    const double half_width = rdf_derived_half_width(d);
    trj_table_name(t, "pair");
    trj_table_name(t, "shell");
    for (size_t c = 0; c < d->columns; c++) {
        trj_table_name(t, "%s", d->quantity->columns[c].name);
        if (d->sets > 1) rdf_derived_put_error_names(t, d, d->quantity->columns[c].name);
    }
    int rc = trj_table_end_row(t);
    for (size_t i = 0; !rc && i < d->pairs * d->rows; i++) {
        const struct rdf_pair *p = &s->pairs[i / d->rows];
        trj_table_text(t, "%s:%s", s->groups[p->a].name, s->groups[p->b].name);
        trj_table_count(t, i % d->rows + 1);
        for (size_t c = 0; c < d->columns; c++) put_value(t, d, i / d->rows, c, i % d->rows, half_width);
        rc = trj_table_end_row(t);
    }
    return rc;
}

static int print_rows(struct trj_table *t, const struct rdf_derivation *d) {
    const struct rdf_setup *s = &d->hist.setup;
    char error[CURVE_INTERVAL_NAME + 16], half[CURVE_INTERVAL_NAME];
    const double half_width = rdf_derived_half_width(d);
    const bool interval = d->sets > 1 && !isnan(d->options.interval);
    curve_interval_name(half, d->options.interval);
    trj_table_name(t, d->quantity->axis == RDF_WAVES ? "q" : "r");
    const char *total = d->options.undivided ? "F" : d->options.reduced ? "Fq" : "S";
    for (size_t i = 0, each = 1 + rdf_scattering_contributions(&d->scattering, d->options.split); i < d->total_curves;
         i++) {
        char name[RDF_PIECE_NAME];
        rdf_scattering_contribution_name(name, &d->options.totals[i / each], &d->options.patterns, d->options.split,
                                         i % each);
        trj_table_name(t, "%s(%s)", total, name);
        if (d->sets > 1) trj_table_name(t, "se_%s(%s)", total, name);
        if (interval) trj_table_name(t, "%s_%s(%s)", half, total, name);
    }
    for (size_t i = 0; i < d->pairs * d->columns; i++) {
        const struct rdf_derived_column *c = &d->quantity->columns[i % d->columns];
        if (!rdf_derived_has(d, i / d->columns, i % d->columns)) continue;
        snprintf(error, sizeof error, "se_%s", c->name);
        rdf_table_name(t, c->name, s, i / d->columns, c->reversed);
        if (d->sets > 1) rdf_table_name(t, error, s, i / d->columns, c->reversed);
        snprintf(error, sizeof error, "%s_%s", half, c->name);
        if (interval) rdf_table_name(t, error, s, i / d->columns, c->reversed);
    }
    double min = rdf_derived_wave_limit(d).min;
    if (min > 0) trj_table_name(t, "resolved");
    int rc = trj_table_end_row(t);
    for (size_t row = 0; !rc && row < d->rows; row++) {
        double x = rdf_derived_at(d, row);
        trj_table_real(t, 10, x);
        for (size_t i = 0; i < d->total_curves; i++) {
            trj_table_real(t, 10, rdf_derived_total(d, i, row));
            if (d->sets > 1) rdf_derived_put_error(t, d, rdf_derived_total_error(d, i, row), half_width);
        }
        for (size_t i = 0; i < d->pairs * d->columns; i++)
            if (rdf_derived_has(d, i / d->columns, i % d->columns))
                put_value(t, d, i / d->columns, i % d->columns, row, half_width);
        if (min > 0) trj_table_count(t, x >= min);
        rc = trj_table_end_row(t);
    }
    return rc;
}

// Prints how much noise adds to s2, which the jackknife estimates from two blocks or more.
static void put_noise(struct trj_table *t, const struct rdf_derivation *d) {
    const struct rdf_setup *s = &d->hist.setup;
    for (size_t i = 0; i < d->pairs * d->columns; i++) {
        const struct rdf_pair *p = &s->pairs[i / d->columns];
        bool reversed = d->quantity->columns[i % d->columns].reversed;
        if (!rdf_derived_has(d, i / d->columns, i % d->columns)) continue;
        trj_table_comment(t, "noise in s2(%s:%s) at rmax: %.4g, %s", s->groups[reversed ? p->b : p->a].name,
                          s->groups[reversed ? p->a : p->b].name,
                          rdf_derived_bias(d, i / d->columns, i % d->columns, d->rows - 1),
                          d->options.corrected ? "subtracted" : "not subtracted; see --corrected");
    }
}

static void put_wave_limit(struct trj_table *t, const struct rdf_derivation *d) {
    struct rdf_wave_limit limit = rdf_derived_wave_limit(d);
    if (!(limit.min > 0)) return;
    trj_table_comment(t,
                      "not resolved: q < %.10g 1/Angstrom, the larger of 2 pi/L and pi/rmax; L = %.10g Angstrom, the "
                      "%s; the column resolved is 0 there",
                      limit.min, limit.length,
                      limit.cube ? "cube root of the mean volume" : "smallest distance of opposite cell faces");
}

static int print_waves(struct trj_table *t, const struct rdf_derivation *d) {
    bool partials = d->number != RDF_PDF; // which prints totals of r only
    if (partials && d->options.atoms)
        trj_table_comment(t, "partial structure factors of Faber and Ziman, of %llu atoms in all",
                          (unsigned long long)d->options.atoms);
    if (partials && !d->options.atoms) trj_table_comment(t, "partial structure factors of Ashcroft and Langreth");
    if (trj_table_status(t)) return -1;
    for (size_t i = 0; i < d->options.total_count; i++)
        if (rdf_scattering_print(t->out, &d->scattering, &d->options.totals[i], t->err)) return -1;
    if (d->total_curves > d->options.total_count)
        trj_table_comment(t, "contributions to totals add up to %s",
                          d->options.undivided || d->options.reduced || d->part == RDF_PART_REST ? "the total"
                                                                                                 : "S(q) - 1");
    if (partials) put_wave_limit(t, d);
    if (d->number == RDF_DEBYE && d->part != RDF_PART_EXCLUDED && rdf_hist_total(&d->hist).periodic_any)
        trj_table_comment(t, "frames are periodic: the sphere of radius rmax itself scatters, too");
    return trj_table_status(t);
}

// Marks a g(r) of frames that are periodic in two directions: it is normalised over the height of their cells.
static void put_slab(struct trj_table *t, const struct rdf_derivation *d) {
    const struct rdf_record total = rdf_hist_total(&d->hist);
    double low = total.height_min, high = total.height_max;
    char to[32] = "";
    if (!d->quantity->curve || d->options.volume > 0 || !(high > 0)) return;
    if (!rdf_same_height(low, high)) snprintf(to, sizeof to, " to %.10g", high);
    trj_table_comment(t, "slab: g(r) is normalised over the whole height of the cell, %.10g%s Angstrom", low, to);
}

int rdf_derived_print_comments(struct trj_output *out, const struct rdf_derivation *d, char **provenance,
                               struct trj_error *err) {
    const struct rdf_blocks *b = &d->blocks;
    char blocks[80], text[CURVE_ERROR_BLOCKS_TEXT];
    struct trj_table t = {.out = out, .err = err};
    rdf_table_head(&t, &d->hist, d->group_atoms, provenance);
    trj_table_comment(&t, "quantity: %s", rdf_quantity_names[d->number].help);
    if (d->options.volume > 0) trj_table_comment(&t, "with a volume of %.10g Angstrom^3", d->options.volume);
    if (d->smoothed)
        trj_table_comment(&t, "g(r) is smoothed in windows of %llu bins, and n(r) is unchanged at their edges",
                          (unsigned long long)d->smoothed);
    put_slab(&t, d);
    if (d->quantity->axis == RDF_WAVES && print_waves(&t, d)) return -1;
    if (d->sets > 1 && d->number == RDF_S2) put_noise(&t, d);
    snprintf(blocks, sizeof blocks, "se_, by leaving out one of %zu blocks of %zu record%s", b->count, b->each,
             b->each > 1 ? "s" : "");
    curve_error_blocks_text(text, blocks, &b->rule);
    if (d->sets > 1) trj_table_comment(&t, "errors: %s", text);
    if (d->sets > 1 && !isnan(d->options.interval))
        trj_table_comment(&t, "intervals: ci%g_, half-width of the confidence interval of %g %%, %.4g times se_",
                          d->options.interval, d->options.interval, rdf_derived_half_width(d));
    return trj_table_status(&t);
}

int rdf_derived_print(struct trj_output *out, const struct rdf_derivation *d, char **provenance,
                      struct trj_error *err) {
    struct trj_table t = {.out = out, .err = err};
    if (rdf_derived_print_comments(out, d, provenance, err)) return -1;
    trj_table_comment(&t, "columns: %s", d->quantity->description);
    return d->quantity->axis == RDF_SHELL_ROWS ? print_shells(&t, d) : print_rows(&t, d);
}
