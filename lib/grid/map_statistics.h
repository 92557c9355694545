// SPDX-License-Identifier: MIT
// Computes the smallest and largest value, mean, standard deviation and integral of a map.
//
// Sums are exact (map_statistics.c), so that the results depend neither on the sizes of slabs nor on the order of the
// values, and are correct to the last digits even if the mean is large compared with the standard deviation.
#ifndef TRJ_MAP_STATISTICS_H
#define TRJ_MAP_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "map.h"

struct trj_map_statistics;

struct trj_map_summary {
    uint64_t values;         // finite values
    uint64_t not_finite;     // NaN and infinite values, which have no effect on the other members
    double min, max;         // NaN if there is no finite value
    uint64_t min_at, max_at; // numbers of the first of these values, counted from 0 in the order of addition
    double mean;             // NaN if there is no finite value
    double sigma;            // standard deviation, with the divisor `values`; NaN also if a square would overflow
    double sum, integral;    // integral: sum times the volume of a voxel, in A^3 or bohr^3
                             // (trj_map_unit_length), or the sum if values are totals
};

// Returns NULL after an error. One object takes the values of one component, or of all components together. The map
// must stay valid.
struct trj_map_statistics *trj_map_statistics_open(const struct trj_map *m, struct trj_error *err);
// Adds n values of the kind of the map.
void trj_map_statistics_add(struct trj_map_statistics *s, const void *values, size_t n);
// Returns the statistics of all values so far.
struct trj_map_summary trj_map_statistics_summary(const struct trj_map_statistics *s);
void trj_map_statistics_close(struct trj_map_statistics *s); // NULL is allowed

#endif
