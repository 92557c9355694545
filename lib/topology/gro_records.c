// SPDX-License-Identifier: MIT
// Reads lines of GRO files for topologies and trajectories; widths of columns follow from the decimal points.
#include "gro_records.h"

#include <string.h>

#include "number.h"

enum { RESID = 0, RESNAME = 5, NAME = 10, XYZ = 20, FIELD = 5 };

// Returns the length of the line that starts at `text` and ends at a newline or at `end`.
static size_t line_length(const char *text, const char *end) {
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    return (size_t)((newline ? newline : end) - text);
}

bool trj_gro_is(const char *head, size_t n) {
    // The second line is a single number, and the third starts with a number in five columns.
    const char *end = head + n, *second = memchr(head, '\n', n);
    if (!second) return false;
    size_t length = line_length(++second, end);
    const char *third = second + length + 1;
    if (third >= end) return false;
    if (length && second[length - 1] == '\r') length--;
    char text[32], resid[FIELD + 1];
    uint64_t count;
    int64_t number;
    if (length >= sizeof text || !trj_field(second, length, 0, sizeof text - 1, text) || !trj_parse_u64(text, &count))
        return false;
    return trj_field(third, line_length(third, end), RESID, FIELD, resid) && trj_parse_i64(resid, &number);
}

const char *trj_gro_count(const struct trj_lines *l, char word[32]) {
    if (l->length >= 32) return l->text;
    trj_lines_field(l, 0, 31, word);
    return word;
}

struct trj_gro_shape trj_gro_shape_of(const struct trj_lines *l) {
    const char *first = l->length > XYZ ? strchr(l->text + XYZ, '.') : NULL;
    const char *second = first ? strchr(first + 1, '.') : NULL;
    if (!second) return (struct trj_gro_shape){8, 4};
    return (struct trj_gro_shape){(size_t)(second - first), (size_t)(first - l->text) - XYZ};
}

// Checks that the decimal point is in its column, which detects lines that lost a character or their end.
static bool is_coordinate(const struct trj_lines *l, size_t from, const struct trj_gro_shape *s) {
    if (!trj_lines_has_word(l, from, s->width)) return false;
    size_t n = l->length - from < s->width ? l->length - from : s->width;
    const char *point = memchr(l->text + from, '.', n);
    return !point || (size_t)(point - l->text) == from + s->point;
}

int trj_gro_atom(const struct trj_lines *l, const struct trj_gro_shape *s, size_t number, struct trj_gro_atom *atom,
                 struct trj_error *err) {
    char resid[FIELD + 1];
    trj_lines_field(l, RESID, FIELD, resid);
    trj_lines_field(l, RESNAME, FIELD, atom->resname);
    if (!trj_parse_i64(resid, &atom->resid))
        return trj_lines_fail(l, err, "atom %zu: residue number '%s' in columns 1-5 is not a number", number, resid);
    if (!trj_lines_field(l, NAME, FIELD, atom->name))
        return trj_lines_fail(l, err, "atom %zu: no name in columns 11-15", number);
    for (size_t k = 0; k < 3; k++) {
        size_t from = XYZ + k * s->width;
        if (s->width >= sizeof atom->x[k] || !is_coordinate(l, from, s))
            return trj_lines_fail(l, err, "atom %zu: no coordinate in columns %zu-%zu", number, from + 1,
                                  from + s->width);
        trj_lines_field(l, from, s->width, atom->x[k]);
    }
    return 0;
}

bool trj_gro_scan(const struct trj_lines *l, const struct trj_gro_shape *s, float x[3]) {
    const char *text = l->text, *field = text + XYZ;
    size_t i = RESID, n = NAME;
    if (l->length < XYZ + 3 * s->width || s->point >= s->width) return false;
    while (i < FIELD - 1 && text[i] == ' ') i++;
    for (; i < FIELD; i++)
        if ((unsigned char)(text[i] - '0') >= 10) return false;
    while (n < NAME + FIELD && text[n] == ' ') n++;
    if (n == NAME + FIELD) return false;
    for (int k = 0; k < 3; k++, field += s->width)
        if (field[s->point] != '.' || !trj_scan_columns(field, s->width, &x[k])) return false;
    return true;
}

bool trj_gro_has_velocities(const struct trj_lines *l, const struct trj_gro_shape *s) {
    size_t from = XYZ + 3 * s->width;
    return l->length > from && l->text[from + strspn(l->text + from, " \t")];
}

int trj_gro_velocities(const struct trj_lines *l, const struct trj_gro_shape *s, size_t number, float v[3],
                       struct trj_error *err) {
    char word[32];
    for (size_t k = 0; k < 3; k++) {
        size_t from = XYZ + (3 + k) * s->width;
        bool fits = s->width < sizeof word && trj_lines_field(l, from, s->width, word);
        const char *point =
            fits ? memchr(l->text + from, '.', l->length < from + s->width ? l->length - from : s->width) : NULL;
        const char *end = fits ? trj_scan_float(word, &v[k]) : NULL;
        // A point in another column shows a line that has lost a character.
        if (!end || *end || (point && s->point && (size_t)(point - l->text) != from + s->point - 1))
            return trj_lines_fail(l, err, "atom %zu: no velocity in columns %zu-%zu", number, from + 1,
                                  from + s->width);
    }
    return 0;
}

int trj_gro_box(struct trj_lines *l, struct trj_cell *cell, struct trj_error *err) {
    static const int element[9] = {0, 4, 8, 1, 2, 3, 5, 6, 7}; // xx yy zz xy xz yx yz zx zy
    const char *words[9];
    size_t n = 0;
    char *rest = l->text;
    bool none = true;
    *cell = (struct trj_cell){0};
    for (char *word; (word = trj_next_word(&rest)); n++) {
        double v;
        if (!trj_parse_real(word, &v))
            return trj_lines_fail(l, err, "'%s' in the box is not a number; give the cell with trjcat --cell", word);
        if (n >= 9) continue;
        words[n] = word;
        cell->h[element[n] / 3][element[n] % 3] = 10 * v;
        none = none && v == 0;
    }
    if (n != 3 && n != 9)
        return trj_lines_fail(
            l, err,
            "the box has %zu numbers, expected 3 or 9, or the number of atoms is wrong; give the cell "
            "with trjcat --cell",
            n);
    if (!none) cell->periodic = TRJ_PERIODIC_ALL;
    return trj_lines_check_last_number(l, words, n, err);
}

int trj_gro_check_box(const struct trj_lines *l, struct trj_error *err) {
    size_t n = strspn(l->text, " \t+-.0123456789eEdDnaifNAIF*");
    if (n == l->length && strpbrk(l->text, "0123456789")) return 0;
    return trj_lines_fail(l, err, "'%.40s' where the box is expected, or the number of atoms is wrong", l->text);
}
