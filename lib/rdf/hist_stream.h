// SPDX-License-Identifier: MIT
// The histogram stream (.rdfh): raw counts with all that is needed to normalise them later. Normative text: schemas/histogram_stream.md.
//
// A stream is a set-up, then records that belong to it, then an end with totals. Streams may follow one another (`cat a.rdfh b.rdfh`);
// a reader takes their records together if their set-ups agree and no frame is counted twice.
#ifndef RDF_HIST_STREAM_H
#define RDF_HIST_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "exact_sum.h"
#include "frame_stream.h"
#include "input.h"
#include "job.h"
#include "output.h"

struct rdf_hist_group {
    char *name;
    uint64_t atoms; // of a group that changes: that can be in it
    bool changes;
};

// What records must share to be added.
struct rdf_setup {
    struct rdf_bins bins;
    size_t group_count, pair_count;
    struct rdf_hist_group *groups;
    struct rdf_pair *pairs;
    char *exclusion;    // which pairs of atoms were counted apart, too (exclusion.h); NULL: none
    uint64_t *excluded; // [pair_count] how many of rdf_pair.pairs; NULL: none were counted apart
};

// Sums over the frames of a record of the numbers of pairs of two groups of which one changes or both do, exact: P pairs of different
// atoms (as in rdf_pair.pairs), N the product of the groups' sizes, half of it for a group with itself.
struct rdf_pair_sums {
    struct trj_exact_sum pairs, product; // of P, of N
    // of P/V, of N/V, rounded once; of volume frames only, Å^-3
    struct trj_exact_sum pair_density, product_density;
    struct trj_exact_sum excluded, excluded_density; // the same of those of P that are excluded; 0 where none are
};

// Frames first, first + step, ... (count of them) of a source.
struct rdf_run {
    uint32_t source; // place in the list of sources
    uint64_t first, step, count;
};

struct rdf_record {
    uint64_t frames;
    uint64_t volume_frames;                      // of them, those whose cell has a volume
    struct trj_exact_sum volume, inverse_volume; // sums over those, Å^3 and Å^-3, exact
    double volume_min, volume_max;               // over those; 0 where there is none
    uint32_t periodic_all, periodic_any;         // TRJ_PERIODIC_ bits that all, that any frames have
    double height_min, height_max; // Å: thickness along the one direction that is not periodic, over frames periodic
                                   // in two; 0 where there is none
    size_t run_count;
    struct rdf_run *runs;
    uint64_t *counts;   // [pair_count][bins.count]
    uint64_t *excluded; // [pair_count][bins.count] those of excluded pairs among them; only if the set-up has some
    // Only if some group changes:
    uint64_t *group_atoms;           // [group_count] sum over the frames
    struct rdf_pair_sums *pair_sums; // [pair_count]
};

// Whether some group does.
bool rdf_setup_changes(const struct rdf_setup *s);

// Adds to the record what a frame tells of itself, all but the counts. Volumes beyond exact_sum.h are TRJ_BAD_DATA.
int rdf_record_add_frame(struct rdf_record *r, const struct trj_frame *f, struct trj_error *err);
// And, where some group of the set-up changes, how many pairs the frame has. `groups` are those of its stream, in the set-up's order.
int rdf_record_add_groups(struct rdf_record *r, const struct rdf_setup *s, const struct trj_group *groups,
                          const struct trj_frame *f, struct trj_error *err);
// And, where some pairs are excluded besides, how many of the frame's: [pair_count]. After rdf_record_add_groups.
void rdf_record_add_excluded(struct rdf_record *r, const struct rdf_setup *s, const uint64_t *pairs,
                             const struct trj_frame *f);
void rdf_record_free(struct rdf_record *r); // not r itself

struct rdf_hist_writer;

// The set-up, the sources (which may grow between records) and the output stay the caller's. Counts are compressed where that helps.
int rdf_hist_writer_open(struct rdf_hist_writer **w, struct trj_output *out, const struct rdf_setup *setup,
                         const struct trj_stream_header *origin, struct trj_error *err);
int rdf_hist_write(struct rdf_hist_writer *w, const struct rdf_record *r, struct trj_error *err);
int rdf_hist_writer_finish(struct rdf_hist_writer *w, struct trj_error *err); // END
void rdf_hist_writer_close(struct rdf_hist_writer *w);                        // NULL is allowed

bool rdf_hist_is(const unsigned char *head, size_t n); // by the first bytes of a file

// Which of the pairs that were counted are taken, where some are excluded. What is left of them has that many pairs fewer, too; excluded
// ones alone are still those among all pairs, so that the g(r) of both parts, each times its number of pairs, add up. Apart is for who needs
// all, but in two: it is the rest, with the excluded ones' counts beside it.
enum rdf_part { RDF_PART_ALL, RDF_PART_REST, RDF_PART_EXCLUDED, RDF_PART_APART };

// Whether excluded pairs are taken off counts and pair numbers.
static inline bool rdf_part_takes_off(enum rdf_part part) {
    return part == RDF_PART_REST || part == RDF_PART_APART;
}

// All records of one or several streams that agree.
struct rdf_hist {
    enum rdf_part part; // what set-up and records shall tell of; set before reading
    struct rdf_setup setup;
    size_t record_count, source_count, provenance_count;
    struct rdf_record *records;
    struct trj_source *sources; // by fingerprint: each file once
    char **provenance;          // each line once, in order of appearance
    // If set, each record is shown here as it comes, and its counts are let go: memory does not grow with the counts of all records.
    int (*take)(void *arg, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err);
    void *take_arg;
};

// Adds the streams that follow one another in `in`. Damage, a cut, other set-ups are TRJ_BAD_DATA; so is no record at all.
int rdf_hist_read(struct rdf_hist *h, struct trj_input *in, struct trj_error *err);
// TRJ_BAD_DATA if two records hold the same frame of the same source.
int rdf_hist_check_frames(const struct rdf_hist *h, struct trj_error *err);
void rdf_hist_free(struct rdf_hist *h); // not h itself

#endif
