// SPDX-License-Identifier: MIT
// Writes the files with which APBS solves the Poisson-Boltzmann equation for each frame, with boundary values of the
// method mdh: the molecule (NAME.pqr), a map of the boundary values (NAME.dx), and the input (NAME.in), a copy of a
// template that reads both.
#ifndef POT_APBS_FRAMES_H
#define POT_APBS_FRAMES_H

#include <stdint.h>

#include "apbs_input.h"
#include "error.h"
#include "frame_stream.h"
#include "map_lattice.h"
#include "pqr_writer.h"

struct pot_apbs_frames {
    const struct pot_apbs *input;           // the template
    const struct trj_stream_header *header; // for the names of atoms
    const char *pattern;                    // of the names of the files, without an ending: "frame.%05d"
    char *const *provenance;                // of this process, ends with NULL
    double quantum;                         // of the values
    uint64_t frames;                        // written
};

// Writes the files of the next frame. `values` are the sums of this frame [lattice], in quanta; the charges of the
// molecule are divided by the dielectric constant of the template. Fails with TRJ_USAGE if the pattern has no number,
// and there is a second frame.
int pot_apbs_frames_write(struct pot_apbs_frames *a, const struct pot_pqr *molecule,
                          const struct trj_map_lattice *lattice, const int64_t *values, struct trj_error *err);

#endif
