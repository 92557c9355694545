// SPDX-License-Identifier: MIT
// Finds the atoms within a distance of other atoms, in any cell.
#ifndef TRJ_NEIGHBOURS_H
#define TRJ_NEIGHBOURS_H

#include "error.h"
#include "frame.h"

// Clears mask[i] unless some atom j with of[j] != 0 has an image within the radius (Å) of atom i:
//   d = (x_i - x_j) + n·H   in float64, in this order, x the stored float32 values times the frame's unit
//   (d_x d_x + d_y d_y) + d_z d_z <= radius * radius
// for any integers n_k along periodic vectors k, and 0 along the others, so that the nearest image decides for any
// radius and cell. An atom of `targets` is near itself. Both masks have one byte per atom, 0 or 1. The time is
// proportional to the number of atoms, not of pairs: atoms are sorted into a grid of boxes about as large as the
// radius. Fails with TRJ_BAD_DATA if periodic vectors are missing or coplanar (trj_cell_restrict), if their lengths or
// the distances of lattice planes are outside 1e-6 to 1e8 Å, or if one of the atoms is beyond 1e8 Å.
int trj_neighbours_filter(const struct trj_frame *f, double radius, const unsigned char *targets, unsigned char *mask,
                          struct trj_error *err);

#endif
