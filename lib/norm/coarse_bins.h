// SPDX-License-Identifier: MIT
// Shows a histogram in wider bins, of equal or different widths, or a part of its range. The counts of merged bins are
// added, so nothing is counted or rounded again, and the edges of the new bins are edges of the histogram, bit for bit.
#ifndef RDF_COARSE_BINS_H
#define RDF_COARSE_BINS_H

#include <stdint.h>

#include "error.h"
#include "job.h"

// If all bytes are zero, all bins are shown as they are.
struct rdf_coarse_bins {
    // The options. low, high: Å, 0 and 0 for all bins, infinities for the first and the last edge. merge: bins of the
    // histogram that become one bin; 0 means 1.
    double low, high;
    uint64_t merge;
    // The option of free edges, set by rdf_coarse_bins_parse_edges: these edges in Å, ascending; NULL: none.
    double *wanted; // [wanted_count]
    size_t wanted_count;
    uint64_t logarithmic; // number of bins whose edges have a constant ratio, from low to high; 0: none
    // The resulting bins, set by rdf_coarse_bins_fit: bin k contains bins first + k merge to first + (k+1) merge - 1 of
    // the histogram; with free edges, edge_index[k] to edge_index[k+1] - 1.
    uint64_t first, bins;
    uint64_t *edge_index; // [bins + 1]; NULL: bins have equal widths
    double shift;         // for logarithmic edges: the largest distance (Å) of one of them from the edge used for it
};

// Reads "LOW:HIGH" in Å; one or both numbers may be omitted. Fails with TRJ_USAGE if the text has another form.
int rdf_coarse_bins_parse(struct rdf_coarse_bins *v, const char *text, struct trj_error *err);
// Reads "log:N", or otherwise the name of a text file with two or more ascending edges in Å, separated by blanks or
// line ends; the rest of a line after '#' is a comment. rdf_coarse_bins_free frees them. Fails with TRJ_USAGE for an
// invalid N, and with TRJ_BAD_DATA for other contents of the file.
int rdf_coarse_bins_parse_edges(struct rdf_coarse_bins *v, const char *text, struct trj_error *err);
void rdf_coarse_bins_free(struct rdf_coarse_bins *v); // the arrays, not v itself
// Sets `first`, `bins`, `edge_index` and `shift`. May be called again. Fails with TRJ_USAGE if low, high or an edge of
// a file differs from every edge by more than a thousandth of a bin (which short decimal numbers do not), or if merge
// does not divide the number of bins in between. Logarithmic edges low (high/low)^(k/N) are replaced by the nearest
// edges of the histogram; it is TRJ_USAGE if two of them become equal, or if low is 0.
int rdf_coarse_bins_fit(struct rdf_coarse_bins *v, const struct rdf_bins *b, struct trj_error *err);
double rdf_coarse_bins_edge(const struct rdf_coarse_bins *v, const struct rdf_bins *b, uint64_t k); // k in [0, v->bins]
// Sets coarse[v->bins] from fine[b->count]. Returns the sum of the fine bins that precede the first coarse one.
uint64_t rdf_coarse_bins_counts(const struct rdf_coarse_bins *v, const uint64_t *fine, uint64_t *coarse);

#endif
