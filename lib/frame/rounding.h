// SPDX-License-Identifier: MIT
// Rounds coordinates within a bound, so that they can be compressed.
#ifndef TRJ_ROUNDING_H
#define TRJ_ROUNDING_H

#include "frame.h"

// How coordinates are rounded. Set `bound`, and all else to 0.
struct trj_rounding {
    double bound; // Å
    double steps; // in a length of 1; 0: not chosen
    double unit;  // of the frame for which it was chosen
};

// Replaces each coordinate by the float32 nearest to a multiple of a decimal step, if the two differ by at most the
// bound. Coordinates for which rounding to float32 exceeds the bound, and NaN and infinities, are not changed. The step
// is chosen for the first frame: the largest of 1, 2 and 5 times a power of ten, in the unit of the frame, that is at
// most twice the bound and at most 1; a smaller one if that fits too few coordinates, because they are on a lattice
// with points in the middle between those of this one.
void trj_frame_round(struct trj_rounding *r, struct trj_frame *f);

#endif
