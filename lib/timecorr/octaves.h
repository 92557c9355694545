// SPDX-License-Identifier: MIT
// Sums as in correlator.h for lags of which each octave has the same number (lag_grid.h), so that lags of a million
// frames need little memory: 2 P frames for each level.
//
// Level k keeps the frames whose numbers, counted from the first frame of the trajectory, are multiples of 2^k, and
// compares each with earlier ones of the level. Nothing is averaged over neighbouring frames, so that the means over
// these start frames have no bias. Products, and squares of differences, are summed directly.
#ifndef TCF_OCTAVES_H
#define TCF_OCTAVES_H

#include <stdint.h>

#include "correlator.h"
#include "error.h"
#include "start_tree.h"

struct tcf_octaves;

struct tcf_octaves_setup {
    struct tcf_correlator_setup numbers;
    uint64_t per_octave;           // P
    uint64_t frames;               // those of the trajectory; 0: not yet known
    const struct tcf_range *range; // start frames, of which the first one is added first; NULL: all
};

// *setup, with what it refers to, is copied.
int tcf_octaves_open(struct tcf_octaves **o, const struct tcf_octaves_setup *setup, struct trj_error *err);
void tcf_octaves_close(struct tcf_octaves *o); // NULL is allowed
// Returns the bytes that are required.
double tcf_octaves_bytes(const struct tcf_octaves_setup *setup);
// As tcf_correlator_add and tcf_correlator_break.
int tcf_octaves_add(struct tcf_octaves *o, const double *value, struct trj_error *err);
void tcf_octaves_break(struct tcf_octaves *o);
// Returns the sums, for tcf_tree_finish.
struct tcf_tree *tcf_octaves_tree(const struct tcf_octaves *o);

#endif
