// SPDX-License-Identifier: MIT
// Computes surfaces of maps that are read from files. The level may be in units of the standard deviation, or enclose a
// fraction of the integral; there may be two levels, of either sign; the values may be sums over frames, and a second
// map may give colours.
#ifndef SURF_SURFACE_MAP_H
#define SURF_SURFACE_MAP_H

#include <stdbool.h>

#include "error.h"
#include "map_format.h"
#include "surface.h"
#include "surface_engine.h"

enum surf_level_kind {
    SURF_LEVEL_VALUE,   // the level is `value`
    SURF_LEVEL_SIGMA,   // the mean of the values plus `value` times their standard deviation
    SURF_LEVEL_PERCENT, // encloses `value` percent of the integral (map_enclosing_level.h)
};

struct surf_level {
    enum surf_level_kind kind;
    double value;
    bool both; // and a second surface, around the values below the negative level, or below the mean minus as much
};

// Reads "0.5", "3sigma", "90%", or one of these after "+-". Fails with TRJ_USAGE if the text is none of them.
int surf_level_parse(struct surf_level *level, const char *text, struct trj_error *err);

struct surf_build_options {
    struct surf_level level;
    bool close;                       // struct surf_setup
    bool only_mesh;                   // struct surf_setup
    const struct surf_engine *engine; // the engine `cpu`, or one whose state is open
    void *state;
};

struct surf_result {
    double level; // that was used
    struct surf_summary summary;
};

// Computes the surface of the current map of `r`, with colours from the current map of `colours`, which may be NULL. If
// the values of a map are sums over frames, level and colours are those of the mean. Sets result[0], and result[1] if
// there are two surfaces. Then the mesh contains both, and without `colours`, the colour of a vertex is 1 on the first
// surface and -1 on the second. All levels but a single number require several passes over the map, which is therefore
// kept in a store (map_store.h), as are the maps for engines other than `cpu`. mesh may be NULL. The caller frees the
// summaries' components, also after an error. Errors name the input.
int surf_map_build(struct trj_map_reader *r, struct trj_map_reader *colours, const struct surf_build_options *options,
                   struct surf_mesh *mesh, struct surf_result result[2], struct trj_error *err);

enum { SURF_LEVEL_TEXT = 128 + TRJ_MAP_TEXT_MAX };
// Describes the levels of the current map of `r` in a text of one line: "level: 0.04 and -0.04 bohr^-3/2".
void surf_level_describe(char text[SURF_LEVEL_TEXT], const struct surf_level *level, const struct surf_result result[2],
                         const struct trj_map_reader *r);

#endif
