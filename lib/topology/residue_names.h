// SPDX-License-Identifier: MIT
// What residues are, by their names.
#ifndef TRJ_RESIDUE_NAMES_H
#define TRJ_RESIDUE_NAMES_H

#include <stdbool.h>

bool trj_residue_is_protein(const char *resname);
bool trj_residue_is_nucleic(const char *resname);
bool trj_residue_is_water(const char *resname);
bool trj_residue_is_ion(const char *resname);

// Whether an atom of that name is a site of a water model that has no mass, and is of no element, as in TIP4P and TIP5P.
bool trj_is_massless_site(const char *name, const char *resname);

#endif
