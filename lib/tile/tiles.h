// SPDX-License-Identifier: MIT
// Sorts the atoms of a group along a space-filling curve and cuts them into tiles, each with a bounding box (boxes.h).
// The place of an atom is its index in this order.
//
// Atoms are first wrapped along periodic directions, to within half a brick (struct tile_axes) of a point that belongs
// to their tile. An atom that leaves the cell therefore stays with its tile, and the order can be kept over frames. The
// brick is used because it is as compact as the lattice allows even if the parallelepiped of the three vectors is
// elongated. Within a tile, positions are float32 relative to the tile's centre, because small numbers have small
// rounding errors. A set takes 20 bytes for each atom, also while it is made.
//
// A set is made in steps, which threads can share: tile_set_start; unless it keeps the order, tile_set_key for each
// chunk of atoms and tile_set_sort; tile_set_place for each chunk of tiles; tile_set_finish, which may require a new
// order.
#ifndef TILE_TILES_H
#define TILE_TILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "boxes.h"
#include "error.h"
#include "frame.h"

enum {
    TILE_WIDTH = 64, // atoms of a tile; only the last tile may contain fewer
    TILE_PATCH = 16, // consecutive atoms of a tile that have a box of their own
    TILE_PATCHES = TILE_WIDTH / TILE_PATCH,
};

// Bounding box of local positions; low = INFINITY and high = -INFINITY without atoms.
struct tile_patch {
    float low[3], high[3];
};

struct tile_set {
    const uint32_t *list; // the caller's atoms
    size_t atoms, tiles, capacity;
    double scale;
    uint32_t *atom;  // [atoms] the atom of the frame at each place; the places of tile t begin at t * TILE_WIDTH
    float *local[3]; // [tiles * TILE_WIDTH] (wrapped position - centre) * scale, rounded once; 0 after the last atom
    struct tile_patch *patch; // [tiles * TILE_PATCHES]
    double *radius;           // [tiles] |wrapped position - centre| <= radius, Å
    double (*around)[3];      // [tiles] f_k . x of a point within the brick: atoms are wrapped to within 1/2 of them
    struct tile_boxes boxes;  // of the tiles, around wrapped positions; the centre of a tile is that of its box
    // The order:
    double low[3], grid;     // of the grid of the curve: lowest corner, grid cells per Å
    uint64_t *keys, *sorted; // [capacity] each, in the memory of atom and local
    bool ordered;            // there is an order
    double radii;            // sum of the radii when the order was made
    unsigned skip;           // frames for which the order will not be kept
    unsigned patience;       // `skip` when the order was rejected last
};

// Starts the set of the listed atoms in a frame. All bytes of *s are zero, or it was used before; its memory and order
// are then used again. The list must outlive the set. `scale` is the factor of local positions. If *kept becomes true,
// the order of the previous frame is used, and tile_set_place is next.
int tile_set_start(struct tile_set *s, const struct trj_frame *f, const uint32_t *atoms, size_t count, double scale,
                   bool *kept, struct trj_error *err);
void tile_set_forget_order(struct tile_set *s);   // required if the content of the list changes, not its address
size_t tile_set_chunks(const struct tile_set *s); // number of chunks of atoms, and of tiles
void tile_set_key(struct tile_set *s, const struct trj_frame *f, size_t chunk);
void tile_set_sort(struct tile_set *s);
void tile_set_place(struct tile_set *s, const struct trj_frame *f, size_t chunk);
// Returns false if the order was kept for too long, so that the tiles have grown: continue with tile_set_key.
bool tile_set_finish(struct tile_set *s, const struct trj_frame *f);

void tile_set_free(struct tile_set *s);

// Wraps n <= TILE_WIDTH atoms from their positions in the file to within half a brick of around[k][i * step]: one point
// for each if step is 1, one for all if step is 0. Sets wrap[k][i] to the component of the lattice vector that was
// added, 0 along axes that are not periodic. The result depends only on the arguments, because nothing is contracted.
void tile_wrap(const struct tile_axes *a, double x[3][TILE_WIDTH], double wrap[3][TILE_WIDTH],
               const double *const around[3], size_t step, size_t n);
// Returns the box of the first n <= TILE_PATCH positions.
struct tile_patch tile_patch_box(const float *const local[3], size_t n);
// Returns the number of bytes that a set of `count` atoms takes.
size_t tile_set_bytes(size_t count);

static inline double tile_centre(const struct tile_set *s, size_t t, int k) {
    return s->boxes.nodes[0][t / TILE_NODE].centre[k][t % TILE_NODE];
}

// Returns the number of atoms in tile t.
static inline size_t tile_count(const struct tile_set *s, size_t t) {
    size_t left = s->atoms - t * TILE_WIDTH;
    return left < TILE_WIDTH ? left : TILE_WIDTH;
}

#endif
