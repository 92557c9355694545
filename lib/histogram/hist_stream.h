// SPDX-License-Identifier: MIT
// Reads and writes the histogram stream (.rdfh): raw counts with all data that normalisation requires. The normative
// specification is schemas/histogram_stream.md.
//
// A stream consists of a set-up, records, and an END block with totals. Streams can be concatenated (`cat a.rdfh
// b.rdfh`): a reader joins their records if the set-ups are equal and no frame is counted twice.
#ifndef RDF_HIST_STREAM_H
#define RDF_HIST_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "frame_stream.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "input.h"
#include "lag_list.h"
#include "output.h"
#include "text_index.h"
#include "tool.h"

extern const struct trj_stream_kind rdf_hist_kind;

struct rdf_hist_writer;

// Opens a writer. The caller keeps ownership of the set-up, of the sources (to which sources may be added between
// records) and of the output. Blocks are compressed if this makes them smaller.
int rdf_hist_writer_open(struct rdf_hist_writer **w, struct trj_output *out, const struct rdf_setup *setup,
                         const struct trj_stream_header *origin, struct trj_error *err);
int rdf_hist_write(struct rdf_hist_writer *w, const struct rdf_record *r, struct trj_error *err);
int rdf_hist_writer_flush(struct rdf_hist_writer *w, struct trj_error *err);  // writes all records so far
int rdf_hist_writer_finish(struct rdf_hist_writer *w, struct trj_error *err); // writes the END block
void rdf_hist_writer_close(struct rdf_hist_writer *w);                        // NULL is allowed

bool rdf_hist_is(const unsigned char *head, size_t n); // returns whether a file with these first bytes is a stream

// All records of one or several streams with equal set-ups.
struct rdf_hist {
    // Set before reading:
    enum rdf_part part;              // of the counted pairs
    bool self;                       // read only pairs of groups with common atoms: the displacements of these atoms
    struct trj_text_list pairs;      // read only these pairs of groups, "A:B"; none: all. An unknown pair is TRJ_USAGE
    const struct rdf_lag_list *lags; // skip streams with other lags; NULL or empty: none
    struct rdf_lag_list *found_lags; // gets the lags of all streams, read and skipped; NULL: not needed
    // Read:
    struct rdf_setup setup;
    size_t record_count, source_count;
    struct rdf_record *records;
    struct trj_source *sources;       // by fingerprint, each file once
    struct trj_texts provenance;      // each line once, in order of appearance
    struct trj_text_index line_index; // index of these lines
    // If a stream has other bins than the first one, its records are skipped, and reading fails at the end of the
    // input. other_bins are the bins of the first such stream; smallest_bins are those with the smallest rmax of all
    // streams. count 0: all streams have the same bins.
    struct rdf_bins other_bins, smallest_bins;
    // If set before reading, it returns the histogram to which the records of a stream with this set-up are added, for
    // streams with different lags; its options must be those of this one, which must get the first stream. NULL: an
    // error.
    struct rdf_hist *(*choose)(void *arg, const struct rdf_setup *setup, struct trj_error *err);
    void *choose_arg;
    // If set before reading, it is called with each record, the counts of which are then freed, so that memory does not
    // grow with the number of records.
    int (*take)(void *arg, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err);
    void *take_arg;
    // If set before reading, it is called after each record, when the records so far can be used.
    int (*added)(void *arg, struct trj_error *err);
    void *added_arg;
};

// Adds the concatenated streams of an input. Fails with TRJ_BAD_DATA if a stream is damaged or truncated, if set-ups
// differ, or if there is no record. The composition of the groups is kept only if all streams contain it.
int rdf_hist_read(struct rdf_hist *h, struct trj_input *in, struct trj_error *err);
// Fails with TRJ_BAD_DATA if streams have different bins, with the options for counting again so that the records can
// be added.
int rdf_hist_check_bins(const struct rdf_hist *h, struct trj_error *err);
// Fails with TRJ_BAD_DATA if two records contain the same frame of the same source.
int rdf_hist_check_frames(const struct rdf_hist *h, struct trj_error *err);
// Returns the sum of all records, as rdf_record_merge. There must be a record. The sum need not be freed.
struct rdf_record rdf_hist_total(const struct rdf_hist *h);
void rdf_hist_free(struct rdf_hist *h); // not h itself

#endif
