// SPDX-License-Identifier: MIT
// Reads HISTORY, CONFIG and REVCON files of DL_POLY (dlpoly_records.h), whose header gives the number of lines of an
// atom, but in CONFIG not the number of atoms. Atoms are sorted by their indices, if they have any, because DL_POLY
// writes them in changing order.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atom_ids.h"
#include "cell_solids.h"
#include "dlpoly_records.h"
#include "memory.h"
#include "number.h"
#include "text_format.h"

struct dlpoly {
    struct trj_text text;
    struct trj_dlpoly_header header;
    bool begun;         // the header has been read
    bool ended;         // the frame of a CONFIG has been read
    uint64_t count;     // atoms of the frame read last
    int imcon;          // of the frame read last, for the dialect
    struct trj_id *ids; // [r->atoms] of frame 0, sorted; NULL: atoms have no indices. Constant after frame 0
    bool ordered;       // frame 0 has been decoded
    bool line_order;    // the lines of frame 0 are in the order of the indices
    bool equal;         // all atoms of frame 0 have the same index
};

static const struct trj_identity_layout identity_layout = {
    .parts = 3, .part = {{.what = "name"}, {.what = "mass"}, {.what = "charge"}}};

// What a raw frame needs, besides its lines.
struct raw_indices {
    bool equal; // all atoms have the same index, as in some files of DL_POLY Classic: they are in the order of lines
    int64_t first;
};

// ---- raw frames

static int lines_of_atom(const struct dlpoly *s) {
    return 2 + s->header.level;
}

static int read_cell(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct dlpoly *s = r->internals->state;
    bool rows;
    int rc = trj_dlpoly_cell(&s->text.lines, s->imcon, &f->cell, &rows, err);
    if (rc > 0 && trj_reader_ignores_cell(r, &f->cell)) rc = 0;
    return rc ? -1 : 0;
}

// Reads the record `timestep`. Returns 1, 0 at the end, -1.
static int read_timestep(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct dlpoly *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    char *word;
    int got;
    do
        if ((got = trj_lines_next(l, err)) <= 0) return got;
    while (!l->text[strspn(l->text, " \t")]); // blank lines at the end
    if (trj_dlpoly_timestep(l, f, &word, &s->imcon, err) || trj_text_count(r, word, &s->count, err)) return -1;
    return 1;
}

static int read_history(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct dlpoly *s = r->internals->state;
    uint64_t lines, each = (uint64_t)lines_of_atom(s);
    int got = read_timestep(r, &p->frame, err);
    if (got <= 0) return got;
    if (read_cell(r, &p->frame, err)) return -1;
    // The first line may have been read to find out whether it is a row of the cell.
    int first = trj_lines_next(&s->text.lines, err);
    if (first < 0 || (first && trj_text_take_line(&s->text, p, err))) return -1;
    uint64_t rest = s->count * each - 1;
    int rc = trj_text_take_lines(r, p, rest, &lines, err);
    p->rows = (size_t)((lines + (uint64_t)first) / each);
    if (rc) return -1;
    return lines == rest ? 1 : trj_text_fail_short(&s->text, p->rows, s->count, err);
}

// Takes all lines up to the end of the file, or up to blank ones.
static int read_config(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct dlpoly *s = r->internals->state;
    struct trj_lines *l = &s->text.lines;
    struct trj_frame *f = &p->frame;
    uint64_t lines = 0;
    int got;
    bool blank = false;
    if (s->ended) return 0;
    s->ended = true;
    s->imcon = s->header.imcon;
    f->step = TRJ_NO_STEP;
    f->time = NAN;
    if (isfinite(s->header.time_step) && s->header.time_step > 0 && s->header.third <= INT64_MAX) { // of Classic
        f->step = (int64_t)s->header.third;
        f->time = (double)f->step * s->header.time_step;
    }
    if (read_cell(r, f, err)) return -1;
    while ((got = trj_lines_next(l, err)) > 0) {
        if (!l->text[strspn(l->text, " \t")]) {
            blank = true;
            continue;
        }
        if (blank) return trj_lines_fail(l, err, "'%.40s' after a blank line", l->text);
        if (trj_text_take_line(&s->text, p, err)) return -1;
        lines++;
    }
    if (got < 0) return -1;
    p->check_by_decoding = !trj_lines_has_newline(l);
    p->rows = (size_t)(lines / (uint64_t)lines_of_atom(s));
    s->count = p->rows;
    if (p->rows > UINT32_MAX) return trj_lines_fail(l, err, "more than %u atoms", UINT32_MAX);
    if (lines % (uint64_t)lines_of_atom(s))
        return trj_lines_fail(l, err, "the file ends after this line, in atom %zu, which has %d lines", p->rows,
                              lines_of_atom(s));
    return p->rows ? 1 : trj_lines_fail(l, err, "no atoms");
}

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct dlpoly *s = r->internals->state;
    if (!s->begun && trj_dlpoly_header(&s->text.lines, &s->header, err)) return -1;
    s->begun = true;
    p->frame.unit = 1;
    return s->header.history ? read_history(r, p, err) : read_config(r, p, err);
}

// ---- decoding

// Finds out from the first two indices of a frame whether all are equal, of which index number i must then be one.
static int compare_indices(struct raw_indices *own, const struct trj_lines *l, size_t i, int64_t index,
                           struct trj_error *err) {
    if (!i) *own = (struct raw_indices){.first = index};
    if (i == 1) own->equal = index == own->first;
    return !own->equal || index == own->first
               ? 0
               : trj_lines_fail(l, err, "two atoms before this line have the index %lld", (long long)own->first);
}

// Finds the place of atom *place of a later frame among those of frame 0, which must have the same indices. If all
// atoms of the later frame have the first of them, their order is that of frame 0, whose indices must be in order.
static int find_place(const struct dlpoly *s, const struct raw_indices *own, const struct trj_lines *l, int64_t index,
                      size_t atoms, char *seen, size_t *place, struct trj_error *err) {
    if (own->equal && s->line_order && index == s->ids[0].id) return 0;
    const struct trj_id *found = trj_atom_ids_find(s->ids, atoms, index);
    if (!found) return trj_lines_fail(l, err, "frame 0 has no atom with the index %lld", (long long)index);
    *place = (size_t)(found - s->ids);
    if (seen[*place]) return trj_lines_fail(l, err, "two atoms have the index %lld", (long long)index);
    seen[*place] = 1;
    return 0;
}

static int scan_three(const struct trj_lines *l, size_t atom, float v[3], const char *what, struct trj_error *err) {
    const char *p = l->text, *number[3];
    for (int k = 0; k < 3; k++) {
        while (trj_is_blank(*p)) p++;
        number[k] = p;
        if (!(p = trj_scan_float(p, &v[k])) || (*p && !trj_is_blank(*p)))
            return trj_lines_fail(l, err, "atom %zu: '%.40s' is not three numbers: its %s", atom, l->text, what);
    }
    while (trj_is_blank(*p)) p++;
    if (*p) return trj_lines_fail(l, err, "atom %zu: more than three numbers for its %s", atom, what);
    return trj_lines_has_newline(l) ? 0 : trj_lines_check_last_number(l, number, 3, err);
}

static int check_identity(const struct trj_reader *r, struct trj_raw_frame *p, const struct trj_dlpoly_atom *a,
                          size_t place, struct trj_error *err) {
    if (!r->internals->identity) return 0;
    char *mass, *charge;
    trj_dlpoly_properties(a, &mass, &charge);
    const char *words[3] = {a->name, mass, r->internals->identity->charges ? charge : NULL};
    struct trj_identity_field field[3] = {{NULL, 0}};
    for (int k = 0; k < 3; k++)
        if (words[k]) field[k] = (struct trj_identity_field){words[k], strlen(words[k])};
    return trj_atom_identity_words(r->internals->identity, &identity_layout, place, field, 3, p->difference, err);
}

// Reads the lines of numbers of an atom, and stores them at `picked`. Forces are not stored.
static int read_numbers(const struct dlpoly *s, struct trj_lines *l, struct trj_frame *f, size_t atom, uint32_t picked,
                        bool velocity, struct trj_error *err) {
    static const char *const what[] = {"position", "velocity (the header has level 1 or 2)",
                                       "force (the header has level 2)"};
    float v[3] = {0};
    for (int level = 0; level <= s->header.level && level < (int)(sizeof what / sizeof *what); level++) {
        if (trj_lines_next(l, err) < 0) return -1;
        if (trj_text_can_skip(l, picked)) continue;
        if (scan_three(l, atom, v, what[level], err)) return -1;
        if (!level) trj_text_put(f, picked, v);
        if (level == 1 && velocity && picked != TRJ_NOT_PICKED)
            for (int k = 0; k < 3; k++) f->motion->velocity[k][picked] = v[k];
    }
    return 0;
}

// Sorts the indices of frame 0, and moves its atoms from the order of lines.
static int sort_first(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct dlpoly *s = r->internals->state;
    size_t n = p->rows;
    int rc = -1;
    uint32_t *position = trj_alloc(n, sizeof *position, "atoms", err);
    float *copy = trj_alloc(n, sizeof *copy, "coordinates", err);
    struct trj_motion *m = p->frame.motion;
    if (!position || !copy) goto out;
    trj_atom_ids_sort(s->ids, n);
    const struct trj_id *twice = trj_atom_ids_duplicate(s->ids, n);
    if (twice) {
        trj_fail(err, TRJ_BAD_DATA, "two atoms have the index %lld", (long long)twice->id);
        goto out;
    }
    s->line_order = true;
    for (size_t i = 0; i < n; i++) {
        position[s->ids[i].atom] = (uint32_t)i;
        s->line_order = s->line_order && s->ids[i].atom == i;
    }
    if (r->internals->identity && trj_atom_identity_reorder(r->internals->identity, position, err)) goto out;
    for (int k = 0; k < 6; k++) {
        float *x = k < 3 ? p->frame.x[k] : trj_motion_has(m) ? m->velocity[k - 3] : NULL;
        if (!x) continue;
        memcpy(copy, x, n * sizeof *copy);
        for (size_t i = 0; i < n; i++) x[position[i]] = copy[i];
    }
    rc = 0;
out:
    free(position);
    free(copy);
    return rc;
}

static int dlpoly_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct dlpoly *s = r->internals->state;
    struct trj_lines l = trj_text_lines(r, p);
    struct trj_dlpoly_atom a;
    struct raw_indices *own = p->own;
    const bool first = !s->ordered, velocity = s->header.level && r->internals->motion;
    *own = (struct raw_indices){.equal = false};
    char *seen = NULL;
    int64_t index;
    if (velocity) {
        if (trj_motion_resize(&p->frame.motion, TRJ_HAS_VELOCITY, p->frame.atoms, err)) return -1;
        p->frame.motion->unit = 1;
    }
    if (!first && s->ids) {
        if (trj_grow(&p->scratch.data, &p->scratch.capacity, r->atoms, 1, "indices", err)) return -1;
        seen = (char *)p->scratch.data;
        memset(seen, 0, r->atoms);
    }
    for (size_t i = 0; i < p->rows; i++) {
        size_t place = i;
        if (trj_lines_next(&l, err) < 0 || trj_dlpoly_atom(&l, &s->header, i, &a, err)) return -1;
        if (first && !i && a.index && !(s->ids = trj_alloc(p->rows, sizeof *s->ids, "indices", err))) return -1;
        if (s->ids || s->equal) {
            if (trj_dlpoly_index(&l, &a, i, &index, err)) return -1;
            if (compare_indices(own, &l, i, index, err)) return -1;
            if (s->equal && index != own->first)
                return trj_lines_fail(&l, err, "the index %lld after %lld: in frame 0, all atoms have the same index",
                                      (long long)index, (long long)own->first);
            if (first && s->ids)
                s->ids[i] = (struct trj_id){index, (uint32_t)i};
            else if (s->ids && seen && find_place(s, own, &l, index, r->atoms, seen, &place, err))
                return -1;
        }
        if (check_identity(r, p, &a, place, err)) return -1;
        uint32_t picked = first ? (uint32_t)i : trj_text_picked_index(r, place);
        if (read_numbers(s, &l, &p->frame, i, picked, velocity, err)) return -1;
    }
    if (!first || p->rows < s->count) return 0; // the frame is truncated
    s->ordered = true;
    if ((s->equal = own->equal)) {
        free(s->ids);
        s->ids = NULL;
    }
    return s->ids ? sort_first(r, p, err) : 0;
}

static int dlpoly_accept(struct trj_reader *r, const struct trj_raw_frame *p, struct trj_error *err) {
    const struct raw_indices *own = p->own;
    (void)err;
    if (own->equal)
        r->note = "all atoms of a frame have the same index: they are taken in the order of the lines; check the names";
    return 0;
}

// ---- the format

static int dlpoly_open(struct trj_reader *r, struct trj_error *err) {
    static const char *const shapes[] = {
        [4] = "truncated octahedron", [5] = "rhombic dodecahedron", [6] = "slab", [7] = "hexagonal prism"};
    int rc = trj_text_open(r, sizeof(struct dlpoly), read_raw_frame, err);
    const struct dlpoly *s = r->internals->state;
    if (rc) return -1;
    if (s->header.level) {
        r->holds = TRJ_HAS_VELOCITY;
        r->motion_source[TRJ_MOTION_VELOCITY] = (struct trj_motion_source){TRJ_VELOCITY_UNIT, "DL_POLY, A/ps"};
    } else if (r->internals->motion) {
        return trj_fail(err, TRJ_USAGE,
                        "--carry velocity: the file has none, because its level is 0; leave velocity out, or write a "
                        "HISTORY with keytrj 1");
    }
    if (s->header.history) r->header_frames = s->header.frames;
    snprintf(r->dialect, sizeof r->dialect, "DL_POLY %s, level %d, imcon %d%s%s",
             s->header.history ? "HISTORY" : "CONFIG", s->header.level, s->imcon, s->imcon > 3 ? ": " : "",
             s->imcon > 3 ? shapes[s->imcon] : "");
    return 0;
}

static int dlpoly_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static bool dlpoly_is(const unsigned char *head, size_t n) {
    return trj_dlpoly_is((const char *)head, n);
}

static void dlpoly_close(struct trj_reader *r) {
    struct dlpoly *s = r->internals->state;
    if (s) free(s->ids);
    trj_text_close(r);
}

static const struct trj_format_ops ops = {
    .is = dlpoly_is,
    .open = dlpoly_open,
    .read_raw = dlpoly_read_raw,
    .decode = dlpoly_decode,
    .accept = dlpoly_accept,
    .own = sizeof(struct raw_indices),
    .motion = TRJ_HAS_VELOCITY,
    .close = dlpoly_close,
};

const struct trj_format trj_format_dlpoly = {
    .name = "dlpoly",
    .help = "HISTORY, CONFIG and REVCON of DL_POLY Classic, 4 and 5",
    .listed_endings = {"HISTORY", "CONFIG", "REVCON"},
    .topology = "DL_POLY",
    .ops = &ops,
};
