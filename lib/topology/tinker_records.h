// SPDX-License-Identifier: MIT
// Detects and parses lines of Tinker's coordinate files, .xyz and .arc, for topologies and trajectories. A frame is
//   atoms title
//   a b c alpha beta gamma                     since version 6.3, if the system is periodic
//   number name x y z type [bonded atoms]      for each atom
// The shape of a truncated octahedron or rhombic dodecahedron is in the key file only; a, b, c are then the box around
// it. (https://dasher.wustl.edu/tinker, "Types of Input & Output Files")
#ifndef TRJ_TINKER_RECORDS_H
#define TRJ_TINKER_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "lines.h"

// Returns whether the first n bytes of a file look like one of Tinker, and not like XYZ.
bool trj_tinker_is(const char *head, size_t n);

// Returns whether a line is that of a cell, and sets its six numbers.
bool trj_tinker_cell(const char *line, double v[6]);

#endif
