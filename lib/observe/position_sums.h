// SPDX-License-Identifier: MIT
// Exact sums of positions over frames, from which fluctuations follow: in contrast to means that are updated frame by
// frame, they do not depend on how frames are divided into segments.
//
// Positions are rounded to multiples of 2^-36 Å, which changes a fluctuation of 0.1 Å by less than 1e-20 of it: the
// error of a mean square is 1/12 of the square of the unit.
#ifndef OBS_POSITION_SUMS_H
#define OBS_POSITION_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "wide.h"

struct obs_atom_sums;

struct obs_exact_positions {
    size_t count;
    struct obs_atom_sums *atom; // [count]
};

int obs_exact_positions_open(struct obs_exact_positions *p, size_t count, struct trj_error *err);
void obs_exact_positions_free(struct obs_exact_positions *p); // not p itself
// Adds the position x, Å, of an atom in a frame. Fails with TRJ_BAD_DATA if it, or the sum, is beyond the range.
int obs_exact_positions_add(struct obs_exact_positions *p, size_t atom, const double x[3], struct trj_error *err);
// Sets the sums of obs_fluctuation_sums of an atom over all `frames` frames, at least one.
int obs_exact_positions_sums(trj_wide sum[4], const struct obs_exact_positions *p, size_t atom, uint64_t frames,
                             struct trj_error *err);

// Returns the B factor, Å^2, of a mean square fluctuation, Å^2.
double obs_bfactor(double square);

#endif
