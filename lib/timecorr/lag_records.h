// SPDX-License-Identifier: MIT
// Sums over pairs of frames at each lag, kept for blocks of consecutive start frames, from which errors follow. There
// are never more than TCF_RECORDS blocks, so that memory does not grow with the number of frames: when there would be
// more, neighbouring ones are joined.
#ifndef TCF_LAG_RECORDS_H
#define TCF_LAG_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum { TCF_RECORDS = 64 }; // even

// parts: quantities that are summed separately, such as directions; lags: 0 to lags - 1 frames.
struct tcf_records {
    size_t parts, lags;
    size_t count;           // records
    uint64_t each, last;    // additions in a record; additions in the last one so far
    double *sum;            // [TCF_RECORDS][parts][lags]
    double *pairs;          // [TCF_RECORDS][lags] pairs of frames
    double *total, *number; // [parts][lags], [lags]: of all records
};

// tcf_records_free frees, also after a failure.
int tcf_records_open(struct tcf_records *r, size_t parts, size_t lags, struct trj_error *err);
void tcf_records_free(struct tcf_records *r);
// Adds sums[parts][lags] of the next start frames, of which pairs[lags] have a frame at the lag.
void tcf_records_add(struct tcf_records *r, const double *sums, const double *pairs);
// Whether the next addition would join records, because there are as many as possible, and the last one is complete.
bool tcf_records_full(const struct tcf_records *r);
// Joins neighbouring records of full ones. Later additions count twice as much: they are those of blocks of start
// frames that are twice as long.
void tcf_records_join(struct tcf_records *r);

#endif
