// SPDX-License-Identifier: MIT
// What searches for single atoms in tiles share: distances of points from boxes in float32, by which candidates are
// selected, and exact positions, by which the rule decides about them.
#ifndef RDF_TILE_CANDIDATES_H
#define RDF_TILE_CANDIDATES_H

#include "frame.h"
#include "tiles.h"

// The atoms of a tile: positions in the file, Å, and the lattice vectors that wrap them as the tile's boxes do.
struct rdf_exact_tile {
    double x[3][TILE_WIDTH], wrap[3][TILE_WIDTH];
};

// Finds the exact positions of a tile of a set that was made of this frame. Calls are rare: an inline function would
// only take registers from the loops around it, and a search would have 3 % more instructions.
void rdf_find_exact(struct rdf_exact_tile *e, const struct tile_set *set, const struct trj_frame *f, size_t tile);

// Sets d of the rule, from atom i of tile `from` to atom j of tile `to`, which is moved by image . H. Returns r2.
static inline double rdf_exact_r2(double d[3], const double h[3][3], const struct rdf_exact_tile *from, size_t i,
                                  const struct rdf_exact_tile *to, size_t j, const int image[3]) {
    double n[3];
    for (int k = 0; k < 3; k++) n[k] = to->wrap[k][j] + (image[k] - from->wrap[k][i]);
    for (int k = 0; k < 3; k++)
        d[k] = (to->x[k][j] - from->x[k][i]) + ((n[0] * h[0][k] + n[1] * h[1][k]) + n[2] * h[2][k]);
    return (d[0] * d[0] + d[1] * d[1]) + d[2] * d[2];
}

// fminf() and fmaxf() would be function calls, because they must treat NaN.
static inline float rdf_smaller(float a, float b) {
    return a < b ? a : b;
}
static inline float rdf_larger(float a, float b) {
    return a > b ? a : b;
}

// Returns the box of all patches of a tile.
static inline struct tile_patch rdf_tile_box(const struct tile_set *set, size_t tile) {
    struct tile_patch box = set->patch[tile * TILE_PATCHES];
    for (size_t p = 1; p < TILE_PATCHES; p++)
        for (int k = 0; k < 3; k++) {
            box.low[k] = rdf_smaller(box.low[k], set->patch[tile * TILE_PATCHES + p].low[k]);
            box.high[k] = rdf_larger(box.high[k], set->patch[tile * TILE_PATCHES + p].high[k]);
        }
    return box;
}

// Returns the squared distance of a point from a box.
static inline float rdf_away_from(const struct tile_patch *box, const float centre[3]) {
    float sum = 0;
    for (int k = 0; k < 3; k++) {
        float off = rdf_larger(rdf_larger(box->low[k] - centre[k], centre[k] - box->high[k]), 0);
        sum += off * off;
    }
    return sum;
}

#endif
