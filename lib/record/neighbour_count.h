// SPDX-License-Identifier: MIT
// Counts the numbers of neighbours of the atoms, and which neighbours enter and leave from frame to frame; also counts
// triplets (triplet.h), which need the same neighbours. rdfhist counts them beside g(r), in the same pass over the
// frames.
//
// For a pair of groups, an atom of A with n neighbours of B within R (neighbour_search.h, from 0 to R) counts in class
// n, or in the last class if n is larger. Images count: n is the sum of the bins of g(r) up to R, for each atom.
//
// Exchange: atoms i of A and j of B, i != j, are neighbours in a frame if at least one image of j is within R of i. In
// two consecutive frames, such a pair has stayed (it is in both), entered (only in the later one), or left (only in the
// earlier one). A group with itself counts each pair of atoms once. Members of dynamic groups that enter or leave the
// group take their pairs with them. Two frames are compared if the gap between them is the
// interval, the most common gap (format/interval_reader.h). Frames of an open system (frame_stream.h) are not compared.
#ifndef RDF_NEIGHBOUR_COUNT_H
#define RDF_NEIGHBOUR_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "frame_gap.h"
#include "frame_stream.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "job.h"
#include "neighbour_engine.h"
#include "output.h"

struct rdf_neighbour_counter;

// Counts what the set-up contains: neighbours.radius, triplets. Header, job, set-up and
// interval must outlive *c. If `events` is
// not NULL, a table of the pairs of atoms that enter and leave is written to this file, one in each line, ordered by
// frame, pair of groups, and atoms.
int rdf_neighbour_counter_open(struct rdf_neighbour_counter **c, const struct trj_stream_header *h,
                               const struct rdf_job *job, const struct rdf_setup *setup,
                               const struct rdf_neighbour_engine *engine, const struct trj_gap *interval,
                               const char *events, struct trj_error *err);
void rdf_neighbour_counter_close(struct rdf_neighbour_counter *c); // NULL is allowed

// Counts a frame, if `computes` is set. Adds everything but the counts to its record. `before`: the frame is not
// counted, but the next one is, and is compared with it, so that its neighbours are found. The counts since
// the last call of rdf_neighbour_counter_finish are then added to the record first.
int rdf_neighbour_counter_add(struct rdf_neighbour_counter *c, const struct trj_frame *f, bool computes, bool before,
                              struct rdf_record *record, struct trj_error *err);
// Writes the counts since the last call to the record, which has been opened by rdf_record_open_neighbours.
int rdf_neighbour_counter_finish(struct rdf_neighbour_counter *c, struct rdf_record *record, struct trj_error *err);

// Call it after the last frame: joins the file of events to the output of the counts (output.h). `note` is the text
// that a caller should report; "" if all frames were compared with the frame before them. Fails with TRJ_BAD_DATA if
// another gap than the interval was more common.
int rdf_neighbour_counter_end(struct rdf_neighbour_counter *c, char note[TRJ_GAP_NOTE], struct trj_output *counts,
                              struct trj_error *err);

#endif
