// SPDX-License-Identifier: MIT
// Collects records into a few blocks, for the delete-one-block jackknife: errors of quantities that are not means over
// records.
//
// Up to RDF_MAX_BLOCKS records, each record is a block. When more records arrive, neighbouring blocks are merged two
// by two, as often as necessary, so that memory does not grow with the number of records. After the last record, blocks
// are joined further if the rule `auto` of curve_mean.h requires longer ones, for the counts of all records, with the
// mean over the bins of all pairs. All blocks except possibly the last contain the same number of records.
#ifndef RDF_BLOCKS_H
#define RDF_BLOCKS_H

#include "error.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "norm_curve.h"

enum { RDF_MAX_BLOCKS = 32 }; // even

// A zeroed structure is empty.
struct rdf_blocks {
    size_t count, each, last; // number of blocks; records in each of them, and in the last one
    struct rdf_record block[RDF_MAX_BLOCKS];
    struct curve_mean mean; // of the counts in a frame, one curve
    double *counts;         // of a record, for it
    // After rdf_blocks_join: the result of the rule. Its `blocks` is the number n of blocks, 1 / sum of (F_j / F)^2
    // with the frames F_j of a block and F of all; `error` is not NULL if there are two blocks or more.
    struct curve_mean_error rule;
};

// Adds a record; has the type of rdf_hist.take.
int rdf_blocks_add(void *blocks, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err);
void rdf_blocks_free(struct rdf_blocks *b); // not b itself

// Joins blocks as long as required. Unless `volume` is above 0, blocks of slabs of different thickness are not joined;
// rule.too_few is then set. To be called once, after the last record.
int rdf_blocks_join(struct rdf_blocks *b, const struct rdf_setup *setup, double volume, struct trj_error *err);

// Computes the curves [setup.pair_count] of all blocks except number `without`, or of all blocks if that is b->count,
// as rdf_norm_curve in its first convention; if `volume` (Å^3) is greater than 0, with full shells in this volume.
// Values are NaN if dynamic groups have pairs only in the omitted block. rdf_curve_free frees each curve; after a
// failure, there is nothing to free. Fails with TRJ_BAD_DATA if a block contains slabs of different thickness and
// `volume` is not given.
int rdf_blocks_curves(struct rdf_curve *curves, const struct rdf_setup *setup, const struct rdf_blocks *b,
                      size_t without, double volume, struct trj_error *err);

// Returns the standard error of x by the jackknife; `left_out`[j] is x of all blocks but j (of b->count, at least two).
//   h_j = F / F_j,  y_j = h_j x - (h_j - 1) x_j,  J = M x - sum of (1 - 1/h_j) x_j,
//   se^2 = 1/M sum of (y_j - J)^2 / (h_j - 1)
// with F the number of frames and M the number of blocks. For blocks of equal length se^2 is (M-1)/M sum of (x_j - mean
// of x_j)^2. Busing, Meijer, van der Leeden, Statistics and Computing 9, 3 (1999). Returns infinity if some x_j is
// infinite, and NaN if x is NaN.
double rdf_blocks_error(const struct rdf_blocks *b, double x, const double *left_out);

// Returns the bias of x, which is not a linear function of the counts, by the jackknife: x - J, with J as above (M. H.
// Quenouille, Biometrika 43, 353 (1956)). It is correct to first order in 1/counts.
double rdf_blocks_bias(const struct rdf_blocks *b, double x, const double *left_out);

#endif
