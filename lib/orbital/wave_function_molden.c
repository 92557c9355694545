// SPDX-License-Identifier: MIT
// Reads Molden files (https://www.theochem.ru.nl/molden/molden_format.html), in the dialects of many programs. Lines
// "[NAME]" begin sections, in any order; those that are not listed here are skipped:
//   [Atoms] UNIT    name number Z x y z; UNIT is AU or Angs, also in parentheses
//   [GTO]           "atom 0", then shells "l primitives [1.00]" with a line "exponent coefficient" for each primitive,
//                   or for l = sp "exponent coefficient coefficient"
//   [5D] [7F] ...   pure or Cartesian functions; [5D] includes f functions. They may follow [MO]
//   [MO]            "Sym=", "Ene=", "Spin=" and "Occup=", then lines "function coefficient"; zeros may be missing
//   [Core]          "atom : electrons of the core potential", as PySCF writes it
//   [Pseudo]        "name atom charge"
//   [Title], [Program]
// The specification has no h functions. Programs write pure ones, with or without a line [11H].
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "element.h"
#include "memory.h"
#include "units.h"
#include "wave_function_parts.h"

enum section { OTHER, TITLE, PROGRAM, ATOMS, CORE, PSEUDO, GTO, MO, SECTIONS };
enum kind { UNSTATED, CARTESIAN, PURE };
enum { KEY_SYM, KEY_ENE, KEY_SPIN, KEY_OCCUP, KEYS };

// Consecutive coefficients of an orbital. They end where those of the next run begin.
struct run {
    size_t orbital, function, first; // first function; index of its coefficient in `value`
};

struct core {
    int64_t atom; // its number in the file
    double value; // electrons of the core, or with `is_charge` the charge
    bool is_charge;
};

struct molden {
    struct orb_reader *r;
    enum section section;
    bool seen[SECTIONS];
    enum kind kind[ORB_L_MAX + 1];
    bool angstrom;
    int64_t *atom_number;  // [atoms] ascending
    uint32_t *named;       // [atoms] atomic number of the symbol that the name begins with; 0: none
    int64_t *shell_centre; // [shells] number of the atom
    size_t atom_capacity, named_capacity, shell_capacity;
    struct core *core;
    size_t cores, core_capacity;
    // The shell that is being read:
    int64_t centre; // 0: none
    uint32_t l;
    bool is_sp;
    int64_t left;                                   // primitives that follow
    struct orb_reals exponent, contraction, second; // `second`: of the p functions of sp
    // Orbitals:
    bool has_key[KEYS]; // of the current orbital
    bool in_coefficients;
    struct run *run;
    size_t runs, run_capacity;
    size_t next_function; // after the current run
    size_t functions;     // largest function number
    struct orb_reals value;
};

bool orb_molden_is(const char *head, size_t n) {
    return orb_has_line(head, n, "[Molden Format]");
}

// ---- [Atoms], [Core], [Pseudo]

static int begin_atoms(struct molden *m, const char *unit) {
    while (*unit && !isalpha((unsigned char)*unit)) unit++;
    m->angstrom = strncasecmp(unit, "au", 2) != 0 && strncasecmp(unit, "bohr", 4) != 0;
    if (m->angstrom && strncasecmp(unit, "ang", 3) != 0)
        orb_note(m->r->w, "the unit of the coordinates is taken as Angstrom, because [Atoms] states none");
    return 0;
}

static int read_atom(struct molden *m, struct trj_error *err) {
    struct orb_reader *r = m->r;
    char *rest = r->lines->text, *name = trj_next_word(&rest);
    struct orb_atom atom = {.charge = NAN};
    size_t n = r->w->atoms;
    int64_t number, z;
    if (!name) return 0;
    if (orb_next_integer(r, &rest, &number, 1, UINT32_MAX, "the number of an atom", err) ||
        orb_next_integer(r, &rest, &z, 0, TRJ_ELEMENTS, "an atomic number", err))
        return -1;
    if (n && number <= m->atom_number[n - 1])
        return trj_lines_fail(r->lines, err, "the number of an atom is %lld after %lld, expected a larger one",
                              (long long)number, (long long)m->atom_number[n - 1]);
    atom.number = (uint32_t)z;
    for (int k = 0; k < 3; k++) {
        if (orb_next_real(r, &rest, &atom.position[k], "a coordinate", err)) return -1;
        if (m->angstrom) atom.position[k] /= TRJ_BOHR;
    }
    if (trj_grow(&m->atom_number, &m->atom_capacity, n + 1, sizeof *m->atom_number, "atoms", err) ||
        trj_grow(&m->named, &m->named_capacity, n + 1, sizeof *m->named, "atoms", err))
        return -1;
    size_t letters = 0;
    while (isalpha((unsigned char)name[letters])) letters++;
    m->atom_number[n] = number;
    m->named[n] = trj_element_find_exact(name, letters);
    return orb_add_atom(r, &atom, err);
}

// "1 : 10"
static int read_core(struct molden *m, struct trj_error *err) {
    struct core core = {.is_charge = m->section == PSEUDO};
    char *rest = m->r->lines->text;
    rest += strspn(rest, " \t");
    if (!*rest) return 0;
    char *colon = strchr(rest, ':');
    if (core.is_charge) trj_next_word(&rest);
    if (colon) *colon = ' ';
    if (orb_next_integer(m->r, &rest, &core.atom, 1, UINT32_MAX, "the number of an atom", err) ||
        orb_next_real(m->r, &rest, &core.value, core.is_charge ? "a charge" : "a number of electrons", err) ||
        trj_grow(&m->core, &m->core_capacity, m->cores + 1, sizeof *m->core, "core potentials", err))
        return -1;
    m->core[m->cores++] = core;
    return 0;
}

static int compare_numbers(const void *a, const void *b) {
    const int64_t *p = a, *q = b;
    return (*p > *q) - (*p < *q);
}

static int find_atom(const struct molden *m, int64_t number, const char *section, size_t *atom, struct trj_error *err) {
    size_t n = m->r->w->atoms;
    const int64_t *found = n ? bsearch(&number, m->atom_number, n, sizeof *m->atom_number, compare_numbers) : NULL;
    if (!found)
        return trj_fail(err, TRJ_BAD_DATA, "%s: no atom of [Atoms] has the number %lld", section, (long long)number);
    *atom = (size_t)(found - m->atom_number);
    return 0;
}

// In files of tblite, the column of atomic numbers contains the charges of the nuclei without the core electrons. Then
// it is less than the number of the named element for all atoms but H and He.
static void set_named_elements(struct molden *m) {
    struct orb_wave_function *w = m->r->w;
    size_t heavy = 0;
    for (size_t i = 0; i < w->atoms; i++) {
        if (m->named[i] <= 2) continue;
        if (!w->atom[i].number || w->atom[i].number >= m->named[i]) return;
        heavy++;
    }
    if (!heavy) return;
    for (size_t i = 0; i < w->atoms; i++) {
        w->atom[i].charge = w->atom[i].number;
        if (m->named[i]) w->atom[i].number = m->named[i];
    }
    orb_note(w, "the elements are those of the names of the atoms, because [Atoms] gives numbers of valence electrons "
                "instead of atomic numbers");
}

static int set_cores(struct molden *m, struct trj_error *err) {
    struct orb_wave_function *w = m->r->w;
    set_named_elements(m);
    for (size_t i = 0; i < m->cores; i++) {
        size_t atom;
        const struct core *c = &m->core[i];
        if (find_atom(m, c->atom, c->is_charge ? "[Pseudo]" : "[Core]", &atom, err)) return -1;
        w->atom[atom].charge = c->is_charge ? c->value : w->atom[atom].number - c->value;
    }
    return 0;
}

// ---- [GTO]

static int begin_shell(struct molden *m, char *label, char *rest, struct trj_error *err) {
    static const char letters[] = "spdfgh";
    struct orb_reader *r = m->r;
    double scale = 1;
    const char *letter = strchr(letters, tolower((unsigned char)*label));
    m->is_sp = !strcasecmp(label, "sp");
    if (!m->centre) return trj_lines_fail(r->lines, err, "a shell before the number of an atom");
    if (!m->is_sp && (!letter || label[1]))
        return trj_lines_fail(r->lines, err, "unsupported: a shell '%.20s'; shells s, p, d, f, g, h and sp are read",
                              label);
    m->l = m->is_sp ? 0 : (uint32_t)(letter - letters);
    if (orb_next_integer(r, &rest, &m->left, 1, INT32_MAX, "the number of primitives", err)) return -1;
    if (*rest && orb_next_real(r, &rest, &scale, "the scale factor of a shell", err)) return -1;
    if (scale != 1 && scale != 0) // NWChem writes 0
        return trj_lines_fail(r->lines, err,
                              "unsupported: the scale factor %g of a shell; multiply its exponents by the square, and "
                              "write 1.00",
                              scale);
    m->exponent.count = m->contraction.count = m->second.count = 0;
    return 0;
}

static int end_shell(struct molden *m, struct trj_error *err) {
    for (uint32_t k = 0; k <= (uint32_t)m->is_sp; k++) {
        size_t n = m->r->w->shells;
        if (trj_grow(&m->shell_centre, &m->shell_capacity, n + 1, sizeof *m->shell_centre, "shells", err) ||
            orb_add_shell(m->r, 0, m->l + k, false, err))
            return -1;
        m->shell_centre[n] = m->centre;
        for (size_t i = 0; i < m->exponent.count; i++)
            if (orb_add_primitive(m->r, m->exponent.value[i], k ? m->second.value[i] : m->contraction.value[i], err))
                return -1;
    }
    return 0;
}

static int read_primitive(struct molden *m, char *rest, struct trj_error *err) {
    struct orb_reader *r = m->r;
    double exponent, contraction, second = 0;
    if (orb_next_real(r, &rest, &exponent, "an exponent", err) || orb_check_exponent(r, exponent, err) ||
        orb_next_real(r, &rest, &contraction, "a contraction coefficient", err) ||
        (m->is_sp && orb_next_real(r, &rest, &second, "the contraction coefficient of p", err)) ||
        orb_add_real(&m->exponent, exponent, err) || orb_add_real(&m->contraction, contraction, err) ||
        (m->is_sp && orb_add_real(&m->second, second, err)))
        return -1;
    return --m->left ? 0 : end_shell(m, err);
}

static int read_basis(struct molden *m, struct trj_error *err) {
    struct orb_reader *r = m->r;
    char *rest = r->lines->text;
    rest += strspn(rest, " \t");
    if (m->left) return read_primitive(m, rest, err);
    if (!*rest) return 0;
    if (!isalpha((unsigned char)*rest))
        return orb_next_integer(r, &rest, &m->centre, 1, UINT32_MAX, "the number of an atom", err);
    char *label = trj_next_word(&rest);
    return begin_shell(m, label, rest, err);
}

// ---- [MO]

static int end_orbital(struct molden *m, struct trj_error *err) {
    if (!m->r->w->orbitals || m->has_key[KEY_OCCUP]) return 0;
    return trj_lines_fail(m->r->lines, err, "orbital %zu has no line Occup=", m->r->w->orbitals);
}

static int begin_orbital(struct molden *m, struct trj_error *err) {
    if (end_orbital(m, err)) return -1;
    memset(m->has_key, 0, sizeof m->has_key);
    m->in_coefficients = false;
    m->next_function = SIZE_MAX;
    return orb_add_orbital(m->r, &(struct orb_orbital){.energy = NAN}, err);
}

static int read_key(struct molden *m, char *equals, struct trj_error *err) {
    static const char *const keys[KEYS] = {"sym", "ene", "spin", "occup"};
    struct orb_reader *r = m->r;
    char *rest = r->lines->text, *text = equals + 1;
    *equals = 0;
    const char *word = trj_next_word(&rest);
    size_t key = 0;
    while (word && key < KEYS && strcasecmp(word, keys[key]) != 0) key++;
    if (!word || key == KEYS) return 0;
    if ((!r->w->orbitals || m->in_coefficients || m->has_key[key]) && begin_orbital(m, err)) return -1;
    m->has_key[key] = true;
    struct orb_orbital *orbital = &r->w->orbital[r->w->orbitals - 1];
    text += strspn(text, " \t");
    switch (key) {
    case KEY_SYM:
        orb_set_label(orbital, text);
        return 0;
    case KEY_ENE: // Fortran writes asterisks for numbers that are too wide
        return *text == '*' ? 0 : orb_next_real(r, &text, &orbital->energy, "an energy", err);
    case KEY_SPIN:
        if (strncasecmp(text, "alpha", 5) != 0 && strncasecmp(text, "beta", 4) != 0)
            return trj_lines_fail(r->lines, err, "the spin is '%.20s', expected Alpha or Beta", text);
        orbital->spin = tolower((unsigned char)*text) == 'b' ? ORB_BETA : ORB_ALPHA;
        r->w->has_beta = r->w->has_beta || orbital->spin == ORB_BETA;
        return 0;
    default:
        return orb_next_real(r, &text, &orbital->occupation, "an occupation", err);
    }
}

static int read_coefficient(struct molden *m, char *rest, struct trj_error *err) {
    enum { SAMPLE = 1000 }; // numbers whose style is compared with the last one of the file
    struct orb_reader *r = m->r;
    int64_t number;
    double value;
    if (!r->w->orbitals)
        return trj_lines_fail(r->lines, err, "a coefficient before the first line Sym=, Ene= or Occup=");
    if (orb_next_integer(r, &rest, &number, 1, ORB_FUNCTIONS_MAX, "the number of a function", err)) return -1;
    const char *text = rest;
    if (orb_next_real(r, &rest, &value, "a coefficient", err)) return -1;
    if (*rest)
        return trj_lines_fail(r->lines, err, "expected a function and its coefficient, found also '%.20s'", rest);
    size_t f = (size_t)number - 1;
    if (f != m->next_function) {
        if (trj_grow(&m->run, &m->run_capacity, m->runs + 1, sizeof *m->run, "coefficients", err)) return -1;
        m->run[m->runs++] = (struct run){.orbital = r->w->orbitals - 1, .function = f, .first = m->value.count};
    }
    m->in_coefficients = true;
    m->next_function = f + 1;
    if (f >= m->functions) m->functions = f + 1;
    bool last = !trj_lines_has_newline(r->lines), alone = !r->lines->style->seen;
    if (last && (alone ? orb_check_newline(r, err) : trj_lines_check_last_number(r->lines, &text, 1, err))) return -1;
    if (r->lines->style->seen < SAMPLE) trj_number_style_add(r->lines->style, text);
    return orb_add_real(&m->value, value, err);
}

static int read_orbital(struct molden *m, struct trj_error *err) {
    char *text = m->r->lines->text, *equals = strchr(text, '=');
    if (equals) return read_key(m, equals, err);
    text += strspn(text, " \t");
    return *text ? read_coefficient(m, text, err) : 0;
}

static size_t end_of_run(const struct molden *m, size_t k) {
    return k + 1 < m->runs ? m->run[k + 1].first : m->value.count;
}

// Sets *dense if each orbital has the coefficients of functions 1 to m->functions. Rejects a last orbital with fewer
// coefficients, if it is the only one.
static int check_complete(const struct molden *m, bool *dense, struct trj_error *err) {
    size_t orbitals = m->r->w->orbitals, whole = 0;
    for (size_t k = 0; k < m->runs && k < orbitals; k++) {
        const struct run *run = &m->run[k];
        if (run->orbital != k || run->function || end_of_run(m, k) - run->first != m->functions) break;
        whole++;
    }
    *dense = whole == orbitals && m->runs == orbitals;
    bool none = !m->runs || m->run[m->runs - 1].orbital != orbitals - 1;
    size_t found = none ? 0 : m->value.count - m->run[m->runs - 1].first;
    bool shorter = orbitals > 1 && whole == orbitals - 1 && m->runs == orbitals && !m->run[whole].function;
    if (!none && !shorter) return 0;
    return trj_lines_fail(m->r->lines, err, "truncated: the file ends after %zu coefficients of orbital %zu", found,
                          orbitals);
}

// ---- functions

static size_t count_functions(const size_t shells[ORB_L_MAX + 1], const bool pure[ORB_L_MAX + 1]) {
    size_t n = 0;
    for (uint32_t l = 0; l <= ORB_L_MAX; l++) n += shells[l] * orb_shell_functions(l, pure[l]);
    return n;
}

// Chooses pure or Cartesian functions for each l that the file does not state, if only one choice has as many functions
// as there are coefficients. Returns whether there is one.
static bool find_kinds(const struct molden *m, const size_t shells[ORB_L_MAX + 1], bool pure[ORB_L_MAX + 1]) {
    bool found[ORB_L_MAX + 1], try[ORB_L_MAX + 1];
    size_t fits = 0;
    for (unsigned bits = 0; bits < 1u << (ORB_L_MAX + 1); bits++) {
        bool different = false; // from what the file states, or for an l that has no shells
        for (unsigned l = 0; l <= ORB_L_MAX; l++) {
            try[l] = bits >> l & 1;
            bool fixed = l < 2 || !shells[l] || m->kind[l] != UNSTATED;
            different = different || (fixed && try[l] != pure[l]);
        }
        if (different || count_functions(shells, try) != m->functions) continue;
        memcpy(found, try, sizeof found);
        fits++;
    }
    if (fits == 1) memcpy(pure, found, sizeof found);
    return fits == 1;
}

static int choose_kinds(struct molden *m, bool dense, struct trj_error *err) {
    struct orb_wave_function *w = m->r->w;
    size_t shells[ORB_L_MAX + 1] = {0};
    bool pure[ORB_L_MAX + 1] = {false};
    for (size_t s = 0; s < w->shells; s++) shells[w->shell[s].l]++;
    for (int l = 2; l <= ORB_L_MAX; l++) pure[l] = m->kind[l] == PURE;
    if (m->kind[3] == UNSTATED) pure[3] = pure[2];
    if (m->kind[ORB_L_MAX] == UNSTATED) pure[ORB_L_MAX] = true;
    size_t n = count_functions(shells, pure);
    if ((m->functions > n || (dense && m->functions < n)) && find_kinds(m, shells, pure)) {
        n = m->functions;
        if (!shells[ORB_L_MAX] || pure[ORB_L_MAX])
            orb_note(w,
                     "which functions are pure is decided by the number of coefficients, %zu, because it differs "
                     "from what lines such as [5D] give",
                     n);
    }
    if (m->functions > n)
        return trj_fail(err, TRJ_BAD_DATA, "[MO] has coefficients of %zu functions, but [GTO] has only %zu",
                        m->functions, n);
    if (shells[ORB_L_MAX] && !pure[ORB_L_MAX])
        return trj_fail(
            err, TRJ_BAD_DATA,
            "unsupported: Cartesian h functions, whose order Molden files do not define; use pure functions, "
            "or write an fchk or wfx file");
    for (size_t s = 0; s < w->shells; s++) w->shell[s].pure = pure[w->shell[s].l];
    return 0;
}

static int set_coefficients(struct molden *m, struct trj_error *err) {
    enum { SMALL = 1 << 23, SPARSEST = 100 };
    struct orb_wave_function *w = m->r->w;
    size_t n = w->functions, *place = NULL, *seen = NULL;
    int rc = -1;
    if (w->orbitals > 2 * n)
        return trj_fail(err, TRJ_BAD_DATA, "%zu orbitals, but only %zu basis functions", w->orbitals, n);
    // A damaged file must not request memory for coefficients that it does not contain.
    if (w->orbitals * n > SMALL && w->orbitals * n / SPARSEST > m->value.count)
        return trj_fail(err, TRJ_BAD_DATA, "%zu orbitals with %zu functions have only %zu coefficients", w->orbitals, n,
                        m->value.count);
    w->coefficient = trj_alloc(w->orbitals * n, sizeof *w->coefficient, "coefficients of orbitals", err);
    seen = trj_alloc(n, sizeof *seen, "functions", err);
    if (!w->coefficient || !seen || orb_places(&place, w, orb_molden_orders, err)) goto out;
    for (size_t k = 0; k < m->runs; k++) {
        const struct run *run = &m->run[k];
        double *row = w->coefficient + run->orbital * n;
        for (size_t i = run->first, f = run->function; i < end_of_run(m, k); i++, f++) {
            if (seen[f] == run->orbital + 1) {
                trj_fail(err, TRJ_BAD_DATA, "orbital %zu has two coefficients of function %zu", run->orbital + 1,
                         f + 1);
                goto out;
            }
            seen[f] = run->orbital + 1;
            row[place[f]] = m->value.value[i];
        }
    }
    rc = 0;
out:
    free(place);
    free(seen);
    return rc;
}

// ---- sections

// Sets the kinds of a line such as [5D10F]. Returns whether it is one.
static bool set_kinds(struct molden *m, const char *name) {
    static const struct {
        const char *text;
        uint32_t l;
        enum kind kind;
    } kinds[] = {{"5d", 2, PURE}, {"6d", 2, CARTESIAN},  {"7f", 3, PURE},  {"10f", 3, CARTESIAN},
                 {"9g", 4, PURE}, {"15g", 4, CARTESIAN}, {"11h", 5, PURE}, {"21h", 5, CARTESIAN}};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    enum kind found[ORB_L_MAX + 1] = {UNSTATED};
    while (*name) {
        size_t k = 0;
        while (k < KINDS && strncasecmp(name, kinds[k].text, strlen(kinds[k].text)) != 0) k++;
        if (k == KINDS) return false;
        found[kinds[k].l] = kinds[k].kind;
        name += strlen(kinds[k].text);
    }
    for (int l = 2; l <= ORB_L_MAX; l++)
        if (found[l] != UNSTATED) m->kind[l] = found[l];
    return true;
}

static int end_section(const struct molden *m, struct trj_error *err) {
    if (m->section != GTO || !m->left) return 0;
    return trj_lines_fail(m->r->lines, err, "[GTO] ends, but %lld more primitives of a shell are expected",
                          (long long)m->left);
}

// Begins the section of the current line "[NAME] text".
static int begin_section(struct molden *m, char *open, struct trj_error *err) {
    static const char *const names[SECTIONS] = {"", "title", "program", "atoms", "core", "pseudo", "gto", "mo"};
    struct orb_reader *r = m->r;
    char *close = strchr(open, ']');
    if (!close) return trj_lines_fail(r->lines, err, "the name of a section has no ']': '%.40s'", open);
    *close = 0;
    const char *name = open + 1;
    if (end_section(m, err)) return -1;
    m->section = OTHER;
    for (int s = TITLE; s < SECTIONS; s++)
        if (!strcasecmp(name, names[s])) m->section = (enum section)s;
    bool repeated = m->seen[m->section];
    m->seen[m->section] = true;
    if (repeated && m->section >= ATOMS) return trj_lines_fail(r->lines, err, "duplicate section [%.20s]", name);
    if (m->section == ATOMS) return begin_atoms(m, close + 1);
    if (m->section != OTHER || set_kinds(m, name)) return 0;
    if (!strcasecmp(name, "STO"))
        return trj_lines_fail(r->lines, err, "unsupported: Slater functions in [STO]; use a file with Gaussian ones");
    if (!strcasecmp(name, "Cell"))
        orb_note(r->w, "the cell of the file is ignored: functions of periodic images are left out");
    if (!strcasecmp(name, "Molpro variables") && !r->w->program) return orb_set_text(&r->w->program, "Molpro", err);
    return orb_find_program(r->w, name, err);
}

static int read_text(struct molden *m, struct trj_error *err) {
    struct orb_wave_function *w = m->r->w;
    char *text = m->r->lines->text;
    if (!text[strspn(text, " \t")]) return 0;
    char **keep = m->section == TITLE ? &w->title : m->section == PROGRAM ? &w->program : NULL;
    if (keep && !*keep && orb_set_text(keep, text, err)) return -1;
    return m->seen[ATOMS] ? 0 : orb_find_program(w, text, err);
}

static int read_line(struct molden *m, struct trj_error *err) {
    char *text = m->r->lines->text;
    text += strspn(text, " \t");
    if (*text == '[') return begin_section(m, text, err);
    switch (m->section) {
    case ATOMS:
        return read_atom(m, err);
    case CORE:
    case PSEUDO:
        return read_core(m, err);
    case GTO:
        return read_basis(m, err);
    case MO:
        return read_orbital(m, err);
    default:
        return read_text(m, err);
    }
}

static int read_file(struct molden *m, struct trj_error *err) {
    static const struct {
        enum section section;
        const char *why;
    } required[] = {{ATOMS, "no section [Atoms]: the file contains no atoms"},
                    {GTO, "no section [GTO]: the file contains no basis functions; write a Molden file with orbitals"},
                    {MO, "no section [MO]: the file contains no orbitals; write a Molden file with orbitals"}};
    struct orb_wave_function *w = m->r->w;
    bool dense = false;
    int got;
    while ((got = trj_lines_next(m->r->lines, err)) > 0)
        if (read_line(m, err)) return -1;
    if (got < 0 || end_section(m, err) || end_orbital(m, err)) return -1;
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!m->seen[required[i].section]) return trj_fail(err, TRJ_BAD_DATA, "%s", required[i].why);
    if (!w->orbitals) return trj_fail(err, TRJ_BAD_DATA, "section [MO] contains no orbitals");
    for (size_t s = 0; s < w->shells; s++) {
        size_t atom;
        if (find_atom(m, m->shell_centre[s], "[GTO]", &atom, err)) return -1;
        w->shell[s].atom = (uint32_t)atom;
    }
    if (set_cores(m, err) || check_complete(m, &dense, err) || choose_kinds(m, dense, err) ||
        orb_number_functions(m->r, err))
        return -1;
    return set_coefficients(m, err);
}

int orb_molden_read(struct orb_reader *r, struct trj_error *err) {
    struct molden m = {.r = r};
    int rc = read_file(&m, err);
    free(m.atom_number);
    free(m.named);
    free(m.shell_centre);
    free(m.core);
    free(m.exponent.value);
    free(m.contraction.value);
    free(m.second.value);
    free(m.run);
    free(m.value.value);
    return rc;
}
