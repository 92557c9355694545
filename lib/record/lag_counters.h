// SPDX-License-Identifier: MIT
// Counts the pairs of frames of each lag into separate records, all with one engine, and writes a histogram stream for
// each lag, one after the other. Without a lag, or with a single one, there is one counter and one stream.
//
// If an engine counts frames of one lag after those of another, tags distinguish its counts (rdf_engine.end_record).
#ifndef RDF_LAG_COUNTERS_H
#define RDF_LAG_COUNTERS_H

#include <stddef.h>
#include <stdint.h>

#include "checkpoint.h"
#include "error.h"
#include "hist_setup.h"
#include "lag_list.h"
#include "output.h"
#include "record_counter.h"

struct rdf_lag_counters {
    size_t count;
    struct rdf_counter *counter; // [count]
    struct rdf_setup *setup;     // [count]; share everything but the lag with that of the caller
    size_t last;                 // the counter that was used last
    struct trj_output *out;
    const struct trj_stream_header *header;
};

// Opens a counter for each lag, and the engine of all of them. `like` has the members that the caller of a counter
// sets, without state and writer; its job delivers to rdf_lag_counters_deliver with `c`. With `one_record`, mergers
// make a single record. What `like` points to, `lags`, `out` and `header` must outlive *c.
int rdf_lag_counters_open(struct rdf_lag_counters *c, const struct rdf_counter *like, const struct rdf_lag_list *lags,
                          bool one_record, struct trj_output *out, const struct trj_stream_header *header,
                          struct trj_error *err);
// Closes the engine and the writers, while the output is still open: a failure is then reported in the stream.
void rdf_lag_counters_close(struct rdf_lag_counters *c);
void rdf_lag_counters_free(struct rdf_lag_counters *c); // after closing; not c itself, which may be zeroed
// Adds counts to the record of their tag; has the type of rdf_job.deliver.
void rdf_lag_counters_deliver(void *counters, uint64_t tag, const uint64_t *counts);
// Returns the counter of the next frames, those of the lag with this number. Returns NULL after a failure.
struct rdf_counter *rdf_lag_counters_select(struct rdf_lag_counters *c, size_t lag, struct trj_error *err);
// Waits for all counts, and saves or restores those of all records that are not written; has the type of
// work_checkpoint_plan.arrays with a struct rdf_lag_counters.
int rdf_lag_counters_arrays(void *counters, struct work_checkpoint_arrays *a, struct trj_error *err);
// After rdf_counter_end of a counter: waits for all counts, and writes the rest of the streams. Adds the times and
// numbers of all counters to those of the first one.
int rdf_lag_counters_finish(struct rdf_lag_counters *c, struct trj_error *err);

#endif
