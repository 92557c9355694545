// SPDX-License-Identifier: MIT
// Reads wfn files of AIMPAC (R. F. W. Bader, Atoms in Molecules, Oxford 1990), which many programs write:
//   a title
//   GAUSSIAN  N MOL ORBITALS  N PRIMITIVES  N NUCLEI
//   name number (CENTRE n) x y z CHARGE = q           in 12 columns for each coordinate
//   CENTRE ASSIGNMENTS, TYPE ASSIGNMENTS              20 integers of 3 columns in a line
//   EXPONENTS                                         5 numbers in a line
//   MO n MO 0.0 OCC NO = o ORB. ENERGY = e            then the coefficients, for each orbital
//   END DATA
// Numbers may follow each other without blanks. Functions are primitives without a norm.
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "memory.h"
#include "number.h"
#include "wave_function_parts.h"

// Up to g, these orders are those of AIMPAC; h functions follow with descending powers of z, then of y.
static const char *const types[] = {
    "",      "x",     "y",     "z",     "xx",    "yy",    "zz",    "xy",    "xz",    "yz",    "xxx",   "yyy",
    "zzz",   "xxy",   "xxz",   "yyz",   "xyy",   "xzz",   "yzz",   "xyz",   "xxxx",  "yyyy",  "zzzz",  "xxxy",
    "xxxz",  "xyyy",  "yyyz",  "xzzz",  "yzzz",  "xxyy",  "xxzz",  "yyzz",  "xxyz",  "xyyz",  "xyzz",  "zzzzz",
    "yzzzz", "yyzzz", "yyyzz", "yyyyz", "yyyyy", "xzzzz", "xyzzz", "xyyzz", "xyyyz", "xyyyy", "xxzzz", "xxyzz",
    "xxyyz", "xxyyy", "xxxzz", "xxxyz", "xxxyy", "xxxxz", "xxxxy", "xxxxx",
};
enum { TYPES = sizeof types / sizeof *types };

bool orb_wfn_powers(int64_t type, uint8_t power[3]) {
    if (type < 1 || type > TYPES) return false;
    orb_powers(types[type - 1], power);
    return true;
}

static const char *const sections[] = {"CENTRE ASSIGNMENTS", "TYPE ASSIGNMENTS"};
enum { CENTRES, KINDS, LABEL = 20, INTEGER = 3, COORDINATE = 12, COORDINATES = 3 * COORDINATE };

struct wfn {
    struct orb_reader *r;
    int64_t orbitals, primitives, nuclei;
};

bool orb_wfn_is(const char *head, size_t n) {
    const char *newline = memchr(head, '\n', n);
    if (!newline) return false;
    const char *second = newline + 1, *end = head + n;
    while (second < end && trj_is_blank(*second)) second++;
    newline = memchr(second, '\n', (size_t)(end - second));
    char line[128] = "";
    size_t length = newline ? (size_t)(newline - second) : 0;
    if (length >= sizeof line) return false;
    memcpy(line, second, length);
    return (!strncmp(line, "GAUSSIAN", 8) || !strncmp(line, "SLATER", 6)) && strstr(line, "MOL ORBITALS") &&
           strstr(line, "PRIMITIVES") && strstr(line, "NUCLEI");
}

// "GAUSSIAN  5 MOL ORBITALS  21 PRIMITIVES  3 NUCLEI"
static int read_counts(struct wfn *f, struct trj_error *err) {
    struct orb_reader *r = f->r;
    if (orb_next_line(r, "the title", err) || orb_set_text(&r->w->title, r->lines->text, err) ||
        orb_find_program(r->w, r->lines->text, err) || orb_next_line(r, "the numbers of orbitals and nuclei", err))
        return -1;
    char *rest = r->lines->text, *word = trj_next_word(&rest);
    if (word && !strcmp(word, "SLATER"))
        return trj_lines_fail(r->lines, err, "unsupported: Slater functions; use a file with Gaussian ones");
    if (orb_next_integer(r, &rest, &f->orbitals, 1, INT32_MAX, "the number of orbitals", err)) return -1;
    trj_next_word(&rest);
    trj_next_word(&rest);
    if (orb_next_integer(r, &rest, &f->primitives, 1, ORB_FUNCTIONS_MAX, "the number of primitives", err)) return -1;
    trj_next_word(&rest);
    return orb_next_integer(r, &rest, &f->nuclei, 1, INT32_MAX, "the number of nuclei", err);
}

// Reads three numbers that fill the text. Returns whether it has them.
static bool scan_words(const char *text, double position[3]) {
    for (int k = 0; k < 3; k++) {
        text += strspn(text, " \t");
        text = trj_scan_fortran(text, &position[k]);
        if (!text || (*text && !trj_is_blank(*text)) || !isfinite(position[k])) return false;
    }
    return !text[strspn(text, " \t")];
}

// The columns of the coordinates begin after one blank. Some programs use other columns, with blanks between the
// numbers.
static bool scan_columns(const char *text, double position[3]) {
    if (strlen(text) < 1 + COORDINATES) return false;
    for (size_t k = 0; k < 3; k++) {
        char field[COORDINATE + 1];
        trj_field(text + 1, COORDINATES, COORDINATE * k, COORDINATE, field);
        if (!trj_parse_real(field, &position[k])) return false;
    }
    return true;
}

static int read_nucleus(struct wfn *f, struct trj_error *err) {
    struct orb_reader *r = f->r;
    struct orb_atom atom = {.charge = NAN};
    if (orb_next_line(r, "a nucleus", err)) return -1;
    char *centre = strchr(r->lines->text, ')'), *charge = centre ? strstr(centre, "CHARGE") : NULL;
    char *equals = charge ? strchr(charge, '=') : NULL;
    if (!equals)
        return trj_lines_fail(r->lines, err,
                              "nucleus %zu: expected (CENTRE n), coordinates and CHARGE =", r->w->atoms + 1);
    char *name = r->lines->text, *rest = equals + 1;
    *charge = 0;
    if (!scan_words(centre + 1, atom.position) && !scan_columns(centre + 1, atom.position))
        return trj_lines_fail(r->lines, err, "nucleus %zu: '%.40s' are not three coordinates", r->w->atoms + 1,
                              centre + 1);
    if (orb_next_real(r, &rest, &atom.charge, "the charge of a nucleus", err)) return -1;
    char *word = trj_next_word(&name);
    atom.number = word ? orb_atomic_number(word) : 0;
    return orb_add_atom(r, &atom, err);
}

// Returns the digits at *text, which are one integer of at most `max`, or integers of three columns without blanks
// between them; *text is moved after the first one. Returns 0 if there is none.
static int64_t next_integer(const char **text, int64_t max) {
    const char *p = *text + strspn(*text, " \t");
    size_t n = strspn(p, "0123456789"), length = n;
    int64_t value = 0;
    for (size_t i = 0; i < n && value <= max; i++) value = 10 * value + (p[i] - '0');
    if (value > max && n > INTEGER) {
        length = n % INTEGER ? n % INTEGER : INTEGER;
        value = 0;
        for (size_t i = 0; i < length; i++) value = 10 * value + (p[i] - '0');
    }
    *text = p + length;
    return value;
}

// Reads the assignments of all primitives: their nuclei, which begins them, or their types.
static int read_assignments(struct wfn *f, int which, struct trj_error *err) {
    struct orb_reader *r = f->r;
    int64_t max = which == CENTRES ? f->nuclei : TYPES;
    for (int64_t i = 0; i < f->primitives;) {
        if (orb_next_line(r, sections[which], err)) return -1;
        if (strncmp(r->lines->text, sections[which], strlen(sections[which])) != 0)
            return trj_lines_fail(r->lines, err, "expected a line '%s' for primitive %lld, found '%.20s'",
                                  sections[which], (long long)i + 1, r->lines->text);
        const char *text = r->lines->text + (r->lines->length < LABEL ? r->lines->length : LABEL);
        for (text += strspn(text, " \t"); *text; text += strspn(text, " \t"), i++) {
            const char *start = text;
            int64_t value = next_integer(&text, max);
            if (value < 1 || value > max || i == f->primitives)
                return trj_lines_fail(r->lines, err, "%s: primitive %lld: expected 1 to %lld, found '%.12s'",
                                      sections[which], (long long)i + 1, (long long)max, start);
            struct orb_bare_function function = {.atom = (uint32_t)value - 1};
            if (which == CENTRES ? orb_add_bare_function(r, &function, err)
                                 : !orb_wfn_powers(value, r->w->bare_function[i].power))
                return -1;
        }
    }
    return 0;
}

static int read_exponents(struct wfn *f, struct trj_error *err) {
    static const char label[] = "EXPONENTS";
    struct orb_reader *r = f->r;
    for (int64_t i = 0; i < f->primitives;) {
        if (orb_next_line(r, label, err)) return -1;
        if (strncmp(r->lines->text, label, sizeof label - 1) != 0)
            return trj_lines_fail(r->lines, err, "expected a line '%s' for primitive %lld, found '%.20s'", label,
                                  (long long)i + 1, r->lines->text);
        char *rest = r->lines->text + sizeof label - 1;
        for (rest += strspn(rest, " \t"); *rest; i++) {
            double exponent;
            if (orb_next_real(r, &rest, &exponent, "an exponent", err) || orb_check_exponent(r, exponent, err))
                return -1;
            if (i == f->primitives)
                return trj_lines_fail(r->lines, err, "more exponents than the %lld primitives",
                                      (long long)f->primitives);
            r->w->bare_function[i].exponent = exponent;
        }
    }
    return 0;
}

// "MO    1     MO 0.0        OCC NO =    2.0000000  ORB. ENERGY =  -20.251576"
static int read_orbital_line(struct wfn *f, struct trj_error *err) {
    struct orb_reader *r = f->r;
    struct orb_orbital orbital = {.energy = NAN};
    if (orb_next_line(r, "an orbital", err)) return -1;
    char *text = r->lines->text, *occupation = strstr(text, "OCC NO");
    char *energy = occupation ? strstr(occupation, "ENERGY") : NULL;
    char *first = occupation ? strchr(occupation, '=') : NULL, *second = energy ? strchr(energy, '=') : NULL;
    if (strncmp(text, "MO", 2) != 0 || !first || !second)
        return trj_lines_fail(r->lines, err,
                              "expected orbital %zu of %lld, 'MO ... OCC NO = ... ENERGY = ...', found '%.20s'",
                              r->w->orbitals + 1, (long long)f->orbitals, text);
    first++;
    second++;
    second += strspn(second, " \t");
    if (orb_next_real(r, &first, &orbital.occupation, "an occupation", err) ||
        (*second != '*' && orb_next_real(r, &second, &orbital.energy, "an energy", err)))
        return -1;
    return orb_add_orbital(r, &orbital, err);
}

static int read_orbital(struct wfn *f, struct orb_reals *values, struct trj_error *err) {
    struct orb_reader *r = f->r;
    if (read_orbital_line(f, err)) return -1;
    for (int64_t i = 0; i < f->primitives;) {
        if (orb_next_line(r, "the coefficients of an orbital", err)) return -1;
        char *rest = r->lines->text;
        for (rest += strspn(rest, " \t"); *rest; i++) {
            double value;
            if (i == f->primitives)
                return trj_lines_fail(r->lines, err, "orbital %zu has more coefficients than the %lld primitives",
                                      r->w->orbitals, (long long)f->primitives);
            if (orb_next_real(r, &rest, &value, "a coefficient", err) || orb_add_real(values, value, err)) return -1;
        }
    }
    return orb_check_newline(r, err);
}

static int read_file(struct wfn *f, struct orb_reals *values, struct trj_error *err) {
    if (read_counts(f, err)) return -1;
    for (int64_t i = 0; i < f->nuclei; i++)
        if (read_nucleus(f, err)) return -1;
    if (read_assignments(f, CENTRES, err) || read_assignments(f, KINDS, err) || read_exponents(f, err)) return -1;
    f->r->w->functions = f->r->w->bare_functions;
    for (int64_t i = 0; i < f->orbitals; i++)
        if (read_orbital(f, values, err)) return -1;
    return 0;
}

int orb_wfn_read(struct orb_reader *r, struct trj_error *err) {
    struct wfn f = {.r = r};
    struct orb_reals values = {.value = NULL};
    int rc = read_file(&f, &values, err);
    r->w->coefficient = values.value;
    r->w->spin_unknown = true;
    return rc;
}
