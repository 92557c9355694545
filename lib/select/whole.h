// SPDX-License-Identifier: MIT
// Makes molecules whole over their bonds, in a cell of any shape: each atom is moved to its periodic image nearest to a
// bonded atom that has been placed already. The first atom of a molecule is not moved. Bonds must therefore be shorter
// than half the smallest width of the cell.
#ifndef TRJ_WHOLE_H
#define TRJ_WHOLE_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "nearest_image.h"

// The molecules in sequence. A zeroed struct is empty.
struct trj_whole {
    size_t atoms, molecules;
    size_t *begin;       // [molecules + 1] first atom of each molecule in `order`
    uint32_t *order;     // [atoms] atom numbers; each atom follows its reference
    uint32_t *reference; // [atoms] of the atom order[i]: an atom bonded to it, or itself for the first of a molecule
    uint32_t (*ring)[2]; // [rings] bonds that close rings
    size_t rings;
};

// Finds the molecules of `atoms` atoms from their bonds. Atoms without bonds are molecules of their own.
int trj_whole_make(struct trj_whole *w, uint32_t (*const bond)[2], size_t bonds, size_t atoms, struct trj_error *err);
void trj_whole_free(struct trj_whole *w); // frees the members, not w itself

// Moves the atoms x[atoms][3], in Å, of all molecules. Coordinates of atoms that need not be moved are not changed, not
// even by rounding. May be called from several threads. Fails with TRJ_BAD_DATA if a molecule is bonded to its own
// image, so that it is infinite.
int trj_whole_apply(const struct trj_whole *w, const struct trj_lattice *l, double (*x)[3], struct trj_error *err);

// Fails with TRJ_BAD_DATA if a periodic boundary breaks one of the bonds edges[count], each of which connects atom
// order[edge] with reference[edge].
int trj_whole_check(const struct trj_whole *w, const uint32_t *edges, size_t count, const struct trj_lattice *l,
                    double (*x)[3], struct trj_error *err);

// Computes the geometric centre of the atoms[count] among x, count >= 1. That of one atom is its position, bit for bit.
void trj_geometric_centre(double (*x)[3], const uint32_t *atoms, size_t count, double centre[3]);

#endif
