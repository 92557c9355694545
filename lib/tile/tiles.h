// SPDX-License-Identifier: MIT
// Atoms of a group in space-filling-curve order, cut into tiles that know their bounding boxes.
//
// Atoms are wrapped into the cell along periodic directions first; the lattice vector that this took is kept, so that the position
// the file holds can be had back. Within a tile, positions are float32 relative to the tile's centre: small numbers, small errors.
#ifndef TILE_TILES_H
#define TILE_TILES_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"

enum {
    TILE_WIDTH = 64, // atoms of a full tile; only the last one may hold fewer
    TILE_PATCH = 16, // consecutive ones of a tile that have a box of their own
    TILE_PATCHES = TILE_WIDTH / TILE_PATCH
};

// Box of what is local; low = INFINITY and high = -INFINITY where there are no atoms.
struct tile_patch {
    float low[3], high[3];
};

struct tile_set {
    size_t atoms, tiles, room; // room: atoms there is memory for
    uint32_t *atom;     // [atoms] which atom of the frame lies in this slot; slots of tile t begin at t * TILE_WIDTH
    int32_t (*wrap)[3]; // [atoms] lattice vector added: wrapped position = x + wrap . H
    double (*at)[3];    // [atoms] wrapped position, Å, float64
    float *local
        [3]; // [tiles * TILE_WIDTH] (wrapped position - centre) * scale, rounded once from float64; 0 behind the last atom
    struct tile_patch *patch;        // [tiles * TILE_PATCHES]
    double (*centre)[3], (*half)[3]; // [tiles] box: |at - centre| <= half by component
    double *radius;                  // [tiles] |at - centre| <= radius
    uint64_t *keys;                  // [2 room] for sorting
};

// Fills the set (zeroed, or used before: its memory is kept) with the atoms listed, at their positions in the frame. `scale`: of what is
// local, in whatever unit suits the caller's arithmetic.
int tile_set_build(struct tile_set *s, const struct trj_frame *f, const uint32_t *atoms, size_t count, double scale,
                   struct trj_error *err);
// The box of the n <= TILE_PATCH first of these.
struct tile_patch tile_patch_box(const float *const local[3], size_t n);

void tile_set_free(struct tile_set *s);

// Atoms in tile t.
static inline size_t tile_count(const struct tile_set *s, size_t t) {
    size_t left = s->atoms - t * TILE_WIDTH;
    return left < TILE_WIDTH ? left : TILE_WIDTH;
}

#endif
