// SPDX-License-Identifier: MIT
// Finds the coordinates of both members of all pairs, and fills a grid with the values.
#include "pair_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "map_grid.h"
#include "memory.h"

static const char *const members[][2] = {{"residue_a", "residue_b"}, {"atom_a", "atom_b"}, {"frame_a", "frame_b"}};
enum { MEMBERS = sizeof members / sizeof *members };

struct coordinates {
    double *x; // [count], ascending
    size_t count;
};

static size_t find_second(const struct plot_table *t, const char *name) {
    size_t i = 1;
    while (i < t->columns && strcmp(t->name[i], name) != 0) i++;
    return i;
}

// Returns the names of the members, or NULL.
static const char *const *find_members(const struct plot_table *t) {
    for (size_t i = 0; i < MEMBERS; i++)
        if (t->columns > 2 && !strcmp(t->name[0], members[i][0]) && find_second(t, members[i][1]) + 1 < t->columns)
            return members[i];
    return NULL;
}

bool plot_pair_table_is(const struct plot_table *t) {
    return find_members(t) != NULL;
}

// Replaces numbers of residues in the topology by those in their file, if one number is the difference of all, so that
// residues without any contact have a known number, too.
static void number_residues(struct plot_table *t, size_t second) {
    const size_t resid[] = {find_second(t, "resid_a"), find_second(t, "resid_b")}, number[] = {0, second};
    if (strcmp(t->name[0], "residue_a") != 0 || t->segments_differ || resid[0] == t->columns || resid[1] == t->columns)
        return;
    const double shift = t->values[resid[0]] - t->values[0];
    for (size_t i = 0; i < 2 * t->rows; i++) {
        const double *row = t->values + i / 2 * t->columns;
        if (row[resid[i % 2]] - row[number[i % 2]] != shift) return;
    }
    for (size_t i = 0; i < 2 * t->rows; i++) t->values[i / 2 * t->columns + number[i % 2]] += shift;
    t->slow_axis = t->axis = "residue";
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Sets the coordinates of one or two columns. If most numbers between the first and the last one occur, as of residues,
// all of them are coordinates, so that residues without any contact keep their place. Frames between those that were
// read are no coordinates.
static int find_coordinates(struct coordinates *c, const struct plot_table *t, size_t column, size_t other,
                            struct trj_error *err) {
    size_t n = 0;
    if (!(c->x = trj_alloc(2 * t->rows, sizeof *c->x, "coordinates", err))) return -1;
    for (size_t i = 0; i < t->rows; i++) {
        if (!isfinite(t->values[i * t->columns + column]) || !isfinite(t->values[i * t->columns + other]))
            return trj_fail(err, TRJ_BAD_DATA, "row %zu: a member of the pair has no number", i + 1);
        c->x[n++] = t->values[i * t->columns + column];
        if (other != column) c->x[n++] = t->values[i * t->columns + other];
    }
    qsort(c->x, n, sizeof *c->x, compare);
    for (size_t i = 0; i < n; i++)
        if (!i || c->x[i] != c->x[i - 1]) c->x[c->count++] = c->x[i];
    double first = c->x[0], span = c->x[c->count - 1] - first + 1;
    if (!strcmp(t->name[0], "frame_a") || span > 2 * (double)c->count || span != (double)(size_t)span) return 0;
    free(c->x);
    if (!(c->x = trj_alloc((size_t)span, sizeof *c->x, "coordinates", err))) return -1;
    c->count = (size_t)span;
    for (size_t i = 0; i < c->count; i++) c->x[i] = first + (double)i;
    return 0;
}

static size_t find_place(const struct coordinates *c, double x) {
    const double *found = bsearch(&x, c->x, c->count, sizeof *c->x, compare);
    return found ? (size_t)(found - c->x) : 0; // of numbers that are not whole, in a range of whole ones
}

static void fill(double *grid, const struct plot_table *t, size_t second, bool symmetric, const struct coordinates *a,
                 const struct coordinates *b) {
    const bool contacts = !strcmp(t->name[t->columns - 1], "share");
    for (size_t i = 0; i < a->count * b->count; i++) {
        grid[3 * i] = a->x[i / b->count];
        grid[3 * i + 1] = b->x[i % b->count];
        grid[3 * i + 2] = contacts || (symmetric && i / b->count == i % b->count) ? 0 : NAN;
    }
    for (size_t i = 0; i < t->rows; i++) {
        const double *row = t->values + i * t->columns;
        size_t p = find_place(a, row[0]), q = find_place(b, row[second]);
        grid[3 * (p * b->count + q) + 2] = row[t->columns - 1];
        if (symmetric) grid[3 * (q * b->count + p) + 2] = row[t->columns - 1];
    }
}

// Returns the column by which plot_quantity.c lists the value; NULL: unknown. Names of columns are not const.
static char *find_quantity(const char *column) {
    static char quantities[][20] = {"contact_share()", "pair_distance()", "pair_rmsd()"};
    static const char *const names[] = {"share", "distance", "rmsd"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], column)) return quantities[i];
    return NULL;
}

int plot_pair_table_fill(struct plot_table *t, bool symmetric, struct trj_error *err) {
    char *quantity = find_quantity(t->name[t->columns - 1]);
    const size_t second = find_second(t, find_members(t)[1]);
    struct coordinates a = {0}, b = {0};
    double *grid = NULL;
    int rc = quantity ? 0 : trj_fail(err, TRJ_BAD_DATA, "unknown column '%.40s'", t->name[t->columns - 1]);
    number_residues(t, second);
    if (!rc) rc = find_coordinates(&a, t, 0, symmetric ? second : 0, err);
    if (!rc) rc = find_coordinates(&b, t, second, symmetric ? 0 : second, err);
    if (!rc && (double)a.count * (double)b.count > PLOT_MAP_CELLS)
        rc = trj_fail(err, TRJ_BAD_DATA,
                      "%zu x %zu pairs, more than a map can show (%d); use --per residue or fewer frames", a.count,
                      b.count, PLOT_MAP_CELLS);
    if (!rc && !(grid = trj_alloc(3 * a.count * b.count, sizeof *grid, "a map", err))) rc = -1;
    if (!rc) {
        fill(grid, t, second, symmetric, &a, &b);
        free(t->values);
        t->values = grid;
        t->rows = a.count * b.count;
        t->columns = 3;
        t->name[1] = t->name[second];
        t->name[2] = quantity;
    }
    free(a.x);
    free(b.x);
    return rc;
}
