// SPDX-License-Identifier: MIT
// The set-up of a histogram stream: what records must share to be added.
#ifndef RDF_HIST_SETUP_H
#define RDF_HIST_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame_stream.h"
#include "job.h"

// Atoms of one chemical element.
struct rdf_element_count {
    uint32_t number; // of the element; 0: not known, or centres, which have none
    uint64_t atoms;
};

struct rdf_hist_group {
    char *name;
    uint64_t atoms; // of a group that changes: that can be in it
    bool dynamic;
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

struct rdf_setup {
    struct rdf_bins bins;
    size_t group_count, pair_count;
    struct rdf_hist_group *groups;
    struct rdf_pair *pairs;
    char *exclusion;    // which pairs of atoms were counted apart, too (exclusion.h); NULL: none
    uint64_t *excluded; // [pair_count] how many of rdf_pair.pairs; NULL: none were counted apart
    bool without;       // these are taken off rdf_pair.pairs (rdf_part)
    struct rdf_lag lag; // with one pairs are N_A N_B - own, also for a group with itself, and may be 0
    // Atoms in the trajectory, including those in no group, and centres in the stream; the maximum over several
    // streams. 0 atoms: unknown.
    uint64_t trajectory_atoms, centres;
    // Set if the composition of the groups is known:
    uint64_t system_atoms; // number of atoms of the trajectory; else 0
    char *element_from;    // what elements were guessed from (topology.h); NULL: they were not guessed
};

// Returns whether each two atoms of the pair are counted once, not in both orders.
static inline bool rdf_setup_unordered(const struct rdf_setup *s, size_t pair) {
    return s->pairs[pair].a == s->pairs[pair].b && !s->lag.frames;
}
// Returns how many neighbours a counted pair of atoms adds: 2 if it is counted once for both orders, else 1.
static inline double rdf_setup_neighbours(const struct rdf_setup *s, size_t pair) {
    return rdf_setup_unordered(s, pair) ? 2 : 1;
}
// Returns whether there is a dynamic group.
bool rdf_setup_changes(const struct rdf_setup *s);
// Sets the composition of the groups from the atoms of the frame stream; the set-up must contain its groups.
int rdf_setup_compose(struct rdf_setup *s, const struct trj_stream_header *h, struct trj_error *err);
void rdf_setup_drop_composition(struct rdf_setup *s);
// Joins the set-up of further records to s. Fails with TRJ_BAD_DATA and the difference if their records cannot be
// added. A composition that only one of them contains is dropped from s; if elements of one were guessed, the joint
// set-up reports this. Takes over texts of `other`. Bins must be equal.
int rdf_setup_join(struct rdf_setup *s, struct rdf_setup *other, struct trj_error *err);
void rdf_setup_free(struct rdf_setup *s); // with the names of groups; not s itself

// Which of the pairs that were counted are taken, where some are excluded. What is left of them has that many pairs fewer, too; excluded
// ones alone are still those among all pairs, so that the g(r) of both parts, each times its number of pairs, add up. Apart is for who needs
// all, but in two: it is the rest, with the excluded ones' counts beside it.
enum rdf_part { RDF_PART_ALL, RDF_PART_REST, RDF_PART_EXCLUDED, RDF_PART_APART };

// Whether excluded pairs are taken off counts and pair numbers.
static inline bool rdf_part_takes_off(enum rdf_part part) {
    return part == RDF_PART_REST || part == RDF_PART_APART;
}

#endif
