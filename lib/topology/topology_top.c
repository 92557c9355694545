// SPDX-License-Identifier: MIT
// Reads GROMACS topologies: top files, and itp files of molecules (GROMACS reference manual, "Topology file formats";
// src/gromacs/gmxpreprocess/topio.cpp and toppush.cpp). After the preprocessor (top_lines.h), they consist of sections,
// whose names are compared without regard to case, '-' and '_':
//   [ defaults ]      potential: 1 or 2 (Buckingham); combination rule: 1, 2, 3; whether pairs are generated, factors
//                     of 1-4 pairs, exponent of the repulsion; all but the first two may be missing
//   [ atomtypes ]     name, [type of bonds], [atomic number], mass, charge, particle (a letter), and C6, C12 (rule 1)
//                     or sigma, epsilon (2 and 3), in nm and kJ/mol
//   [ nonbond_params ]  two types, potential, the same parameters; those of a type with itself replace those above
//   [ moleculetype ]  name, number of bonds within which atoms are excluded; then sections of this molecule:
//   [ atoms ]         number, type, residue number, residue, name, charge group, [charge], [mass], [state B]
//   [ bonds ], [ constraints ]  two atoms, [function], parameters; [ settles ]  the oxygen of a water, ...
//   [ molecules ]     name of a molecule type, number of molecules
// Charges and masses that are missing are those of the type. Bonds are those that GROMACS treats as chemical: bonds of
// types 1 to 5, 7 and 8, constraints of type 1, and the two of each SETTLE. Without [ molecules ], as in an itp file,
// there is one molecule of each type.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "memory.h"
#include "molecule_types.h"
#include "number.h"
#include "top_lines.h"
#include "topology_parts.h"

// A few bytes can state 2^31 molecules. The memory that their atoms need is limited to about 20 GB.
enum { MAX_ATOMS = 1 << 28, MAX_BONDS = 1 << 29, MAX_WORDS = 16 };

enum use {
    UNKNOWN,
    IGNORED,
    DEFAULTS,
    ATOMTYPES,
    NONBOND,
    MOLECULETYPE,
    ATOMS,
    BONDS,
    CONSTRAINTS,
    SETTLES,
    OF_MOLECULE, // ignored, in a molecule type
    SYSTEM,
    INTERMOLECULAR,
    MOLECULES
};

static const struct section {
    const char *name; // in lower case, without '-' and '_'
    enum use use;
    bool first; // may be the first section of a file, and has a name that no other format uses
} sections[] = {
    {"defaults", DEFAULTS, true},
    {"atomtypes", ATOMTYPES, true},
    {"nonbondparams", NONBOND, true},
    {"moleculetype", MOLECULETYPE, true},
    {"bondtypes", IGNORED, true},
    {"constrainttypes", IGNORED, true},
    {"pairtypes", IGNORED, true},
    {"angletypes", IGNORED, true},
    {"dihedraltypes", IGNORED, true},
    {"cmaptypes", IGNORED, true},
    {"implicitgenbornparams", IGNORED, true},
    {"implicitsurfaceparams", IGNORED, true},
    {"atoms", ATOMS, false},
    {"bonds", BONDS, false},
    {"constraints", CONSTRAINTS, false},
    {"settles", SETTLES, false},
    {"virtualsites1", OF_MOLECULE, false},
    {"virtualsites2", OF_MOLECULE, false},
    {"virtualsites3", OF_MOLECULE, false},
    {"virtualsites4", OF_MOLECULE, false},
    {"virtualsitesn", OF_MOLECULE, false},
    {"dummies1", OF_MOLECULE, false}, // former names of virtual sites
    {"dummies2", OF_MOLECULE, false},
    {"dummies3", OF_MOLECULE, false},
    {"dummies4", OF_MOLECULE, false},
    {"dummiesn", OF_MOLECULE, false},
    {"exclusions", OF_MOLECULE, false},
    {"pairs", OF_MOLECULE, false},
    {"pairsnb", OF_MOLECULE, false},
    {"angles", OF_MOLECULE, false},
    {"dihedrals", OF_MOLECULE, false},
    {"polarization", OF_MOLECULE, false},
    {"waterpolarization", OF_MOLECULE, false},
    {"tholepolarization", OF_MOLECULE, false},
    {"positionrestraints", OF_MOLECULE, false},
    {"anglerestraints", OF_MOLECULE, false},
    {"anglerestraintsz", OF_MOLECULE, false},
    {"distancerestraints", OF_MOLECULE, false},
    {"orientationrestraints", OF_MOLECULE, false},
    {"dihedralrestraints", OF_MOLECULE, false},
    {"cmap", OF_MOLECULE, false},
    {"system", SYSTEM, false},
    {"intermolecularinteractions", INTERMOLECULAR, false},
    {"molecules", MOLECULES, false},
};

struct atom_type {
    double mass, charge, c[2], self[2]; // self: of [ nonbond_params ], NaN: none
    int32_t number;
};

struct top {
    struct trj_top_lines *lines;
    struct trj_error *err;
    struct trj_texts texts, type_names;
    struct trj_text_index index, types;
    struct atom_type *type; // [type_names.count]
    size_t type_capacity;
    struct trj_molecule_system system;
    enum use use;
    bool defaults, in_molecule, intermolecular, some_molecules, lacks_newline;
    int64_t potential, rule;
    double power; // of the repulsion
    uint64_t atoms, bonds;
};

// ---- detection

// Returns the section whose name is between '[' and ']' at the start of a text; NULL: it is none of them.
static const struct section *find_section(const char *text) {
    char name[32];
    size_t n = 0;
    for (text++; *text && *text != ']' && *text != '\n' && n < sizeof name - 1; text++)
        if (!isspace((unsigned char)*text) && *text != '-' && *text != '_')
            name[n++] = (char)tolower((unsigned char)*text);
    name[n] = 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        if (!strcmp(name, sections[i].name)) return &sections[i];
    return NULL;
}

// Returns whether the text after a '#' is a directive, and sets *includes if it includes an itp or top file.
static bool is_directive(const char *text, bool *includes) {
    static const char *const names[] = {"include", "define", "undef", "ifdef", "ifndef", "else", "endif"};
    while (trj_is_blank(*text)) text++;
    size_t n = strcspn(text, " \t\r"), k = 0;
    while (k < sizeof names / sizeof *names && (strlen(names[k]) != n || strncmp(text, names[k], n) != 0)) k++;
    *includes = *includes || (!k && (strstr(text, ".itp") || strstr(text, ".top")));
    return k < sizeof names / sizeof *names;
}

// Comments and directives come before a section, or end the file. An index file begins with a section, too, such as
// "[ System ]".
bool trj_top_is(const char *head, size_t n) {
    char line[256];
    bool includes = false;
    const char *end = head + n;
    while (head < end) {
        const char *newline = memchr(head, '\n', (size_t)(end - head));
        size_t length = (size_t)((newline ? newline : end) - head);
        size_t kept = length < sizeof line - 1 ? length : sizeof line - 1;
        memcpy(line, head, kept);
        line[kept] = 0;
        if (strlen(line) < kept) return false;
        const char *text = line + strspn(line, " \t\r");
        if (*text == '[') {
            const struct section *s = find_section(text);
            return s && (s->first || includes);
        }
        if (*text == '#' ? !is_directive(text + 1, &includes) : *text && *text != ';' && *text != '*') return false;
        head += length + 1;
    }
    return includes;
}

// ---- parameters of the force field

#define fail(t, ...) trj_top_lines_fail((t)->lines, (t)->err, __VA_ARGS__)

// Finds the words of a line. Returns their number; those after the first MAX_WORDS are left out.
static size_t find_words(char *text, char *word[MAX_WORDS]) {
    size_t n = 0;
    while (n < MAX_WORDS && (word[n] = trj_next_word(&text))) n++;
    return n;
}

// Returns the place of a word among names, or its value if it is a number; -1: neither.
static int64_t choice(const char *word, const char *const names[], size_t count) {
    int64_t value = -1;
    for (size_t i = 0; i < count; i++)
        if (!strcasecmp(word, names[i])) return (int64_t)i + 1;
    return trj_parse_i64(word, &value) && value >= 1 && value <= (int64_t)count ? value : -1;
}

static int read_defaults(struct top *t, char *const word[], size_t n) {
    static const char *const potentials[] = {"LJ", "Buckingham"};
    static const char *const rules[] = {"Geometric", "Arithmetic", "GeomSigEps"};
    if (t->defaults) return fail(t, "second [ defaults ]; leave one of them out");
    if (n < 2) return fail(t, "[ defaults ]: %zu fields, expected potential and combination rule", n);
    t->potential = choice(word[0], potentials, sizeof potentials / sizeof *potentials);
    t->rule = choice(word[1], rules, sizeof rules / sizeof *rules);
    if (t->potential < 0) return fail(t, "[ defaults ]: '%.40s' is no potential, expected 1 or 2", word[0]);
    if (t->rule < 0) return fail(t, "[ defaults ]: '%.40s' is no combination rule, expected 1, 2 or 3", word[1]);
    if (n > 5 && !trj_parse_real(word[5], &t->power))
        return fail(t, "[ defaults ]: '%.40s' is no exponent of the repulsion", word[5]);
    t->defaults = true;
    return 0;
}

// Sets *type to the number of an atom type, which is added if it is new.
static int find_type(struct top *t, const char *name, uint32_t *type) {
    size_t before = t->type_names.count;
    if (trj_text_index_add(&t->types, name, type, t->err) ||
        trj_grow(&t->type, &t->type_capacity, t->type_names.count, sizeof *t->type, "types", t->err))
        return -1;
    if (t->type_names.count > before)
        t->type[*type] = (struct atom_type){.mass = NAN, .charge = NAN, .c = {NAN, NAN}, .self = {NAN, NAN}};
    return 0;
}

static int read_reals(struct top *t, char *const word[], size_t n, const char *section, double value[]) {
    for (size_t i = 0; i < n; i++)
        if (!trj_parse_real(word[i], &value[i]))
            return fail(t, "[ %s ]: '%.40s' is not a number; if it is a macro, set it with --define", section, word[i]);
    return 0;
}

// Reads the integer at the start of a word, as scanf does in grompp: 6 in "6.0".
static bool read_integer(const char *word, int64_t *value) {
    return trj_scan_i64(word, value) != NULL;
}

static bool is_mass(double mass) {
    return mass >= 0 && mass < 1e6;
}

static bool is_charge(double charge) {
    return charge > -1e6 && charge < 1e6;
}

static bool is_letter(const char *word) {
    return isalpha((unsigned char)*word) && !word[1];
}

// The letter of the particle shows which of the two optional columns are present, by the same rule as in GROMACS: a
// type of bonds can be a letter, too.
static int read_atomtype(struct top *t, char *const word[], size_t n) {
    size_t parameters = t->potential == 2 ? 3 : 2, particle = 4;
    double values[2], c[2];
    int64_t number = 0;
    uint32_t type;
    if (n >= 6 && is_letter(word[5]))
        particle = 5;
    else if (n >= 4 && is_letter(word[3]))
        particle = 3;
    if (n <= particle || !is_letter(word[particle]))
        return fail(t, "[ atomtypes ]: no letter of a particle (A, D, S, V) in column 4, 5 or 6");
    if (!strchr("aAdDsSvVbBnN", *word[particle]))
        return fail(t, "[ atomtypes ]: '%s' is no particle, expected A, D, S or V", word[particle]);
    if (n < particle + 1 + parameters)
        return fail(t, "[ atomtypes ]: %zu fields, expected %zu", n, particle + 1 + parameters);
    bool has_number = particle == 5 || (particle == 4 && trj_parse_i64(word[1], &number));
    if (particle == 5 && !trj_parse_i64(word[2], &number))
        return fail(t, "[ atomtypes ]: '%.40s' is no atomic number", word[2]);
    if (read_reals(t, word + particle - 2, 2, "atomtypes", values) ||
        read_reals(t, word + particle + 1, 2, "atomtypes", c) || find_type(t, word[0], &type))
        return -1;
    if (!is_mass(values[0]) || !is_charge(values[1]))
        return fail(t, "[ atomtypes ]: invalid mass or charge of %.40s", word[0]);
    struct atom_type *a = &t->type[type];
    a->mass = values[0];
    a->charge = values[1];
    a->number = has_number && number > 0 && number < INT32_MAX ? (int32_t)number : 0;
    memcpy(a->c, c, sizeof c);
    return 0;
}

static int read_nonbond(struct top *t, char *const word[], size_t n) {
    uint32_t type;
    int64_t potential;
    if (n < 3) return fail(t, "[ nonbond_params ]: %zu fields, expected two types, potential and parameters", n);
    if (!read_integer(word[2], &potential))
        return fail(t, "[ nonbond_params ]: the potential '%.40s' is not a whole number", word[2]);
    // grompp takes every number but 1 as Buckingham.
    if (t->defaults && (potential == 1) != (t->potential == 1))
        return fail(t, "[ nonbond_params ]: potential %lld, expected that of [ defaults ], %lld", (long long)potential,
                    (long long)t->potential);
    if (strcmp(word[0], word[1]) != 0) return 0;
    if (n < 5) return fail(t, "[ nonbond_params ]: %zu fields, expected 5", n);
    if (find_type(t, word[0], &type)) return -1;
    return read_reals(t, word + 3, 2, "nonbond_params", t->type[type].self);
}

// Sets sigma and epsilon of all types: those between two atoms of the type, by the combination rule or from
// [ nonbond_params ]. The rules make them positive; a negative sigma means that there is no attraction.
static int set_lj(struct top *t) {
    struct trj_molecule_system *s = &t->system;
    if (!t->defaults || trj_molecule_lj_start(s, t->type_names.count, t->err)) return t->defaults ? -1 : 0;
    s->lj_from = t->rule == 1 ? "C6 and C12 of atomtypes" : "sigma and epsilon of atomtypes";
    for (size_t i = 0; i < t->type_names.count && t->potential == 1 && t->power == 12; i++) {
        const struct atom_type *a = &t->type[i];
        bool own = isnan(a->self[0]);
        double c0 = own ? a->c[0] : a->self[0], c1 = own ? fabs(a->c[1]) : a->self[1];
        if (t->rule == 1)
            trj_molecule_lj_set(s, i, own ? fabs(c0) : c0, c1);
        else if (c0 == 0 || c1 == 0)
            s->sigma[i] = s->epsilon[i] = 0;
        else if (c0 > 0 && c1 > 0) {
            s->sigma[i] = 10 * c0;
            s->epsilon[i] = c1 / 4.184;
        }
    }
    return 0;
}

// ---- molecule types

static struct trj_molecule_type *molecule(struct top *t) {
    return &t->system.type[t->system.types - 1];
}

static const char *name_of(const struct top *t, const struct trj_molecule_type *k) {
    return t->texts.text[k->name];
}

static int read_moleculetype(struct top *t, char *const word[], size_t n) {
    uint32_t name;
    int64_t excluded;
    if (n < 2 || !trj_parse_i64(word[1], &excluded))
        return fail(t, "[ moleculetype ]: expected a name and the number of bonds within which atoms are excluded");
    if (trj_text_index_add(&t->index, word[0], &name, t->err)) return -1;
    for (size_t i = 0; i < t->system.types; i++)
        if (t->system.type[i].name == name) return fail(t, "second molecule type '%.100s'", word[0]);
    if (trj_molecule_type_add(&t->system, t->err)) return -1;
    molecule(t)->name = name;
    t->in_molecule = true;
    return 0;
}

// Sets the residue of an atom, whose number may have an insertion code: "52A". A residue ends where its number, code or
// name changes.
static int set_residue(struct top *t, const char *word, const char *name, uint32_t *residue) {
    struct trj_molecule_type *k = molecule(t);
    char digits[24];
    size_t n = strlen(word);
    int64_t number;
    uint32_t text;
    char insertion = 0;
    if (n && n < sizeof digits) memcpy(digits, word, n + 1);
    if (n > 1 && n < sizeof digits && !isdigit((unsigned char)word[n - 1])) {
        insertion = word[n - 1];
        digits[n - 1] = 0;
    }
    if (n >= sizeof digits || !trj_parse_i64(digits, &number) || number < INT32_MIN || number > INT32_MAX)
        return fail(t, "[ atoms ]: '%.40s' is no residue number", word);
    if (trj_text_index_add(&t->index, name, &text, t->err)) return -1;
    const struct trj_molecule_residue *last = k->residues ? &k->residue[k->residues - 1] : NULL;
    if (!last || last->name != text || last->number != number || last->insertion != insertion) {
        if (trj_grow(&k->residue, &k->residue_capacity, k->residues + 1, sizeof *k->residue, "residues", t->err))
            return -1;
        k->residue[k->residues++] = (struct trj_molecule_residue){text, (int32_t)number, insertion};
    }
    *residue = (uint32_t)k->residues - 1;
    return 0;
}

// Checks the columns of state B, which are not used: with a column too many or too few before them, grompp finds no
// type there. Their type must be one of [ atomtypes ], if the force field was read. grompp ignores what follows a
// charge or mass that is not a number.
static int check_state_b(struct top *t, char *const word[], size_t n) {
    uint32_t type;
    double value;
    if (t->defaults && n > 8 &&
        (!trj_text_index_find(&t->types, word[8], strlen(word[8]), &type) || isnan(t->type[type].mass)))
        return fail(t, "[ atoms ]: the type '%.40s' of state B is in no section [ atomtypes ]", word[8]);
    if (n > 11 && trj_parse_real(word[9], &value) && trj_parse_real(word[10], &value))
        return fail(t, "[ atoms ]: %zu fields, expected 11 or fewer", n);
    return 0;
}

// Charge and mass are those of the type if they are missing, which is filled in at the end of the file.
static int read_atom(struct top *t, char *const word[], size_t n) {
    struct trj_molecule_type *k = molecule(t);
    double values[2] = {NAN, NAN};
    int64_t number, group;
    if (n < 6) return fail(t, "[ atoms ]: %zu fields, expected 6 or more", n);
    if (!trj_parse_i64(word[0], &number) || number != (int64_t)k->atoms + 1)
        return fail(t, "[ atoms ]: atom number '%.40s', expected %zu", word[0], k->atoms + 1);
    if (!read_integer(word[5], &group))
        return fail(t, "[ atoms ]: charge group '%.40s' in column 6, expected an integer", word[5]);
    if (read_reals(t, word + 6, n > 7 ? 2 : n - 6, "atoms", values)) return -1;
    if ((n > 6 && !is_charge(values[0])) || (n > 7 && !is_mass(values[1])))
        return fail(t, "[ atoms ]: invalid mass or charge");
    if (check_state_b(t, word, n)) return -1;
    if (trj_grow(&k->atom, &k->atom_capacity, k->atoms + 1, sizeof *k->atom, "atoms", t->err)) return -1;
    struct trj_molecule_atom *a = &k->atom[k->atoms];
    *a = (struct trj_molecule_atom){.mass = values[1], .charge = values[0]};
    if (find_type(t, word[1], &a->lj) || trj_text_index_add(&t->index, word[1], &a->type, t->err) ||
        trj_text_index_add(&t->index, word[4], &a->name, t->err) || set_residue(t, word[2], word[3], &a->residue))
        return -1;
    k->atoms++;
    return 0;
}

static int read_index(struct top *t, const char *word, const char *section, uint32_t *atom) {
    int64_t number;
    if (!trj_parse_i64(word, &number) || number < 1 || (uint64_t)number > molecule(t)->atoms) {
        fail(t, "[ %s ]: '%.40s' is none of the %zu atoms of the molecule type '%.100s'", section, word,
             molecule(t)->atoms, name_of(t, molecule(t)));
        return -1; // the constant result lets static analysis follow the errors
    }
    *atom = (uint32_t)number - 1;
    return 0;
}

// The function is 1 unless the third word begins with an integer.
static int read_bond(struct top *t, char *const word[], size_t n) {
    bool constraint = t->use == CONSTRAINTS;
    const char *section = constraint ? "constraints" : "bonds";
    int64_t function = 1, highest = constraint ? 2 : 10;
    uint32_t i, j;
    if (n < 2) return fail(t, "[ %s ]: %zu fields, expected 2 or more", section, n);
    if (n > 2 && !read_integer(word[2], &function)) function = 1;
    if (function < 1 || function > highest)
        return fail(t, "[ %s ]: function %s, expected 1 to %lld", section, word[2], (long long)highest);
    if (read_index(t, word[0], section, &i) || read_index(t, word[1], section, &j)) return -1;
    if (i == j) return fail(t, "[ %s ]: bond of atom %s with itself", section, word[0]);
    bool chemical = constraint ? function == 1 : function <= 5 || function == 7 || function == 8;
    return chemical ? trj_molecule_bond_add(molecule(t), i, j, t->err) : 0;
}

// The hydrogens of a rigid water are the atoms after the oxygen.
static int read_settle(struct top *t, const char *word) {
    uint32_t oxygen;
    if (read_index(t, word, "settles", &oxygen)) return -1;
    if (molecule(t)->atoms - oxygen < 3)
        return fail(t, "[ settles ]: the molecule type '%.100s' has no two atoms after atom %s",
                    name_of(t, molecule(t)), word);
    for (uint32_t k = 1; k < 3; k++)
        if (trj_molecule_bond_add(molecule(t), oxygen, oxygen + k, t->err)) return -1;
    return 0;
}

// ---- molecules

static int add_block(struct top *t, uint32_t type, uint64_t molecules) {
    const struct trj_molecule_type *k = &t->system.type[type];
    if (!k->atoms) return fail(t, "[ molecules ]: the molecule type '%.100s' has no atoms", name_of(t, k));
    if (molecules > MAX_ATOMS / k->atoms || (k->bonds && molecules > MAX_BONDS / k->bonds) ||
        (t->atoms += molecules * k->atoms) > MAX_ATOMS || (t->bonds += molecules * k->bonds) > MAX_BONDS)
        return fail(t, "[ molecules ]: more than %d atoms or %d bonds, the most that can be read from a top file",
                    MAX_ATOMS, MAX_BONDS);
    return trj_molecule_block_add(&t->system, (struct trj_molecule_block){type, (uint32_t)molecules}, t->err);
}

// Upper and lower case differ, unless only one molecule type has the name if they do not.
static int read_molecules(struct top *t, char *const word[], size_t n) {
    size_t alike = 0;
    uint32_t found = 0;
    int64_t molecules;
    if (n < 2) return fail(t, "[ molecules ]: %zu fields, expected a name and a number", n);
    if (!trj_parse_i64(word[1], &molecules) || molecules < 0)
        return fail(t, "[ molecules ]: '%.40s' is no number of molecules", word[1]);
    for (uint32_t i = 0; i < t->system.types; i++) {
        const char *name = name_of(t, &t->system.type[i]);
        if (!strcmp(name, word[0])) return add_block(t, i, (uint64_t)molecules);
        if (strcasecmp(name, word[0]) != 0) continue;
        alike++;
        found = i;
    }
    if (alike == 1) return add_block(t, found, (uint64_t)molecules);
    return fail(t,
                alike ? "[ molecules ]: several molecule types are called '%.100s' in other case"
                      : "[ molecules ]: no molecule type is called '%.100s'; include the file that contains it",
                word[0]);
}

// ---- the file

static int begin_section(struct top *t, char *text) {
    const struct section *s = find_section(text);
    text[strcspn(text, "]")] = 0;
    if (!s) return fail(t, "unknown section '%.60s]'", text);
    t->use = s->use;
    if (s->use == SYSTEM || s->use == MOLECULES) t->in_molecule = false;
    t->some_molecules = t->some_molecules || s->use == MOLECULES;
    t->intermolecular = s->use == INTERMOLECULAR || (t->intermolecular && s->use != MOLECULES);
    bool of_molecule = s->use >= ATOMS && s->use <= OF_MOLECULE;
    if (of_molecule && t->intermolecular)
        t->use = IGNORED; // bonds between molecules do not make them one
    else if (of_molecule && !t->in_molecule)
        return fail(t, "section '%.60s]' before the first [ moleculetype ], or after [ system ]", text);
    return 0;
}

// Returns whether the lines of the current section have an effect.
static bool is_read(const struct top *t) {
    return (t->use >= DEFAULTS && t->use <= SETTLES) || t->use == MOLECULES;
}

static int read_line(struct top *t, char *text) {
    char *word[MAX_WORDS];
    if (*text == '[') return begin_section(t, text);
    if (is_read(t) && trj_top_lines_has_lone_backslash(t->lines))
        return fail(t,
                    "blanks after the '\\' at the end of an earlier line: grompp would not read the words that follow; "
                    "remove these blanks");
    size_t n = find_words(text, word);
    switch (t->use) {
    case DEFAULTS:
        return read_defaults(t, word, n);
    case ATOMTYPES:
        return read_atomtype(t, word, n);
    case NONBOND:
        return read_nonbond(t, word, n);
    case MOLECULETYPE:
        return read_moleculetype(t, word, n);
    case ATOMS:
        return read_atom(t, word, n);
    case BONDS:
    case CONSTRAINTS:
        return read_bond(t, word, n);
    case SETTLES:
        return read_settle(t, word[0]);
    case MOLECULES:
        return read_molecules(t, word, n);
    default:
        return 0; // also before the first section, as in GROMACS
    }
}

// Charges and masses that [ atoms ] does not give are those of the types.
static int fill_atoms(struct top *t) {
    for (size_t i = 0; i < t->system.types; i++) {
        const struct trj_molecule_type *k = &t->system.type[i];
        for (size_t a = 0; a < k->atoms; a++) {
            struct trj_molecule_atom *atom = &k->atom[a];
            const struct atom_type *type = &t->type[atom->lj];
            if (isnan(atom->mass)) atom->mass = type->mass;
            if (isnan(atom->charge)) atom->charge = type->charge;
            atom->number = type->number;
            if (isnan(atom->charge))
                return trj_fail(
                    t->err, TRJ_BAD_DATA,
                    "molecule type '%.100s', atom %zu: has no charge, and its type '%.40s' is in no section "
                    "[ atomtypes ]; include the force field",
                    name_of(t, k), a + 1, t->texts.text[atom->type]);
        }
    }
    return 0;
}

// Adds a note to those of the topology.
static int add_note(struct trj_topology *top, const char *text, struct trj_error *err) {
    const char *before = top->own_note ? top->own_note : "";
    size_t size = strlen(before) + strlen(text) + 3;
    char *note = trj_alloc(size, 1, "a note", err);
    if (!note) return -1;
    snprintf(note, size, "%s%s%s", before, *before ? "; " : "", text);
    free(top->own_note);
    top->note = top->own_note = note;
    return 0;
}

static int add_notes(struct top *t, struct trj_topology *top) {
    char text[160];
    const char *unused = trj_top_lines_unused(t->lines);
    if (!t->some_molecules &&
        add_note(top, "contains no section [ molecules ]: one molecule of each type is taken", t->err))
        return -1;
    snprintf(text, sizeof text, "the macro %.100s of --define is not used", unused ? unused : "");
    return unused ? add_note(top, text, t->err) : 0;
}

// Adds a note about the first line that has an effect and no newline.
static int check_newline(struct top *t, struct trj_topology *top) {
    char text[320];
    const char *path;
    if (t->lacks_newline || !is_read(t) || !trj_top_lines_lacks_newline(t->lines, &path)) return 0;
    t->lacks_newline = true;
    snprintf(text, sizeof text, "%.200s%sends without a newline: it may be truncated, and its last word incomplete",
             path ? path : "", path ? " " : "");
    return add_note(top, text, t->err);
}

static int read_file(struct top *t, struct trj_topology_builder *b) {
    char *text;
    int got;
    while ((got = trj_top_lines_next(t->lines, &text, t->err)) > 0)
        if (read_line(t, text) || check_newline(t, b->top)) return -1;
    if (got < 0) return -1;
    if (!t->system.types)
        return trj_fail(t->err, TRJ_BAD_DATA,
                        "contains no section [ moleculetype ]; give the top file of GROMACS that includes it");
    for (uint32_t i = 0; !t->some_molecules && i < t->system.types; i++)
        if (t->system.type[i].atoms && add_block(t, i, 1)) return -1;
    if (!t->atoms)
        return trj_fail(t->err, TRJ_BAD_DATA,
                        t->some_molecules ? "[ molecules ] lists no molecules" : "the molecule types have no atoms");
    if (fill_atoms(t) || (b->properties && set_lj(t))) return -1;
    t->system.text = t->texts.text;
    return trj_molecule_system_build(b, &t->system, (size_t)t->atoms, t->err) || add_notes(t, b->top) ? -1 : 0;
}

int trj_top_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct top t = {.err = err, .power = 12};
    int rc = -1;
    t.index.texts = &t.texts;
    t.types.texts = &t.type_names;
    if (!trj_top_lines_open(&t.lines, l, b->defines, b->includes, err)) rc = read_file(&t, b);
    trj_top_lines_close(t.lines);
    trj_molecule_system_free(&t.system);
    trj_text_index_free(&t.index);
    trj_text_index_free(&t.types);
    trj_texts_clear(&t.texts);
    trj_texts_clear(&t.type_names);
    free(t.type);
    return rc;
}
