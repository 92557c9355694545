// SPDX-License-Identifier: MIT
// Guesses elements of atoms from names or masses.
//
// A guess is 0 (unknown) if several elements are plausible: a wrong element is worse than none.
#ifndef TRJ_ELEMENT_GUESS_H
#define TRJ_ELEMENT_GUESS_H

#include <stddef.h>

// The column in which an atom name starts, of the four columns 13-16 of a PDB line. TRJ_ELEMENT_NO_COLUMN: other
// formats, and files that break the rule that the symbol is right-justified in the first two columns.
enum trj_element_column { TRJ_ELEMENT_NO_COLUMN, TRJ_ELEMENT_FIRST_COLUMN, TRJ_ELEMENT_SECOND_COLUMN };

// Returns Z from names, by this evidence in this order:
// 1. the name and the residue name are the same symbol, or both name the same monatomic ion: PB of PB, NA of NA+, CLA,
// SOD, ZN2 (but not W of W, which is a coarse-grained bead);
// 2. in a PDB, the column of the name: a symbol of two letters begins in the first column. Names of two letters in the
// first column of amino and nucleic acids, and symbols of two letters in the second column (FE), contradict this rule:
// such atoms are unknown;
// 3. a lower-case second letter ("Cu"), and CL, SE, SI, CU, NI, PT; then H C N O S P by the first letter, and F and I
// if no other rule applies; then a symbol of two letters.
// Leading digits, and digits and signs after the letters, are ignored. Massless sites of water models have no element.
unsigned trj_element_by_name(const char *name, const char *resname, enum trj_element_column column);

// Returns the other element that a name can mean if trj_element_by_name decides by the letters alone: Na for NA of
// heme, C for CU of a ligand. Returns 0 if there is none.
unsigned trj_element_alternative(const char *name, const char *resname);

// Returns Z from a mass in u: the element of the nearest standard mass within 0.1 u, if its symbol begins like the name
// or the type (deuterium is H). Otherwise Z by name, if hydrogen mass repartitioning or united atoms explain the mass.
// Returns 0 for massless sites, Drude particles and beads.
unsigned trj_element_by_mass(double mass, const char *name, const char *type, const char *resname);

// Computes z[n] from the masses of all kinds of atoms in a system without names. Masses that are whole numbers identify
// no element in systems of reduced units (mass 1), nor beads (72). The lightest elements cannot be distinguished if
// masses were moved to hydrogens.
void trj_elements_by_masses(const double *mass, size_t n, unsigned char *z);

#endif
