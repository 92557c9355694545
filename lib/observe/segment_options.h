// SPDX-License-Identifier: MIT
// The options for segments of a trajectory, whose results are merged: --sums and --merge.
#ifndef OBS_SEGMENT_OPTIONS_H
#define OBS_SEGMENT_OPTIONS_H

#include "ensemble.h"

// Rows for the option table of results of all frames.
extern const struct trj_option obs_segment_option_table[];

// Fails with TRJ_USAGE if an option is given that --merge, which is given, would ignore.
int obs_segments_check_merge(const struct obs_ensemble_options *o, struct trj_error *err);
// Fails with TRJ_USAGE if --sums is given for a result that cannot be added to that of other segments.
int obs_segments_check_sums(const struct obs_ensemble_options *o, enum obs_ensemble_form form, struct trj_error *err);

#endif
