// SPDX-License-Identifier: MIT
// Reads lines of CHARMM CARD files for topologies and trajectories, by columns.
#include "card_records.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "number.h"

static const struct trj_card_columns normal = {5, 4, 1, 10, 5, 11, 16, 20, 51, 56, 5};
static const struct trj_card_columns extended = {10, 8, 2, 20, 10, 22, 32, 40, 102, 112, 10};
enum { EXTENDED_ATOMS = 100000, MAX_WIDTH = 20 };

const struct trj_card_columns *trj_card_layout(const struct trj_lines *l, const char **count) {
    char *rest = l->text, *word = trj_next_word(&rest), *second = trj_next_word(&rest);
    uint64_t atoms;
    bool has_mark = second && !strcasecmp(second, "EXT");
    *count = word ? word : "";
    if (second && !has_mark) *count = trj_parse_u64(second, &atoms) ? "several numbers" : second;
    return has_mark || (trj_parse_u64(*count, &atoms) && atoms >= EXTENDED_ATOMS) ? &extended : &normal;
}

// The width of a number may be too small for it: CHARMM then writes stars.
static bool is_number(const struct trj_lines *l, size_t from, size_t width) {
    char text[MAX_WIDTH + 1];
    int64_t number;
    size_t n = trj_lines_field(l, from, width, text);
    return n && (strspn(text, "*") == n || trj_parse_i64(text, &number));
}

// Checks that the decimal point is in its column, which detects lines that lost a character or their end.
static bool is_coordinate(const struct trj_lines *l, const struct trj_card_columns *c, size_t from) {
    size_t point = from + c->real - c->decimals - 1;
    return l->length > point && l->text[point] == '.' && trj_lines_has_word(l, from, c->real);
}

// Residue numbers of CHARMM are texts: "52", "-3", "52A".
static bool parse_resid(char *text, struct trj_card_atom *atom) {
    size_t n = strlen(text);
    atom->insertion = 0;
    if (n > 1 && isalpha((unsigned char)text[n - 1])) {
        atom->insertion = text[n - 1];
        text[n - 1] = 0;
    }
    return trj_parse_i64(text, &atom->resid);
}

int trj_card_atom(const struct trj_lines *l, const struct trj_card_columns *c, size_t number,
                  struct trj_card_atom *atom, struct trj_error *err) {
    char resid[MAX_WIDTH + 1], residue[MAX_WIDTH + 1];
    if (!is_number(l, 0, c->number) || !is_number(l, c->residue, c->number))
        return trj_lines_fail(l, err, "atom %zu: no numbers of atom and residue in columns 1-%zu", number,
                              2 * c->number);
    trj_lines_field(l, c->resname, c->text, atom->resname);
    if (!trj_lines_field(l, c->name, c->text, atom->name))
        return trj_lines_fail(l, err, "atom %zu: no name in columns %zu-%zu", number, c->name + 1, c->name + c->text);
    for (size_t k = 0; k < 3; k++) {
        size_t from = c->x + k * c->real;
        if (!is_coordinate(l, c, from))
            return trj_lines_fail(l, err, "atom %zu: no coordinate with %zu decimals in columns %zu-%zu", number,
                                  c->decimals, from + 1, from + c->real);
        trj_lines_field(l, from, c->real, atom->x[k]);
    }
    trj_lines_field(l, c->segid, c->text, atom->segid);
    trj_lines_field(l, c->residue, c->number, residue);
    // Lines may end after z, and a number of stars is unknown.
    if ((!trj_lines_field(l, c->resid, c->text, resid) || !parse_resid(resid, atom)) && !parse_resid(residue, atom))
        atom->resid = 0;
    return 0;
}

bool trj_card_scan(const struct trj_lines *l, const struct trj_card_columns *c, float x[3]) {
    size_t digits = c->number - 1;
    if (l->length < c->x + 3 * c->real || (unsigned char)(l->text[digits] - '0') >= 10 ||
        (unsigned char)(l->text[2 * c->number - 1] - '0') >= 10 || l->text[c->name] == ' ')
        return false;
    for (size_t k = 0; k < 3; k++) {
        const char *field = l->text + c->x + k * c->real;
        if (field[c->real - c->decimals - 1] != '.' || !trj_scan_columns(field, c->real, &x[k])) return false;
    }
    return true;
}

bool trj_card_is(const char *head, size_t n) {
    char text[256];
    const char *end = head + n;
    const struct trj_card_columns *c = NULL;
    while (head < end) {
        const char *newline = memchr(head, '\n', (size_t)(end - head)), *count;
        size_t length = (size_t)((newline ? newline : end) - head);
        uint64_t atoms;
        if (!c && *head == '*' && newline) {
            head = newline + 1;
            continue;
        }
        if (length && head[length - 1] == '\r') length--;
        if (length >= sizeof text || memchr(head, 0, length)) return false;
        memcpy(text, head, length);
        text[length] = 0;
        const struct trj_lines l = {.text = text, .length = length};
        if (c) {
            struct trj_card_atom atom;
            struct trj_error err;
            return !trj_card_atom(&l, c, 1, &atom, &err);
        }
        if (!newline) return false;
        c = trj_card_layout(&l, &count);
        if (!trj_parse_u64(count, &atoms)) return false;
        head = newline + 1;
    }
    return false;
}
