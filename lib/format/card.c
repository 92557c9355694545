// SPDX-License-Identifier: MIT
// Reads CHARMM coordinate files in CARD format (card_records.h) as trajectories of one frame, or of several if they are
// joined. They contain no cell, step or time.
#include <math.h>
#include <stdio.h>

#include "card_records.h"
#include "number.h"
#include "text_format.h"

// Number and name of the residue, and name, for normal and extended columns.
static const struct trj_identity_layout normal_identity = {
    .parts = 3,
    .part = {{"residue number", 0, 5, false}, {"residue name", 6, 4, false}, {"name", 11, 4, false}},
    .columns = {{5, 15}},
    .width = 15};
static const struct trj_identity_layout extended_identity = {
    .parts = 3,
    .part = {{"residue number", 0, 10, false}, {"residue name", 12, 8, false}, {"name", 22, 8, false}},
    .columns = {{10, 30}},
    .width = 30};

struct card {
    struct trj_text text;
    const struct trj_card_columns *columns; // of frame 0
};

struct frame_columns {
    const struct trj_card_columns *of;
};

// Reads the title and the number of atoms. Blank lines at the end of the file are ignored. Returns 1, 0 at the end, -1.
static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct card *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    uint64_t count;
    const char *word;
    int got;
    bool title = false;
    do {
        got = trj_lines_next(l, err);
        title = title || (got > 0 && *l->text == '*');
    } while (got > 0 && (*l->text == '*' || (!title && !l->text[strspn(l->text, " \t")])));
    if (got < 0 || (!got && !title)) return got;
    if (!got) return trj_lines_fail(l, err, "the file ends after this line, before the number of atoms");
    if (!title) return trj_lines_fail(l, err, "'%.40s' where a title line, which begins with *, is expected", l->text);
    const struct trj_card_columns *columns = ((struct frame_columns *)p->own)->of = trj_card_layout(l, &word);
    if (!p->number) s->columns = columns;
    if (columns != s->columns)
        return trj_lines_fail(l, err,
                              "normal and extended columns in one file; give trjcat the joined files as several files");
    if (trj_text_count(r, word, &count, err)) return -1;
    p->frame.unit = 1;
    p->frame.cell = (struct trj_cell){0};
    p->frame.step = TRJ_NO_STEP;
    p->frame.time = NAN;
    return trj_text_take_atoms(r, p, count, err) ? -1 : 1;
}

static int read_atom(const struct trj_lines *l, const struct trj_card_columns *c, size_t atom, float x[3],
                     struct trj_error *err) {
    struct trj_card_atom a;
    if (trj_card_scan(l, c, x)) return 0;
    if (trj_card_atom(l, c, atom, &a, err)) return -1;
    for (int k = 0; k < 3; k++) {
        const char *end = trj_scan_float(a.x[k], &x[k]);
        if (!end || *end) return trj_lines_fail(l, err, "atom %zu: '%s' is not a coordinate", atom, a.x[k]);
    }
    return 0;
}

// A last line without a newline may have lost its end, but not before the last decimal of z.
static int check_end(const struct trj_lines *l, const struct trj_card_columns *c, size_t atom, struct trj_error *err) {
    if (trj_lines_has_newline(l) || l->length >= c->x + 3 * c->real) return 0;
    return trj_lines_fail(l, err, "atom %zu: the file ends within the coordinates", atom);
}

static int card_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_lines l = trj_text_lines(r, p);
    const struct trj_card_columns *c = ((const struct frame_columns *)p->own)->of;
    const struct trj_identity_layout *layout = c->text == 4 ? &normal_identity : &extended_identity;
    float x[3];
    for (size_t i = 0; i < p->rows; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        if (trj_lines_next(&l, err) < 0) return -1;
        bool skips = trj_text_can_skip(&l, picked);
        if (!skips && (check_end(&l, c, i, err) || read_atom(&l, c, i, x, err))) return -1;
        if (r->internals->identity &&
            trj_atom_identity_columns(r->internals->identity, layout, i, &l, p->difference, err))
            return -1;
        if (!skips) trj_text_put(&p->frame, picked, x);
    }
    return 0;
}

static bool card_is(const unsigned char *head, size_t n) {
    return trj_card_is((const char *)head, n);
}

static int card_open(struct trj_reader *r, struct trj_error *err) {
    if (trj_text_open(r, sizeof(struct card), read_raw_frame, err)) return -1;
    const struct card *s = r->internals->state;
    snprintf(r->dialect, sizeof r->dialect, "CHARMM CARD, %s columns", s->columns->text == 4 ? "normal" : "extended");
    return 0;
}

static int card_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static const struct trj_format_ops ops = {
    .is = card_is,
    .open = card_open,
    .read_raw = card_read_raw,
    .decode = card_decode,
    .own = sizeof(struct frame_columns),
    .close = trj_text_close,
};

const struct trj_format trj_format_card = {
    .name = "card",
    .help = "CHARMM coordinates in CARD format, normal or extended",
    .endings = {".cor", ".card"},
    .listed_endings = {".crd"},
    .topology = "CARD",
    .ops = &ops,
};
