// SPDX-License-Identifier: MIT
// A map of a potential in memory.
#ifndef POT_POTENTIAL_MAP_H
#define POT_POTENTIAL_MAP_H

#include <stdint.h>

#include "error.h"
#include "map_format.h"

struct pot_map {
    char *name, *unit; // of the input; of the values, "" if it is unknown
    struct trj_map_lattice lattice;
    uint64_t points;
    double *value;     // [points]
    uint64_t unknown;  // points whose value is NaN
    char **provenance; // of the map, ends with NULL; NULL: none
    struct trj_map_notes notes;
};

// Reads a file with one map in any format; the values of a record of sums are means over its frames. "-" is standard
// input. Fails with TRJ_BAD_DATA if all values are NaN, or if the file contains several maps or vectors. The caller
// frees *m with pot_map_free, also after an error. Errors begin with the name of the input.
int pot_map_read(struct pot_map *m, const char *path, struct trj_error *err);
void pot_map_free(struct pot_map *m); // not m itself

#endif
