// SPDX-License-Identifier: MIT
// Smooths g(r) without changing n(r) at the edges of the windows.
//
// The bins are divided into windows of an equal number of bins; the last window also contains the remaining bins. The
// edges of the windows are the nodes. With x = r^3, which is proportional to the volume of the sphere,
//   C(x) = integral of g dx    is proportional to n(r) in full shells,
// and g is replaced by the derivative of a cubic Hermite curve through C at the nodes, averaged over each bin. Thus
//   - n(r) at each node, and the number of neighbours in each window, are unchanged;
//   - g is not negative: the slope at a node is the parabola's, (h_- G_+ + h_+ G_-) / (h_- + h_+), with the means G of
//     the windows before and after it and their widths h in x, but at most 3 min(G_-, G_+), and at the ends (3 G - d)/2
//     in [0, 3 G], with the slope d at the other node of the window. Cubic curves with slopes in this range are
//     monotonic: F. N. Fritsch, R. E. Carlson, SIAM J. Numer. Anal. 17, 238 (1980);
//   - g is continuous at the nodes, and a g that is linear in x remains unchanged between the inner nodes.
#ifndef RDF_CONSERVING_SMOOTH_H
#define RDF_CONSERVING_SMOOTH_H

#include <stdint.h>

#include "error.h"
#include "job.h"

// Smooths g[bins->count] in place, in windows of `each` bins, at least 1 and at most bins->count. All values become
// NaN if one is. Fails only if memory is exhausted.
int rdf_smooth_conserving(double *g, const struct rdf_bins *bins, uint64_t each, struct trj_error *err);
// Returns the number of windows, and the first bin of a window (for their number: bins->count).
uint64_t rdf_smooth_windows(const struct rdf_bins *bins, uint64_t each);
uint64_t rdf_smooth_first(const struct rdf_bins *bins, uint64_t each, uint64_t window);

#endif
