// SPDX-License-Identifier: MIT
// Reads mmCIF trajectories: each model of the table of atoms is a frame (mmcif_records.h). The file is read once, line
// by line: if the cell follows the atoms of several models, this is an error. The first model is read word by word. If
// each of its rows occupies one line, this is assumed for the other models, whose lines are then found faster.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cell_basis.h"
#include "memory.h"
#include "mmcif_records.h"
#include "number.h"
#include "text_format.h"

struct mmcif {
    struct trj_text text;
    struct trj_mmcif m;
    bool began, over; // the table was found; it has ended
    bool one_line;    // each row of the first model occupies one line
    bool pending;     // m.text is the first row of the next model
    struct trj_cell cell;
    char first[TRJ_MMCIF_MODEL_NAME], model[TRJ_MMCIF_MODEL_NAME]; // of the first frame and the pending row
    char note[160];
};

static const struct trj_identity_layout identity_layout = {.parts = 6,
                                                           .part = {{.what = "name"},
                                                                    {.what = "alternate location"},
                                                                    {.what = "residue name"},
                                                                    {.what = "chain"},
                                                                    {.what = "residue number"},
                                                                    {.what = "element"}}};

// Where a row begins in the bytes of a raw frame, in which it has one line with a newline. p->scratch contains p->rows
// of them: to find the lines again would take longer.
struct row_start {
    size_t from;
    uint64_t line; // in the file
};

static struct row_start *row_starts(const struct trj_raw_frame *p) {
    return (struct row_start *)(void *)p->scratch.data;
}

static int append(struct trj_raw_frame *p, const char *text, size_t length, struct trj_error *err) {
    struct trj_input_bytes *b = &p->bytes;
    if (trj_grow(&b->data, &b->capacity, b->size + length + 1, 1, "lines", err)) return -1;
    memcpy(b->data + b->size, text, length);
    b->size += length;
    p->partial = true;
    return 0;
}

static int append_start(struct trj_raw_frame *p, size_t from, uint64_t line, struct trj_error *err) {
    struct trj_input_bytes *s = &p->scratch;
    const size_t bytes = (p->rows + 1) * sizeof(struct row_start);
    if (s->capacity < bytes && trj_grow(&s->data, &s->capacity, bytes, 1, "rows", err)) return -1;
    row_starts(p)[p->rows++] = (struct row_start){from, line};
    return 0;
}

// If a part of the row cannot be stored, the frame stays as it was.
static int append_row(struct trj_raw_frame *p, const char *text, size_t length, uint64_t line, struct trj_error *err) {
    const size_t rows = p->rows, size = p->bytes.size;
    if (!append_start(p, size, line, err) && !append(p, text, length, err) && !append(p, "\n", 1, err)) return 0;
    p->rows = rows;
    p->bytes.size = size;
    return -1;
}

// Returns whether a line, which has a newline at `end`, looks like a row of the model: its last word is the model, and
// it begins with a number or with a letter with which no reserved word begins. Most rows do. It may also have a comment
// or a zero byte.
static bool looks_like_row(const char *line, const char *end, const char *model, size_t n) {
    enum { LONGEST = 1 << 12 };
    const char c = (char)(*line | ('a' ^ 'A'));
    if ((*line < '0' || *line > '9') && (c < 'a' || c > 'z' || c == 'd' || c == 'g' || c == 'l' || c == 's'))
        return false;
    if (end[-1] == '\r') end--;
    if (end == line || end - line > LONGEST) return false;
    while (trj_is_blank(end[-1])) end--;
    if ((size_t)(end - line) <= n || !trj_is_blank(end[-1 - (ptrdiff_t)n])) return false;
    while (n && end[-1] == model[n - 1]) end--, n--; // most names have one or two characters
    return !n;
}

// After a row of the model that ends in a newline: takes rows of the model that follow it in the buffer of the input,
// with one copy, until next_line must look at a line. If one of them cannot be stored, the frame stays as it was.
static int take_buffered_rows(struct mmcif *s, struct trj_raw_frame *p, const char *model, struct trj_error *err) {
    enum { WINDOW = 1 << 13 }; // bytes: what is looked at in vain if its first line has a comment
    const struct trj_mmcif_columns *c = &s->m.columns;
    struct trj_lines *l = &s->text.lines;
    const unsigned char *data;
    const size_t size = trj_input_buffered(l->in, &data), n = strlen(model), rows = p->rows, before = p->bytes.size;
    const char *text = (const char *)data, *end = text + size, *line = text, *newline;
    if (l->again || l->copy || c->role[c->count - 1] != TRJ_MMCIF_MODEL || n == TRJ_MMCIF_MODEL_NAME - 1) return 0;
    while (line - text < WINDOW && (newline = memchr(line, '\n', (size_t)(end - line))) &&
           looks_like_row(line, newline, model, n)) {
        if (append_start(p, before + (size_t)(line - text), l->number + 1 + (p->rows - rows), err)) goto fail;
        line = newline + 1;
    }
    for (const char *comment = memchr(text, '#', (size_t)(line - text)); comment && line > comment;)
        line = text + (row_starts(p)[--p->rows].from - before);
    const size_t taken = (size_t)(line - text);
    if (!taken) return 0;
    if (append(p, text, taken, err) || trj_input_skip(l->in, taken, "rows", err)) goto fail;
    l->number += p->rows - rows;
    return 0;
fail:
    p->rows = rows;
    p->bytes.size = before;
    return -1;
}

// Reads the next row as one line. Returns 1, 0 after the last one, -1.
static int next_line(struct mmcif *s, struct trj_error *err) {
    struct trj_lines *l = &s->text.lines;
    enum trj_cif_line kind;
    s->m.cif.next = NULL; // rest of a line that is no longer in the buffer
    do {
        int got = trj_lines_next(l, err);
        if (got <= 0) return got;
    } while ((kind = trj_cif_line(l->text)) == TRJ_CIF_IGNORED);
    if (*l->text == ';')
        return trj_lines_fail(l, err,
                              "a value of several lines is supported only if the first model also has one; write each "
                              "row on one line");
    if (kind == TRJ_CIF_ROW) return 1;
    s->m.cif.next = l->text;
    return 0;
}

// Checks that a text, the current line, which seems to begin a model, is a row, and not only the beginning of one.
static int check_row(const struct mmcif *s, const char *text, size_t length, struct trj_error *err) {
    const struct trj_lines *l = &s->text.lines;
    struct trj_mmcif_row row = {.value = {{NULL, 0}}};
    const size_t n = trj_mmcif_scan(&s->m.columns, TRJ_MMCIF_MODEL + 1, text, length, &row);
    if (n >= s->m.columns.count || memchr(text, 0, length)) return 0; // decoding rejects surplus values and NUL
    if (!trj_lines_has_newline(l))
        return trj_lines_fail(l, err, "the file ends within this row, after %zu of %zu values", n, s->m.columns.count);
    return trj_lines_fail(l, err,
                          "%zu values, expected %zu; a row or value of several lines is supported only if the first "
                          "model also has one; write each row on one line",
                          n, s->m.columns.count);
}

// Keeps a row for the next frame.
static int keep_row(struct mmcif *s, const char *text, size_t length, uint64_t line, struct trj_error *err) {
    s->pending = true;
    s->m.line = line;
    if (text == s->m.text) return 0;
    if (trj_grow(&s->m.text, &s->m.capacity, length + 1, 1, "a row", err)) return -1;
    memcpy(s->m.text, text, length + 1);
    s->m.length = length;
    return 0;
}

static bool ends_in_coordinate(const struct trj_mmcif_columns *c) {
    return c->role[c->count - 1] <= TRJ_MMCIF_Z;
}

// Reads the rows of a model. Returns 1, 0 if the table has no more rows, -1.
static int take_model(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct mmcif *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    bool whole_lines = p->number && s->one_line;
    char model[TRJ_MMCIF_MODEL_NAME] = "", next[TRJ_MMCIF_MODEL_NAME];
    if (s->pending) {
        s->pending = false;
        memcpy(model, s->model, sizeof model);
        if (whole_lines && check_row(s, s->m.text, s->m.length, err)) return -1;
        if (append_row(p, s->m.text, s->m.length, s->m.line, err)) return -1;
    }
    for (;;) {
        if (whole_lines && p->rows && take_buffered_rows(s, p, model, err)) return -1;
        int got = whole_lines ? next_line(s, err) : trj_mmcif_next_row(&s->m, err);
        if (got < 0) return -1;
        if (!got) break;
        const char *text = whole_lines ? l->text : s->m.text;
        size_t length = whole_lines ? l->length : s->m.length;
        uint64_t line = whole_lines ? l->number : s->m.line;
        trj_mmcif_model(&s->m.columns, text, length, next);
        const bool newline = trj_lines_has_newline(l);
        if (!whole_lines) s->one_line = s->one_line && s->m.own_line;
        p->check_by_decoding = !newline;
        p->maybe_truncated = !newline && ends_in_coordinate(&s->m.columns);
        if (!p->rows) memcpy(model, next, sizeof model);
        if (memcmp(model, next, sizeof model) != 0) {
            if (whole_lines && p->rows < r->atoms && check_row(s, text, length, err)) return -1;
            if (newline && p->number && !strcmp(next, s->first)) // without a newline, it may be the end of another name
                return trj_lines_fail(l, err, "model %s again: the atoms of a model must be consecutive", next);
            if (!p->number) memcpy(s->first, model, sizeof model);
            memcpy(s->model, next, sizeof next);
            return keep_row(s, text, length, line, err) ? -1 : 1;
        }
        if (append_row(p, text, length, line, err)) return -1;
    }
    s->over = true;
    return p->rows ? 1 : 0;
}

// Reads what follows the table. It may contain the cell of the only frame.
static int finish(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct mmcif *s = r->internals->state;
    struct trj_cell cell;
    if (trj_mmcif_finish(&s->m, err) || trj_cif_set_cell(&s->m.cell, &cell, err)) return -1;
    if (p->number && !trj_basis_same_vectors(&cell, &s->cell))
        return trj_fail(
            err, TRJ_BAD_DATA,
            "the cell (_cell.length_a and others) follows the atoms of several models; move it to the start "
            "of the file");
    s->cell = cell;
    return 0;
}

static int begin(struct trj_reader *r, struct trj_error *err) {
    struct mmcif *s = r->internals->state;
    trj_mmcif_start(&s->m, &s->text.lines);
    s->began = s->one_line = true;
    int got = trj_mmcif_find(&s->m, err);
    if (got <= 0) return got ? -1 : trj_mmcif_fail_empty(&s->m, err);
    return trj_cif_set_cell(&s->m.cell, &s->cell, err) && !trj_reader_ignores_cell(r, &s->cell) ? -1 : 0;
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct mmcif *s = r->internals->state;
    if (!s->began && begin(r, err)) return -1;
    if (s->over && !s->pending) return 0;
    int got = take_model(r, p, err);
    if (got <= 0) return got;
    if (p->number && p->rows != r->atoms)
        return trj_fail(err, TRJ_BAD_DATA,
                        "line %llu: the model before this line has %zu atoms, but earlier models %zu",
                        (unsigned long long)s->text.lines.number, p->rows, r->atoms);
    if (s->over && finish(r, p, err)) return -1;
    p->frame.unit = 1;
    p->frame.time = NAN;
    p->frame.step = TRJ_NO_STEP;
    p->frame.cell = s->cell;
    return 1;
}

static bool scan_number(const char *text, size_t length, float *value) {
    double precise;
    if (length && *text != ' ' && trj_scan_columns(text, length, value)) return true; // in quotes, a blank is an error
    const char *end = trj_scan_float(text, value);
    if (length && end == text + length) return true;
    if (!trj_cif_number(text, length, &precise)) return false; // with an uncertainty in brackets
    *value = (float)precise;
    return true;
}

static int compare_identity(const struct trj_reader *r, const struct trj_mmcif_row *row, size_t atom,
                            struct trj_raw_frame *p, struct trj_error *err) {
    static const enum trj_mmcif_role roles[] = {TRJ_MMCIF_NAME,  TRJ_MMCIF_ALTLOC, TRJ_MMCIF_RESNAME,
                                                TRJ_MMCIF_CHAIN, TRJ_MMCIF_RESID,  TRJ_MMCIF_ELEMENT};
    enum { PARTS = sizeof roles / sizeof *roles };
    struct trj_identity_field part[PARTS];
    for (size_t k = 0; k < PARTS; k++) {
        bool named = roles[k] >= TRJ_MMCIF_NAME && roles[k] <= TRJ_MMCIF_RESID;
        enum trj_mmcif_role role = named ? trj_mmcif_source(row, roles[k]) : roles[k];
        part[k] = (struct trj_identity_field){row->value[role].text, row->value[role].length};
    }
    return trj_atom_identity_words(r->internals->identity, &identity_layout, atom, part, PARTS, p->difference, err);
}

static int resize_values(struct trj_frame *f, size_t atoms, struct trj_error *err) {
    for (int k = 0; k < TRJ_FRAME_VALUES; k++)
        if (trj_grow(&f->value[k], &f->value_capacity[k], atoms, sizeof *f->value[k], "atoms", err)) return -1;
    return 0;
}

static void put_values(struct trj_frame *f, size_t atom, const struct trj_mmcif_row *row) {
    static const enum trj_mmcif_role roles[TRJ_FRAME_VALUES] = {
        [TRJ_FRAME_OCCUPANCY] = TRJ_MMCIF_OCCUPANCY, [TRJ_FRAME_BFACTOR] = TRJ_MMCIF_BFACTOR};
    for (int k = 0; k < TRJ_FRAME_VALUES; k++)
        if (!scan_number(row->value[roles[k]].text, row->value[roles[k]].length, &f->value[k][atom]))
            f->value[k][atom] = NAN;
}

static int read_row(const struct mmcif *s, int roles, const struct trj_lines *l, size_t atom, struct trj_mmcif_row *row,
                    float x[3], struct trj_error *err) {
    size_t n = trj_mmcif_scan(&s->m.columns, roles, l->text, l->length, row);
    if (n != s->m.columns.count && memchr(l->text, 0, l->length))
        return trj_lines_fail(l, err, "a zero byte in a text file");
    if (n != s->m.columns.count)
        return trj_lines_fail(l, err, "atom %zu: %zu values, expected %zu", atom, n, s->m.columns.count);
    for (int k = 0; k < 3; k++) {
        const char *text = row->value[k].text;
        size_t length = row->value[k].length;
        if (!length || !scan_number(text, length, &x[k]))
            return trj_lines_fail(l, err, "atom %zu: '%.*s' is not a coordinate", atom, length ? (int)length : 1, text);
    }
    return 0;
}

static int mmcif_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    const struct mmcif *s = r->internals->state;
    struct trj_lines l = {.in = NULL};
    char *const bytes = (char *)p->bytes.data;
    const struct row_start *start = row_starts(p);
    struct trj_mmcif_row row = {.value = {{NULL, 0}}};
    float x[3] = {0};
    const int roles = r->internals->values     ? TRJ_MMCIF_ROLES
                      : r->internals->identity ? TRJ_MMCIF_ELEMENT + 1
                                               : TRJ_MMCIF_Z + 1;
    size_t n = p->rows < r->atoms ? p->rows : r->atoms;
    if (r->internals->values && resize_values(&p->frame, n, err)) return -1;
    for (size_t i = 0; i < n; i++) {
        char *end = bytes + (i + 1 < p->rows ? start[i + 1].from : p->bytes.size) - 1;
        l.number = start[i].line;
        l.text = bytes + start[i].from;
        if (end > l.text && end[-1] == '\r') end--;
        *end = 0;
        l.length = (size_t)(end - l.text);
        if (read_row(s, roles, &l, i, &row, x, err)) return -1;
        if (r->internals->identity && compare_identity(r, &row, i, p, err)) return -1;
        trj_text_put(&p->frame, trj_text_picked_index(r, i), x);
        if (r->internals->values) put_values(&p->frame, i, &row);
    }
    return 0;
}

static bool mmcif_is(const unsigned char *head, size_t n) {
    return trj_mmcif_is((const char *)head, n);
}

static int mmcif_open(struct trj_reader *r, struct trj_error *err) {
    if (trj_text_open(r, sizeof(struct mmcif), read_raw_frame, err)) return -1;
    const struct mmcif *s = r->internals->state;
    snprintf(r->dialect, sizeof r->dialect, "mmCIF, block %.40s", *s->m.block ? s->m.block : "without a name");
    return 0;
}

static int mmcif_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static void mmcif_close(struct trj_reader *r) {
    struct mmcif *s = r->internals->state;
    if (s) trj_mmcif_free(&s->m);
    trj_text_close(r);
}

static const struct trj_format_ops ops = {
    .is = mmcif_is,
    .open = mmcif_open,
    .read_raw = mmcif_read_raw,
    .decode = mmcif_decode,
    .close = mmcif_close,
};

const struct trj_format trj_format_mmcif = {
    .name = "mmcif",
    .help = "mmCIF (PDBx) of the PDB and other programs, one model or many",
    .endings = {".mmcif", ".pdbx"},
    .listed_endings = {".cif"},
    .topology = "mmCIF",
    .ops = &ops,
};
