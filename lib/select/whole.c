// SPDX-License-Identifier: MIT
// Walks along bonds once to fix an order, so that each frame needs only one pass over the bonds.
#include "whole.h"

#include <stdbool.h>
#include <stdlib.h>

#include "bonds.h"
#include "memory.h"

enum { NOT_REACHED = 0 }; // value of `place`, which otherwise is 1 + the index in `order`

// Appends the molecule of an atom, in breadth-first order.
static void add_molecule(struct trj_whole *w, const struct trj_bonds *b, uint32_t atom, uint32_t *place, size_t *end) {
    size_t position = *end;
    w->reference[*end] = atom;
    w->order[(*end)++] = atom;
    place[atom] = (uint32_t)*end;
    for (; position < *end; position++)
        for (size_t k = b->begin[w->order[position]]; k < b->begin[w->order[position] + 1]; k++) {
            uint32_t next = b->to[k];
            if (place[next] != NOT_REACHED) continue;
            w->reference[*end] = w->order[position];
            w->order[(*end)++] = next;
            place[next] = (uint32_t)*end;
        }
    w->begin[++w->molecules] = *end;
}

int trj_whole_make(struct trj_whole *w, uint32_t (*const bond)[2], size_t bonds, size_t atoms, struct trj_error *err) {
    struct trj_bonds lists = {.begin = NULL};
    uint32_t *place = trj_alloc(atoms, sizeof *place, "molecules", err);
    size_t end = 0;
    int rc = -1;
    w->atoms = atoms;
    if (!place) goto out;
    if (!(w->begin = trj_alloc(atoms + 1, sizeof *w->begin, "molecules", err))) goto out;
    if (!(w->order = trj_alloc(atoms, sizeof *w->order, "molecules", err))) goto out;
    if (!(w->reference = trj_alloc(atoms, sizeof *w->reference, "molecules", err))) goto out;
    if (!(w->ring = trj_alloc(bonds, sizeof *w->ring, "molecules", err))) goto out;
    if (trj_bonds_list(&lists, bond, bonds, atoms, err)) goto out;
    for (uint32_t i = 0; i < atoms; i++)
        if (place[i] == NOT_REACHED) add_molecule(w, &lists, i, place, &end);
    for (size_t k = 0; k < bonds; k++) {
        uint32_t i = bond[k][0], j = bond[k][1];
        if (w->reference[place[i] - 1] == j || w->reference[place[j] - 1] == i) continue;
        w->ring[w->rings][0] = i;
        w->ring[w->rings++][1] = j;
    }
    rc = 0;
out:
    trj_bonds_free(&lists);
    free(place);
    return rc;
}

void trj_whole_free(struct trj_whole *w) {
    free(w->begin);
    free(w->order);
    free(w->reference);
    free(w->ring);
    *w = (struct trj_whole){.atoms = 0};
}

// Returns whether another image of the second atom is nearer to the first one. If so, sets d to the vector to the
// nearest image.
static inline bool is_broken(const struct trj_lattice *l, const double from[3], const double to[3], double d[3]) {
    double lattice2 = 0;
    for (int k = 0; k < 3; k++) d[k] = to[k] - from[k];
    if (trj_is_short(l, d)) return false;
    trj_nearest_image_of_long(l, d);
    for (int k = 0; k < 3; k++) lattice2 += (to[k] - from[k] - d[k]) * (to[k] - from[k] - d[k]);
    return lattice2 > l->half * l->half; // the vector to another image differs by at least 2 half
}

int trj_whole_apply(const struct trj_whole *w, const struct trj_lattice *l, double (*x)[3], struct trj_error *err) {
    double d[3];
    for (size_t i = 0; i < w->atoms; i++) {
        uint32_t atom = w->order[i], reference = w->reference[i];
        if (!is_broken(l, x[reference], x[atom], d)) continue;
        for (int k = 0; k < 3; k++) x[atom][k] = x[reference][k] + d[k];
    }
    for (size_t i = 0; i < w->rings; i++)
        if (is_broken(l, x[w->ring[i][0]], x[w->ring[i][1]], d))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the molecule of the bonded atoms %u and %u (counted from 0) is infinite, because it is "
                            "bonded to its own periodic image; leave --whole out, or give a topology without the bonds "
                            "that cross the boundary",
                            w->ring[i][0], w->ring[i][1]);
    return 0;
}

int trj_whole_check(const struct trj_whole *w, const uint32_t *edges, size_t count, const struct trj_lattice *l,
                    double (*x)[3], struct trj_error *err) {
    double d[3];
    for (size_t i = 0; i < count; i++) {
        uint32_t atom = w->order[edges[i]], reference = w->reference[edges[i]];
        if (is_broken(l, x[reference], x[atom], d))
            return trj_fail(err, TRJ_BAD_DATA,
                            "the periodic boundary breaks the bond between atoms %u and %u (counted from 0); make "
                            "molecules whole with trjcat --whole",
                            reference, atom);
    }
    return 0;
}

// Sums relative to the first point have small rounding errors.
void trj_geometric_centre(double (*x)[3], const uint32_t *atoms, size_t count, double centre[3]) {
    const double *first = x[atoms[0]];
    double sum[3] = {0};
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++) sum[k] += x[atoms[i]][k] - first[k];
    for (int k = 0; k < 3; k++) centre[k] = first[k] + sum[k] / (double)count;
}
