// SPDX-License-Identifier: MIT
// Joins tables with a row for each frame, in the order in which they are given, so that the rows of segments are those
// of a run over all frames.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input.h"
#include "memory.h"
#include "number.h"
#include "summary.h"
#include "table_merge.h"
#include "table_reader.h"

enum { FRAME, TIME, VALUES }; // columns

struct joined {
    char *names_text, **names; // [columns]
    size_t columns;
    uint64_t *undefined; // [columns] values that are NaN
    uint64_t frames;
    double last_time; // of the tables before; NaN: unknown
};

static int open_joined(struct joined *j, const struct obs_merge_table *first, struct trj_error *err) {
    if (!(j->names_text = trj_copy_text(obs_merge_names(first), err)) ||
        trj_table_split(j->names_text, &j->names, &j->columns, err))
        return -1;
    if (j->columns < VALUES || strcmp(j->names[FRAME], "frame") != 0 || strcmp(j->names[TIME], "time") != 0)
        return trj_fail(err, TRJ_BAD_DATA, "has no columns frame and time; give it with all comments");
    return (j->undefined = trj_alloc(j->columns, sizeof *j->undefined, "columns", err)) ? 0 : -1;
}

static void close_joined(struct joined *j) {
    free(j->names_text);
    free(j->names);
    free(j->undefined);
}

// Reads a field, which may be "nan" or infinite.
static bool parse_value(const char *text, double *value) {
    *value = !strcmp(text, "nan") ? NAN : !strcmp(text, "inf") ? INFINITY : !strcmp(text, "-inf") ? -INFINITY : 0;
    return *value != 0 || trj_parse_real(text, value);
}

// Checks a row, and adds it to the numbers of the tables. Sets *time.
static int read_row(struct joined *j, const struct trj_lines *l, double *time, struct trj_error *err) {
    char *copy = trj_copy_text(l->text, err), **field = NULL;
    size_t n;
    uint64_t frame;
    double value;
    int rc = copy ? trj_table_split(copy, &field, &n, err) : -1;
    if (!rc && n != j->columns) rc = trj_lines_fail(l, err, "expected %zu fields, found %zu", j->columns, n);
    if (!rc && !trj_parse_u64(field[FRAME], &frame))
        rc = trj_lines_fail(l, err, "invalid number of a frame '%.60s'", field[FRAME]);
    for (size_t i = TIME; !rc && i < n; i++) {
        if (!parse_value(field[i], &value))
            rc = trj_lines_fail(l, err, "invalid number '%.60s' in column %.200s", field[i], j->names[i]);
        else if (i == TIME)
            *time = value;
        else
            j->undefined[i] += isnan(value) ? 1 : 0;
    }
    free(field);
    free(copy);
    if (!rc) j->frames++;
    return rc;
}

static int fail_comment(const struct trj_lines *l, struct trj_error *err) {
    if (trj_table_after(l->text, "# summary: "))
        return trj_lines_fail(l, err,
                              "a summary of one segment, which cannot be added to others; leave --summary out for "
                              "segments, or give all frames to one run");
    return trj_lines_fail(l, err, "a comment after the first row; give each table as a file of its own");
}

static void note_order(const struct obs_merging *m, const struct obs_merge_table *t, double time, double last) {
    char text[600];
    if (!(time <= last)) return; // also if one of them is NaN
    snprintf(text, sizeof text,
             "note: %.400s begins at %.9g ps, but the tables before end at %.9g ps; give segments in their order",
             trj_input_name(t->in), time, last);
    m->note(text);
}

static int join(struct joined *j, struct obs_merging *m, struct obs_merge_table *t, struct trj_error *err) {
    double time = NAN;
    bool any = false;
    int got;
    while ((got = obs_merge_table_next(t, err)) > 0) {
        if (t->lines.text[0] == '#') return fail_comment(&t->lines, err);
        if (read_row(j, &t->lines, &time, err)) return -1;
        if (!any) note_order(m, t, time, j->last_time);
        any = true;
        trj_table_text(&m->table, "%s", t->lines.text);
        if (trj_table_end_row(&m->table)) return -1;
    }
    if (any) j->last_time = time;
    return got;
}

// Finds out whether all tables belong together, before anything is written.
static int check_tables(struct obs_merging *m, struct obs_merge_table *table, struct trj_error *err) {
    for (size_t i = 1; i < m->count; i++) {
        if (obs_merge_table_open(&table[i], m, i, err)) return -1;
        if (obs_merge_compare(&table[0], 0, &table[i], 0, err) || obs_merge_check_reference(&table[i], err))
            return trj_fail_at(err, "%s", trj_input_name(table[i].in));
    }
    return 0;
}

static int write_joined(struct joined *j, struct obs_merging *m, struct obs_merge_table *table, struct trj_error *err) {
    if (open_joined(j, &table[0], err)) return trj_fail_at(err, "%s", trj_input_name(table[0].in));
    obs_merge_begin(m);
    for (size_t i = 0; i + 1 < table[0].comments; i++) trj_table_comment(&m->table, "%s", table[0].comment[i].text);
    for (size_t i = 0; i < j->columns; i++) trj_table_name(&m->table, "%s", j->names[i]);
    if (trj_table_end_row(&m->table)) return -1;
    for (size_t i = 0; i < m->count; i++)
        if (join(j, m, &table[i], err)) return trj_fail_at(err, "%s", trj_input_name(table[i].in));
    obs_undefined_note_columns(j->names + VALUES, j->undefined + VALUES, j->columns - VALUES, j->frames, m->note);
    return 0;
}

int obs_series_merge(struct obs_merging *m, struct obs_merge_table *first, struct trj_error *err) {
    struct joined joined = {.last_time = NAN};
    struct obs_merge_table *table = trj_alloc(m->count, sizeof *table, "tables", err);
    if (!table) return -1;
    table[0] = *first;
    int rc = m->npy ? obs_merge_fail_npy(err) : check_tables(m, table, err);
    if (!rc) rc = write_joined(&joined, m, table, err);
    *first = table[0];
    for (size_t i = 1; i < m->count; i++) obs_merge_table_close(&table[i]);
    close_joined(&joined);
    free(table);
    return rc;
}
