// SPDX-License-Identifier: MIT
// Reads the rows of a file with the sums of a segment (partial_sums.h). No length in the file is trusted: memory grows
// with the bytes that were read.
#ifndef TCF_PARTIAL_READER_H
#define TCF_PARTIAL_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "correlation_run.h"
#include "error.h"
#include "frame_gap.h"
#include "frame_stream.h"
#include "text_index.h"
#include "wide.h"

// Sums of a node of lag_records.h or start_tree.h.
struct tcf_part_node {
    unsigned level;  // or height
    size_t lag;      // of start_tree.h
    uint64_t number; // the same
    size_t value;    // place in `value` of the sums: [lags][parts + 1], or [parts + 1]
};

// Sums of an expression.
struct tcf_part_sums {
    enum tcf_sums_kind kind;
    size_t columns;             // of TCF_SUMS_VALUES, of which value is [frames][columns]
    uint64_t first, next;       // of TCF_SUMS_NODES: numbers of additions
    struct tcf_part_node *node; // [nodes]
    size_t nodes, node_capacity;
    double *value;
    size_t values, value_capacity;
};

struct tcf_part {
    const char *path;
    struct tcf_options options;
    char *fit; // of the options
    struct trj_gap interval;
    struct trj_stream_segment segment; // without `following`
    uint64_t border[2];                // as in struct tcf_run
    uint64_t steps;
    double first_time, last_time;
    trj_wide volumes, edges;
    struct trj_gap_tally gaps;
    struct tcf_run_start *start; // [starts]
    size_t starts, start_capacity;
    size_t expressions, capacity; // that were read
    struct obs_observable *observable;
    struct tcf_part_sums *sums;
    size_t sums_capacity;
    char *description; // rows that all segments have in common
    size_t described, description_capacity;
};

// Reads a file, and adds its provenance to the index. Errors have the name of the file and the line. tcf_part_free
// frees, also after a failure.
int tcf_part_read(struct tcf_part *p, const char *path, struct trj_text_index *provenance, struct trj_error *err);
void tcf_part_free(struct tcf_part *p);

#endif
