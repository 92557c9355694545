// SPDX-License-Identifier: MIT
// Reads LAMMPS data files: a title, a header of lines like "12 atoms", and sections. A section has its name in a line,
// a blank line, and as many lines as the header states. The columns of Atoms depend on the atom style, which LAMMPS
// writes after the name: "Atoms # full". Atoms and masses can be in any order. Atoms are sorted by id, which is their
// order in the DCD, XTC and sorted dumps that LAMMPS writes.
// (https://docs.lammps.org/read_data.html, Howto_type_labels.html)
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "element_guess.h"
#include "memory.h"
#include "number.h"
#include "topology_parts.h"

enum { MAX_TYPES = 1 << 20, MAX_COLUMNS = 64, AHEAD = 16 };

// The columns of molecule, type and charge in an atom style; -1: none. The first column is the id. Three image flags
// may follow the last one.
static const struct style {
    const char *name;
    int molecule, type, charge, columns;
    bool more; // an unknown number of columns follows
} styles[] = {
    {"atomic", -1, 1, -1, 5, false},    {"charge", -1, 1, 2, 6, false},    {"bond", 1, 2, -1, 6, false},
    {"angle", 1, 2, -1, 6, false},      {"molecular", 1, 2, -1, 6, false}, {"full", 1, 2, 3, 7, false},
    {"amoeba", 1, 2, 3, 7, false},      {"dipole", -1, 1, 2, 9, false},    {"sphere", -1, 1, -1, 7, false},
    {"ellipsoid", -1, 1, -1, 7, false}, {"body", -1, 1, -1, 7, false},     {"line", 1, 2, -1, 8, false},
    {"tri", 1, 2, -1, 8, false},        {"peri", -1, 1, -1, 7, false},     {"dpd", -1, 1, -1, 6, false},
    {"mdpd", -1, 1, -1, 6, false},      {"edpd", -1, 1, -1, 7, false},     {"sph", -1, 1, -1, 8, false},
    {"electron", -1, 1, 2, 8, false},   {"spin", -1, 1, -1, 9, false},     {"bpm/sphere", 1, 2, -1, 8, false},
    {"template", 2, 1, -1, 8, false},   {"hybrid", -1, 1, -1, 5, true}, // the columns of its component styles follow
};

enum { STYLES = sizeof styles / sizeof *styles };

struct atom {
    int64_t molecule;
    double charge;
    uint32_t type; // from 0
};

struct data {
    uint64_t atoms, bonds, types; // of the header
    bool has_masses, has_atoms, has_bonds;
    double *mass; // [types] NaN: missing
    struct trj_texts label;
    struct trj_text_index labels;
    uint32_t *type_of; // [label.count] the type that has this label
    size_t type_capacity;
    const struct style *style;
    char style_name[40];          // after "Atoms #"
    const char *atom_style;       // given by the user; NULL: none
    bool fits[STYLES];            // the styles that all lines of Atoms so far can have; used if `style` is unknown
    struct trj_input_bytes lines; // these lines
    struct atom *atom;            // [atoms] in the order of the file
    struct trj_id *id;
    size_t atom_capacity, id_capacity;
};

static size_t length_without_comment(const char *text, size_t n) {
    const char *comment = memchr(text, '#', n);
    if (comment) n = (size_t)(comment - text);
    while (n && isspace((unsigned char)text[n - 1])) n--;
    return n;
}

// "12 atoms" -> 12.
static bool header_count(const char *text, size_t n, const char *what, uint64_t *count) {
    char number[32];
    while (n && trj_is_blank(*text)) text++, n--;
    size_t digits = 0, begin;
    while (digits < n && !trj_is_blank(text[digits])) digits++;
    for (begin = digits; begin < n && trj_is_blank(text[begin]);) begin++;
    if (!digits || digits >= sizeof number || n - begin != strlen(what) || memcmp(text + begin, what, n - begin))
        return false;
    memcpy(number, text, digits);
    number[digits] = 0;
    return trj_parse_u64(number, count);
}

bool trj_lammps_data_is(const char *head, size_t n) {
    const char *end = head + n, *line = memchr(head, '\n', n);
    while (line && ++line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        size_t length = length_without_comment(line, (size_t)((newline ? newline : end) - line)), blanks = 0;
        uint64_t count;
        while (blanks < length && trj_is_blank(line[blanks])) blanks++;
        if (header_count(line, length, "atoms", &count)) return newline;
        if (blanks < length && !strchr("+-.0123456789", line[blanks])) return false;
        line = newline;
    }
    return false;
}

// Reads line k of `count` lines of a section, and removes comments. Returns 0 or -1.
static int section_line(struct trj_lines *l, uint64_t k, uint64_t count, const char *section, struct trj_error *err) {
    int got;
    do {
        if ((got = trj_lines_next(l, err)) < 0) return -1;
        if (!got) break;
        l->length = length_without_comment(l->text, l->length);
        l->text[l->length] = 0;
        // A blank line follows the name of the section.
    } while (!k && !l->length);
    if (got && l->length) return 0;
    return trj_lines_fail(l, err, "%s: %s after %llu of %llu lines", section, got ? "a blank line" : "the file ends",
                          (unsigned long long)k, (unsigned long long)count);
}

static int check_types(const struct data *d, const struct trj_lines *l, const char *section, struct trj_error *err) {
    if (!d->types) return trj_lines_fail(l, err, "%s: the header has no line 'N atom types'", section);
    if (d->types > MAX_TYPES)
        return trj_lines_fail(l, err, "%llu atom types: at most %d can be read", (unsigned long long)d->types,
                              MAX_TYPES);
    return 0;
}

// Parses a type: a number from 1 or a label.
static int parse_type(struct data *d, const char *word, const struct trj_lines *l, uint32_t *type,
                      struct trj_error *err) {
    uint64_t number;
    if (trj_parse_u64(word, &number)) {
        if (!number || number > d->types)
            return trj_lines_fail(l, err, "invalid atom type %s, expected 1 to %llu", word,
                                  (unsigned long long)d->types);
        *type = (uint32_t)(number - 1);
        return 0;
    }
    size_t known = d->label.count;
    uint32_t text;
    if (known && trj_text_index_add(&d->labels, word, &text, err)) return -1;
    if (!known || text >= known) return trj_lines_fail(l, err, "'%.40s' is not an atom type", word);
    *type = d->type_of[text];
    return 0;
}

static int read_labels(struct trj_topology *top, struct data *d, struct trj_lines *l, struct trj_error *err) {
    static const char name[] = "Atom Type Labels";
    if (check_types(d, l, name, err)) return -1;
    for (uint64_t k = 0; k < d->types; k++) {
        uint64_t number;
        uint32_t text;
        if (section_line(l, k, d->types, name, err)) return -1;
        char *rest = l->text, *word = trj_next_word(&rest), *label = trj_next_word(&rest);
        if (!label || !trj_parse_u64(word, &number) || !number || number > d->types)
            return trj_lines_fail(l, err, "%s: expected a type from 1 to %llu and its label", name,
                                  (unsigned long long)d->types);
        if (trj_text_index_add(&d->labels, label, &text, err) ||
            trj_grow(&d->type_of, &d->type_capacity, d->label.count, sizeof *d->type_of, "labels", err))
            return -1;
        if (d->label.count != k + 1) return trj_lines_fail(l, err, "%s: duplicate label '%.40s'", name, label);
        d->type_of[text] = (uint32_t)(number - 1);
    }
    return trj_topology_check_last_word(top, l, NULL, err);
}

static int read_masses(struct trj_topology *top, struct data *d, struct trj_lines *l, struct trj_error *err) {
    if (check_types(d, l, "Masses", err)) return -1;
    if (d->has_masses) return trj_lines_fail(l, err, "duplicate section Masses");
    d->has_masses = true;
    if (!(d->mass = trj_alloc(d->types, sizeof *d->mass, "masses", err))) return -1;
    for (uint64_t k = 0; k < d->types; k++) d->mass[k] = NAN;
    for (uint64_t k = 0; k < d->types; k++) {
        uint32_t type = 0;
        double mass;
        if (section_line(l, k, d->types, "Masses", err)) return -1;
        char *rest = l->text, *word = trj_next_word(&rest), *value = trj_next_word(&rest);
        if (parse_type(d, word ? word : "", l, &type, err)) return -1;
        if (!value || !trj_parse_real(value, &mass) || mass < 0)
            return trj_lines_fail(l, err, "Masses: '%.40s' is not a mass", value ? value : "");
        if (!isnan(d->mass[type])) return trj_lines_fail(l, err, "Masses: duplicate type %s", word);
        d->mass[type] = mass;
    }
    return trj_topology_check_last_word(top, l, NULL, err);
}

// Returns the style of that name, which may have the suffix of a variant for another processor: "full/kk". These have
// the columns of the plain style.
static const struct style *style_named(const char *name) {
    static const char *const suffixes[] = {"", "/kk", "/kk/device", "/kk/host", "/omp", "/gpu", "/intel", "/opt"};
    for (size_t i = 0; i < STYLES; i++) {
        size_t n = strlen(styles[i].name);
        for (size_t k = 0; k < sizeof suffixes / sizeof *suffixes; k++)
            if (!strncmp(name, styles[i].name, n) && !strcmp(name + n, suffixes[k])) return &styles[i];
    }
    return NULL;
}

// Appends a word to a comma-separated list, unless it does not fit.
static void append_name(char *list, size_t capacity, const char *name) {
    size_t length = strlen(list);
    snprintf(list + length, capacity - length, "%s%s", length ? ", " : "", name);
}

static int check_style(const char *name, struct trj_error *err) {
    char names[256] = "";
    if (style_named(name)) return 0;
    for (size_t i = 0; i < STYLES; i++) append_name(names, sizeof names, styles[i].name);
    return trj_fail(err, TRJ_USAGE, "unknown atom style '%s'; give one of %s", name, names);
}

// Returns whether a word, which need not be a number, is a valid type.
static bool is_type(const struct data *d, const char *word) {
    uint64_t number;
    size_t k = 0;
    if (trj_parse_u64(word, &number)) return number && number <= d->types;
    while (k < d->label.count && strcmp(word, d->label.text[k])) k++;
    return k < d->label.count;
}

static bool are_integers(char *const *words, size_t n) {
    int64_t value;
    for (size_t i = 0; i < n; i++)
        if (!trj_parse_i64(words[i], &value)) return false;
    return true;
}

// Returns whether a line of n words can have this style: checks their number, integers in the columns of type, molecule
// and image flags, a number in that of the charge, and that a file with bonds has a molecule column.
static bool style_fits(const struct data *d, const struct style *s, char *const *words, size_t n) {
    size_t columns = (size_t)s->columns;
    int64_t molecule;
    double charge;
    return !s->more && (n == columns || (n == columns + 3 && are_integers(words + columns, 3))) &&
           (s->molecule >= 0 ? trj_parse_i64(words[s->molecule], &molecule) : !d->bonds) &&
           (s->charge < 0 || trj_parse_real(words[s->charge], &charge)) && is_type(d, words[s->type]);
}

// Fails because the file does not show its style. `what`: the lines that fit the styles of `names`, or no style.
static int fail_style(const struct data *d, const struct trj_lines *l, const char *what, const char *names,
                      struct trj_error *err) {
    return trj_lines_fail(
        l, err,
        "Atoms: the file names no known atom style%s%s%s, and %s %s; give the style with --atom-style "
        "STYLE, or write it after the name of the section, as 'Atoms # full'",
        *d->style_name ? " ('" : "", d->style_name, *d->style_name ? "')" : "", what,
        *names ? names : "no known style");
}

// Removes the styles that the current line cannot have from d->fits, and sets d->style if molecule, type and charge are
// in the same columns in all styles that are left.
static int narrow_style(struct data *d, struct trj_lines *l, struct trj_error *err) {
    char *words[MAX_COLUMNS], *rest = l->text, what[64], names[256] = "";
    const struct style *fits = NULL;
    bool same = true;
    size_t n = 0;
    while (n < MAX_COLUMNS && (words[n] = trj_next_word(&rest))) n++;
    for (size_t i = 0; i < STYLES; i++) {
        const struct style *s = &styles[i];
        if (!d->fits[i]) continue;
        append_name(names, sizeof names, s->name);
        if (!(d->fits[i] = style_fits(d, s, words, n))) continue;
        if (!fits) fits = s;
        same = same && s->molecule == fits->molecule && s->type == fits->type && s->charge == fits->charge;
    }
    snprintf(what, sizeof what, "its %zu columns fit%s", n, d->lines.size ? ", unlike those before, none of" : "");
    if (!fits) return fail_style(d, l, what, d->lines.size ? names : "", err);
    if (same) d->style = fits;
    return 0;
}

static int read_atom(struct data *d, const struct trj_lines *l, uint64_t k, struct trj_error *err) {
    char *words[MAX_COLUMNS], *rest = l->text;
    size_t n = 0;
    while (n < MAX_COLUMNS && (words[n] = trj_next_word(&rest))) n++;
    const struct style *s = d->style;
    size_t columns = (size_t)s->columns;
    if (n < columns || (n != columns && n != columns + 3 && !s->more))
        return trj_lines_fail(l, err, "Atoms: %zu columns, expected %zu for style '%s', or %zu with image flags", n,
                              columns, s->name, columns + 3);
    struct atom *a = &d->atom[k];
    struct trj_id *id = &d->id[k];
    *a = (struct atom){0};
    *id = (struct trj_id){.atom = (uint32_t)k};
    if (!trj_parse_i64(words[0], &id->id)) return trj_lines_fail(l, err, "Atoms: '%.40s' is not an id", words[0]);
    if (s->molecule >= 0 && !trj_parse_i64(words[s->molecule], &a->molecule))
        return trj_lines_fail(l, err, "Atoms: '%.40s' is not a molecule-ID", words[s->molecule]);
    if (s->charge >= 0 && !trj_parse_real(words[s->charge], &a->charge))
        return trj_lines_fail(l, err, "Atoms: '%.40s' is not a charge", words[s->charge]);
    return parse_type(d, words[s->type], l, &a->type, err);
}

// Stores the current line until the style is known, and then reads all stored lines, of which this one is number k of
// the section. Often the first line decides.
static int store_atom(struct data *d, struct trj_lines *l, uint64_t k, struct trj_error *err) {
    struct trj_input_bytes *b = &d->lines;
    size_t before = b->size;
    if (trj_grow(&b->data, &b->capacity, b->size + l->length + 2, 1, "lines", err)) return -1;
    memcpy(b->data + b->size, l->text, l->length);
    b->data[b->size + l->length] = '\n';
    if (narrow_style(d, l, err)) return -1; // it changes the line
    b->size = before + l->length + 1;
    if (!d->style) return 0;
    struct trj_lines stored = trj_lines_in_memory(b->data, b->size, l->number - k - 1);
    for (uint64_t i = 0; i <= k; i++)
        if (trj_lines_next(&stored, err) < 0 || read_atom(d, &stored, i, err)) return -1;
    return 0;
}

static int read_atoms(struct data *d, struct trj_lines *l, struct trj_error *err) {
    char what[64], names[256] = "";
    if (check_types(d, l, "Atoms", err)) return -1;
    if (d->has_atoms) return trj_lines_fail(l, err, "duplicate section Atoms");
    d->has_atoms = true;
    if (d->atom_style && check_style(d->atom_style, err)) return -1;
    d->style = style_named(d->atom_style ? d->atom_style : d->style_name);
    for (size_t i = 0; i < STYLES; i++) d->fits[i] = true;
    for (uint64_t k = 0; k < d->atoms; k++) {
        if (section_line(l, k, d->atoms, "Atoms", err)) return -1;
        if (trj_grow(&d->atom, &d->atom_capacity, k + 1, sizeof *d->atom, "atoms", err)) return -1;
        if (trj_grow(&d->id, &d->id_capacity, k + 1, sizeof *d->id, "atoms", err)) return -1;
        if (d->style ? read_atom(d, l, k, err) : store_atom(d, l, k, err)) return -1;
    }
    for (size_t i = 0; i < STYLES; i++)
        if (d->fits[i]) append_name(names, sizeof names, styles[i].name);
    snprintf(what, sizeof what, "its %llu lines fit", (unsigned long long)d->atoms);
    if (!d->style) return fail_style(d, l, what, names, err);
    trj_atom_ids_sort(d->id, d->atoms);
    const struct trj_id *duplicate = trj_atom_ids_duplicate(d->id, d->atoms);
    return duplicate ? trj_lines_fail(l, err, "Atoms: two atoms have the id %lld", (long long)duplicate->id) : 0;
}

static int read_bonds(struct trj_topology_builder *b, struct data *d, struct trj_lines *l, struct trj_error *err) {
    if (!d->has_atoms) return trj_lines_fail(l, err, "Bonds before Atoms");
    if (d->has_bonds) return trj_lines_fail(l, err, "duplicate section Bonds");
    d->has_bonds = true;
    for (uint64_t k = 0; k < d->bonds; k++) {
        const struct trj_id *ends[2] = {NULL, NULL};
        int64_t id;
        if (section_line(l, k, d->bonds, "Bonds", err)) return -1;
        char *rest = l->text; // number, type, two atoms
        trj_next_word(&rest);
        trj_next_word(&rest);
        for (int i = 0; i < 2; i++) {
            const char *word = trj_next_word(&rest);
            if (!word || !trj_parse_i64(word, &id) || !(ends[i] = trj_atom_ids_find(d->id, d->atoms, id)))
                return trj_lines_fail(l, err, "Bonds: no atom has the id '%.40s'", word ? word : "");
        }
        if (trj_topology_add_bond(b, (uint32_t)(ends[0] - d->id), (uint32_t)(ends[1] - d->id), err)) return -1;
    }
    return trj_topology_check_last_word(b->top, l, NULL, err);
}

static bool is_section(const struct trj_lines *l, const char *name) {
    size_t from = strspn(l->text, " \t"), n = length_without_comment(l->text, l->length);
    return n - from == strlen(name) && !memcmp(l->text + from, name, n - from);
}

// Reads the header line or section that starts with this line; all others are ignored.
static int read_part(struct trj_topology_builder *b, struct data *d, struct trj_lines *l, bool *header,
                     struct trj_error *err) {
    const struct {
        const char *name;
        uint64_t *count;
    } counts[] = {{"atoms", &d->atoms}, {"bonds", &d->bonds}, {"atom types", &d->types}};
    size_t from = strspn(l->text, " \t");
    for (size_t i = 0; i < sizeof counts / sizeof *counts && *header; i++)
        if (header_count(l->text, length_without_comment(l->text, l->length), counts[i].name, counts[i].count) &&
            *counts[i].count > UINT32_MAX)
            return trj_lines_fail(l, err, "%llu %s: at most %u can be read", (unsigned long long)*counts[i].count,
                                  counts[i].name, UINT32_MAX);
    *header = *header && !isalpha((unsigned char)l->text[from]);
    if (is_section(l, "Atom Type Labels")) return read_labels(b->top, d, l, err);
    if (is_section(l, "Masses")) return read_masses(b->top, d, l, err);
    if (is_section(l, "Bonds")) return read_bonds(b, d, l, err);
    if (!is_section(l, "Atoms")) return 0;
    char *comment = strchr(l->text, '#'), *word = comment ? (comment++, trj_next_word(&comment)) : NULL;
    if (word) snprintf(d->style_name, sizeof d->style_name, "%s", word);
    return read_atoms(d, l, err);
}

static int read_parts(struct trj_topology_builder *b, struct data *d, struct trj_lines *l, struct trj_error *err) {
    bool header = true;
    int got = trj_lines_next(l, err); // the title
    // Masses may be the last section, or missing.
    while (got > 0 && !(d->has_masses && d->has_atoms && (d->has_bonds || !d->bonds)))
        if ((got = trj_lines_next(l, err)) > 0 && read_part(b, d, l, &header, err)) return -1;
    if (got < 0) return -1;
    if (!d->atoms) return trj_lines_fail(l, err, "no line 'N atoms' with atoms in the header");
    if (!d->has_atoms) return trj_lines_fail(l, err, "the file ends without a section Atoms");
    if (d->bonds && !d->has_bonds) return trj_lines_fail(l, err, "the file ends without a section Bonds");
    return 0;
}

// Guesses the elements z[types] of the types from their masses and labels.
static void guess_elements(const struct data *d, char *const *names, unsigned char *z) {
    trj_elements_by_masses(d->mass, d->types, z);
    for (uint64_t k = 0; k < d->types && d->label.count; k++) {
        unsigned by_label = trj_element_by_mass(d->mass[k], names[k], names[k], "");
        if (by_label) z[k] = (unsigned char)by_label;
    }
}

static int make_topology(struct trj_topology_builder *b, const struct data *d, struct trj_error *err) {
    struct trj_topology *top = b->top;
    int rc = -1;
    char **names = trj_alloc(d->types, sizeof *names, "types", err), (*numbers)[12] = NULL;
    unsigned char *z = trj_alloc(d->types, 1, "elements", err), *atom_z = trj_alloc(d->atoms, 1, "elements", err);
    int64_t *molecule = trj_alloc(d->atoms, sizeof *molecule, "molecules", err);
    bool molecules = false;
    if (!names || !z || !atom_z || !molecule || !(numbers = trj_alloc(d->types, sizeof *numbers, "types", err)))
        goto out;
    for (uint64_t k = 0; k < d->types; k++) {
        snprintf(numbers[k], sizeof *numbers, "%u", (unsigned)k + 1);
        names[k] = numbers[k];
    }
    for (size_t k = 0; k < d->label.count && k < d->types; k++) names[d->type_of[k]] = d->label.text[k];
    if (d->mass) guess_elements(d, names, z);
    b->has_resid = d->style->molecule >= 0; // NOLINT(clang-analyzer-core.NullDereference): read_parts() requires it
    b->has_charge = d->style->charge >= 0;
    b->has_mass = d->mass;
    for (uint64_t i = 0; i < d->atoms; i++) {
        const struct atom *a = &d->atom[d->id[i].atom];
        if (i + AHEAD < d->atoms)
            __builtin_prefetch(&d->atom[d->id[i + AHEAD].atom]); // the order in memory is that of the file
        struct trj_topology_atom atom = {.name = names[a->type],
                                         .type = names[a->type],
                                         .resid = a->molecule,
                                         .charge = a->charge,
                                         .mass = d->mass ? d->mass[a->type] : 0};
        atom_z[i] = z[a->type];
        molecule[i] = a->molecule;
        molecules = molecules || a->molecule;
        if (trj_topology_add(b, &atom, err)) goto out;
    }
    if (b->has_resid && trj_topology_renumber(&top->residue, molecule, top->atoms, true, err)) goto out;
    if (molecules && !top->bonds && trj_topology_renumber(&top->molecule, molecule, top->atoms, true, err)) goto out;
    if (d->mass && trj_topology_set_elements(top, atom_z, err)) goto out;
    if (d->mass) top->element_from = "mass";
    rc = 0;
out:
    free(names);
    free(numbers);
    free(z);
    free(atom_z);
    free(molecule);
    return rc;
}

int trj_lammps_data_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct data d = {.atom_style = b->atom_style};
    d.labels.texts = &d.label;
    int rc = read_parts(b, &d, l, err) || make_topology(b, &d, err) ? -1 : 0;
    trj_text_index_free(&d.labels);
    trj_texts_clear(&d.label);
    free(d.mass);
    free(d.type_of);
    free(d.atom);
    free(d.id);
    free(d.lines.data);
    return rc;
}
