// SPDX-License-Identifier: MIT
// Turns fluctuations of atoms or residues into a curve over the numbers that identify residues.
#include "part_table.h"

#include <string.h>

#include "memory.h"

static size_t find_column(const struct plot_table *t, const char *name) {
    size_t i = 0;
    while (i < t->columns && strcmp(t->name[i], name) != 0) i++;
    return i;
}

bool plot_part_table_is(const struct plot_table *t) {
    size_t value = find_column(t, "rmsf");
    return value && value < t->columns && (!strcmp(t->name[0], "residue") || !strcmp(t->name[0], "atom"));
}

const char *plot_part_table_axis(const struct plot_table *t) {
    return strcmp(t->name[0], "atom") != 0 ? "residue (number from 0)" : "atom (number from 0)";
}

bool plot_part_table_is_text(const char *column) {
    static const char *const names[] = {"name", "resname", "segid"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t n = strlen(names[i]);
        if (strncmp(column, names[i], n) != 0) continue;
        if (!column[n] || !strcmp(column + n, "_a") || !strcmp(column + n, "_b")) return true;
    }
    return false;
}

int plot_part_table_add_segment(struct plot_table *t, const char *segment, struct trj_error *err) {
    if (t->segment) t->segments_differ = t->segments_differ || strcmp(t->segment, segment) != 0;
    return t->segment || (t->segment = trj_copy_text(segment, err)) ? 0 : -1;
}

static bool increases(const struct plot_table *t, size_t column) {
    for (size_t i = 1; i < t->rows; i++)
        if (!(t->values[i * t->columns + column] > t->values[(i - 1) * t->columns + column])) return false;
    return true;
}

void plot_part_table_fill(struct plot_table *t) {
    static char quantity[] = "rmsf()"; // as plot_quantity.c lists it; names of columns are not const
    const size_t resid = find_column(t, "resid"), value = find_column(t, "rmsf");
    const bool known = resid < t->columns && !t->segments_differ && increases(t, resid);
    if (known) t->axis = "residue";
    for (size_t i = 0; i < t->rows; i++) {
        const double *row = t->values + i * t->columns;
        const double x = row[known ? resid : 0], y = row[value];
        t->values[2 * i] = x;
        t->values[2 * i + 1] = y;
    }
    t->columns = 2;
    t->name[1] = quantity;
}
