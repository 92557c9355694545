// SPDX-License-Identifier: MIT
// Keeps a bounded number of records while frames are counted, for error bars from a run of unknown length.
//
// Records begin with one frame each. When RDF_MOST_MERGED of them are full and another frame comes, neighbours are
// merged two by two, and records hold twice as many frames from then on. So the boundaries depend on the number of the
// frame and on the number of frames alone: F frames make records of L frames, L the smallest power of two for which
// F <= 64 L, of which the last may be shorter; from 33 frames on these are 33 to 64 records. The records are those of
// rdfhist -B L, exactly. If the counts of 64 records, with the sums that records of dynamic
// groups hold for each pair, took more than RDF_MERGED_BYTES, 32, 16, ... or 1 take their place.
#ifndef RDF_RECORD_MERGER_H
#define RDF_RECORD_MERGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "hist_record.h"
#include "hist_setup.h"

enum { RDF_MOST_MERGED = 64, RDF_MERGED_BYTES = 64000000 };

// A zeroed one is ready for rdf_merger_open.
struct rdf_merger {
    const struct rdf_setup *setup;
    size_t most;   // records; 1: all frames are in one
    uint64_t each; // frames of a full record; UINT64_MAX if most is 1
    size_t count;
    struct rdf_record record[RDF_MOST_MERGED]; // all but the last are full
};

// With `one` there is one record only. The set-up is the caller's and must be complete, with its exclusion and lag.
void rdf_merger_open(struct rdf_merger *m, const struct rdf_setup *setup, bool one);
void rdf_merger_free(struct rdf_merger *m); // empties it, too: it can be filled again; not m itself

// Returns the record that the next frame belongs to, which stays m's: the last one, or a new one with zeroed counts,
// for which neighbours may be merged first. The caller adds the frame to it. NULL: out of memory.
struct rdf_record *rdf_merger_next(struct rdf_merger *m, struct trj_error *err);
// Whether the last record is full: a caller that counts with an engine then calls rdf_engine.cut with rdf_merger_tag.
bool rdf_merger_full(const struct rdf_merger *m);
// The number of the first frame of the last record.
uint64_t rdf_merger_tag(const struct rdf_merger *m);
// Adds counts [pairs][bins] to the record that holds frame number `tag`, wherever it was merged; fits rdf_job.deliver.
void rdf_merger_deliver(void *merger, uint64_t tag, const uint64_t *counts);

#endif
