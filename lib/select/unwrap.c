// SPDX-License-Identifier: MIT
// Keeps the last position of each molecule or atom, and the periods that it has crossed, from frame to frame.
#include "unwrap.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cell_basis.h"
#include "memory.h"

const struct trj_choice trj_unwrap_choices[] = {
    {"toroidal", "add the shortest displacements from frame to frame"},
    {"fraction", "count crossed cells; multiply by the mean cell (two readings)"},
    {"flags", "as fraction, with the image flags of the input"},
    {NULL, NULL},
};

// A unit in the last frame.
struct state {
    double last[3];  // its centre: in Å for toroidal, else fractional coordinates
    double moved[3]; // the periods by which it is moved: in Å for toroidal, else their numbers
};

struct trj_unwrap {
    struct trj_unwrap_setup setup;
    bool scales;         // to the mean cell
    uint32_t *unit;      // [units] molecules or atoms that are unwrapped
    struct state *state; // [units]
    size_t units;
    struct trj_basis basis; // if `scales`
    bool started;
    unsigned periodic;
    double largest;
};

// The cell of a frame.
struct place {
    double h[3][3], g[3][3]; // followed if the positions are scaled
    unsigned periodic;
    const struct trj_lattice *lattice;
};

enum trj_movement_kind trj_unwrap_kind(const char *choice) {
    if (!strcmp(choice, "toroidal")) return TRJ_UNWRAPPED_TOROIDAL;
    return !strcmp(choice, "fraction") ? TRJ_UNWRAPPED_FRACTION : TRJ_UNWRAPPED_FLAGS;
}

void trj_unwrap_close(struct trj_unwrap *u) {
    if (!u) return;
    free(u->unit);
    free(u->state);
    free(u);
}

// Returns the atoms of a unit. `atom` is the memory for a single one.
static const uint32_t *atoms_of(const struct trj_unwrap *u, uint32_t unit, uint32_t *atom, size_t *count) {
    const struct trj_whole *w = u->setup.molecules;
    *atom = unit;
    *count = w ? w->begin[unit + 1] - w->begin[unit] : 1;
    return w ? w->order + w->begin[unit] : atom;
}

static int list_units(struct trj_unwrap *u, struct trj_error *err) {
    const struct trj_unwrap_setup *s = &u->setup;
    size_t all = s->molecules ? s->molecules->molecules : s->atoms;
    bool *wanted = trj_alloc(s->atoms, sizeof *wanted, "atoms", err);
    if (!wanted) return -1;
    for (size_t i = 0; i < (s->rows ? s->row_count : s->atoms); i++) wanted[s->rows ? s->rows[i] : i] = true;
    u->unit = trj_alloc(all, sizeof *u->unit, "molecules", err);
    for (uint32_t k = 0; u->unit && k < all; k++) {
        uint32_t atom;
        size_t count;
        const uint32_t *atoms = atoms_of(u, k, &atom, &count);
        bool any = false;
        for (size_t i = 0; i < count; i++) any = any || wanted[atoms[i]];
        if (any) u->unit[u->units++] = k;
    }
    free(wanted);
    if (u->unit) u->state = trj_alloc(u->units, sizeof *u->state, "molecules", err);
    return u->state ? 0 : -1;
}

int trj_unwrap_open(struct trj_unwrap **result, const struct trj_unwrap_setup *setup, struct trj_error *err) {
    struct trj_unwrap *u = trj_alloc(1, sizeof *u, "unwrapping", err);
    if (!u) return -1;
    u->setup = *setup;
    u->scales = trj_unwrap_needs_mean_cell(setup->kind);
    if (list_units(u, err)) {
        trj_unwrap_close(u);
        return -1;
    }
    *result = u;
    return 0;
}

double trj_unwrap_largest_step(const struct trj_unwrap *u) {
    return u->largest;
}

static double dot(const double a[3], const double b[3]) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

// Sets to = a[0] h[0] + a[1] h[1] + a[2] h[2], with the periodic vectors alone.
static void combine(const double a[3], const double h[3][3], unsigned periodic, double to[3]) {
    for (int c = 0; c < 3; c++) to[c] = 0;
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3 && periodic >> k & 1; c++) to[c] += a[k] * h[k][c];
}

// Returns the largest |d . v| / v^2 of the lattice vectors v that bound the region of shortest vectors.
static double step_of(const struct trj_lattice *l, const double d[3]) {
    double largest = 0;
    for (int i = 0; i < l->sums; i++) largest = fmax(largest, fabs(dot(d, l->sum[i])) / l->length2[i]);
    for (int k = 0; k < 3 && !l->sums; k++)
        if (l->cell.periodic >> k & 1)
            largest = fmax(largest, fabs(dot(d, l->cell.h[k])) / dot(l->cell.h[k], l->cell.h[k]));
    return largest;
}

// Replaces d by its shortest image, and sets n to the periods that were added.
static void take_step(struct trj_unwrap *u, const struct place *p, double d[3], double n[3]) {
    const struct trj_lattice *l = p->lattice;
    double by[3], smallest = 2 * l->half * u->largest;
    for (int k = 0; k < 3; k++) n[k] = 0;
    if (!trj_is_short(l, d)) {
        memcpy(by, d, sizeof by);
        trj_nearest_image_of_long(l, d);
        for (int c = 0; c < 3; c++) by[c] = d[c] - by[c];
        for (int k = 0; k < 3; k++)
            if (p->periodic >> k & 1) n[k] = rint(dot(p->g[k], by));
    }
    // Each v is at least 2 half long, so that shorter d have smaller steps.
    if (dot(d, d) > smallest * smallest) u->largest = fmax(u->largest, step_of(l, d));
}

// Finds how a unit has moved since the last frame.
static int follow(struct trj_unwrap *u, const struct place *p, struct state *state, const double centre[3],
                  const double s[3], uint32_t atom, struct trj_error *err) {
    double d[3], n[3], by[3];
    for (int k = 0; k < 3; k++) d[k] = (u->scales ? s[k] : centre[k]) - state->last[k];
    if (u->scales) {
        double change[3];
        memcpy(change, d, sizeof change);
        combine(change, p->h, p->periodic, d);
    }
    take_step(u, p, d, n);
    if (u->largest > TRJ_UNWRAP_LIMIT)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--unwrap: atom %u (counted from 0) has moved by %.3g of a cell vector since the frame before, "
                        "so that its image is ambiguous (limit: %g); read more frames, and frames of one simulation "
                        "in sequence",
                        atom, u->largest, TRJ_UNWRAP_LIMIT);
    combine(n, p->h, p->periodic, by);
    for (int k = 0; k < 3; k++) state->moved[k] += u->scales ? n[k] : by[k];
    return 0;
}

static int move_unit(struct trj_unwrap *u, const struct place *p, size_t i, double (*x)[3], struct trj_error *err) {
    struct state *state = &u->state[i];
    uint32_t atom;
    size_t count;
    const uint32_t *atoms = atoms_of(u, u->unit[i], &atom, &count);
    double centre[3], s[3], by[3];
    trj_geometric_centre(x, atoms, count, centre);
    for (int k = 0; k < 3; k++) s[k] = dot(p->g[k], centre);
    if (u->started && u->setup.kind != TRJ_UNWRAPPED_FLAGS && follow(u, p, state, centre, s, atoms[0], err)) return -1;
    memcpy(state->last, u->scales ? s : centre, sizeof state->last);
    memcpy(by, state->moved, sizeof by);
    if (u->scales) {
        double from[3], all[3];
        for (int k = 0; k < 3; k++) all[k] = s[k] + state->moved[k];
        combine(s, p->h, p->periodic, from);
        combine(all, (const double(*)[3])u->setup.mean_cell, p->periodic, by);
        for (int c = 0; c < 3; c++) by[c] -= from[c];
    }
    for (size_t k = 0; k < count; k++)
        for (int c = 0; c < 3; c++) x[atoms[k]][c] += by[c];
    return 0;
}

int trj_unwrap_apply(struct trj_unwrap *u, const struct trj_cell *cell, const struct trj_lattice *l, double (*x)[3],
                     struct trj_error *err) {
    struct place p = {.periodic = cell->periodic, .lattice = l};
    struct trj_cell own = *cell;
    if (!cell->periodic)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--unwrap: no cell vector is periodic; give the cell with --cell, or leave --unwrap out");
    if (u->started && cell->periodic != u->periodic)
        return trj_fail(err, TRJ_BAD_DATA,
                        "--unwrap: the periodic directions differ from those of the frame before; set them with "
                        "--periodic");
    if (u->scales && trj_basis_follow(&u->basis, &own, err)) return trj_fail_at(err, "--unwrap");
    memcpy(p.h, own.h, sizeof p.h);
    trj_cell_reciprocal(&own, p.g);
    for (size_t i = 0; i < u->units; i++)
        if (move_unit(u, &p, i, x, err)) return -1;
    u->started = true;
    u->periodic = cell->periodic;
    return 0;
}
