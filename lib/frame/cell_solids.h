// SPDX-License-Identifier: MIT
// Cells that are no parallelepipeds: some programs store the box around a solid that fills space, instead of lattice
// vectors. The lattice is body-centred, or centred in one face, in that box, so that the solid has half its volume.
#ifndef TRJ_CELL_SOLIDS_H
#define TRJ_CELL_SOLIDS_H

#include "cell.h"

enum trj_cell_solid {
    TRJ_SOLID_OCTAHEDRON,   // truncated octahedron in a cube
    TRJ_SOLID_DODECAHEDRON, // rhombic dodecahedron in a box a, a, sqrt(2) a
    TRJ_SOLID_PRISM,        // hexagonal prism along z in a box sqrt(3) b, b, c
};

// Returns "truncated octahedron" and so on, for messages.
const char *trj_cell_solid_name(enum trj_cell_solid solid);

// Replaces the rows of the box by three vectors of the lattice of the solid, periodic in all directions. Fails with
// TRJ_BAD_DATA if the rows are not along x, y and z, or have other ratios than the solid, by more than 1e-4.
int trj_cell_of_solid(struct trj_cell *cell, enum trj_cell_solid solid, struct trj_error *err);

#endif
