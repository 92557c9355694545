// SPDX-License-Identifier: MIT
// Describes what a counter and its engine did, for `rdfhist --stats`.
#ifndef RDF_COUNT_STATISTICS_H
#define RDF_COUNT_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "record_counter.h"

struct rdf_count_run {
    uint64_t frames;    // counted; with a lag pairs of frames
    size_t atoms;       // of a frame of the stream
    double total, read; // seconds: all of the run; waiting for frames
};

// Passes one line after the other to `report`, without a line end. The engine of the counter must be open.
void rdf_count_statistics(const struct rdf_counter *c, const struct rdf_count_run *run, void (*report)(const char *));

#endif
