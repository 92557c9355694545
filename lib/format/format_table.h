// SPDX-License-Identifier: MIT
// Prints the table of formats, for the option --formats and for the manual that is made from it.
#ifndef TRJ_FORMAT_TABLE_H
#define TRJ_FORMAT_TABLE_H

#include <stdbool.h>

#include "error.h"

// Prints a line for each format that this build reads to standard output: first those of trajectories, then those of
// topologies alone. The fields are separated by tabs: name, endings of files ("-": none), read as a trajectory ("yes",
// "no"), the name in --to with which it is written ("no": it is not), whether it is also read as a topology, the unit
// of velocities ("ignored": present, but not read; "no": the format has none), forces ("ignored", "no"), cells, what
// the format lacks ("-": nothing), how it is recognised, and a description. `alone`: --formats is the
// only argument; else fails with TRJ_USAGE. Returns 0 or -1.
int trj_formats_print(bool alone, struct trj_error *err);

#endif
