// SPDX-License-Identifier: MIT
// Host interface of the kernels that list and count neighbours (lib/neighbour/neighbour_engine.h). All pointers are to
// device memory.
#ifndef CUDA_NEIGHBOUR_KERNELS_H
#define CUDA_NEIGHBOUR_KERNELS_H

#include "count.h"

#ifdef __cplusplus
extern "C" {
#endif

// A neighbour, with the vector from its centre, Å.
typedef struct cuda_neighbour {
    double d[3];
    uint32_t atom;
} cuda_neighbour;

// The lists of some atoms. A list contains the first `capacity` neighbours that were found; `count` includes all
// others.
typedef struct cuda_neighbour_lists {
    int *count; // [lists]; -1: the atom of the list is not in the group in this frame
    // One of the two is set:
    uint32_t *atoms;         // [lists][capacity]
    cuda_neighbour *vectors; // [lists][capacity]
    unsigned capacity;
} cuda_neighbour_lists;

// Lists the neighbours of the tiles [first, end) of a set of centres, counted from the first tile of the set.
typedef struct cuda_list_args {
    cuda_count_args search;   // plan, rmin, rmax; of the others, cuda_list_neighbours sets those that it needs
    unsigned centres, others; // sets
    unsigned first, end;      // tiles of centres
    unsigned segments;        // of the columns: units of work in a row of tiles
    // The list of a centre: its place in the group group[group_count], ascending; if NULL, its place after the first
    // tile.
    const uint32_t *group;
    unsigned group_count;
    unsigned *list;             // [places of the tiles] becomes the number of the list of each centre
    cuda_neighbour_lists lists; // their number of atoms is that of the group, or of the places of the tiles
    unsigned *longest;          // becomes the largest number of neighbours of a list, if that exceeds lists.capacity
} cuda_list_args;

// Empties all `count` lists, and lists the neighbours.
int cuda_list_neighbours(const cuda_list_args *args, size_t count, cudaStream_t stream, struct trj_error *err);

typedef struct cuda_event {
    uint32_t i, j;
    unsigned enters;
} cuda_event;

typedef struct cuda_exchange_args {
    const unsigned *longest;          // of cuda_list_args of `now`; if it exceeds the capacity, nothing is counted
    cuda_neighbour_lists now, before; // of `atoms`, by place in the group; before.count NULL: not compared
    const uint32_t *group;
    unsigned group_count;
    int unordered;                   // each pair of atoms counts once
    unsigned long long classes;      // of numbers of neighbours
    unsigned long long *row;         // [rdf_neighbour_row], added to
    cuda_event *events;              // [event_capacity]
    unsigned long long *event_count; // becomes the number of events, which may exceed event_capacity
    unsigned long long event_capacity;
} cuda_exchange_args;

// Adds the numbers of neighbours and their exchange to args->row.
int cuda_count_neighbours(const cuda_exchange_args *args, cudaStream_t stream, struct trj_error *err);
// Writes the events of the exchange; *event_count must be 0.
int cuda_list_events(const cuda_exchange_args *args, cudaStream_t stream, struct trj_error *err);

typedef struct cuda_triplet_args {
    cuda_neighbour_lists arm[2]; // of `vectors`; without `unordered`, arm[1] is the second arm
    unsigned centres;            // lists
    int unordered;
    unsigned angles, distances;
    double low, high;           // Å: range of the bins of the distance
    const double *q;            // [angles + 1], of rdf_triplet_edges
    const double *squares;      // [distances + 1]
    unsigned long long *counts; // [angles][distances], added to
} cuda_triplet_args;

int cuda_count_triplets(const cuda_triplet_args *args, cudaStream_t stream, struct trj_error *err);

#ifdef __cplusplus
}
#endif
#endif
