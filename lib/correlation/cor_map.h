// SPDX-License-Identifier: MIT
// A map that densities are compared with: its values as integers, so that sums over its points are exact.
#ifndef COR_MAP_H
#define COR_MAP_H

#include <stdint.h>

#include "error.h"
#include "map_format.h"
#include "map_statistics.h"

// The value of a point is (offset + value) quantum, with a quantum of 2^-31 of the range of the values, or less, so
// that each value differs from that of the file by at most 2^-32 of the range.
struct cor_map {
    char *name, *unit;              // of the input; of the values, "" if it is unknown
    struct trj_map_lattice lattice; // without periodic axes
    struct trj_map_summary summary; // of the values in the file
    uint64_t points;
    uint32_t *value; // [points]
    double offset;   // a whole number
    double quantum;  // a power of two
};

// Reads a file with one map into a zeroed struct. Fails with TRJ_BAD_DATA if values are not finite, if all are equal,
// or if the file contains several maps or vectors. The caller frees *m by cor_map_free, also after a failure. Errors
// begin with the name of the input.
int cor_map_read(struct cor_map *m, const char *path, enum trj_map_origin origin, struct trj_error *err);
void cor_map_free(struct cor_map *m); // not m itself

// Returns the value of a point.
static inline double cor_map_value(const struct cor_map *m, uint64_t point) {
    return (m->offset + (double)m->value[point]) * m->quantum;
}

// Fails with TRJ_BAD_DATA, a difference and a remedy unless both maps have the same points, to a thousandth of a step.
int cor_map_check_same(const struct cor_map *a, const struct cor_map *b, struct trj_error *err);

#endif
