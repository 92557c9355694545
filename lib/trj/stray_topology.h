// SPDX-License-Identifier: MIT
// Finds a topology that was given as a trajectory: a file with a single frame and atom names among files of formats without names, as in
// `trjcat top.pdb run.xtc`. Its frame is averaged with the others, which is rarely meant.
#ifndef TRJ_STRAY_TOPOLOGY_H
#define TRJ_STRAY_TOPOLOGY_H

#include <stdbool.h>

#include "reader.h"

// What the inputs so far have shown. A zeroed one is ready.
struct trj_stray_topology {
    const char *file; // the first with a single frame and atom names; NULL: none
    bool nameless;    // an input has a format without atom names
    bool reported;
};

// Takes note of an input, when it is opened and again when it was read: `ended` then, with the number of its frames that were used. Returns
// the file to report, once, or NULL.
const char *trj_stray_topology_add(struct trj_stray_topology *s, const struct trj_reader *r, const char *path,
                                   bool ended, uint64_t used);

#endif
