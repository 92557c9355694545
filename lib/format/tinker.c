// SPDX-License-Identifier: MIT
// Reads coordinate files of Tinker, .xyz and .arc (tinker_records.h), and the shape of the cell from the key file
// beside them, as Tinker does.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cell_solids.h"
#include "file_beside.h"
#include "memory.h"
#include "number.h"
#include "text_format.h"
#include "tinker_records.h"

struct tinker {
    struct trj_text text;
    struct trj_columns columns;
    double key_cell[6];  // a, b, c, alpha, beta and gamma in the key file; 0: it lacks them
    char key_error[200]; // the last of these that is no number; "": all are
    bool cell_of_key;    // frame 0 has the cell of the key file
    bool has_solid;      // the key file declares `solid`
    enum trj_cell_solid solid;
    bool may_be_solid; // the cell of frame 0 has the ratios of a rhombic dodecahedron, which no key file declares
    bool key_read;     // the key file has been looked for
};

enum { NAME, TYPE, PARTS };
static const struct trj_identity_layout identity_layout = {
    .parts = PARTS, .part = {[NAME] = {.what = "name"}, [TYPE] = {.what = "type"}}};

// ---- the key file

static int scan_key(struct tinker *s, struct trj_lines *l, struct trj_error *err) {
    static const char *const names[] = {"a-axis", "b-axis", "c-axis", "alpha", "beta", "gamma"};
    static const char *const old_names[] = {"x-axis", "y-axis", "z-axis"};
    int got;
    while ((got = trj_lines_next(l, err)) > 0) {
        char *rest = l->text, *word = trj_next_word(&rest);
        if (!word) continue;
        for (int k = 0; k < 6; k++) {
            if (strcasecmp(word, names[k]) != 0 && (k > 2 || strcasecmp(word, old_names[k]) != 0)) continue;
            const char *number = trj_next_word(&rest), *end;
            double value;
            if (!number || !(end = trj_scan_fortran(number, &value)) || (*end && *end != ',') || !(value >= 0))
                snprintf(
                    s->key_error, sizeof s->key_error,
                    "line %llu: %s: '%.40s' is not a positive number; correct the key file, or give the cell with -c",
                    (unsigned long long)l->number, word, number ? number : "");
            else if (s->key_cell[k] == 0) // the first of several that is not 0, which means that there is none
                s->key_cell[k] = value;
        }
        if (!strcasecmp(word, "octahedron"))
            s->solid = TRJ_SOLID_OCTAHEDRON;
        else if (!strcasecmp(word, "dodecahedron"))
            s->solid = TRJ_SOLID_DODECAHEDRON;
        else
            continue;
        s->has_solid = true;
    }
    return got;
}

// Sets the numbers that a key file with at least one length leaves out, as Tinker does (unitcell.f).
static void complete_key_cell(double v[6]) {
    double largest = fmax(v[0], fmax(v[1], v[2]));
    if (largest == 0) return;
    if (v[0] == 0) v[0] = largest;
    for (int k = 1; k < 6; k++)
        if (v[k] == 0) v[k] = k < 3 ? v[0] : 90;
}

// Reads the file whose name ends in .key instead of .xyz or .arc, if there is one.
static int read_key(struct trj_reader *r, struct trj_error *err) {
    struct tinker *s = r->internals->state;
    const char *path = trj_input_name(r->in), *slash = strrchr(path, '/'), *start = slash ? slash + 1 : path;
    size_t length = trj_unpacked_length(path), point = length; // of the ending .xyz or .arc
    while (path + point > start && path[point - 1] != '.') point--;
    if (path + point > start) length = point - 1;
    struct trj_input *in = NULL;
    char *name = trj_alloc(length + sizeof ".key", 1, "a name", err);
    if (!name) return -1;
    snprintf(name, length + sizeof ".key", "%.*s.key", (int)length, path);
    int rc = trj_open_beside(&in, name, path, err);
    free(name);
    if (rc || !in) return rc;
    struct trj_lines l = {.in = in};
    if ((rc = scan_key(s, &l, err))) trj_fail_at(err, "%s", trj_input_name(in));
    trj_input_close(in);
    complete_key_cell(s->key_cell);
    return rc;
}

// ---- frames

// Sets the cell from its six numbers.
static int set_cell(struct trj_reader *r, struct trj_cell *cell, const double v[6], struct trj_error *err) {
    struct tinker *s = r->internals->state;
    const double length[3] = {v[0], v[1], v[2]}, cosine[3] = {trj_cosine(v[3]), trj_cosine(v[4]), trj_cosine(v[5])};
    bool angles = true;
    for (int k = 3; k < 6; k++) angles = angles && v[k] > 0 && v[k] < 180;
    struct trj_error why;
    if (!angles && (v[0] != 0 || v[1] != 0 || v[2] != 0))
        return trj_lines_fail(&s->text.lines, err, "the angles of the cell%s are not between 0 and 180 degrees%s",
                              v == s->key_cell ? " in the key file" : "",
                              v == s->key_cell ? "; correct the key file, or give the cell with -c" : "");
    if (trj_cell_set(cell, length, cosine, &why) || (s->has_solid && trj_cell_of_solid(cell, s->solid, &why)))
        return trj_lines_fail(&s->text.lines, err, "%s%s", v == s->key_cell ? "the cell of the key file: " : "",
                              why.text);
    s->may_be_solid = !s->has_solid && v[0] > 0 && fabs(v[1] - v[0]) < 1e-6 * v[0] &&
                      fabs(v[2] - sqrt(2) * v[0]) < 1e-5 * v[0] && v[3] == 90 && v[4] == 90 && v[5] == 90;
    return 0;
}

// Reads the line with the number of atoms. Returns 1, 0 at the end, -1.
static int read_count(struct trj_reader *r, uint64_t *count, struct trj_error *err) {
    struct tinker *s = r->internals->state;
    char *rest, *word = NULL;
    int got;
    while (!word) { // blank lines at the end are ignored
        if ((got = trj_lines_next(&s->text.lines, err)) <= 0) return got;
        rest = s->text.lines.text;
        word = trj_next_word(&rest);
    }
    return trj_text_count(r, word, count, err) ? -1 : 1;
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct tinker *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    struct trj_frame *f = &p->frame;
    struct trj_columns *c = &s->columns;
    uint64_t count, got_lines, first = 0;
    double v[6];
    if (!s->key_read) {
        *c = (struct trj_columns){.count = 6, .more = true};
        c->is[0] = TRJ_COLUMN_INTEGER;
        for (int k = 0; k < 3; k++) c->is[2 + k] = (unsigned char)(TRJ_COLUMN_X + k);
        c->is[5] = TRJ_COLUMN_INTEGER;
        if (r->internals->identity) {
            trj_columns_add_identity(c, 1, NAME);
            trj_columns_add_identity(c, 5, TYPE);
        }
        s->key_read = true;
        if (read_key(r, err)) return -1;
    }
    int got = read_count(r, &count, err);
    if (got <= 0) return got;
    f->cell = (struct trj_cell){0};
    f->unit = 1;
    f->step = TRJ_NO_STEP;
    f->time = NAN;
    if ((got = trj_lines_next(l, err)) < 0) return -1;
    if (got && trj_tinker_cell(l->text, v)) {
        if (set_cell(r, &f->cell, v, err) && !trj_reader_ignores_cell(r, &f->cell)) return -1;
    } else {
        s->cell_of_key = s->key_cell[0] != 0;
        if (*s->key_error && trj_fail(err, TRJ_BAD_DATA, "the key file: %s", s->key_error) &&
            !trj_reader_ignores_cell(r, &f->cell))
            return -1;
        if (s->cell_of_key && set_cell(r, &f->cell, s->key_cell, err) && !trj_reader_ignores_cell(r, &f->cell))
            return -1;
        if (got && count && trj_text_take_line(&s->text, p, err)) return -1;
        first = got && count;
    }
    int rc = trj_text_take_lines(r, p, count - first, &got_lines, err);
    p->rows = (size_t)(got_lines + first);
    return rc ? -1 : got_lines == count - first ? 1 : trj_text_fail_short(&s->text, p->rows, count, err);
}

static int tinker_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    const struct tinker *s = r->internals->state;
    const struct trj_columns *c = &s->columns;
    struct trj_lines l = trj_text_lines(r, p);
    struct trj_row row = {.id = 0};
    for (size_t i = 0; i < p->rows; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        if (trj_lines_next(&l, err) < 0) return -1;
        bool skips = trj_text_can_skip(&l, picked);
        if (!skips && trj_text_row(&l, c, i, &row, err)) return -1;
        if (r->internals->identity && skips) trj_text_row_identity(&l, c, &row);
        if (r->internals->identity && trj_atom_identity_words(r->internals->identity, &identity_layout, i, row.identity,
                                                              c->identity_fields, p->difference, err))
            return -1;
        if (!skips) trj_text_put(&p->frame, picked, row.x);
    }
    return 0;
}

// ---- the format

static int tinker_open(struct trj_reader *r, struct trj_error *err) {
    if (trj_text_open(r, sizeof(struct tinker), read_raw_frame, err)) return -1;
    const struct tinker *s = r->internals->state;
    snprintf(r->dialect, sizeof r->dialect, "Tinker%s%s%s%s", s->has_solid || s->cell_of_key ? ", key file: " : "",
             s->cell_of_key ? "cell" : "", s->cell_of_key && s->has_solid ? ", " : "",
             s->has_solid ? trj_cell_solid_name(s->solid) : "");
    if (s->may_be_solid)
        r->note = "the cell has the edges a, a, sqrt(2) a of the box around a rhombic dodecahedron, which only a key "
                  "file declares: it is read as that box; if it is a dodecahedron, put the key file beside this file";
    return 0;
}

static int tinker_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static bool tinker_is(const unsigned char *head, size_t n) {
    return trj_tinker_is((const char *)head, n);
}

static const struct trj_format_ops ops = {
    .is = tinker_is,
    .open = tinker_open,
    .read_raw = tinker_read_raw,
    .decode = tinker_decode,
    .frame_topology = trj_text_frame_topology,
    .close = trj_text_close,
};

const struct trj_format trj_format_tinker = {
    .name = "tinker",
    .help = "coordinates of Tinker (.xyz, .arc), with or without a line for the cell",
    .endings = {".arc", ".txyz"},
    .listed_endings = {".xyz"},
    .topology = "Tinker",
    .ops = &ops,
};
