// SPDX-License-Identifier: MIT
// What is left of the sets of the last start frames, after each lag, until all later frames of a window have come.
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
    double *sum;               // [lags][TCF_SET_PARTS][lags] members that are left after each lag
    double *pairs;             // [lags]
    struct tcf_records records;
};

// `bytes` are those that the caller needs for each lag. Fails with TRJ_BAD_DATA if the machine has less memory than
// max_lag requires. tcf_starts_free frees, also after a failure.
int tcf_starts_open(struct tcf_starts *s, uint64_t max_lag, double bytes, struct trj_error *err);
void tcf_starts_free(struct tcf_starts *s); // not s itself
// Begins a frame with this number of members. Afterwards, tcf_starts_set is called for lag 0 and the others up to the
// first frame of the run, or to the largest lag.
void tcf_starts_begin(struct tcf_starts *s, uint64_t members);
// Sets what is left in the last frame of the members of the frame `lag` before it.
void tcf_starts_set(struct tcf_starts *s, size_t lag, uint64_t intermittent, uint64_t continuous);
// Returns the place, below `lags`, of what is kept of the frame `lag` before the last one.
size_t tcf_starts_place(const struct tcf_starts *s, size_t lag);
// Returns the number of lags between the last frame and those of the run that are kept.
size_t tcf_starts_lags(const struct tcf_starts *s);
void tcf_starts_break(struct tcf_starts *s); // ends a run

#endif
