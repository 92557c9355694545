// SPDX-License-Identifier: MIT
// Detects a topology that was given as a trajectory: a file with a single frame and atom names, among files of formats
// without names, as in `trjcat top.pdb run.xtc`. Its frame would be averaged with the others, which is rarely intended.
#ifndef TRJ_STRAY_TOPOLOGY_H
#define TRJ_STRAY_TOPOLOGY_H

#include <stdbool.h>

#include "reader.h"

// State after the inputs so far. A zeroed struct is ready for use.
struct trj_stray_topology {
    const char *file; // the first with a single frame and atom names; NULL: none
    bool nameless;    // an input has a format without atom names
    bool reported;
};

// Adds an input. The caller calls it when it opens the input, and again after reading it, with `ended` and the number
// of its frames that were used. Returns the path of the file to report, once, or NULL.
const char *trj_stray_topology_check(struct trj_stray_topology *s, const struct trj_reader *r, const char *path,
                                     bool ended, uint64_t used);

#endif
