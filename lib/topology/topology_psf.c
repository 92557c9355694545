// SPDX-License-Identifier: MIT
// Reads PSF files, the CHARMM protein structure format, also as written by X-PLOR and NAMD: sections, each with its
// size and "!NAME" in its first line. An atom line is
//   number, segid, resid, resname, name, type, charge, mass, and fields that are not read,
// in columns of 8 4 4 4 4 characters, or 10 8 8 8 8 with EXT in the first line, each followed by a blank, the other
// fields free. With NAMD in the first line, blanks alone separate the fields. Bonds are pairs of atom numbers in 8
// (EXT: 10) columns, four pairs in a line. A file may lack them.
// (CHARMM documentation, io.doc; NAMD Tutorial, appendix B)
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "topology_parts.h"

enum { MAX_WIDTH = 10 };

struct layout {
    size_t number, text; // widths of numbers and of the four texts
    bool fixed;          // false: NAMD
};

bool trj_psf_is(const char *head, size_t n) {
    return n >= 3 && !memcmp(head, "PSF", 3) && (n == 3 || isspace((unsigned char)head[3]));
}

// Returns whether a line is the head of a section, "NUMBER !NAME...", and copies the text of its number to `count`.
static bool is_section(const struct trj_lines *l, const char *name, char count[32]) {
    const char *mark = strchr(l->text, '!');
    if (!mark || strncmp(mark, name, strlen(name)) || mark - l->text >= 32) return false;
    trj_lines_field(l, 0, (size_t)(mark - l->text), count);
    return isdigit((unsigned char)count[0]);
}

static int parse_count(const struct trj_lines *l, const char *text, const char *what, uint64_t *count,
                       struct trj_error *err) {
    if (!trj_parse_u64(text, count)) return trj_lines_fail(l, err, "'%s' is not a number of %s", text, what);
    if (*count > UINT32_MAX) return trj_lines_fail(l, err, "%s %s: at most %u can be read", text, what, UINT32_MAX);
    return 0;
}

struct psf_fields {
    char *number, *segid, *resid, *resname, *name, *type, *charge, *mass;
};

// Cuts a copy of the line into fields by columns. Returns false if the line does not have these columns.
static bool cut_columns(const struct trj_lines *l, const struct layout *layout, char *copy, struct psf_fields *f) {
    size_t from[5], end[5], n = 0;
    for (size_t k = 0; k < 5; k++) {
        size_t width = k ? layout->text : layout->number;
        if (n + width >= l->length || l->text[n + width] != ' ') return false;
        from[k] = n;
        end[k] = n + width;
        bool blank = trj_lines_field(l, from[k], width, copy) == 0;
        // Only segment and residue name may be missing. A blank inside a field shows that the columns are different.
        if (blank ? k != 1 && k != 3 : !trj_lines_has_word(l, from[k], width)) return false;
        n += width + 1;
    }
    char **texts[5] = {&f->number, &f->segid, &f->resid, &f->resname, &f->name};
    memcpy(copy, l->text, l->length + 1);
    for (size_t k = 0; k < 5; k++) {
        copy[end[k]] = 0;
        char *rest = copy + from[k], *word = trj_next_word(&rest);
        *texts[k] = word ? word : copy + end[k];
    }
    char *rest = copy + n;
    return (f->type = trj_next_word(&rest)) && (f->charge = trj_next_word(&rest)) && (f->mass = trj_next_word(&rest));
}

static bool cut_words(char *text, struct psf_fields *f) {
    char **all[] = {&f->number, &f->segid, &f->resid, &f->resname, &f->name, &f->type, &f->charge, &f->mass};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        if (!(*all[k] = trj_next_word(&text))) return false;
    return true;
}

// Residue numbers of CHARMM are texts: "52", "-3", "52A".
static bool parse_resid(const char *text, int64_t *resid, char *insertion) {
    char digits[MAX_WIDTH * 2];
    size_t n = strlen(text);
    *insertion = 0;
    if (n >= sizeof digits) return false;
    memcpy(digits, text, n + 1);
    if (n > 1 && isalpha((unsigned char)digits[n - 1])) {
        *insertion = digits[n - 1];
        digits[n - 1] = 0;
    }
    return trj_parse_i64(digits, resid);
}

static bool all_stars(const char *text) {
    return *text && strspn(text, "*") == strlen(text);
}

// Sets *atom, whose texts are those of *f. Returns what is wrong with the fields, or NULL.
static const char *parse_fields(const struct psf_fields *f, uint64_t expected, struct trj_topology_atom *atom) {
    uint64_t number;
    if (!all_stars(f->number)) { // stars: the number is wider than its columns
        if (!trj_parse_u64(f->number, &number)) return "the atom number is not a number";
        if (number != expected) return "unexpected atom number";
    }
    if (!parse_resid(f->resid, &atom->resid, &atom->insertion)) return "the residue number is not a number";
    if (!trj_parse_real(f->charge, &atom->charge)) return "the charge is not a number";
    if (!trj_parse_real(f->mass, &atom->mass)) return "the mass is not a number";
    if (atom->mass < 0) return "the mass is negative";
    atom->segid = f->segid;
    atom->resname = f->resname;
    atom->name = f->name;
    atom->type = f->type;
    return NULL;
}

static int read_atom(struct trj_topology_builder *b, const struct trj_lines *l, const struct layout *layout, char *copy,
                     struct trj_error *err) {
    struct trj_topology_atom atom = {0};
    struct psf_fields f;
    uint64_t expected = (uint64_t)b->top->atoms + 1;
    const char *wrong = NULL;
    if (layout->fixed && cut_columns(l, layout, copy, &f) && !(wrong = parse_fields(&f, expected, &atom)))
        return trj_topology_add(b, &atom, err);
    // Many programs write other columns than the first line of the file states. Blanks then separate the fields.
    memcpy(copy, l->text, l->length + 1);
    if (!cut_words(copy, &f)) {
        if (!wrong) wrong = "too few fields";
    } else if (!(wrong = parse_fields(&f, expected, &atom))) {
        return trj_topology_add(b, &atom, err);
    }
    return trj_lines_fail(l, err, "atom %llu: %s: '%.80s'", (unsigned long long)expected, wrong, l->text);
}

static int read_atoms(struct trj_topology_builder *b, struct trj_lines *l, const struct layout *layout, uint64_t count,
                      struct trj_error *err) {
    int rc = -1;
    char *copy = NULL;
    size_t capacity = 0;
    for (uint64_t i = 0; i < count; i++) {
        int got = trj_lines_next(l, err);
        if (got < 0) goto out;
        if (!got) {
            trj_lines_fail(l, err, "the file ends after %zu of %llu atoms", b->top->atoms, (unsigned long long)count);
            goto out;
        }
        if (trj_grow(&copy, &capacity, l->length + MAX_WIDTH + 1, 1, "a line", err) ||
            read_atom(b, l, layout, copy, err))
            goto out;
    }
    rc = 0;
out:
    free(copy);
    return rc;
}

// Returns the next number of a line, or NULL. There is no blank between numbers that fill their columns of this width;
// `width` 0: blanks always separate numbers.
static char *next_number(char **rest, size_t width, char number[MAX_WIDTH + 1]) {
    while (**rest == ' ' || **rest == '\t') ++*rest;
    size_t run = strspn(*rest, "0123456789");
    if (!width || run <= width) return trj_next_word(rest);
    size_t n = run % width ? run % width : width; // the first may be shorter, with blanks before it
    memcpy(number, *rest, n);
    number[n] = 0;
    *rest += n;
    return number;
}

static int read_bonds(struct trj_topology *top, struct trj_lines *l, const struct layout *layout, uint64_t count,
                      struct trj_error *err) {
    size_t capacity = 0;
    uint64_t have = 0; // atom numbers
    while (have < 2 * count) {
        int got = trj_lines_next(l, err);
        if (got < 0) return -1;
        if (!got)
            return trj_lines_fail(l, err, "the file ends after %llu of %llu bonds", (unsigned long long)(have / 2),
                                  (unsigned long long)count);
        if (strchr(l->text, '!'))
            return trj_lines_fail(l, err, "the next section begins after %llu of %llu bonds",
                                  (unsigned long long)(have / 2), (unsigned long long)count);
        char *rest = l->text, buffer[MAX_WIDTH + 1];
        for (char *word; (word = next_number(&rest, layout->fixed ? layout->number : 0, buffer)); have++) {
            uint64_t atom, k = have / 2;
            if (have == 2 * count)
                return trj_lines_fail(l, err, "more than the %llu bonds of !NBOND", (unsigned long long)count);
            if (!trj_parse_u64(word, &atom))
                return trj_lines_fail(l, err, "bond %llu of %llu: '%.40s' is not an atom number",
                                      (unsigned long long)k + 1, (unsigned long long)count, word);
            if (atom < 1 || atom > top->atoms)
                return trj_lines_fail(l, err, "bond %llu: invalid atom number %llu, expected 1 to %zu",
                                      (unsigned long long)k + 1, (unsigned long long)atom, top->atoms);
            if (trj_grow(&top->bond, &capacity, (size_t)k + 1, sizeof *top->bond, "bonds", err)) return -1;
            top->bond[k][have % 2] = (uint32_t)(atom - 1);
        }
    }
    top->bonds = (size_t)count;
    return 0;
}

static int guess_elements(struct trj_topology *top, struct trj_error *err) {
    bool masses = false; // some builders write only zeros
    for (size_t i = 0; i < top->atoms && !masses; i++) masses = top->mass[i] > 0;
    return trj_topology_guess_elements(top, NULL, masses, err);
}

// Finds the section !NBOND and copies its number to `count`. Returns 1, 0 for a file without bonds that ends in a
// complete line, or -1. If other text than a section follows the atoms, their number is wrong, which is an error.
static int find_bonds(const struct trj_topology *top, struct trj_lines *l, char count[32], struct trj_error *err) {
    int got;
    do got = trj_lines_next(l, err);
    while (got == 1 && strspn(l->text, " \t") == l->length);
    if (got == 1 && !is_section(l, "!", count))
        return trj_lines_fail(l, err, "'%.40s' after the %zu atoms of !NATOM: expected another section, as !NBOND",
                              l->text, top->atoms);
    while (got == 1 && !is_section(l, "!NBOND", count)) got = trj_lines_next(l, err);
    return got ? got : trj_topology_check_newline(l, err);
}

int trj_psf_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct layout layout = {.number = 8, .text = 4, .fixed = true};
    char text[32];
    uint64_t atoms, bonds = 0;
    int got = trj_lines_next(l, err);
    if (got < 0) return -1;
    if (!got || !trj_psf_is(l->text, l->length)) return trj_lines_fail(l, err, "does not begin with PSF");
    char *rest = l->text;
    for (char *flag; (flag = trj_next_word(&rest));) {
        if (!strcmp(flag, "EXT")) layout.number = 10, layout.text = 8;
        if (!strcmp(flag, "NAMD")) layout.fixed = false;
    }
    do got = trj_lines_next(l, err);
    while (got == 1 && !is_section(l, "!NATOM", text));
    if (got < 0) return -1;
    if (!got) return trj_lines_fail(l, err, "the file ends without a section !NATOM");
    if (parse_count(l, text, "atoms", &atoms, err)) return -1;
    if (!atoms) return trj_lines_fail(l, err, "no atoms");
    b->has_mass = b->has_charge = true;
    if (read_atoms(b, l, &layout, atoms, err)) return -1;
    got = find_bonds(b->top, l, text, err);
    if (got < 0) return -1;
    if (got && (parse_count(l, text, "bonds", &bonds, err) || read_bonds(b->top, l, &layout, bonds, err))) return -1;
    b->top->no_bonds = got && !bonds;
    return guess_elements(b->top, err);
}
