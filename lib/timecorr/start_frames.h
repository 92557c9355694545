// SPDX-License-Identifier: MIT
// Counts the members of sets, at the last start frames, that remain after each lag, until all frames of a window were
// added.
#ifndef TCF_START_FRAMES_H
#define TCF_START_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lag_records.h"

enum { TCF_INTERMITTENT, TCF_CONTINUOUS, TCF_SET_PARTS };

struct tcf_starts {
    size_t lags;               // the largest lag and 1
    uint64_t frames, finished; // of the run: frames; start frames whose sums are complete
    uint64_t *members;         // [lags] of a start frame
    double *sum;               // [lags][TCF_SET_PARTS][lags] members that remain after each lag
    double *pairs;             // [lags]
    struct tcf_records records;
};

// Returns the bytes that are required.
double tcf_starts_bytes(uint64_t max_lag);
// Start frames outside of the range are not counted: its first frame is the first one that is added, and frames after
// the range, of which as many are required as the largest lag has, are only compared with those in the range.
// tcf_starts_free frees, also after a failure.
int tcf_starts_open(struct tcf_starts *s, uint64_t max_lag, struct tcf_range range, struct trj_error *err);
void tcf_starts_free(struct tcf_starts *s); // not s itself
// Begins a frame with this number of members. Afterwards, tcf_starts_set is called for lag 0 and the others up to the
// first frame of the run, or to the largest lag.
int tcf_starts_begin(struct tcf_starts *s, uint64_t members, struct trj_error *err);
// Sets how many members of the frame `lag` before the last one remain in the last one.
void tcf_starts_set(struct tcf_starts *s, size_t lag, uint64_t intermittent, uint64_t continuous);
// Returns the number of lags between the last frame and those of the run that are kept.
size_t tcf_starts_lags(const struct tcf_starts *s);
int tcf_starts_break(struct tcf_starts *s, struct trj_error *err); // ends a run
// Ends the last run, and the additions to the records.
int tcf_starts_finish(struct tcf_starts *s, struct trj_error *err);

#endif
