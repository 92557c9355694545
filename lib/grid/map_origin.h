// SPDX-License-Identifier: MIT
// The option of filters that read MRC files: which words of the header give the position of the first point.
#ifndef TRJ_MAP_ORIGIN_H
#define TRJ_MAP_ORIGIN_H

#include "map_format.h"
#include "tool.h"

extern const struct trj_choice trj_map_origin_choices[]; // ends with a NULL name

// Option for the table of a filter. Its value is a text, "auto" by default.
extern const struct trj_option trj_map_origin_option[];

enum trj_map_origin trj_map_origin_named(const char *name); // of trj_map_origin_choices

#endif
