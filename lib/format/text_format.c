// SPDX-License-Identifier: MIT
// Contains what all text formats share: frames as ranges of lines, which other threads parse later.
#include "text_format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"

void trj_text_set_truncated(const struct trj_reader *r, struct trj_error *err) {
    if (err->status == TRJ_BAD_DATA && trj_input_at_end(r->in)) err->truncated = true;
}

int trj_text_open(struct trj_reader *r, size_t state, trj_text_read_function *read_raw_frame, struct trj_error *err) {
    struct trj_text *t = r->internals->state = trj_alloc(1, state, "a reader", err);
    struct trj_raw_frame *p = &t->first;
    struct trj_error decode_error;
    if (!t || (r->format->ops->own && !(p->own = trj_alloc(1, r->format->ops->own, "a frame", err)))) return -1;
    t->lines.in = r->in;
    t->lines.doubt = &r->maybe_truncated; // set by the lines around the atoms
    if (r->internals->open_system) t->lines.copy = &t->copy;
    int got = read_raw_frame(r, p, err);
    if (!got) return trj_fail(err, TRJ_BAD_DATA, "contains no frames");
    r->atoms = p->rows;
    if ((got > 0 || p->partial) &&
        (trj_frame_resize(&p->frame, r->atoms, &decode_error) || r->format->ops->decode(r, p, &decode_error))) {
        *err = decode_error;
        got = -1;
    }
    if (got < 0) {
        trj_text_set_truncated(r, err);
        return trj_fail_at(err, "frame 0");
    }
    r->maybe_truncated = r->maybe_truncated || p->maybe_truncated;
    if (r->internals->identity) trj_atom_identity_finish(r->internals->identity);
    if (r->internals->open_system) r->atoms = r->internals->expected;
    t->style.complete = true; // threads read it from here on
    t->first_pending = true;
    return 0;
}

static void drop_first(struct trj_text *t) {
    trj_raw_frame_free(&t->first);
    t->first = (struct trj_raw_frame){0};
    t->first_pending = false;
}

int trj_text_read_raw(struct trj_reader *r, struct trj_raw_frame *p, trj_text_read_function *read_raw_frame,
                      struct trj_error *err) {
    struct trj_text *t = r->internals->state;
    if (!t->first_pending) {
        t->copy.size = 0;
        t->copied_from = t->lines.number - t->lines.again; // a line that is read again is copied again
        int got = read_raw_frame(r, p, err);
        if (got < 0) trj_text_set_truncated(r, err);
        return got;
    }
    const struct trj_frame *first = &t->first.frame;
    struct trj_frame *f = &p->frame;
    if (trj_frame_resize(f, first->atoms, err)) return -1;
    for (int k = 0; k < 3; k++) memcpy(f->x[k], first->x[k], first->atoms * sizeof(float));
    for (int k = 0; k < TRJ_FRAME_VALUES; k++) { // the memory of frame 0 is not used any more
        free(f->value[k]);
        f->value[k] = first->value[k];
        f->value_capacity[k] = first->value_capacity[k];
        t->first.frame.value[k] = NULL;
    }
    struct trj_motion *motion = f->motion;
    f->motion = first->motion;
    t->first.frame.motion = motion;
    f->step = first->step;
    f->time = first->time;
    f->unit = first->unit;
    f->cell = first->cell;
    p->whole = true;
    p->rows = first->atoms;
    drop_first(t);
    return 1;
}

void trj_text_close(struct trj_reader *r) {
    struct trj_text *t = r->internals->state;
    if (!t) return;
    trj_raw_frame_free(&t->first);
    free(t->copy.data);
    free(t);
}

int trj_text_frame_topology(struct trj_reader *r, struct trj_topology **top, struct trj_error *err) {
    struct trj_text *t = r->internals->state;
    struct trj_lines l = trj_lines_in_memory(t->copy.data, t->copy.size, t->copied_from);
    const struct trj_topology_options options = {.format = r->format->topology, .properties = r->internals->values};
    return trj_topology_of_lines(top, &l, &options, err);
}

int trj_text_line(struct trj_text *t, const char *what, struct trj_error *err) {
    int got = trj_lines_next(&t->lines, err);
    if (got < 0) return -1;
    return got ? 0 : trj_lines_fail(&t->lines, err, "the file ends after this line, before %s", what);
}

int trj_text_take_line(struct trj_text *t, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_input_bytes *b = &p->bytes;
    const struct trj_lines *l = &t->lines;
    if (trj_grow(&b->data, &b->capacity, b->size + l->length + 2, 1, "lines", err)) return -1;
    if (!b->size) p->position = l->number - 1;
    memcpy(b->data + b->size, l->text, l->length);
    b->size += l->length;
    if (trj_lines_has_newline(l))
        b->data[b->size++] = '\n';
    else if (!l->length) // a carriage return at the end of the file, which must stay a line
        b->data[b->size++] = '\r';
    p->partial = true;
    return 0;
}

int trj_text_take_lines(struct trj_reader *r, struct trj_raw_frame *p, uint64_t lines, uint64_t *got,
                        struct trj_error *err) {
    struct trj_lines *l = &((struct trj_text *)r->internals->state)->lines;
    if (!p->bytes.size) p->position = l->number;
    size_t before = p->bytes.size;
    int rc = trj_input_lines(r->in, lines, &p->bytes, got, err);
    size_t n = p->bytes.size - before;
    if (l->copy && n) {
        if (trj_grow(&l->copy->data, &l->copy->capacity, l->copy->size + n + 1, 1, "lines", err)) return -1;
        memcpy(l->copy->data + l->copy->size, p->bytes.data + before, n);
        l->copy->size += n;
    }
    l->number += *got;
    p->partial = p->bytes.size > 0;
    p->check_by_decoding = !trj_lines_has_newline(l);
    return rc;
}

int trj_text_fail_short(const struct trj_text *t, uint64_t atoms, uint64_t count, struct trj_error *err) {
    return trj_lines_fail(&t->lines, err, "the file ends after this line, after %llu of %llu atoms",
                          (unsigned long long)atoms, (unsigned long long)count);
}

int trj_text_take_atoms(struct trj_reader *r, struct trj_raw_frame *p, uint64_t count, struct trj_error *err) {
    uint64_t got;
    int rc = trj_text_take_lines(r, p, count, &got, err);
    p->rows = (size_t)got;
    return rc || got == count ? rc : trj_text_fail_short(r->internals->state, got, count, err);
}

struct trj_lines trj_text_lines(const struct trj_reader *r, struct trj_raw_frame *p) {
    struct trj_text *t = r->internals->state;
    struct trj_lines l = trj_lines_in_memory(p->bytes.data, p->bytes.size, p->position);
    l.style = &t->style;
    l.doubt = &p->maybe_truncated;
    return l;
}

int trj_text_count(struct trj_reader *r, const char *word, uint64_t *count, struct trj_error *err) {
    const struct trj_text *t = r->internals->state;
    uint64_t size, offset = trj_input_offset(r->in);
    if (!trj_parse_u64(word, count)) return trj_lines_fail(&t->lines, err, "'%.40s' is not a number of atoms", word);
    bool open_system = r->internals->open_system, may_change = r->format->ops->frame_topology;
    if (!*count && !open_system)
        return trj_lines_fail(&t->lines, err, "no atoms%s",
                              may_change ? "; if the number of atoms changes in the simulation, read the file with "
                                           "trjcat --open auto"
                                         : "");
    if (r->atoms && *count != r->atoms && !may_change)
        return trj_lines_fail(&t->lines, err,
                              "%.40s atoms, but earlier frames have %zu; frames of different numbers of atoms can be "
                              "read from XYZ, LAMMPS dumps, GRO, PDB, PQR, Tinker and GSD only, with "
                              "trjcat --open auto",
                              word, r->atoms);
    if (r->atoms && *count != r->atoms && !open_system)
        return trj_lines_fail(&t->lines, err,
                              "%.40s atoms, but earlier frames have %zu; if the number of atoms changes in the "
                              "simulation, read the file with trjcat --open auto",
                              word, r->atoms);
    if (*count > UINT32_MAX)
        return trj_lines_fail(&t->lines, err, "%.40s atoms: at most %u can be read", word, UINT32_MAX);
    if (open_system && trj_reader_check_open(r, *count, err))
        return trj_fail_at(err, "line %llu", (unsigned long long)t->lines.number);
    // A line has at least two bytes.
    if (!*count || !trj_input_size(r->in, &size) || (size >= offset && (size - offset) / 2 >= *count - 1)) return 0;
    if (trj_input_check_size(r->in, err)) return -1;
    trj_lines_fail(&t->lines, err, "%.40s atoms are expected, but only %llu bytes follow", word,
                   (unsigned long long)(size < offset ? 0 : size - offset));
    err->truncated = true;
    return -1;
}

void trj_text_title(const char *title, struct trj_frame *f) {
    double time;
    int64_t step;
    const char *word = NULL;
    f->time = NAN;
    f->step = TRJ_NO_STEP;
    for (const char *p = title; (p = strstr(p, "t=")); p++)
        if (p == title || trj_is_blank(p[-1])) word = p + 2;
    if (!word) return;
    while (trj_is_blank(*word)) word++;
    if (!(word = trj_scan_real(word, &time)) || (*word && !trj_is_blank(*word))) return;
    f->time = time;
    if (!(word = strstr(word, " step="))) return;
    word += strlen(" step=");
    while (trj_is_blank(*word)) word++;
    if ((word = trj_scan_i64(word, &step)) && (!*word || trj_is_blank(*word))) f->step = step;
}

// ---- lines of words

enum {
    STYLE_SAMPLE = 100
}; // coordinates that determine the style: if trailing zeros are omitted, a tenth of all numbers shows it

// First characters of values in columns that are not stored. Nothing else is checked.
static const char *const first_chars[] = {
    [TRJ_COLUMN_REAL] = "+-.0123456789nNiI", [TRJ_COLUMN_INTEGER] = "+-0123456789", [TRJ_COLUMN_LOGICAL] = "TFtf"};
static const char *const kind_name[] = {
    [TRJ_COLUMN_X] = "a number",           [TRJ_COLUMN_Y] = "a number",    [TRJ_COLUMN_Z] = "a number",
    [TRJ_COLUMN_ID] = "an integer",        [TRJ_COLUMN_REAL] = "a number", [TRJ_COLUMN_INTEGER] = "an integer",
    [TRJ_COLUMN_LOGICAL] = "a truth value"};

static const char *word_end(const char *p) {
    while (*p && !trj_is_blank(*p)) p++;
    return p;
}

static int bad_word(const struct trj_lines *l, size_t atom, size_t column, const char *word, const char *what,
                    struct trj_error *err) {
    return trj_lines_fail(l, err, "atom %zu: '%.*s' in column %zu is not %s", atom,
                          (int)(strcspn(word, " \t") < 40 ? strcspn(word, " \t") : 40), word, column + 1, what);
}

static int bad_count(const struct trj_lines *l, size_t atom, size_t found, const struct trj_columns *c,
                     struct trj_error *err) {
    return trj_lines_fail(l, err, "atom %zu: %zu columns, expected %zu%s", atom, found, c->count,
                          c->more ? " or more" : "");
}

// Checks that the line has no words after its columns, at p, unless they are allowed.
static int check_rest(const struct trj_lines *l, size_t atom, const struct trj_columns *c, const char *p,
                      struct trj_error *err) {
    size_t found = c->count;
    for (;; found++) {
        while (trj_is_blank(*p)) p++;
        if (!*p || c->more) break;
        p = word_end(p);
    }
    return found == c->count ? 0 : bad_count(l, atom, found, c, err);
}

// Returns whether a word is the last one of its line.
static bool is_last(const char *word) {
    word = word_end(word);
    return !word[strspn(word, " \t")];
}

// Parses a velocity (k from 0 to 2) or an image flag (3 to 5). Returns its end; NULL: it is invalid.
static const char *scan_motion(const char *word, unsigned k, struct trj_row *row) {
    int64_t image = 0;
    if (k < 3) return trj_scan_float(word, &row->velocity[k]);
    const char *end = trj_scan_i64(word, &image);
    if (image < INT32_MIN || image > INT32_MAX) return NULL;
    row->image[k - 3] = (int32_t)image;
    return end;
}

int trj_text_row(const struct trj_lines *l, const struct trj_columns *c, size_t atom, struct trj_row *row,
                 struct trj_error *err) {
    const char *p = l->text, *number[3] = {NULL, NULL, NULL}, *velocity[3], *last_velocity = NULL;
    size_t numbers = 0;
    bool last = false; // the last column is a coordinate
    for (size_t i = 0; i < c->count; i++) {
        while (trj_is_blank(*p)) p++;
        if (!*p) return bad_count(l, atom, i, c, err);
        const char *word = p;
        unsigned is = c->is[i], k = is - TRJ_COLUMN_X;
        last = k < 3;
        if (last) {
            p = c->precise ? trj_scan_real(p, &row->precise[k]) : trj_scan_float(p, &row->x[k]);
            if (numbers < 3) number[numbers++] = word;
        } else if (is == TRJ_COLUMN_ID) {
            p = trj_scan_i64(p, &row->id);
        } else if (is >= TRJ_COLUMN_MOTION) {
            p = scan_motion(word, is - TRJ_COLUMN_MOTION, row);
            if (is < TRJ_COLUMN_MOTION + 3) velocity[is - TRJ_COLUMN_MOTION] = last_velocity = word;
            if (!p || (*p && !trj_is_blank(*p)))
                return bad_word(l, atom, i, word, is < TRJ_COLUMN_MOTION + 3 ? "a velocity" : "an image flag", err);
        } else if (is >= TRJ_COLUMN_IDENTITY) {
            p = word_end(p);
            row->identity[is - TRJ_COLUMN_IDENTITY] = (struct trj_identity_field){word, (size_t)(p - word)};
        } else {
            if (is != TRJ_COLUMN_OTHER && !strchr(first_chars[is], *p))
                return bad_word(l, atom, i, word, kind_name[is], err);
            p = word_end(p);
        }
        if (!p || (*p && !trj_is_blank(*p))) return bad_word(l, atom, i, word, kind_name[is], err);
    }
    if (*p) return check_rest(l, atom, c, p, err);
    if (last && trj_lines_check_last_number(l, number, numbers, err)) return -1;
    if (last_velocity && is_last(last_velocity) && trj_lines_check_last_number(l, velocity, 3, err)) return -1;
    if (l->style->complete) return 0; // it is not written any more, because other threads read it
    for (size_t i = 0; i < numbers; i++) trj_number_style_add(l->style, number[i]);
    l->style->complete = l->style->seen >= STYLE_SAMPLE;
    return 0;
}

void trj_columns_add_identity(struct trj_columns *c, size_t column, size_t part) {
    c->is[column] = (unsigned char)(TRJ_COLUMN_IDENTITY + part);
    if (c->identity < column + 1) c->identity = column + 1;
    if (c->identity_fields < part + 1) c->identity_fields = part + 1;
}

void trj_text_row_identity(const struct trj_lines *l, const struct trj_columns *c, struct trj_row *row) {
    const char *p = l->text;
    for (size_t i = 0; i < c->identity; i++) {
        while (trj_is_blank(*p)) p++;
        const char *word = p;
        p = word_end(p);
        if (c->is[i] >= TRJ_COLUMN_IDENTITY && c->is[i] < TRJ_COLUMN_MOTION)
            row->identity[c->is[i] - TRJ_COLUMN_IDENTITY] = (struct trj_identity_field){word, (size_t)(p - word)};
    }
}

int trj_text_row_id(const struct trj_lines *l, const struct trj_columns *c, size_t atom, int64_t *id,
                    struct trj_error *err) {
    const char *p = l->text, *word;
    size_t i = 0;
    for (;; i++) {
        while (trj_is_blank(*p)) p++;
        if (!*p) return bad_count(l, atom, i, c, err);
        word = p;
        if (c->is[i] == TRJ_COLUMN_ID) break;
        p = word_end(p);
    }
    p = trj_scan_i64(p, id);
    return p && (!*p || trj_is_blank(*p)) ? 0 : bad_word(l, atom, i, word, kind_name[TRJ_COLUMN_ID], err);
}
