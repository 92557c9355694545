// SPDX-License-Identifier: MIT
// Shows a histogram in wider bins, or a part of its range. The counts of merged bins are added, so nothing is counted
// or rounded again, and the edges of the new bins are edges of the histogram, bit for bit.
#ifndef RDF_REBIN_H
#define RDF_REBIN_H

#include <stdint.h>

#include "error.h"
#include "job.h"

// If all bytes are zero, all bins are shown as they are.
struct rdf_rebin {
    // The request. low, high: Å, 0 and 0 for all bins, infinities for the first and the last edge. merge: bins of the
    // histogram that become one bin; 0 means 1.
    double low, high;
    uint64_t merge;
    // The resulting bins, set by rdf_rebin_fit: bin k contains bins first + k merge to first + (k+1) merge - 1 of the
    // histogram.
    uint64_t first, bins;
};

// Reads "LOW:HIGH" in Å; one or both numbers may be omitted. Fails with TRJ_USAGE if the text has another form.
int rdf_rebin_parse(struct rdf_rebin *v, const char *text, struct trj_error *err);
// Sets `first` and `bins`. Fails with TRJ_USAGE if low or high differs from every edge by more than a thousandth of a
// bin (which short decimal numbers do not), or if merge does not divide the number of bins in between. May be called
// again.
int rdf_rebin_fit(struct rdf_rebin *v, const struct rdf_bins *b, struct trj_error *err);
double rdf_rebin_edge(const struct rdf_rebin *v, const struct rdf_bins *b, uint64_t k); // k in [0, v->bins]
// Sets coarse[v->bins] from fine[b->count]. Returns the sum of the fine bins that precede the first coarse one.
uint64_t rdf_rebin_counts(const struct rdf_rebin *v, const uint64_t *fine, uint64_t *coarse);

#endif
