// SPDX-License-Identifier: MIT
// Computes orbitals of a lattice with tables, without the functions of the basis: a tile consists of the boxes with the
// same indices along y and z, which share the sums over powers of y and z.
#ifndef ORB_TILE_H
#define ORB_TILE_H

#include <stdint.h>

#include "error.h"
#include "orbital_engine.h"
#include "orbital_plan.h"

struct orb_tile; // the memory of one thread

// The plan must outlive the tile. Fails with TRJ_FAILED for lack of memory.
int orb_tile_open(struct orb_tile **tile, const struct orb_plan *plan, const struct orb_kernel *kernel,
                  struct trj_error *err);
void orb_tile_close(struct orb_tile *tile); // NULL is allowed
// Sets the values of a slab at the points of tile y, z. Fails with TRJ_FAILED for lack of memory.
int orb_tile_compute(struct orb_tile *tile, uint32_t y, uint32_t z, const struct orb_slab *slab, struct trj_error *err);

#endif
