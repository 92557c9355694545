// SPDX-License-Identifier: MIT
// The histogram stream (.rdfh): raw counts with all that is needed to normalise them later. Normative text: schemas/histogram_stream.md.
//
// A stream is a set-up, then records that belong to it, then an end with totals. Streams may follow one another (`cat a.rdfh b.rdfh`);
// a reader takes their records together if their set-ups agree and no frame is counted twice.
#ifndef RDF_HIST_STREAM_H
#define RDF_HIST_STREAM_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "frame_stream.h"
#include "hist_record.h"
#include "hist_setup.h"
#include "input.h"
#include "output.h"
#include "text_index.h"
#include "tool.h"

extern const struct trj_stream_kind rdf_hist_kind;

struct rdf_hist_writer;

// The set-up, the sources (which may grow between records) and the output stay the caller's. Counts are compressed where that helps.
int rdf_hist_writer_open(struct rdf_hist_writer **w, struct trj_output *out, const struct rdf_setup *setup,
                         const struct trj_stream_header *origin, struct trj_error *err);
int rdf_hist_write(struct rdf_hist_writer *w, const struct rdf_record *r, struct trj_error *err);
int rdf_hist_writer_finish(struct rdf_hist_writer *w, struct trj_error *err); // END
void rdf_hist_writer_close(struct rdf_hist_writer *w);                        // NULL is allowed

bool rdf_hist_is(const unsigned char *head, size_t n); // by the first bytes of a file

// All records of one or several streams that agree.
struct rdf_hist {
    enum rdf_part part; // what set-up and records shall tell of; set before reading
    bool self;          // the same: pairs of groups that have atoms in common, these alone, and how far they went
    struct trj_text_list pairs; // the same: these alone, as "A:B"; none: all. TRJ_USAGE for one that is not there
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
    // If set, each record is shown here as it comes, and its counts are let go: memory does not grow with the counts of all records.
    int (*take)(void *arg, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err);
    void *take_arg;
};

// Adds the streams that follow one another in `in`. Damage, a cut, other set-ups are TRJ_BAD_DATA; so is no record at all. The composition of
// the groups is known only if all of them tell it.
int rdf_hist_read(struct rdf_hist *h, struct trj_input *in, struct trj_error *err);
// Fails with TRJ_BAD_DATA if streams have different bins, with the options that count them so that they can be added.
int rdf_hist_check_bins(const struct rdf_hist *h, struct trj_error *err);
// TRJ_BAD_DATA if two records hold the same frame of the same source.
int rdf_hist_check_frames(const struct rdf_hist *h, struct trj_error *err);
// What all records hold together, of which there must be one: no runs, no counts, nothing to free.
struct rdf_record rdf_hist_total(const struct rdf_hist *h);
void rdf_hist_free(struct rdf_hist *h); // not h itself

#endif
