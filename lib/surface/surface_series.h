// SPDX-License-Identifier: MIT
// Computes the surfaces of all maps of a file, several of them in parallel, and returns them in the order of the maps.
#ifndef SURF_SURFACE_SERIES_H
#define SURF_SURFACE_SERIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "map_format.h"
#include "surface_map.h"

// The surfaces of a map.
struct surf_series_result {
    struct surf_mesh mesh; // empty without `meshes`
    struct surf_result result[2];
    size_t lines; // number of lines of the provenance up to this map
};

struct surf_series_plan {
    struct trj_map_reader *map, *colours; // no map was read; `colours` may be NULL
    const struct surf_build_options *options;
    bool meshes;
    unsigned threads; // as for trj_pool_size
};

struct surf_series;

// Maps of grid streams are read ahead and kept, two for each thread and at most 256 MiB, if at least two fit. Other
// maps, those of a single thread, and those of engines other than `cpu` are computed one after the other, from a few
// planes at a time where the level permits. The plan is copied; what it points to must outlive the series. Fails as
// trj_pool_open.
int surf_series_open(struct surf_series **s, const struct surf_series_plan *plan, struct trj_error *err);
// Computes the surfaces of the next map. Sets *made, which is valid until the next call, and returns 1; 0 after the
// last map; or -1 after an error, of which the first one in the order of the maps counts. Errors name the input.
int surf_series_next(struct surf_series *s, const struct surf_series_result **made, struct trj_error *err);
void surf_series_close(struct surf_series *s); // NULL is allowed

#endif
