// SPDX-License-Identifier: MIT
// Verifies that tables with exact sums are complete, and that their rows are consistent.
#include "sums_reader.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "input.h"
#include "memory.h"
#include "number.h"
#include "sums.h"
#include "table_reader.h"

int obs_sums_reader_begin(struct obs_sums_reader *r, uint64_t *all, struct trj_error *err) {
    const char *frames = obs_merge_find(&r->table, OBS_FRAMES);
    if (!frames || !obs_merge_count(frames, &r->frames) || !r->frames)
        return trj_fail(err, TRJ_BAD_DATA, "has no valid number of frames; give it with all comments");
    *all += r->frames;
    return *all <= UINT64_C(1) << OBS_MERGE_FRAMES_MAX_LOG ? 0 : trj_fail(err, TRJ_BAD_DATA, "too many frames");
}

// Reads the comment after the last row, after which nothing may follow.
static int read_end(struct obs_sums_reader *r, struct trj_error *err) {
    const struct trj_lines *l = &r->table.lines;
    const char *rows = trj_table_after(l->text, "# " OBS_ROWS);
    uint64_t count;
    if (!rows || !trj_parse_u64(rows, &count))
        return trj_lines_fail(l, err, "a comment after the first row; give each table as a file of its own");
    if (count != r->rows)
        return trj_lines_fail(l, err, "expected %llu rows, found %llu", (unsigned long long)count,
                              (unsigned long long)r->rows);
    r->ended = true;
    int got = obs_merge_table_next(&r->table, err);
    return got > 0 ? trj_lines_fail(l, err, "a line after the end of the table; give each table as a file of its own")
                   : got;
}

int obs_sums_reader_next(struct obs_sums_reader *r, size_t fields, struct trj_error *err) {
    const struct trj_lines *l = &r->table.lines;
    int got = obs_merge_table_next(&r->table, err);
    if (got < 0) return -1;
    if (!got)
        return trj_fail(err, TRJ_BAD_DATA, "truncated after %llu rows; see the messages of the program that writes it",
                        (unsigned long long)r->rows);
    if (l->text[0] == '#') return read_end(r, err);
    obs_sums_reader_free(r);
    if (!(r->text = trj_copy_text(l->text, err)) || trj_table_split(r->text, &r->field, &r->fields, err)) return -1;
    if (r->fields != fields) return trj_lines_fail(l, err, "expected %zu fields, found %zu", fields, r->fields);
    r->rows++;
    return 0;
}

int obs_sums_reader_fail_row(const struct obs_sums_reader *r, struct trj_error *err) {
    return trj_lines_fail(&r->table.lines, err, "damaged: the sums are invalid, or not those of the values in the row");
}

int obs_sums_reader_fail_at(const struct obs_sums_reader *r, struct trj_error *err) {
    return trj_fail_at(err, "%s", trj_input_name(r->table.in));
}

void obs_sums_reader_free(struct obs_sums_reader *r) {
    free(r->field);
    free(r->text);
    r->field = NULL;
    r->text = NULL;
}

bool obs_sums_is_value(const char *field, double value) {
    char text[TRJ_DECIMAL_CAPACITY + 1];
    if (isnan(value)) value = NAN; // as trj_table_real
    text[trj_print_general(text, OBS_SUM_DIGITS, value)] = 0;
    return !strcmp(field, text);
}
