// SPDX-License-Identifier: MIT
// Measures the gaps between consecutive frames, and finds the most common gap. For van_hove.h.
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
    size_t count;
};

// Returns the gap between two frames.
struct rdf_gap rdf_gap_between(const struct trj_frame *from, const struct trj_frame *to);
// Returns whether two gaps are equal within the rounding of times; `last` is the latest frame.
bool rdf_gap_same(const struct rdf_gap *a, const struct rdf_gap *b, const struct trj_frame *last);
void rdf_gap_tally_add(struct rdf_gap_tally *t, const struct rdf_gap *gap, const struct trj_frame *last);
// Fails with TRJ_BAD_DATA if another gap occurs more than `margin` times as often as `taken`.
int rdf_gap_check(const struct rdf_gap_tally *t, const struct rdf_gap *taken, const struct trj_frame *last,
                  uint64_t margin, struct trj_error *err);

#endif
