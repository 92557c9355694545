// SPDX-License-Identifier: MIT
// Describes the work of a counter and its engine, for `rdfhist --stats`.
#ifndef RDF_COUNT_STATISTICS_H
#define RDF_COUNT_STATISTICS_H

#include <stddef.h>
#include <stdint.h>

#include "record_counter.h"

struct rdf_count_run {
    uint64_t frames;    // counted; with a lag, pairs of frames
    size_t atoms;       // of a frame of the stream
    double total, read; // seconds: of the whole run; of waiting for frames
};

// Passes the lines to `report` one by one, without line ends. The engine of the counter must be open.
void rdf_count_statistics(const struct rdf_counter *c, const struct rdf_count_run *run, void (*report)(const char *));

#endif
