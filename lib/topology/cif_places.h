// SPDX-License-Identifier: MIT
// Places of the atoms of a crystal, and the occupancies at each of them.
#ifndef TRJ_CIF_PLACES_H
#define TRJ_CIF_PLACES_H

#include "cif_crystal.h"
#include "error.h"

// Returns the distance of two places in Å, where they may be moved by whole numbers. It is right if it is short.
double trj_crystal_distance(const struct trj_crystal *c, const double a[3], const double b[3]);
// Checks the occupancies at each place of the cell: atoms nearer than this, in Å, are at one place. Sites that are
// listed twice are an error. Sets `occupied`, which is 0. Returns 0 or -1.
#define TRJ_CRYSTAL_SAME_PLACE 0.05
int trj_crystal_check_places(struct trj_crystal *c, struct trj_error *err);

#endif
