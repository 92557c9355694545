// SPDX-License-Identifier: MIT
// A set of bounding boxes of points in a cell, with larger boxes above them, in which the planner searches (items.h). A
// box may contain the atoms of a tile, or a block of points of a lattice: the planner does not use the points.
//
// A caller makes a set in three steps: tile_boxes_reserve, tile_boxes_set for each box, which threads may share, and
// tile_boxes_finish.
#ifndef TILE_BOXES_H
#define TILE_BOXES_H

#include <stdbool.h>
#include <stddef.h>

#include "cell.h"
#include "error.h"

enum {
    TILE_NODE = 8,    // boxes below a box of the next level
    TILE_LEVELS = 10, // sufficient for 2^32 atoms in tiles of 64
};

// Three axes g_k that span space. Along periodic directions they are the reciprocal vectors of the cell, so that g_k .
// x is a fractional coordinate; the others are unit vectors perpendicular to all periodic ones.
struct tile_axes {
    double g[3][3];
    double length[3]; // |g_k|
    double h[3][3];   // the cell
    bool periodic[3];
    // The brick, a unit cell with right angles: edge k is the part of h_k perpendicular to the periodic vectors before
    // it, and f_k . edge_k = 1. Zero along directions that are not periodic.
    double edge[3][3], f[3][3];
};

static inline double tile_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

void tile_axes_make(struct tile_axes *a, const struct trj_cell *cell);

// TILE_NODE consecutive boxes: |x - centre| <= half by component, Å, and along the axes |g_k . (x - centre)| <=
// extent[k], middle[k] = g_k . centre. All are INFINITY after the last box.
struct tile_node {
    double centre[3][TILE_NODE], half[3][TILE_NODE], middle[3][TILE_NODE], extent[3][TILE_NODE];
};

struct tile_boxes {
    struct tile_axes axes;
    double low[3], high[3]; // bounds of g_k . x of all points
    // Level 0 contains the boxes of the set; a node of one level becomes one box of the next.
    unsigned levels;
    size_t count[TILE_LEVELS]; // of boxes
    struct tile_node *nodes[TILE_LEVELS];
    size_t capacity; // boxes for which there is memory
};

// Makes the capacity `count` boxes. All bytes of *b are zero, or it was used before; its memory is then used again.
// After a failure it has no memory. The caller sets b->axes.
int tile_boxes_reserve(struct tile_boxes *b, size_t count, struct trj_error *err);
// Sets box i: the points x with |x - centre| <= half by component, Å. b->axes must be set.
void tile_boxes_set(struct tile_boxes *b, size_t i, const double centre[3], const double half[3]);
// Makes the higher levels, and low and high from the boxes.
void tile_boxes_finish(struct tile_boxes *b);
void tile_boxes_free(struct tile_boxes *b);

// Returns the number of bytes that `count` boxes take.
size_t tile_boxes_bytes(size_t count);

#endif
