// SPDX-License-Identifier: MIT
// A map: values of a quantity at the points of a lattice. The struct below describes a map; its values are passed
// between functions in slabs of consecutive planes (map_lattice.h), as arrays of the type that `kind` gives. The
// components of a point are adjacent.
#ifndef TRJ_MAP_H
#define TRJ_MAP_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "map_lattice.h"

enum trj_map_kind {
    TRJ_MAP_FLOAT32, // float
    TRJ_MAP_FLOAT64, // double
    TRJ_MAP_QUANTA,  // int64_t: the value is this number times the quantum. Sums are exact
    TRJ_MAP_COUNTS,  // uint64_t
    TRJ_MAP_KINDS,
};

enum trj_map_meaning {
    TRJ_MAP_SAMPLES, // the value at the point
    TRJ_MAP_MEANS,   // the mean over the voxel, whose centre is the point
    TRJ_MAP_TOTALS,  // the integral over the voxel, such as a number of atoms
    TRJ_MAP_MEANINGS,
};

struct trj_map {
    struct trj_map_lattice lattice;
    char *quantity, *unit; // such as "number density", "A^-3"; "" or NULL: unknown
    enum trj_map_kind kind;
    enum trj_map_meaning meaning;
    uint32_t components; // values of a point: 1, or 3 for a vector
    double quantum;      // a power of two; only if kind is TRJ_MAP_QUANTA, otherwise 0
    double error_bound;  // largest absolute error of a value (sums: after division by the weight); 0: exact or unknown
};

enum {
    TRJ_MAP_COMPONENTS_MAX = 1 << 10,
    TRJ_MAP_TEXT_MAX = 200,      // characters of the quantity, and of the unit
    TRJ_MAP_SLAB = 1 << 20,      // bytes of a slab, unless one plane has more
    TRJ_MAP_PLANE_MAX = 1 << 28, // bytes of a plane: limits the memory that a damaged file can request
};

// Fails with TRJ_BAD_DATA if the lattice or another member is invalid, or if a plane exceeds TRJ_MAP_PLANE_MAX. All
// other functions require a map that has passed this check.
int trj_map_check(const struct trj_map *m, struct trj_error *err);

size_t trj_map_value_size(enum trj_map_kind kind);      // bytes
size_t trj_map_point_size(const struct trj_map *m);     // bytes of all components
size_t trj_map_plane_size(const struct trj_map *m);     // bytes
uint64_t trj_map_plane_values(const struct trj_map *m); // values of a plane
// Returns the number of planes in a slab of about TRJ_MAP_SLAB bytes; at least 1, and at most all.
uint64_t trj_map_slab_planes(const struct trj_map *m);

// Converts n values to float64. Integers are rounded to nearest if they exceed 2^53. `to` may not overlap `values`.
void trj_map_to_real(const struct trj_map *m, const void *values, size_t n, double *to);

// Returns the error bound that holds for maps with both bounds: the larger one, or 0 (unknown) if either is 0.
double trj_map_common_bound(double a, double b);

// Copies the description of a map. The caller frees the copy with trj_map_free; its quantity and unit are not NULL.
int trj_map_copy(struct trj_map *to, const struct trj_map *from, struct trj_error *err);
void trj_map_free(struct trj_map *m); // frees the texts, not the struct

// Fails with TRJ_BAD_DATA unless the values of both maps can be added, that is, unless all members but the error bound
// are equal. The message gives the first difference.
int trj_map_check_same(const struct trj_map *a, const struct trj_map *b, struct trj_error *err);

#endif
