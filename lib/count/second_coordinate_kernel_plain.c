// SPDX-License-Identifier: MIT
// The kernel of two coordinates for any CPU.
#include <stddef.h>
#include <stdint.h>

#include "tiles.h"

static inline unsigned mask_of(const int32_t flag[TILE_PATCH]) {
    unsigned mask = 0;
    for (unsigned j = 0; j < TILE_PATCH; j++) mask |= (unsigned)flag[j] << j;
    return mask;
}

static inline size_t pack(uint32_t *to, const int32_t cell[TILE_PATCH], unsigned mask) {
    size_t n = 0;
    for (; mask; mask &= mask - 1) to[n++] = (uint32_t)cell[__builtin_ctz(mask)];
    return n;
}

#define SECOND_KERNEL rdf_second_coordinate_kernel_plain
#include "second_coordinate_kernel_body.h"
