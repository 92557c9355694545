// SPDX-License-Identifier: MIT
// Writes placed ions as PDB or table, with columns that the readers of topologies accept.
#include "ion_output.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "decimal.h"
#include "element.h"
#include "table_writer.h"

static int write_cell(struct trj_output *out, const struct trj_cell *cell, struct trj_error *err) {
    double length[3], cosine[3];
    char a[3][10] = {"", "", ""}, angle[3][8] = {"", "", ""};
    if (!cell || cell->periodic != TRJ_PERIODIC_ALL || cell->h[0][1] != 0 || cell->h[0][2] != 0 || cell->h[1][2] != 0 ||
        !(cell->h[0][0] > 0 && cell->h[1][1] > 0 && cell->h[2][2] > 0))
        return 0;
    trj_cell_shape(cell, length, cosine);
    for (int k = 0; k < 3; k++)
        if (!trj_print_fixed(a[k], 9, 3, length[k]) || !trj_print_fixed(angle[k], 7, 2, trj_degrees(cosine[k])))
            return trj_fail(err, TRJ_BAD_DATA, "cell length %c is %g Å, too large for the columns of a PDB file",
                            'a' + k, length[k]);
    return trj_output_print(out, err, "CRYST1%s%s%s%s%s%s P 1           1\n", a[0], a[1], a[2], angle[0], angle[1],
                            angle[2]);
}

// Prints the charge as in columns 79-80, "1+", or "  " if it is no integer of one digit.
static void print_charge(char text[3], double charge) {
    double size = fabs(charge);
    bool digit = size == rint(size) && size < 10;
    text[0] = digit ? (char)('0' + (int)size) : ' ';
    text[1] = digit ? charge < 0 ? '-' : '+' : ' ';
    text[2] = '\0';
}

// Prints the name for columns 13-16: the symbol of the element is right-aligned in the first two.
static void print_name(char text[6], const char *name, const char *symbol) {
    bool two = strlen(symbol) == 2 && toupper((unsigned char)name[0]) == symbol[0];
    snprintf(text, 6, "%s%-4s", two || strlen(name) == POT_ION_NAME ? "" : " ", name);
    text[4] = '\0';
}

static int write_ion(struct trj_output *out, const struct pot_ion *ion, uint64_t number,
                     const struct pot_ion_kind *kind, unsigned element, struct trj_error *err) {
    const char *symbol = trj_elements[element].symbol;
    char x[3][9] = {"", "", ""}, charge[3], name[6], element_text[3];
    for (int k = 0; k < 3; k++)
        if (!trj_print_fixed(x[k], 8, 3, ion->position[k]))
            return trj_fail(err, TRJ_BAD_DATA, "ion %llu: coordinate %g Å is too large for the columns of a PDB file",
                            (unsigned long long)number, ion->position[k]);
    print_charge(charge, kind->charge);
    print_name(name, kind->name, symbol);
    snprintf(element_text, sizeof element_text, "%2s", symbol);
    element_text[1] = (char)toupper((unsigned char)element_text[1]);
    return trj_output_print(out, err, "HETATM%5u %s %3s%sI%4u    %s%s%s  1.00  0.00          %s%s\n",
                            (unsigned)(number % 100000), name, kind->name, strlen(kind->name) < 4 ? " " : "",
                            (unsigned)(number % 10000), x[0], x[1], x[2], element_text, charge);
}

int pot_ions_write_pdb(struct trj_output *out, const struct pot_ion *ion, uint64_t count,
                       const struct pot_ion_list *list, const unsigned *element, const struct trj_cell *cell,
                       struct trj_error *err) {
    if (trj_output_print(out, err, "TITLE     ions placed by ionplace\n") || write_cell(out, cell, err)) return -1;
    for (uint64_t i = 0; i < count; i++)
        if (write_ion(out, &ion[i], i + 1, &list->kind[ion[i].kind], element[ion[i].kind], err)) return -1;
    return trj_output_print(out, err, "END\n");
}

int pot_ions_write_table(struct trj_output *out, const struct pot_ion *ion, uint64_t count,
                         const struct pot_ion_table *table, struct trj_error *err) {
    static const char *const names[] = {"ion", "name",      "charge", "x",          "y",
                                        "z",   "potential", "energy", "net_charge", NULL};
    struct trj_table t = {.out = out, .err = err};
    trj_table_provenance(&t, table->map_provenance, SIZE_MAX);
    trj_table_provenance(&t, table->provenance, SIZE_MAX);
    trj_table_comment(&t, "units: charges e, positions Angstrom, potential %s, energy %s times e", table->unit,
                      table->unit);
    trj_table_names(&t, names);
    int rc = trj_table_end_row(&t);
    for (uint64_t i = 0; !rc && i < count; i++) {
        const struct pot_ion *p = &ion[i];
        const double net = rint(p->net * 1e9) / 1e9 + 0.0; // without the rounding errors of the sum of charges
        const struct pot_ion_kind *k = &table->list->kind[p->kind];
        const double values[] = {
            k->charge, p->position[0], p->position[1], p->position[2], p->potential, k->charge * p->potential, net};
        trj_table_count(&t, i + 1);
        trj_table_text(&t, "%s", k->name);
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) trj_table_real(&t, 10, values[v]);
        rc = trj_table_end_row(&t);
    }
    return rc;
}
