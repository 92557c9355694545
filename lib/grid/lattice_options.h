// SPDX-License-Identifier: MIT
// The options of filters that compute maps, which define the lattice: a division of the cell, the lattice of another
// map, or an origin with numbers of points and steps.
#ifndef TRJ_LATTICE_OPTIONS_H
#define TRJ_LATTICE_OPTIONS_H

#include <math.h>
#include <stdbool.h>

#include "cell.h"
#include "error.h"
#include "map_lattice.h"
#include "tool.h"

// Texts are NULL, and numbers NaN, if they are not given.
struct trj_lattice_options {
    double grid; // Å
    bool fractional;
    const char *like, *origin, *points, *steps;
    const char *points_option; // its name, for messages; NULL: "--points"
};

#define TRJ_LATTICE_OPTIONS_DEFAULT                                                                                    \
    { .grid = NAN }

// Rows for the option table of a filter with a static struct trj_lattice_options (tool.h).
extern const struct trj_option trj_lattice_option_table[];

// Parses three numbers separated by commas. Fails with TRJ_USAGE, and names the option.
int trj_lattice_parse_numbers(const char *option, const char *text, double to[3], struct trj_error *err);
// Parses three numbers of points, each from 1 to 2^30. Fails with TRJ_USAGE, and names the option.
int trj_lattice_parse_points(const char *option, const char *text, uint64_t n[3], struct trj_error *err);

// Returns whether the options give an origin, points or steps.
bool trj_lattice_options_are_fixed(const struct trj_lattice_options *o);
// Sets *l to the lattice that the options define; `first` is the cell of the first frame. Fails with TRJ_USAGE unless
// the options define exactly one valid lattice, and with TRJ_BAD_DATA if the cell or the map of --like does not give a
// valid one.
int trj_lattice_options_make(const struct trj_lattice_options *o, const struct trj_cell *first,
                             struct trj_map_lattice *l, struct trj_error *err);

#endif
