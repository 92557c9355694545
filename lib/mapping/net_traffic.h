// SPDX-License-Identifier: MIT
// Sends the messages of a pattern through a network, and adds up the load of every link.
//
// A job is a grid of n[0] x n[1] x n[2] cells, each on a point; cell (x, y, z) has the number (x * n[1] + y) * n[2] +
// z. Each message has the size 1, or, in a transposition, 1 / (cells of the line).
//   stencil    each cell to its six neighbours; the grid is periodic
//   transpose  along each of the three axes, each cell to all others of its line, as the Fourier transform of pencils
//   allreduce  recursive doubling: in step s, cell i exchanges with cell i xor 2^s; cells above the largest power of 2
//              send to, and receive from, the cell with that power subtracted
// Routes are minimal and fixed. In a lattice, dimensions are travelled in their order, each the shorter way around, and
// upwards if both are equal; positions without a host are passed. In a tree, the route goes up to the lowest common
// switch. In a dragonfly, it takes the direct link between two routers or groups; which routers have the links between
// groups is not known, so that the ways to them within groups are not counted.
#ifndef NET_TRAFFIC_H
#define NET_TRAFFIC_H

#include "net_topology.h"
#include "table_writer.h"

enum net_pattern { NET_STENCIL, NET_TRANSPOSE, NET_ALLREDUCE };

// A directed link. In a lattice, it leaves the position `at` in the direction of a dimension. In a tree, it connects a
// switch, or a host, with the switch above it. In a dragonfly, it is that of a host, or one between two routers or
// groups.
struct net_link {
    uint64_t id; // of the link + 1; 0: free
    double load;
};

struct net_traffic {
    const struct net_points *p;
    int32_t low[NET_DIMENSIONS_MAX]; // of a lattice: first position
    uint64_t size[NET_DIMENSIONS_MAX];
    struct net_link *link;  // [capacity], a power of two
    size_t capacity, links; // links: with a load
    double messages;        // sum of the sizes, also of those within a host
    double hops;            // sum of size times distance
    double cost;            // sum of the fourth power of all loads, which the largest ones dominate
    bool looks;             // net_traffic_send adds nothing, but sets `seen` to the largest load on the way, if larger
    double seen;
};

// Starts without messages. TRJ_BAD_DATA: the lattice has more than 2^56 links.
int net_traffic_start(struct net_traffic *t, const struct net_points *p, struct trj_error *err);
void net_traffic_free(struct net_traffic *t);

// Adds a message from point a to point b; one of negative size takes it away.
int net_traffic_send(struct net_traffic *t, size_t a, size_t b, double size, struct trj_error *err);
// Adds the messages of a pattern among the cells of a job: point[cell].
int net_traffic_add(struct net_traffic *t, enum net_pattern pattern, const uint32_t n[3], const uint32_t *point,
                    struct trj_error *err);

// Returns the largest load, and sets *mean to the mean over all links with a load; both are 0 if there is none.
double net_traffic_largest(const struct net_traffic *t, double *mean);
// Sorts the links by their ids, without gaps; nothing can be added afterwards.
void net_traffic_sort(struct net_traffic *t);
// Sets position [dimensions] in the coordinates of the points, dimension and direction of a link of a lattice.
void net_traffic_position(const struct net_traffic *t, uint64_t id, int32_t *position, unsigned *dimension,
                          bool *upwards);

// Writes a link of a tree or dragonfly as three fields: "host" or "switch" with the name of its lower end and "up" or
// "down"; or "routers" or "groups" with both ends. Switches without a name have a number.
void net_traffic_describe(const struct net_topology *network, uint64_t id, struct trj_table *table);

// Sets n to the three factors of `cells` that are nearest to each other, the largest first.
void net_grid_of(size_t cells, uint32_t n[3]);

#endif
