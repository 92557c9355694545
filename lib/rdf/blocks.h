// SPDX-License-Identifier: MIT
// Records gathered into a few blocks, for errors of what is no mean of records: the delete-one-block jackknife.
//
// Up to RDF_MOST_BLOCKS records each is a block. Where more come, neighbours are taken together, two by two, as often as it takes: all blocks
// but perhaps the last hold the same number of records, memory does not grow with the number of records, and records that are too short to
// be independent become blocks that are longer.
#ifndef RDF_BLOCKS_H
#define RDF_BLOCKS_H

#include "error.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "norm.h"

enum { RDF_MOST_BLOCKS = 32 }; // even

// A zeroed one is ready.
struct rdf_blocks {
    size_t count, each, last; // blocks; records in each of them, and in the last one
    struct rdf_record block[RDF_MOST_BLOCKS];
};

// Adds a record; fits rdf_hist.take.
int rdf_blocks_take(void *blocks, const struct rdf_setup *setup, const struct rdf_record *record,
                    struct trj_error *err);
void rdf_blocks_free(struct rdf_blocks *b); // not b itself

// The curves [setup.pair_count] of all blocks but number `without`; of all if that is b->count. As rdf_norm_curve makes them, in its first
// convention, with full shells in `volume` (Å^3) if > 0; NaN where groups that change have no pair but in the block that is left out. rdf_curve_free frees each; none is left on failure.
// TRJ_BAD_DATA if slabs of different thickness are in one block, without `volume`.
int rdf_blocks_curves(struct rdf_curve *curves, const struct rdf_setup *setup, const struct rdf_blocks *b,
                      size_t without, double volume, struct trj_error *err);

// Returns the standard error of x by the jackknife; `left_out`[j] is x of all blocks but j (of b->count, at least two).
//   h_j = F / F_j,  y_j = h_j x - (h_j - 1) x_j,  J = M x - sum of (1 - 1/h_j) x_j,  se^2 = 1/M sum of (y_j - J)^2 / (h_j - 1)
// with F the number of frames and M the number of blocks. For blocks of equal length se^2 is (M-1)/M sum of (x_j - mean
// of x_j)^2. Busing, Meijer, van der Leeden, Statistics and Computing 9, 3 (1999). Returns infinity if some x_j is
// infinite, and NaN if x is NaN.
double rdf_blocks_error(const struct rdf_blocks *b, double x, const double *left_out);

// What x is off by on average because it is no linear function of the counts, as the jackknife has it: x - J, J as above (M. H. Quenouille,
// Biometrika 43, 353 (1956)). Right to the first order in 1/counts.
double rdf_blocks_bias(const struct rdf_blocks *b, double x, const double *left_out);

// Returns the statistical inefficiency s of the blocks, the mean over the bins of all pairs, if correlation between
// blocks is detected as by `auto` of curve_mean.h; else 1. The jackknife takes blocks to be independent: its errors are
// then too small by about sqrt(s).
int rdf_blocks_inefficiency(double *s, const struct rdf_blocks *b, const struct rdf_setup *setup,
                            struct trj_error *err);

#endif
