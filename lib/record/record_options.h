// SPDX-License-Identifier: MIT
// The options that give the frames of a record.
#ifndef RDF_RECORD_OPTIONS_H
#define RDF_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checkpoint.h"
#include "error.h"
#include "tool.h"

struct rdf_record_options {
    uint64_t block;       // frames of a record; 0: all; TRJ_OPTION_ABSENT: records of record_merger.h
    uint64_t every;       // as `block`, for records that are written at once; 0: not given
    const char *interval; // as given with --every: a number of frames, or the time between checkpoints; NULL: not given
    struct work_checkpoint_options checkpoints;
};

// Rows for the option table of a filter with a static struct rdf_record_options (tool.h).
extern const struct trj_option rdf_record_option_table[];

// Fails with TRJ_USAGE for values that exclude one another, or that a count of several lags does not have. Sets
// `every`, and `block` to it, or the time between checkpoints, if --every is given. `events`: that of
// rdf_neighbour_options.
int rdf_record_options_check(struct rdf_record_options *o, size_t lags, const char *events, struct trj_error *err);

#endif
