// SPDX-License-Identifier: MIT
// Computes surfaces of maps that are read from files. The level may be in units of the standard deviation, the values
// may be sums over frames, and a second map may give colours.
#ifndef SURF_SURFACE_MAP_H
#define SURF_SURFACE_MAP_H

#include <stdbool.h>

#include "error.h"
#include "map_format.h"
#include "surface.h"
#include "surface_engine.h"

struct surf_level {
    double value;
    bool sigma; // the level is the mean of the values plus `value` times their standard deviation
};

// Reads "0.5" or "3sigma". Fails with TRJ_USAGE if the text is neither.
int surf_level_parse(struct surf_level *level, const char *text, struct trj_error *err);

struct surf_build_options {
    struct surf_level level;
    bool close;                       // struct surf_setup
    bool only_mesh;                   // struct surf_setup
    const struct surf_engine *engine; // the engine `cpu`, or one whose state is open
    void *state;
};

// Computes the surface of the current map of `r`, with colours from the current map of `colours`, which may be NULL. If
// the values of a map are sums over frames, level and colours are those of the mean. Sets *level to the level that was
// used. A level in units of sigma requires two passes over the map, which is therefore kept in a store (map_store.h),
// as are the maps for engines other than `cpu`. mesh may be NULL. The caller frees summary->components. Errors name the
// input.
int surf_map_build(struct trj_map_reader *r, struct trj_map_reader *colours, const struct surf_build_options *options,
                   struct surf_mesh *mesh, struct surf_summary *summary, double *level, struct trj_error *err);

#endif
