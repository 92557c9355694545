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
#include "frame.h"
#include "frame_gap.h"
#include "lag_sums.h"
#include "signal.h"
#include "wide.h"

// The start of a run after another one.
struct tcf_run_start {
    uint64_t frame;      // its number in the trajectory
    double before, time; // ps, of the frame before, and of this one
};

struct tcf_run {
    const struct tcf_options *options;
    struct obs_system *system;
    struct obs_observable *observable; // [count]
    struct tcf_lag_sums *sums;         // [count]
    struct obs_view *view;             // of the frames whose pairs are listed; NULL: not yet opened
    size_t count, values;              // values: numbers of a frame
    double bytes;                      // memory that all expressions require
    const struct trj_gap *interval;    // of the reader, which sets it before the first frame
    struct trj_gap_tally gaps;
    struct trj_frame last; // its head
    // If segment.count is 0, the trajectory is not divided. Otherwise the members below count only the frames of the
    // segment.
    struct trj_stream_segment segment;
    uint64_t position, first;       // frames of the stream so far; number of the first one in the trajectory
    uint64_t border[2];             // hashes of the coordinates of its first frame, and of the one after it; 0: none
    struct trj_frame before;        // the last frame of the stream, its head
    uint64_t frames, breaks, steps; // steps: pairs of neighbouring frames in runs
    double first_time;              // ps
    trj_wide volumes, edges;        // sums over frames of the volume and of its cube root, in 2^-40 Å^3 and Å
    double volume, edge;            // the same in Å^3 and Å, set by tcf_run_finish; 0 for frames without a cell
    double pairs;                   // of lifetimes, when their number was last verified
    // Numbers of all frames of signals whose mean is subtracted: [frames][kept_values]
    double *kept;
    size_t kept_values, kept_capacity;
    struct tcf_run_start *start; // [breaks] of the runs after the first
    size_t start_capacity;
};

// Opens the expressions for a system. The system, the options and the interval must outlive the run. `threads` is as in
// pool.h. Fails with TRJ_BAD_DATA if the machine has less memory than all expressions together require. tcf_run_free
// frees, also after a failure.
int tcf_run_open(struct tcf_run *r, const struct tcf_options *options, unsigned threads, char *const *expressions,
                 size_t count, struct obs_system *s, const struct trj_gap *interval, struct trj_error *err);
void tcf_run_free(struct tcf_run *r); // not r itself; a zeroed struct is allowed
// Adds the numbers of the next frame (a function of struct obs_batches_plan, whose argument is the run).
int tcf_run_take(void *run, const struct trj_frame *f, const double *value, struct trj_error *err);
// Ends the last run of frames. Fails with TRJ_BAD_DATA if no two frames follow each other at the interval, unless they
// are a segment.
int tcf_run_finish(struct tcf_run *r, struct trj_error *err);
// Returns the sums of an expression, after tcf_run_finish.
const struct tcf_records *tcf_run_records(const struct tcf_run *r, size_t expression);
// Returns the number of lags that occur: those below the frames of the longest run, or those of the options.
size_t tcf_run_lags(const struct tcf_run *r);
// Returns the lag with this number, in frames.
uint64_t tcf_run_lag(const struct tcf_run *r, size_t number);
// Returns how many windows of this length that do not overlap the runs contain: the sum over runs of (frames - 1) /
// lag, rounded down; the number of frames for lag 0.
uint64_t tcf_run_windows(const struct tcf_run *r, uint64_t lag);
// Returns the interval in ps; NaN: times are unknown.
double tcf_run_interval(const struct tcf_run *r);

#endif
