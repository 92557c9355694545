// SPDX-License-Identifier: MIT
// Describes the means over frames of a record of sums. The mean of totals over voxels, such as numbers of atoms, is a
// density, in every tool and format: the number of atoms in a voxel depends on the voxel, and is easily mistaken for a
// density.
#ifndef TRJ_MAP_MEANS_H
#define TRJ_MAP_MEANS_H

#include <stdbool.h>

#include "error.h"
#include "map.h"
#include "tool.h"

// The option --totals for the table of a filter. Its value is a bool.
extern const struct trj_option trj_map_totals_option[];

// Sets *means to the description of the float64 values that a map has after its sums have been divided by the weight of
// their frames and multiplied by *factor. `sum`: the values are sums over frames; otherwise they are only converted to
// float64, and *factor is 1. Totals become densities, in the unit of the map times A^-3, and *factor is the inverse of
// the volume of a voxel in A^-3, unless `totals` is set. The caller frees *means with trj_map_free.
int trj_map_means(struct trj_map *means, double *factor, const struct trj_map *map, bool sum, bool totals,
                  struct trj_error *err);

// Returns whether the values of a map are totals over voxels, summed over frames (`sum`): then they become densities,
// and the option --totals has an effect.
bool trj_map_are_summed_totals(const struct trj_map *map, bool sum);
// Fails with TRJ_USAGE, because --totals is given and no map contains such values.
int trj_map_fail_totals(struct trj_error *err);

// Writes a note with quantity and unit if totals have become densities, and otherwise "". `map` is the map as it is in
// the file, `means` that of trj_map_means, and `remedy` states how to get the mean of the totals. Returns `text`.
enum { TRJ_MAP_MEANS_NOTE = 256 + 2 * TRJ_MAP_TEXT_MAX };
const char *trj_map_means_note(char text[TRJ_MAP_MEANS_NOTE], const struct trj_map *means, const struct trj_map *map,
                               const char *remedy);

#endif
