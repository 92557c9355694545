// SPDX-License-Identifier: MIT
// Places of the atoms of a crystal, their elements, and the occupancies at each place.
#ifndef TRJ_CIF_PLACES_H
#define TRJ_CIF_PLACES_H

#include "cif_crystal.h"
#include "error.h"

// Returns the distance in Å between two places in fractional coordinates, after the nearest whole numbers are
// subtracted from their differences. In a skewed cell, it may not be the shortest distance, unless it is small compared
// with the cell.
double trj_crystal_distance(const struct trj_crystal *c, const double a[3], const double b[3]);
// Returns the atomic number of a type "Fe3+", or of a label "Fe1", "FE(2)": the longest symbol that its letters begin
// with; 0: there is none.
unsigned trj_crystal_element(const struct trj_crystal_site *s);
// Checks the occupancies at each place of the cell: atoms nearer than TRJ_CRYSTAL_SAME_PLACE, in Å, are at one place.
// Sites that are listed twice are an error. Sets `occupied`, which must be 0, and `occupied_sites`. Returns 0 or -1.
#define TRJ_CRYSTAL_SAME_PLACE 0.05
int trj_crystal_check_places(struct trj_crystal *c, struct trj_error *err);

#endif
