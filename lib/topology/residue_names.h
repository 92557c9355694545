// SPDX-License-Identifier: MIT
// Classifies residues, and sites of water models, by name, and compares names of residues.
#ifndef TRJ_RESIDUE_NAMES_H
#define TRJ_RESIDUE_NAMES_H

#include <stdbool.h>

bool trj_residue_is_protein(const char *resname);
bool trj_residue_is_nucleic(const char *resname);
bool trj_residue_is_water(const char *resname);
bool trj_residue_is_ion(const char *resname);

// Returns whether two names may be those of one residue in two files: if they are equal, or names of water; if they are
// names of one amino acid or nucleotide that differ by convention, protonation, disulphide bond or end of the chain
// (DA, ADE; HIS, HSD, HIE; CYS, CYX; ALA, NALA); if they are MET and MSE; or if one of them, of at least three
// characters, is the beginning of the other, because PDB files truncate names.
bool trj_residue_names_agree(const char *a, const char *b);

// Returns whether a residue has the bonds and the names of atoms of an amino acid, such as "PHE": if the names agree
// (trj_residue_names_agree), or if it is a D amino acid (DPN, DPHE) and the name of its mirror image agrees.
bool trj_residue_has_topology_of(const char *resname, const char *amino_acid);

// Returns whether a name is that of a massless site of a water model, which has no element, as in TIP4P and TIP5P.
bool trj_is_massless_site(const char *name, const char *resname);

#endif
