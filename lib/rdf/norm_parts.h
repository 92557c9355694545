// SPDX-License-Identifier: MIT
// What the normalisation is made of; norm.h has the formulae.
#ifndef RDF_NORM_PARTS_H
#define RDF_NORM_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "hist_stream.h"
#include "norm.h"
#include "tool.h"

// What sets the conventions apart: which density, how many pairs a group is said to make with itself, and what the counts of a bin are divided by.
struct rdf_convention {
    enum rdf_density { RDF_MEAN_INVERSE_VOLUME, RDF_INVERSE_MEAN_VOLUME, RDF_FRAME_BY_FRAME, RDF_GIVEN } density;
    // N_A N_B of two groups, N^2 of one with itself, atoms with themselves among them though they are never counted.
    enum rdf_square { RDF_NEVER = 0, RDF_OF_TWO = 1, RDF_OF_ITSELF = 2, RDF_ALWAYS = 3 } square;
    enum rdf_measure { RDF_SHELL, RDF_RING, RDF_WIDTH, RDF_BIN } measure; // volume, area in a plane, width, nothing
    double given;                                                         // RDF_GIVEN: of atoms of B, Å^-3
    // RDF_GIVEN: the number of centres is N_pairs / N_B, not N_A, so that pairs that are not counted are not expected.
    bool around_pairs;
    struct trj_choice column, self; // for rdf_norm_column; a NULL name: g(r), no self part
};

// ---- norm_conventions.c

// The convention that the sums are for, with the density that they give. TRJ_USAGE where what they ask for does not go together.
int rdf_convention_of(struct rdf_convention *c, const struct rdf_sums *s, struct trj_error *err);

// ---- norm_frames.c: what frames must be like

// The finite body that atoms are in: its volume, and the largest distance in it.
bool rdf_sums_have_body(const struct rdf_sums *s);
double rdf_sums_body_farthest(const struct rdf_sums *s);
// The volume that stands in for that of the frames; 0 or NaN: none.
double rdf_sums_given_volume(const struct rdf_sums *s);
// Where no volume of the frames is used, what is outside of a slab is not left out either.
bool rdf_sums_take_volumes(const struct rdf_sums *s, const struct rdf_convention *c);
// How far it is across the cell for frames of a slab, at most; 0 where they are no slab. Frames that are periodic in just two directions tell it
// themselves, in streams of any age.
double rdf_sums_across(const struct rdf_sums *s, const struct rdf_record *r);
// Whether the records, `all` of them together, have a curve in this convention, and one normalisation in common, so that their counts may be
// added first. TRJ_BAD_DATA where they have none.
int rdf_sums_fit(bool *together, const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_hist *h,
                 const struct rdf_record *all, struct trj_error *err);

// ---- norm_body.c

// Fails with TRJ_BAD_DATA if the counts of a record prove that atoms are outside the droplet or box.
int rdf_sums_check_body(const struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *r,
                        struct trj_error *err);

// ---- norm_sums.c: of a record, or of all together with the sums' own, pair_sums and group_atoms

// How many counts a bin of measure 1 has on average, where pairs are spread evenly: the sum over frames of N_pairs times the density of one
// atom.
double rdf_sums_expected(const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_setup *setup,
                         const struct rdf_record *r, size_t pair);
// How many atoms of A there were to be a centre, summed over the frames; of the self part those in both groups.
double rdf_sums_centres(const struct rdf_setup *setup, const struct rdf_record *r, size_t pair);
// Looks up what groups scatter for the totals. TRJ_BAD_DATA where that is not known.
int rdf_sums_look_up(struct rdf_sums *s, const struct rdf_setup *setup, struct trj_error *err);
// The weights of the curves of pairs in a total, with the counts to expect in s->pairs; see rdf_scattering_weights.
double rdf_sums_weigh(double *w, double *rest, const struct rdf_sums *s, const struct rdf_convention *c,
                      const struct rdf_setup *setup, const struct rdf_record *r, size_t total);

#endif
