// SPDX-License-Identifier: MIT
// Reads and writes the lattice and the meaning of the values of an .npy file, which are in a JSON file in the same
// folder:
//
//     {"shape": [4, 5, 6], "origin": [0, 0, 0], "steps": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "periodic": [1, 1, 1],
//      "components": 1, "quantity": "density", "unit": "A^-3", "values": "means", "quantum": 0, "error_bound": 0}
//
// Lengths are in Å. The origin is the position of the first point. Only origin and steps are required.
#ifndef TRJ_MAP_GEOMETRY_H
#define TRJ_MAP_GEOMETRY_H

#include "error.h"
#include "map.h"
#include "output.h"

// Returns the name of the JSON file for an .npy file: NAME.json for NAME.npy. The caller frees it. NULL after an error.
char *trj_map_geometry_path(const char *npy, struct trj_error *err);

// Reads a file and sets the members of a zeroed map, except for `kind`. n is 0, 0, 0 if the file gives no shape, and
// components is 0 if it gives none. The caller frees the map, also after an error. Errors name the file.
int trj_map_geometry_read(struct trj_map *m, const char *path, struct trj_error *err);

// Writes the file of a map, which appears together with the output `map` (trj_output_join).
int trj_map_geometry_write(const struct trj_map *m, const char *path, struct trj_output *map, struct trj_error *err);

#endif
