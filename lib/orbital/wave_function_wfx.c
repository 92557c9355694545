// SPDX-License-Identifier: MIT
// Reads wfx files (AIMAll, http://aim.tkgristmill.com/wfxformat.html): sections "<NAME>", values in free form,
// "</NAME>", and comments "#". Functions are primitives without a norm, of the types of wfn files. Coefficients are in a
// section of their own, where each orbital begins with a section "MO Number". The core density of files with core
// potentials (EDF) is left out, with a note.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "element.h"
#include "memory.h"
#include "wave_function_parts.h"

enum {
    TITLE,
    KEYWORDS,
    MODEL,
    NAMES,
    SPINS,
    NUCLEI,
    ORBITALS,
    PRIMITIVES,
    ELECTRONS,
    NUMBERS,
    CHARGES,
    POSITIONS,
    CENTRES,
    TYPES,
    EXPONENTS,
    OCCUPATIONS,
    ENERGIES,
    COEFFICIENTS,
    SECTIONS
};
enum kind { TEXT, INTEGER, REAL };

static const struct {
    const char *name;
    enum kind kind;
    bool required;
} sections[SECTIONS] = {
    [TITLE] = {"Title", TEXT, false},
    [KEYWORDS] = {"Keywords", TEXT, false},
    [MODEL] = {"Model", TEXT, false},
    [NAMES] = {"Nuclear Names", TEXT, false},
    [SPINS] = {"Molecular Orbital Spin Types", TEXT, true},
    [NUCLEI] = {"Number of Nuclei", INTEGER, true},
    [ORBITALS] = {"Number of Occupied Molecular Orbitals", INTEGER, true},
    [PRIMITIVES] = {"Number of Primitives", INTEGER, true},
    [ELECTRONS] = {"Number of Electrons", REAL, false},
    [NUMBERS] = {"Atomic Numbers", INTEGER, true},
    [CHARGES] = {"Nuclear Charges", REAL, false},
    [POSITIONS] = {"Nuclear Cartesian Coordinates", REAL, true},
    [CENTRES] = {"Primitive Centers", INTEGER, true},
    [TYPES] = {"Primitive Types", INTEGER, true},
    [EXPONENTS] = {"Primitive Exponents", REAL, true},
    [OCCUPATIONS] = {"Molecular Orbital Occupation Numbers", REAL, true},
    [ENERGIES] = {"Molecular Orbital Energies", REAL, false},
    [COEFFICIENTS] = {"Molecular Orbital Primitive Coefficients", REAL, true},
};

struct wfx {
    struct orb_reader *r;
    uint64_t line[SECTIONS];          // where they begin; 0: missing
    struct orb_reals value[SECTIONS]; // of sections of numbers
    unsigned char *spin;              // [spins] bits of enum orb_spin
    size_t spins, spin_capacity;
    bool is_slater, is_natural;
};

bool orb_wfx_is(const char *head, size_t n) {
    return orb_has_line(head, n, "<Number of Nuclei>") || orb_has_line(head, n, "<Title>");
}

// Returns the name of the section that the current line begins, or with `close` ends, in place; NULL if it does not.
static const char *section_name(const struct trj_lines *l, bool close) {
    char *text = l->text + strspn(l->text, " \t"), *end = strrchr(text, '>');
    if (*text != '<' || !end || (text[1] == '/') != close) return NULL;
    *end = 0;
    return text + 1 + close;
}

// ---- sections

static int read_text(struct wfx *f, size_t section, const char *text, struct trj_error *err) {
    struct orb_reader *r = f->r;
    switch (section) {
    case TITLE:
        f->is_natural = f->is_natural || strstr(text, "natural") || strstr(text, "Natural");
        if (r->w->title) return 0;
        return orb_set_text(&r->w->title, text, err) ? -1 : orb_find_program(r->w, text, err);
    case MODEL:
        f->is_natural = f->is_natural || strstr(text, "natural") || strstr(text, "Natural");
        return 0;
    case KEYWORDS:
        f->is_slater = f->is_slater || strstr(text, "STO");
        return 0;
    case SPINS: {
        bool alpha = !strncasecmp(text, "Alpha", 5), beta = !strncasecmp(text, "Beta", 4);
        if (!alpha && !beta)
            return trj_lines_fail(r->lines, err, "the spin type is '%.20s', expected Alpha or Beta", text);
        if (trj_grow(&f->spin, &f->spin_capacity, f->spins + 1, 1, "spins", err)) return -1;
        f->spin[f->spins++] = beta;
        return 0;
    }
    default:
        return 0;
    }
}

static int read_number(struct wfx *f, size_t section, char **rest, struct trj_error *err) {
    int64_t integer;
    double real = 0;
    char what[64];
    snprintf(what, sizeof what, "a value of <%s>", sections[section].name);
    if (sections[section].kind == REAL) {
        if (orb_next_real(f->r, rest, &real, what, err)) return -1;
    } else {
        if (orb_next_integer(f->r, rest, &integer, 0, INT32_MAX, what, err)) return -1;
        real = (double)integer;
    }
    return orb_add_real(&f->value[section], real, err);
}

// Reads "<MO Number>", whose first line is already read. The orbitals must be in the order of their numbers.
static int read_orbital_number(struct wfx *f, size_t *orbitals, struct trj_error *err) {
    struct orb_reader *r = f->r;
    int64_t number;
    if (orb_next_line(r, "the number of an orbital", err)) return -1;
    char *rest = r->lines->text;
    if (orb_next_integer(r, &rest, &number, 1, INT32_MAX, "the number of an orbital", err)) return -1;
    if ((size_t)number != *orbitals + 1)
        return trj_lines_fail(r->lines, err, "orbital %lld follows orbital %zu", (long long)number, *orbitals);
    size_t primitives = f->value[PRIMITIVES].count ? (size_t)f->value[PRIMITIVES].value[0] : 0;
    if (primitives && f->value[COEFFICIENTS].count != *orbitals * primitives)
        return trj_lines_fail(r->lines, err, "%zu coefficients before orbital %lld, expected %zu for %zu primitives",
                              f->value[COEFFICIENTS].count, (long long)number, *orbitals * primitives, primitives);
    ++*orbitals;
    if (orb_next_line(r, "</MO Number>", err)) return -1;
    const char *name = section_name(r->lines, true);
    return name && !strcmp(name, "MO Number") ? 0 : trj_lines_fail(r->lines, err, "expected </MO Number>");
}

static int read_section(struct wfx *f, size_t section, struct trj_error *err) {
    struct orb_reader *r = f->r;
    size_t orbitals = 0;
    if (f->line[section]) return trj_lines_fail(r->lines, err, "duplicate section <%s>", sections[section].name);
    f->line[section] = r->lines->number;
    for (;;) {
        char end[64];
        snprintf(end, sizeof end, "</%s>", sections[section].name);
        if (orb_next_line(r, end, err)) return -1;
        char *text = r->lines->text;
        text += strspn(text, " \t");
        if (!*text || *text == '#') continue;
        if (*text == '<') {
            bool closes = text[1] == '/';
            const char *name = section_name(r->lines, closes);
            if (closes && name && !strcmp(name, sections[section].name)) return 0;
            if (closes || section != COEFFICIENTS || !name || strcmp(name, "MO Number") != 0)
                return trj_lines_fail(r->lines, err, "expected %s", end);
            if (read_orbital_number(f, &orbitals, err)) return -1;
            continue;
        }
        if (sections[section].kind == TEXT) {
            if (read_text(f, section, text, err)) return -1;
            continue;
        }
        while (*text)
            if (read_number(f, section, &text, err)) return -1;
    }
}

static int read_sections(struct wfx *f, struct trj_error *err) {
    struct orb_reader *r = f->r;
    int got;
    while ((got = trj_lines_next(r->lines, err)) > 0) {
        const char *name = section_name(r->lines, false);
        size_t k = 0;
        if (!name) continue;
        while (k < SECTIONS && strcmp(name, sections[k].name) != 0) k++;
        if (k < SECTIONS && read_section(f, k, err)) return -1;
        if (!strncmp(name, "Additional Electron Density", 27))
            orb_note(r->w, "the core density that the file adds for its core potentials (EDF) is left out: densities "
                           "are those of the orbitals");
    }
    return got;
}

// ---- the wave function

static int bad_value(const struct wfx *f, size_t k, size_t i, const char *what, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "line %llu: <%s>: value %zu is %g: %s", (unsigned long long)f->line[k],
                    sections[k].name, i + 1, f->value[k].value[i], what);
}

static int check_count(const struct wfx *f, size_t k, size_t found, size_t expected, struct trj_error *err) {
    if (!f->line[k] || found == expected) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "line %llu: <%s>: %zu values, expected %zu", (unsigned long long)f->line[k],
                    sections[k].name, found, expected);
}

static int check_counts(const struct wfx *f, struct trj_error *err) {
    static const size_t single[] = {NUCLEI, ORBITALS, PRIMITIVES, ELECTRONS};
    const struct orb_reals *v = f->value;
    for (size_t k = 0; k < SECTIONS; k++)
        if (sections[k].required && !f->line[k])
            return trj_fail(err, TRJ_BAD_DATA, "no section <%s>", sections[k].name);
    for (size_t k = 0; k < sizeof single / sizeof *single; k++)
        if (check_count(f, single[k], v[single[k]].count, 1, err)) return -1;
    size_t nuclei = (size_t)v[NUCLEI].value[0], orbitals = (size_t)v[ORBITALS].value[0];
    size_t primitives = (size_t)v[PRIMITIVES].value[0];
    const struct {
        size_t section, count;
    } expected[] = {{NUMBERS, nuclei},       {CHARGES, nuclei},    {POSITIONS, 3 * nuclei},
                    {CENTRES, primitives},   {TYPES, primitives},  {EXPONENTS, primitives},
                    {OCCUPATIONS, orbitals}, {ENERGIES, orbitals}, {COEFFICIENTS, orbitals * primitives}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        if (check_count(f, expected[k].section, v[expected[k].section].count, expected[k].count, err)) return -1;
    return check_count(f, SPINS, f->spins, orbitals, err);
}

static int make_wave_function(struct wfx *f, struct trj_error *err) {
    struct orb_wave_function *w = f->r->w;
    const struct orb_reals *v = f->value;
    if (f->is_slater)
        return trj_fail(err, TRJ_BAD_DATA, "unsupported: Slater functions; use a file with Gaussian ones");
    if (check_counts(f, err)) return -1;
    for (size_t i = 0; i < v[NUMBERS].count; i++) {
        struct orb_atom atom = {.charge = f->line[CHARGES] ? v[CHARGES].value[i] : NAN};
        if (v[NUMBERS].value[i] > TRJ_ELEMENTS) return bad_value(f, NUMBERS, i, "not an atomic number", err);
        atom.number = (uint32_t)v[NUMBERS].value[i];
        memcpy(atom.position, v[POSITIONS].value + 3 * i, sizeof atom.position);
        if (orb_add_atom(f->r, &atom, err)) return -1;
    }
    for (size_t i = 0; i < v[CENTRES].count; i++) {
        struct orb_bare_function function = {.exponent = v[EXPONENTS].value[i]};
        double centre = v[CENTRES].value[i];
        if (centre < 1 || centre > (double)w->atoms) return bad_value(f, CENTRES, i, "no nucleus has this number", err);
        if (!orb_wfn_powers((int64_t)v[TYPES].value[i], function.power))
            return bad_value(f, TYPES, i, "unsupported; types 1 to 56 (s to h) are read", err);
        if (!(function.exponent > 0)) return bad_value(f, EXPONENTS, i, "not positive", err);
        function.atom = (uint32_t)centre - 1;
        if (orb_add_bare_function(f->r, &function, err)) return -1;
    }
    w->functions = w->bare_functions;
    for (size_t i = 0; i < f->spins; i++) {
        struct orb_orbital orbital = {.energy = f->line[ENERGIES] ? v[ENERGIES].value[i] : NAN,
                                      .occupation = v[OCCUPATIONS].value[i],
                                      .spin = f->spin[i] ? ORB_BETA : ORB_ALPHA};
        w->has_beta = w->has_beta || f->spin[i];
        if (orb_add_orbital(f->r, &orbital, err)) return -1;
    }
    if (f->line[ELECTRONS]) w->electrons = v[ELECTRONS].value[0];
    w->natural = f->is_natural;
    w->coefficient = v[COEFFICIENTS].value;
    f->value[COEFFICIENTS].value = NULL;
    return 0;
}

int orb_wfx_read(struct orb_reader *r, struct trj_error *err) {
    struct wfx f = {.r = r};
    int rc = read_sections(&f, err) ? -1 : make_wave_function(&f, err);
    for (size_t k = 0; k < SECTIONS; k++) free(f.value[k].value);
    free(f.spin);
    return rc;
}
