// SPDX-License-Identifier: MIT
// Counts frames into the records of a histogram stream: pairs by an engine, and also excluded pairs and displacements
// of atoms. A record ends after N frames, or where record_merger.h ends it.
#ifndef RDF_RECORD_COUNTER_H
#define RDF_RECORD_COUNTER_H

#include <stdint.h>

#include "engine.h"
#include "error.h"
#include "exclusion.h"
#include "frame.h"
#include "frame_share.h"
#include "hist_stream.h"
#include "neighbour_count.h"
#include "output.h"
#include "record_merger.h"
#include "surface_count.h"
#include "van_hove.h"

struct rdf_counter {
    // Set by the caller before the first frame; the caller owns them, and they must outlive the counter.
    const struct rdf_setup *setup;            // complete
    const struct rdf_job *job;                // delivers to `merger`
    struct rdf_exclusion *exclusion;          // NULL: none
    struct rdf_van_hove *van_hove;            // NULL: pairs are of one frame
    struct rdf_neighbour_counter *neighbours; // NULL: neither numbers of neighbours nor triplets
    struct rdf_surface_counter *surface;      // NULL: no distances from surfaces
    const struct work_share *share;           // the frames that this process computes; NULL: all
    const struct rdf_engine *engine;
    void *state; // of the engine, open
    struct rdf_hist_writer *writer;
    uint64_t block; // frames of a record; UINT64_MAX with a merger of several records
    bool live;      // records are written to the output at once, and are not buffered
    bool given;     // the engine has frames that no end_record and no finish has ended
    uint64_t tag;   // added to the tags of the merger, for an engine that other counters use, too (lag_counters.h)

    struct rdf_heights heights;               // work space; rdf_counter_finish frees it
    struct rdf_merger merger;                 // opened by the caller, closed by rdf_merger_free
    uint64_t counted;                         // counts written
    double pairs;                             // of atoms, without images, in all frames
    double wrote, excluded, paired, gathered; // seconds; gathered: for neighbours, triplets and surfaces
};

// Adds a frame, or pair of frames, to its record, except for the counts of the engine. `first` is the (earlier) frame,
// `all` is the frame that rdf_counter_count gets next, which is projected if the metric requires it. `number` is that
// of the frame, or pair of frames, in the share: what is expensive is left out if the process does not compute it. The
// exchange of neighbours also requires the frame before one that it computes; its counts are then added, too, so that
// the arrays of the record must be replaced. Fails with TRJ_BAD_DATA if the frame is invalid.
int rdf_counter_describe(struct rdf_counter *c, const struct trj_frame *first, struct trj_frame *all, uint64_t number,
                         struct trj_error *err);
// Passes the frame to the engine, which may exchange it, and ends its record if it is full.
int rdf_counter_count(struct rdf_counter *c, struct trj_frame *all, uint64_t number, struct trj_error *err);
// Frees exclusion, van_hove, neighbours, surface and merger.
void rdf_counter_free(struct rdf_counter *c);
// After the last of `read` frames of the input with this name: completes what is not counted by the engine, joins other
// files to the output of the counts, and calls `report` with each note about the series of frames.
int rdf_counter_end(struct rdf_counter *c, uint64_t read, const char *input, struct trj_output *out,
                    void (*report)(const char *), struct trj_error *err);
// Before another counter uses the engine: ends the counting of the frames so far.
int rdf_counter_pause(struct rdf_counter *c, struct trj_error *err);
// After rdf_counter_end: waits for all counts.
int rdf_counter_settle(struct rdf_counter *c, struct trj_error *err);
int rdf_counter_write(struct rdf_counter *c, struct trj_error *err); // after that: writes the records that are left

#endif
