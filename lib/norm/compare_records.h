// SPDX-License-Identifier: MIT
// Reads a histogram stream for a comparison: g(r) of all pairs with errors, and blocks of records.
//
// Records are stored in at most RDF_COMPARE_MAX_BLOCKS blocks. When more arrive, neighbouring blocks are joined two by
// two, so that memory does not grow with the number of records. Blocks shorter than those of `auto` (curve_mean.h) are
// joined further, curve by curve.
#ifndef RDF_COMPARE_RECORDS_H
#define RDF_COMPARE_RECORDS_H

#include "compare.h"
#include "error.h"
#include "normalisation.h"

enum { RDF_COMPARE_MAX_BLOCKS = 32 }; // even

struct rdf_compare_records {
    // Set before reading:
    uint64_t lag; // read only the counts with this lag, in frames; 0: all, which must have one lag
    // Read:
    struct rdf_normalisation normalisation; // its `note` may be set before reading
    size_t count, each, last;               // blocks; records in each of them, and in the last one
    double *weighted, *weights;             // [MAX_BLOCKS][pairs][bins], [MAX_BLOCKS][pairs]
};

// Reads the stream in a file, or standard input for "-", into *r, which is zeroed but for `lag`. The caller frees it,
// also after a failure. Fails with TRJ_BAD_DATA as rdf_table_read and rdf_normalise, if the bins have two coordinates
// (metric.h), or if there are several lags.
int rdf_compare_records_read(struct rdf_compare_records *r, const char *path, struct trj_error *err);
// Prints a note on segments that are missing (segment_note.h), but not for segments of one run that are compared with
// each other. Records of a table have no segments.
void rdf_compare_records_note_segments(const struct rdf_compare_records *a, const struct rdf_compare_records *b);
void rdf_compare_records_free(struct rdf_compare_records *r); // not r itself

// Adds a record: weighted[pairs][bins] is W g, weights[pairs] is W, as in curve_mean.h. All records have the same
// numbers of pairs and bins.
int rdf_compare_records_add(struct rdf_compare_records *r, const double *weighted, const double *weights, size_t pairs,
                            size_t bins, struct trj_error *err);

// Sets *b to the blocks of a pair, which curve_compare_blocks_free frees. Blocks without weight are omitted. There is
// no block if there are too few records for the blocks that `auto` requires.
int rdf_compare_records_blocks(struct curve_compare_blocks *b, const struct rdf_compare_records *r, size_t pair,
                               struct trj_error *err);

// Fails with TRJ_BAD_DATA if the set-ups count different things: another metric or lag, or other excluded pairs. Sets
// *share if both contain the same frame.
int rdf_compare_records_check(bool *share, const struct rdf_compare_records *a, const struct rdf_compare_records *b,
                              struct trj_error *err);

#endif
