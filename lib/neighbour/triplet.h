// SPDX-License-Identifier: MIT
// Counts the angles of triplets of atoms, together with their distances. The rule:
//
// Atom j of group B, the centre, and neighbours (i, n1) of group A and (k, n2) of group C by neighbour_search.h, each
// in the range of its arm, with vectors d1, d2 and squared lengths r1, r2 in float64. The arms are different: i != k or
// d1 != d2. If A is C and both arms have one range, each pair of arms counts once; otherwise every assignment of two
// neighbours to the arms counts.
//     dot = (d1x*d2x + d1y*d2y) + d1z*d2z
//     s = dot * |dot|,  p = r1 * r2                      a triplet with p = 0 has no angle, and is not counted
//     angle bin    = number of m in 1 .. angles - 1 for which s <= q[m] * p
//     distance bin = number of m in 1 .. distances - 1 for which edge[m]^2 <= the larger one of r1 and r2
// q[m] = c * |c|, c = cos(m * 180 degrees / angles), rounded as rdf_triplet_edges computes it. edge[m] are the edges of
// `distances` bins (job.h) from the smaller `low` to the larger `high` of the arms. As q descends and rounding is
// monotone, the bin of an angle is found by any search. No trigonometric function is applied to a triplet.
//
// The distance is that of the longer arm. Sums over the bins up to R are therefore the counts with R as the largest
// distance of both arms. In a hydrogen bond O-H...O, it is the distance of the acceptor.
#ifndef RDF_TRIPLET_H
#define RDF_TRIPLET_H

#include <stdbool.h>
#include <stdint.h>

#include "error.h"
#include "frame_stream.h"
#include "job.h"
#include "neighbour_search.h"
#include "neighbour_setup.h"
#include "tool.h"

// Sets t->count and t->triplet from texts, each of which is A:B:C, or A:B:C LOW:HIGH, or A:B:C LOW:HIGH LOW:HIGH with
// the ranges of the arms to A and C in Å; one range is for both. `low` and `high` are the default; `high` NaN: there is
// none. A group * is any group. The caller frees t->triplet with free(), also after a failure. Fails with TRJ_USAGE for
// an invalid text, an unknown group, a triplet that is given twice (C:B:A is A:B:C) or has no range, and with
// TRJ_BAD_DATA if a triplet of named groups contains no three different atoms; with * it is omitted.
int rdf_triplets_parse(struct rdf_triplet_setup *t, const struct trj_stream_header *h,
                       const struct trj_text_list *texts, double low, double high, struct trj_error *err);
// Parses "ANGLES:DISTANCES", numbers of bins. Fails with TRJ_USAGE.
int rdf_triplet_bins_parse(struct rdf_triplet_setup *t, const char *text, struct trj_error *err);
// Fails with TRJ_USAGE if the numbers of bins are out of range, or the ranges are.
int rdf_triplets_check(const struct rdf_triplet_setup *t, struct trj_error *err);

// Returns the bins of the distance of the longer arm.
struct rdf_bins rdf_triplet_bins(const struct rdf_triplet_setup *s, size_t triplet);
// Returns the star whose lists rdf_triplet_count takes.
struct rdf_star rdf_triplet_star(const struct rdf_triplet *t);

// Returns q[angles + 1]; the caller frees it with free(). It has the same bytes on every machine.
double *rdf_triplet_edges(uint32_t angles, struct trj_error *err);
// Returns the bin of an angle; p > 0.
uint32_t rdf_triplet_angle(const double *q, uint32_t angles, double dot, double p);
// Adds the triplets of one centre to counts[angles][distances]. `squares` is from rdf_bins_squares.
void rdf_triplet_count(const struct rdf_triplet_setup *s, size_t triplet, const double *q, const double *squares,
                       const struct rdf_neighbour_list *lists, uint64_t *counts);
// Returns the number of triplets of three different atoms, without images, in a frame; of all listed atoms if `f` is
// NULL.
double rdf_triplet_number(const struct rdf_triplet *t, const struct trj_group *groups, const struct trj_frame *f);

#endif
