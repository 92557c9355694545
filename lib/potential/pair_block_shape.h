// SPDX-License-Identifier: MIT
// The shape of a block of points (pair_blocks.h), for the CPU and for GPUs.
#ifndef POT_PAIR_BLOCK_SHAPE_H
#define POT_PAIR_BLOCK_SHAPE_H

#include <math.h>

#include "host_and_device.h"
#include "pair_blocks.h"

// Returns the region of a block of a lattice.
TRJ_HOST_DEVICE int pot_block_find_region(const struct pot_blocks *b, size_t number) {
    int i = b->regions - 1;
    while (b->region[i].first > number) i--;
    return i;
}

// Sets the points from <= i < to of a block of a lattice.
TRJ_HOST_DEVICE void pot_block_find_box(const struct pot_blocks *b, size_t number, uint64_t from[3], uint64_t to[3]) {
    const struct pot_region *r = &b->region[pot_block_find_region(b, number)];
    uint64_t rest = number - r->first;
    for (int k = 0; k < 3; k++) {
        uint64_t index = rest % r->blocks[k];
        rest /= r->blocks[k];
        from[k] = r->low[k] + index * r->size[k];
        to[k] = index + 1 < r->blocks[k] ? from[k] + r->size[k] : r->low[k] + r->n[k];
    }
}

// Sets the centre, half diagonal and `near` of a block from its box.
TRJ_HOST_DEVICE void pot_block_measure(const double low[3], const double high[3], double centre[3],
                                       double *half_diagonal, double *near) {
    double square = 0;
    for (int k = 0; k < 3; k++) {
        double length = high[k] - low[k];
        square += length * length;
        centre[k] = low[k] + length / 2;
    }
    *half_diagonal = sqrt(square) / 2;
    *near = *half_diagonal / 2;
    if (*near < POT_NEAR_MIN) *near = POT_NEAR_MIN;
}

#endif
