// SPDX-License-Identifier: MIT
// Molecules with basis sets, for benchmarks of orbitals: C60 with 6-31G(d) and with STO-3G, benzene with cc-pVDZ, and
// C36H74, a straight chain of 110 atoms, with STO-3G. All functions are Cartesian.
#ifndef ORBITAL_SYSTEMS_H
#define ORBITAL_SYSTEMS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "orbital_basis.h"
#include "orbital_job.h"
#include "tool.h"

// A contracted shell. The coefficients multiply primitives of norm 1.
struct system_shell {
    unsigned l, primitives;
    double exponent[9], coefficient[9];
};

struct system_element {
    unsigned electrons, shells;
    struct system_shell shell[7];
};

enum { SYSTEM_ATOMS_MAX = 128 };
struct orbital_system {
    size_t atoms;
    double position[SYSTEM_ATOMS_MAX][3]; // Angstrom
    const struct system_element *element[SYSTEM_ATOMS_MAX];
    struct orb_basis basis; // functions in the order of atoms, shells, and components as in wave_function.h
};

extern const struct trj_choice orbital_system_choices[]; // names for option tables; ends with a NULL name

// Makes a system from one of these names. The caller frees it with orbital_system_free, also after a failure.
int orbital_system_make(struct orbital_system *s, const char *name, struct trj_error *err);
void orbital_system_free(struct orbital_system *s); // frees the basis, not the struct

size_t orbital_system_electrons(const struct orbital_system *s);

// Returns the factor of exp(-a r^2) of a primitive of norm 1, for the polynomials x^i y^j z^k of a shell.
double system_primitive_norm(const struct system_shell *shell, unsigned primitive);

// Sets the lattice of a job: points^3 points in total, which surround the atoms by 4 Angstrom. Each axis has this
// number of points, except for the chain, where the steps are equal as far as possible.
void orbital_system_lattice(const struct orbital_system *s, uint64_t points, struct orb_job *job);

// Sets random coefficients of an orbital, coefficient[functions].
void orbital_system_random(const struct orbital_system *s, uint64_t *seed, double *coefficient);

#endif
