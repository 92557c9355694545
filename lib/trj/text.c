// SPDX-License-Identifier: MIT
#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"

int trj_text_open(struct trj_reader *r, size_t state, trj_text_frame *read, struct trj_error *err) {
    struct trj_text *t = r->state = trj_alloc(1, state, "a reader", err);
    if (!t) return -1;
    t->lines.in = r->in;
    int got = read(r, &t->first, err);
    r->unsure = t->lines.unsure;
    if (got < 0) return trj_fail_at(err, "frame 0");
    if (!got) return trj_fail(err, TRJ_BAD_DATA, "no frames");
    r->atoms = t->first.atoms;
    t->waiting = true;
    return 0;
}

static void drop_first(struct trj_text *t) {
    trj_frame_free(&t->first);
    t->first = (struct trj_frame){0};
    t->waiting = false;
}

int trj_text_read(struct trj_reader *r, struct trj_frame *f, trj_text_frame *read, struct trj_error *err) {
    struct trj_text *t = r->state;
    if (!t->waiting) {
        int got = read(r, f, err);
        r->unsure = t->lines.unsure;
        return got;
    }
    struct trj_frame *first = &t->first;
    if (trj_frame_resize(f, first->atoms, err)) return -1;
    for (int k = 0; k < 3; k++) memcpy(f->x[k], first->x[k], first->atoms * sizeof(float));
    f->index = first->index;
    f->step = first->step;
    f->time = first->time;
    f->unit = first->unit;
    f->cell = first->cell;
    drop_first(t);
    return 1;
}

int trj_text_skip(struct trj_reader *r, trj_text_pass *pass, struct trj_error *err) {
    struct trj_text *t = r->state;
    if (!t->waiting) {
        int got = pass(r, err);
        r->unsure = t->lines.unsure;
        return got;
    }
    drop_first(t);
    return 1;
}

void trj_text_close(struct trj_reader *r) {
    struct trj_text *t = r->state;
    if (!t) return;
    trj_frame_free(&t->first);
    free(t->x);
    free(t);
}

int trj_text_line(struct trj_text *t, const char *what, struct trj_error *err) {
    int got = trj_lines_next(&t->lines, err);
    if (got < 0) return -1;
    return got ? 0 : trj_lines_bad(&t->lines, err, "the file ends behind this line, before %s", what);
}

int trj_text_atom_line(struct trj_text *t, uint64_t atom, uint64_t count, struct trj_error *err) {
    int got = trj_lines_next(&t->lines, err);
    if (got < 0) return -1;
    return got ? 0
               : trj_lines_bad(&t->lines, err, "the file ends behind this line, after %llu of %llu atoms",
                               (unsigned long long)atom, (unsigned long long)count);
}

int trj_text_count(struct trj_reader *r, const char *word, uint64_t *count, struct trj_error *err) {
    const struct trj_text *t = r->state;
    uint64_t size, at = trj_input_offset(r->in);
    if (!trj_parse_u64(word, count)) return trj_lines_bad(&t->lines, err, "'%.40s' is not a number of atoms", word);
    if (!*count) return trj_lines_bad(&t->lines, err, "no atoms");
    if (r->atoms && *count != r->atoms)
        return trj_lines_bad(&t->lines, err, "%.40s atoms, but the frames before have %zu", word, r->atoms);
    if (*count > UINT32_MAX)
        return trj_lines_bad(&t->lines, err, "%.40s atoms: at most %u can be read", word, UINT32_MAX);
    // A line has two bytes at least.
    if (trj_input_size(r->in, &size) && (size < at || (size - at) / 2 < *count - 1))
        return trj_lines_bad(&t->lines, err, "%.40s atoms are promised, but only %llu bytes follow", word,
                             (unsigned long long)(size < at ? 0 : size - at));
    return 0;
}

int trj_text_add(struct trj_text *t, const float x[3], struct trj_error *err) {
    if (t->atoms == t->room && trj_grow(&t->x, &t->room, t->atoms + 1, sizeof *t->x, "atoms", err)) return -1;
    memcpy(t->x[t->atoms++], x, sizeof *t->x);
    return 0;
}

int trj_text_finish(struct trj_reader *r, struct trj_frame *f, const uint32_t *place, struct trj_error *err) {
    struct trj_text *t = r->state;
    size_t n = t->atoms;
    t->atoms = 0;
    if (r->atoms && n != r->atoms)
        return trj_lines_bad(&t->lines, err, "%zu atoms, but the frames before have %zu", n, r->atoms);
    if (trj_frame_resize(f, n, err)) return -1;
    for (size_t i = 0; i < n; i++) {
        size_t to = place ? place[i] : i;
        for (int k = 0; k < 3; k++) f->x[k][to] = t->x[i][k];
    }
    f->index = r->next;
    return 1;
}

void trj_text_title(const char *title, struct trj_frame *f) {
    double time;
    int64_t step;
    const char *at = NULL;
    f->time = NAN;
    f->step = TRJ_NO_STEP;
    for (const char *p = title; (p = strstr(p, "t=")); p++)
        if (p == title || trj_is_blank(p[-1])) at = p + 2;
    if (!at) return;
    while (trj_is_blank(*at)) at++;
    if (!(at = trj_scan_real(at, &time)) || (*at && !trj_is_blank(*at))) return;
    f->time = time;
    if (!(at = strstr(at, " step="))) return;
    at += strlen(" step=");
    while (trj_is_blank(*at)) at++;
    if ((at = trj_scan_i64(at, &step)) && (!*at || trj_is_blank(*at))) f->step = step;
}

// ---- lines of words

enum {
    SEEN = 100
}; // coordinates, of which one shows if decimals are not fixed: where trailing zeros are left out a tenth does

// How the values of these columns begin. Nothing more is asked of what is not kept.
static const char *const begins[] = {
    [TRJ_COLUMN_REAL] = "+-.0123456789nNiI", [TRJ_COLUMN_INTEGER] = "+-0123456789", [TRJ_COLUMN_LOGICAL] = "TFtf"};
static const char *const kind[] = {
    [TRJ_COLUMN_X] = "a number",           [TRJ_COLUMN_Y] = "a number",    [TRJ_COLUMN_Z] = "a number",
    [TRJ_COLUMN_ID] = "an integer",        [TRJ_COLUMN_REAL] = "a number", [TRJ_COLUMN_INTEGER] = "an integer",
    [TRJ_COLUMN_LOGICAL] = "a truth value"};

static int bad_word(const struct trj_text *t, size_t column, const char *word, const char *what,
                    struct trj_error *err) {
    return trj_lines_bad(&t->lines, err, "atom %zu: '%.*s' in column %zu is not %s", t->atoms,
                         (int)(strcspn(word, " \t") < 40 ? strcspn(word, " \t") : 40), word, column + 1, what);
}

static int bad_count(const struct trj_text *t, size_t found, const struct trj_columns *c, struct trj_error *err) {
    return trj_lines_bad(&t->lines, err, "atom %zu: %zu columns where there should be %zu%s", t->atoms, found, c->count,
                         c->more ? " or more" : "");
}

// *p stands behind the columns; words that are too many.
static int check_rest(const struct trj_text *t, const struct trj_columns *c, const char *p, struct trj_error *err) {
    size_t found = c->count;
    for (;; found++) {
        while (trj_is_blank(*p)) p++;
        if (!*p || c->more) break;
        while (*p && !trj_is_blank(*p)) p++;
    }
    return found == c->count ? 0 : bad_count(t, found, c, err);
}

int trj_text_row(struct trj_text *t, const struct trj_columns *c, struct trj_row *row, struct trj_error *err) {
    const char *p = t->lines.text, *number[3] = {NULL, NULL, NULL};
    size_t numbers = 0;
    bool last = false; // the line ends in a coordinate
    for (size_t i = 0; i < c->count; i++) {
        while (trj_is_blank(*p)) p++;
        if (!*p) return bad_count(t, i, c, err);
        const char *word = p;
        unsigned is = c->is[i], k = is - TRJ_COLUMN_X;
        last = k < 3;
        if (last) {
            p = c->precise ? trj_scan_real(p, &row->precise[k]) : trj_scan_float(p, &row->x[k]);
            if (numbers < 3) number[numbers++] = word;
        } else if (is == TRJ_COLUMN_ID) {
            p = trj_scan_i64(p, &row->id);
        } else {
            if (is != TRJ_COLUMN_OTHER && !strchr(begins[is], *p)) return bad_word(t, i, word, kind[is], err);
            while (*p && !trj_is_blank(*p)) p++;
        }
        if (!p || (*p && !trj_is_blank(*p))) return bad_word(t, i, word, kind[is], err);
    }
    if (*p) return check_rest(t, c, p, err);
    if (last && trj_lines_whole(&t->lines, &t->style, number, numbers, err)) return -1;
    if (t->style.seen < SEEN)
        for (size_t i = 0; i < numbers; i++) trj_style_see(&t->style, number[i]);
    return 0;
}

int trj_text_pass_atoms(struct trj_text *t, const struct trj_columns *c, uint64_t count, struct trj_error *err) {
    struct trj_lines *l = &t->lines;
    struct trj_row row;
    for (uint64_t i = 0; i < count; i++) {
        int got = trj_input_line(l->in, &l->text, &l->length, err);
        if (got < 0) return -1;
        if (!got) return trj_text_atom_line(t, i, count, err);
        l->number++;
    }
    return c && !trj_input_line_ended(l->in) ? trj_text_row(t, c, &row, err) : 0;
}
