// SPDX-License-Identifier: MIT
// Which atoms are near others, in any cell.
#ifndef TRJ_NEAR_H
#define TRJ_NEAR_H

#include "error.h"
#include "frame.h"

// Of the atoms i with mask[i] != 0, leaves those for which some atom j with of[j] != 0 has an image within the radius (Å):
//   d = (x_i - x_j) + n·H   in float64, in this order, x the stored float32 values times the frame's unit
//   (d_x d_x + d_y d_y) + d_z d_z <= radius * radius
// for any integers n_k along the cell vectors k that are periods, and 0 along the others: the nearest image counts, whatever the radius and
// the cell's shape. An atom of `of` is near itself. Both masks have a byte an atom, 0 or 1.
// The time goes with the atoms, not with the pairs: a grid of cells about as large as the radius.
// TRJ_BAD_DATA for a cell whose periods are missing or flat (trj_cell_restrict), for one with vectors or lattice planes outside 1e-6 to 1e8 Å, and for an
// atom that takes part and lies beyond 1e8 Å.
int trj_neighbours_filter(const struct trj_frame *f, double radius, const unsigned char *of, unsigned char *mask,
                          struct trj_error *err);

#endif
