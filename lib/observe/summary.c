// SPDX-License-Identifier: MIT
// Summarises series of values, with errors from independent blocks.
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "error_blocks.h"
#include "memory.h"

int obs_series_add(struct obs_series *s, double value, struct trj_error *err) {
    static const double weight = 1;
    if (isnan(value)) {
        s->undefined++;
        return 0;
    }
    if (s->cyclic) {
        if (trj_grow(&s->kept, &s->capacity, (size_t)s->frames + 1, sizeof *s->kept, "angles", err)) return -1;
        s->kept[s->frames++] = value;
        return 0;
    }
    if (!s->frames) {
        s->mean.interval = 95;
        if (curve_mean_open(&s->mean, 1, 1, err)) return -1;
        s->first = s->min = s->max = value;
    }
    double i = (double)s->frames++, y = value - s->first;
    s->min = fmin(s->min, value);
    s->max = fmax(s->max, value);
    s->i += i;
    s->i2 += i * i;
    s->y += y;
    s->y2 += y * y;
    s->iy += i * y;
    // Blocks are those of y, too: sums of squares of large values would lose their small variation.
    return curve_mean_add(&s->mean, &y, &weight, err);
}

static int summarise_cyclic(struct obs_series *s, struct obs_series_summary *to, struct trj_error *err) {
    const double degree = 3.14159265358979323846 / 180;
    struct obs_series images = {.undefined = s->undefined};
    double x = 0, y = 0;
    int rc = 0;
    for (uint64_t i = 0; i < s->frames; i++) {
        x += cos(degree * s->kept[i]);
        y += sin(degree * s->kept[i]);
    }
    double centre = atan2(y, x) / degree;
    for (uint64_t i = 0; i < s->frames && !rc; i++)
        rc = obs_series_add(&images, centre + remainder(s->kept[i] - centre, 360), err);
    rc = rc || obs_series_summarise(&images, to, err) ? -1 : 0;
    if (!rc) to->mean = remainder(to->mean, 360);
    obs_series_free(&images);
    return rc;
}

int obs_series_summarise(struct obs_series *s, struct obs_series_summary *to, struct trj_error *err) {
    struct curve_mean_error e = {.error = NULL};
    double n = (double)s->frames;
    if (s->cyclic) return summarise_cyclic(s, to, err);
    *to = (struct obs_series_summary){.frames = s->frames,
                                      .undefined = s->undefined,
                                      .mean = NAN,
                                      .deviation = NAN,
                                      .min = NAN,
                                      .max = NAN,
                                      .error = NAN,
                                      .half_width = NAN,
                                      .inefficiency = NAN,
                                      .effective = NAN,
                                      .few = true,
                                      .drift = NAN};
    if (!s->frames) return 0;
    to->min = s->min;
    to->max = s->max;
    const double shift = s->y / n;
    to->mean = s->first + shift;
    if (s->frames < 2) return 0;
    double variance = fmax(0, s->y2 - s->y * s->y / n) / (n - 1);
    to->deviation = sqrt(variance);
    to->drift = (s->iy - s->i * s->y / n) / (s->i2 - s->i * s->i / n) * n;
    if (curve_mean_error(&e, &s->mean, 0, &shift, err)) return -1;
    if (e.error && !e.too_few) {
        to->error = curve_error_blocks_of(&e).bias * e.error[0];
        to->half_width = e.half_width * to->error;
        to->inefficiency = variance > 0 ? fmax(1, n * to->error * to->error / variance) : 1;
        to->effective = n / to->inefficiency;
        to->few = variance > 0 && (to->effective < OBS_FEW_EFFECTIVE || isnan(to->half_width));
    }
    free(e.error);
    return 0;
}

void obs_series_free(struct obs_series *s) {
    curve_mean_free(&s->mean);
    free(s->kept);
}

// ------------------------------------------------------------------------------------------------------------- reports

// A list of columns for a note: the first ones by name, the others by number.
struct column_list {
    char text[400];
    size_t length, count;
};
enum { LISTED = 4, NAME = 80 };

static void list_column(struct column_list *l, const char *name, const char *more) {
    if (++l->count <= LISTED && l->length < sizeof l->text)
        l->length += (size_t)snprintf(l->text + l->length, sizeof l->text - l->length, "%s%.*s%s",
                                      l->count > 1 ? ", " : "", NAME, name, more);
}

static const char *end_list(struct column_list *l) {
    if (l->count > LISTED && l->length < sizeof l->text)
        snprintf(l->text + l->length, sizeof l->text - l->length, " and %zu other columns", l->count - LISTED);
    return l->text;
}

int obs_summary_print(struct trj_table *t, const struct obs_observable *observables, size_t count,
                      struct obs_series *series, double interval, void (*note)(const char *line),
                      struct trj_error *err) {
    struct column_list few = {.count = 0};
    char line[700];
    trj_table_comment(t, "summary: column\tframes\tmean\terror\tci95\tdeviation\tmin\tmax\teffective frames\t"
                         "correlation time in ps\tdrift");
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < observables[i].columns; c++, series++) {
            struct obs_series_summary s;
            const char *name = observables[i].names[c];
            if (obs_series_summarise(series, &s, err)) return -1;
            // The correlation time is the integrated one: half of the interval in which a frame is independent of the
            // one before.
            trj_table_comment(t, "summary: %s\t%llu\t%.9g\t%.4g\t%.4g\t%.6g\t%.9g\t%.9g\t%.4g\t%.4g\t%.4g", name,
                              (unsigned long long)s.frames, s.mean, s.error, s.half_width, s.deviation, s.min, s.max,
                              s.effective, s.inefficiency * interval / 2, s.drift);
            if (s.few && s.frames > 1) list_column(&few, name, "");
        }
    if (few.count) {
        snprintf(line, sizeof line,
                 "note: fewer than %d effective frames, so that errors are unknown or can be too small: %s",
                 OBS_FEW_EFFECTIVE, end_list(&few));
        trj_table_comment(t, "summary: %s", line);
        note(line);
    }
    return trj_table_status(t);
}

// Adds a column with values that are NaN in some frames.
static void list_undefined(struct column_list *l, const char *name, uint64_t undefined, uint64_t frames) {
    char number[60];
    if (!undefined) return;
    snprintf(number, sizeof number, " in %llu of %llu frames", (unsigned long long)undefined,
             (unsigned long long)frames);
    list_column(l, name, number);
}

static void note_undefined(struct column_list *l, void (*note)(const char *line)) {
    char line[700];
    if (!l->count) return;
    snprintf(line, sizeof line, "note: values that are not defined (nan): %s", end_list(l));
    note(line);
}

void obs_undefined_note(const struct obs_observable *observables, size_t count, const struct obs_series *series,
                        uint64_t frames, void (*note)(const char *line)) {
    struct column_list undefined = {.count = 0};
    for (size_t i = 0; i < count; i++)
        for (size_t c = 0; c < observables[i].columns; c++, series++)
            list_undefined(&undefined, observables[i].names[c], series->undefined, frames);
    note_undefined(&undefined, note);
}

void obs_undefined_note_columns(char *const *names, const uint64_t *undefined, size_t count, uint64_t frames,
                                void (*note)(const char *line)) {
    struct column_list list = {.count = 0};
    for (size_t i = 0; i < count; i++) list_undefined(&list, names[i], undefined[i], frames);
    note_undefined(&list, note);
}
