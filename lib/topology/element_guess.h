// SPDX-License-Identifier: MIT
// Guesses the element of an atom from its names or its mass.
//
// A guess is 0 (unknown) if several elements are plausible: a wrong element is worse than none.
#ifndef TRJ_ELEMENT_GUESS_H
#define TRJ_ELEMENT_GUESS_H

#include <stddef.h>

// Where an atom name stands in the four columns 13-16 of a PDB line; 0 for other formats, or where a file does not keep to the rule
// that the symbol is right-justified in the first two.
enum trj_element_place { TRJ_ELEMENT_NO_PLACE, TRJ_ELEMENT_FIRST_COLUMN, TRJ_ELEMENT_SECOND_COLUMN };

// Returns Z from names, by this evidence in this order:
// 1. the name and the residue name are the same symbol, or both name the same monatomic ion: PB of PB, NA of NA+, CLA,
// SOD, ZN2 (but not W of W, which is a bead);
// 2. in a PDB, the column of the name: a symbol of two letters begins in the first column. Names of two letters in the
// first column of amino and nucleic acids, and symbols of two letters in the second column (FE), contradict this rule:
// such atoms are unknown;
// 3. a lower-case second letter ("Cu"), and CL, SE, SI, CU, NI, PT; then H C N O S P by the first letter, and F and I
// if no other rule applies; then a symbol of two letters.
// Leading digits, and digits and signs after the letters, are ignored. Massless sites of water models have no element.
unsigned trj_element_by_name(const char *name, const char *resname, enum trj_element_place place);

// Returns the other element that a name can mean if trj_element_by_name decides by the letters alone: Na for NA of
// heme, C for CU of a ligand. Returns 0 if there is none.
unsigned trj_element_alternative(const char *name, const char *resname);

// Z from a mass: the nearest standard mass within 0.1 u whose symbol begins like the name or the type (deuterium is H); else by name,
// if the mass can be explained: hydrogen mass repartitioning, united atoms. 0 for massless sites, Drude particles, beads.
unsigned trj_element_by_mass(double mass, const char *name, const char *type, const char *resname);

// z[n] for the masses of all kinds of atoms in a system, where there are no names. Whole numbers tell nothing in reduced units (1) and for
// beads (72), and with masses moved to hydrogens the lightest elements cannot be told apart.
void trj_elements_by_masses(const double *mass, size_t n, unsigned char *z);

#endif
