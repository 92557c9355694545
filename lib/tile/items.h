// SPDX-License-Identifier: MIT
// The plan: which tiles must meet, through which lattice image. Everything about periodicity is settled here; who works an item off
// sees two tiles and one constant shift. What it costs to find a row's items grows with their number, and the logarithm of that of the tiles.
#ifndef TILE_ITEMS_H
#define TILE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "boxes.h"

struct tile_plan {
    const struct tile_boxes *a, *b; // rows, columns; the same set: a group with itself
    struct trj_cell cell;
    double spread[3]; // fractional coordinates of a point of a and a point of b differ by at most this
    double reach;     // Å: pairs closer than this are wanted; holds what rounding of the coordinates may lose
};

// Pairs of (atom of tile `row` of a, atom of tile `column` of b), the latter moved by the lattice vector `image` . H.
// In a group with itself column >= row, and where they are equal only pairs of slots i < j are meant.
struct tile_item {
    size_t row, column;
    int image[3];
    double shift[3]; // image . H, Å
};

// Walks over the items of one row: start, then next until it is false. Items come by ascending column.
struct tile_walk {
    const struct tile_plan *plan;
    struct tile_item item;
    double middle[3], range[3]; // of the row's box; what boxes must be near by, but for their own extent
    double centre[3], half[3];  // of it, Å
    unsigned level;
    size_t group[TILE_LEVELS];     // first of the TILE_FAN boxes that are looked at
    unsigned pending[TILE_LEVELS]; // of them, those within reach that are still to come, a bit each
    unsigned many;                 // of those of the lowest level, which may be within reach through several images
    double nearest[3][TILE_FAN];   // of them: the image that comes nearest
    int low[3], high[3];           // images of the column
};

void tile_plan_make(struct tile_plan *p, const struct tile_boxes *a, const struct tile_boxes *b,
                    const struct trj_cell *cell, double reach);
void tile_walk_start(struct tile_walk *w, const struct tile_plan *p, size_t row);
bool tile_walk_next(struct tile_walk *w);

#endif
