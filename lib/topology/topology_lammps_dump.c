// SPDX-License-Identifier: MIT
// Reads the topology of a LAMMPS text dump: the columns element, type, mol, mass and q of its first frame. Atoms are
// sorted by id, as in lammps_dump.c. (https://docs.lammps.org/dump.html)
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "element_guess.h"
#include "lammps_records.h"
#include "memory.h"
#include "number.h"
#include "topology_parts.h"

enum {
    TYPE = TRJ_LAMMPS_TYPE,
    LABEL = TRJ_LAMMPS_TYPE_LABEL,
    ELEMENT = TRJ_LAMMPS_ELEMENT,
    MOLECULE = TRJ_LAMMPS_MOLECULE,
    MASS = TRJ_LAMMPS_MASS,
    CHARGE = TRJ_LAMMPS_CHARGE,
    ID = TRJ_LAMMPS_ATOM_COLUMNS,
    USED_COLUMNS
};

struct row {
    uint32_t type, element, mass; // numbers of texts
    int64_t molecule;
    double charge;
};

struct dump {
    size_t column[USED_COLUMNS]; // 1 + column; 0: none
    size_t columns;
    struct trj_texts type, element, mass;
    struct trj_text_index types, elements, masses;
    struct row *row;
    struct trj_id *id;
    size_t rows, row_capacity, id_capacity;
    bool real_last;                // the last column has masses or charges
    struct trj_number_style style; // of these numbers
    const char *last_number;       // that of the current line; NULL: there is none
};

enum { STYLE_SAMPLE = 100 }; // numbers that determine the style of a column

// Returns the text after "ITEM: NAME"; NULL for any other line.
static char *item(const struct trj_lines *l, const char *name) {
    static const char mark[] = "ITEM: ";
    size_t n = strlen(mark), m = strlen(name);
    return !strncmp(l->text, mark, n) && !strncmp(l->text + n, name, m) ? l->text + n + m : NULL;
}

// Reads the lines up to the names of the columns.
static int read_head(struct dump *d, struct trj_lines *l, uint64_t *count, struct trj_error *err) {
    char *rest = NULL;
    *count = 0;
    while (!rest) {
        if (trj_topology_next_line(l, "ITEM: ATOMS", err)) return -1;
        if (item(l, "NUMBER OF ATOMS")) {
            if (trj_topology_next_line(l, "the number of atoms", err)) return -1;
            char *next = l->text, *word = trj_next_word(&next);
            if (!word || !trj_parse_u64(word, count))
                return trj_lines_fail(l, err, "'%.40s' is not a number of atoms", word ? word : "");
            if (*count > UINT32_MAX)
                return trj_lines_fail(l, err, "%s atoms: at most %u can be read", word, UINT32_MAX);
        }
        rest = item(l, "ATOMS");
    }
    if (!*count) return trj_lines_fail(l, err, "no atoms, or no ITEM: NUMBER OF ATOMS before them");
    for (char *word; (word = trj_next_word(&rest)); d->columns++)
        for (size_t k = 0; k < USED_COLUMNS; k++) {
            if (strcmp(word, k == ID ? "id" : trj_lammps_atom_columns[k]) != 0) continue;
            if (d->column[k]) return trj_lines_fail(l, err, "duplicate column %s; dump it once", word);
            d->column[k] = d->columns + 1;
        }
    d->real_last = d->columns && (d->column[MASS] == d->columns || d->column[CHARGE] == d->columns);
    return 0;
}

// Keeps the number in the last column, by whose style a truncated one is recognised.
static void add_number(struct dump *d, const struct trj_lines *l, const char *number) {
    d->last_number = number;
    if (d->rows < STYLE_SAMPLE && trj_lines_has_newline(l)) trj_number_style_add(&d->style, number);
}

static int read_row(struct dump *d, struct trj_lines *l, struct trj_error *err) {
    char *words[USED_COLUMNS] = {NULL}, *rest = l->text;
    size_t n = 0, i = d->rows;
    for (char *word; n < d->columns && (word = trj_next_word(&rest)); n++)
        for (size_t k = 0; k < USED_COLUMNS; k++)
            if (d->column[k] == n + 1) words[k] = word;
    if (n < d->columns) return trj_lines_fail(l, err, "atom %zu: %zu columns, expected %zu", i, n, d->columns);
    if (trj_grow(&d->row, &d->row_capacity, i + 1, sizeof *d->row, "atoms", err) ||
        trj_grow(&d->id, &d->id_capacity, i + 1, sizeof *d->id, "atoms", err))
        return -1;
    struct row *r = &d->row[i];
    const char *type = words[LABEL] ? words[LABEL] : words[TYPE];
    *r = (struct row){0};
    d->id[i] = (struct trj_id){.id = (int64_t)i, .atom = (uint32_t)i};
    if (words[ID] && !trj_parse_i64(words[ID], &d->id[i].id))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not an id", i, words[ID]);
    if (words[MOLECULE] && !trj_parse_i64(words[MOLECULE], &r->molecule))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not a molecule-ID", i, words[MOLECULE]);
    if (words[CHARGE] && !trj_parse_real(words[CHARGE], &r->charge))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not a charge", i, words[CHARGE]);
    size_t masses = d->mass.count;
    double mass;
    if ((type && trj_text_index_add(&d->types, type, &r->type, err)) ||
        (words[ELEMENT] && trj_text_index_add(&d->elements, words[ELEMENT], &r->element, err)) ||
        (words[MASS] && trj_text_index_add(&d->masses, words[MASS], &r->mass, err)))
        return -1;
    if (d->mass.count > masses && (!trj_parse_real(words[MASS], &mass) || mass < 0))
        return trj_lines_fail(l, err, "atom %zu: '%.40s' is not a mass", i, words[MASS]);
    if (d->real_last) add_number(d, l, words[d->column[MASS] == d->columns ? MASS : CHARGE]);
    d->rows++;
    return 0;
}

// Sets z for each text of the element column. Without dump_modify element, LAMMPS writes C for all types: returns false
// for such a column, and for a missing one.
static bool read_elements(const struct dump *d, unsigned char *z) {
    if (!d->element.count || (d->element.count == 1 && !strcmp(d->element.text[0], "C") && d->type.count > 1))
        return false;
    for (size_t k = 0; k < d->element.count; k++)
        z[k] = (unsigned char)trj_element_find(d->element.text[k], strlen(d->element.text[k]));
    return true;
}

static int make_topology(struct trj_topology_builder *b, struct dump *d, struct trj_error *err) {
    struct trj_topology *top = b->top;
    size_t n = d->rows;
    int rc = -1;
    bool molecules = false;
    unsigned char *of_element = trj_alloc(d->element.count, 1, "elements", err),
                  *of_mass = trj_alloc(d->mass.count, 1, "elements", err), *z = trj_alloc(n, 1, "elements", err);
    double *mass = trj_alloc(d->mass.count, sizeof *mass, "masses", err);
    int64_t *molecule = trj_alloc(n, sizeof *molecule, "molecules", err);
    if (!of_element || !of_mass || !z || !mass || !molecule) goto out;
    for (size_t k = 0; k < d->mass.count; k++) trj_parse_real(d->mass.text[k], &mass[k]); // checked by read_row()
    bool has_elements = read_elements(d, of_element);
    if (d->column[MASS]) trj_elements_by_masses(mass, d->mass.count, of_mass);
    b->has_resid = d->column[MOLECULE];
    b->has_mass = d->column[MASS];
    b->has_charge = d->column[CHARGE];
    for (size_t i = 0; i < n; i++) {
        const struct row *r = &d->row[d->id[i].atom];
        const char *type = d->type.count ? d->type.text[r->type] : NULL;
        struct trj_topology_atom atom = {.name = has_elements ? d->element.text[r->element] : type,
                                         .type = type,
                                         .resid = r->molecule,
                                         .charge = r->charge,
                                         .mass = d->column[MASS] ? mass[r->mass] : 0};
        z[i] = has_elements ? of_element[r->element] : d->column[MASS] ? of_mass[r->mass] : 0;
        molecule[i] = r->molecule;
        molecules = molecules || r->molecule;
        if (trj_topology_add(b, &atom, err)) goto out;
    }
    if (b->has_resid && trj_topology_renumber(&top->residue, molecule, n, true, err)) goto out;
    if (molecules && trj_topology_renumber(&top->molecule, molecule, n, true, err)) goto out;
    if ((has_elements || d->column[MASS]) && trj_topology_set_elements(top, z, err)) goto out;
    if (!has_elements && d->column[MASS]) top->element_from = "mass";
    rc = 0;
out:
    free(of_element);
    free(of_mass);
    free(z);
    free(mass);
    free(molecule);
    return rc;
}

static int read_frame(struct trj_topology_builder *b, struct dump *d, struct trj_lines *l, struct trj_error *err) {
    uint64_t count;
    if (read_head(d, l, &count, err)) return -1;
    while (d->rows < count) {
        int got = trj_lines_next(l, err);
        if (got < 0) return -1;
        if (!got)
            return trj_lines_fail(l, err, "the file ends after %zu of %llu atoms", d->rows, (unsigned long long)count);
        if (read_row(d, l, err)) return -1;
    }
    l->style = &d->style;
    for (size_t k = 0; k < USED_COLUMNS; k++)
        if (d->column[k] == d->columns && trj_topology_check_last_word(b->top, l, d->last_number, err)) return -1;
    l->style = NULL;
    trj_atom_ids_sort(d->id, d->rows);
    const struct trj_id *duplicate = trj_atom_ids_duplicate(d->id, d->rows);
    if (duplicate) return trj_lines_fail(l, err, "two atoms have the id %lld", (long long)duplicate->id);
    return make_topology(b, d, err);
}

int trj_lammps_dump_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct dump d = {.columns = 0};
    d.types.texts = &d.type;
    d.elements.texts = &d.element;
    d.masses.texts = &d.mass;
    int rc = read_frame(b, &d, l, err);
    trj_text_index_free(&d.types);
    trj_text_index_free(&d.elements);
    trj_text_index_free(&d.masses);
    trj_texts_clear(&d.type);
    trj_texts_clear(&d.element);
    trj_texts_clear(&d.mass);
    free(d.row);
    free(d.id);
    return rc;
}
