// SPDX-License-Identifier: MIT
// Divides one map among the ranks of MPI: every rank gets all frames, and computes the values of its slab alone, so
// that the memory for the map is divided by the number of ranks. Rank 0 writes the map, and receives one plane at a
// time.
#ifndef ANA_MAP_RANKS_H
#define ANA_MAP_RANKS_H

#include "map_slabs.h"
#include "mpi_run.h"
#include "tool.h"

struct ana_ranks_options {
    struct trj_mpi_options mpi;
    const char *divide; // "frames" or "map"; NULL: frames
};
extern const struct trj_option ana_ranks_option_table[];

// Returns whether the options divide the map.
bool ana_ranks_divide_map(const struct ana_ranks_options *o);

// The division of a map.
struct ana_map_ranks {
    struct trj_map_slabs slabs;
    uint64_t layer, count; // planes of a layer; layers
};

// Divides a lattice into slabs of whole layers. The numbers of layers of any two slabs differ by at most 1. A layer
// has `layer` planes; the last of `count` layers has the rest. Fails with TRJ_USAGE if there are fewer layers than
// ranks. *r must outlive the use of r->slabs.
int ana_map_ranks_divide(struct ana_map_ranks *r, const struct trj_map_lattice *l, uint64_t layer, uint64_t count,
                         struct trj_error *err);
// Returns the slab of one of `size` ranks; needs no MPI.
struct trj_map_slab ana_map_ranks_slab(uint64_t planes, uint64_t layer, uint64_t count, unsigned rank, unsigned size);
// Returns the rank that has a plane.
unsigned ana_map_ranks_rank_of_plane(uint64_t plane, uint64_t layer, uint64_t count, unsigned size);

#endif
