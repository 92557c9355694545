// SPDX-License-Identifier: MIT
// Counts values in bins, and writes the counts with all that is needed to add them to others.
#include "histogram.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bin_axis.h"
#include "bytes.h"
#include "decimal.h"
#include "memory.h"
#include "npy_header.h"
#include "table_merge.h"
#include "units.h"

enum { DIGITS = 9, CENTRE_DIGITS = 10 };

int obs_histogram_add_definition(struct obs_histogram *h, const char *text, struct trj_error *err) {
    if (trj_grow(&h->definition, &h->definition_capacity, h->definitions + 1, sizeof *h->definition, "comments", err))
        return -1;
    if (!(h->definition[h->definitions] = trj_copy_text(text, err))) return -1;
    h->definitions++;
    return 0;
}

int obs_histogram_open(struct obs_histogram *h, size_t columns, struct trj_error *err) {
    if (h->axes == 1) h->axis[1].bins = 1;
    if (!(h->column = trj_alloc(columns, sizeof *h->column, "columns", err))) return -1;
    h->columns = columns;
    size_t cells = obs_histogram_cells(h);
    if (columns && cells > OBS_HISTOGRAM_ALL_MAX / columns)
        return trj_fail(
            err, TRJ_USAGE,
            "%zu columns of %zu bins are more than %d bins in all; use fewer bins (-b), or count all columns "
            "together (--pool)",
            columns, cells, OBS_HISTOGRAM_ALL_MAX);
    h->count = trj_alloc(columns, cells * sizeof *h->count, "a histogram; use fewer bins", err);
    return h->count ? 0 : -1;
}

void obs_histogram_free(struct obs_histogram *h) {
    for (int i = 0; i < 2; i++) {
        free(h->axis[i].name);
        free(h->axis[i].unit);
    }
    for (size_t i = 0; i < h->definitions; i++) free(h->definition[i]);
    for (size_t i = 0; i < h->columns; i++) free(h->column[i].name);
    free(h->definition);
    free(h->column);
    free(h->count);
}

size_t obs_histogram_cells(const struct obs_histogram *h) {
    return h->axis[0].bins * h->axis[1].bins;
}

// -------------------------------------------------------------------------------------------------------------- counts

static double edge_of(const struct obs_histogram_axis *a, size_t bin) {
    return bin == a->bins ? a->high : a->low + (a->high - a->low) * ((double)bin / (double)a->bins);
}

double obs_histogram_centre(const struct obs_histogram *h, unsigned axis, size_t cell) {
    const struct obs_histogram_axis *a = &h->axis[axis];
    size_t bin = axis ? cell / h->axis[0].bins : cell % h->axis[0].bins;
    return (edge_of(a, bin) + edge_of(a, bin + 1)) / 2;
}

static double width_of(const struct obs_histogram_axis *a) {
    return (a->high - a->low) / (double)a->bins;
}

// Returns the bin of a value in the range. The edges decide, as the quotient is rounded.
static size_t bin_of(const struct obs_histogram_axis *a, double value) {
    double guess = floor((value - a->low) / width_of(a));
    size_t bin = (size_t)fmin(fmax(guess, 0), (double)(a->bins - 1));
    while (bin && value < edge_of(a, bin)) bin--;
    while (bin + 1 < a->bins && value >= edge_of(a, bin + 1)) bin++;
    return bin;
}

size_t obs_histogram_add(struct obs_histogram *h, size_t column, const double *value) {
    struct obs_histogram_column *c = &h->column[column];
    size_t bin[2] = {0, 0};
    if (isnan(value[0]) || (h->axes == 2 && isnan(value[1]))) {
        c->undefined++;
        return SIZE_MAX;
    }
    for (unsigned i = 0; i < h->axes; i++) {
        struct obs_histogram_axis *a = &h->axis[i];
        bool any = a->lowest <= a->highest;
        a->lowest = any ? fmin(a->lowest, value[i]) : value[i];
        a->highest = any ? fmax(a->highest, value[i]) : value[i];
    }
    for (unsigned i = 0; i < h->axes; i++) {
        const struct obs_histogram_axis *a = &h->axis[i];
        if (value[i] >= a->low && value[i] <= a->high) {
            bin[i] = bin_of(a, value[i]);
            continue;
        }
        c->outside[h->axes == 2 ? i : value[i] > a->high]++;
        return SIZE_MAX;
    }
    size_t cell = bin[1] * h->axis[0].bins + bin[0];
    h->count[column * obs_histogram_cells(h) + cell]++;
    c->inside++;
    return cell;
}

static uint64_t defined_of(const struct obs_histogram_column *c) {
    return c->inside + c->outside[0] + c->outside[1];
}

double obs_histogram_density(const struct obs_histogram *h, size_t column, size_t cell) {
    double size = width_of(&h->axis[0]) * (h->axes == 2 ? width_of(&h->axis[1]) : 1);
    return (double)h->count[column * obs_histogram_cells(h) + cell] / ((double)defined_of(&h->column[column]) * size);
}

static uint64_t highest_count(const struct obs_histogram *h, size_t column) {
    const uint64_t *count = h->count + column * obs_histogram_cells(h);
    uint64_t max = 0;
    for (size_t i = 0; i < obs_histogram_cells(h); i++)
        if (count[i] > max) max = count[i];
    return max;
}

static double free_energy(const struct obs_histogram *h, uint64_t count, uint64_t max) {
    return count == max && max ? 0 : -TRJ_GAS_CONSTANT * h->temperature * log((double)count / (double)max);
}

// --------------------------------------------------------------------------------------------------------------- table

static void put_axes(const struct obs_histogram *h, struct trj_table *t) {
    for (unsigned i = 0; i < h->axes; i++) {
        const struct obs_histogram_axis *a = &h->axis[i];
        char column[] = "bin_x";
        if (h->axes == 1) column[strlen("bin")] = 0;
        if (i) column[strlen("bin_")] = 'y';
        curve_bin_axis_write(&(struct curve_bin_axis){column, a->name, a->unit, a->low, a->high, a->bins}, t);
    }
    trj_table_comment(t, "a bin contains its lower edge, and the last one also its upper edge");
}

static void put_values(const struct obs_histogram *h, struct trj_table *t) {
    trj_table_comment(t, OBS_FRAMES "%llu", (unsigned long long)h->frames);
    trj_table_comment(t, OBS_HISTOGRAM_VALUES "column\tin the bins\t%s\tnan",
                      h->axes == 1 ? "below\tabove" : "outside in x\toutside in y only");
    for (size_t c = 0; c < h->columns; c++) {
        const struct obs_histogram_column *k = &h->column[c];
        trj_table_comment(t, OBS_HISTOGRAM_VALUES "%s\t%llu\t%llu\t%llu\t%llu", k->name, (unsigned long long)k->inside,
                          (unsigned long long)k->outside[0], (unsigned long long)k->outside[1],
                          (unsigned long long)k->undefined);
    }
}

static void put_head(const struct obs_histogram *h, bool errors, struct trj_table *t) {
    const char *x = h->axis[0].unit, *y = h->axes == 2 ? h->axis[1].unit : "";
    bool energies = !isnan(h->temperature);
    for (size_t i = 0; i < h->definitions; i++) trj_table_comment(t, "%s", h->definition[i]);
    put_axes(h, t);
    if (energies) {
        // Exactly, so that sums of tables have the same free energies.
        char temperature[TRJ_DECIMAL_CAPACITY + 1];
        temperature[trj_print_real(temperature, h->temperature)] = 0;
        trj_table_comment(t, OBS_HISTOGRAM_TEMPERATURE "%s K", temperature);
    }
    put_values(h, t);
    trj_table_comment(t,
                      "columns: middle of the bin in %s%s%s; %sp: share of all values that are not nan, divided by the "
                      "%s of the bin; %svalues: number of values in the bin",
                      x, *y ? " and " : "", y, energies ? "free_energy: -k_B T ln(p / p_max) in kJ/mol; " : "",
                      *y ? "area" : "width", errors ? "se: standard errors from blocks of frames; " : "");
    if (h->axes == 2) trj_table_name(t, "bin_x");
    trj_table_name(t, h->axes == 2 ? "bin_y" : "bin");
    for (size_t c = 0; c < h->columns; c++) {
        const char *name = h->column[c].name;
        if (energies) trj_table_name(t, "free_energy(%s)", name);
        if (energies && errors) trj_table_name(t, "se_free_energy(%s)", name);
        trj_table_name(t, "p(%s)", name);
        if (errors) trj_table_name(t, "se_p(%s)", name);
        trj_table_name(t, "values(%s)", name);
    }
}

int obs_histogram_write(const struct obs_histogram *h, const double *error, struct trj_table *t) {
    size_t cells = obs_histogram_cells(h);
    uint64_t *max = trj_alloc(h->columns, sizeof *max, "columns", t->err);
    if (!max) return -1;
    put_head(h, error, t);
    for (size_t c = 0; c < h->columns; c++) max[c] = highest_count(h, c);
    for (size_t i = 0; i < cells && !trj_table_end_row(t); i++) {
        for (unsigned k = 0; k < h->axes; k++) trj_table_real(t, CENTRE_DIGITS, obs_histogram_centre(h, k, i));
        for (size_t c = 0; c < h->columns; c++) {
            uint64_t count = h->count[c * cells + i];
            double density = obs_histogram_density(h, c, i), se = error ? error[c * cells + i] : NAN;
            if (!isnan(h->temperature)) {
                trj_table_real(t, DIGITS, free_energy(h, count, max[c]));
                if (error) trj_table_real(t, DIGITS, TRJ_GAS_CONSTANT * h->temperature * se / density);
            }
            trj_table_real(t, DIGITS, density);
            if (error) trj_table_real(t, DIGITS, se);
            trj_table_count(t, count);
        }
    }
    free(max);
    return trj_table_end_row(t);
}

int obs_histogram_write_npy(const struct obs_histogram *h, struct trj_output *out, struct trj_error *err) {
    const uint64_t shape[] = {h->columns, h->axis[1].bins, h->axis[0].bins};
    size_t cells = obs_histogram_cells(h);
    unsigned first = h->columns == 1;
    bool energies = !isnan(h->temperature);
    struct trj_bytes bytes = {0};
    int rc = trj_npy_write_header(out, energies ? "<f8" : "<i8", shape + first, 3 - first, err);
    for (size_t c = 0; !rc && c < h->columns; c++) {
        uint64_t max = highest_count(h, c);
        bytes.size = 0;
        for (size_t i = 0; i < cells; i++) {
            uint64_t count = h->count[c * cells + i];
            if (energies)
                trj_put_f64(&bytes, free_energy(h, count, max));
            else
                trj_put_u64(&bytes, count);
        }
        rc = bytes.failed ? trj_fail_memory(err, (double)cells * 8, "a histogram")
                          : trj_output_write(out, bytes.data, bytes.size, err);
    }
    trj_bytes_free(&bytes);
    return rc;
}

// --------------------------------------------------------------------------------------------------------------- notes

// Appends the range of an axis, and where the values are, to a text.
static void put_range(char *text, size_t size, const struct obs_histogram_axis *a, const char *before) {
    size_t n = strlen(text);
    snprintf(text + n, size - n, "%s%.10g:%.10g", before, a->low, a->high);
    n = strlen(text);
    if (a->lowest <= a->highest) snprintf(text + n, size - n, " (they reach from %.6g to %.6g)", a->lowest, a->highest);
}

void obs_histogram_note(const struct obs_histogram *h, void (*note)(const char *text)) {
    const struct obs_histogram_column *first = NULL;
    size_t others = 0, n;
    char text[900];
    for (const struct obs_histogram_column *c = h->column; c < h->column + h->columns; c++) {
        if (defined_of(c) == c->inside && !c->undefined) continue;
        if (first)
            others++;
        else
            first = c;
    }
    if (!first) return;
    uint64_t outside = defined_of(first) - first->inside, all = defined_of(first) + first->undefined;
    snprintf(text, sizeof text, "note: %.300s: of %llu values, %llu are outside of the range ", first->name,
             (unsigned long long)all, (unsigned long long)outside);
    put_range(text, sizeof text, &h->axis[0], "");
    if (h->axes == 2) put_range(text, sizeof text, &h->axis[1], " or ");
    n = strlen(text);
    snprintf(text + n, sizeof text - n, ", and %llu are nan", (unsigned long long)first->undefined);
    n = strlen(text);
    if (others)
        snprintf(text + n, sizeof text - n, "; %zu other column%s such values, too, as the comments state", others,
                 others == 1 ? " has" : "s have");
    note(text);
}
