// SPDX-License-Identifier: MIT
// Puts a molecule, an orbital and a lattice into the layout of the kernels (kernel_data.h).
#ifndef KERNEL_MOLECULE_H
#define KERNEL_MOLECULE_H

#include "error.h"
#include "kernel_data.h"
#include "orbital_systems.h"

// Rounds positions, and the origin and steps of the lattice, to multiples of 2^-16 bohr, with which coordinates and
// their differences are exact in float32. Errors of the kernels are then those of their sums and exponentials alone.
// The steps of the lattice are parallel to x, y and z.
void kernel_round_coordinates(struct orbital_system *s, struct orb_job *job);

// Fails if the molecule exceeds the limits of kernel_data.h. The coefficients are those of the functions of the system.
int kernel_data_make(struct kernel_data *data, const struct orbital_system *s, const double *coefficient,
                     struct trj_error *err);

void kernel_lattice_make(struct kernel_lattice *lattice, const struct orb_job *job);

#endif
