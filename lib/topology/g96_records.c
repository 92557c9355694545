// SPDX-License-Identifier: MIT
// Reads blocks and lines of GROMOS coordinate files for topologies and trajectories.
#include "g96_records.h"

#include <string.h>

#include "number.h"

enum { RESID = 0, RESNAME = 6, NAME = 12, FIELD = 5 };

static const char *const names[TRJ_G96_OTHER] = {
    [TRJ_G96_TITLE] = "TITLE",   [TRJ_G96_TIMESTEP] = "TIMESTEP",       [TRJ_G96_POSITION] = "POSITION",
    [TRJ_G96_BOX] = "BOX",       [TRJ_G96_POSITIONRED] = "POSITIONRED", [TRJ_G96_VELOCITY] = "VELOCITY",
    [TRJ_G96_GENBOX] = "GENBOX", [TRJ_G96_VELOCITYRED] = "VELOCITYRED", [TRJ_G96_TRICLINICBOX] = "TRICLINICBOX",
};

// Returns the length of a line without blanks and a carriage return at its end.
static size_t trimmed(const char *text, size_t n) {
    while (n && (trj_is_blank(text[n - 1]) || text[n - 1] == '\r')) n--;
    return n;
}

static bool is_end(const char *text, size_t n) {
    return trimmed(text, n) == 3 && !memcmp(text, "END", 3);
}

static enum trj_g96_block block_of(const char *text, size_t n) {
    n = trimmed(text, n);
    for (enum trj_g96_block k = 0; k < TRJ_G96_OTHER; k++)
        if (strlen(names[k]) == n && !memcmp(text, names[k], n)) return k;
    for (size_t i = 0; i < n; i++)
        if (!(text[i] >= 'A' && text[i] <= 'Z') && !(i && strchr("0123456789_", text[i]))) return TRJ_G96_NONE;
    return n && !is_end(text, n) ? TRJ_G96_OTHER : TRJ_G96_NONE;
}

bool trj_g96_is(const char *head, size_t n) {
    bool within = false, began = false; // in a block; the file begins with TITLE
    for (const char *end = head + n, *newline; head < end; head = newline + 1) {
        if (!(newline = memchr(head, '\n', (size_t)(end - head)))) return false;
        size_t length = (size_t)(newline - head);
        if (within) {
            within = !is_end(head, length);
            continue;
        }
        if (!trimmed(head, length) || *head == '#') continue;
        enum trj_g96_block block = block_of(head, length);
        if (block != TRJ_G96_TITLE && block < TRJ_G96_OTHER) return true;
        if (block == TRJ_G96_NONE || (block == TRJ_G96_OTHER && !began)) return false;
        within = began = true;
    }
    return false;
}

int trj_g96_next_block(struct trj_lines *l, enum trj_g96_block *block, struct trj_error *err) {
    int got;
    do got = trj_lines_next(l, err);
    while (got > 0 && (!trimmed(l->text, l->length) || *l->text == '#'));
    if (got <= 0) return got;
    *block = block_of(l->text, l->length);
    if (*block != TRJ_G96_NONE) return 1;
    return trj_lines_fail(l, err, "'%.40s' where the name of a block is expected", l->text);
}

int trj_g96_next_line(struct trj_lines *l, const char *block, struct trj_error *err) {
    int got;
    do got = trj_lines_next(l, err);
    while (got > 0 && *l->text == '#');
    if (got < 0) return -1;
    if (!got) return trj_lines_fail(l, err, "the file ends after this line, before END of the block %s", block);
    return !is_end(l->text, l->length);
}

int trj_g96_atom(const struct trj_lines *l, size_t number, struct trj_g96_atom *atom, struct trj_error *err) {
    char resid[FIELD + 1];
    trj_lines_field(l, RESID, FIELD, resid);
    trj_lines_field(l, RESNAME, FIELD, atom->resname);
    if (!trj_parse_i64(resid, &atom->resid))
        return trj_lines_fail(l, err, "atom %zu: residue number '%s' in columns 1-5 is not a number", number, resid);
    if (trj_lines_field(l, NAME, FIELD, atom->name)) return 0;
    return trj_lines_fail(l, err, "atom %zu: no name in columns 13-17", number);
}

bool trj_g96_has_columns(const struct trj_lines *l, size_t from) {
    bool points = l->length >= from + (size_t)(3 * TRJ_G96_REAL);
    for (size_t k = 1; k <= 3 && points; k++) points = l->text[from + k * TRJ_G96_REAL - TRJ_G96_DECIMALS - 1] == '.';
    return points;
}

int trj_g96_vector(const struct trj_lines *l, size_t from, bool columns, size_t number, const char *what, float x[3],
                   struct trj_error *err) {
    const char *rest = l->text + (l->length < from ? l->length : from);
    char word[TRJ_G96_REAL + 1];
    bool points = columns && trj_g96_has_columns(l, from); // a line that lost a character has them elsewhere
    for (size_t k = 0; k < 3; k++) {
        const char *field = l->text + from + k * TRJ_G96_REAL, *end = NULL;
        if (points && trj_scan_columns(field, TRJ_G96_REAL, &x[k])) continue;
        if (points && trj_lines_field(l, from + k * TRJ_G96_REAL, TRJ_G96_REAL, word))
            end = trj_scan_float(word, &x[k]);
        if (end && !*end) continue;
        if (columns)
            return trj_lines_fail(l, err, "atom %zu: no %s with %d decimals in columns %zu-%zu", number, what,
                                  TRJ_G96_DECIMALS, from + k * TRJ_G96_REAL + 1, from + (k + 1) * TRJ_G96_REAL);
        rest += strspn(rest, " \t");
        end = trj_scan_float(rest, &x[k]);
        if (!end || (*end && !trj_is_blank(*end)))
            return trj_lines_fail(l, err, "atom %zu: '%.40s' where a %s is expected", number, rest, what);
        rest = end;
    }
    if (points) rest = l->text + from + (size_t)(3 * TRJ_G96_REAL);
    rest += strspn(rest, " \t");
    return *rest ? trj_lines_fail(l, err, "atom %zu: '%.40s' after the last %s", number, rest, what) : 0;
}
