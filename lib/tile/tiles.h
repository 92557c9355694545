// SPDX-License-Identifier: MIT
// Atoms of a group in space-filling-curve order, cut into tiles that know their bounding boxes, and boxes of boxes above them.
//
// Atoms are wrapped along periodic directions first, to within half a brick of a point that their tile has for it: so those that leave the
// cell stay with their tile, and the order can be kept over frames. The brick is the unit cell with right angles: it is as compact as the
// lattice allows where the parallelepiped of the three vectors is all edges, and cuts fewer tiles. Within a tile, positions are float32
// relative to the tile's centre: small numbers, small errors. A set takes 20 bytes an atom, also while it is made.
//
// Making one goes in steps, so that threads can share them: start; unless it says that the order is kept, key for each chunk of atoms, then
// sort; place for each chunk of tiles; close, which may say that the order is to be made after all.
#ifndef TILE_TILES_H
#define TILE_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boxes.h"
#include "error.h"
#include "frame.h"

enum {
    TILE_WIDTH = 64, // atoms of a full tile; only the last one may hold fewer
    TILE_PATCH = 16, // consecutive ones of a tile that have a box of their own
    TILE_PATCHES = TILE_WIDTH / TILE_PATCH,
};

// Box of what is local; low = INFINITY and high = -INFINITY where there are no atoms.
struct tile_patch {
    float low[3], high[3];
};

struct tile_set {
    const uint32_t *list; // the caller's atoms
    size_t atoms, tiles, room;
    double scale;
    uint32_t *atom;  // [atoms] which atom of the frame lies in this slot; slots of tile t begin at t * TILE_WIDTH
    float *local[3]; // [tiles * TILE_WIDTH] (wrapped position - centre) * scale, rounded once; 0 behind the last atom
    struct tile_patch *patch; // [tiles * TILE_PATCHES]
    double *radius;           // [tiles] |wrapped position - centre| <= radius, Å
    double (*around)[3];      // [tiles] f_k . x of a point within the brick: atoms are wrapped to within 1/2 of them
    struct tile_boxes boxes;  // of wrapped positions; a tile's centre is that of its box
    // for the order
    double low[3], grid;     // of the curve's grid: position, cells per Å
    uint64_t *keys, *sorted; // [room] each, in the memory of atom and local
    bool ordered;            // there is one
    double radii;            // sum of the radii when it was made
    unsigned skip, patience; // frames for which keeping it is not tried any more, and how many that were the last time
};

// The set (zeroed, or used before: its memory and order are kept) for the atoms listed, in the frame. The list must outlive the set. `scale`:
// of what is local, in whatever unit suits the caller's arithmetic. *kept: the order of the frame before is taken; step on to place.
int tile_set_start(struct tile_set *s, const struct trj_frame *f, const uint32_t *atoms, size_t count, double scale,
                   bool *kept, struct trj_error *err);
void tile_set_forget_order(struct tile_set *s);   // the list will be another one, though it may stand at the same place
size_t tile_set_chunks(const struct tile_set *s); // of atoms, of tiles: as many
void tile_set_key(struct tile_set *s, const struct trj_frame *f, size_t chunk);
void tile_set_sort(struct tile_set *s);
void tile_set_place(struct tile_set *s, const struct trj_frame *f, size_t chunk);
// False: kept for too long, the tiles have grown; go back to key.
bool tile_set_finish(struct tile_set *s, const struct trj_frame *f);

void tile_set_free(struct tile_set *s);

// Moves n <= TILE_WIDTH atoms from where the file has them to where they are wrapped to, with each its own `around`, if step is 1, or all the
// same, if it is 0: around[k][i * step]. wrap[k][i] becomes the lattice vector's k-th number that was added, and 0 along axes that are not
// periodic. Who asks again gets the same answer: it is one function, and nothing is contracted.
void tile_wrap(const struct tile_axes *a, double at[3][TILE_WIDTH], double wrap[3][TILE_WIDTH],
               const double *const around[3], size_t step, size_t n);
// The box of the n <= TILE_PATCH first of these.
struct tile_patch tile_patch_box(const float *const local[3], size_t n);
// Bytes that a set of so many atoms takes.
size_t tile_set_bytes(size_t count);

static inline double tile_centre(const struct tile_set *s, size_t t, int k) {
    return s->boxes.fans[0][t / TILE_FAN].centre[k][t % TILE_FAN];
}

// Atoms in tile t.
static inline size_t tile_count(const struct tile_set *s, size_t t) {
    size_t left = s->atoms - t * TILE_WIDTH;
    return left < TILE_WIDTH ? left : TILE_WIDTH;
}

#endif
