// SPDX-License-Identifier: MIT
// Computes profiles along an axis or the distance from a centre: densities of atoms, and orientations of molecules.
//
// Densities are means over frames of sums in each frame's own bins. Orientations are means over all molecules or
// vectors that are in a bin in any frame, so that frames count by how many they have there.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "curve_mean.h"
#include "ensemble.h"
#include "error_blocks.h"
#include "memory.h"
#include "profile_geometry.h"
#include "profile_quantities.h"
#include "profile_table.h"
#include "sums.h"

enum { DIGITS = 9, BINS = 100 };
// Values of a frame: these, and then the sums of all quantities.
enum { LIMIT, MEASURE, LENGTH, OUTSIDE, HEAD };

struct column {
    struct obs_observable expression;
    const struct obs_profile_quantity *quantity;
    size_t sums;   // number of the first value of its sums in a frame
    double *count; // [bins] atoms, molecules or vectors in all frames: whole numbers
    // A curve of densities, in which frames have equal weights; or, for each bin, one of P1 and one of P2, in which the
    // weight of a frame is the number in the bin.
    struct curve_mean mean;
    double *value, *weight; // [records of the mean]
    trj_wide *sum;          // with --sums, in place of the mean: [values of a frame]
};

struct profile {
    struct obs_profile_bins bins;
    struct column *column; // [count]
    size_t count;
    trj_wide length; // with --sums: bins.length, in units of OBS_PROFILE_UNIT
};

// ------------------------------------------------------------------------------------------------------------- a frame

static int begin(struct obs_observable *o, struct obs_view *v, struct trj_error *err) {
    return obs_profile_geometry_begin(&((struct profile *)o->own)->bins.geometry, v, err);
}

static int compute(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct profile *p = o->own;
    struct obs_profile_frame f;
    if (obs_profile_frame_begin(&f, &p->bins.geometry, v, err)) return -1;
    memset(value, 0, o->columns * sizeof *value);
    value[LIMIT] = f.limit;
    value[MEASURE] = f.measure;
    value[LENGTH] = f.heights.length;
    for (size_t i = 0; i < p->count; i++) {
        const struct column *c = &p->column[i];
        if (c->quantity->add(&c->expression, v, &f, value + c->sums, value + OUTSIDE, err))
            return trj_fail_at(err, "%s", c->expression.text);
    }
    return 0;
}

static const struct obs_function function = {.name = "profile", .begin = begin, .compute = compute};

static int take_column(const struct profile *p, struct column *c, const double *value, struct trj_error *err) {
    const size_t bins = p->bins.geometry.bins, last = c->quantity->sums - 1;
    const double *sum = value + c->sums;
    for (size_t b = 0; b < bins; b++) {
        c->count[b] += sum[b];
        if (c->quantity->kind == OBS_PROFILE_DENSITY) {
            double volume = value[MEASURE] * obs_profile_measure(&p->bins.geometry, b);
            c->value[b] = c->quantity->unit * sum[last * bins + b] / volume;
        } else {
            c->weight[b] = c->weight[bins + b] = sum[b];
        }
    }
    if (c->quantity->kind == OBS_PROFILE_DENSITY)
        *c->weight = 1;
    else
        memcpy(c->value, sum + bins, 2 * bins * sizeof *c->value);
    if (!c->sum) return curve_mean_add(&c->mean, c->value, c->weight, err);
    const size_t values = c->quantity->kind == OBS_PROFILE_DENSITY ? bins : 2 * bins;
    for (size_t i = 0; i < values; i++)
        if (!obs_profile_add(&c->sum[i], c->value[i]))
            return trj_fail(err, TRJ_BAD_DATA,
                            "--sums: %s is beyond the range of exact sums, %g; leave --sums out, or use wider bins",
                            c->expression.text, OBS_PROFILE_LARGEST);
    return 0;
}

static int take(struct obs_ensemble *e, const struct trj_frame *f, const double *value, struct trj_error *err) {
    struct profile *p = e->own;
    (void)f;
    p->bins.limit = fmin(p->bins.limit, value[LIMIT]);
    p->bins.length += value[LENGTH];
    p->bins.outside += value[OUTSIDE];
    if (e->options->sums && !obs_profile_add(&p->length, value[LENGTH]))
        return trj_fail(err, TRJ_BAD_DATA, "--sums: the cell is beyond the range of exact sums; leave --sums out");
    for (size_t i = 0; i < p->count; i++)
        if (take_column(p, &p->column[i], value, err)) return -1;
    return 0;
}

// --------------------------------------------------------------------------------------------------------------- table

// The result of a column: values and errors of each bin, of which there are two arrays for orientations.
struct result {
    double *value[2], *error[2]; // [bins]
};

static double ratio(double sum, double weight) {
    return weight > 0 ? sum / weight : NAN;
}

static int find_density(struct result *r, const struct column *c, size_t bins, struct trj_table *t) {
    struct curve_mean_error e;
    char text[CURVE_ERROR_BLOCKS_TEXT];
    for (size_t b = 0; b < bins; b++) r->value[0][b] = ratio(c->mean.sum[b], *c->mean.weight);
    if (curve_mean_error(&e, &c->mean, 0, r->value[0], t->err)) return -1;
    for (size_t b = 0; b < bins; b++) r->error[0][b] = e.error ? e.error[b] : NAN;
    curve_error_blocks_text(text, NULL, &e);
    if (e.error)
        trj_table_comment(t, "error of %s: records are frames; %s", c->expression.names[0], text);
    else
        trj_table_comment(t, "error of %s: unknown, from one frame", c->expression.names[0]);
    free(e.error);
    return 0;
}

static int find_orientation(struct result *r, const struct column *c, size_t bins, struct trj_table *t) {
    struct curve_mean_error e;
    for (size_t k = 0, curve = 0; k < 2; k++)
        for (size_t b = 0; b < bins; b++, curve++) {
            double *value = &r->value[k][b];
            *value = ratio(c->mean.sum[curve], c->mean.weight[curve]);
            r->error[k][b] = NAN;
            if (!(c->count[b] > 0)) continue;
            if (curve_mean_error(&e, &c->mean, curve, value, t->err)) return -1;
            if (e.error && isfinite(*e.error)) r->error[k][b] = *e.error;
            free(e.error);
        }
    trj_table_comment(t, "errors of %s and %s: from frames, or from blocks of frames as long as each bin requires",
                      c->expression.names[0], c->expression.names[1]);
    return 0;
}

static int print_names(const struct profile *p, bool sums, struct trj_table *t) {
    obs_profile_name_position(&p->bins, t);
    for (size_t i = 0; i < p->count; i++) {
        const struct column *c = &p->column[i];
        for (size_t k = 0; k < c->expression.columns; k++) {
            trj_table_name(t, "%s", c->expression.names[k]);
            trj_table_name(t, "%s_%s", sums ? "sum" : "se", c->expression.names[k]);
        }
        const char *arguments = strchr(c->expression.names[0], '(');
        if (c->quantity->count_name) trj_table_name(t, "%s%s", c->quantity->count_name, arguments);
    }
    return trj_table_end_row(t);
}

static int print_rows(const struct profile *p, const struct result *result, struct trj_table *t) {
    for (size_t b = 0; b < p->bins.geometry.bins; b++) {
        if (!obs_profile_is_complete(&p->bins, b)) continue;
        trj_table_real(t, DIGITS, obs_profile_position(&p->bins, b));
        for (size_t i = 0; i < p->count; i++) {
            const struct column *c = &p->column[i];
            for (size_t k = 0; k < c->expression.columns; k++) {
                trj_table_real(t, DIGITS, result[i].value[k][b]);
                trj_table_real(t, DIGITS, result[i].error[k][b]);
            }
            if (c->quantity->count_name) trj_table_count(t, (uint64_t)c->count[b]);
        }
        if (trj_table_end_row(t)) return -1;
    }
    return 0;
}

static void print_definitions(const struct profile *p, struct trj_table *t) {
    for (size_t i = 0; i < p->count; i++) {
        const struct obs_observable *o = &p->column[i].expression;
        char columns[300];
        obs_columns_describe(o->column, o->columns, columns, sizeof columns);
        trj_table_comment(t, "%s: %s; columns: %s", o->text, o->formula, columns);
    }
}

static int print_table(const struct profile *p, struct result *result, struct trj_table *t) {
    obs_profile_comment(&p->bins, t);
    print_definitions(p, t);
    for (size_t i = 0; i < p->count; i++) {
        const struct column *c = &p->column[i];
        if (c->quantity->kind == OBS_PROFILE_DENSITY ? find_density(&result[i], c, p->bins.geometry.bins, t)
                                                     : find_orientation(&result[i], c, p->bins.geometry.bins, t))
            return -1;
    }
    return print_names(p, false, t) || print_rows(p, result, t) ? -1 : 0;
}

// Writes the table of --sums, without errors, because blocks of frames can cross the ends of segments. No
// bin is left out, because the extent is given.
static int print_sums(const struct profile *p, struct trj_table *t) {
    const size_t bins = p->bins.geometry.bins;
    obs_profile_comment(&p->bins, t);
    obs_profile_bins_write(&p->bins, p->length, t);
    print_definitions(p, t);
    if (print_names(p, true, t)) return -1;
    for (size_t b = 0; b < bins; b++) {
        trj_table_real(t, DIGITS, obs_profile_position(&p->bins, b));
        for (size_t i = 0; i < p->count; i++) {
            const struct column *c = &p->column[i];
            const double weight =
                c->quantity->kind == OBS_PROFILE_DENSITY ? (double)p->bins.frames : (double)c->count[b];
            for (size_t k = 0; k < c->expression.columns; k++) obs_profile_print(c->sum[k * bins + b], weight, t);
            if (c->quantity->count_name) trj_table_count(t, (uint64_t)c->count[b]);
        }
        if (trj_table_end_row(t)) return -1;
    }
    return obs_sums_end(bins, t);
}

static int write(struct obs_ensemble *e, struct trj_table *t, struct trj_error *err) {
    struct profile *p = e->own;
    if (!e->frames) return trj_fail(err, TRJ_BAD_DATA, "--profile: the stream has no frame");
    p->bins.frames = e->frames;
    if (e->options->sums) {
        p->bins.length = (double)p->length * OBS_PROFILE_UNIT;
        return print_sums(p, t);
    }
    struct result *result = trj_alloc(p->count, sizeof *result, "a profile", err);
    bool done = result != NULL;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; done && k < p->column[i].expression.columns; k++) {
            result[i].value[k] = trj_alloc(p->bins.geometry.bins, sizeof *result[i].value[k], "a profile", err);
            result[i].error[k] = trj_alloc(p->bins.geometry.bins, sizeof *result[i].error[k], "a profile", err);
            done = result[i].value[k] && result[i].error[k];
        }
    int rc = done ? print_table(p, result, t) : -1;
    for (size_t i = 0; result && i < p->count; i++)
        for (size_t k = 0; k < 2; k++) {
            free(result[i].value[k]);
            free(result[i].error[k]);
        }
    free(result);
    return rc;
}

// --------------------------------------------------------------------------------------------------------- open, close

// Names of columns are those of the quantities: "number_density(W)".
static int name_columns(struct column *c, struct trj_error *err) {
    struct obs_observable *o = &c->expression;
    for (size_t k = 0; k < o->columns; k++) {
        const char *arguments = strchr(o->names[k], '('), *name = o->column[k].name;
        size_t size = strlen(name) + strlen(arguments) + 1;
        char *text = trj_alloc(size, 1, "a column", err);
        if (!text) return -1;
        snprintf(text, size, "%s%s", name, arguments);
        free(o->names[k]);
        o->names[k] = text;
    }
    return 0;
}

static int open_column(struct obs_ensemble *e, struct column *c, const char *text, struct trj_error *err) {
    const struct profile *p = e->own;
    const size_t bins = p->bins.geometry.bins;
    if (obs_observable_open_in(&c->expression, obs_profile_functions, text, e->system, err)) return -1;
    if (c->expression.whole)
        return trj_fail(err, TRJ_USAGE, "%s: a profile contains all columns of %s; give the function alone", text,
                        c->expression.function->name);
    c->quantity = obs_profile_quantity_of(c->expression.function);
    c->sums = e->observable.columns;
    e->observable.columns += c->quantity->sums * bins;
    bool density = c->quantity->kind == OBS_PROFILE_DENSITY;
    size_t curves = density ? 1 : 2 * bins, values = density ? bins : 1;
    if (name_columns(c, err) || !(c->count = trj_alloc(bins, sizeof *c->count, "a profile", err)) ||
        !(c->value = trj_alloc(curves * values, sizeof *c->value, "a profile", err)) ||
        !(c->weight = trj_alloc(curves, sizeof *c->weight, "a profile", err)))
        return -1;
    if (!e->options->sums) return curve_mean_open(&c->mean, curves, values, err);
    return (c->sum = trj_alloc(curves * values, sizeof *c->sum, "sums", err)) ? 0 : -1;
}

static int open_profile(struct obs_ensemble *e, struct trj_error *err) {
    const struct obs_ensemble_options *o = e->options;
    struct profile *p = e->own = trj_alloc(1, sizeof *p, "a profile", err);
    if (!p) return -1;
    const char *bins = o->histogram.bins;
    size_t count = BINS;
    p->bins = (struct obs_profile_bins){.word = o->profile, .about = o->about, .limit = INFINITY};
    if (bins && obs_parse_bins(&count, bins, strlen(bins), err)) return -1;
    e->observable = (struct obs_observable){
        .text = trj_copy_text("--profile", err), .function = &function, .columns = HEAD, .own = p};
    if (!e->observable.text ||
        obs_profile_geometry_open(&p->bins.geometry, o->profile, o->about, o->extent, count, e->system, err) ||
        !(p->column = trj_alloc(e->operand_count, sizeof *p->column, "columns", err)))
        return -1;
    for (; p->count < e->operand_count; p->count++)
        if (open_column(e, &p->column[p->count], e->operands[p->count], err)) {
            p->count++;
            return -1;
        }
    return 0;
}

static void close_profile(struct obs_ensemble *e) {
    struct profile *p = e->own;
    if (!p) return;
    for (size_t i = 0; i < p->count; i++) {
        struct column *c = &p->column[i];
        curve_mean_free(&c->mean);
        obs_observable_free(&c->expression);
        free(c->count);
        free(c->value);
        free(c->weight);
        free(c->sum);
    }
    free(p->column);
    free(p);
}

const struct obs_ensemble_kind obs_profile = {open_profile, take, write, close_profile, NULL};
