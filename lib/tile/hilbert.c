// SPDX-License-Identifier: MIT
#include "hilbert.h"

enum { BITS = 10 };

// Two zero bits between each of the ten bits.
static uint32_t spread(uint32_t v) {
    v = (v | v << 16) & 0x030000ff;
    v = (v | v << 8) & 0x0300f00f;
    v = (v | v << 4) & 0x030c30c3;
    return (v | v << 2) & 0x09249249;
}

uint32_t tile_hilbert(uint32_t x, uint32_t y, uint32_t z) {
    uint32_t c[3] = {x, y, z};
    // Undo, from the top bit down, the reflections and exchanges of axes that lead into each octant.
    for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1) {
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
    for (uint32_t q = 1u << (BITS - 1); q > 1; q >>= 1)
        if (c[2] & q) t ^= q - 1;
    return spread(c[0] ^ t) << 2 | spread(c[1] ^ t) << 1 | spread(c[2] ^ t);
}
