// SPDX-License-Identifier: MIT
// Keeps a bounded number of records for error bars while a trajectory of unknown length is counted.
//
// A record begins with one frame. When RDF_MAX_MERGED records are full and another frame arrives, neighbours are merged
// two by two, and records hold twice as many frames from then on. The boundaries therefore depend only on the frame
// numbers: F frames make records of L frames, where L is the smallest power of two with F <= 64 L; the last record may
// be shorter. For 33 frames or more, there are 33 to 64 records. They are exactly the records of rdfhist -B L. If the
// counts of 64 records exceed RDF_MERGED_BYTES, the limit is 32, 16, ... or 1 record.
#ifndef RDF_RECORD_MERGER_H
#define RDF_RECORD_MERGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "hist_record.h"
#include "hist_setup.h"

enum { RDF_MAX_MERGED = 64, RDF_MERGED_BYTES = 64000000 };

// A zeroed struct is ready for rdf_merger_open.
struct rdf_merger {
    const struct rdf_setup *setup;
    size_t max;    // maximum number of records; 1: one record holds all frames
    uint64_t each; // frames of a full record; UINT64_MAX if most is 1
    size_t count;
    struct rdf_record record[RDF_MAX_MERGED]; // all but the last one are full
};

// Opens a merger; with `one` it makes a single record. The caller keeps ownership of the set-up, which must be
// complete, with its exclusion and lag.
void rdf_merger_open(struct rdf_merger *m, const struct rdf_setup *setup, bool one);
void rdf_merger_free(struct rdf_merger *m); // frees the records; the merger is empty and can be used again

// Returns the record of the next frame, which m owns: the last one, or a new one with zeroed counts, for which
// neighbours may be merged first. The caller adds the frame to it. Returns NULL if memory runs out.
struct rdf_record *rdf_merger_next(struct rdf_merger *m, struct trj_error *err);
// Returns whether the last record is full. A caller that counts with an engine then calls rdf_engine.end_record with
// the tag rdf_merger_tag.
bool rdf_merger_full(const struct rdf_merger *m);
// Returns the number of the first frame of the last record.
uint64_t rdf_merger_tag(const struct rdf_merger *m);
// Adds counts [pairs][bins] to the record that holds frame number `tag`, also after merging; has the type of
// rdf_job.deliver.
void rdf_merger_deliver(void *merger, uint64_t tag, const uint64_t *counts);

#endif
