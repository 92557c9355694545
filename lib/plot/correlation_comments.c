// SPDX-License-Identifier: MIT
// Reads comments of trjcorr, because its columns contain neither the fitted line nor units that depend on expressions.
#include "correlation_comments.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "table_reader.h"
#include "table_writer.h"

enum { FIELDS = 8 };

// Returns a copy of a text of n bytes.
static char *copy(const char *text, size_t n, struct trj_error *err) {
    char *to = trj_alloc(n + 1, 1, "comments", err);
    if (to) memcpy(to, text, n);
    return to;
}

// Splits a text at tabs into at most FIELDS fields, of which `length` gives the bytes. Returns their number.
static size_t split(const char *text, const char *field[FIELDS], size_t length[FIELDS]) {
    size_t n = 0;
    while (n < FIELDS) {
        field[n] = text;
        length[n] = strcspn(text, "\t");
        text += length[n++];
        if (!*text++) break;
    }
    return n;
}

static double number(const char *field, size_t length) {
    char word[64];
    double value;
    snprintf(word, sizeof word, "%.*s", length < sizeof word ? (int)length : 0, field);
    return trj_parse_real(word, &value) && fabs(value) <= 1e100 ? value : NAN;
}

static bool is(const char *text, size_t length, const char *word) {
    return strlen(word) == length && !memcmp(text, word, length);
}

// Returns the line of an expression, which is added if it is new.
static struct plot_fit *fit_of(struct plot_correlation_comments *c, const char *expression, size_t length,
                               struct trj_error *err) {
    for (size_t i = 0; i < c->fits; i++)
        if (is(expression, length, c->fit[i].expression)) return &c->fit[i];
    if (trj_grow(&c->fit, &c->fit_capacity, c->fits + 1, sizeof *c->fit, "comments", err)) return NULL;
    struct plot_fit *f = &c->fit[c->fits];
    *f = (struct plot_fit){NULL, NAN, NAN, NAN, NAN, NAN, NAN};
    if (!(f->expression = copy(expression, length, err))) return NULL;
    c->fits++;
    return f;
}

static int add_result(struct plot_correlation_comments *c, const char *text, struct trj_error *err) {
    enum { EXPRESSION, QUANTITY, VALUE, ERROR, FROM = 6, TO };
    const char *field[FIELDS];
    size_t n[FIELDS];
    if (split(text, field, n) < FIELDS) return 0;
    const bool slope = is(field[QUANTITY], n[QUANTITY], "slope"),
               intercept = is(field[QUANTITY], n[QUANTITY], "intercept");
    if (!slope && !intercept && !is(field[QUANTITY], n[QUANTITY], "exponent")) return 0;
    struct plot_fit *f = fit_of(c, field[EXPRESSION], n[EXPRESSION], err);
    if (!f) return -1;
    *(slope ? &f->slope : intercept ? &f->intercept : &f->exponent) = number(field[VALUE], n[VALUE]);
    if (!slope && !intercept) f->error = number(field[ERROR], n[ERROR]);
    f->from = number(field[FROM], n[FROM]);
    f->to = number(field[TO], n[TO]);
    return 0;
}

static int add_running(struct plot_correlation_comments *c, const char *text, struct trj_error *err) {
    const char *field[FIELDS];
    size_t n[FIELDS];
    if (split(text, field, n) < 3) return 0;
    const double frames = number(field[1], n[1]), value = number(field[2], n[2]);
    if (isnan(frames)) return 0; // the names of the fields
    if (trj_grow(&c->running, &c->running_capacity, c->runnings + 1, sizeof *c->running, "comments", err)) return -1;
    struct plot_running_value *r = &c->running[c->runnings];
    *r = (struct plot_running_value){copy(field[0], n[0], err), 0, frames, value};
    if (!r->expression) return -1;
    if (c->runnings) r->column = r[-1].column + (strcmp(r->expression, r[-1].expression) != 0);
    c->runnings++;
    return 0;
}

// Adds the unit of the column that the expression has with this name: acf.x(A) for acf(A) and x.
static int add_unit(struct plot_correlation_comments *c, const char *expression, size_t length, const char *name,
                    size_t name_length, const char *unit, size_t unit_length, struct trj_error *err) {
    const size_t function = strcspn(expression, "("), size = length + name_length + sizeof ".";
    if (function > length) return 0;
    if (trj_grow(&c->unit, &c->unit_capacity, c->units + 1, sizeof *c->unit, "comments", err)) return -1;
    struct plot_unit_comment *u = &c->unit[c->units++];
    *u = (struct plot_unit_comment){trj_alloc(size, 1, "comments", err), copy(unit, unit_length, err)};
    if (!u->column || !u->unit) return -1;
    snprintf(u->column, size, "%.*s%s%.*s%.*s", (int)function, expression, name_length ? "." : "", (int)name_length,
             name, (int)(length - function), expression + function);
    return 0;
}

// Reads "EXPRESSION: column NAME, UNIT; INTEGRAL, MEANING, UNIT", which ends after the first unit, or after a colon and
// a text, if there is no integral.
static int add_units(struct plot_correlation_comments *c, const char *text, struct trj_error *err) {
    static const char mark[] = ": column ";
    const char *found = strstr(text, mark);
    if (!found) return 0;
    const size_t length = (size_t)(found - text);
    const char *name = found + sizeof mark - 1, *comma = strchr(name, ',');
    if (!comma || comma[1] != ' ') return 0;
    const char *unit = comma + 2, *end = unit + strcspn(unit, ";:");
    if (add_unit(c, text, length, name, (size_t)(comma - name), unit, (size_t)(end - unit), err)) return -1;
    if (end[0] != ';' || end[1] != ' ') return 0;
    const char *integral = end + 2, *integral_end = strchr(integral, ','), *last = strrchr(end, ',');
    if (!integral_end || last == integral_end || last[1] != ' ') return 0;
    return add_unit(c, text, length, integral, (size_t)(integral_end - integral), last + 2, strlen(last + 2), err);
}

int plot_correlation_comments_add(struct plot_correlation_comments *c, const char *line, struct trj_error *err) {
    const char *text;
    if (trj_table_after(line, TRJ_PROVENANCE_MARK)) return 0;
    if ((text = trj_table_after(line, "# result: "))) return add_result(c, text, err);
    if ((text = trj_table_after(line, "# running: "))) return add_running(c, text, err);
    return (text = trj_table_after(line, "# ")) ? add_units(c, text, err) : 0;
}

void plot_correlation_comments_free(struct plot_correlation_comments *c) {
    for (size_t i = 0; i < c->fits; i++) free(c->fit[i].expression);
    for (size_t i = 0; i < c->runnings; i++) free(c->running[i].expression);
    for (size_t i = 0; i < c->units; i++) {
        free(c->unit[i].column);
        free(c->unit[i].unit);
    }
    free(c->fit);
    free(c->running);
    free(c->unit);
    *c = (struct plot_correlation_comments){0};
}

const struct plot_fit *plot_correlation_fit(const struct plot_correlation_comments *c, const char *column) {
    const size_t n = strcspn(column, ".(");
    const char *arguments = strchr(column, '(');
    for (size_t i = 0; arguments && i < c->fits; i++) {
        const struct plot_fit *f = &c->fit[i];
        if (strncmp(f->expression, column, n) != 0 || strcmp(f->expression + n, arguments) != 0) continue;
        return isfinite(f->slope) && isfinite(f->intercept) && isfinite(f->exponent) && f->from < f->to ? f : NULL;
    }
    return NULL;
}

const char *plot_correlation_unit(const struct plot_correlation_comments *c, const char *column) {
    static const char prefix[] = "spectrum.";
    const size_t n = sizeof prefix - 1;
    if (!strncmp(column, prefix, n)) column += n;
    for (size_t i = 0; i < c->units; i++)
        if (!strcmp(c->unit[i].column, column)) return c->unit[i].unit;
    return NULL;
}
