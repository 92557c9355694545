// SPDX-License-Identifier: MIT
// GRO trajectories: GRO files (gro_records.h), one behind the other. Numbers stay nm.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gro_records.h"
#include "number.h"
#include "text.h"

// Title and number of atoms. A title may be blank, but blank lines up to the end of the file are none.
static int read_head(struct trj_reader *r, struct trj_frame *f, uint64_t *count, struct trj_error *err) {
    struct trj_text *t = r->state;
    struct trj_lines *l = &t->lines;
    char word[32];
    int got = trj_lines_next(l, err);
    if (got <= 0) return got;
    bool blank = !l->text[strspn(l->text, " \t")];
    trj_text_title(l->text, f);
    do got = trj_lines_next(l, err);
    while (got > 0 && blank && !l->text[strspn(l->text, " \t")]);
    if (got < 0) return -1;
    if (!got && blank) return 0;
    if (!got) return trj_lines_bad(l, err, "the file ends behind this line, before the number of atoms");
    return trj_text_count(r, trj_gro_count(l, word), count, err) ? -1 : 1;
}

static int read_atom(struct trj_text *t, const struct trj_gro_shape *shape, struct trj_error *err) {
    struct trj_gro_atom a;
    float x[3];
    if (trj_gro_atom(&t->lines, shape, t->atoms, &a, err)) return -1;
    for (int k = 0; k < 3; k++) {
        const char *end = trj_scan_float(a.x[k], &x[k]);
        if (!end || *end) return trj_lines_bad(&t->lines, err, "atom %zu: '%s' is not a coordinate", t->atoms, a.x[k]);
    }
    return trj_text_add(t, x, err);
}

static int read_frame(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct trj_text *t = r->state;
    struct trj_gro_shape shape = {0};
    uint64_t count = 0;
    int got = read_head(r, f, &count, err);
    if (got <= 0) return got;
    for (uint64_t i = 0; i < count; i++) {
        if (trj_text_atom_line(t, i, count, err)) return -1;
        if (!i) shape = trj_gro_shape_of(&t->lines);
        if (read_atom(t, &shape, err)) return -1;
    }
    if (trj_text_line(t, "the box", err) || trj_gro_box(&t->lines, true, &f->cell, err)) return -1;
    f->unit = 10;
    return trj_text_finish(r, f, NULL, err);
}

static int pass_frame(struct trj_reader *r, struct trj_error *err) {
    struct trj_text *t = r->state;
    struct trj_frame f = {0};
    uint64_t count = 0;
    int got = read_head(r, &f, &count, err);
    if (got <= 0) return got;
    return trj_text_pass_atoms(t, NULL, count, err) || trj_text_line(t, "the box", err) ||
                   trj_gro_box(&t->lines, true, &f.cell, err)
               ? -1
               : 1;
}

static bool gro_is(const unsigned char *head, size_t n) {
    return trj_gro_is((const char *)head, n);
}

static int gro_open(struct trj_reader *r, struct trj_error *err) {
    snprintf(r->dialect, sizeof r->dialect, "GRO");
    return trj_text_open(r, sizeof(struct trj_text), read_frame, err);
}

static int gro_read(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    return trj_text_read(r, f, read_frame, err);
}

static int gro_skip(struct trj_reader *r, struct trj_error *err) {
    return trj_text_skip(r, pass_frame, err);
}

const struct trj_format trj_format_gro = {
    .name = "gro",
    .help = "GRO, one frame or many, in nm with any number of decimals",
    .endings = {".gro"},
    .topology = "GRO",
    .is = gro_is,
    .open = gro_open,
    .read = gro_read,
    .skip = gro_skip,
    .close = trj_text_close,
};
