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
//     other directives, with records that are ignored
//     FINISH
//   VDW and other directives of the whole system, which are ignored
//   CLOSE
// (DL_POLY 4 manual, "The FIELD File"; DL_POLY Classic manual, chapter 4). Only the first letters of directives count,
// in upper or lower case.
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
    return !*text || strchr("#!&\r", *text);
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

// Parses the number after a directive of one word.
static int get_count(const struct field *f, char *text, uint64_t least, uint64_t *count) {
    char *rest = text, *word = trj_next_word(&rest);
    const char *directive = word;
    word = trj_next_word(&rest);
    if (word && begins(directive, "molecul") && begins(word, "type")) word = trj_next_word(&rest);
    if (word && trj_parse_u64(word, count) && *count >= least) return 0;
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
        uint64_t repeat = 1;
        if (next_record(f, &rest, "all atoms of the molecule")) return -1;
        for (int i = 0; i < 4; i++) word[i] = trj_next_word(&rest);
        if (!word[2] || !trj_parse_real(word[1], &a.mass) || !(a.mass >= 0) || !trj_parse_real(word[2], &a.charge))
            return fail(f, "atom %zu of the molecule: expected a name, a mass and a charge", k->atoms);
        if (word[3] && !trj_parse_u64(word[3], &repeat))
            return fail(f, "atom %zu of the molecule: '%.40s' is not a number of repetitions", k->atoms, word[3]);
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
            if (!word || !trj_parse_u64(word, &atom[i]) || !atom[i] || atom[i] > k->atoms)
                return fail(f, "bond: '%.40s': expected an atom number from 1 to %zu", word ? word : "", k->atoms);
        }
        if (atom[0] == atom[1]) return fail(f, "a bond of atom %llu with itself", (unsigned long long)atom[0]);
        if (*key != '-' && trj_molecule_bond_add(k, (uint32_t)atom[0] - 1, (uint32_t)atom[1] - 1, f->err)) return -1;
    }
    return 0;
}

// Reads a molecule up to FINISH. Its atoms are one residue with its name.
static int read_molecule(struct field *f) {
    uint64_t molecules = UINT64_MAX, count;
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
        if (begins(text, "finish")) break;
        const bool bonds = begins(text, "bonds");
        int rc = 0;
        if (begins(text, "nummol"))
            rc = molecules != UINT64_MAX ? fail(f, "second directive NUMMOLS of a molecule")
                                         : get_count(f, text, 0, &molecules);
        else if (begins(text, "atoms"))
            rc = get_count(f, text, 1, &count) || read_atoms(f, count) ? -1 : 0;
        else if (bonds || begins(text, "constr"))
            rc = get_count(f, text, 0, &count) || read_bonds(f, count, bonds) ? -1 : 0;
        if (rc) return -1;
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
    do
        if (next_record(f, &text, "CLOSE")) return -1;
    while (!begins(text, "close"));
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
