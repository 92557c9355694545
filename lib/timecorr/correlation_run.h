// SPDX-License-Identifier: MIT
// Correlates the numbers of several expressions in one pass over a stream.
//
// Frames are compared only if they belong to one run: frames of which each follows the one before at the most common
// interval (format/interval_reader.h). A frame after another interval begins a new run.
#ifndef TCF_CORRELATION_RUN_H
#define TCF_CORRELATION_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "correlation_options.h"
#include "correlator.h"
#include "frame.h"
#include "frame_gap.h"
#include "membership.h"
#include "pair_history.h"
#include "signal.h"

struct tcf_run {
    const struct tcf_options *options;
    struct obs_system *system;
    struct obs_observable *observable; // [count]
    // [count] each expression has one of these; the others are NULL
    struct tcf_correlator **correlator;
    struct tcf_membership **membership;
    struct tcf_pair_history **history;
    struct obs_view *view;          // of the frames whose pairs are listed; NULL: not yet opened
    size_t count, values;           // values: numbers of a frame
    const struct trj_gap *interval; // of the reader, which sets it before the first frame
    struct trj_gap_tally gaps;
    struct trj_frame last;          // its head
    uint64_t frames, breaks, steps; // steps: pairs of neighbouring frames in runs
    double elapsed;                 // ps between these
    double volume;                  // sum over frames, Å^3; 0 for frames without a cell
    double edge;                    // sum over frames of the cube root of the volume, Å
    // Numbers of all frames of signals whose mean is subtracted: [frames][kept_values]
    double *kept;
    size_t kept_values, kept_capacity;
    uint64_t *start; // [breaks] first frames of the runs after the first
    size_t start_capacity;
};

// Opens the expressions for a system, which must outlive the run, as the options and the interval. tcf_run_free frees,
// also after a failure.
int tcf_run_open(struct tcf_run *r, const struct tcf_options *options, char *const *expressions, size_t count,
                 struct obs_system *s, const struct trj_gap *interval, struct trj_error *err);
void tcf_run_free(struct tcf_run *r); // not r itself; a zeroed struct is allowed
// Gets the numbers of a frame, in order (struct obs_batches_plan, whose argument is the run).
int tcf_run_take(void *run, const struct trj_frame *f, const double *value, struct trj_error *err);
// Ends the last run of frames. Fails with TRJ_BAD_DATA if no two frames follow each other at the interval.
int tcf_run_finish(struct tcf_run *r, struct trj_error *err);
// Returns the sums of an expression, after tcf_run_finish.
const struct tcf_records *tcf_run_records(const struct tcf_run *r, size_t expression);
// Returns the number of lags that occur, from 0: the frames of the longest run, or those of the options.
size_t tcf_run_lags(const struct tcf_run *r);
// Returns how many windows of this length the runs contain that do not overlap: the sum of (frames - 1) / lag, rounded
// down; the number of frames for lag 0.
uint64_t tcf_run_windows(const struct tcf_run *r, size_t lag);
// Returns the interval in ps; NaN: times are unknown.
double tcf_run_interval(const struct tcf_run *r);

#endif
