// SPDX-License-Identifier: MIT
// Measures the gaps between consecutive frames, and finds the most common gap (interval_reader.h).
#ifndef RDF_FRAME_GAP_H
#define RDF_FRAME_GAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"

// Length in ps; in MD steps if times are unknown or equal; else in frames of one source.
struct rdf_gap {
    enum rdf_gap_unit { RDF_GAP_UNKNOWN, RDF_GAP_TIME, RDF_GAP_STEPS, RDF_GAP_FRAMES } unit;
    double length;
};

enum { RDF_GAPS = 64, RDF_GAP_MARGIN = 1000 };

// Counts how often each gap occurs. When there are more than RDF_GAPS different gaps, the rarest is replaced, so that
// the most common one is kept.
struct rdf_gap_tally {
    struct rdf_gap gap[RDF_GAPS];
    uint64_t times[RDF_GAPS];
    uint64_t first[RDF_GAPS]; // index in its source of the frame before the first such gap
    size_t count;
};

// Returns the gap between two frames.
struct rdf_gap rdf_gap_between(const struct trj_frame *from, const struct trj_frame *to);
// Returns whether two gaps are equal within the rounding of times; `last` is the latest frame.
bool rdf_gap_same(const struct rdf_gap *a, const struct rdf_gap *b, const struct trj_frame *last);
void rdf_gap_tally_add(struct rdf_gap_tally *t, const struct rdf_gap *gap, const struct trj_frame *from,
                       const struct trj_frame *last);
// Returns the most common gap, of several the one that occurred first; RDF_GAP_UNKNOWN if there is none.
struct rdf_gap rdf_gap_most_common(const struct rdf_gap_tally *t);
// Fails with TRJ_BAD_DATA if another gap occurs more often than `taken`, by more than `margin`.
int rdf_gap_check(const struct rdf_gap_tally *t, const struct rdf_gap *taken, const struct trj_frame *last,
                  uint64_t margin, struct trj_error *err);
// Writes the text of a note about frames that are not consecutive; "" if breaks is 0. `breaks` frames of `frames` do
// not follow the frame before at the interval `taken`.
enum { RDF_GAP_NOTE = 200 };
void rdf_gap_note(char note[RDF_GAP_NOTE], const struct rdf_gap *taken, uint64_t breaks, uint64_t frames);

#endif
