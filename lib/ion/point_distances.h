// SPDX-License-Identifier: MIT
// Distances of all points of a lattice from one of them, row by row; along periodic axes, those of the nearest images.
#ifndef POT_POINT_DISTANCES_H
#define POT_POINT_DISTANCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "map_lattice.h"
#include "nearest_image.h"

struct pot_distances {
    struct trj_map_lattice lattice;
    double unit[3], length; // direction of step 0, and its length in Å
    // Differences of indices have these numbers of values: n along periodic axes, where they are taken modulo n,
    // otherwise 2n - 1, where they are shifted by n - 1.
    uint64_t size[3];
    // [size[0]] Å, the component along step 0 of the nearest image, for a difference of the indices along axis 0. If
    // the nearest image depends on all three indices, [size[2]][size[1]][size[0]]: the length of the nearest image.
    double *along;
    bool whole;                // the second case
    struct trj_lattice images; // of the cell of the lattice, in the second case
};

// The points i of a row with from <= i < from + count: their squared distance from the point is (along[i - from] +
// shift)^2 + across2, in Å^2.
struct pot_run {
    uint64_t from, count;
    const double *along;
    double shift, across2;
};

// Prepares the distances on a lattice. The memory is that of 2 rows or, for periodic lattices that are not rectangular,
// 8 bytes for each point, twice as much for each axis that is not periodic. The caller frees *d with
// pot_distances_free, also after an error.
int pot_distances_make(struct pot_distances *d, const struct trj_map_lattice *lattice, struct trj_error *err);
// As pot_distances_make, but leaves `along` NULL, and allocates nothing: for engines that tabulate it elsewhere.
int pot_distances_set(struct pot_distances *d, const struct trj_map_lattice *lattice, struct trj_error *err);
void pot_distances_free(struct pot_distances *d);

// Sets the distances of row j, k from the point with these indices. Returns the number of runs, 1 or 2, which cover
// the row in ascending order. Callable from any thread.
int pot_distances_row(const struct pot_distances *d, const uint64_t point[3], uint64_t j, uint64_t k,
                      struct pot_run runs[2]);

#endif
