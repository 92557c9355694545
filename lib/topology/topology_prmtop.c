// SPDX-License-Identifier: MIT
// Reads PRMTOP files of Amber: sections "%FLAG NAME" with "%FORMAT(20a4)", which gives the number of values in a line
// and their width; values need no separators. Charges are in units of e / 18.2223; atoms of bonds are numbered 0, 3, 6,
// ... (https://ambermd.org/prmtop.pdf; ParmEd documents the sections of AMOEBA; chamber writes the same sections with
// other terms of the force field).
//
// LENNARD_JONES_ACOEF and BCOEF are the A and B of A/r^12 - B/r^6 in kcal/mol and Å for pairs of the types in
// ATOM_TYPE_INDEX: pair (i, j) has the index NONBONDED_PARM_INDEX[ntypes (i - 1) + j - 1], counted from 1. For equal
// types,
//   sigma = (A/B)^(1/6), epsilon = B^2 / (4 A)
// which follow from the potential in topology.h; a type with A = B = 0 has no interaction, and both are 0. RADII are
// the radii for implicit solvent (generalised Born) that tleap assigns.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "memory.h"
#include "number.h"
#include "topology_parts.h"

static const double CHARGE_UNIT = 18.2223;

enum { MAX_WIDTH = 80 };

enum kind { TEXT, REAL, INTEGER };

// A prmtop of the AMOEBA force field has a bond list of its own, and multipoles, which are not read, instead of
// charges.
enum {
    POINTERS,
    NAME,
    CHARGE,
    NUMBER,
    MASS,
    LABEL,
    FIRST,
    BONDS_H,
    BONDS,
    TYPE,
    AMOEBA,
    AMOEBA_NUMBER,
    AMOEBA_BOND_COUNT,
    AMOEBA_BONDS,
    RADII,
    LJ_TYPE,
    LJ_INDEX,
    LJ_A,
    LJ_B,
    SECTIONS
};
enum required { NEVER, ALWAYS, NOT_AMOEBA };
static const struct {
    const char *flag;
    enum kind kind;
    enum required required;
} sections[SECTIONS] = {
    [POINTERS] = {"POINTERS", INTEGER, ALWAYS},
    [NAME] = {"ATOM_NAME", TEXT, ALWAYS},
    [CHARGE] = {"CHARGE", REAL, NOT_AMOEBA},
    [NUMBER] = {"ATOMIC_NUMBER", INTEGER, NEVER}, // since AmberTools 12
    [MASS] = {"MASS", REAL, ALWAYS},
    [LABEL] = {"RESIDUE_LABEL", TEXT, ALWAYS},
    [FIRST] = {"RESIDUE_POINTER", INTEGER, ALWAYS},
    [BONDS_H] = {"BONDS_INC_HYDROGEN", INTEGER, NOT_AMOEBA},
    [BONDS] = {"BONDS_WITHOUT_HYDROGEN", INTEGER, NOT_AMOEBA},
    [TYPE] = {"AMBER_ATOM_TYPE", TEXT, NEVER},
    [AMOEBA] = {"AMOEBA_FORCEFIELD", INTEGER, NEVER},
    [AMOEBA_NUMBER] = {"AMOEBA_ATOMIC_NUMBER", INTEGER, NEVER},
    [AMOEBA_BOND_COUNT] = {"AMOEBA_REGULAR_BOND_NUM_LIST", INTEGER, NEVER},
    [AMOEBA_BONDS] = {"AMOEBA_REGULAR_BOND_LIST", INTEGER, NEVER}, // atom, atom, type, all from 1
    [RADII] = {"RADII", REAL, NEVER},
    [LJ_TYPE] = {"ATOM_TYPE_INDEX", INTEGER, NEVER},
    [LJ_INDEX] = {"NONBONDED_PARM_INDEX", INTEGER, NEVER},
    [LJ_A] = {"LENNARD_JONES_ACOEF", REAL, NEVER},
    [LJ_B] = {"LENNARD_JONES_BCOEF", REAL, NEVER},
};

// Indices in POINTERS.
enum { NATOM = 0, NTYPES = 1, NBONH = 2, NRES = 11, NBONA = 12, POINTERS_NEEDED = 13 };

struct section {
    uint64_t line; // of its flag; 0: the file has no such section so far
    size_t count, capacity;
    union {
        uint32_t *text; // indices of texts
        double *real;
        int64_t *integer;
        void *any;
    } value;
};

struct prmtop {
    struct section section[SECTIONS];
    size_t per_line, width;
};

bool trj_prmtop_is(const char *head, size_t n) {
    static const char *const first[] = {"%VERSION", "%FLAG"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        if (n >= strlen(first[i]) && !memcmp(head, first[i], strlen(first[i]))) return true;
    return false;
}

// Parses "%FORMAT(5E16.8)": the count (default: 1), a letter, and the width.
static int read_format(struct prmtop *p, enum kind kind, struct trj_lines *l, struct trj_error *err) {
    static const char letters[][3] = {[TEXT] = "aA", [REAL] = "eE", [INTEGER] = "iI"};
    do
        if (trj_topology_next_line(l, "%FORMAT", err)) return -1;
    while (!strncmp(l->text, "%COMMENT", strlen("%COMMENT")));
    char *text = l->text;
    if (!strncmp(text, "%FORMAT(", strlen("%FORMAT("))) {
        text += strlen("%FORMAT(");
        unsigned long count = isdigit((unsigned char)*text) ? strtoul(text, &text, 10) : 1;
        bool known = *text && strchr(letters[kind], *text);
        unsigned long width = known && isdigit((unsigned char)text[1]) ? strtoul(text + 1, &text, 10) : 0;
        p->per_line = count;
        p->width = width;
        if (count && count <= 1000 && width && width <= MAX_WIDTH && (*text == ')' || *text == '.')) return 0;
    }
    static const char *const what[] = {
        [TEXT] = "texts, like (20a4)", [REAL] = "numbers, like (5E16.8)", [INTEGER] = "integers, like (10I8)"};
    return trj_lines_fail(l, err, "'%.40s' is not a %%FORMAT of %s", l->text, what[kind]);
}

static int add_value(struct trj_topology_builder *b, struct section *s, size_t which, const char *text,
                     const struct trj_lines *l, struct trj_error *err) {
    static const size_t size[] = {[TEXT] = sizeof(uint32_t), [REAL] = sizeof(double), [INTEGER] = sizeof(int64_t)};
    enum kind kind = sections[which].kind;
    struct trj_text_index *index = which == NAME ? &b->name : which == TYPE ? &b->type : &b->resname;
    if (s->count == s->capacity && trj_grow(&s->value.any, &s->capacity, s->count + 1, size[kind], "a section", err))
        return -1;
    if (kind == TEXT) {
        if (trj_text_index_add(index, text, &s->value.text[s->count], err)) return -1;
    } else if (!(kind == REAL ? trj_parse_real(text, &s->value.real[s->count])
                              : trj_parse_i64(text, &s->value.integer[s->count]))) {
        return trj_lines_fail(l, err, "%s: value %zu: '%s' is not %s", sections[which].flag, s->count + 1, text,
                              kind == REAL ? "a number" : "an integer");
    }
    s->count++;
    return 0;
}

// Lines may end in blanks. A blank value is a valid text, but not at the end of a line.
static int read_line(struct trj_topology_builder *b, const struct prmtop *p, struct section *s, size_t which,
                     const struct trj_lines *l, struct trj_error *err) {
    char text[MAX_WIDTH + 1];
    size_t length = l->length;
    while (length && trj_is_blank(l->text[length - 1])) length--;
    for (size_t k = 0; k * p->width < length; k++) {
        if (k == p->per_line)
            return trj_lines_fail(l, err, "%s: more than %zu values in a line", sections[which].flag, p->per_line);
        trj_lines_field(l, k * p->width, p->width, text);
        if (add_value(b, s, which, text, l, err)) return -1;
    }
    return 0;
}

static int read_section(struct trj_topology_builder *b, struct prmtop *p, size_t which, struct trj_lines *l,
                        struct trj_error *err) {
    struct section *s = &p->section[which];
    int got;
    if (s->line) return trj_lines_fail(l, err, "duplicate section %s", sections[which].flag);
    s->line = l->number;
    if (read_format(p, sections[which].kind, l, err)) return -1;
    while ((got = trj_lines_next(l, err)) > 0 && *l->text != '%')
        if (read_line(b, p, s, which, l, err)) return -1;
    if (got > 0) trj_lines_repeat(l);
    return got < 0 ? -1 : 0;
}

static int read_sections(struct trj_topology_builder *b, struct prmtop *p, struct trj_lines *l, struct trj_error *err) {
    int got;
    while ((got = trj_lines_next(l, err)) > 0) {
        char *rest = l->text, *word = *l->text == '%' ? trj_next_word(&rest) : NULL;
        if (!word || strcmp(word, "%FLAG")) continue;
        word = trj_next_word(&rest);
        for (size_t i = 0; i < (b->properties ? (size_t)SECTIONS : (size_t)RADII); i++) {
            if (!word || strcmp(word, sections[i].flag)) continue;
            if (read_section(b, p, i, l, err)) return -1;
            break;
        }
    }
    return got;
}

static int bad_section(const struct prmtop *p, size_t which, struct trj_error *err, const char *what, size_t k,
                       int64_t value) {
    return trj_fail(err, TRJ_BAD_DATA, "line %llu: %s: value %zu: %lld is %s",
                    (unsigned long long)p->section[which].line, sections[which].flag, k + 1, (long long)value, what);
}

static int check_counts(const struct prmtop *p, struct trj_error *err) {
    bool amoeba = p->section[AMOEBA].line;
    for (size_t i = 0; i < SECTIONS; i++)
        if (!p->section[i].line && (sections[i].required == ALWAYS || (sections[i].required == NOT_AMOEBA && !amoeba)))
            return trj_fail(err, TRJ_BAD_DATA, "the file ends without a section %%FLAG %s", sections[i].flag);
    const struct section *pointers = &p->section[POINTERS];
    if (pointers->count < POINTERS_NEEDED)
        return trj_fail(err, TRJ_BAD_DATA, "line %llu: POINTERS: %zu values, expected %d or more",
                        (unsigned long long)pointers->line, pointers->count, POINTERS_NEEDED);
    const int64_t *n = pointers->value.integer;
    const struct {
        size_t which;
        int64_t count;
        const char *section;
    } expected[] = {{NAME, n[NATOM], "atoms"},          {CHARGE, n[NATOM], "atoms"},  {NUMBER, n[NATOM], "atoms"},
                    {AMOEBA_NUMBER, n[NATOM], "atoms"}, {MASS, n[NATOM], "atoms"},    {TYPE, n[NATOM], "atoms"},
                    {LABEL, n[NRES], "residues"},       {FIRST, n[NRES], "residues"}, {BONDS_H, n[NBONH], "bonds"},
                    {BONDS, n[NBONA], "bonds"},         {RADII, n[NATOM], "atoms"},   {LJ_TYPE, n[NATOM], "atoms"}};
    if (!p->section[AMOEBA_BONDS].line != !p->section[AMOEBA_BOND_COUNT].line ||
        (p->section[AMOEBA_BONDS].line &&
         (p->section[AMOEBA_BOND_COUNT].count != 1 || p->section[AMOEBA_BONDS].count % 3 ||
          p->section[AMOEBA_BOND_COUNT].value.integer[0] != (int64_t)(p->section[AMOEBA_BONDS].count / 3))))
        return trj_fail(err, TRJ_BAD_DATA, "line %llu: %s: %zu values do not agree with %s",
                        (unsigned long long)p->section[AMOEBA_BONDS].line, sections[AMOEBA_BONDS].flag,
                        p->section[AMOEBA_BONDS].count, sections[AMOEBA_BOND_COUNT].flag);
    if (n[NATOM] < 1 || n[NATOM] > UINT32_MAX)
        return bad_section(p, POINTERS, err, "not a valid number of atoms", NATOM, n[NATOM]);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const struct section *s = &p->section[expected[i].which];
        uint64_t each = expected[i].which == BONDS_H || expected[i].which == BONDS ? 3 : 1;
        if (s->line && (expected[i].count < 0 || s->count % each || s->count / each != (uint64_t)expected[i].count))
            return trj_fail(err, TRJ_BAD_DATA, "line %llu: %s: %zu values for the %lld %s of POINTERS",
                            (unsigned long long)s->line, sections[expected[i].which].flag, s->count,
                            (long long)expected[i].count, expected[i].section);
    }
    return 0;
}

// Returns the values of a section, which the caller then owns.
static void *take(struct section *s) {
    void *value = s->value.any;
    s->value.any = NULL;
    return value;
}

static int set_residues(struct trj_topology *top, const struct prmtop *p, struct trj_error *err) {
    const struct section *first = &p->section[FIRST];
    const int64_t *from = first->value.integer;
    top->resname.id = trj_alloc(top->atoms, sizeof *top->resname.id, "residues", err);
    top->resid = trj_alloc(top->atoms, sizeof *top->resid, "residues", err);
    if (!top->resname.id || !top->resid) return -1;
    for (size_t r = 0; r < first->count; r++) {
        int64_t next = r + 1 < first->count ? from[r + 1] : (int64_t)top->atoms + 1;
        if ((!r && from[r] != 1) || next <= from[r] || next > (int64_t)top->atoms + 1)
            return bad_section(p, FIRST, err, "not the first atom of a residue", r, from[r]);
        for (int64_t i = from[r] - 1; i < next - 1; i++) {
            top->resname.id[i] = p->section[LABEL].value.text[r];
            top->resid[i] = (int64_t)r + 1;
        }
    }
    return first->count ? 0 : trj_fail(err, TRJ_BAD_DATA, "no residues");
}

static int set_bonds(struct trj_topology_builder *b, const struct prmtop *p, size_t which, struct trj_error *err) {
    const struct section *s = &p->section[which];
    int64_t first = which == AMOEBA_BONDS, each = first ? 1 : 3; // the number of atom 0, and the step between atoms
    for (size_t k = 0; k < s->count; k += 3) {
        const int64_t *bond = s->value.integer + k;
        for (size_t i = 0; i < 2; i++)
            if (bond[i] < first || bond[i] % each || (uint64_t)((bond[i] - first) / each) >= b->top->atoms)
                return bad_section(p, which, err,
                                   first ? "not the number of an atom" : "not 3 times the index of an atom", k + i,
                                   bond[i]);
        if (trj_topology_add_bond(b, (uint32_t)((bond[0] - first) / each), (uint32_t)((bond[1] - first) / each), err))
            return -1;
    }
    return 0;
}

// An atomic number of 0 means an extra point, and -1 an unknown element.
static int set_elements(struct trj_topology *top, const struct prmtop *p, struct trj_error *err) {
    size_t which = p->section[NUMBER].line ? NUMBER : AMOEBA_NUMBER;
    const int64_t *number = p->section[which].value.integer; // NULL: none
    int rc = -1;
    unsigned char *z = trj_alloc(top->atoms, 1, "elements", err);
    if (!z) return -1;
    for (size_t i = 0; i < top->atoms; i++) {
        if (number && (number[i] < -1 || number[i] > TRJ_ELEMENTS)) {
            bad_section(p, which, err, "not an atomic number", i, number[i]);
            goto out;
        }
        z[i] = (unsigned char)(number && number[i] >= 0 ? number[i] : TRJ_TO_GUESS);
    }
    rc = trj_topology_guess_elements(top, z, true, err);
out:
    free(z);
    return rc;
}

// Sets sigma and epsilon of the types, [ntypes] each; NaN for a type of the 10-12 potential, whose index is negative.
static int set_type_lj(const struct prmtop *p, int64_t ntypes, double *sigma, double *epsilon, struct trj_error *err) {
    const struct section *index = &p->section[LJ_INDEX], *a = &p->section[LJ_A], *b = &p->section[LJ_B];
    for (int64_t t = 0; t < ntypes; t++) {
        size_t number = (size_t)(t * ntypes + t);
        int64_t pair = index->value.integer[number];
        sigma[t] = epsilon[t] = NAN;
        if (pair < 0) continue;
        if (!pair || (uint64_t)pair > a->count || (uint64_t)pair > b->count)
            return bad_section(p, LJ_INDEX, err, "not the index of a pair of types", number, pair);
        double A = a->value.real[pair - 1], B = b->value.real[pair - 1];
        if (A > 0 && B > 0) {
            sigma[t] = pow(A / B, 1.0 / 6);
            epsilon[t] = B * B / (4 * A);
        } else if (A == 0 && B == 0) {
            sigma[t] = epsilon[t] = 0;
        }
    }
    return 0;
}

static int set_lj(struct trj_topology *top, const struct prmtop *p, struct trj_error *err) {
    const struct section *type = &p->section[LJ_TYPE], *index = &p->section[LJ_INDEX];
    const int64_t ntypes = p->section[POINTERS].value.integer[NTYPES];
    if (!type->line || !index->line || !p->section[LJ_A].line || !p->section[LJ_B].line) return 0;
    if (ntypes < 1 || ntypes > INT32_MAX || index->count != (uint64_t)ntypes * (uint64_t)ntypes)
        return trj_fail(err, TRJ_BAD_DATA, "line %llu: %s: %zu values for the %lld types of POINTERS",
                        (unsigned long long)index->line, sections[LJ_INDEX].flag, index->count, (long long)ntypes);
    double *sigma = trj_alloc((size_t)ntypes, sizeof *sigma, "types", err);
    double *epsilon = trj_alloc((size_t)ntypes, sizeof *epsilon, "types", err);
    top->sigma = trj_alloc(top->atoms, sizeof *top->sigma, "atoms", err);
    top->epsilon = trj_alloc(top->atoms, sizeof *top->epsilon, "atoms", err);
    top->lj_from = "LENNARD_JONES_ACOEF and BCOEF of equal types";
    int rc = sigma && epsilon && top->sigma && top->epsilon ? set_type_lj(p, ntypes, sigma, epsilon, err) : -1;
    for (size_t i = 0; i < top->atoms && !rc; i++) {
        int64_t t = type->value.integer[i];
        if (t < 1 || t > ntypes) {
            rc = bad_section(p, LJ_TYPE, err, "not the number of a type", i, t);
        } else {
            top->sigma[i] = sigma[t - 1];
            top->epsilon[i] = epsilon[t - 1];
        }
    }
    free(sigma);
    free(epsilon);
    return rc;
}

static int make_topology(struct trj_topology_builder *b, struct prmtop *p, struct trj_error *err) {
    struct trj_topology *top = b->top;
    if (check_counts(p, err)) return -1;
    // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): check_counts() requires it
    top->atoms = (size_t)p->section[POINTERS].value.integer[NATOM];
    top->name.id = take(&p->section[NAME]);
    top->type.id = take(&p->section[TYPE]);
    top->mass = take(&p->section[MASS]);
    if (!p->section[AMOEBA].line) top->charge = take(&p->section[CHARGE]);
    for (size_t i = 0; i < top->atoms; i++) {
        if (top->mass[i] < 0)
            return trj_fail(err, TRJ_BAD_DATA, "atom %zu: negative mass of %g u", i + 1, top->mass[i]);
        if (top->charge) top->charge[i] /= CHARGE_UNIT;
    }
    top->radius = take(&p->section[RADII]);
    if (top->radius) top->radius_from = "section RADII, of implicit solvent";
    for (size_t i = 0; i < top->atoms && top->radius; i++)
        if (top->radius[i] < 0)
            return trj_fail(err, TRJ_BAD_DATA, "atom %zu: negative radius of %g Å", i + 1, top->radius[i]);
    bool amoeba_bonds = p->section[AMOEBA_BONDS].line;
    if (set_residues(top, p, err)) return -1;
    if (amoeba_bonds ? set_bonds(b, p, AMOEBA_BONDS, err)
                     : set_bonds(b, p, BONDS_H, err) || set_bonds(b, p, BONDS, err))
        return -1;
    top->no_bonds = !top->bonds;
    if (set_elements(top, p, err)) return -1;
    return set_lj(top, p, err) ? -1 : 0;
}

int trj_prmtop_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct prmtop p = {.per_line = 0};
    int rc = -1, got = trj_lines_next(l, err);
    if (got < 0) goto out;
    if (!got || !trj_prmtop_is(l->text, l->length)) {
        trj_lines_fail(
            l, err,
            "does not begin with %%VERSION or %%FLAG; if the file was written before Amber 7, convert it with "
            "cpptraj or ParmEd");
        goto out;
    }
    trj_lines_repeat(l);
    if (read_sections(b, &p, l, err) || make_topology(b, &p, err)) goto out;
    rc = 0;
out:
    for (size_t i = 0; i < SECTIONS; i++) free(p.section[i].value.any);
    return rc;
}
