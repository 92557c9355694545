// SPDX-License-Identifier: MIT
// A record of a histogram stream: the counts of some frames, and what these frames tell of themselves.
#ifndef RDF_HIST_RECORD_H
#define RDF_HIST_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "exact_sum.h"
#include "frame.h"
#include "hist_setup.h"
#include "job.h"

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
static inline uint64_t rdf_run_last(const struct rdf_run *r) {
    return r->first + (r->count - 1) * r->step;
}

struct rdf_record {
    uint64_t frames;
    uint64_t volume_frames;                      // of them, those whose cell has a volume
    struct trj_exact_sum volume, inverse_volume; // sums over those, Å^3 and Å^-3, exact
    double volume_min, volume_max;               // over those; 0 where there is none
    uint32_t periodic_all, periodic_any;         // TRJ_PERIODIC_ bits that all, that any frames have
    // Å: thickness along the one direction that is not periodic, over frames periodic in two; 0 where there is none
    double height_min, height_max;
    // Å: distance of the cell's faces across a, b, c, over the volume frames; 0 where there is none, and where a stream does not tell
    double spacing_min[3], spacing_max[3];
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

// Adds to the record what a frame tells of itself, all but the counts. Volumes beyond exact_sum.h are TRJ_BAD_DATA.
int rdf_record_add_frame(struct rdf_record *r, const struct trj_frame *f, struct trj_error *err);
// And, where some group of the set-up changes, how many pairs the frame has: by the job's groups and pairs, of which `own` [pair_count] are an
// atom and itself; NULL: none. The first groups are the set-up's.
int rdf_record_add_groups(struct rdf_record *r, const struct rdf_setup *s, const struct rdf_job *job,
                          const uint64_t *own, const struct trj_frame *f, struct trj_error *err);
// And, where some pairs are excluded besides, how many of the frame's: [pair_count]. After rdf_record_add_groups.
void rdf_record_add_excluded(struct rdf_record *r, const struct rdf_setup *s, const uint64_t *pairs,
                             const struct trj_frame *f);
// Makes room for what records hold where some group changes; zeros.
int rdf_record_open_sums(struct rdf_record *r, const struct rdf_setup *s, struct trj_error *err);
// What it tells of its frames, all together, and nothing that would have to be freed: no runs, and nothing for each group, pair or bin.
struct rdf_record rdf_record_bare(const struct rdf_record *r);
// Adds what `from` tells so; the rest is left to the caller. Where one of the two does not tell the faces of its cells, the other says nothing of both.
void rdf_record_merge(struct rdf_record *to, const struct rdf_record *from);
// Adds to `to` the counts and the sums of groups and pairs of `from`, a record of the same set-up, as far as both
// contain them. Frame ranges are not added: see rdf_record_append_runs.
void rdf_record_add(struct rdf_record *to, const struct rdf_setup *s, const struct rdf_record *from);
// Appends the frame ranges of `from`, whose frames are later, with the same result as adding its frames one by one.
int rdf_record_append_runs(struct rdf_record *to, const struct rdf_record *from, struct trj_error *err);
void rdf_pair_sums_merge(struct rdf_pair_sums *to, const struct rdf_pair_sums *from);
// Whether heights between these are one and the same, but for rounding.
bool rdf_same_height(double low, double high);
void rdf_record_free(struct rdf_record *r); // not r itself

#endif
