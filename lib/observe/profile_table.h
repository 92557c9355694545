// SPDX-License-Identifier: MIT
// What the table of a profile contains apart from its columns: the bins, and what is known about them over all frames.
#ifndef OBS_PROFILE_TABLE_H
#define OBS_PROFILE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile_geometry.h"
#include "table_writer.h"
#include "wide.h"

struct obs_profile_bins {
    struct obs_profile_geometry geometry; // without the centre, which only frames need
    const char *word, *about;             // as the options give them; about: NULL without a centre
    uint64_t frames;
    double limit;   // Å, smallest of all frames
    double length;  // Å, sum of the lengths of the cell along the normal of slabs
    double outside; // atoms, molecules and vectors in no bin, over all frames: a whole number
};

// Returns whether a bin is within the limit of all frames.
bool obs_profile_is_complete(const struct obs_profile_bins *p, size_t bin);
// Returns the position of a bin, Å.
double obs_profile_position(const struct obs_profile_bins *p, size_t bin);
// Writes the comments on the bins.
void obs_profile_comment(const struct obs_profile_bins *p, struct trj_table *t);
// Writes the name of the column of positions.
void obs_profile_name_position(const struct obs_profile_bins *p, struct trj_table *t);

// Exact sums over frames, of values of a frame in units of 2^-80, as tables of --sums contain them.
#define OBS_PROFILE_UNIT    0x1p-80
#define OBS_PROFILE_LARGEST 0x1p40 // magnitude of a value
// Adds a value. Returns false if it or the sum is out of range.
bool obs_profile_add(trj_wide *sum, double value);
// Returns the mean of such values, of which there were `weight`; NaN if there were none.
double obs_profile_mean(trj_wide sum, double weight);
// Writes this mean and the sum.
void obs_profile_print(trj_wide sum, double weight, struct trj_table *t);

// The comment with what `struct obs_profile_bins` contains, exactly; `length` in units of OBS_PROFILE_UNIT.
#define OBS_PROFILE_BINS "bins of profile: "
void obs_profile_bins_write(const struct obs_profile_bins *p, trj_wide length, struct trj_table *t);

#endif
