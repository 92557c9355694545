// SPDX-License-Identifier: MIT
// The gap from one frame to the next, and which gap is the most common one. For van_hove.h.
#ifndef RDF_FRAME_GAP_H
#define RDF_FRAME_GAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"

// In ps; where times are not known or equal, in MD steps; else in frames of one source.
struct rdf_gap {
    enum rdf_gap_unit { RDF_GAP_UNKNOWN, RDF_GAP_TIME, RDF_GAP_STEPS, RDF_GAP_FRAMES } unit;
    double length;
};

enum { RDF_GAPS = 64, RDF_GAP_MARGIN = 1000 };

// How often gaps were seen. Of more than RDF_GAPS different ones the rarest is replaced, so that the most common one stays.
struct rdf_gap_tally {
    struct rdf_gap gap[RDF_GAPS];
    uint64_t times[RDF_GAPS];
    size_t count;
};

struct rdf_gap rdf_gap_between(const struct trj_frame *from, const struct trj_frame *to);
// Whether two gaps are the same but for the rounding of times, of which `last` is the latest.
bool rdf_gap_same(const struct rdf_gap *a, const struct rdf_gap *b, const struct trj_frame *last);
void rdf_gap_tally_add(struct rdf_gap_tally *t, const struct rdf_gap *gap, const struct trj_frame *last);
// TRJ_BAD_DATA where another gap was seen more often than `taken`, by more than `margin` times.
int rdf_gap_check(const struct rdf_gap_tally *t, const struct rdf_gap *taken, const struct trj_frame *last,
                  uint64_t margin, struct trj_error *err);

#endif
