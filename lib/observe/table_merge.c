// SPDX-License-Identifier: MIT
// Reads the comments of tables, by which --merge finds what they contain and whether they belong together.
#include "table_merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "input.h"
#include "memory.h"
#include "number.h"
#include "segment_note.h"
#include "sums.h"
#include "table_reader.h"

// -------------------------------------------------------------------------------------------------------------- tables

static int add_comment(struct obs_merge_table *t, struct trj_error *err) {
    const struct trj_lines *l = &t->lines;
    if (trj_grow(&t->comment, &t->capacity, t->comments + 1, sizeof *t->comment, "comments", err)) return -1;
    struct obs_comment *c = &t->comment[t->comments];
    *c = (struct obs_comment){.line = trj_copy_text(l->text, err), .number = l->number};
    if (!c->line) return -1;
    c->text = c->line + 1 + (c->line[1] == ' ');
    t->comments++;
    return 0;
}

static int read_comments(struct obs_merge_table *t, struct obs_merging *m, struct trj_error *err) {
    int got;
    uint32_t unused;
    while ((got = trj_table_next_line(&t->lines, err)) > 0) {
        const char *provenance = trj_table_after(t->lines.text, TRJ_PROVENANCE_MARK);
        if (t->lines.text[0] != '#' || trj_table_after(t->lines.text, "# " OBS_ROWS)) break;
        if (provenance ? trj_text_index_add(&m->index, provenance, &unused, err) : add_comment(t, err)) return -1;
    }
    t->again = got > 0;
    return got < 0 ? -1 : 0;
}

int obs_merge_table_open(struct obs_merge_table *t, struct obs_merging *m, size_t file, struct trj_error *err) {
    const size_t lines = m->lines.count;
    char text[600];
    *t = (struct obs_merge_table){.in = NULL};
    if (trj_input_open(&t->in, m->files[file], err)) return -1;
    t->lines.in = t->in;
    if (read_comments(t, m, err)) return trj_fail_at(err, "%s", trj_input_name(t->in));
    if (!file || m->lines.count > lines) return 0;
    snprintf(text, sizeof text,
             "note: %.400s has no other provenance than the tables before: its frames may be counted twice",
             trj_input_name(t->in));
    m->note(text);
    return 0;
}

void obs_merge_table_close(struct obs_merge_table *t) {
    for (size_t i = 0; i < t->comments; i++) free(t->comment[i].line);
    free(t->comment);
    trj_input_close(t->in);
    *t = (struct obs_merge_table){.in = NULL};
}

int obs_merge_table_next(struct obs_merge_table *t, struct trj_error *err) {
    const int got = t->again ? 1 : trj_table_next_line(&t->lines, err);
    t->again = false;
    // The last number of a table may have lost digits.
    if (got > 0 && !trj_lines_has_newline(&t->lines))
        return trj_lines_fail(&t->lines, err, "truncated: the last line has no end");
    return got;
}

const char *obs_merge_find(const struct obs_merge_table *t, const char *start) {
    const char *found = NULL;
    for (size_t i = 0; !found && i < t->comments; i++) found = trj_table_after(t->comment[i].text, start);
    return found;
}

const char *obs_merge_names(const struct obs_merge_table *t) {
    return t->comments ? t->comment[t->comments - 1].text : "";
}

bool obs_merge_count(const char *text, uint64_t *value) {
    return trj_parse_u64(text, value) && *value <= UINT64_C(1) << OBS_MERGE_FRAMES_MAX_LOG;
}

// ---------------------------------------------------------------------------------------------------------- comparison

// Returns the number of the next comment that is compared.
static size_t next_compared(const struct obs_merge_table *t, size_t i) {
    while (i < t->comments && trj_table_after(t->comment[i].text, OBS_FRAMES)) i++;
    return i;
}

int obs_merge_compare(const struct obs_merge_table *a, size_t from_a, const struct obs_merge_table *b, size_t from_b,
                      struct trj_error *err) {
    size_t i = next_compared(a, from_a), k = next_compared(b, from_b);
    for (; i < a->comments || k < b->comments; i = next_compared(a, i + 1), k = next_compared(b, k + 1)) {
        const char *x = i < a->comments ? a->comment[i].text : "", *y = k < b->comments ? b->comment[k].text : "";
        if (strcmp(x, y) != 0)
            return trj_fail(err, TRJ_BAD_DATA,
                            "a comment is '%.300s', but '%.300s' in %.200s; merge tables of the same expressions, "
                            "atoms and options",
                            y, x, trj_input_name(a->in));
    }
    return 0;
}

int obs_merge_check_reference(const struct obs_merge_table *t, struct trj_error *err) {
    const size_t end = strlen(OBS_FIRST);
    for (size_t i = 0; i < t->comments; i++) {
        const char *text = t->comment[i].text, *rest = trj_table_after(text, OBS_HISTOGRAM_DEFINITION);
        size_t n = strlen(text);
        if (n < end || strcmp(text + n - end, OBS_FIRST) != 0) continue;
        if (rest) text = rest;
        return trj_fail(err, TRJ_BAD_DATA,
                        "%.*s: the reference is the first frame of each segment, so that values of different segments "
                        "do not belong together; give all runs the same reference=FILE",
                        (int)strcspn(text, ":"), text);
    }
    return 0;
}

// --------------------------------------------------------------------------------------------------------------- merge

int obs_merge_fail_npy(struct trj_error *err) {
    return trj_fail(err, TRJ_USAGE,
                    "--output: the name ends with .npy, but of the tables of --merge, only those of --hist2d give "
                    "arrays of NumPy; give a table another name");
}

void obs_merge_begin(struct obs_merging *m) {
    char segments[TRJ_SEGMENT_NOTE];
    m->note(trj_segment_note(segments, m->lines.text, m->lines.count));
    if (m->npy) return;
    trj_table_provenance(&m->table, m->lines.text, m->lines.count);
    trj_table_provenance(&m->table, m->provenance, SIZE_MAX);
}
