// SPDX-License-Identifier: MIT
// Computes the constants of the density kernels that depend on the lattice and on the cell of a frame.
#ifndef CUDA_LATTICE_CONSTANTS_H
#define CUDA_LATTICE_CONSTANTS_H

#include "density.h"
#include "error.h"
#include "gauss.h"
#include "lattice_plan.h"
#include "map_lattice.h"

// Sets plan, unit, skew and magic of *args, and kind[atoms->kinds]. `gauss` is NULL for kernels other than Gaussians,
// whose kind[0].reach the caller has set. atoms->reach is not used. Fails as den_gauss_lattice_set and
// tile_lattice_plan_start. Only the constants of *plan are used; the caller frees it.
int cuda_lattice_set(cuda_density_args *args, cuda_density_kind *kind, struct tile_lattice_plan *plan,
                     const struct trj_map_lattice *l, const struct tile_lattice_atoms *atoms,
                     const struct den_gauss_setup *gauss, struct trj_error *err);

#endif
