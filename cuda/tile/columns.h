// SPDX-License-Identifier: MIT
// The order of the atoms on the device. It contains no CUDA, so that the tests run it on the CPU.
//
// Atoms are sorted into columns, which are about as wide as a tile is long and parallel to the longest side of the box.
// The order goes from a column to a neighbouring one, up one and down the next, so that tiles are compact, also those
// that span two columns. (Tiles cut from a Hilbert curve have 50% more neighbours within 12 Å.) The key of the sort
// contains the number of the set, the number of the column, and the place along it.
#ifndef CUDA_COLUMNS_H
#define CUDA_COLUMNS_H

#include <math.h>
#include <stdint.h>

#include "cuda_host_device.h"

struct cuda_columns {
    int axis[3];               // across, across, along
    unsigned parts[2];         // columns across
    double low[3], inverse[3]; // Å, by coordinate; 1/Å, in the order of `axis`
};

// Division of a key of 32 bits.
struct cuda_key {
    int set, column, along; // bits, from the top
};

// Divides the key for at most 2^16 sets of at most max_atoms atoms.
static inline struct cuda_key cuda_key_make(unsigned sets, unsigned tile, unsigned max_atoms) {
    struct cuda_key k = {0, 1, 4};
    double tiles = (double)max_atoms / tile;
    while (sets > 1u << k.set) k.set++;
    // A cube has tiles^(2/3) columns; the capacity is twice that. Along a column, parts are shorter than the
    // distances between atoms.
    while (k.column < 20 && ldexp(1, 3 * (k.column - 1)) < tiles * tiles) k.column++;
    while (k.along < 20 && ldexp(1, k.column + k.along) < 16.0 * max_atoms) k.along++;
    while (k.set + k.column + k.along > 31) {
        if (k.along > 8)
            k.along--;
        else
            k.column--;
    }
    return k;
}

// Makes the columns of `atoms` atoms within [low, high], for tiles of `tile` atoms.
CUDA_HOST_DEVICE struct cuda_columns cuda_columns_make(const double low[3], const double high[3], unsigned atoms,
                                                       unsigned tile, struct cuda_key key) {
    struct cuda_columns c;
    double extent[3];
    for (int k = 0; k < 3; k++) {
        c.low[k] = low[k];
        extent[k] = high[k] - low[k];
    }
    int along = extent[0] >= extent[1] && extent[0] >= extent[2] ? 0 : extent[1] >= extent[2] ? 1 : 2;
    int a = (along + 1) % 3, b = (along + 2) % 3;
    if (extent[a] < extent[b]) {
        int t = a;
        a = b;
        b = t;
    }
    c.axis[0] = a;
    c.axis[1] = b;
    c.axis[2] = along;
    // Edge of a cube that contains a tile, or of a square if the box is thinner than the cube.
    double share = (double)tile / atoms, edge = cbrt(share * extent[0] * extent[1] * extent[2]);
    if (extent[b] <= edge) edge = sqrt(share * extent[along] * extent[a]);
    unsigned limit = 1u << key.column;
    for (int i = 0; i < 2; i++) {
        double n = extent[c.axis[i]] > edge ? floor(extent[c.axis[i]] / edge + 0.5) : 1;
        c.parts[i] = n < limit ? (unsigned)n : limit;
        limit /= c.parts[i];
    }
    for (int i = 0; i < 3; i++) c.inverse[i] = extent[c.axis[i]] > 0 ? 1 / extent[c.axis[i]] : 0;
    return c;
}

// Returns the number of the part, of n equal ones, that contains a position.
CUDA_HOST_DEVICE unsigned cuda_columns_part(const struct cuda_columns *c, int i, const double position[3], unsigned n) {
    int axis = c->axis[i];
    double x = (axis == 0   ? position[0] - c->low[0]
                : axis == 1 ? position[1] - c->low[1]
                            : position[2] - c->low[2]) *
               c->inverse[i] * n;
    return x < n ? (unsigned)x : n - 1;
}

// Returns the key of an atom of set number `set` at a position.
CUDA_HOST_DEVICE uint32_t cuda_columns_key(const struct cuda_columns *c, struct cuda_key key, unsigned set,
                                           const double position[3]) {
    unsigned a = cuda_columns_part(c, 0, position, c->parts[0]), b = cuda_columns_part(c, 1, position, c->parts[1]);
    unsigned places = 1u << key.along, along = cuda_columns_part(c, 2, position, places);
    unsigned column = a * c->parts[1] + (a % 2 ? c->parts[1] - 1 - b : b);
    return (set << key.column | column) << key.along | (column % 2 ? places - 1 - along : along);
}

// Returns the largest key of a set, which is the key of its empty places.
CUDA_HOST_DEVICE uint32_t cuda_columns_last(struct cuda_key key, unsigned set) {
    return ((set + 1) << (key.column + key.along)) - 1;
}

#endif
