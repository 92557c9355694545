// SPDX-License-Identifier: MIT
// Computes places on the Hilbert curve without branches, because compilers then vectorise over points.
#include "hilbert.h"

enum { BITS = 10, N = TILE_HILBERT_POINTS };

// Inserts two zero bits between neighbouring bits of the ten.
static uint32_t spread(uint32_t v) {
    v = (v | v << 16) & 0x030000ff;
    v = (v | v << 8) & 0x0300f00f;
    v = (v | v << 4) & 0x030c30c3;
    return (v | v << 2) & 0x09249249;
}

// Returns all ones if the bit is set, otherwise 0.
static uint32_t all_if(uint32_t v, int bit) {
    return -(v >> bit & 1);
}

// The inner loops run over points and have no branches, so that compilers vectorise them.
void tile_hilbert(uint32_t c[3][TILE_HILBERT_POINTS], uint32_t place[TILE_HILBERT_POINTS]) {
    // From the highest bit down, undoes the reflections and exchanges of axes that lead into each octant.
    for (int bit = BITS - 1; bit > 0; bit--) {
        uint32_t below = (1u << bit) - 1;
        for (int i = 0; i < N; i++) c[0][i] ^= below & all_if(c[0][i], bit);
        for (int k = 1; k < 3; k++)
            for (int i = 0; i < N; i++) {
                uint32_t set = all_if(c[k][i], bit), exchanged = (c[0][i] ^ c[k][i]) & below & ~set;
                c[0][i] ^= exchanged | (below & set);
                c[k][i] ^= exchanged;
            }
    }
    for (int i = 0; i < N; i++) {
        c[1][i] ^= c[0][i]; // Gray code
        c[2][i] ^= c[1][i];
        uint32_t t = 0;
        for (int bit = BITS - 1; bit > 0; bit--) t ^= ((1u << bit) - 1) & all_if(c[2][i], bit);
        place[i] = spread(c[0][i] ^ t) << 2 | spread(c[1][i] ^ t) << 1 | spread(c[2][i] ^ t);
    }
}
