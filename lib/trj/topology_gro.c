// SPDX-License-Identifier: MIT
// GRO, the GROMACS coordinate file: a title, the number of atoms, an atom a line in fixed columns
//   resid 1-5, resname 6-10, name 11-15, number 16-20, then x, y, z with any number of decimals and perhaps velocities,
// and the box.  (GROMACS reference manual, file formats, gro)  Numbers wrap at 100000 and are taken as they are.
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "memory.h"
#include "number.h"
#include "topology_parts.h"

enum { RESID = 0, RESNAME = 5, NAME = 10, NUMBER = 15, XYZ = 20, FIELD = 5 };

// The line from `text` on, which ends at a newline or at `end`.
static struct trj_lines line_at(char *text, char *end) {
    char *newline = memchr(text, '\n', (size_t)(end - text));
    return (struct trj_lines){.text = text, .length = (size_t)((newline ? newline : end) - text)};
}

static bool is_count(const struct trj_lines *l, char text[32], uint64_t *count) {
    return l->length < 32 && trj_lines_field(l, 0, 31, text) && trj_parse_u64(text, count);
}

bool trj_gro_is(char *head, size_t n) {
    // The second line is one number, the third begins with one in five columns.
    char *end = head + n, *second = memchr(head, '\n', n);
    if (!second) return false;
    struct trj_lines l = line_at(second + 1, end);
    char *third = l.text + l.length + 1;
    if (third >= end) return false;
    if (l.length && l.text[l.length - 1] == '\r') l.length--;
    char text[32], resid[FIELD + 1];
    uint64_t count;
    int64_t number;
    if (!is_count(&l, text, &count)) return false;
    l = line_at(third, end);
    return trj_lines_field(&l, RESID, FIELD, resid) && trj_parse_i64(resid, &number);
}

// How coordinates are written: their columns, and the place of the point in them. The first atom shows it.
struct coordinates {
    size_t width, point;
};

static struct coordinates coordinates_of(const struct trj_lines *l) {
    const char *first = l->length > XYZ ? strchr(l->text + XYZ, '.') : NULL;
    const char *second = first ? strchr(first + 1, '.') : NULL;
    if (!second) return (struct coordinates){8, 4};
    return (struct coordinates){(size_t)(second - first), (size_t)(first - l->text) - XYZ};
}

// A line that lost a character, or its end, shows in its coordinates. What they are does not matter here: NaN is let through.
static bool has_coordinate(const struct trj_lines *l, size_t from, const struct coordinates *c) {
    if (!trj_lines_has_word(l, from, c->width)) return false;
    size_t n = l->length - from < c->width ? l->length - from : c->width;
    const char *point = memchr(l->text + from, '.', n);
    return !point || (size_t)(point - l->text) == from + c->point;
}

static int read_atom(struct trj_topology_builder *b, const struct trj_lines *l, const struct coordinates *c,
                     struct trj_error *err) {
    char resid[FIELD + 1], resname[FIELD + 1], name[FIELD + 1];
    struct trj_topology_atom atom = {.name = name, .resname = resname};
    trj_lines_field(l, RESID, FIELD, resid);
    trj_lines_field(l, RESNAME, FIELD, resname);
    if (!trj_parse_i64(resid, &atom.resid))
        return trj_lines_bad(l, err, "atom %zu: residue number '%s' in columns 1-5 is not a number", b->top->atoms + 1,
                             resid);
    if (!trj_lines_field(l, NAME, FIELD, name))
        return trj_lines_bad(l, err, "atom %zu: no name in columns 11-15", b->top->atoms + 1);
    for (size_t k = 0; k < 3; k++)
        if (!has_coordinate(l, XYZ + k * c->width, c))
            return trj_lines_bad(l, err, "atom %zu: no coordinate in columns %zu-%zu", b->top->atoms + 1,
                                 XYZ + k * c->width + 1, XYZ + (k + 1) * c->width);
    return trj_topology_add(b, &atom, err);
}

static int check_box(const struct trj_lines *l, struct trj_error *err) {
    size_t numbers = 0;
    char *rest = l->text;
    for (char *word; (word = trj_next_word(&rest)); numbers++) {
        double v;
        if (!trj_parse_real(word, &v)) return trj_lines_bad(l, err, "'%s' in the box is not a number", word);
    }
    if (numbers == 3 || numbers == 9) return 0;
    return trj_lines_bad(l, err, "%zu numbers where the box has 3 or 9; or the number of atoms in line 2 is wrong",
                         numbers);
}

static int guess_elements(struct trj_topology *top, struct trj_error *err) {
    unsigned char *z = trj_alloc(top->atoms, 1, "elements", err);
    if (!z) return -1;
    for (size_t i = 0; i < top->atoms; i++)
        z[i] = (unsigned char)trj_element_by_name(trj_topology_text(&top->name, i), trj_topology_text(&top->resname, i),
                                                  TRJ_ELEMENT_NO_PLACE);
    int rc = trj_topology_set_elements(top, z, err);
    free(z);
    top->element_from = "name";
    return rc;
}

int trj_gro_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    int got = trj_lines_next(l, err); // the title
    if (got == 1) got = trj_lines_next(l, err);
    if (got < 0) return -1;
    if (!got) return trj_lines_bad(l, err, "the file ends before the number of atoms");
    uint64_t count;
    char text[32];
    if (!is_count(l, text, &count)) return trj_lines_bad(l, err, "'%.40s' is not a number of atoms", l->text);
    if (!count) return trj_lines_bad(l, err, "no atoms");
    if (count > UINT32_MAX) return trj_lines_bad(l, err, "%s atoms: at most %u can be read", text, UINT32_MAX);
    struct coordinates shape = {0};
    for (uint64_t i = 0; i < count; i++) {
        if ((got = trj_lines_next(l, err)) < 0) return -1;
        if (!got) return trj_lines_bad(l, err, "the file ends after %zu of %s atoms", b->top->atoms, text);
        if (!i) shape = coordinates_of(l);
        if (read_atom(b, l, &shape, err)) return -1;
    }
    if ((got = trj_lines_next(l, err)) < 0) return -1;
    if (!got) return trj_lines_bad(l, err, "the file ends before the box");
    if (check_box(l, err)) return -1;
    return guess_elements(b->top, err);
}
