// SPDX-License-Identifier: MIT
// Computes surfaces of maps that are read from files. The level may be in units of the standard deviation, or enclose a
// fraction of the integral; there may be two levels, of either sign; the values may be sums over frames, and a second
// map may give colours.
#ifndef SURF_SURFACE_MAP_H
#define SURF_SURFACE_MAP_H

#include <stdbool.h>

#include "error.h"
#include "map_format.h"
#include "map_store.h"
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

// Gives the planes of a map, one after the other.
struct surf_source {
    struct trj_map_reader *reader; // NULL: there is no map
    struct trj_map_store store;    // not open until all planes are kept
    bool kept;                     // all planes of the current map are in the store
    uint64_t next;                 // plane of the store
    size_t size;
    unsigned char *plane; // [size]
};

// A map, and a second one whose values are the colours of vertices. Zeroed before it is opened.
struct surf_input {
    struct surf_source map, colours;
    double weight, colour_weight; // values divided by them are means over the frames (map_means.h)
};

// Opens the current maps of two readers; `colours` may be NULL. An open input is opened again for the next maps of the
// same readers, so that it keeps its memory. The readers must outlive the input, which the caller closes, also after an
// error.
int surf_input_open(struct surf_input *in, struct trj_map_reader *r, struct trj_map_reader *colours,
                    struct trj_error *err);
// Reads all planes into stores (map_store.h). Then surf_map_build can run in any thread, while the readers move to
// their next maps. Errors name the input.
int surf_input_keep(struct surf_input *in, struct trj_error *err);
void surf_input_close(struct surf_input *in);

// Computes the surface of a map. If its values are sums over frames, level and colours are those of the mean. Sets
// result[0], and result[1] if there are two surfaces. Then the mesh contains both, and without a second map, the colour
// of a vertex is 1 on the first surface and -1 on the second. All levels but a single number require several passes
// over the map, which is therefore kept, as are the maps for engines other than `cpu`; its values are changed. mesh may
// be NULL. The caller frees the summaries' components, also after an error. Errors name the input.
int surf_map_build(struct surf_input *in, const struct surf_build_options *options, struct surf_mesh *mesh,
                   struct surf_result result[2], struct trj_error *err);

enum { SURF_LEVEL_TEXT = 128 + TRJ_MAP_TEXT_MAX };
// Describes the levels of the current map of `r` in a text of one line: "level: 0.04 and -0.04 bohr^-3/2".
void surf_level_describe(char text[SURF_LEVEL_TEXT], const struct surf_level *level, const struct surf_result result[2],
                         const struct trj_map_reader *r);

#endif
