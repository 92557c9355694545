// SPDX-License-Identifier: MIT
// A histogram in wider bins, or over a part of its range, from the same counts: nothing is counted or rounded again. The edges of a view are edges
// of the histogram, bit for bit.
#ifndef RDF_VIEW_H
#define RDF_VIEW_H

#include <stdint.h>

#include "error.h"
#include "job.h"

// A zeroed one shows all bins as they are.
struct rdf_view {
    // What is asked for. low, high in Å, where both are 0: all; infinities: from the first, to the last edge. merge: bins of the histogram to
    // one, 0 is 1.
    double low, high;
    uint64_t merge;
    // What that is, set by rdf_view_fit: bin k is bins first + k merge to first + (k+1) merge - 1 of the histogram.
    uint64_t first, bins;
};

// "LOW:HIGH" in Å, of which one or both may be left out. TRJ_USAGE.
int rdf_view_parse(struct rdf_view *v, const char *text, struct trj_error *err);
// TRJ_USAGE where low or high is no edge (to a thousandth of a bin: numbers with few digits find theirs), or merge does not divide the number of
// bins between them. May be called again.
int rdf_view_fit(struct rdf_view *v, const struct rdf_bins *b, struct trj_error *err);
double rdf_view_edge(const struct rdf_view *v, const struct rdf_bins *b, uint64_t k); // k in [0, v->bins]
// coarse[v->bins] from fine[b->count]. Returns the sum of the fine bins below the first.
uint64_t rdf_view_counts(const struct rdf_view *v, const uint64_t *fine, uint64_t *coarse);

#endif
