// SPDX-License-Identifier: MIT
// The atoms of the molecule that a map describes, and the numbers of the orbitals that its components are. Cube files
// contain them, and programs that draw a map also draw them. Nothing is computed from them.
#ifndef TRJ_MAP_ATOMS_H
#define TRJ_MAP_ATOMS_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "error.h"

struct trj_map_atom {
    int32_t number;     // atomic number, or 0
    double charge;      // of the nucleus, without the electrons that a core potential replaces
    double position[3]; // Å
};

// A zeroed struct contains none.
struct trj_map_atoms {
    size_t count;
    struct trj_map_atom *atom;
    size_t orbitals;  // 0, or the number of components of the map
    int32_t *orbital; // their numbers
};

void trj_map_atoms_free(struct trj_map_atoms *a); // frees the members, and leaves the struct empty

// Encode and decode the payload of a block of a grid stream. The caller frees the atoms, also after an error, which is
// TRJ_BAD_DATA if a number is not finite, or if the number of orbitals is neither 0 nor that of the components.
void trj_map_atoms_put(struct trj_bytes *b, const struct trj_map_atoms *a);
int trj_map_atoms_get(struct trj_map_atoms *a, struct trj_cursor *c, uint32_t components, struct trj_error *err);

#endif
