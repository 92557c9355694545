// SPDX-License-Identifier: MIT
// Divides the points of a block (pair_blocks.h) into groups of eight neighbours: 2 x 2 x 2 points, or 4 x 2 or 8 points
// if one or two axes have fewer than 4, and 2 x 2 x 2 if all three have. The distances of a distant charge from the
// points of a group differ little, so that all eight contributions follow from the inverse distance at the centre of
// the group (pair_term.h). Groups depend only on the lattice. At the end of an axis, a group may contain positions
// outside the block, whose contributions are not used.
#ifndef POT_PAIR_GROUPS_H
#define POT_PAIR_GROUPS_H

#include "pair_blocks.h"
#include "pair_term.h"

enum {
    POT_GROUP = 8,         // points of a group
    POT_GROUP_ROOM = 224,  // groups of a block, at most 6 x 12 x 3; a multiple of POT_BLOCK_LANES
    POT_NO_POINT = 0xffff, // a position outside the block
};

// The shape of the groups of points of a region. Member i of a group has the index (i >> shift[k]) & (extent[k] - 1)
// along axis k, from the first point of the group.
struct pot_group_shape {
    unsigned extent[3]; // points of a group along each axis: powers of two, whose product is POT_GROUP
    unsigned shift[3];
    float edge[3][3]; // d_j of pair_term.h
    float g[4];       // G_i of pair_term.h, i < 4; G_(7-i) = G_i
    bool aligned;     // each edge[j] is parallel to Cartesian axis j
    double radius;    // rho, half the diagonal of the box around a group, Å
};

// Sets the shape of the groups of a region of a lattice.
void pot_group_shape_set(struct pot_group_shape *g, const struct pot_pair *p, const struct trj_map_lattice *l,
                         const struct pot_region *region);

// The groups of points of a block.
struct pot_block_groups {
    const struct pot_group_shape *shape;
    size_t count;  // of groups
    size_t filled; // a multiple of POT_BLOCK_LANES; entries from `count` on repeat the last centre, and have no points
    float local[3][POT_GROUP_ROOM];            // centres: (float)((at - centre of the block) scale)
    uint16_t point[POT_GROUP_ROOM][POT_GROUP]; // indices in the arrays of the block, or POT_NO_POINT
};

// Sets the groups of a block of a lattice. `shape` is that of its region, and must outlive *g.
void pot_block_groups_set(struct pot_block_groups *g, const struct pot_group_shape *shape, const struct pot_blocks *b,
                          size_t number, const struct pot_block *block);

#endif
