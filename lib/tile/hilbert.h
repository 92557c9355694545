// SPDX-License-Identifier: MIT
// The Hilbert curve, which orders points so that neighbours on the curve are neighbours in space.
#ifndef TILE_HILBERT_H
#define TILE_HILBERT_H

#include <stdint.h>

enum { TILE_HILBERT_POINTS = 64 };

// Sets place[i] to the place on the curve of the point (c[0][i], c[1][i], c[2][i]), whose coordinates are below 2^10.
// Overwrites c. J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 381 (2004).
void tile_hilbert(uint32_t c[3][TILE_HILBERT_POINTS], uint32_t place[TILE_HILBERT_POINTS]);

#endif
