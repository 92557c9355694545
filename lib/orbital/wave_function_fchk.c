// SPDX-License-Identifier: MIT
// Reads formatted checkpoint files (fchk) of Gaussian, which Q-Chem and psi4 also write: a title, a line with the kind
// of the job, and entries "NAME TYPE VALUE" or "NAME TYPE N= COUNT", which COUNT values follow in the next lines. The
// name has 40 columns, TYPE is I, R, C, L or H in column 44, and VALUE and COUNT begin in column 50
// (https://gaussian.com/formchk, https://gaussian.com/interfacing).
//
// Shell types are l of Cartesian and -l of pure functions; -1 is a shell of s and p functions. Occupations are those of
// the numbers of alpha and beta electrons. Density matrices are lower triangles.
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "memory.h"
#include "wave_function_parts.h"

enum { NAME = 40, TYPE = 43, MARK = 47, VALUE = 49 }; // columns from 0; the width of the name

enum {
    ELECTRONS,
    ALPHA,
    BETA,
    FUNCTIONS,
    NUMBERS,
    CHARGES,
    POSITIONS,
    SHELL_TYPES,
    SHELL_PRIMITIVES,
    SHELL_ATOMS,
    EXPONENTS,
    CONTRACTION,
    SP_CONTRACTION,
    ALPHA_ENERGIES,
    BETA_ENERGIES,
    ALPHA_ORBITALS,
    BETA_ORBITALS,
    ENTRIES
};

static const struct {
    const char *name;
    bool array, required;
} entries[ENTRIES] = {
    [ELECTRONS] = {"Number of electrons", false, false},
    [ALPHA] = {"Number of alpha electrons", false, true},
    [BETA] = {"Number of beta electrons", false, true},
    [FUNCTIONS] = {"Number of basis functions", false, true},
    [NUMBERS] = {"Atomic numbers", true, true},
    [CHARGES] = {"Nuclear charges", true, false},
    [POSITIONS] = {"Current cartesian coordinates", true, true},
    [SHELL_TYPES] = {"Shell types", true, true},
    [SHELL_PRIMITIVES] = {"Number of primitives per shell", true, true},
    [SHELL_ATOMS] = {"Shell to atom map", true, true},
    [EXPONENTS] = {"Primitive exponents", true, true},
    [CONTRACTION] = {"Contraction coefficients", true, true},
    [SP_CONTRACTION] = {"P(S=P) Contraction coefficients", true, false},
    [ALPHA_ENERGIES] = {"Alpha Orbital Energies", true, false},
    [BETA_ENERGIES] = {"Beta Orbital Energies", true, false},
    [ALPHA_ORBITALS] = {"Alpha MO coefficients", true, true},
    [BETA_ORBITALS] = {"Beta MO coefficients", true, false},
};

// Integers are stored as float64, too.
struct entry {
    uint64_t line; // 0: the file has none
    struct orb_reals values;
};

struct fchk {
    struct orb_reader *r;
    struct entry entry[ENTRIES];
    struct orb_reals *triangle; // [w->densities]
    uint64_t *triangle_line;
    size_t triangle_capacity, line_capacity;
};

// The current line as the beginning of an entry.
struct head {
    char name[NAME + 1], type;
    bool array;
    int64_t count; // of an array
};

static bool parse_head(const char *text, size_t length, struct head *h) {
    if (length <= VALUE || !isalpha((unsigned char)*text) || !strchr("IRCLH", text[TYPE]) || text[TYPE - 1] != ' ' ||
        text[TYPE + 1] != ' ')
        return false;
    trj_field(text, length, 0, NAME, h->name);
    h->type = text[TYPE];
    h->array = !strncmp(text + MARK, "N=", 2);
    return true;
}

bool orb_fchk_is(const char *head, size_t n) {
    struct head h;
    for (int line = 1; line < 3; line++) {
        const char *newline = memchr(head, '\n', n);
        if (!newline) return false;
        n -= (size_t)(newline + 1 - head);
        head = newline + 1;
    }
    const char *newline = memchr(head, '\n', n);
    return newline && parse_head(head, (size_t)(newline - head), &h);
}

// ---- entries

// Reads the next line of an entry. Returns 0 or -1.
static int next_line(struct fchk *f, const struct head *h, int64_t done, struct trj_error *err) {
    struct orb_reader *r = f->r;
    int got = trj_lines_next(r->lines, err);
    if (got < 0) return -1;
    bool letter = got && isalpha((unsigned char)*r->lines->text) && (h->type == 'I' || h->type == 'R');
    if (!got || letter)
        return trj_lines_fail(r->lines, err, "%s%s: expected %lld values, found %lld",
                              got ? "" : "truncated: ", h->name, (long long)h->count, (long long)done);
    return orb_check_newline(r, err);
}

static int add_number(struct fchk *f, const struct head *h, char **rest, struct orb_reals *values,
                      struct trj_error *err) {
    int64_t integer = 0;
    double real = 0;
    char what[NAME + 16];
    snprintf(what, sizeof what, "a value of '%s'", h->name);
    if (h->type == 'R') {
        if (orb_next_real(f->r, rest, &real, what, err)) return -1;
    } else {
        if (orb_next_integer(f->r, rest, &integer, INT32_MIN, INT32_MAX, what, err)) return -1;
        real = (double)integer;
    }
    return orb_add_real(values, real, err);
}

static int read_values(struct fchk *f, const struct head *h, struct orb_reals *values, struct trj_error *err) {
    while ((int64_t)values->count < h->count) {
        if (next_line(f, h, (int64_t)values->count, err)) return -1;
        char *rest = f->r->lines->text;
        rest += strspn(rest, " \t");
        while (*rest) {
            if ((int64_t)values->count == h->count)
                return trj_lines_fail(f->r->lines, err, "%s: more than %lld values", h->name, (long long)h->count);
            if (add_number(f, h, &rest, values, err)) return -1;
        }
    }
    return 0;
}

static int skip_values(struct fchk *f, const struct head *h, struct trj_error *err) {
    int64_t in_line = h->type == 'I' ? 6 : h->type == 'L' ? 72 : h->type == 'H' ? 9 : 5;
    for (int64_t done = 0; done<h->count; done += in_line> h->count - done ? h->count - done : in_line)
        if (next_line(f, h, done, err)) return -1;
    return 0;
}

// The version begins in the first line after the entry.
static int read_version(struct fchk *f, const struct head *h, struct trj_error *err) {
    char text[128] = "Gaussian ";
    int64_t lines = h->count / 5 + (h->count % 5 > 0);
    for (int64_t k = 0; k < lines; k++) {
        if (next_line(f, h, 5 * k, err)) return -1;
        if (!k) snprintf(text, sizeof text, "Gaussian %.80s", f->r->lines->text);
    }
    return lines ? orb_set_text(&f->r->w->program, text, err) : 0;
}

static int read_density(struct fchk *f, const struct head *h, struct trj_error *err) {
    struct orb_wave_function *w = f->r->w;
    size_t n = w->densities;
    if (trj_grow(&w->density, &f->r->density_capacity, n + 1, sizeof *w->density, "densities", err) ||
        trj_grow(&f->triangle, &f->triangle_capacity, n + 1, sizeof *f->triangle, "densities", err) ||
        trj_grow(&f->triangle_line, &f->line_capacity, n + 1, sizeof *f->triangle_line, "densities", err))
        return -1;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(w->density[i].name, h->name))
            return trj_lines_fail(f->r->lines, err, "duplicate entry '%s'", h->name);
    w->density[n] = (struct orb_density_matrix){.name = NULL};
    f->triangle[n] = (struct orb_reals){.value = NULL};
    f->triangle_line[n] = f->r->lines->number;
    w->densities++; // from here on, orb_wave_function_free frees its texts
    return orb_set_text(&w->density[n].name, h->name, err) ? -1 : read_values(f, h, &f->triangle[n], err);
}

static size_t find_entry(const struct head *h) {
    size_t k = 0;
    while (k < ENTRIES && strcmp(entries[k].name, h->name) != 0) k++;
    return k;
}

// "Total SCF Density", "Spin MP2 Density"
static bool is_density(const struct head *h) {
    size_t n = strlen(h->name), end = strlen(" Density");
    bool begins = !strncmp(h->name, "Total ", 6) || !strncmp(h->name, "Spin ", 5);
    return begins && n > end && !strcmp(h->name + n - end, " Density") && h->array && h->type == 'R';
}

static int read_entry(struct fchk *f, struct trj_error *err) {
    struct orb_reader *r = f->r;
    struct head h = {.type = 0};
    if (!parse_head(r->lines->text, r->lines->length, &h))
        return trj_lines_fail(r->lines, err, "expected an entry with its type in column 44, found '%.40s'",
                              r->lines->text);
    size_t k = find_entry(&h);
    char *rest = r->lines->text + VALUE;
    if (h.array && orb_next_integer(r, &rest, &h.count, 0, INT64_MAX, "a number of values", err)) return -1;
    if (orb_check_newline(r, err)) return -1;
    if (k < ENTRIES) {
        struct entry *e = &f->entry[k];
        if (e->line) return trj_lines_fail(r->lines, err, "duplicate entry '%s'", h.name);
        if (h.array != entries[k].array || (h.type != 'I' && h.type != 'R'))
            return trj_lines_fail(r->lines, err, "'%s' is not %s", h.name,
                                  entries[k].array ? "an array of numbers" : "a number");
        e->line = r->lines->number;
        return h.array ? read_values(f, &h, &e->values, err) : add_number(f, &h, &rest, &e->values, err);
    }
    if (!h.array) return 0;
    if (!strcmp(h.name, "Gaussian Version")) return read_version(f, &h, err);
    return is_density(&h) ? read_density(f, &h, err) : skip_values(f, &h, err);
}

static int read_entries(struct fchk *f, struct trj_error *err) {
    struct orb_reader *r = f->r;
    int got;
    if (orb_next_line(r, "the title", err) || orb_set_text(&r->w->title, r->lines->text, err) ||
        orb_find_program(r->w, r->lines->text, err) || orb_next_line(r, "the kind of the job", err))
        return -1;
    while ((got = trj_lines_next(r->lines, err)) > 0)
        if (r->lines->text[strspn(r->lines->text, " \t")] && read_entry(f, err)) return -1;
    return got;
}

// ---- the wave function

// Returns the value of an entry that is a number; NaN if it is missing.
static double number_of(const struct fchk *f, size_t k) {
    const struct orb_reals *values = &f->entry[k].values;
    return values->count ? values->value[0] : NAN;
}

static int bad_value(const struct fchk *f, size_t k, size_t i, const char *what, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "line %llu: %s: value %zu is %g: %s", (unsigned long long)f->entry[k].line,
                    entries[k].name, i + 1, f->entry[k].values.value[i], what);
}

static int check_count(const struct fchk *f, size_t k, size_t expected, struct trj_error *err) {
    const struct entry *e = &f->entry[k];
    if (!e->line || e->values.count == expected) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "line %llu: %s: %zu values, expected %zu", (unsigned long long)e->line,
                    entries[k].name, e->values.count, expected);
}

static bool in_range(double value, double min, double max) {
    return value >= min && value <= max && value == floor(value);
}

static int check_entries(const struct fchk *f, struct trj_error *err) {
    const struct entry *e = f->entry;
    for (size_t k = 0; k < ENTRIES; k++) {
        if (!entries[k].required || e[k].line) continue;
        if (k >= SHELL_TYPES)
            return trj_fail(
                err, TRJ_BAD_DATA,
                "no entry '%s': the file contains no %s; run a single point calculation, keep its checkpoint, "
                "and convert that with formchk",
                entries[k].name, k < ALPHA_ENERGIES ? "basis set" : "orbitals");
        return trj_fail(err, TRJ_BAD_DATA, "no entry '%s'", entries[k].name);
    }
    size_t atoms = e[NUMBERS].values.count, shells = e[SHELL_TYPES].values.count;
    size_t primitives = e[EXPONENTS].values.count;
    if (check_count(f, CHARGES, atoms, err) || check_count(f, POSITIONS, 3 * atoms, err) ||
        check_count(f, SHELL_PRIMITIVES, shells, err) || check_count(f, SHELL_ATOMS, shells, err) ||
        check_count(f, CONTRACTION, primitives, err))
        return -1;
    return check_count(f, SP_CONTRACTION, primitives, err);
}

static int add_atoms(const struct fchk *f, struct trj_error *err) {
    const struct entry *e = f->entry;
    for (size_t i = 0; i < e[NUMBERS].values.count; i++) {
        struct orb_atom atom = {.charge = e[CHARGES].line ? e[CHARGES].values.value[i] : NAN};
        double number = e[NUMBERS].values.value[i];
        if (number < 0) number = 0; // ghost atoms of some programs
        if (!in_range(number, 0, TRJ_ELEMENTS)) return bad_value(f, NUMBERS, i, "not an atomic number", err);
        atom.number = (uint32_t)number;
        memcpy(atom.position, e[POSITIONS].values.value + 3 * i, sizeof atom.position);
        if (orb_add_atom(f->r, &atom, err)) return -1;
    }
    return 0;
}

static int add_shell(const struct fchk *f, size_t s, size_t first, struct trj_error *err) {
    const struct entry *e = f->entry;
    double type = e[SHELL_TYPES].values.value[s], atom = e[SHELL_ATOMS].values.value[s];
    double primitives = e[SHELL_PRIMITIVES].values.value[s];
    if (!in_range(atom, 1, (double)f->r->w->atoms)) return bad_value(f, SHELL_ATOMS, s, "no atom has this number", err);
    if (!in_range(type, -ORB_L_MAX, ORB_L_MAX))
        return bad_value(f, SHELL_TYPES, s, "unsupported; shells up to h (5, -5) are read", err);
    if (!in_range(primitives, 1, (double)(e[EXPONENTS].values.count - first)))
        return bad_value(f, SHELL_PRIMITIVES, s, "not a possible number of primitives", err);
    bool sp = type == -1;
    if (sp && !e[SP_CONTRACTION].line)
        return trj_fail(err, TRJ_BAD_DATA, "no entry '%s', which shells of type -1 require",
                        entries[SP_CONTRACTION].name);
    for (size_t part = 0; part <= (size_t)sp; part++) {
        const double *contraction = e[part ? SP_CONTRACTION : CONTRACTION].values.value;
        uint32_t l = sp ? (uint32_t)part : (uint32_t)fabs(type);
        if (orb_add_shell(f->r, (uint32_t)atom - 1, l, type < -1, err)) return -1;
        for (size_t i = first; i < first + (size_t)primitives; i++) {
            if (!(e[EXPONENTS].values.value[i] > 0)) return bad_value(f, EXPONENTS, i, "not positive", err);
            if (orb_add_primitive(f->r, e[EXPONENTS].values.value[i], contraction[i], err)) return -1;
        }
    }
    return 0;
}

static int add_shells(const struct fchk *f, struct trj_error *err) {
    const struct entry *e = f->entry;
    struct orb_wave_function *w = f->r->w;
    size_t first = 0;
    for (size_t s = 0; s < e[SHELL_TYPES].values.count; s++) {
        if (add_shell(f, s, first, err)) return -1;
        first += (size_t)e[SHELL_PRIMITIVES].values.value[s];
    }
    if (check_count(f, EXPONENTS, first, err) || orb_number_functions(f->r, err)) return -1;
    if (number_of(f, FUNCTIONS) != (double)w->functions)
        return trj_fail(err, TRJ_BAD_DATA, "line %llu: %s: %g, but the shells have %zu",
                        (unsigned long long)e[FUNCTIONS].line, entries[FUNCTIONS].name, number_of(f, FUNCTIONS),
                        w->functions);
    return w->functions ? 0 : trj_fail(err, TRJ_BAD_DATA, "the file contains no basis functions");
}

// Adds the orbitals of a spin with their occupations.
static int add_orbitals(const struct fchk *f, enum orb_spin spin, struct trj_error *err) {
    const struct entry *e = f->entry, *energies = &e[spin == ORB_BETA ? BETA_ENERGIES : ALPHA_ENERGIES];
    size_t k = spin == ORB_BETA ? BETA_ORBITALS : ALPHA_ORBITALS, functions = f->r->w->functions;
    size_t n = e[k].values.count / functions;
    double electrons[2] = {number_of(f, ALPHA), number_of(f, BETA)};
    if (check_count(f, k, n * functions, err) ||
        check_count(f, spin == ORB_BETA ? BETA_ENERGIES : ALPHA_ENERGIES, n, err))
        return -1;
    if (!in_range(electrons[spin], 0, (double)n) ||
        (!f->r->w->has_beta && !in_range(electrons[ORB_BETA], 0, (double)n)))
        return trj_fail(err, TRJ_BAD_DATA, "%g alpha and %g beta electrons do not fit into %zu orbitals", electrons[0],
                        electrons[1], n);
    for (size_t i = 0; i < n; i++) {
        struct orb_orbital orbital = {.energy = energies->line ? energies->values.value[i] : NAN, .spin = spin};
        orbital.occupation = (double)i < electrons[spin];
        if (!f->r->w->has_beta && (double)i < electrons[ORB_BETA]) orbital.occupation += 1;
        if (orb_add_orbital(f->r, &orbital, err)) return -1;
    }
    return 0;
}

static int set_coefficients(struct fchk *f, const size_t *place, struct trj_error *err) {
    struct orb_wave_function *w = f->r->w;
    size_t n = w->functions, alpha = f->entry[ALPHA_ORBITALS].values.count / n;
    w->coefficient = trj_alloc(w->orbitals * n, sizeof *w->coefficient, "coefficients of orbitals", err);
    if (!w->coefficient) return -1;
    for (size_t i = 0; i < w->orbitals; i++) {
        size_t k = i < alpha ? ALPHA_ORBITALS : BETA_ORBITALS;
        const double *from = f->entry[k].values.value + (i < alpha ? i : i - alpha) * n;
        for (size_t m = 0; m < n; m++) w->coefficient[i * n + place[m]] = from[m];
    }
    return 0;
}

static int set_density(struct fchk *f, size_t k, const size_t *place, struct trj_error *err) {
    struct orb_wave_function *w = f->r->w;
    size_t n = w->functions, expected = n * (n + 1) / 2;
    struct orb_reals *triangle = &f->triangle[k];
    if (triangle->count != expected)
        return trj_fail(err, TRJ_BAD_DATA, "line %llu: %s: %zu values, expected %zu",
                        (unsigned long long)f->triangle_line[k], w->density[k].name, triangle->count, expected);
    double *matrix = trj_alloc(n * n, sizeof *matrix, "a density matrix", err);
    if (!matrix) return -1;
    w->density[k].matrix = matrix;
    const double *from = triangle->value;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) matrix[place[i] * n + place[j]] = matrix[place[j] * n + place[i]] = *from++;
    free(triangle->value);
    *triangle = (struct orb_reals){.value = NULL};
    return 0;
}

static int make_wave_function(struct fchk *f, struct trj_error *err) {
    struct orb_wave_function *w = f->r->w;
    if (check_entries(f, err) || add_atoms(f, err) || add_shells(f, err)) return -1;
    w->has_beta = f->entry[BETA_ORBITALS].line;
    w->electrons = number_of(f, ELECTRONS);
    if (add_orbitals(f, ORB_ALPHA, err) || (w->has_beta && add_orbitals(f, ORB_BETA, err))) return -1;
    size_t *place = NULL;
    int rc = orb_places(&place, w, orb_fchk_orders, err);
    if (!rc) rc = set_coefficients(f, place, err);
    for (size_t k = 0; k < w->densities && !rc; k++) rc = set_density(f, k, place, err);
    free(place);
    return rc;
}

int orb_fchk_read(struct orb_reader *r, struct trj_error *err) {
    struct fchk f = {.r = r};
    int rc = read_entries(&f, err) ? -1 : make_wave_function(&f, err);
    for (size_t k = 0; k < ENTRIES; k++) free(f.entry[k].values.value);
    for (size_t k = 0; k < r->w->densities; k++) free(f.triangle[k].value);
    free(f.triangle);
    free(f.triangle_line);
    return rc;
}
