// SPDX-License-Identifier: MIT
// Adds tables with exact sums, row by row, so that memory does not depend on the number of rows.
#include "sums.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "sums_reader.h"
#include "table_merge.h"
#include "table_reader.h"

static const struct obs_sum_kind *const kinds[] = {&obs_fluctuation_sums, &obs_contact_sums, &obs_distance_sums};

// One of the tables, with its current row.
struct source {
    struct obs_sums_reader rows;
    trj_wide sum[OBS_SUMS_MAX];
    uint64_t key[2]; // numbers of a pair, by which rows are found unless all tables have the same
};

struct adding {
    const struct obs_sum_kind *kind;
    struct source *source; // [sources]
    size_t sources;
    size_t fields, keys; // columns in all; columns before the sums
    size_t second;       // column of the number of the second part of a pair
    uint64_t frames;     // of all tables
    uint64_t rows;       // written
};

// ---------------------------------------------------------------------------------------------------------------- rows

// Reads the sums of a row, from which its values must follow.
static bool parse_row(const struct adding *a, struct source *s) {
    const struct obs_sum_kind *kind = a->kind;
    char *const *field = s->rows.field;
    double value[OBS_SUM_VALUES_MAX];
    for (size_t i = 0; i < kind->sums; i++)
        if (!trj_wide_parse(field[a->keys + i], &s->sum[i])) return false;
    if (!kind->is_valid(s->sum, s->rows.frames)) return false;
    kind->evaluate(value, s->sum, s->rows.frames);
    for (size_t i = 0; i < kind->values; i++)
        if (!obs_sums_is_value(field[a->keys + kind->sums + i], value[i])) return false;
    return kind->same_rows || (trj_parse_u64(field[0], &s->key[0]) && trj_parse_u64(field[a->second], &s->key[1]));
}

static int compare_keys(const uint64_t *x, const uint64_t *y) {
    if (x[0] != y[0]) return x[0] < y[0] ? -1 : 1;
    return x[1] < y[1] ? -1 : x[1] > y[1];
}

// Reads the next row, or the end of the table.
static int read_row(const struct adding *a, struct source *s, struct trj_error *err) {
    const uint64_t last[] = {s->key[0], s->key[1]};
    if (obs_sums_reader_next(&s->rows, a->fields, err)) return -1;
    if (s->rows.ended) return 0;
    if (!parse_row(a, s)) return obs_sums_reader_fail_row(&s->rows, err);
    if (!a->kind->same_rows && s->rows.rows > 1 && compare_keys(last, s->key) >= 0)
        return trj_lines_fail(&s->rows.table.lines, err, "the numbers of the pair do not ascend");
    return 0;
}

// Returns the source with the first of the current rows, or NULL.
static struct source *find_first(const struct adding *a) {
    struct source *first = NULL;
    for (struct source *s = a->source; s < a->source + a->sources; s++)
        if (!s->rows.ended && (!first || (!a->kind->same_rows && compare_keys(s->key, first->key) < 0))) first = s;
    return first;
}

// Returns whether the current row of a source has the same atoms or residues as another one.
static bool is_same(const struct adding *a, const struct source *x, const struct source *y) {
    for (size_t i = 0; i < a->keys; i++)
        if (strcmp(x->rows.field[i], y->rows.field[i]) != 0) return false;
    return true;
}

// Writes the row of `first`, added to the same rows of the sources after it.
static int add_row(struct adding *a, struct source *first, struct trj_table *t, struct trj_error *err) {
    trj_wide sum[OBS_SUMS_MAX];
    uint64_t frames = 0;
    for (struct source *s = a->source; s < a->source + a->sources; s++) {
        if (!a->kind->same_rows && (s->rows.ended || compare_keys(s->key, first->key) != 0)) continue;
        if (s->rows.ended || !is_same(a, s, first)) {
            trj_fail(err, TRJ_BAD_DATA,
                     "row %llu is not of the same atoms or residues as in the tables before; merge tables of the same "
                     "selections",
                     (unsigned long long)a->rows);
            return obs_sums_reader_fail_at(&s->rows, err);
        }
        if (!frames)
            memcpy(sum, s->sum, sizeof sum);
        else if (!a->kind->add(sum, frames, s->sum, s->rows.frames))
            return trj_fail(err, TRJ_BAD_DATA, "the sums are too large to be added");
        frames += s->rows.frames;
    }
    for (size_t i = 0; i < a->keys; i++) trj_table_text(t, "%s", first->rows.field[i]);
    if (obs_sums_end_row(a->kind, sum, a->frames, t)) return -1;
    a->rows++;
    // `first` is read last, as the others are compared with it.
    const uint64_t key[] = {first->key[0], first->key[1]};
    for (struct source *s = a->source; s < a->source + a->sources; s++)
        if (!s->rows.ended && (a->kind->same_rows || !compare_keys(s->key, key)) && read_row(a, s, err))
            return obs_sums_reader_fail_at(&s->rows, err);
    return 0;
}

// ---------------------------------------------------------------------------------------------------------------- head

static int find_kind(struct adding *a, const struct obs_merge_table *t, struct trj_error *err) {
    const char *name = obs_merge_find(t, OBS_SUMS);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t n = strlen(kinds[i]->name);
        if (!strncmp(name, kinds[i]->name, n) && name[n] == ':') a->kind = kinds[i];
    }
    return a->kind ? 0 : trj_fail(err, TRJ_BAD_DATA, "has unknown sums; use a newer version of trjstat");
}

// Finds the columns from their names.
static int find_columns(struct adding *a, const struct obs_merge_table *t, struct trj_error *err) {
    const struct obs_sum_kind *kind = a->kind;
    char *copy = trj_copy_text(obs_merge_names(t), err), **name = NULL;
    int rc = copy ? trj_table_split(copy, &name, &a->fields, err) : -1;
    bool valid = !rc && a->fields > kind->values + kind->sums;
    for (size_t i = 0; valid && i < kind->sums; i++)
        valid = !strcmp(name[a->fields - kind->sums - kind->values + i], kind->column[i].name);
    for (size_t i = 0; valid && i < a->fields; i++)
        if (!strcmp(name[i], "atom_b") || !strcmp(name[i], "residue_b")) a->second = i;
    if (!rc && (!valid || (!kind->same_rows && !a->second)))
        rc = trj_fail(err, TRJ_BAD_DATA, "lacks columns of sums of %s; give it with all comments", kind->name);
    if (!rc) a->keys = a->fields - kind->values - kind->sums;
    free(name);
    free(copy);
    return rc;
}

static int begin_source(struct adding *a, struct source *s, struct trj_error *err) {
    const struct obs_merge_table *first = &a->source->rows.table;
    if (s != a->source && obs_merge_compare(first, 0, &s->rows.table, 0, err)) return -1;
    if (obs_sums_reader_begin(&s->rows, &a->frames, err)) return -1;
    return read_row(a, s, err);
}

static int open_sources(struct adding *a, struct obs_merging *m, struct trj_error *err) {
    if (find_kind(a, &a->source->rows.table, err) || find_columns(a, &a->source->rows.table, err))
        return obs_sums_reader_fail_at(&a->source->rows, err);
    for (a->sources = 0; a->sources < m->count; a->sources++) {
        struct source *s = &a->source[a->sources];
        if (a->sources && obs_merge_table_open(&s->rows.table, m, a->sources, err)) return -1;
        if (begin_source(a, s, err)) return obs_sums_reader_fail_at(&s->rows, err);
    }
    return 0;
}

static int write_head(const struct adding *a, struct trj_table *t) {
    const struct obs_merge_table *first = &a->source->rows.table;
    for (size_t i = 0; i + 1 < first->comments; i++)
        if (trj_table_after(first->comment[i].text, OBS_FRAMES))
            trj_table_comment(t, OBS_FRAMES "%llu", (unsigned long long)a->frames);
        else
            trj_table_comment(t, "%s", first->comment[i].text);
    trj_table_comment(t, "%s", obs_merge_names(first));
    return trj_table_status(t);
}

int obs_sums_merge(struct obs_merging *m, struct obs_merge_table *first, struct trj_error *err) {
    struct adding a = {.source = trj_alloc(m->count, sizeof *a.source, "tables", err)};
    struct source *s;
    if (!a.source) return -1;
    a.source->rows.table = *first;
    int rc = m->npy ? obs_merge_fail_npy(err) : open_sources(&a, m, err);
    if (!rc) {
        obs_merge_begin(m);
        rc = write_head(&a, &m->table);
    }
    while (!rc && (s = find_first(&a))) rc = add_row(&a, s, &m->table, err);
    if (!rc) rc = obs_sums_end(a.rows, &m->table);
    *first = a.source->rows.table;
    for (size_t i = 0; i < m->count; i++) {
        obs_sums_reader_free(&a.source[i].rows);
        if (i) obs_merge_table_close(&a.source[i].rows.table);
    }
    free(a.source);
    return rc;
}
