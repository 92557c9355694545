// SPDX-License-Identifier: MIT
// Divides hosts, or ranks on hosts, into parts of equal size that are compact in the network.
//
// The aim is a small diameter: the largest distance between two points of one part. Traffic between parts is ignored.
// All functions are deterministic; equal inputs give equal parts on every machine.
#ifndef NET_PARTS_H
#define NET_PARTS_H

#include "net_order.h"

struct net_parts {
    size_t parts;
    size_t *start;   // [parts + 1] part i is order[start[i]] .. order[start[i + 1] - 1]
    uint32_t *order; // [points] each point once
    size_t points;
};

enum net_method { NET_BEST, NET_BISECT, NET_HILBERT, NET_GIVEN, NET_KMEANS, NET_PACK, NET_WHOLE };

// Allocates for all points in the given order, divided into `parts` parts, 1 <= parts <= points: part i begins at
// points * i / parts. net_parts_free frees it.
int net_parts_start(struct net_parts *d, const struct net_points *p, size_t parts, struct trj_error *err);
void net_parts_free(struct net_parts *d);

// Recursive bisection: sorts the points as a snake, dimensions by extent, and gives the first half of the parts, and
// the points in proportion, to the one side. `d` contains the points of `p` in any order; its `start` is used.
// J. C. Phillips et al., SC14, 81 (2014), section III. Points of a lattice must be shifted (net_points_shift).
int net_parts_bisect(struct net_parts *d, const struct net_points *p, struct trj_error *err);

// Fills the parts of a tree or dragonfly from below: at each switch, as many parts as possible are made of the hosts
// that its branches leave over, so that for parts of equal size each switch contains as many whole parts as possible.
int net_parts_pack(struct net_parts *d, const struct net_points *p, struct trj_error *err);

// Improves parts of a lattice: balanced k-means. Pairs of parts exchange points until each of their points is nearer,
// by the distance to the power `power`, to the centre of its own part; the sizes stay. `work`: number of evaluated
// distances after which it ends; what is left is stored.
int net_parts_exchange(struct net_parts *d, const struct net_points *p, unsigned squarings, uint64_t *work,
                       struct trj_error *err);

// Improves parts by swaps of two points that reduce the sum over all pairs of points of a part of a power of their
// distance, which the largest distances dominate.
int net_parts_swap(struct net_parts *d, const struct net_points *p, unsigned squarings, uint64_t *work,
                   struct trj_error *err);

// Returns the sum of the distances of all pairs of points of a part of a lattice, whose dimensions are independent of
// each other, so that the time depends on the number of different positions. -1: no memory.
double net_part_distances(const struct net_points *p, const uint32_t *list, size_t count, struct trj_error *err);

// Divides by a method. NET_BEST compares all, improves the better ones, and takes the one with the smallest mean of the
// squared diameters. The points have their own coordinates; they are shifted (net_points_shift) by all methods but
// NET_HILBERT. With `hops`, for lattices, NET_BEST compares and reduces the sum of all distances in parts instead.
// *taken: the method that NET_BEST began with. NET_KMEANS is for lattices, NET_PACK for trees. NET_WHOLE is
// NET_BEST without improvements, so that points with the same coordinates stay together.
int net_parts_divide(struct net_parts *d, struct net_points *p, size_t parts, enum net_method method, bool hops,
                     enum net_method *taken, struct trj_error *err);

struct net_diameters {
    double mean;
    uint32_t max;
};
// Returns the diameter of a part, exactly.
uint32_t net_part_diameter(const struct net_points *p, const uint32_t *list, size_t count);
struct net_diameters net_parts_diameters(const struct net_parts *d, const struct net_points *p);

#endif
