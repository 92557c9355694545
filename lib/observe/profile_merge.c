// SPDX-License-Identifier: MIT
// Adds profiles with exact sums, bin by bin: the bins of all segments are equal.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "memory.h"
#include "number.h"
#include "profile_table.h"
#include "sums.h"
#include "sums_reader.h"
#include "table_reader.h"

enum { POSITION, VALUES }; // columns
enum { BINS_FIELDS = 7 };  // of the comment OBS_PROFILE_BINS

// One of the tables, with its current row.
struct source {
    struct obs_sums_reader rows;
    struct obs_profile_bins bins;
    char *about; // memory of bins.about
    trj_wide length;
    trj_wide *sum; // [fields] sums and counts of the row, in their columns
};

struct adding {
    struct source *source; // [sources]
    size_t sources;
    // The columns: a value is followed by its sum, and values that are means over molecules by the number of these.
    enum kind { HEAD, VALUE, SUM, COUNT } * kind; // [fields]
    size_t *weight;                               // [fields] of a value: column of the number; 0: the number of frames
    char *names, **name;                          // [fields] in names
    size_t fields;
    struct obs_profile_bins bins; // of all tables
    trj_wide length;
};

// ---------------------------------------------------------------------------------------------------------------- head

// Sets all but s->about.
static bool parse_bins(struct source *s, char *const *field, bool about) {
    struct obs_profile_bins *p = &s->bins;
    const struct trj_choice *word = obs_profile_words;
    uint64_t bins, outside;
    double extent;
    while (word->name && strcmp(word->name, field[0]) != 0) word++;
    if (!word->name || !trj_parse_u64(field[1], &bins) || !bins || bins > OBS_HISTOGRAM_BINS_MAX ||
        !trj_parse_real(field[2], &extent) || extent < 0 || !trj_parse_real(field[3], &p->limit) || p->limit < 0 ||
        !trj_wide_parse(field[4], &s->length) || s->length < 0 || !obs_merge_count(field[5], &outside) || !*field[6])
        return false;
    if (!(p->limit > 0)) p->limit = INFINITY;
    // A frame with a smaller cell is rejected, so that no bin is left out.
    if (about && !(extent > 0 && extent <= p->limit * (1 + 1e-9))) return false;
    p->word = word->name;
    p->length = (double)s->length * OBS_PROFILE_UNIT;
    p->outside = (double)outside;
    obs_profile_geometry_set(&p->geometry, p->word, about, extent, (size_t)bins);
    return true;
}

// Reads the bins, which are the second comment of that kind.
static int read_bins(struct source *s, struct trj_error *err) {
    const struct obs_merge_table *t = &s->rows.table;
    const char *text = NULL;
    for (size_t i = 0; i < t->comments; i++) {
        const char *found = trj_table_after(t->comment[i].text, OBS_PROFILE_BINS);
        if (found) text = found;
    }
    char *copy = trj_copy_text(text ? text : "", err), **field = NULL;
    size_t n;
    int rc = copy ? trj_table_split(copy, &field, &n, err) : -1;
    const bool about = !rc && n == BINS_FIELDS && strcmp(field[n - 1], "none") != 0;
    if (!rc && (n != BINS_FIELDS || !parse_bins(s, field, about)))
        rc = trj_fail(err, TRJ_BAD_DATA, "has no valid bins; give it with all comments");
    if (!rc && about && !(s->bins.about = s->about = trj_copy_text(field[n - 1], err))) rc = -1;
    free(field);
    free(copy);
    return rc;
}

static bool is_sum_of(const char *sum, const char *name) {
    const char *rest = trj_table_after(sum, "sum_");
    return rest && !strcmp(rest, name);
}

// Finds the kinds of the columns from their names.
static int find_columns(struct adding *a, const struct obs_merge_table *t, struct trj_error *err) {
    if (!(a->names = trj_copy_text(obs_merge_names(t), err)) || trj_table_split(a->names, &a->name, &a->fields, err) ||
        !(a->kind = trj_alloc(a->fields, sizeof *a->kind, "columns", err)) ||
        !(a->weight = trj_alloc(a->fields, sizeof *a->weight, "columns", err)))
        return -1;
    bool valid = a->fields > VALUES;
    for (size_t i = VALUES; i < a->fields; i++) {
        if (i + 1 < a->fields && is_sum_of(a->name[i + 1], a->name[i])) {
            a->kind[i] = VALUE;
            a->kind[++i] = SUM;
        } else {
            a->kind[i] = COUNT;
            valid = valid && i > VALUES;
        }
    }
    for (size_t i = a->fields, count = 0; i-- > VALUES;) {
        const bool mean = trj_table_after(a->name[i], "P1(") || trj_table_after(a->name[i], "P2(");
        if (a->kind[i] == COUNT) count = i;
        if (a->kind[i] == VALUE && mean) a->weight[i] = count;
        valid = valid && (a->kind[i] != VALUE || !mean || count);
    }
    return valid ? 0 : trj_fail(err, TRJ_BAD_DATA, "lacks columns of sums of profiles; give it with all comments");
}

static bool have_same_bins(const struct obs_profile_bins *p, const struct obs_profile_bins *q) {
    return p->word == q->word && p->geometry.bins == q->geometry.bins && p->geometry.extent == q->geometry.extent &&
           !p->about == !q->about && (!p->about || !strcmp(p->about, q->about));
}

// Returns the number of the first comment that tables must have in common: those before describe the bins.
static size_t first_common(const struct obs_merge_table *t) {
    size_t first = 0;
    for (size_t i = 0; i < t->comments; i++)
        if (trj_table_after(t->comment[i].text, OBS_PROFILE_BINS)) first = i + 1;
    return first;
}

// ---------------------------------------------------------------------------------------------------------------- rows

static double weight_of(const struct adding *a, size_t column, const trj_wide *sum, uint64_t frames) {
    return a->weight[column] ? (double)sum[a->weight[column]] : (double)frames;
}

static bool parse_row(const struct adding *a, struct source *s) {
    char *const *field = s->rows.field;
    const size_t bin = (size_t)s->rows.rows - 1;
    if (bin >= s->bins.geometry.bins || !obs_sums_is_value(field[POSITION], obs_profile_position(&s->bins, bin)))
        return false;
    for (size_t i = VALUES; i < a->fields; i++) {
        uint64_t count;
        if (a->kind[i] == SUM && !trj_wide_parse(field[i], &s->sum[i])) return false;
        if (a->kind[i] == COUNT && !obs_merge_count(field[i], &count)) return false;
        if (a->kind[i] == COUNT) s->sum[i] = (trj_wide)count;
    }
    for (size_t i = VALUES; i < a->fields; i++)
        if (a->kind[i] == VALUE &&
            !obs_sums_is_value(field[i], obs_profile_mean(s->sum[i + 1], weight_of(a, i, s->sum, s->rows.frames))))
            return false;
    return true;
}

static int read_row(const struct adding *a, struct source *s, struct trj_error *err) {
    if (obs_sums_reader_next(&s->rows, a->fields, err)) return -1;
    return s->rows.ended || parse_row(a, s) ? 0 : obs_sums_reader_fail_row(&s->rows, err);
}

static int begin_source(struct adding *a, struct source *s, struct trj_error *err) {
    const struct obs_merge_table *first = &a->source->rows.table, *t = &s->rows.table;
    struct obs_profile_bins *all = &a->bins;
    if (read_bins(s, err) || (s == a->source && find_columns(a, t, err))) return -1;
    if (!have_same_bins(&a->source->bins, &s->bins))
        return trj_fail(err, TRJ_BAD_DATA,
                        "has other bins than the tables before; give all runs the same --profile, --bins, --about and "
                        "--extent");
    if (obs_merge_compare(first, first_common(first), t, first_common(t), err) ||
        obs_sums_reader_begin(&s->rows, &all->frames, err))
        return -1;
    s->bins.frames = s->rows.frames;
    if (!(s->sum = trj_alloc(a->fields, sizeof *s->sum, "sums", err))) return -1;
    all->limit = fmin(all->limit, s->bins.limit);
    all->outside += s->bins.outside;
    if (!trj_wide_add(&a->length, a->length, s->length)) return trj_fail(err, TRJ_BAD_DATA, "too long cells");
    return read_row(a, s, err);
}

static int open_sources(struct adding *a, struct obs_merging *m, struct trj_error *err) {
    for (a->sources = 0; a->sources < m->count; a->sources++) {
        struct source *s = &a->source[a->sources];
        if (a->sources && obs_merge_table_open(&s->rows.table, m, a->sources, err)) return -1;
        if (begin_source(a, s, err)) return obs_sums_reader_fail_at(&s->rows, err);
    }
    const struct obs_profile_bins *first = &a->source->bins;
    a->bins.geometry = first->geometry;
    a->bins.word = first->word;
    a->bins.about = first->about;
    a->bins.length = (double)a->length * OBS_PROFILE_UNIT;
    return 0;
}

// Adds the rows of a bin, and reads the next ones.
static int add_bin(struct adding *a, trj_wide *sum, struct trj_error *err) {
    memset(sum, 0, a->fields * sizeof *sum);
    for (struct source *s = a->source; s < a->source + a->sources; s++) {
        if (s->rows.ended) {
            trj_fail(err, TRJ_BAD_DATA, "truncated: expected a row for each of %zu bins, found %llu",
                     a->bins.geometry.bins, (unsigned long long)s->rows.rows);
            return obs_sums_reader_fail_at(&s->rows, err);
        }
        for (size_t i = VALUES; i < a->fields; i++)
            if (!trj_wide_add(&sum[i], sum[i], s->sum[i]))
                return trj_fail(err, TRJ_BAD_DATA, "the sums are too large to be added");
        if (read_row(a, s, err)) return obs_sums_reader_fail_at(&s->rows, err);
    }
    return 0;
}

static int write_row(const struct adding *a, size_t bin, const trj_wide *sum, struct trj_table *t) {
    trj_table_real(t, OBS_SUM_DIGITS, obs_profile_position(&a->bins, bin));
    for (size_t i = VALUES; i < a->fields; i++) {
        if (a->kind[i] == VALUE) obs_profile_print(sum[i + 1], weight_of(a, i, sum, a->bins.frames), t);
        if (a->kind[i] == COUNT) trj_table_count(t, (uint64_t)sum[i]);
    }
    return trj_table_end_row(t);
}

static int write_rows(struct adding *a, struct trj_table *t, struct trj_error *err) {
    const size_t bins = a->bins.geometry.bins;
    trj_wide *sum = trj_alloc(a->fields, sizeof *sum, "sums", err);
    int rc = sum ? 0 : -1;
    for (size_t b = 0; !rc && b < bins; b++) {
        rc = add_bin(a, sum, err);
        if (!rc) rc = write_row(a, b, sum, t);
    }
    free(sum);
    return rc ? rc : obs_sums_end(bins, t);
}

static void write_head(const struct adding *a, struct trj_table *t) {
    const struct obs_merge_table *first = &a->source->rows.table;
    obs_profile_comment(&a->bins, t);
    obs_profile_bins_write(&a->bins, a->length, t);
    for (size_t i = first_common(first); i < first->comments; i++) trj_table_comment(t, "%s", first->comment[i].text);
}

int obs_profile_merge(struct obs_merging *m, struct obs_merge_table *first, struct trj_error *err) {
    struct adding a = {.source = trj_alloc(m->count, sizeof *a.source, "tables", err), .bins.limit = INFINITY};
    if (!a.source) return -1;
    a.source->rows.table = *first;
    int rc = m->npy ? obs_merge_fail_npy(err) : open_sources(&a, m, err);
    if (!rc) {
        obs_merge_begin(m);
        write_head(&a, &m->table);
        rc = write_rows(&a, &m->table, err);
    }
    *first = a.source->rows.table;
    for (size_t i = 0; i < m->count; i++) {
        obs_sums_reader_free(&a.source[i].rows);
        free(a.source[i].about);
        free(a.source[i].sum);
        if (i) obs_merge_table_close(&a.source[i].rows.table);
    }
    free(a.source);
    free(a.names);
    free(a.name);
    free(a.kind);
    free(a.weight);
    return rc;
}
