// SPDX-License-Identifier: MIT
// Systems of molecules as GROMACS describes them: molecule types, and blocks of molecules of these types. Its TPR and
// top files contain the same description, so that both give the same topology.
#ifndef TRJ_MOLECULE_TYPES_H
#define TRJ_MOLECULE_TYPES_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "topology_parts.h"

struct trj_molecule_atom {
    double mass, charge;          // mass NaN: unknown
    uint32_t name, type, residue; // `residue` is an index in the molecule
    int32_t number;               // atomic number; 0 or less if unknown
    uint32_t lj;                  // number of the type among those with Lennard-Jones parameters
};

struct trj_molecule_residue {
    uint32_t name;
    int32_t number;
    char insertion; // 0: none
};

// A molecule type. Names are indices into the texts of the system.
struct trj_molecule_type {
    uint32_t name;
    struct trj_molecule_atom *atom;
    struct trj_molecule_residue *residue;
    uint32_t (*bond)[2]; // indices of atoms in the molecule
    size_t atoms, residues, bonds, atom_capacity, residue_capacity, bond_capacity;
};

struct trj_molecule_block {
    uint32_t type, molecules;
};

// Ready for use if zeroed. trj_molecule_system_free frees all but `text`.
struct trj_molecule_system {
    char *const *text; // [] belongs to the caller
    struct trj_molecule_type *type;
    struct trj_molecule_block *block;
    size_t types, type_capacity, blocks, block_capacity;
    // [lj_types] Lennard-Jones parameters of each type, in Å and kcal/mol; NaN: unknown, or another potential. lj_types
    // is 0 if they are not read.
    double *sigma, *epsilon;
    size_t lj_types;
    const char *lj_from; // see struct trj_topology
};

// Append an empty molecule type, a block (unless it has 0 molecules), and a bond. Return 0 or -1.
int trj_molecule_type_add(struct trj_molecule_system *s, struct trj_error *err);
int trj_molecule_block_add(struct trj_molecule_system *s, struct trj_molecule_block block, struct trj_error *err);
int trj_molecule_bond_add(struct trj_molecule_type *type, uint32_t i, uint32_t j, struct trj_error *err);

// Makes arrays of Lennard-Jones parameters of `types` types, all NaN. Returns 0 or -1.
int trj_molecule_lj_start(struct trj_molecule_system *s, size_t types, struct trj_error *err);
// Sets those of a type from C6 and C12 in kJ/mol and nm: V(r) = C12/r^12 - C6/r^6 (GROMACS manual, "The Lennard-Jones
// interaction"). With the potential in topology.h,
//   sigma = (C12/C6)^(1/6), epsilon = C6^2 / (4 C12)
// and C6 = C12 = 0 means that there is no interaction, so that both are 0. If one of them is 0, they stay NaN.
void trj_molecule_lj_set(struct trj_molecule_system *s, size_t type, double c6, double c12);

// Fills an empty builder with the `atoms` atoms of all blocks, their bonds, residues, molecules and elements. Elements
// without an atomic number are guessed from masses, or from names if no mass is known. Returns 0 or -1.
int trj_molecule_system_build(struct trj_topology_builder *b, const struct trj_molecule_system *s, size_t atoms,
                              struct trj_error *err);
void trj_molecule_system_free(struct trj_molecule_system *s);

#endif
