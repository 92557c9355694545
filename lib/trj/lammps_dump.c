// SPDX-License-Identifier: MIT
// LAMMPS text dumps: items of one or more lines, of which ATOMS, with its columns named, ends a frame.
// (https://docs.lammps.org/dump.html, Howto_triclinic.html, units.html)
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "text.h"

static const char item_mark[] = "ITEM: ";

struct id {
    int64_t id;
    uint32_t at; // line of the first frame
};

// What the items of a frame tell of its atoms.
struct layout {
    struct trj_columns columns;
    bool scaled, has_id;
    double h[3][3], low[3]; // cell and origin, in the file's own unit
};

struct lammps {
    struct trj_text text;
    struct layout *now;   // of the frame that is being cut
    double unit, time_ps; // Å, ps in the file's units; time NaN where they are not said
    unsigned met;         // items of this frame
    uint64_t count;
    // Atoms stand in order of id. What the first frame has, the others must have.
    bool ordered;     // ids are known: it was the first frame's way
    struct id *ids;   // [atoms] sorted
    uint32_t *direct; // [span] place of id ids[0].id + i, UINT32_MAX: no such id; NULL: ids are too far apart
    uint64_t span;
};

// ---- items

static int read_units(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    // Angstrom and picoseconds. Where lengths are not what other tools know, or have no size (lj), numbers are taken for
    // Angstrom, as in files that do not say.
    static const struct {
        const char *name;
        double length, time;
    } units[] = {{"real", 1, 1e-3},
                 {"metal", 1, 1},
                 {"lj", 1, NAN},
                 {"nano", 10, 1e3},
                 {"electron", 0.529177210903, 1e-3},
                 {"micro", 1e4, 1e6},
                 {"si", 1e10, 1e12},
                 {"cgs", 1e8, 1e12}};
    struct lammps *s = r->state;
    (void)f;
    (void)rest;
    if (trj_text_line(&s->text, "the units", err)) return -1;
    char *at = s->text.lines.text, *word = trj_next_word(&at);
    for (size_t i = 0; word && i < sizeof units / sizeof *units; i++) {
        if (strcmp(word, units[i].name)) continue;
        s->unit = units[i].length;
        s->time_ps = units[i].time;
        return 0;
    }
    return trj_lines_bad(&s->text.lines, err, "'%.40s' are no units of LAMMPS that are known", word ? word : "");
}

static int read_time(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    struct lammps *s = r->state;
    (void)rest;
    if (trj_text_line(&s->text, "the time", err)) return -1;
    char *at = s->text.lines.text, *word = trj_next_word(&at);
    if (!word || !trj_parse_real(word, &f->time))
        return trj_lines_bad(&s->text.lines, err, "'%.40s' is not a time", word ? word : "");
    return 0;
}

static int read_step(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    struct lammps *s = r->state;
    (void)rest;
    if (trj_text_line(&s->text, "the time step", err)) return -1;
    char *at = s->text.lines.text, *word = trj_next_word(&at);
    if (!word || !trj_parse_i64(word, &f->step))
        return trj_lines_bad(&s->text.lines, err, "'%.40s' is not a time step", word ? word : "");
    return 0;
}

static int read_count(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    struct lammps *s = r->state;
    (void)f;
    (void)rest;
    if (trj_text_line(&s->text, "the number of atoms", err)) return -1;
    char *at = s->text.lines.text, *word = trj_next_word(&at);
    return trj_text_count(r, word ? word : "", &s->count, err);
}

// `pp ff sm`: what is not p on both sides is no period. Old files do not say: then all are.
static int read_boundaries(struct lammps *s, char *rest, unsigned *periodic, struct trj_error *err) {
    int n = 0;
    *periodic = TRJ_PERIODIC_ALL;
    for (char *word; (word = trj_next_word(&rest)); n++) {
        if (n == 3 || strlen(word) != 2 || strspn(word, "pfsm") != 2 || ((word[0] == 'p') != (word[1] == 'p')))
            return trj_lines_bad(&s->text.lines, err, "'%.40s' where there should be three boundaries, like pp", word);
        if (word[0] != 'p') *periodic &= ~(1u << n);
    }
    return !n || n == 3 ? 0 : trj_lines_bad(&s->text.lines, err, "%d boundaries, not 3", n);
}

// Three lines of n numbers.
static int read_bounds(struct lammps *s, int n, double v[3][4], struct trj_error *err) {
    for (int i = 0; i < 3; i++) {
        if (trj_text_line(&s->text, "the bounds of the box", err)) return -1;
        const char *p = s->text.lines.text;
        for (int k = 0; k <= n; k++) {
            while (trj_is_blank(*p)) p++;
            if (k == n ? *p : !(p = trj_scan_real(p, &v[i][k])) || (*p && !trj_is_blank(*p)) || !isfinite(v[i][k]))
                return trj_lines_bad(&s->text.lines, err, "a bound of the box: there should be %d numbers", n);
        }
    }
    return 0;
}

// Bounds are those of the box around the cell, which the tilts widen.
static int set_tilted(struct trj_reader *r, double v[3][4], struct trj_error *err) {
    struct lammps *s = r->state;
    struct layout *g = s->now;
    double xy = v[0][2], xz = v[1][2], yz = v[2][2];
    double low = fmin(fmin(0, xy), fmin(xz, xy + xz)), high = fmax(fmax(0, xy), fmax(xz, xy + xz));
    const double lo[3] = {v[0][0] - low, v[1][0] - fmin(0, yz), v[2][0]};
    const double hi[3] = {v[0][1] - high, v[1][1] - fmax(0, yz), v[2][1]};
    for (int k = 0; k < 3; k++) {
        if (!(hi[k] > lo[k]))
            return trj_lines_bad(&s->text.lines, err, "the box goes from %g to %g along %c", lo[k], hi[k], 'x' + k);
        g->low[k] = lo[k];
        g->h[k][k] = hi[k] - lo[k];
    }
    // LAMMPS itself flips cells before they are so skew; programs that take the bounds for those of the cell make such.
    if (2 * fmax(fabs(xy), fabs(xz)) > 1.001 * g->h[0][0] || 2 * fabs(yz) > 1.001 * g->h[1][1])
        r->note = "a cell is skewed by more than half a length: its bounds may not be as LAMMPS writes them";
    g->h[1][0] = xy;
    g->h[2][0] = xz;
    g->h[2][1] = yz;
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
    struct lammps *s = r->state;
    struct layout *g = s->now;
    double v[3][4] = {{0}};
    unsigned periodic;
    char *flags = s->text.lines.text + (rest - s->text.lines.text);
    bool general = begins_with(&flags, "abc origin"), tilted = !general && begins_with(&flags, "xy xz yz");
    if (read_boundaries(s, flags, &periodic, err) || read_bounds(s, general ? 4 : tilted ? 3 : 2, v, err)) return -1;
    f->cell.periodic = periodic;
    memset(g->h, 0, sizeof g->h);
    if (!general) return set_tilted(r, v, err);
    for (int i = 0; i < 3; i++) { // a vector and a coordinate of the origin a line
        memcpy(g->h[i], v[i], sizeof g->h[i]);
        g->low[i] = v[i][3];
    }
    return 0;
}

// The coordinates that a frame has. All are the same but for whole periods.
static const struct {
    const char *name[3];
    bool scaled;
} choices[] = {
    {{"x", "y", "z"}, false}, {{"xs", "ys", "zs"}, true}, {{"xu", "yu", "zu"}, false}, {{"xsu", "ysu", "zsu"}, true}};

static int read_columns(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err) {
    enum { CHOICES = sizeof choices / sizeof *choices };
    struct lammps *s = r->state;
    struct layout *g = s->now;
    struct trj_columns *c = &g->columns;
    size_t at[CHOICES][3] = {{0}}, id = 0, n = 0, pick = 0; // 1 + column
    char *names = s->text.lines.text + (rest - s->text.lines.text);
    (void)f;
    for (char *word; (word = trj_next_word(&names)); n++) {
        size_t *which = !strcmp(word, "id") ? &id : NULL;
        for (size_t i = 0; i < 3 * CHOICES && !which; i++)
            if (!strcmp(word, choices[i / 3].name[i % 3])) which = &at[i / 3][i % 3];
        if (n == TRJ_COLUMNS || (which && *which))
            return trj_lines_bad(&s->text.lines, err,
                                 n == TRJ_COLUMNS ? "too many columns, at %.40s" : "two columns %.40s", word);
        if (which) *which = n + 1;
    }
    while (pick < CHOICES && !(at[pick][0] && at[pick][1] && at[pick][2])) pick++;
    if (pick == CHOICES)
        return trj_lines_bad(&s->text.lines, err,
                             "ITEM: ATOMS names no coordinates: x y z, xs ys zs, xu yu zu or xsu ysu zsu");
    memset(c, 0, sizeof *c);
    c->count = n;
    for (unsigned k = 0; k < 3; k++) c->is[at[pick][k] - 1] = (unsigned char)(TRJ_COLUMN_X + k);
    if (id) c->is[id - 1] = TRJ_COLUMN_ID;
    g->has_id = id;
    g->scaled = c->precise = choices[pick].scaled;
    if (r->atoms && g->has_id != s->ordered)
        return trj_lines_bad(&s->text.lines, err, "a frame with%s ids behind frames with%s", id ? "" : "out",
                             id ? "out" : "");
    return 0;
}

enum { UNITS, TIME, STEP, COUNT, BOX, ATOMS, ITEMS };
static const struct {
    const char *name;
    int (*read)(struct trj_reader *r, struct trj_frame *f, const char *rest, struct trj_error *err);
    bool must;
} items[ITEMS] = {[UNITS] = {"UNITS", read_units, false}, [TIME] = {"TIME", read_time, false},
                  [STEP] = {"TIMESTEP", read_step, true}, [COUNT] = {"NUMBER OF ATOMS", read_count, true},
                  [BOX] = {"BOX BOUNDS", read_box, true}, [ATOMS] = {"ATOMS", read_columns, true}};

// The item in the current line; *rest is what follows its name. ITEMS: none.
static int find_item(struct lammps *s, char **rest) {
    char *text = s->text.lines.text;
    if (strncmp(text, item_mark, strlen(item_mark))) return ITEMS;
    int i = 0;
    do *rest = text + strlen(item_mark);
    while (!begins_with(rest, items[i].name) && ++i < ITEMS);
    return i;
}

// All items up to the atoms. 1; 0 at the end of the file; -1.
static int read_head(struct trj_reader *r, struct trj_frame *f, struct trj_error *err) {
    struct lammps *s = r->state;
    const struct trj_lines *l = &s->text.lines;
    int got;
    char *rest;
    s->met = 0;
    f->time = NAN;
    f->step = TRJ_NO_STEP;
    while (!(s->met & 1u << ATOMS)) {
        if ((got = trj_lines_next(&s->text.lines, err)) < 0) return -1;
        if (!got && s->met) return trj_lines_bad(l, err, "the file ends behind this line, before ITEM: ATOMS");
        if (!got) return 0;
        if (!s->met && !l->text[strspn(l->text, " \t")]) continue; // blank lines at the end
        int i = find_item(s, &rest);
        if (i == ITEMS) return trj_lines_bad(l, err, "'%.40s' is no item of a dump that is known", l->text);
        if (s->met & 1u << i) return trj_lines_bad(l, err, "ITEM: %s twice in a frame", items[i].name);
        if (i == ATOMS)
            for (int k = 0; k < ATOMS; k++)
                if (items[k].must && !(s->met & 1u << k))
                    return trj_lines_bad(l, err, "no ITEM: %s before the atoms", items[k].name);
        if (items[i].read(r, f, rest, err)) return -1;
        s->met |= 1u << i;
    }
    f->time *= s->time_ps;
    f->unit = s->unit;
    for (int k = 0; k < 9; k++) f->cell.h[k / 3][k % 3] = s->unit * s->now->h[k / 3][k % 3];
    return 1;
}

// ---- ids

static int by_id(const void *a, const void *b) {
    const struct id *p = a, *q = b;
    return (p->id > q->id) - (p->id < q->id);
}

// From the ids of the first frame, of which `last` is the last line: who is where.
static int learn_ids(struct lammps *s, size_t n, const struct trj_lines *last, struct trj_error *err) {
    size_t in_order = 1;
    while (in_order < n && s->ids[in_order - 1].id < s->ids[in_order].id) in_order++;
    if (in_order < n) qsort(s->ids, n, sizeof *s->ids, by_id);
    for (size_t i = 1; i < n; i++)
        if (s->ids[i].id == s->ids[i - 1].id)
            return trj_lines_bad(last, err, "two atoms have the id %lld", (long long)s->ids[i].id);
    s->ordered = true;
    uint64_t span = (uint64_t)s->ids[n - 1].id - (uint64_t)s->ids[0].id + 1;
    if (span > 8 * (uint64_t)n + 1024) return 0;
    if (!(s->direct = trj_alloc(span, sizeof *s->direct, "ids", err))) return -1;
    s->span = span;
    memset(s->direct, 0xff, span * sizeof *s->direct);
    for (size_t i = 0; i < n; i++) s->direct[s->ids[i].id - s->ids[0].id] = (uint32_t)i;
    return 0;
}

static uint32_t place_of(const struct lammps *s, size_t atoms, int64_t id) {
    if (s->direct) {
        uint64_t at = (uint64_t)id - (uint64_t)s->ids[0].id;
        return at < s->span ? s->direct[at] : UINT32_MAX;
    }
    const struct id key = {.id = id}, *found = bsearch(&key, s->ids, atoms, sizeof key, by_id);
    return found ? (uint32_t)(found - s->ids) : UINT32_MAX;
}

// ---- frames

static int cut_frame(struct trj_reader *r, struct trj_piece *p, struct trj_error *err) {
    struct lammps *s = r->state;
    if (!r->next && s->unit == 0) s->unit = 1, s->time_ps = NAN;
    s->now = p->own;
    int got = read_head(r, &p->frame, err);
    if (got <= 0) return got;
    return trj_text_take_atoms(r, p, s->count, err) ? -1 : 1;
}

// The coordinates of a line. Scaled ones become lengths in float64, rounded once.
static int read_row(const struct trj_lines *l, const struct layout *g, size_t atom, struct trj_row *row,
                    struct trj_error *err) {
    const double *n = row->precise;
    if (trj_text_row(l, &g->columns, atom, row, err)) return -1;
    for (int k = 0; k < 3 && g->scaled; k++)
        row->x[k] = (float)(g->low[k] + (n[0] * g->h[0][k] + n[1] * g->h[1][k] + n[2] * g->h[2][k]));
    return 0;
}

// Lines are atoms in the order they have.
static int decode_lines(const struct trj_reader *r, struct trj_piece *p, struct trj_error *err) {
    struct trj_lines l = trj_text_lines(p);
    struct trj_row row;
    for (size_t i = 0; i < p->rows; i++) {
        uint32_t slot = trj_text_slot(r, i);
        if (trj_lines_next(&l, err) < 0) return -1;
        if (trj_text_passes(&l, slot)) continue;
        if (read_row(&l, p->own, i, &row, err)) return -1;
        trj_text_put(&p->frame, slot, row.x);
    }
    return 0;
}

// Frame 0 with ids: the order of all others.
static int decode_first(const struct trj_reader *r, struct trj_piece *p, struct trj_error *err) {
    struct lammps *s = r->state;
    struct trj_lines l = trj_text_lines(p);
    struct trj_row row;
    float(*x)[3] = trj_alloc(p->rows, sizeof *x, "coordinates", err);
    int rc = -1;
    if (!x || !(s->ids = trj_alloc(p->rows, sizeof *s->ids, "ids", err))) goto out;
    for (size_t i = 0; i < p->rows; i++) {
        if (trj_lines_next(&l, err) < 0 || read_row(&l, p->own, i, &row, err)) goto out;
        memcpy(x[i], row.x, sizeof row.x);
        s->ids[i] = (struct id){row.id, (uint32_t)i};
    }
    rc = 0;
    if (p->rows < s->count || (rc = learn_ids(s, p->rows, &l, err))) goto out;
    for (size_t i = 0; i < p->rows; i++) trj_text_put(&p->frame, (uint32_t)i, x[s->ids[i].at]);
out:
    free(x);
    return rc;
}

static int decode_ordered(const struct trj_reader *r, struct trj_piece *p, struct trj_error *err) {
    const struct lammps *s = r->state;
    const struct layout *g = p->own;
    struct trj_lines l = trj_text_lines(p);
    struct trj_row row;
    struct trj_input_bytes *seen = &p->scratch; // a byte an atom
    if (trj_grow(&seen->data, &seen->room, r->atoms, 1, "ids", err)) return -1;
    memset(seen->data, 0, r->atoms);
    for (size_t i = 0; i < p->rows; i++) {
        if (trj_lines_next(&l, err) < 0 ||
            (r->slot ? trj_text_row_id(&l, &g->columns, i, &row.id, err) : read_row(&l, g, i, &row, err)))
            return -1;
        uint32_t place = place_of(s, r->atoms, row.id), slot = place;
        if (place == UINT32_MAX)
            return trj_lines_bad(&l, err, "there was no atom with the id %lld in frame 0", (long long)row.id);
        if (seen->data[place]) return trj_lines_bad(&l, err, "two atoms have the id %lld", (long long)row.id);
        seen->data[place] = 1;
        if (r->slot) {
            slot = r->slot[place];
            if (trj_text_passes(&l, slot)) continue;
            if (read_row(&l, g, i, &row, err)) return -1;
        }
        trj_text_put(&p->frame, slot, row.x);
    }
    return 0;
}

static int lammps_decode(const struct trj_reader *r, struct trj_piece *p, struct trj_error *err) {
    const struct lammps *s = r->state;
    const struct layout *g = p->own;
    return !g->has_id ? decode_lines(r, p, err) : s->ordered ? decode_ordered(r, p, err) : decode_first(r, p, err);
}

static bool lammps_is(const unsigned char *head, size_t n) {
    return n >= strlen(item_mark) && !memcmp(head, item_mark, strlen(item_mark));
}

static int lammps_open(struct trj_reader *r, struct trj_error *err) {
    int rc = trj_text_open(r, sizeof(struct lammps), cut_frame, err);
    const struct lammps *s = r->state;
    if (!rc) snprintf(r->dialect, sizeof r->dialect, "LAMMPS dump, %s", s->ordered ? "in order of id" : "without ids");
    return rc;
}

static int lammps_cut(struct trj_reader *r, struct trj_piece *p, struct trj_error *err) {
    return trj_text_cut_next(r, p, cut_frame, err);
}

static void lammps_close(struct trj_reader *r) {
    struct lammps *s = r->state;
    if (!s) return;
    free(s->ids);
    free(s->direct);
    trj_text_close(r);
}

const struct trj_format trj_format_lammps = {
    .name = "lammps",
    .help = "LAMMPS text dump: x, xs, xu or xsu in any columns, ordered by id; triclinic cells",
    .endings = {".lammpstrj", ".dump"},
    .is = lammps_is,
    .open = lammps_open,
    .cut = lammps_cut,
    .decode = lammps_decode,
    .own = sizeof(struct layout),
    .close = lammps_close,
};
