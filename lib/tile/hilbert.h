// SPDX-License-Identifier: MIT
// Here and not in a .c, because GPUs need it too.
#ifndef TILE_HILBERT_H
#define TILE_HILBERT_H

#include <stdint.h>

#ifdef __CUDACC__
#define TILE_ANYWHERE static __host__ __device__ inline
#else
#define TILE_ANYWHERE static inline
#endif

enum { TILE_HILBERT_BITS = 10 };

// Two zero bits between each of the ten bits.
TILE_ANYWHERE uint32_t tile_hilbert_spread(uint32_t v) {
    v = (v | v << 16) & 0x030000ff;
    v = (v | v << 8) & 0x0300f00f;
    v = (v | v << 4) & 0x030c30c3;
    return (v | v << 2) & 0x09249249;
}

// Place along the Hilbert curve of the point (x, y, z), each coordinate below 2^10: neighbours on the curve are neighbours in space.
// The upper 3 b bits are the place along the curve that is only b levels deep.
// J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 381 (2004).
TILE_ANYWHERE uint32_t tile_hilbert(uint32_t x, uint32_t y, uint32_t z) {
    uint32_t c[3] = {x, y, z};
    // Undo, from the top bit down, the reflections and exchanges of axes that lead into each octant.
    for (uint32_t q = 1u << (TILE_HILBERT_BITS - 1); q > 1; q >>= 1) {
        uint32_t below = q - 1;
        for (int i = 0; i < 3; i++) {
            if (c[i] & q) {
                c[0] ^= below;
            } else {
                uint32_t t = (c[0] ^ c[i]) & below;
                c[0] ^= t;
                c[i] ^= t;
            }
        }
    }
    // Gray code.
    c[1] ^= c[0];
    c[2] ^= c[1];
    uint32_t t = 0;
    for (uint32_t q = 1u << (TILE_HILBERT_BITS - 1); q > 1; q >>= 1)
        if (c[2] & q) t ^= q - 1;
    return tile_hilbert_spread(c[0] ^ t) << 2 | tile_hilbert_spread(c[1] ^ t) << 1 | tile_hilbert_spread(c[2] ^ t);
}

#endif
