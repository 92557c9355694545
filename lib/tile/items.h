// SPDX-License-Identifier: MIT
// Lists the work items of two sets of boxes: the pairs of a box of one and an image of a box of the other that can
// contain points within reach of each other. Each item has one constant shift, so that code that processes items need
// not consider periodicity. The time to find the items of a row grows with their number and the logarithm of the number
// of boxes.
#ifndef TILE_ITEMS_H
#define TILE_ITEMS_H

#include <stdbool.h>
#include <stddef.h>

#include "boxes.h"

struct tile_plan {
    const struct tile_boxes *a, *b; // rows, columns; the same set for pairs within one group
    struct trj_cell cell;
    double spread[3]; // fractional coordinates of a point of a and a point of b differ by at most this
    double reach;     // Å: largest distance of the pairs that are listed, including the rounding of the coordinates
};

// Pairs of a point in box `row` of a and a point in box `column` of b, the latter moved by the lattice vector `image` .
// H. If a and b are the same set, column >= row; an item with column == row and image 0 contains each pair twice, and
// one with column == row and another image has a counterpart with the opposite image, so only pairs i < j count.
struct tile_item {
    size_t row, column;
    int image[3];
    double shift[3]; // image . H, Å
};

// Iterates over the items of one row: tile_walk_start, then tile_walk_next until it returns false. Columns ascend.
struct tile_walk {
    const struct tile_plan *plan;
    struct tile_item item;
    double middle[3], range[3]; // of the row's box; range: largest distance along an axis, without the other's extent
    double centre[3], half[3];  // of the row's box, Å
    unsigned level;
    size_t first[TILE_LEVELS];     // first box of the node that is searched
    unsigned pending[TILE_LEVELS]; // bit j: box first + j is within reach and not yet searched
    unsigned many;                 // bit j: on level 0, more than one image of the box may be within reach
    double nearest[3][TILE_NODE];  // on level 0: the nearest image of each box
    int low[3], high[3];           // range of the images of the column
};

void tile_plan_make(struct tile_plan *p, const struct tile_boxes *a, const struct tile_boxes *b,
                    const struct trj_cell *cell, double reach);
void tile_walk_start(struct tile_walk *w, const struct tile_plan *p, size_t row);
bool tile_walk_next(struct tile_walk *w);

#endif
