// SPDX-License-Identifier: MIT
// Computes columns and results of correlations with their errors, and prints them.
#include "correlation_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lag_estimate.h"
#include "memory.h"
#include "units.h"

enum { DIGITS = 9, ERROR_DIGITS = 4, LAG_DIGITS = 6 };

#define PI    3.14159265358979323846
#define LIGHT 0.0299792458 // cm/ps
#define CUBE  2.837297     // of a cubic lattice: I.-C. Yeh, G. Hummer, J. Phys. Chem. B 108, 15873 (2004)

struct writing {
    const struct tcf_run *run;
    struct trj_table *table;
    void (*note)(const char *line);
    double interval; // ps; NaN: unknown
    size_t lags;     // 0 to lags - 1
    size_t trusted;  // the largest lag with TCF_FEW_WINDOWS windows; 0: none
    double *time;    // [lags] ps
    double *cosine;  // [2 (lags - 1)] of pi i / (lags - 1), for spectra; else NULL
};

// ------------------------------------------------------------------------------------------------------------- columns

// A column of a signal, its integral, and its spectrum.
struct curve {
    const struct tcf_signal *signal;
    const struct tcf_column *column;
    size_t lags, stride; // stride: lags of each part in the sums, which can be more
    double interval;
    const double *time;   // [lags] ps
    const double *cosine; // that of struct writing
    double scale;         // of integrals, with the volume
};

static double value_at(const struct curve *c, const double *sum, const double *pairs, size_t lag) {
    double value = 0;
    if (!(pairs[lag] > 0)) return NAN;
    for (size_t p = 0; p < c->signal->parts; p++) value += c->column->factor[p] * sum[p * c->stride + lag];
    return c->column->offset + value / pairs[lag];
}

static void evaluate_values(const void *arg, const double *sum, const double *pairs, double *out) {
    const struct curve *c = arg;
    for (size_t k = 0; k < c->lags; k++) out[k] = value_at(c, sum, pairs, k);
}

// By the trapezoidal rule.
static void evaluate_integrals(const void *arg, const double *sum, const double *pairs, double *out) {
    const struct curve *c = arg;
    double before = value_at(c, sum, pairs, 0);
    out[0] = 0;
    for (size_t k = 1; k < c->lags; k++) {
        const double now = value_at(c, sum, pairs, k);
        out[k] = out[k - 1] + c->scale * (c->time[k] - c->time[k - 1]) * (before + now) / 2;
        before = now;
    }
}

// S = 2 integral of C(t) cos(2 pi nu t) with the window cos^2(pi t / 2 T), where T is the largest lag. Point j has the
// frequency j / 2 T.
static void evaluate_spectrum(const void *arg, const double *sum, const double *pairs, double *out) {
    const struct curve *c = arg;
    const size_t n = c->lags - 1;
    for (size_t j = 0; j <= n; j++) out[j] = value_at(c, sum, pairs, 0);
    for (size_t k = 1; k < n; k++) {
        const double half = cos(PI / 2 * (double)k / (double)n), value = 2 * half * half * value_at(c, sum, pairs, k);
        for (size_t j = 0, place = 0; j <= n; j++) { // place: j k, modulo a period
            out[j] += value * c->cosine[place];
            place += k;
            if (place >= 2 * n) place -= 2 * n;
        }
    }
    for (size_t j = 0; j <= n; j++) out[j] *= c->interval * (c->column->response ? c->scale / 2 : 1);
}

typedef void evaluate(const void *arg, const double *sum, const double *pairs, double *out);

// Returns [lags] values, which the caller frees. The longest lag of output k is k, or the last one.
static struct tcf_value *make_curve(const struct writing *w, const struct curve *c, size_t expression, evaluate *by,
                                    bool last, struct trj_error *err) {
    size_t *longest = trj_alloc(w->lags, sizeof *longest, "lags", err);
    struct tcf_value *value = longest ? trj_alloc(w->lags, sizeof *value, "lags", err) : NULL;
    const struct tcf_estimator e = {w->lags, by, c, longest};
    for (size_t k = 0; value && k < w->lags; k++) longest[k] = last ? w->lags - 1 : k;
    if (value && tcf_estimate(tcf_run_records(w->run, expression), &e, value, err)) {
        free(value);
        value = NULL;
    }
    free(longest);
    return value;
}

struct columns {
    struct tcf_value **value; // [count][lags]
    size_t count;
};

static void free_columns(struct columns *c) {
    for (size_t i = 0; c->value && i < c->count; i++) free(c->value[i]);
    free(c->value);
}

static struct curve curve_of(const struct writing *w, size_t expression, size_t column) {
    const struct tcf_signal *s = tcf_signal_of(&w->run->observable[expression]);
    const struct tcf_column *c = &s->column[column];
    const double volume = c->per_volume ? w->run->volume / (double)w->run->frames : 1;
    return (struct curve){.signal = s,
                          .column = c,
                          .lags = w->lags,
                          .stride = tcf_run_records(w->run, expression)->lags,
                          .interval = w->interval,
                          .time = w->time,
                          .cosine = w->cosine,
                          .scale = c->scale / volume};
}

static int add_curve(struct columns *to, struct tcf_value *value) {
    to->value[to->count] = value;
    if (!value) return -1;
    to->count++;
    return 0;
}

static int set_cosines(struct writing *w, struct trj_error *err) {
    const size_t n = w->lags - 1;
    if (!(w->cosine = trj_alloc(2 * n, sizeof *w->cosine, "cosines", err))) return -1;
    for (size_t i = 0; i < 2 * n; i++) w->cosine[i] = cos(PI / (double)n * (double)i);
    return 0;
}

// Computes the columns of the table, in order: those of each expression, each followed by its integral.
static int make_columns(const struct writing *w, struct columns *to, struct trj_error *err) {
    const bool spectrum = w->run->options->spectrum;
    size_t capacity = 0;
    for (size_t i = 0; i < w->run->count; i++) capacity += 2 * TCF_COLUMNS_MAX;
    if (!(to->value = trj_alloc(capacity, sizeof(struct tcf_value *), "columns", err))) return -1;
    for (size_t i = 0; i < w->run->count; i++) {
        const struct tcf_signal *s = tcf_signal_of(&w->run->observable[i]);
        for (size_t k = 0; k < s->columns; k++) {
            const struct curve c = curve_of(w, i, k);
            if (add_curve(to, make_curve(w, &c, i, spectrum ? evaluate_spectrum : evaluate_values, spectrum, err)))
                return -1;
            if (!spectrum && c.column->integral && add_curve(to, make_curve(w, &c, i, evaluate_integrals, false, err)))
                return -1;
        }
    }
    return 0;
}

// ------------------------------------------------------------------------------------------------------------- results

static void put_result(const struct writing *w, size_t expression, const char *quantity, const char *column,
                       const struct tcf_value *v, const char *unit, size_t from, size_t to) {
    const char *text = w->run->observable[expression].text, *dot = *column ? "." : "";
    const double first = from ? w->time[from] : 0, last = to ? w->time[to] : 0;
    struct trj_table *t = w->table;
    if (!*unit) unit = "1";
    if (!w->run->options->summary) {
        trj_table_comment(t, "result: %s\t%s%s%s\t%.9g\t%.4g\t%.4g\t%s\t%.6g\t%.6g", text, quantity, dot, column,
                          v->value, v->error, tcf_half_width(v), unit, first, last);
        return;
    }
    trj_table_text(t, "%s", text);
    trj_table_text(t, "%s%s%s", quantity, dot, column);
    trj_table_real(t, DIGITS, v->value);
    trj_table_real(t, ERROR_DIGITS, v->error);
    trj_table_real(t, ERROR_DIGITS, tcf_half_width(v));
    trj_table_text(t, "%s", unit);
    trj_table_real(t, LAG_DIGITS, first);
    trj_table_real(t, LAG_DIGITS, last);
    trj_table_end_row(t); // tcf_table_write returns a failure
}

static int put_result_names(struct trj_table *t) {
    static const struct trj_table_column names[] = {{"expression", "expression", NULL},
                                                    {"quantity", "quantity that follows from it", NULL},
                                                    {"value", "value", NULL},
                                                    {"error", "standard error", NULL},
                                                    {"ci95", "half-width of the interval of 95 %", NULL},
                                                    {"unit", "unit of these three", NULL},
                                                    {"from", "shortest lag that is used", "ps"},
                                                    {"to", "longest lag that is used", "ps"}};
    return trj_table_columns(t, names, sizeof names / sizeof *names);
}

// `column` is named if it has a name.
static void put_column_note(const struct writing *w, size_t expression, const char *column, const char *text) {
    char line[700];
    snprintf(line, sizeof line, "note: %s%s%s: %s", w->run->observable[expression].text, *column ? ", " : "", column,
             text);
    trj_table_comment(w->table, "%s", line);
    w->note(line);
}

static void put_note(const struct writing *w, size_t expression, const char *text) {
    put_column_note(w, expression, "", text);
}

// The straight line through lags first to last.
struct line {
    struct curve curve;
    size_t first, last;
    double dimensions, scale;
};
enum { COEFFICIENT, SLOPE, INTERCEPT, EXPONENT, LINE_OUTPUTS };

static void evaluate_line(const void *arg, const double *sum, const double *pairs, double *out) {
    const struct line *l = arg;
    const double n = (double)(l->last - l->first + 1), *time = l->curve.time;
    double t = 0, y = 0, u = 0, z = 0, tt = 0, ty = 0, uu = 0, uz = 0;
    for (size_t k = l->first; k <= l->last; k++) {
        t += time[k] / n;
        u += log(time[k]) / n;
        y += value_at(&l->curve, sum, pairs, k) / n;
        z += log(value_at(&l->curve, sum, pairs, k)) / n;
    }
    for (size_t k = l->first; k <= l->last; k++) {
        const double value = value_at(&l->curve, sum, pairs, k), dx = time[k] - t, du = log(time[k]) - u;
        tt += dx * dx;
        ty += dx * (value - y);
        uu += du * du;
        uz += du * (log(value) - z);
    }
    out[COEFFICIENT] = l->scale * ty / tt / (2 * l->dimensions);
    out[SLOPE] = ty / tt;
    out[INTERCEPT] = y - ty / tt * t;
    out[EXPONENT] = uz / uu;
}

// Returns the number of the largest lag that has this number of windows; 0 if none has.
static size_t last_lag(const struct writing *w, uint64_t windows) {
    size_t lag = 0;
    while (lag + 1 < w->lags && tcf_run_windows(w->run, tcf_run_lag(w->run, lag + 1)) >= windows) lag++;
    return lag;
}

// Sets the lags of the fit. Returns 0 if there are too few for a default range.
static int choose_fit(const struct writing *w, const struct trj_times *fit, size_t *first, size_t *last,
                      struct trj_error *err) {
    if (!w->run->options->fit) {
        *last = last_lag(w, TCF_FIT_WINDOWS);
        *first = 1;
        while (tcf_run_lag(w->run, *first) < tcf_run_lag(w->run, *last) / 5) ++*first;
        return *last >= *first + 2;
    }
    *first = *last = 0;
    for (size_t k = w->lags - 1; k; k--) {
        const int place = trj_times_compare(fit, w->time[k]);
        if (!place && !*last) *last = k;
        if (!place) *first = k;
    }
    if (*last >= *first + 2) return 1;
    return trj_fail(err, TRJ_USAGE,
                    "--fit: fewer than three lags are in the range %s ps; the lags are %.6g to %.6g ps, %.6g ps apart",
                    w->run->options->fit, w->interval, w->time[w->lags - 1], w->interval);
}

static void put_infinite_cell(const struct writing *w, size_t expression, struct tcf_value d, size_t first,
                              size_t last) {
    const struct tcf_options *o = w->run->options;
    const double edge = w->run->edge / (double)w->run->frames;
    if (isnan(o->viscosity)) return;
    // kT in J, the viscosity in 1e-3 Pa s, the edge in 1e-10 m; m^2/s is 1e9 of 1e-5 cm^2/s
    const double correction =
        CUBE * TRJ_BOLTZMANN * o->temperature / (6 * PI * (o->viscosity * 1e-3) * (edge * 1e-10)) * 1e9;
    const bool large = correction > d.value;
    d.value += correction;
    put_result(w, expression, "D_infinite", "", &d, "1e-5 cm^2/s", first, last);
    if (large)
        put_note(w, expression,
                 "the correction for the size of the cell is larger than D itself; --viscosity is in mPa s, and "
                 "--temperature in K");
}

static int put_slope(const struct writing *w, size_t expression, const struct trj_times *fit, struct trj_error *err) {
    const struct tcf_signal *s = tcf_signal_of(&w->run->observable[expression]);
    const struct tcf_slope *slope = &s->slope;
    struct line l = {.dimensions = 3, .scale = slope->scale};
    if (slope->per_volume) l.scale /= w->run->volume / (double)w->run->frames;
    if (isnan(w->interval)) {
        put_note(w, expression, "the times of the frames are unknown, so that there is no slope");
        return 0;
    }
    int got = choose_fit(w, fit, &l.first, &l.last, err);
    if (got < 0) return -1;
    if (!got) {
        put_note(w, expression,
                 "no straight line: fewer than three lags have twenty windows that do not overlap; read more frames, "
                 "compare more lags (-l), or give the lags: --fit FROM:TO");
        return 0;
    }
    if (l.last > w->trusted)
        put_note(w, expression,
                 "the line is fitted to lags that fewer than ten windows support; fit shorter ones: --fit FROM:TO");
    const size_t longest[LINE_OUTPUTS] = {l.last, l.last, l.last, l.last};
    for (size_t k = 0; k < s->columns; k++) {
        struct tcf_value v[LINE_OUTPUTS];
        char unit[80];
        const struct tcf_estimator e = {LINE_OUTPUTS, evaluate_line, &l, longest};
        l.curve = curve_of(w, expression, k);
        l.dimensions = k ? 1 : 3;
        if (tcf_estimate(tcf_run_records(w->run, expression), &e, v, err)) return -1;
        put_result(w, expression, slope->name, k ? s->column[k].name : "", &v[COEFFICIENT], slope->unit, l.first,
                   l.last);
        if (k) continue;
        if (!slope->per_volume) put_infinite_cell(w, expression, v[COEFFICIENT], l.first, l.last);
        snprintf(unit, sizeof unit, "%s/ps", s->column[k].unit);
        put_result(w, expression, "slope", "", &v[SLOPE], unit, l.first, l.last);
        put_result(w, expression, "intercept", "", &v[INTERCEPT], s->column[k].unit, l.first, l.last);
        put_result(w, expression, "exponent", "", &v[EXPONENT], "", l.first, l.last);
        if (fabs(v[EXPONENT].value - 1) > fmax(0.1, isnan(v[EXPONENT].error) ? 0 : 2 * v[EXPONENT].error))
            put_note(w, expression,
                     slope->per_volume
                         ? "the exponent differs from 1, so that the motion is not diffusive in the range of the fit; "
                           "fit longer lags: --fit FROM:TO; neutral molecules without ions do not conduct"
                         : "the exponent differs from 1, so that the motion is not diffusive in the range of the fit; "
                           "fit longer lags: --fit FROM:TO");
        if (isnan(v[SLOPE].error))
            put_note(w, expression,
                     "too few independent windows for the error of the slope; fit shorter lags: --fit FROM:TO, "
                     "or read more frames");
    }
    return 0;
}

// A correlation time: the integral up to lag `end`, divided by the value at lag 0, `first`. A record deviates from it
// by (integral - time value at lag 0) / first, because both vary together: the error of the integral alone would be too
// large.
struct duration {
    struct curve curve;
    size_t end;
    double time, first;
};

static void evaluate_duration(const void *arg, const double *sum, const double *pairs, double *out) {
    const struct duration *d = arg;
    const struct curve *c = &d->curve;
    double before = value_at(c, sum, pairs, 0), integral = 0;
    const double here = before;
    for (size_t k = 1; k <= d->end; k++) {
        const double now = value_at(c, sum, pairs, k);
        integral += (c->time[k] - c->time[k - 1]) * (before + now) / 2;
        before = now;
    }
    out[0] = d->time + (integral - d->time * here) / d->first;
}

// The correlation time, in ps, from the integral up to the first lag at which the correlation is not above its error.
static int put_time(const struct writing *w, size_t expression, size_t column, const struct tcf_value *value,
                    const struct tcf_value *integral, struct trj_error *err) {
    struct duration d = {.curve = curve_of(w, expression, column), .first = value[0].value};
    const struct tcf_column *c = d.curve.column;
    const struct tcf_estimator e = {1, evaluate_duration, &d, &d.end};
    struct tcf_value v;
    size_t end = 1;
    if (!(d.first > 0)) {
        put_column_note(w, expression, c->name,
                        isnan(d.first)
                            ? "there are no atoms or pairs in any frame, so that there is no correlation time"
                            : "all frames have the same value, so that there is no correlation time");
        return 0;
    }
    while (end + 1 < w->lags && value[end].value > (isnan(value[end].error) ? 0 : value[end].error)) end++;
    bool decays = false;
    for (size_t k = 1; k < w->lags; k++) decays |= value[k].value < d.first;
    if (!decays) {
        put_column_note(w, expression, c->name,
                        "no value is below that at lag 0: nothing decays, and there is no correlation time; check the "
                        "selections, whose distances are in Angstrom");
        return 0;
    }
    d.end = end;
    const bool decayed = !(value[end].value > (isnan(value[end].error) ? 0 : value[end].error));
    d.time = integral[end].value / (d.first * c->scale);
    if (tcf_estimate(tcf_run_records(w->run, expression), &e, &v, err)) return -1;
    put_result(w, expression, "tau", c->name, &v, "ps", 0, end);
    if (tcf_signal_of(&w->run->observable[expression])->fluctuations)
        put_result(w, expression, c->integral, "", &integral[end], c->integral_unit, 0, end);
    if (end > w->trusted)
        put_column_note(
            w, expression, c->name,
            "tau follows from lags that fewer than ten windows support, so that its error is not reliable; read "
            "more frames");
    if (!decayed)
        put_column_note(w, expression, c->name,
                        "the correlation has not decayed at the largest lag, so that tau is too short; use more "
                        "lags (--lags) or frames");
    else if (v.value < 2 * w->interval)
        put_column_note(w, expression, c->name,
                        "tau is less than two intervals between frames, on which it depends; write frames more "
                        "often");
    return 0;
}

// The integral up to the largest lag that ten windows support, or up to the end. The correlation is taken as decayed if
// it is there below the fraction `undecayed` of its first value, or below twice its error. Only the first column
// is examined.
static void put_integral(const struct writing *w, size_t expression, const struct tcf_column *c,
                         const struct tcf_value *value, const struct tcf_value *integral) {
    const double undecayed = 0.1;
    const size_t end = w->trusted ? w->trusted : w->lags - 1;
    const double rest = c == tcf_signal_of(&w->run->observable[expression])->column ? fabs(value[end].value) : 0;
    put_result(w, expression, c->integral, "", &integral[end], c->integral_unit, 0, end);
    if (rest > undecayed * fabs(value->value) && !(rest < 2 * value[end].error))
        put_column_note(w, expression, c->name,
                        "the correlation has not decayed at the last lag of the integral, which is therefore "
                        "incomplete; read more frames, or use more lags (--lags)");
    if (!w->trusted)
        put_column_note(w, expression, c->name,
                        "no lag has ten windows that do not overlap, so that integrals are not converged");
    if (fabs(value[1].value) < value->value / 2)
        put_column_note(w, expression, c->name,
                        "the correlation falls to less than half of its first value in one interval between frames, "
                        "on which the integral depends; write frames more often");
}

// The dielectric constant from all frames, and from the first ones, which shows how it converges.
static void put_dielectric(const struct writing *w, size_t expression, const struct tcf_value *value) {
    enum { POINTS = 20 };
    const struct tcf_run *r = w->run;
    const double frames = (double)r->frames,
                 factor = tcf_signal_of(&r->observable[expression])->polarisability / (r->volume / frames);
    struct tcf_value v = {1 + factor * value->value, factor * value->error, value->freedom};
    double sum[3] = {0, 0, 0}, square = 0;
    size_t first = 0, point = 1;
    for (size_t i = 0; i < expression; i++)
        if (tcf_signal_of(&r->observable[i])->fluctuations) first += r->observable[i].columns;
    put_result(w, expression, "epsilon", "", &v, "", 0, 0);
    if (isnan(v.error)) put_note(w, expression, "too few independent frames for the error of the dielectric constant");
    if (r->options->summary) return;
    trj_table_comment(w->table, "running: expression\tframes\tepsilon of these first frames");
    for (size_t t = 0; t < r->frames; t++) {
        const double *m = r->kept + t * r->kept_values + first, n = (double)(t + 1);
        for (int k = 0; k < 3; k++) sum[k] += m[k];
        square += m[0] * m[0] + m[1] * m[1] + m[2] * m[2];
        if (n * POINTS < frames * (double)point) continue;
        while ((double)point * frames <= n * POINTS) point++;
        trj_table_comment(w->table, "running: %s\t%zu\t%.6g", r->observable[expression].text, t + 1,
                          1 + factor * (square - (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]) / n) / n);
    }
}

static int put_results(const struct writing *w, const struct columns *columns, const struct trj_times *fit,
                       struct trj_error *err) {
    struct tcf_value *const *value = columns->value;
    if (w->run->options->summary) {
        if (put_result_names(w->table)) return -1;
    } else {
        trj_table_comment(w->table, "result: expression\tquantity\tvalue\terror\tci95\tunit\tfrom ps\tto ps");
    }
    for (size_t i = 0; i < w->run->count; i++) {
        const struct tcf_signal *s = tcf_signal_of(&w->run->observable[i]);
        if (s->differences && s->slope.name && put_slope(w, i, fit, err)) return -1;
        for (size_t k = 0; k < s->columns; k++) {
            const struct tcf_value *own = *value++;
            if (s->polarisability > 0) put_dielectric(w, i, own);
            if (!s->column[k].integral) continue;
            const struct tcf_value *integral = *value++;
            if (isnan(w->interval)) {
                if (!k) put_note(w, i, "the times of the frames are unknown, so that there are no integrals");
                continue;
            }
            if (!s->normalised) put_integral(w, i, &s->column[k], own, integral);
            if (s->normalised && put_time(w, i, k, own, integral, err)) return -1;
        }
    }
    return 0;
}

// --------------------------------------------------------------------------------------------------------------- table

static void describe_frames(struct writing *w) {
    const struct tcf_run *r = w->run;
    char gaps[TRJ_GAP_NOTE], line[TRJ_GAP_NOTE + 10];
    trj_table_comment(w->table, "frames: %llu in %llu run%s at an interval of %.9g ps; lags 0 to %llu frames",
                      (unsigned long long)r->frames, (unsigned long long)r->breaks + 1, r->breaks ? "s" : "",
                      w->interval, (unsigned long long)tcf_run_lag(r, w->lags - 1));
    if (r->options->per_octave)
        trj_table_comment(
            w->table,
            "octaves: lags of 2^k %llu to 2^k %llu frames compare only frames whose numbers are multiples "
            "of 2^k",
            (unsigned long long)r->options->per_octave, (unsigned long long)(2 * r->options->per_octave - 1));
    trj_gap_note(gaps, &r->gaps, r->interval, &r->last, r->breaks, r->frames);
    if (*gaps) {
        snprintf(line, sizeof line, "note: %s", gaps);
        trj_table_comment(w->table, "%s", line);
        w->note(line);
    }
    if (w->trusted + 1 < w->lags)
        trj_table_comment(w->table,
                          "few windows: lags above %llu frames are supported by fewer than ten windows that do not "
                          "overlap%s",
                          (unsigned long long)tcf_run_lag(r, w->trusted),
                          r->options->summary ? "" : " (column windows)");
}

static void describe_expressions(const struct writing *w) {
    for (size_t i = 0; i < w->run->count; i++) {
        const struct obs_observable *o = &w->run->observable[i];
        const struct tcf_signal *s = tcf_signal_of(o);
        trj_table_comment(w->table, "%s: %s", o->text, o->formula);
        for (size_t k = 0; k < s->columns; k++) {
            const struct tcf_column *c = &s->column[k];
            const char *unit = *c->unit ? c->unit : "1";
            if (w->run->options->spectrum && c->response)
                trj_table_comment(w->table, "%s: column %s, %s: the spectrum times the factor of %s, divided by 2",
                                  o->text, c->name, c->integral_unit, c->integral);
            else if (w->run->options->spectrum)
                trj_table_comment(w->table, "%s: column %s, %s ps", o->text, c->name, unit);
            else if (c->integral)
                trj_table_comment(w->table, "%s: column %s, %s; %s, %s, %s", o->text, c->name, unit, c->integral,
                                  c->meaning, c->integral_unit);
            else
                trj_table_comment(w->table, "%s: column %s, %s", o->text, c->name, unit);
        }
        if (s->note) trj_table_comment(w->table, "%s: %s", o->text, s->note);
        if (s->warning) put_note(w, i, s->warning);
    }
}

// Names "msd.x(O)" and "se_msd.x(O)".
static void put_names(struct trj_table *t, const struct obs_observable *o, const char *prefix, const char *column) {
    const char *name = o->function->name, *arguments = o->text + strlen(name);
    const char *dot = *column ? "." : "";
    trj_table_name(t, "%s%s%s%s%s", prefix, name, dot, column, arguments);
    trj_table_name(t, "se_%s%s%s%s%s", prefix, name, dot, column, arguments);
}

static int put_head(const struct writing *w) {
    const bool spectrum = w->run->options->spectrum;
    struct trj_table *t = w->table;
    if (spectrum) {
        trj_table_comment(t,
                          "spectrum: 2 integral of C(t) cos(2 pi nu t) from 0 to the largest lag T = %.6g ps, with the "
                          "window cos^2(pi t / 2 T); wavenumber nu/c in 1/cm; resolution about %.4g 1/cm",
                          (double)(w->lags - 1) * w->interval, 1 / (LIGHT * (double)(w->lags - 1) * w->interval));
        trj_table_name(t, "wavenumber");
    } else {
        trj_table_comment(t, "columns: lag in frames; time in ps; windows of this length that do not overlap; of each "
                             "expression, values with their standard errors, se_...");
        trj_table_name(t, "lag");
        trj_table_name(t, "time");
        trj_table_name(t, "windows");
    }
    for (size_t i = 0; i < w->run->count; i++) {
        const struct obs_observable *o = &w->run->observable[i];
        const struct tcf_signal *s = tcf_signal_of(o);
        for (size_t k = 0; k < s->columns; k++) {
            put_names(t, o, spectrum ? "spectrum." : "", s->column[k].name);
            if (!spectrum && s->column[k].integral) put_names(t, o, "", s->column[k].integral);
        }
    }
    return trj_table_end_row(t);
}

static int put_rows(const struct writing *w, const struct columns *columns) {
    struct trj_table *t = w->table;
    for (size_t k = 0; k < w->lags; k++) {
        if (w->run->options->spectrum) {
            trj_table_real(t, DIGITS, (double)k / (2 * (double)(w->lags - 1) * w->interval) / LIGHT);
        } else {
            trj_table_count(t, tcf_run_lag(w->run, k));
            trj_table_real(t, DIGITS, w->time[k]);
            trj_table_count(t, tcf_run_windows(w->run, tcf_run_lag(w->run, k)));
        }
        for (size_t i = 0; i < columns->count; i++) {
            trj_table_real(t, DIGITS, columns->value[i][k].value);
            trj_table_real(t, ERROR_DIGITS, columns->value[i][k].error);
        }
        if (trj_table_end_row(t)) return -1;
    }
    return 0;
}

int tcf_table_write(const struct tcf_run *r, const struct trj_times *fit, struct trj_table *t,
                    void (*note)(const char *line), struct trj_error *err) {
    struct writing w = {.run = r, .table = t, .note = note, .interval = tcf_run_interval(r)};
    struct columns columns = {.count = 0};
    w.lags = tcf_run_lags(r);
    w.trusted = last_lag(&w, TCF_FEW_WINDOWS);
    if (r->options->spectrum && isnan(w.interval))
        return trj_fail(err, TRJ_BAD_DATA,
                        "--spectrum: the times of the frames are unknown; give them where trjcat reads the trajectory");
    int rc = (w.time = trj_alloc(w.lags, sizeof *w.time, "lags", err)) ? 0 : -1;
    for (size_t k = 0; !rc && k < w.lags; k++) w.time[k] = (double)tcf_run_lag(r, k) * w.interval;
    if (!rc && r->options->spectrum) rc = set_cosines(&w, err);
    if (!rc) rc = make_columns(&w, &columns, err);
    if (!rc) describe_frames(&w);
    if (!rc) describe_expressions(&w);
    if (!rc && !r->options->spectrum) rc = put_results(&w, &columns, fit, err);
    if (!rc && !r->options->summary && (put_head(&w) || put_rows(&w, &columns))) rc = -1;
    if (!rc) rc = trj_table_status(t);
    free_columns(&columns);
    free(w.time);
    free(w.cosine);
    return rc;
}
