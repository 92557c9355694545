// SPDX-License-Identifier: MIT
// Reads the FIELD of DL_POLY Classic, 4 and 5, the force field of a simulation, as a topology: names, masses and
// charges of the atoms, in the order of CONFIG and HISTORY.
//
//   title
//   UNITS ...
//   MOLECULES types              or MOLECULAR TYPES
//   for each type:               its name, in a line
//     NUMMOLS molecules
//     ATOMS atoms                then records: name mass charge [repeat [frozen ...]], until that number of atoms
//                                is reached
//     BONDS, CONSTRAINTS count   then records: key i j ...; i j ...
//     SHELL, PMF, RIGID, TETH, ANGLES, DIHEDRALS, INVERSIONS   their records are skipped
//     FINISH
//   VDW and other directives of the whole system, which are ignored
//   CLOSE
// (DL_POLY 4 manual, "The FIELD File"; DL_POLY Classic manual, chapter 4). Only the first letters of directives count,
// in upper or lower case. Words such as UNITS may precede a count.
//
// A directive is the first word of its line, as in DL_POLY 4 and 5. DL_POLY Classic looks for it in the whole line: if
// a count is too small, a word in the comment of the next record could be taken for a directive. Empty lines and those
// that begin with '#' are skipped, as in DL_POLY 4 and 5. Classic does so outside molecules only; within one, it
// rejects such a line, or reads it as a name. None of them has comments that begin with '!' or '&', so that both may
// begin names.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lines.h"
#include "memory.h"
#include "molecule_types.h"
#include "number.h"
#include "topology_parts.h"

enum { MAX_ATOMS = 1 << 28, NAME = 64 };

struct field {
    struct trj_lines *l;
    struct trj_error *err;
    struct trj_molecule_system system;
    struct trj_texts texts;
    struct trj_text_index index;
    uint64_t atoms; // of all molecules
};

// Returns whether a text begins with a directive, given by its first letters.
static bool begins(const char *text, const char *directive) {
    return !strncasecmp(text, directive, strlen(directive));
}

static bool is_comment(const char *text) {
    return !*text || *text == '#' || *text == '\r';
}

bool trj_dlpoly_field_is(const char *head, size_t n) {
    static const char *const others[] = {"units", "neutral", "multipol"};
    const char *end = head + n, *line = memchr(head, '\n', n);
    bool any = false;
    while (line && ++line < end) {
        char text[32];
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        trj_field(line, (size_t)((newline ? newline : end) - line), 0, sizeof text - 1, text);
        if (begins(text, "molecul")) return any;
        bool other = false;
        for (size_t i = 0; i < sizeof others / sizeof *others; i++) other = other || begins(text, others[i]);
        if (!other && !is_comment(text)) return false;
        any = any || other;
        line = newline;
    }
    return false;
}

// The directives within a molecule, given by their first letters.
enum directive { ATOMS, NUMMOLS, FINISH, BONDS, CONSTRAINTS, RECORDS, PMF, RIGID, UNKNOWN };

static enum directive find_directive(const char *text) {
    static const struct {
        const char *letters;
        enum directive directive;
    } known[] = {{"atoms", ATOMS},        {"nummol", NUMMOLS}, {"finish", FINISH}, {"bonds", BONDS},
                 {"constr", CONSTRAINTS}, {"shell", RECORDS},  {"teth", RECORDS},  {"angles", RECORDS},
                 {"dihedr", RECORDS},     {"invers", RECORDS}, {"pmf", PMF},       {"rigid", RIGID}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (begins(text, known[i].letters)) return known[i].directive;
    return UNKNOWN;
}

#define fail(f, ...)                                                                                                   \
    (trj_lines_fail((f)->l, (f)->err, __VA_ARGS__), -1) // the constant result lets static analysis follow the errors

// Reads the next line that is not a comment. *text is its text without blanks before it.
static int next_record(struct field *f, char **text, const char *what) {
    int got;
    while ((got = trj_lines_next(f->l, f->err)) > 0) {
        *text = f->l->text + strspn(f->l->text, " \t");
        if (!is_comment(*text)) return 0;
    }
    return got < 0 ? -1 : fail(f, "the file ends after this line, before %s", what);
}

// Parses a number as DL_POLY 4 and 5 do (word_2_real in their source): 1.5D0 and a fraction such as 3/4 are numbers,
// and a missing word, NULL, is 0.
static bool parse_real(const char *word, double *value) {
    double denominator = 1;
    const char *end = trj_scan_fortran(word ? word : "0", value);
    if (end && *end == '/') end = trj_scan_fortran(end + 1, &denominator);
    if (!end || *end) return false;
    *value /= denominator;
    return isfinite(*value);
}

// Parses a count or an index, which DL_POLY reads as a real number and rounds.
static bool parse_count(const char *word, uint64_t *value) {
    double real;
    if (!parse_real(word, &real) || !(real > -0.5) || real > 1e15) return false;
    *value = (uint64_t)(real + 0.5);
    return true;
}

// Parses the count of a directive: the first number, as in DL_POLY Classic. DL_POLY 4 and 5 read the second word, or
// the third after UNITS, TYPES or BODIES. If no word follows, the count is 0.
static int get_count(const struct field *f, char *text, uint64_t least, uint64_t *count) {
    char *rest = text;
    double number;
    const char *directive = trj_next_word(&rest), *first = trj_next_word(&rest), *word = first;
    while (!parse_real(word, &number)) word = trj_next_word(&rest);
    if (!word) word = first;
    if (parse_count(word, count) && *count >= least) return 0;
    return fail(f, "%.20s: '%.40s': expected a number of at least %llu", directive, word ? word : "",
                (unsigned long long)least);
}

static struct trj_molecule_type *molecule(struct field *f) {
    return &f->system.type[f->system.types - 1];
}

static int read_atoms(struct field *f, uint64_t count) {
    struct trj_molecule_type *k = molecule(f);
    if (k->atoms) return fail(f, "second directive ATOMS of a molecule");
    if (count > MAX_ATOMS) return fail(f, "more than %d atoms, the most that can be read", MAX_ATOMS);
    while (k->atoms < count) {
        struct trj_molecule_atom a = {0};
        char *rest, *word[4];
        uint64_t repeat;
        if (next_record(f, &rest, "all atoms of the molecule")) return -1;
        for (int i = 0; i < 4; i++) word[i] = trj_next_word(&rest);
        // DL_POLY reads a missing mass as 0, too, but a name alone is a directive or a record of another one.
        if (!word[1] || !parse_real(word[1], &a.mass) || !parse_real(word[2], &a.charge))
            return fail(f, "atom %zu of the molecule: expected a name, a mass and a charge", k->atoms);
        if (!parse_count(word[3], &repeat))
            return fail(f, "atom %zu of the molecule: '%.40s' is not a number of repetitions", k->atoms, word[3]);
        a.mass = fabs(a.mass);
        if (!repeat) repeat = 1;
        if (repeat > count - k->atoms)
            return fail(f, "%llu repetitions after %zu atoms exceed the %llu atoms of the directive ATOMS",
                        (unsigned long long)repeat, k->atoms, (unsigned long long)count);
        if (trj_text_index_add(&f->index, word[0], &a.name, f->err) ||
            trj_grow(&k->atom, &k->atom_capacity, k->atoms + repeat, sizeof *k->atom, "atoms", f->err))
            return -1;
        a.type = a.name;
        while (repeat--) k->atom[k->atoms++] = a;
    }
    return 0;
}

// A key that begins with "-" marks a potential between atoms that keep their non-bonded interactions; it is not taken
// as a bond.
static int read_bonds(struct field *f, uint64_t count, bool keys) {
    struct trj_molecule_type *k = molecule(f);
    for (uint64_t n = 0; n < count; n++) {
        char *rest;
        uint64_t atom[2];
        if (next_record(f, &rest, "all bonds of the molecule")) return -1;
        const char *key = keys ? trj_next_word(&rest) : "";
        for (int i = 0; i < 2; i++) {
            const char *word = trj_next_word(&rest);
            if (!parse_count(word, &atom[i]) || !atom[i] || atom[i] > k->atoms)
                return fail(f, "bond: '%.40s': expected an atom number from 1 to %zu", word ? word : "", k->atoms);
        }
        if (atom[0] == atom[1]) return fail(f, "a bond of atom %llu with itself", (unsigned long long)atom[0]);
        if (*key != '-' && trj_molecule_bond_add(k, (uint32_t)atom[0] - 1, (uint32_t)atom[1] - 1, f->err)) return -1;
    }
    return 0;
}

// Skips the records of a directive, so that a surplus record is rejected as an unknown directive.
static int skip_records(struct field *f, uint64_t count) {
    char *text;
    for (uint64_t n = 0; n < count; n++)
        if (next_record(f, &text, "all records of the directive")) return -1;
    return 0;
}

// Skips rigid bodies: the number of atoms and their indices, which may continue in more lines.
static int skip_rigid_bodies(struct field *f, uint64_t count) {
    for (uint64_t n = 0; n < count; n++) {
        char *rest;
        uint64_t atoms, atom;
        if (next_record(f, &rest, "all rigid bodies of the molecule")) return -1;
        const char *word = trj_next_word(&rest);
        if (!parse_count(word, &atoms) || atoms > molecule(f)->atoms)
            return fail(f, "rigid body: '%.40s': expected a number of at most %zu atoms", word ? word : "",
                        molecule(f)->atoms);
        while (atoms) {
            word = trj_next_word(&rest);
            if (word && parse_count(word, &atom))
                atoms--;
            else if (next_record(f, &rest, "all atoms of the rigid body"))
                return -1;
            else if (!isdigit((unsigned char)*rest))
                return fail(f, "rigid body: %llu atoms are missing before '%.40s'", (unsigned long long)atoms, rest);
        }
    }
    return 0;
}

// PMF gives a distance. It is followed by two directives PMF UNIT, with a number of records each.
static int skip_pmf(struct field *f, char *text) {
    char *rest = text + strcspn(text, " \t");
    uint64_t count;
    rest += strspn(rest, " \t");
    if (!begins(rest, "unit")) return 0;
    return get_count(f, text, 0, &count) || skip_records(f, count) ? -1 : 0;
}

static int unknown_directive(struct field *f, char *text) {
    const char *word = trj_next_word(&text);
    return fail(f,
                "'%.40s' is no directive of a molecule: expected nummols, atoms, shell, bonds, constraints, pmf, "
                "rigid, teth, angles, dihedrals, inversions or finish; if it begins a record, correct the count of "
                "the directive before it",
                word);
}

// Reads the records of a directive, or skips those without effect on the topology.
static int read_directive(struct field *f, char *text, enum directive directive, uint64_t *molecules) {
    uint64_t count;
    if (directive == UNKNOWN) return unknown_directive(f, text);
    if (directive == PMF) return skip_pmf(f, text);
    if (directive == NUMMOLS)
        return *molecules != UINT64_MAX ? fail(f, "second directive NUMMOLS of a molecule")
                                        : get_count(f, text, 0, molecules);
    if (get_count(f, text, directive == ATOMS, &count)) return -1;
    switch (directive) {
    case ATOMS:
        return read_atoms(f, count);
    case RIGID:
        return skip_rigid_bodies(f, count);
    case RECORDS:
        return skip_records(f, count);
    default:
        return read_bonds(f, count, directive == BONDS);
    }
}

// Reads a molecule up to FINISH. Its atoms are one residue with its name.
static int read_molecule(struct field *f) {
    uint64_t molecules = UINT64_MAX;
    char *text, name[NAME];
    uint32_t id;
    if (next_record(f, &text, "the name of a molecule")) return -1;
    trj_field(text, strlen(text), 0, sizeof name - 1, name);
    if (trj_text_index_add(&f->index, name, &id, f->err) || trj_molecule_type_add(&f->system, f->err)) return -1;
    struct trj_molecule_type *k = molecule(f);
    k->name = id;
    if (trj_grow(&k->residue, &k->residue_capacity, 1, sizeof *k->residue, "residues", f->err)) return -1;
    k->residue[k->residues++] = (struct trj_molecule_residue){.name = id, .number = 1};
    for (;;) {
        if (next_record(f, &text, "FINISH of a molecule")) return -1;
        enum directive directive = find_directive(text);
        if (directive == FINISH) break;
        if (read_directive(f, text, directive, &molecules)) return -1;
    }
    if (molecules == UINT64_MAX || !k->atoms)
        return fail(f, "the molecule '%s' has no directive %s", name, k->atoms ? "NUMMOLS" : "ATOMS");
    if (molecules > MAX_ATOMS / k->atoms || molecules * k->atoms > MAX_ATOMS - f->atoms ||
        (k->bonds && molecules > UINT32_MAX / k->bonds))
        return fail(f, "%llu molecules '%s' of %zu atoms: more than %d atoms, the most that can be read",
                    (unsigned long long)molecules, name, k->atoms, MAX_ATOMS);
    f->atoms += molecules * k->atoms;
    const uint32_t type = (uint32_t)f->system.types - 1;
    return trj_molecule_block_add(&f->system, (struct trj_molecule_block){type, (uint32_t)molecules}, f->err);
}

// Skips the directives of the whole system up to CLOSE. Records may begin with atoms that have the name of a directive.
// Those of TERSOFF, whose number of lines differs, have another name next, whereas nothing, a number or UNITS follows a
// directive of a molecule.
static int skip_system(struct field *f) {
    for (;;) {
        char *text, *rest;
        double number;
        uint64_t count;
        if (next_record(f, &text, "CLOSE")) return -1;
        if (begins(text, "close")) return 0;
        bool of_molecule = find_directive(text) != UNKNOWN || begins(text, "molecul");
        rest = text;
        const char *directive = trj_next_word(&rest), *word = trj_next_word(&rest);
        bool records = begins(text, "vdw") || begins(text, "rdf") || begins(text, "met") || begins(text, "tbp") ||
                       begins(text, "fbp");
        if (records && parse_count(word, &count) && skip_records(f, count)) return -1;
        if (of_molecule && (parse_real(word, &number) || begins(word, "unit")))
            return fail(f, "'%.20s' after the last of the %zu molecules that MOLECULES gives; correct that number",
                        directive, f->system.types);
    }
}

static int read_field(struct field *f, struct trj_topology_builder *b) {
    char *text;
    uint64_t types;
    if (trj_topology_next_line(f->l, "the title", f->err)) return -1;
    do
        if (next_record(f, &text, "MOLECULES")) return -1;
    while (!begins(text, "molecul"));
    if (get_count(f, text, 1, &types)) return -1;
    for (uint64_t i = 0; i < types; i++)
        if (read_molecule(f)) return -1;
    if (skip_system(f)) return -1;
    if (!f->atoms) return fail(f, "no atoms");
    f->system.text = f->texts.text;
    if (trj_molecule_system_build(b, &f->system, (size_t)f->atoms, f->err)) return -1;
    // What DL_POLY calls a molecule may be a whole crystal, and rigid bodies have no bonds.
    free(b->top->molecule);
    b->top->molecule = NULL;
    b->top->no_bonds = false;
    b->some_bonds = true;
    return 0;
}

int trj_dlpoly_field_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct field f = {.l = l, .err = err};
    f.index.texts = &f.texts;
    int rc = read_field(&f, b);
    trj_molecule_system_free(&f.system);
    trj_text_index_free(&f.index);
    trj_texts_clear(&f.texts);
    return rc;
}
