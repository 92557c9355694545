// SPDX-License-Identifier: MIT
// The table of marching cubes: which triangles a cell has, for each of the 256 sets of corners that are inside.
//
// The table is made from one rule for faces: the surface separates each run of adjacent inside corners of a face from
// its outside corners. Two diagonally opposite inside corners are thus separated. The rule depends only on the corners
// of the face, so that two cells agree about the face that they share: each segment on it belongs to both cells, with
// opposite directions. The segments of a cell form loops, and each loop is divided into triangles by diagonals, none of
// which lies in a face. A diagonal therefore belongs to two triangles of one cell, and to no other cell. It follows
// that each edge of the mesh belongs to exactly two triangles, with opposite directions, whatever the values are.
//
// A corner has the number x + 2 y + 4 z. Edge e is parallel to axis e / 4; it starts at surf_edge_corner[e].
#ifndef SURF_SURFACE_TABLE_H
#define SURF_SURFACE_TABLE_H

#include <stdint.h>

enum { SURF_CASES = 256, SURF_EDGES = 12, SURF_TRIANGLES_MAX = 5 };

extern const uint8_t surf_edge_corner[SURF_EDGES];

// Case: the sum of 2^corner over the inside corners. In a right-handed lattice, the three edges of a triangle are
// counter-clockwise if seen from outside.
struct surf_table {
    uint8_t count[SURF_CASES]; // triangles
    uint8_t edge[SURF_CASES][SURF_TRIANGLES_MAX][3];
};

void surf_table_make(struct surf_table *t);

#endif
