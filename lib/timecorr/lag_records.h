// SPDX-License-Identifier: MIT
// Sums over pairs of frames at each lag, kept for blocks of consecutive start frames, from which errors follow. There
// are never more than TCF_RECORDS blocks, so that memory does not grow with the number of frames: when there would be
// more, neighbouring ones are joined.
//
// Additions have numbers, from 0 in the whole run. A node is the sum of the 2^level additions from a multiple of
// 2^level on: the sum of its first half plus that of its second half. Therefore the sums of any part of a run are a few
// nodes, from which the sums of the whole run follow with the same bytes, however the run was divided.
#ifndef TCF_LAG_RECORDS_H
#define TCF_LAG_RECORDS_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"

enum { TCF_RECORDS = 64 };

// Part of the additions of a run: start frames (start_frames.h) or chunks of them (correlator.h).
struct tcf_range {
    uint64_t first, count; // count: UINT64_MAX: up to the end of the run
};
#define TCF_ALL                                                                                                        \
    (struct tcf_range) {                                                                                               \
        0, UINT64_MAX                                                                                                  \
    }

struct tcf_node {
    unsigned level;
    double *value; // [parts][lags] sums, then [lags] pairs of frames
};

// The sums of a block of start frames.
struct tcf_record {
    const double *sum, *pairs; // [parts][lags], [lags] pairs of frames
};

// parts: quantities that are summed separately, such as directions; lags: 0 to lags - 1 frames.
struct tcf_records {
    size_t parts, lags;
    struct tcf_range range;
    uint64_t next;         // number of the next addition
    unsigned level;        // of the nodes that are records
    struct tcf_node *node; // [nodes] in the order of their additions, which have no gaps: range.first to next - 1
    size_t nodes, capacity;
    double *spare; // a node's memory; NULL: none
    // After tcf_records_finish: blocks of 2^level additions. The first and last one can be shorter.
    size_t count;
    struct tcf_record record[TCF_RECORDS + 2];
    double *incomplete[2];  // first and last record, if they are sums of nodes; else NULL
    double *total, *number; // [parts][lags], [lags]: of all records
};

// tcf_records_free frees, also after a failure.
int tcf_records_open(struct tcf_records *r, size_t parts, size_t lags, struct tcf_range range, struct trj_error *err);
void tcf_records_free(struct tcf_records *r);
// Adds sums[parts][lags] of the next start frames, of which pairs[lags] have a frame at the lag. Additions after the
// range are ignored.
int tcf_records_add(struct tcf_records *r, const double *sums, const double *pairs, struct trj_error *err);
// Adds a node of another part of the run, value[parts + 1][lags]. Fails with TRJ_BAD_DATA if the number of the next
// addition is no multiple of 2^level.
int tcf_records_add_node(struct tcf_records *r, unsigned level, const double *value, struct trj_error *err);
// Ends the additions, and sets the records and totals. The nodes remain.
int tcf_records_finish(struct tcf_records *r, struct trj_error *err);

#endif
