// SPDX-License-Identifier: MIT
// Counts the values of expressions over all frames, for --hist and --hist2d.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "column_pairs.h"
#include "curve_mean.h"
#include "ensemble.h"
#include "memory.h"
#include "table_merge.h"

// Where a value, or a pair of them, is among the values of a frame, and what column of the histogram counts it.
struct source {
    size_t value[2], column;
};

struct counting {
    struct obs_histogram histogram;
    struct obs_observable *observable; // [observables]
    size_t observables, values;
    struct source *source; // [sources]
    size_t sources;
    // With standard errors: a curve for each column. Each frame has the weight of its values that are not NaN.
    bool errors;
    struct curve_mean mean;
    double *counts, *weights; // [columns][cells], [columns] of a frame
};

// ----------------------------------------------------------------------------------------------- all values of a frame

static int begin(struct obs_observable *o, struct obs_view *v, struct trj_error *err) {
    const struct counting *c = o->own;
    for (size_t i = 0; i < c->observables; i++)
        if (obs_observable_begin(&c->observable[i], v, err)) return -1;
    return 0;
}

static int compute(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct counting *c = o->own;
    for (size_t i = 0; i < c->observables; i++) {
        if (obs_observable_compute(&c->observable[i], v, value, err)) return -1;
        value += c->observable[i].columns;
    }
    return 0;
}

static const struct obs_function function = {.name = "histogram", .begin = begin, .compute = compute};

// ----------------------------------------------------------------------------------------------------- what is counted

static const char *unit_of(const struct obs_column *column) {
    return *column->unit ? column->unit : "1";
}

// Sets the unit of an axis, and the name of its quantity: that of the function, or "value" if there are several.
static int add_to_axis(struct obs_histogram_axis *a, const struct obs_observable *o, struct trj_error *err) {
    size_t n = strcspn(o->names[0], "(");
    if (o->columns > 1) n = strlen(o->function->name);
    if (!a->name) {
        if (!(a->name = trj_copy_text(o->names[0], err)) || !(a->unit = trj_copy_text(unit_of(o->column), err)))
            return -1;
        a->name[n] = 0;
    } else if (strlen(a->name) != n || memcmp(a->name, o->names[0], n) != 0) {
        free(a->name);
        if (!(a->name = trj_copy_text("value", err))) return -1;
    }
    for (size_t i = 0; i < o->columns; i++)
        if (strcmp(unit_of(&o->column[i]), a->unit) != 0)
            return trj_fail(err, TRJ_USAGE,
                            "%s has the unit %s, but a column before it %s, and a histogram has one range; name one "
                            "column, such as dipole.total(P), or run trjstat once for each",
                            o->names[i], unit_of(&o->column[i]), a->unit);
    return 0;
}

static int define(struct counting *c, const struct obs_observable *o, struct trj_error *err) {
    char columns[300], text[1500];
    obs_observable_describe_columns(o, columns, sizeof columns);
    snprintf(text, sizeof text, OBS_HISTOGRAM_DEFINITION "%s: %s; columns: %s%s", o->text, o->formula, columns,
             obs_observable_uses_first_frame(o) ? OBS_FIRST : "");
    return obs_histogram_add_definition(&c->histogram, text, err);
}

static int open_list(struct counting *c, const struct trj_text_list *list, bool by_residue, struct obs_system *s,
                     struct trj_error *err) {
    int (*const open)(struct obs_observable *, const char *, struct obs_system *, struct trj_error *) =
        by_residue ? obs_observable_open_divided : obs_observable_open;
    struct obs_histogram *h = &c->histogram;
    if (!(c->observable = trj_alloc(list->count, sizeof *c->observable, "observables", err))) return -1;
    for (size_t i = 0; i < list->count; i++) {
        struct obs_observable *o = &c->observable[c->observables++];
        if (open(o, list->texts[i], s, err) || define(c, o, err) || add_to_axis(&h->axis[h->axes == 2 ? i : 0], o, err))
            return -1;
        c->values += o->columns;
    }
    return 0;
}

// Opens the expressions, and finds the bins.
static int open_observables(struct counting *c, const struct obs_ensemble_options *e, struct obs_system *s,
                            struct trj_error *err) {
    const struct obs_histogram_options *options = &e->histogram;
    struct obs_histogram *h = &c->histogram;
    h->axes = options->two.count ? 2 : 1;
    h->temperature = options->temperature;
    for (unsigned i = 0; i < h->axes; i++) h->axis[i].highest = -INFINITY; // no value
    if (open_list(c, h->axes == 2 ? &options->two : &options->one, obs_ensemble_is_by_residue(e), s, err))
        return trj_fail_at(err, h->axes == 2 ? "--hist2d" : "--hist");
    return obs_histogram_set_bins(h, options, err);
}

// Names a column: that of the first observable, and with two axes also that of the second one.
static int name_column(struct obs_histogram_column *column, const char *first, const char *second,
                       struct trj_error *err) {
    size_t size = strlen(first) + (second ? strlen(second) : 0) + 2;
    if (!(column->name = trj_alloc(size, 1, "columns", err))) return -1;
    snprintf(column->name, size, "%s%s%s", first, second ? ":" : "", second ? second : "");
    return 0;
}

// Finds the values of one axis, those of all observables.
static int find_values(struct counting *c, bool pool, struct trj_error *err) {
    if (!(c->source = trj_alloc(c->values, sizeof *c->source, "columns", err))) return -1;
    c->sources = c->values;
    for (size_t i = 0; i < c->values; i++) c->source[i] = (struct source){{i, i}, pool ? 0 : i};
    if (obs_histogram_open(&c->histogram, pool ? 1 : c->values, err)) return -1;
    struct obs_histogram_column *column = c->histogram.column;
    if (pool) return name_column(column, c->observables > 1 ? "all" : c->observable->text, NULL, err);
    for (size_t i = 0; i < c->observables; i++)
        for (size_t k = 0; k < c->observable[i].columns; k++, column++)
            if (name_column(column, c->observable[i].names[k], NULL, err)) return -1;
    return 0;
}

// Finds the pairs of values of two axes.
static int find_pairs(struct counting *c, bool pool, struct trj_error *err) {
    const struct obs_observable *x = c->observable, *y = x + 1;
    struct obs_column_pair *pairs;
    int rc = obs_columns_pair(&pairs, &c->sources, x, y, err);
    if (!rc && !(c->source = trj_alloc(c->sources, sizeof *c->source, "columns", err))) rc = -1;
    if (!rc) rc = obs_histogram_open(&c->histogram, pool ? 1 : c->sources, err);
    for (size_t i = 0; !rc && i < c->sources; i++) {
        c->source[i] = (struct source){{pairs[i].a, x->columns + pairs[i].b}, pool ? 0 : i};
        if (!pool) rc = name_column(&c->histogram.column[i], x->names[pairs[i].a], y->names[pairs[i].b], err);
    }
    free(pairs);
    return rc || !pool ? rc : name_column(c->histogram.column, x->text, y->text, err);
}

static int open_errors(struct counting *c, struct trj_error *err) {
    size_t columns = c->histogram.columns, cells = obs_histogram_cells(&c->histogram);
    c->errors = true;
    if (curve_mean_open(&c->mean, columns, cells, err)) return -1;
    c->counts = trj_alloc(columns * cells, sizeof *c->counts, "errors", err);
    c->weights = c->counts ? trj_alloc(columns, sizeof *c->weights, "errors", err) : NULL;
    return c->weights ? 0 : -1;
}

static int open_histogram(struct obs_ensemble *e, struct trj_error *err) {
    const struct obs_histogram_options *options = &e->options->histogram;
    struct counting *c = e->own = trj_alloc(1, sizeof *c, "a histogram", err);
    if (!c || open_observables(c, e->options, e->system, err)) return -1;
    struct obs_histogram *h = &c->histogram;
    if ((h->axes == 2 ? find_pairs : find_values)(c, options->pool, err))
        return trj_fail_at(err, h->axes == 2 ? "--hist2d" : "--hist");
    if (e->options->summary && open_errors(c, err)) return -1;
    e->observable = (struct obs_observable){.text = trj_copy_text(h->axes == 2 ? "--hist2d" : "--hist", err),
                                            .function = &function,
                                            .columns = c->values,
                                            .own = c};
    return e->observable.text ? 0 : -1;
}

// -------------------------------------------------------------------------------------------------------------- frames

static int take(struct obs_ensemble *e, const struct trj_frame *f, const double *value, struct trj_error *err) {
    struct counting *c = e->own;
    struct obs_histogram *h = &c->histogram;
    size_t cells = obs_histogram_cells(h);
    (void)f;
    h->frames++;
    if (c->errors) {
        memset(c->counts, 0, h->columns * cells * sizeof *c->counts);
        memset(c->weights, 0, h->columns * sizeof *c->weights);
    }
    for (const struct source *s = c->source; s < c->source + c->sources; s++) {
        const double pair[] = {value[s->value[0]], value[s->value[1]]};
        size_t cell = obs_histogram_add(h, s->column, pair);
        if (!c->errors || isnan(pair[0])) continue;
        c->weights[s->column]++;
        if (cell != SIZE_MAX) c->counts[s->column * cells + cell]++;
    }
    return c->errors ? curve_mean_add(&c->mean, c->counts, c->weights, err) : 0;
}

// Sets error[cells] of the densities of a column.
static int find_errors(double *error, const struct counting *c, size_t column, double *share, struct trj_error *err) {
    const struct obs_histogram *h = &c->histogram;
    size_t cells = obs_histogram_cells(h);
    double width = (h->axis[0].high - h->axis[0].low) / (double)h->axis[0].bins;
    struct curve_mean_error e = {.error = NULL};
    for (size_t i = 0; i < cells; i++) {
        share[i] = obs_histogram_density(h, column, i) * width;
        error[i] = NAN;
    }
    if (!(c->mean.weight[column] > 0)) return 0;
    if (curve_mean_error(&e, &c->mean, column, share, err)) return -1;
    for (size_t i = 0; e.error && !e.too_few && i < cells; i++) error[i] = e.error[i] / width;
    free(e.error);
    return 0;
}

static int write(struct obs_ensemble *e, struct trj_table *t, struct trj_error *err) {
    const struct counting *c = e->own;
    const struct obs_histogram *h = &c->histogram;
    size_t cells = obs_histogram_cells(h);
    if (!e->frames) return trj_fail(err, TRJ_BAD_DATA, "%s: the stream has no frame", e->observable.text);
    obs_histogram_note(h, e->note);
    if (e->form == OBS_NPY) return obs_histogram_write_npy(h, t->out, err);
    if (!c->errors) return obs_histogram_write(h, NULL, t);
    double *error = trj_alloc(h->columns * cells + cells, sizeof *error, "errors", err);
    int rc = error ? 0 : -1;
    for (size_t i = 0; !rc && i < h->columns; i++)
        rc = find_errors(error + i * cells, c, i, error + h->columns * cells, err);
    if (!rc) rc = obs_histogram_write(h, error, t);
    free(error);
    return rc;
}

static void free_counting(struct counting *c) {
    for (size_t i = 0; i < c->observables; i++) obs_observable_free(&c->observable[i]);
    free(c->observable);
    free(c->source);
    curve_mean_free(&c->mean);
    free(c->counts);
    free(c->weights);
    obs_histogram_free(&c->histogram);
}

int obs_histogram_check_expressions(const struct obs_ensemble_options *options, struct obs_system *syntax,
                                    struct trj_error *err) {
    struct counting c = {.observables = 0};
    int rc = open_observables(&c, options, syntax, err);
    free_counting(&c);
    return rc;
}

static void close_histogram(struct obs_ensemble *e) {
    struct counting *c = e->own;
    if (!c) return;
    free_counting(c);
    free(c);
}

const struct obs_ensemble_kind obs_histogram_kind = {open_histogram, take, write, close_histogram, NULL};
