// SPDX-License-Identifier: MIT
// Hosts and the network that connects them: tori and meshes of any dimension with holes, trees of switches,
// dragonflies.
//
// A lattice (NET_LATTICE) has coordinates of hosts; several hosts may have the same ones. The distance is the number of
// links of a shortest path: the sum over dimensions of the shorter way around. Positions without a host have routers
// all the same. In a tree (NET_TREE), the coordinates of a host are the switches above it, from the root down, and then
// the host; the distance is the number of links through the lowest common switch. In a dragonfly (NET_DRAGONFLY), they
// are group, router and host; all routers of a group, and all groups, are connected directly: 2 links between hosts of
// one router, 3 within a group, 5 between groups, which is the longest of the minimal routes.
#ifndef NET_TOPOLOGY_H
#define NET_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "text_index.h"

// With the largest coordinates in all dimensions, distances are less than 2^32.
enum {
    NET_DIMENSIONS_MAX = 16,                  // of coordinates
    NET_LEVELS_MAX = 32,                      // of switches
    NET_COORDINATES_MAX = NET_LEVELS_MAX + 1, // of a host of any network
    NET_HOSTS_MAX = 1 << 22,                  // hosts of a network
    NET_RANKS_MAX = 1 << 24,                  // ranks on them
    NET_COORDINATE_MAX = 1 << 26, // largest absolute value of a coordinate, and largest length of a dimension
    NET_NO_WRAP = 0x7fffffff,     // length of a dimension that does not wrap
    NET_NONE = -1,                // coordinate of a host of a tree: no switch at this level
    NET_NAME_MAX = 255,           // characters of a name
};

enum net_kind { NET_LATTICE, NET_TREE, NET_DRAGONFLY };

struct net_topology {
    enum net_kind kind;
    struct trj_texts names;              // of the hosts; names.count is their number
    struct trj_text_index index;         // of the names; refers to `names`: the struct must not be moved
    struct trj_texts switches;           // of a tree or dragonfly; empty: they have no names
    unsigned dimensions;                 // coordinates of a host
    int32_t *at;                         // [hosts][dimensions]
    int32_t length[NET_DIMENSIONS_MAX];  // of a lattice: positions of a dimension, or NET_NO_WRAP
    char *dimension[NET_DIMENSIONS_MAX]; // names; NULL: none
    size_t capacity;                     // of `at`, in coordinates
};

// The hosts among which work is divided, or their ranks: a point for each, in the order of the input. `at`
// refers to coordinates as in the topology.
struct net_points {
    enum net_kind kind;
    unsigned dimensions;
    int32_t length[NET_DIMENSIONS_MAX];
    int32_t *at; // [count][dimensions]
    size_t count;
};

void net_topology_start(struct net_topology *t); // an empty topology; net_topology_free frees it
void net_topology_free(struct net_topology *t);

// Adds a host with coordinates [dimensions]. Returns 0; 1 if the topology contains a host with this name; -1 after an
// error: TRJ_FAILED without memory, TRJ_BAD_DATA for more than NET_HOSTS_MAX hosts.
int net_topology_add(struct net_topology *t, const char *name, const int32_t *at, struct trj_error *err);

// Sets *p to one point for each entry of host [count], numbers of hosts of the topology. net_points_free frees it.
int net_points_make(struct net_points *p, const struct net_topology *t, const uint32_t *host, size_t count,
                    struct trj_error *err);
void net_points_free(struct net_points *p);

// Returns the number of links between two points.
uint32_t net_distance_at(const struct net_points *p, const int32_t *a, const int32_t *b);
static inline uint32_t net_distance(const struct net_points *p, size_t a, size_t b) {
    return net_distance_at(p, p->at + a * p->dimensions, p->at + b * p->dimensions);
}

// Returns the distance in a lattice, in which a dimension that does not wrap has the length NET_NO_WRAP.
static inline uint32_t net_lattice_distance(unsigned dimensions, const int32_t *length, const int32_t *a,
                                            const int32_t *b) {
    uint32_t sum = 0;
    for (unsigned k = 0; k < dimensions; k++) {
        const int32_t d = a[k] < b[k] ? b[k] - a[k] : a[k] - b[k], around = length[k] - d;
        sum += (uint32_t)(d < around ? d : around);
    }
    return sum;
}

// Moves the origin of each dimension of a lattice behind the largest gap between occupied positions, so that
// coordinates begin with 0 and are not divided by the border. The first of equal gaps is taken. In dimensions that do
// not wrap, coordinates begin with 0. J. C. Phillips et al., SC14, 81 (2014), section III.
int net_points_shift(struct net_points *p, struct trj_error *err);

#endif
