// SPDX-License-Identifier: MIT
// Classifies residues, and sites of water models, by name.
#ifndef TRJ_RESIDUE_NAMES_H
#define TRJ_RESIDUE_NAMES_H

#include <stdbool.h>

bool trj_residue_is_protein(const char *resname);
bool trj_residue_is_nucleic(const char *resname);
bool trj_residue_is_water(const char *resname);
bool trj_residue_is_ion(const char *resname);

// Returns whether a name is that of a massless site of a water model, which has no element, as in TIP4P and TIP5P.
bool trj_is_massless_site(const char *name, const char *resname);

#endif
