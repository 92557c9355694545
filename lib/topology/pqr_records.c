// SPDX-License-Identifier: MIT
// Reads lines of PQR files, by words or columns, and distinguishes PQR from PDB by the last fields.
#include "pqr_records.h"

#include <ctype.h>
#include <string.h>

#include "number.h"
#include "pdb_records.h"

enum { MAX_FIELDS = 12 };

struct word {
    const char *text;
    size_t length;
};

// Lists the words of a text. Returns their number, at most MAX_FIELDS.
static size_t find_words(const char *text, struct word word[MAX_FIELDS]) {
    size_t n = 0;
    for (const char *p = text + strspn(text, " \t"); *p && n < MAX_FIELDS; p += strspn(p, " \t")) {
        word[n] = (struct word){p, strcspn(p, " \t")};
        p += word[n++].length;
    }
    return n;
}

static bool copy(char to[TRJ_PQR_FIELD], const char *text, size_t length) {
    if (length >= TRJ_PQR_FIELD) return false;
    memcpy(to, text, length);
    to[length] = 0;
    return true;
}

static bool copy_number(char to[TRJ_PQR_FIELD], const struct word *w) {
    double value;
    return copy(to, w->text, w->length) && trj_parse_real(to, &value);
}

// Parses "52" or "52A".
static bool parse_resid(struct trj_pqr_atom *a) {
    const char *end = trj_scan_i64(a->resid, &a->number);
    a->insertion = end ? *end : (char)0;
    return end && (!*end || (isalpha((unsigned char)*end) && !end[1]));
}

// Parses the last five words x, y, z, charge and radius.
static bool parse_numbers(struct trj_pqr_atom *a, const struct word word[5]) {
    for (size_t k = 0; k < 3; k++)
        if (!copy_number(a->x[k], &word[k])) return false;
    return copy_number(a->charge, &word[3]) && copy_number(a->radius, &word[4]);
}

// Separates the name of the record from a serial number that touches it, as in "HETATM10571". `word` has n words.
// Returns their new number.
static size_t split_record(struct word word[MAX_FIELDS], size_t n) {
    static const char hetatm[] = "HETATM";
    size_t length = strlen(hetatm);
    if (!n || n >= MAX_FIELDS || word[0].length <= length || strncmp(word[0].text, hetatm, length)) return n;
    memmove(word + 2, word + 1, (n - 1) * sizeof *word);
    word[1] = (struct word){word[0].text + length, word[0].length - length};
    word[0].length = length;
    return n + 1;
}

// Parses fields that blanks separate. The chain may touch the residue number: "A1000".
static bool parse_words(const char *line, struct trj_pqr_atom *a) {
    struct word word[MAX_FIELDS];
    size_t n = find_words(line, word);
    n = split_record(word, n);
    const size_t resid = n - 6;
    if (n != 10 && n != 11) return false;
    bool record = word[0].length == strlen(word[0].text[0] == 'A' ? "ATOM" : "HETATM");
    if (!record || !parse_numbers(a, &word[n - 5]) || !copy(a->name, word[2].text, word[2].length) ||
        !copy(a->resname, word[3].text, word[3].length) || !copy(a->resid, word[resid].text, word[resid].length))
        return false;
    *a->chain = 0;
    if (n == 11 && !copy(a->chain, word[4].text, word[4].length)) return false;
    if (parse_resid(a)) return true;
    bool touches = n == 10 && isalpha((unsigned char)a->resid[0]);
    if (!touches) return false;
    copy(a->chain, a->resid, 1);
    memmove(a->resid, a->resid + 1, strlen(a->resid));
    return parse_resid(a);
}

static bool parse_columns(const struct trj_lines *l, struct trj_pqr_atom *a) {
    struct word word[MAX_FIELDS];
    enum { END = TRJ_PDB_XYZ + 3 * TRJ_PDB_XYZ_WIDTH };
    double value;
    if (l->length <= END || find_words(l->text + END, word) != 2) return false;
    if (!trj_lines_field(l, TRJ_PDB_NAME, 4, a->name)) return false;
    trj_lines_field(l, TRJ_PDB_RESNAME, 4, a->resname);
    trj_lines_field(l, TRJ_PDB_CHAIN, 1, a->chain);
    trj_lines_field(l, TRJ_PDB_RESID, 5, a->resid);
    for (size_t k = 0; k < 3; k++) {
        trj_lines_field(l, TRJ_PDB_XYZ + k * TRJ_PDB_XYZ_WIDTH, TRJ_PDB_XYZ_WIDTH, a->x[k]);
        if (!trj_parse_real(a->x[k], &value)) return false;
    }
    return copy_number(a->charge, &word[0]) && copy_number(a->radius, &word[1]) && parse_resid(a);
}

int trj_pqr_atom(const struct trj_lines *l, size_t number, struct trj_pqr_atom *atom, struct trj_error *err) {
    if (parse_words(l->text, atom) || parse_columns(l, atom)) return 0;
    return trj_lines_fail(l, err,
                          "atom %zu: not a PQR line: expected serial number, name, residue name, chain (optional), "
                          "residue number, x, y, z, charge and radius",
                          number);
}

// Returns whether the columns of occupancy and B factor of a PDB line contain a number each, or are blank.
static bool has_pdb_columns(const struct trj_lines *l) {
    static const size_t from[] = {TRJ_PDB_OCCUPANCY, TRJ_PDB_BFACTOR};
    char text[3][9], number[TRJ_PDB_VALUE_WIDTH + 1];
    struct trj_error ignored;
    double value;
    if (trj_pdb_coordinates(l, 0, text, &ignored)) return false;
    for (size_t k = 0; k < 3; k++)
        if (!trj_parse_real(text[k], &value)) return false;
    for (size_t k = 0; k < 2; k++) {
        size_t end = from[k] + TRJ_PDB_VALUE_WIDTH;
        if (trj_lines_field(l, from[k], TRJ_PDB_VALUE_WIDTH, number) && !trj_parse_real(number, &value)) return false;
        if (l->length > end && l->text[end - 1] != ' ' && l->text[end] != ' ') return false;
    }
    return true;
}

// The kind of the first atom line in the first n bytes of a file.
enum pqr_like {
    PQR_NOT = 1,  // not a PQR line
    PQR_ALSO = 2, // both a PQR and a PDB line, or there is no complete atom line: the name of the file must decide
    PQR_ONLY = 3, // a PQR line, but not a PDB line
};
static enum pqr_like find_kind(const char *head, size_t n) {
    char text[512];
    struct trj_pqr_atom atom;
    while (n) {
        const char *end = memchr(head, '\n', n);
        size_t length = end ? (size_t)(end - head) : n;
        if (length < sizeof text) {
            memcpy(text, head, length);
            text[length] = 0;
            if (length && text[length - 1] == '\r') text[length - 1] = 0;
            const struct trj_lines line = {.text = text, .length = strlen(text)};
            struct trj_error ignored;
            if (trj_pdb_record(&line) == TRJ_PDB_ATOM)
                return trj_pqr_atom(&line, 0, &atom, &ignored) ? PQR_NOT : has_pdb_columns(&line) ? PQR_ALSO : PQR_ONLY;
        }
        if (!end) break;
        n -= length + 1;
        head = end + 1;
    }
    return PQR_ALSO;
}

bool trj_pdb_is(const char *head, size_t n) {
    return trj_pdb_begins(head, n) && find_kind(head, n) != PQR_ONLY;
}

bool trj_pqr_is(const char *head, size_t n) {
    return trj_pdb_begins(head, n) && find_kind(head, n) != PQR_NOT;
}
