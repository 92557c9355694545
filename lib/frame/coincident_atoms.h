// SPDX-License-Identifier: MIT
// Finds atoms that have exactly the same position, as those that are not in the system have in some files.
#ifndef TRJ_COINCIDENT_ATOMS_H
#define TRJ_COINCIDENT_ATOMS_H

#include <stddef.h>

#include "frame.h"

enum { TRJ_COINCIDENT_MIN = 10 }; // atoms at one place that are worth a note: sites of one molecule can coincide

// Returns the number of atoms at the place that most atoms of a sample share, and sets the place in Angstrom; 0 if no
// three of them do. With up to 1024 atoms the sample is the whole frame; of more atoms, a place is found with high
// probability if it has 1 % of them.
size_t trj_frame_coincident(const struct trj_frame *f, double place[3]);

#endif
