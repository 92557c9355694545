// SPDX-License-Identifier: MIT
// Finds where a set of points in a periodic cell can be cut, so that its points become contiguous. For --centre
// (mover.h) and for centres of groups (centres.h), which must agree about the same set.
//
// Along a periodic vector, the cell is cut in the middle of the largest gap between the fractional coordinates of the
// points. If the gap is neither TRJ_GAP wide nor half of the cell, the set fills the cell, as a membrane does: then it
// has no centre in this direction.
#ifndef TRJ_LARGEST_GAP_H
#define TRJ_LARGEST_GAP_H

#include <stdbool.h>
#include <stddef.h>

#define TRJ_GAP 5.0 // Å; wider than gaps between atoms in contact, and between the leaflets of a membrane

// Sorts the fractional coordinates, which it wraps to 0 <= x < 1, and sets *middle to the middle of the largest gap,
// from 0 to 1.5. `width` is the distance in Å between the planes of the lattice. Returns whether the gap is wide
// enough.
bool trj_largest_gap(double *fraction, size_t count, double width, double *middle);

#endif
