// SPDX-License-Identifier: MIT
// Reads LAMMPS text dumps: items of one or more lines. The item ATOMS, which names its columns, is the last of a frame.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lammps_records.h"
#include "memory.h"
#include "number.h"
#include "text_format.h"

static const char item_mark[] = TRJ_LAMMPS_ITEM;

// What decode requires, besides the lines.
struct raw_layout {
    struct trj_columns columns;
    struct trj_lammps_layout layout;
    double velocity_unit; // Å/ps; NaN: unknown
};

struct lammps {
    struct trj_text text;
    struct trj_lammps records;
    struct trj_columns columns; // of the frame being read
    unsigned items_read;        // bits of the items that this frame had so far
    uint64_t count;
    const char *cell;      // its form in this frame, for the dialect
    bool no_velocity_unit; // of frame 0
};

static const struct trj_identity_layout identity_layout = {.parts = TRJ_LAMMPS_ATOM_COLUMNS,
                                                           .part = {[TRJ_LAMMPS_TYPE] = {.what = "type"},
                                                                    [TRJ_LAMMPS_TYPE_LABEL] = {.what = "type label"},
                                                                    [TRJ_LAMMPS_ELEMENT] = {.what = "element"},
                                                                    [TRJ_LAMMPS_MOLECULE] = {.what = "molecule-ID"},
                                                                    [TRJ_LAMMPS_MASS] = {.what = "mass"},
                                                                    [TRJ_LAMMPS_CHARGE] = {.what = "charge"}}};

// ---- items

// Adds the number of the current line to an error.
static int fail_in_line(const struct trj_lines *l, struct trj_error *err) {
    if (err->status != TRJ_BAD_DATA) return -1;
    const struct trj_error what = *err;
    return trj_lines_fail(l, err, "%s", what.text);
}

static int read_units(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    struct lammps *s = r->internals->state;
    (void)f;
    (void)rest;
    if (trj_text_line(&s->text, "the units", err)) return -1;
    char *next = s->text.lines.text, *word = trj_next_word(&next);
    return trj_lammps_units(&s->records, word ? word : "", err) ? fail_in_line(&s->text.lines, err) : 0;
}

static int read_time(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    struct lammps *s = r->internals->state;
    (void)rest;
    if (trj_text_line(&s->text, "the time", err)) return -1;
    char *next = s->text.lines.text, *word = trj_next_word(&next);
    if (!word || !trj_parse_real(word, &f->time))
        return trj_lines_fail(&s->text.lines, err, "'%.40s' is not a time", word ? word : "");
    return 0;
}

static int read_step(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    struct lammps *s = r->internals->state;
    (void)rest;
    if (trj_text_line(&s->text, "the time step", err)) return -1;
    char *next = s->text.lines.text, *word = trj_next_word(&next);
    if (!word || !trj_parse_i64(word, &f->step))
        return trj_lines_fail(&s->text.lines, err, "'%.40s' is not a time step", word ? word : "");
    return 0;
}

static int read_count(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    struct lammps *s = r->internals->state;
    (void)f;
    (void)rest;
    if (trj_text_line(&s->text, "the number of atoms", err)) return -1;
    char *next = s->text.lines.text, *word = trj_next_word(&next);
    return trj_text_count(r, word ? word : "", &s->count, err);
}

// Parses boundaries such as `pp ff sm`. A direction is periodic if both are p. Old files lack them: all directions are
// then periodic.
static int read_boundaries(struct lammps *s, char *rest, unsigned *periodic, struct trj_error *err) {
    int n = 0;
    *periodic = TRJ_PERIODIC_ALL;
    for (char *word; (word = trj_next_word(&rest)); n++) {
        if (n == 3 || strlen(word) != 2 || strspn(word, "pfsm") != 2 || ((word[0] == 'p') != (word[1] == 'p')))
            return trj_lines_fail(&s->text.lines, err, "'%.40s' found, expected three boundaries, as pp pp pp", word);
        if (word[0] != 'p') *periodic &= ~(1u << n);
    }
    return !n || n == 3 ? 0 : trj_lines_fail(&s->text.lines, err, "%d boundaries, not 3", n);
}

static int parse_bounds(const struct trj_lines *l, int n, double v[4], struct trj_error *err) {
    const char *p = l->text;
    for (int k = 0; k <= n; k++) {
        while (trj_is_blank(*p)) p++;
        if (k == n ? *p : !(p = trj_scan_real(p, &v[k])) || (*p && !trj_is_blank(*p)) || !isfinite(v[k]))
            return trj_lines_fail(l, err, "a bound of the box: expected %d numbers", n);
    }
    return 0;
}

// Reads three lines of n numbers. Returns 0; 1 with an error if the lines are there, but their numbers are invalid; -1.
static int read_bounds(struct lammps *s, int n, double v[3][4], struct trj_error *err) {
    const struct trj_lines *l = &s->text.lines;
    struct trj_error later;
    int rc = 0;
    for (int i = 0; i < 3; i++) {
        if (trj_text_line(&s->text, "the bounds of the box", rc ? &later : err)) {
            if (rc) *err = later;
            return -1;
        }
        bool item = !strncmp(l->text, item_mark, strlen(item_mark));
        if (parse_bounds(l, n, v[i], rc ? &later : err)) rc = 1;
        if (item) return -1;
    }
    return rc;
}

// A user can replace an invalid box.
static int fail_box(const struct trj_reader *r, struct trj_error *err) {
    struct lammps *s = r->internals->state;
    if (!r->internals->cell_given) return -1;
    trj_lammps_leave_out_box(&s->records, err);
    return 0;
}

static bool begins_with(char **rest, const char *words) {
    size_t n = strlen(words);
    *rest += strspn(*rest, " \t");
    if (strncmp(*rest, words, n) || ((*rest)[n] && !trj_is_blank((*rest)[n]))) return false;
    *rest += n;
    return true;
}

static int read_box(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    struct lammps *s = r->internals->state;
    struct trj_lammps_layout *l = &s->records.now;
    double v[3][4] = {{0}};
    char *flags = s->text.lines.text + (rest - s->text.lines.text);
    bool general = begins_with(&flags, "abc origin"), tilted = !general && begins_with(&flags, "xy xz yz");
    (void)f;
    s->cell = general ? "general" : tilted ? "triclinic" : "orthogonal";
    s->records.no_box = false;
    if (read_boundaries(s, flags, &l->periodic, err)) return -1;
    int got = read_bounds(s, general ? 4 : tilted ? 3 : 2, v, err);
    if (got) return got < 0 ? -1 : fail_box(r, err);
    if (!general) {
        const double bounds[3][2] = {{v[0][0], v[0][1]}, {v[1][0], v[1][1]}, {v[2][0], v[2][1]}};
        const double tilt[3] = {v[0][2], v[1][2], v[2][2]};
        if (!trj_lammps_box(&s->records, bounds, tilt, &r->note, err)) return 0;
        struct trj_lines bound_line = s->text.lines; // the line of the invalid axis, of the three just read
        bound_line.number -= 2 - (unsigned)s->records.wrong;
        fail_in_line(&bound_line, err);
        return fail_box(r, err);
    }
    for (int i = 0; i < 3; i++) { // each line has a vector and a coordinate of the origin
        memcpy(l->h[i], v[i], sizeof l->h[i]);
        l->low[i] = v[i][3];
    }
    return 0;
}

// Returns whether coordinates are continuous in time, so that LAMMPS's image flags, which belong to x, are not theirs.
static bool is_unwrapped(const struct trj_lammps_layout *l) {
    return strchr(l->coordinates, 'u');
}

// Returns what a frame has besides coordinates. The image flags of continuous coordinates are 0.
static unsigned motion_of(const struct trj_lammps_layout *l) {
    const size_t *m = l->motion;
    return (m[0] && m[1] && m[2] ? (unsigned)TRJ_HAS_VELOCITY : 0u) |
           ((m[3] && m[4] && m[5]) || is_unwrapped(l) ? (unsigned)TRJ_HAS_IMAGE : 0u);
}

static int read_columns(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    struct lammps *s = r->internals->state;
    struct trj_columns *c = &s->columns;
    const struct trj_lammps_layout *l = &s->records.now;
    (void)f;
    if (trj_lammps_columns(&s->records, s->text.lines.text + (rest - s->text.lines.text), err))
        return fail_in_line(&s->text.lines, err);
    if (l->columns > TRJ_COLUMNS) return trj_lines_fail(&s->text.lines, err, "%zu columns are too many", l->columns);
    memset(c, 0, sizeof *c);
    c->count = l->columns;
    c->precise = l->scaled;
    for (unsigned k = 0; k < 3; k++) c->is[l->x[k]] = (unsigned char)(TRJ_COLUMN_X + k);
    if (l->has_id) c->is[l->id] = TRJ_COLUMN_ID;
    unsigned motion = motion_of(l) & r->internals->motion;
    for (unsigned k = 0; k < 6; k++)
        if (l->motion[k] && motion & (k < 3 ? TRJ_HAS_VELOCITY : TRJ_HAS_IMAGE))
            c->is[l->motion[k] - 1] = (unsigned char)(TRJ_COLUMN_MOTION + k);
    for (size_t k = 0; k < TRJ_LAMMPS_ATOM_COLUMNS && r->internals->identity; k++)
        if (l->label[k] && (k != TRJ_LAMMPS_CHARGE || r->internals->identity->charges))
            trj_columns_add_identity(c, l->label[k] - 1, k);
    return 0;
}

enum { UNITS, TIME, STEP, COUNT, BOX, ATOMS, ITEMS };
static const struct {
    const char *name;
    int (*read)(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err);
    bool required;
} items[ITEMS] = {[UNITS] = {"UNITS", read_units, false}, [TIME] = {"TIME", read_time, false},
                  [STEP] = {"TIMESTEP", read_step, true}, [COUNT] = {"NUMBER OF ATOMS", read_count, true},
                  [BOX] = {"BOX BOUNDS", read_box, true}, [ATOMS] = {"ATOMS", read_columns, true}};

// Returns the item in the current line, ITEMS if it is unknown. Sets *rest to the text after its name.
static int find_item(struct lammps *s, char **rest) {
    char *text = s->text.lines.text;
    if (strncmp(text, item_mark, strlen(item_mark))) return ITEMS;
    int i = 0;
    do *rest = text + strlen(item_mark);
    while (!begins_with(rest, items[i].name) && ++i < ITEMS);
    return i;
}

// Reads all items up to ATOMS. Returns 1, 0 at the end of the file, -1.
static int read_head(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct lammps *s = r->internals->state;
    const struct trj_lines *l = &s->text.lines;
    int got;
    char *rest;
    s->items_read = 0;
    f->time = NAN;
    f->step = TRJ_NO_STEP;
    while (!(s->items_read & 1u << ATOMS)) {
        if ((got = trj_lines_next(&s->text.lines, err)) < 0) return -1;
        if (!got && s->items_read) return trj_lines_fail(l, err, "the file ends after this line, before ITEM: ATOMS");
        if (!got) return 0;
        if (!s->items_read && !l->text[strspn(l->text, " \t")]) continue; // blank lines at the end are ignored
        int i = find_item(s, &rest);
        if (i == ITEMS) return trj_lines_fail(l, err, "unknown item '%.40s'", l->text);
        if (s->items_read & 1u << i) return trj_lines_fail(l, err, "ITEM: %s occurs twice in a frame", items[i].name);
        if (i == ATOMS)
            for (int k = 0; k < ATOMS; k++)
                if (items[k].required && !(s->items_read & 1u << k))
                    return trj_lines_fail(l, err, "no ITEM: %s before the atoms", items[k].name);
        if (items[i].read(r, f, rest, err)) return -1;
        s->items_read |= 1u << i;
    }
    trj_lammps_describe(&s->records, f);
    return 1;
}

// ---- frames

static int read_raw_frame(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct lammps *s = r->internals->state;
    struct raw_layout *own = p->own;
    if (s->records.unit == 0) trj_lammps_start(&s->records);
    if (r->internals->open_system) trj_lammps_forget(&s->records);
    int got = read_head(r, &p->frame, err);
    if (got <= 0) return got;
    own->columns = s->columns;
    own->layout = s->records.now;
    own->velocity_unit = s->records.velocity;
    if (r->internals->motion && p != &s->text.first && isnan(own->velocity_unit) != s->no_velocity_unit)
        return trj_fail(err, TRJ_BAD_DATA,
                        "ITEM: UNITS is in another frame than the first, so that the unit of its "
                        "velocities is unknown; dump the units from the start");
    return trj_text_take_atoms(r, p, s->count, err) ? -1 : 1;
}

// Gives a frame memory for the velocities and image flags that are requested, if it has them.
static int begin_motion(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    const struct raw_layout *own = p->own;
    unsigned what = motion_of(&own->layout) & r->internals->motion;
    if (!what) return 0;
    if (trj_motion_resize(&p->frame.motion, what, p->frame.atoms, err)) return -1;
    p->frame.motion->unit = isnan(own->velocity_unit) ? 1 : own->velocity_unit;
    return 0;
}

static void put_motion(const struct raw_layout *own, struct trj_motion *m, uint32_t picked, const struct trj_row *row) {
    if (!trj_motion_has(m) || picked == TRJ_NOT_PICKED) return;
    bool unwrapped = is_unwrapped(&own->layout);
    for (int k = 0; k < 3; k++) {
        if (m->has & TRJ_HAS_VELOCITY) m->velocity[k][picked] = row->velocity[k];
        if (m->has & TRJ_HAS_IMAGE) m->image[k][picked] = unwrapped ? 0 : row->image[k];
    }
}

// Parses a line, and converts scaled coordinates.
static int read_row(const struct trj_lines *l, const struct raw_layout *own, size_t atom, struct trj_row *row,
                    struct trj_error *err) {
    if (trj_text_row(l, &own->columns, atom, row, err)) return -1;
    if (own->layout.scaled) trj_lammps_unscale(&own->layout, row->precise, row->x);
    return 0;
}

// Decodes a frame without ids: atoms are in the order of lines.
static int decode_lines(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct trj_lines l = trj_text_lines(r, p);
    const struct raw_layout *own = p->own;
    struct trj_row row = {.id = 0};
    for (size_t i = 0; i < p->rows; i++) {
        uint32_t picked = trj_text_picked_index(r, i);
        if (trj_lines_next(&l, err) < 0) return -1;
        bool skips = trj_text_can_skip(&l, picked);
        if (!skips && read_row(&l, own, i, &row, err)) return -1;
        if (r->internals->identity && skips) trj_text_row_identity(&l, &own->columns, &row);
        if (r->internals->identity && trj_atom_identity_words(r->internals->identity, &identity_layout, i, row.identity,
                                                              own->columns.identity_fields, p->difference, err))
            return -1;
        if (skips) continue;
        trj_text_put(&p->frame, picked, row.x);
        put_motion(own, p->frame.motion, picked, &row);
    }
    return 0;
}

// Moves the velocities and image flags of line i to place[i].
static int reorder_motion(struct trj_motion *m, const uint32_t *place, size_t atoms, struct trj_error *err) {
    struct trj_motion *lines = NULL;
    if (trj_motion_take(&lines, m, NULL, atoms, err)) {
        trj_motion_free(lines);
        return -1;
    }
    for (size_t i = 0; trj_motion_has(m) && i < atoms; i++)
        for (int k = 0; k < 3; k++) {
            if (m->has & TRJ_HAS_VELOCITY) m->velocity[k][place[i]] = lines->velocity[k][i];
            if (m->has & TRJ_HAS_IMAGE) m->image[k][place[i]] = lines->image[k][i];
        }
    trj_motion_free(lines);
    return 0;
}

// Decodes frame 0 with ids, which determine the order of atoms in all frames.
static int decode_first(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    struct lammps *s = r->internals->state;
    struct trj_lines l = trj_text_lines(r, p);
    struct trj_row row = {.id = 0};
    const struct raw_layout *own = p->own;
    const uint32_t *place;
    float(*x)[3] = trj_alloc(p->rows, sizeof *x, "coordinates", err);
    int rc = -1;
    if (!x) return -1;
    for (size_t i = 0; i < p->rows; i++) {
        if (trj_lines_next(&l, err) < 0 || read_row(&l, own, i, &row, err) ||
            trj_lammps_take_id(&s->records, i, row.id, err) ||
            (r->internals->identity &&
             trj_atom_identity_words(r->internals->identity, &identity_layout, i, row.identity,
                                     own->columns.identity_fields, p->difference, err)))
            goto out;
        memcpy(x[i], row.x, sizeof row.x);
        put_motion(own, p->frame.motion, (uint32_t)i, &row);
    }
    rc = 0;
    if (p->rows < s->count) goto out; // the frame is truncated
    rc = trj_lammps_end(&s->records, p->rows, &place, err) ? fail_in_line(&l, err) : 0;
    if (!rc && r->internals->identity) rc = trj_atom_identity_reorder(r->internals->identity, place, err);
    for (size_t i = 0; i < p->rows && !rc; i++) trj_text_put(&p->frame, place[i], x[i]);
    if (!rc) rc = reorder_motion(p->frame.motion, place, p->rows, err);
out:
    free(x);
    return rc;
}

static int decode_ordered(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    const struct lammps *s = r->internals->state;
    const struct raw_layout *own = p->own;
    struct trj_lines l = trj_text_lines(r, p);
    struct trj_row row = {.id = 0};
    struct trj_input_bytes *seen = &p->scratch; // one byte per atom
    if (trj_grow(&seen->data, &seen->capacity, r->atoms, 1, "ids", err)) return -1;
    memset(seen->data, 0, r->atoms);
    for (size_t i = 0; i < p->rows; i++) {
        size_t place;
        if (trj_lines_next(&l, err) < 0 ||
            (r->internals->picked_index ? trj_text_row_id(&l, &own->columns, i, &row.id, err)
                                        : read_row(&l, own, i, &row, err)))
            return -1;
        if (trj_lammps_find(&s->records, row.id, &place, err) ||
            (seen->data[place] && trj_lammps_fail_duplicate_id(row.id, err)))
            return fail_in_line(&l, err);
        seen->data[place] = 1;
        uint32_t picked = trj_text_picked_index(r, place);
        bool skips = trj_text_can_skip(&l, picked);
        if (r->internals->picked_index && !skips && read_row(&l, own, i, &row, err)) return -1;
        if (r->internals->identity && skips) trj_text_row_identity(&l, &own->columns, &row);
        if (r->internals->identity &&
            trj_atom_identity_words(r->internals->identity, &identity_layout, place, row.identity,
                                    own->columns.identity_fields, p->difference, err))
            return -1;
        if (skips) continue;
        trj_text_put(&p->frame, picked, row.x);
        put_motion(own, p->frame.motion, picked, &row);
    }
    return 0;
}

static int lammps_decode(const struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    const struct lammps *s = r->internals->state;
    const struct raw_layout *own = p->own;
    if (begin_motion(r, p, err)) return -1;
    return !own->layout.has_id  ? decode_lines(r, p, err)
           : s->records.ordered ? decode_ordered(r, p, err)
                                : decode_first(r, p, err);
}

static bool lammps_is(const unsigned char *head, size_t n) {
    return trj_lammps_dump_is((const char *)head, n);
}

// Describes what frame 0 has besides coordinates, and rejects a request for what it does not have.
static int describe_motion(struct trj_reader *r, struct trj_error *err) {
    static const char *const columns[TRJ_MOTION_KINDS] = {"vx vy vz", "ix iy iz"};
    struct lammps *s = r->internals->state;
    struct trj_motion_source *v = &r->motion_source[TRJ_MOTION_VELOCITY], *i = &r->motion_source[TRJ_MOTION_IMAGE];
    s->no_velocity_unit = isnan(s->records.velocity);
    r->holds = motion_of(&s->records.now);
    for (int k = 0; k < TRJ_MOTION_KINDS; k++)
        if (r->internals->motion & ~r->holds & 1u << k)
            return trj_fail(err, TRJ_USAGE, "--carry %s: the dump has no columns %s; dump them, or leave %s out",
                            trj_motion_names[k], columns[k], trj_motion_names[k]);
    if (!s->no_velocity_unit) memcpy(v->unit, TRJ_VELOCITY_UNIT, sizeof TRJ_VELOCITY_UNIT);
    snprintf(v->origin, sizeof v->origin, "LAMMPS dump, columns vx vy vz, %s",
             s->no_velocity_unit ? "in the unit of the run, which the dump does not name"
                                 : "units as the dump names them");
    snprintf(i->origin, sizeof i->origin, "LAMMPS dump, %s",
             is_unwrapped(&s->records.now) ? "whose coordinates are not wrapped, so that all flags are 0"
                                           : "columns ix iy iz");
    return 0;
}

static int lammps_open(struct trj_reader *r, struct trj_error *err) {
    int rc = trj_text_open(r, sizeof(struct lammps), read_raw_frame, err);
    struct lammps *s = r->internals->state;
    const uint32_t *place;
    if (!rc && !s->records.ordered && !r->internals->open_system)
        rc = trj_lammps_end(&s->records, r->atoms, &place, err); // no ids: later frames may have none, either
    if (!rc && !r->note) r->note = s->records.units_note;
    if (!rc)
        snprintf(r->dialect, sizeof r->dialect, "LAMMPS dump, %s, columns %s, %s box",
                 s->records.now.has_id ? "in order of id" : "without ids", s->records.now.coordinates, s->cell);
    return rc ? -1 : describe_motion(r, err);
}

static int lammps_read_raw(struct trj_reader *r, struct trj_raw_frame *p, struct trj_error *err) {
    return trj_text_read_raw(r, p, read_raw_frame, err);
}

static void lammps_close(struct trj_reader *r) {
    struct lammps *s = r->internals->state;
    if (!s) return;
    trj_lammps_free(&s->records);
    trj_text_close(r);
}

static const struct trj_format_ops ops = {
    .is = lammps_is,
    .open = lammps_open,
    .read_raw = lammps_read_raw,
    .decode = lammps_decode,
    .motion = TRJ_HAS_VELOCITY | TRJ_HAS_IMAGE,
    .own = sizeof(struct raw_layout),
    .frame_topology = trj_text_frame_topology,
    .close = lammps_close,
};

const struct trj_format trj_format_lammps = {
    .name = "lammps",
    .help = "LAMMPS text dump: x, xs, xu or xsu in any columns, ordered by id; triclinic cells",
    .endings = {".lammpstrj", ".dump"},
    .listed_endings = {".lammpsdump"},
    .topology = "LAMMPS dump",
    .ops = &ops,
};
