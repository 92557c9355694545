// SPDX-License-Identifier: MIT
// Adds tables of histograms, so that segments of a trajectory can be counted by several processes.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bin_axis.h"
#include "histogram.h"
#include "input.h"
#include "memory.h"
#include "number.h"
#include "table_merge.h"
#include "table_reader.h"

// A table while it is read.
struct reading {
    struct obs_histogram h;
    struct obs_histogram_column *column; // [columns] moved to h before the first row
    size_t columns, capacity;
    size_t rows;
    size_t *field, fields; // [columns] numbers of the fields with counts; number of fields in a row
    bool has_frames;
};

static void free_reading(struct reading *r) {
    for (size_t i = 0; i < r->columns; i++) free(r->column[i].name);
    free(r->column);
    free(r->field);
    obs_histogram_free(&r->h);
}

// ------------------------------------------------------------------------------------------------------------ comments

// Adds an axis; the first one is of bin or bin_x.
static int add_axis(struct reading *r, struct curve_bin_axis *a, struct trj_error *err) {
    struct obs_histogram *h = &r->h;
    bool second = !strcmp(a->column, "bin_y");
    if (h->axes != second || a->bins > OBS_HISTOGRAM_BINS_MAX) {
        curve_bin_axis_free(a);
        return trj_fail(err, TRJ_BAD_DATA, "unexpected axis");
    }
    h->axis[h->axes++] = (struct obs_histogram_axis){a->name, a->unit, a->low, a->high, (size_t)a->bins, 0, -INFINITY};
    free(a->column);
    return 0;
}

// Reads the name of a column and its four counts.
static int read_values(struct reading *r, const char *text, struct trj_error *err) {
    struct obs_histogram_column c = {.name = NULL};
    char **field = NULL, *copy;
    size_t n;
    if (trj_table_after(text, "column\t")) return 0;
    if (!(copy = trj_copy_text(text, err))) return -1;
    int rc = trj_table_split(copy, &field, &n, err);
    if (!rc && !(n == 5 && obs_merge_count(field[1], &c.inside) && obs_merge_count(field[2], &c.outside[0]) &&
                 obs_merge_count(field[3], &c.outside[1]) && obs_merge_count(field[4], &c.undefined)))
        rc = trj_fail(err, TRJ_BAD_DATA, "invalid numbers of values");
    if (!rc) rc = trj_grow(&r->column, &r->capacity, r->columns + 1, sizeof *r->column, "columns", err);
    if (!rc && !(c.name = trj_copy_text(field[0], err))) rc = -1;
    if (!rc) r->column[r->columns++] = c;
    free(field);
    free(copy);
    return rc;
}

static int read_comment(struct reading *r, struct obs_comment *c, struct trj_error *err) {
    struct curve_bin_axis axis;
    if (trj_table_after(c->text, OBS_HISTOGRAM_DEFINITION)) return obs_histogram_add_definition(&r->h, c->text, err);
    int is_axis = curve_bin_axis_read(&axis, c->line, err);
    if (is_axis > 0) return add_axis(r, &axis, err);
    if (is_axis < 0) {
        curve_bin_axis_free(&axis);
        return -1;
    }
    const char *text = trj_table_after(c->text, OBS_HISTOGRAM_VALUES);
    if (text) return read_values(r, text, err);
    if ((text = trj_table_after(c->text, OBS_HISTOGRAM_TEMPERATURE))) {
        char number[64];
        snprintf(number, sizeof number, "%.*s", (int)strcspn(text, " "), text);
        if (!trj_parse_real(number, &r->h.temperature) || !(r->h.temperature > 0))
            return trj_fail(err, TRJ_BAD_DATA, "invalid temperature");
    }
    if ((text = trj_table_after(c->text, OBS_FRAMES)) && !(r->has_frames = obs_merge_count(text, &r->h.frames)))
        return trj_fail(err, TRJ_BAD_DATA, "invalid number of frames");
    return 0;
}

// ---------------------------------------------------------------------------------------------------------------- rows

static bool is_count_of(const char *name, const struct obs_histogram_column *c) {
    size_t n = strlen(c->name), start = strlen("values(");
    return !strncmp(name, "values(", start) && !strncmp(name + start, c->name, n) && !strcmp(name + start + n, ")");
}

// Finds the fields with counts from the names of the columns, which are the last comment before the rows.
static int find_counts(struct reading *r, const char *names, struct trj_error *err) {
    char **name = NULL, *copy;
    size_t found = 0;
    if (!r->has_frames || !r->h.axes || !r->columns || !r->h.definitions)
        return trj_fail(err, TRJ_BAD_DATA,
                        "is not a table of trjstat --hist or --hist2d, which --merge adds; give it "
                        "with all comments");
    if (!(copy = trj_copy_text(names, err))) return -1;
    int rc = trj_table_split(copy, &name, &r->fields, err);
    if (!rc) rc = (r->field = trj_alloc(r->columns, sizeof *r->field, "columns", err)) ? 0 : -1;
    for (size_t i = 0; !rc && i < r->fields; i++) {
        if (!strncmp(name[i], "se_", 3))
            rc = trj_fail(err, TRJ_BAD_DATA,
                          "contains standard errors, which cannot be added, because the blocks of "
                          "frames are not known; run trjstat --hist without --summary for each "
                          "segment");
        else if (found < r->columns && is_count_of(name[i], &r->column[found]))
            r->field[found++] = i;
    }
    free(name);
    free(copy);
    if (!rc && found < r->columns) rc = trj_fail(err, TRJ_BAD_DATA, "has no column values(%s)", r->column[found].name);
    if (!rc) rc = obs_histogram_open(&r->h, r->columns, err);
    if (rc) return -1;
    memcpy(r->h.column, r->column, r->columns * sizeof *r->column);
    r->columns = 0; // h owns the names
    return 0;
}

static int read_row(struct reading *r, const struct trj_lines *l, struct trj_error *err) {
    struct obs_histogram *h = &r->h;
    size_t cells = obs_histogram_cells(h), n;
    char **field;
    if (r->rows == cells) return trj_lines_fail(l, err, "more rows than bins, %zu", cells);
    if (trj_table_split(l->text, &field, &n, err)) return -1;
    bool valid = n == r->fields;
    for (unsigned i = 0; valid && i < h->axes; i++) {
        double centre, x = obs_histogram_centre(h, i, r->rows),
                       size = fmax(fabs(h->axis[i].low), fabs(h->axis[i].high));
        valid = trj_parse_real(field[i], &centre) && fabs(centre - x) <= 1e-9 * size;
    }
    for (size_t c = 0; valid && c < h->columns; c++)
        valid = obs_merge_count(field[r->field[c]], &h->count[c * cells + r->rows]);
    free(field);
    r->rows++;
    return valid ? 0 : trj_lines_fail(l, err, "the row is not that of bin %zu", r->rows - 1);
}

static int check_counts(const struct reading *r, struct trj_error *err) {
    const struct obs_histogram *h = &r->h;
    size_t cells = obs_histogram_cells(h);
    if (!r->rows)
        return trj_fail(err, TRJ_BAD_DATA,
                        "contains no rows: truncated; see the messages of the program that writes it");
    if (r->rows < cells)
        return trj_fail(err, TRJ_BAD_DATA, "truncated: expected a row for each of %zu bins, found %zu", cells, r->rows);
    for (size_t c = 0; c < h->columns; c++) {
        uint64_t sum = 0;
        for (size_t i = 0; i < cells; i++) sum += h->count[c * cells + i];
        if (sum != h->column[c].inside)
            return trj_fail(err, TRJ_BAD_DATA, "%s: expected %llu values in the bins, found %llu", h->column[c].name,
                            (unsigned long long)h->column[c].inside, (unsigned long long)sum);
    }
    return 0;
}

static int read_table(struct reading *r, struct obs_merge_table *t, struct trj_error *err) {
    int got;
    r->h.temperature = NAN;
    for (size_t i = 0; i < t->comments; i++)
        if (read_comment(r, &t->comment[i], err))
            return trj_fail_at(err, "line %llu", (unsigned long long)t->comment[i].number);
    while ((got = obs_merge_table_next(t, err)) > 0) {
        if (t->lines.text[0] == '#') continue;
        if ((!r->rows && find_counts(r, obs_merge_names(t), err)) || read_row(r, &t->lines, err)) return -1;
    }
    return got < 0 ? -1 : check_counts(r, err);
}

// ----------------------------------------------------------------------------------------------------------------- sum

static int fail_other(const char *what, const char *a, const char *b, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s is '%.300s', but '%.300s' in the tables before; add histograms of the same "
                    "expressions and options",
                    what, b, a);
}

static int check_same(const struct obs_histogram *a, const struct obs_histogram *b, struct trj_error *err) {
    const char *none = "", *first, *second;
    for (size_t i = 0; i < a->definitions || i < b->definitions; i++) {
        first = i < a->definitions ? a->definition[i] : none;
        second = i < b->definitions ? b->definition[i] : none;
        if (strcmp(first, second) != 0) return fail_other("a definition", first, second, err);
    }
    for (size_t i = 0; i < a->columns || i < b->columns; i++) {
        first = i < a->columns ? a->column[i].name : none;
        second = i < b->columns ? b->column[i].name : none;
        if (strcmp(first, second) != 0) return fail_other("a column", first, second, err);
    }
    bool same = a->axes == b->axes;
    for (unsigned i = 0; same && i < a->axes; i++) {
        const struct obs_histogram_axis *p = &a->axis[i], *q = &b->axis[i];
        same = p->bins == q->bins && p->low == q->low && p->high == q->high;
        if (!same)
            return trj_fail(err, TRJ_BAD_DATA,
                            "expected %zu bins from %.10g to %.10g, found %zu from %.10g to "
                            "%.10g; count with the same --range and --bins",
                            p->bins, p->low, p->high, q->bins, q->low, q->high);
    }
    if (!(a->temperature == b->temperature || (isnan(a->temperature) && isnan(b->temperature))))
        return trj_fail(err, TRJ_BAD_DATA, "expected the temperature %g K, found %g K; use the same --temperature",
                        a->temperature, b->temperature);
    return 0;
}

static void add(struct obs_histogram *sum, const struct obs_histogram *h) {
    size_t values = h->columns * obs_histogram_cells(h);
    sum->frames += h->frames;
    for (size_t i = 0; i < values; i++) sum->count[i] += h->count[i];
    for (size_t c = 0; c < h->columns; c++) {
        sum->column[c].inside += h->column[c].inside;
        sum->column[c].undefined += h->column[c].undefined;
        for (int i = 0; i < 2; i++) sum->column[c].outside[i] += h->column[c].outside[i];
    }
}

static int add_table(struct obs_histogram *sum, struct obs_merge_table *t, struct trj_error *err) {
    struct reading r = {.rows = 0};
    int rc = read_table(&r, t, err);
    if (!rc && sum->columns) rc = check_same(sum, &r.h, err);
    if (!rc && sum->columns) rc = obs_merge_check_reference(t, err);
    if (rc) {
        trj_fail_at(err, "%s", trj_input_name(t->in));
    } else if (sum->columns) {
        add(sum, &r.h);
    } else {
        *sum = r.h;
        r.h = (struct obs_histogram){0};
    }
    free_reading(&r);
    return rc;
}

int obs_histogram_merge(struct obs_merging *m, struct obs_merge_table *first, struct trj_error *err) {
    struct obs_histogram sum = {.axes = 0};
    int rc = add_table(&sum, first, err);
    for (size_t i = 1; !rc && i < m->count; i++) {
        struct obs_merge_table table;
        rc = obs_merge_table_open(&table, m, i, err);
        if (!rc) rc = add_table(&sum, &table, err);
        obs_merge_table_close(&table);
    }
    if (!rc && m->npy && sum.axes == 1) rc = obs_merge_fail_npy(err);
    if (!rc) {
        obs_merge_begin(m);
        obs_histogram_note(&sum, m->note);
        rc = m->npy ? obs_histogram_write_npy(&sum, m->table.out, err) : obs_histogram_write(&sum, NULL, &m->table);
    }
    obs_histogram_free(&sum);
    return rc;
}
