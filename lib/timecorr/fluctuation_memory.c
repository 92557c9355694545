// SPDX-License-Identifier: MIT
// acf: autocorrelation of the fluctuations of any observable of trjstat that is a number or a vector.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "signal.h"

enum { EXPRESSION };
enum { TEXT = 80 };

struct inner {
    struct obs_observable observable;
    bool open;
    char unit[TCF_COLUMNS_MAX][TEXT], integral[TCF_COLUMNS_MAX][TEXT], integral_unit[TCF_COLUMNS_MAX][TEXT];
};

// The texts of the next column, from the unit of the observable.
static struct tcf_column *add_column(struct tcf_signal *signal, const char *name, const char *unit, size_t first,
                                     size_t last, struct trj_error *err) {
    struct inner *in = signal->own;
    const size_t i = signal->columns;
    char square[TEXT] = "";
    if (*unit) snprintf(square, TEXT, unit[strcspn(unit, "/^ ")] ? "(%s)^2" : "%s^2", unit);
    memcpy(in->unit[i], square, TEXT);
    snprintf(in->integral[i], TEXT, "%s%sintegral", name, *name ? "_" : "");
    snprintf(in->integral_unit[i], TEXT, "%s%sps", square, *unit ? " " : "");
    struct tcf_column *c = tcf_signal_add_column(signal, name, in->unit[i], first, last, 1, err);
    if (!c) return NULL;
    c->integral = in->integral[i];
    c->integral_unit = in->integral_unit[i];
    c->scale = 1;
    c->meaning = "integral up to the lag";
    return c;
}

static bool is_vector(const struct obs_observable *o) {
    static const char *const names[] = {"x", "y", "z"};
    bool vector = o->columns >= 3;
    for (size_t k = 0; vector && k < 3; k++)
        vector = !strcmp(o->column[k].name, names[k]) && !strcmp(o->column[k].unit, o->column[0].unit);
    return vector;
}

static int check_columns(const struct obs_observable *o, struct trj_error *err) {
    if (obs_observable_whole(o)->function->cyclic)
        return trj_fail(err, TRJ_USAGE,
                        "angles of which 180 and -180 degrees are the same have no fluctuation about a mean; use "
                        "reorient for directions");
    for (size_t c = 0; c < o->columns; c++)
        if (!strcmp(o->column[c].unit, OBS_CLASS))
            return trj_fail(err, TRJ_USAGE, "'%s' has classes, which have no mean", o->text);
    if (o->columns < TCF_COLUMNS_MAX) return 0;
    return trj_fail(err, TRJ_USAGE, "'%s' has %zu columns, expected at most %d; select one: FUNCTION.COLUMN(...)",
                    o->text, o->columns, TCF_COLUMNS_MAX - 1);
}

static int open_acf(struct obs_observable *o, struct obs_system *s, struct trj_error *err) {
    struct tcf_signal *signal = tcf_signal_open(o, 1, 1, err);
    struct inner *in = signal ? signal->own = trj_alloc(1, sizeof *in, "an expression", err) : NULL;
    if (!in) return -1;
    in->open = true;
    if (obs_observable_open(&in->observable, o->argument[EXPRESSION].text, s, err) ||
        tcf_signal_check_images(s->header, obs_observable_whole(&in->observable)->function->name, err) ||
        check_columns(&in->observable, err))
        return -1;
    const struct obs_observable *one = &in->observable;
    free(signal->count);
    signal->parts = one->columns;
    if (!(signal->count = trj_alloc(one->columns, sizeof *signal->count, "an expression", err))) return -1;
    for (size_t c = 0; c < one->columns; c++) signal->count[c] = 1;
    signal->fluctuations = signal->normalised = true;
    signal->first_frame = obs_observable_uses_first_frame(one);
    if (is_vector(one) && !add_column(signal, "vector", one->column[0].unit, 0, 2, err)) return -1;
    for (size_t c = 0; c < one->columns; c++)
        if (!add_column(signal, one->columns > 1 ? one->column[c].name : "", one->column[c].unit, c, c, err)) return -1;
    return 0;
}

static int begin_acf(struct obs_observable *o, struct obs_view *v, struct trj_error *err) {
    struct inner *in = tcf_signal_of(o)->own;
    return obs_observable_begin(&in->observable, v, err);
}

static int compute_acf(const struct obs_observable *o, struct obs_view *v, double *value, struct trj_error *err) {
    const struct inner *in = tcf_signal_of(o)->own;
    if (obs_observable_compute(&in->observable, v, value, err)) return -1;
    for (size_t c = 0; c < in->observable.columns; c++)
        if (!isfinite(value[c]))
            return trj_fail(err, TRJ_BAD_DATA, "%s is not defined in this frame; leave the frame out: trjcat -f",
                            in->observable.names[c]);
    return 0;
}

static void close_acf(struct obs_observable *o) {
    struct tcf_signal *signal = tcf_signal_of(o);
    struct inner *in = signal ? signal->own : NULL;
    if (in && in->open) obs_observable_free(&in->observable);
    tcf_signal_close(o);
}

static const struct obs_column columns[] = {{"", "the square of that of the expression"}, {"integral", "this, and ps"}};

const struct obs_function tcf_acf = {
    .name = "acf",
    .parameter = {{.name = "expression", .kind = OBS_EXPRESSION}},
    .column = columns,
    .columns = sizeof columns / sizeof *columns,
    .formula =
        "autocorrelation of an observable of trjstat: mean over all start frames of (a(t) - m) (a(t + lag) - m), "
        "where m is the mean of a over all frames; of a vector, also the sum over x, y and z",
    .tool = "trjcorr",
    .open = open_acf,
    .begin = begin_acf,
    .compute = compute_acf,
    .close = close_acf,
};
