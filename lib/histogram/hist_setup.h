// SPDX-License-Identifier: MIT
// The set-up of a histogram stream. Records can be added if their set-ups are equal.
#ifndef RDF_HIST_SETUP_H
#define RDF_HIST_SETUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame_stream.h"
#include "job.h"
#include "neighbour_setup.h"
#include "surface_setup.h"

// Atoms of one chemical element.
struct rdf_element_count {
    uint32_t number; // atomic number; 0: unknown, or a centre
    uint64_t atoms;
};

struct rdf_hist_group {
    char *name;
    uint64_t atoms; // of a dynamic group: all atoms that can belong to it
    bool dynamic;
    size_t element_count;               // 0: the composition is unknown
    struct rdf_element_count *elements; // [element_count] ascending; they add up to atoms
};

// The lag, if pairs are atoms of group A in one frame and atoms of group B in a later one (van_hove.h); else zeros.
struct rdf_lag {
    uint64_t frames;
    double time;   // ps; NaN: unknown
    uint64_t *own; // [pair_count] number of atoms in both groups, for which a pair is an atom and itself
    bool self;     // set-up and records contain only these pairs; otherwise all other pairs
};

// Scattering amplitudes of waves (waves/wave_count.h).
struct rdf_wave_setup {
    // 0 shells: waves are not counted. Shells are the bins [qmin, qmax) of the length of the wave vector, 1/Å, by the
    // rule of distances (job.h); with `hkl` each of the `shells` is a single vector.
    struct rdf_bins shells;
    int32_t (*hkl)[3]; // [shells.count] NULL: shells
    uint32_t bits;     // amplitudes are integers of 2^-bits
    size_t lag_count;  // at least 1
    uint64_t *lags;    // [lag_count] ascending: frames from the first to the second amplitude of a product
    double interval;   // ps between frames; NaN: unknown, or there is no lag but 0
};
enum { RDF_MAX_WAVE_LAGS = 1 << 16, RDF_MAX_SHELLS = 1 << 22 };

struct rdf_setup {
    struct rdf_bins bins; // of waves: one bin without a meaning, in which nothing is counted
    size_t group_count, pair_count;
    struct rdf_hist_group *groups;
    struct rdf_pair *pairs;
    char *exclusion;    // kind of the excluded pairs, which are also counted separately (exclusion.h); NULL: none
    uint64_t *excluded; // [pair_count] number of excluded pairs among rdf_pair.pairs; NULL: none
    bool without;       // the excluded pairs are subtracted from rdf_pair.pairs (rdf_part)
    bool own_images;    // pairs of an atom with its own images are counted (own_images.h)
    char *body;         // of metric RDF_METRIC_BODY: the axes of molecules, as of --body (bodies.h); else NULL
    struct rdf_neighbour_setup neighbours;
    struct rdf_triplet_setup triplets;
    struct rdf_surface_setup surface;
    struct rdf_wave_setup waves;
    struct rdf_lag lag; // with a lag, the number of pairs is N_A N_B - own, also for A == B, and may be 0
    // Atoms in the trajectory, including those in no group, and centres in the stream; the maximum over several
    // streams. 0 atoms: unknown.
    uint64_t trajectory_atoms, centres;
    // The number of atoms changes (frame_stream.h). The atoms of groups are then largest numbers, which may differ
    // between streams whose records are added, and the atoms in the trajectory are unknown.
    bool open_system;
    double precision; // Å: coordinates were rounded, and differ by at most this from those of the sources; 0: exact
    // Set if the composition of the groups is known:
    uint64_t system_atoms; // number of atoms of the trajectory; else 0
    char *element_from;    // source of guessed elements (topology.h); NULL: they were not guessed
};

// Returns whether any two atoms of the pair are counted once, not in both orders.
static inline bool rdf_setup_unordered(const struct rdf_setup *s, size_t pair) {
    return s->pairs[pair].a == s->pairs[pair].b && !s->lag.frames && !rdf_metric_is_angle(&s->bins.metric);
}
// Returns how many neighbours a counted pair of atoms adds: 2 if it is counted once for both orders, else 1.
static inline double rdf_setup_neighbours(const struct rdf_setup *s, size_t pair) {
    return rdf_setup_unordered(s, pair) ? 2 : 1;
}
// Returns the number of shells or vectors of all lags; 0: waves are not counted.
static inline size_t rdf_setup_wave_row(const struct rdf_setup *s) {
    return s->waves.lag_count * (size_t)s->waves.shells.count;
}
// Returns the length of a row of rdf_record.surface, and that of rdf_record.surface_points; 0: they are not counted.
static inline size_t rdf_setup_surface_row(const struct rdf_setup *s) {
    return s->surface.kind ? RDF_SURFACE_SUMS + (size_t)s->bins.count : 0;
}
static inline size_t rdf_setup_surface_bins(const struct rdf_setup *s) {
    return s->surface.kind ? (size_t)s->bins.count : 0;
}
// Returns the name of the tool that writes such streams, for messages.
static inline const char *rdf_setup_tool(const struct rdf_setup *s) {
    return s->waves.shells.count ? "skhist" : "rdfhist";
}
// Returns whether there is a dynamic group.
bool rdf_setup_has_dynamic_group(const struct rdf_setup *s);
// Sets the composition of the groups from the atoms of the frame stream; the set-up must contain its groups.
int rdf_setup_compose(struct rdf_setup *s, const struct trj_stream_header *h, struct trj_error *err);
void rdf_setup_drop_composition(struct rdf_setup *s);
// Joins the set-up of further records to s. Fails with TRJ_BAD_DATA and the difference if their records cannot be
// added. A composition that only one of them contains is dropped from s; if elements of one were guessed, the joint
// set-up reports this. Takes ownership of texts of `other`. Bins must be equal.
int rdf_setup_join(struct rdf_setup *s, struct rdf_setup *other, struct trj_error *err);
// Fails as rdf_setup_join if the set-ups of two lags differ in anything but the lag.
int rdf_setup_check_lags(const struct rdf_setup *a, const struct rdf_setup *b, struct trj_error *err);
void rdf_setup_free_own(
    struct rdf_setup *s);                 // leaves names of groups, exclusion, body and lag, which have other owners
void rdf_setup_free(struct rdf_setup *s); // also frees the names of groups; does not free s itself

// The part of the counted pairs that a caller uses, if some pairs are excluded. The rest also has the smaller number of
// pairs. Excluded pairs are normalised by the number of all pairs, so that the g(r) of both parts, each times its
// number of pairs, add up. RDF_PART_SEPARATE is the rest, with the counts of excluded pairs in a member of their own.
enum rdf_part { RDF_PART_ALL, RDF_PART_REST, RDF_PART_EXCLUDED, RDF_PART_SEPARATE };

// Returns whether excluded pairs are subtracted from counts and numbers of pairs.
static inline bool rdf_part_subtracts_excluded(enum rdf_part part) {
    return part == RDF_PART_REST || part == RDF_PART_SEPARATE;
}

#endif
