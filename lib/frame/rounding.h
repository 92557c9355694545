// SPDX-License-Identifier: MIT
// Rounds coordinates within a bound, so that they can be compressed.
#ifndef TRJ_ROUNDING_H
#define TRJ_ROUNDING_H

#include "frame.h"

// Replaces each coordinate by the float32 nearest to a multiple of a decimal step, if the two differ by at most `bound`
// Å. Coordinates for which rounding to float32 exceeds the bound, and NaN and infinities, are not changed. The step is
// the largest of 1, 2 and 5 times a power of ten, in the unit of the frame, that is at most twice the bound and at most
// 1.
void trj_frame_round(struct trj_frame *f, double bound);

#endif
