// SPDX-License-Identifier: MIT
// Finds the level of a map that encloses a fraction of its integral, as in "the surface that contains 90 % of the
// density".
#ifndef TRJ_MAP_ENCLOSING_LEVEL_H
#define TRJ_MAP_ENCLOSING_LEVEL_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "map.h"

// Returns whether the weight of a value in the integral is its square, because the unit is that of an orbital, whose
// square is a density; otherwise it is the absolute value.
bool trj_map_has_square_weights(const struct trj_map *m);

// Sets *level from all values of a map of one component. The points are taken in the order of descending absolute value
// until the sum of their weights is at least `percent` of the sum of all weights; points with equal absolute values are
// taken together. The level is halfway between the smallest absolute value that was taken and the largest one that was
// not, or half of the former if all were taken. The sums have twice the digits of float64, and the memory does not
// depend on the map. Fails with TRJ_BAD_DATA if a value is not finite, if weights are too large for float64, or if all
// values are 0.
int trj_map_enclosing_level(double *level, const struct trj_map *m, const void *values, double percent,
                            struct trj_error *err);

#endif
