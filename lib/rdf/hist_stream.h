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
#include "tool.h"

// Atoms of one chemical element.
struct rdf_element_count {
    uint32_t number; // of the element; 0: not known, or centres, which have none
    uint64_t atoms;
};

struct rdf_hist_group {
    char *name;
    uint64_t atoms; // of a group that changes: that can be in it
    bool changes;
    size_t element_count;               // 0: the composition is not told
    struct rdf_element_count *elements; // [element_count] ascending; they add up to atoms
};

// Where atoms of group A at one time were counted against those of B later (van_hove.h); zeros where they were not.
struct rdf_lag {
    uint64_t frames;
    double time;   // ps; NaN: not known
    uint64_t *own; // [pair_count] atoms that both groups have: so many of the N_A N_B pairs are an atom and itself
    bool self;     // set-up and records tell of these, else of the rest
};

// What records must share to be added.
struct rdf_setup {
    struct rdf_bins bins;
    size_t group_count, pair_count;
    struct rdf_hist_group *groups;
    struct rdf_pair *pairs;
    char *exclusion;    // which pairs of atoms were counted apart, too (exclusion.h); NULL: none
    uint64_t *excluded; // [pair_count] how many of rdf_pair.pairs; NULL: none were counted apart
    struct rdf_lag lag; // with one pairs are N_A N_B - own, also for a group with itself, and may be 0
    // Where the composition of the groups is told:
    uint64_t system_atoms; // in the trajectory, be they in groups or not; else 0
    char *element_from;    // what elements were guessed from (topology.h); NULL: nothing
};

// Sums over the frames of a record of the numbers of pairs of two groups of which one changes or both do, exact: P pairs of different
// atoms (as in rdf_pair.pairs), N the product of the groups' sizes, half of it where pairs of a group with itself have no order.
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
    double spacing_min[3],
        spacing_max
            [3]; // Å: distance of the cell's faces across a, b, c, over the volume frames; 0 where there is none,
                 // and in streams of before these were written
    size_t run_count;
    struct rdf_run *runs;
    uint64_t *counts;   // [pair_count][bins.count]
    uint64_t *excluded; // [pair_count][bins.count] those of excluded pairs among them; only if the set-up has some
    // Only if some group changes:
    uint64_t *group_atoms;           // [group_count] sum over the frames
    struct rdf_pair_sums *pair_sums; // [pair_count]
    // Only with a lag, of which the frames above are the earlier ones:
    uint64_t *moved; // [pair_count][bins.count] how far atoms that both groups have went
    uint64_t *own;   // [pair_count] sum over the frames of the number of these atoms
    double step;     // the farthest that any went from one frame to the next, along a period and in units of it
};
// Beyond, near half of a period, the nearest image may be the wrong one. Of a million atoms that diffuse so that one of them may go half a
// period, several go this far.
#define RDF_LONGEST_STEP 0.45

// Whether some group does.
bool rdf_setup_changes(const struct rdf_setup *s);
// Tells the composition of the groups, by what the frame stream tells of its atoms; those of the set-up are its groups.
int rdf_setup_compose(struct rdf_setup *s, const struct trj_stream_header *h, struct trj_error *err);
void rdf_setup_drop_composition(struct rdf_setup *s);
// Whether each two atoms of the pair are counted once, not in both orders.
static inline bool rdf_setup_unordered(const struct rdf_setup *s, size_t pair) {
    return s->pairs[pair].a == s->pairs[pair].b && !s->lag.frames;
}

// Adds to the record what a frame tells of itself, all but the counts. Volumes beyond exact_sum.h are TRJ_BAD_DATA.
int rdf_record_add_frame(struct rdf_record *r, const struct trj_frame *f, struct trj_error *err);
// And, where some group of the set-up changes, how many pairs the frame has: by the job's groups and pairs, of which `own` [pair_count] are an
// atom and itself; NULL: none. The first groups are the set-up's.
int rdf_record_add_groups(struct rdf_record *r, const struct rdf_setup *s, const struct rdf_job *job,
                          const uint64_t *own, const struct trj_frame *f, struct trj_error *err);
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
    bool self;          // the same: pairs of groups that have atoms in common, these alone, and how far they went
    struct trj_text_list pairs; // the same: these alone, as "A:B"; none: all. TRJ_USAGE for one that is not there
    struct rdf_setup setup;
    size_t record_count, source_count, provenance_count;
    struct rdf_record *records;
    struct trj_source *sources; // by fingerprint: each file once
    char **provenance;          // each line once, in order of appearance
    // If set, each record is shown here as it comes, and its counts are let go: memory does not grow with the counts of all records.
    int (*take)(void *arg, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err);
    void *take_arg;
};

// Adds the streams that follow one another in `in`. Damage, a cut, other set-ups are TRJ_BAD_DATA; so is no record at all. The composition of
// the groups is known only if all of them tell it.
int rdf_hist_read(struct rdf_hist *h, struct trj_input *in, struct trj_error *err);
// TRJ_BAD_DATA if two records hold the same frame of the same source.
int rdf_hist_check_frames(const struct rdf_hist *h, struct trj_error *err);
void rdf_hist_free(struct rdf_hist *h); // not h itself

#endif
