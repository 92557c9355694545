// SPDX-License-Identifier: MIT
// Orders of points in which neighbours in the list are neighbours in the network.
#ifndef NET_ORDER_H
#define NET_ORDER_H

#include "net_topology.h"

// Memory that the functions share. Zeroed: empty. free(room) frees it.
struct net_sorter {
    uint32_t *room; // [capacity]
    size_t capacity;
};

// Sorts `count` points that are listed in `list` by their coordinates; dimension[0] varies slowest, dimension[n-1]
// fastest. Points with equal coordinates keep their order.
int net_sort(struct net_sorter *s, const struct net_points *p, uint32_t *list, size_t count, const unsigned *dimension,
             unsigned n, struct trj_error *err);

// Does the same, with the direction of a dimension reversed for every second position of the one before it, so that
// consecutive points are close to each other: the snake of Phillips et al.
int net_sort_snake(struct net_sorter *s, const struct net_points *p, uint32_t *list, size_t count,
                   const unsigned *dimension, unsigned n, struct trj_error *err);

// Sets dimension[k] to the dimensions of a lattice by the extent of the points, the largest first. Equal extents keep
// their order. Those of a tree stay in their order, from the root down.
void net_dimensions_by_extent(const struct net_points *p, const uint32_t *list, size_t count, unsigned *dimension);

// Sorts the points along a Hilbert curve in all dimensions. It begins at 0 in those that wrap, in which coordinates
// must not be negative, and at the lowest coordinate in the others. Points of a tree are sorted by their switches.
// J. Skilling, Programming the Hilbert curve, AIP Conf. Proc. 707, 381 (2004).
int net_sort_hilbert(struct net_sorter *s, const struct net_points *p, uint32_t *list, size_t count,
                     struct trj_error *err);

#endif
