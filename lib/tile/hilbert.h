// SPDX-License-Identifier: MIT
#ifndef TILE_HILBERT_H
#define TILE_HILBERT_H

#include <stdint.h>

// Place along the Hilbert curve of the point (x, y, z), each coordinate below 2^10: neighbours on the curve are neighbours in space.
// J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 381 (2004).
uint32_t tile_hilbert(uint32_t x, uint32_t y, uint32_t z);

#endif
