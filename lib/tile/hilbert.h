// SPDX-License-Identifier: MIT
#ifndef TILE_HILBERT_H
#define TILE_HILBERT_H

#include <stdint.h>

enum { TILE_HILBERT_BATCH = 64 };

// Places along the Hilbert curve of the points (c[0][i], c[1][i], c[2][i]), each coordinate below 2^10: neighbours on the curve are neighbours
// in space. Destroys c. J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 381 (2004).
void tile_hilbert(uint32_t c[3][TILE_HILBERT_BATCH], uint32_t place[TILE_HILBERT_BATCH]);

#endif
