// SPDX-License-Identifier: MIT
// Parts of the normalisation; norm_curve.h has the formulae.
#ifndef RDF_NORM_PARTS_H
#define RDF_NORM_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "hist_stream.h"
#include "norm_curve.h"
#include "tool.h"

// A convention: its density, its number of pairs, and the divisor of the counts of a bin.
struct rdf_convention {
    enum rdf_density {
        RDF_MEAN_INVERSE_VOLUME,
        RDF_INVERSE_MEAN_VOLUME,
        RDF_FRAME_BY_FRAME,
        RDF_GIVEN,
        RDF_OF_METRIC
    } density;
    // The pairs of groups for which the number of pairs is N_A N_B, or N^2 for a group with itself. It contains pairs
    // of an atom with itself, which are never counted.
    enum rdf_square { RDF_NEVER = 0, RDF_OF_TWO = 1, RDF_OF_ITSELF = 2, RDF_ALWAYS = 3 } square;
    // The divisor: volume, area in a plane, width, 1, or what the metric requires.
    enum rdf_measure { RDF_SHELL, RDF_RING, RDF_WIDTH, RDF_BIN, RDF_CELL } measure;
    double given; // RDF_GIVEN: density of atoms of B, Å^-3
    // RDF_GIVEN: the number of centres is N_pairs / N_B instead of N_A, so that only pairs that can be counted are
    // expected.
    bool around_pairs;
    struct trj_choice column, self; // for rdf_norm_column; a NULL name: g(r), no self part
};

// ---- norm_conventions.c

// Sets *c to the convention of s->norm with the density of the options. Fails with TRJ_USAGE if some of the options
// exclude one another.
int rdf_convention_of(struct rdf_convention *c, const struct rdf_sums *s, struct trj_error *err);

// ---- norm_frames.c: requirements on the frames

// Return whether atoms are in a finite body, and the largest distance in it (Å).
bool rdf_sums_have_body(const struct rdf_sums *s);
double rdf_sums_body_farthest(const struct rdf_sums *s);
// Returns the volume (Å^3) that replaces the volume of the frames; 0 or NaN: none.
double rdf_sums_given_volume(const struct rdf_sums *s);
// Returns whether the volumes of the frames are used. If not, shells are not restricted to a slab either.
bool rdf_sums_take_volumes(const struct rdf_sums *s, const struct rdf_convention *c);
// Returns the largest height (Å) of the cell across the slab; 0 if frames are no slab. Frames that are periodic in two
// directions contain it in streams of all versions.
double rdf_sums_across(const struct rdf_sums *s, const struct rdf_record *r);
// Fails with TRJ_BAD_DATA if the records, whose sum is `all`, have no curve in this convention. Sets *together to
// whether one normalisation applies to all records, so that their counts can be added first.
int rdf_sums_fit(bool *together, const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_hist *h,
                 const struct rdf_record *all, struct trj_error *err);

// ---- norm_body.c

// Fails with TRJ_BAD_DATA if the counts of a record prove that atoms are outside the droplet or box.
int rdf_sums_check_body(const struct rdf_sums *s, const struct rdf_setup *setup, const struct rdf_record *r,
                        struct trj_error *err);

// ---- norm_sums.c: for one record, or for the sum of all, with own, pair_sums and group_atoms of struct rdf_sums

// Returns the expected count of a bin with divisor 1 for a uniform density: the sum over frames of N_pairs times the
// density of one atom.
double rdf_sums_expected(const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_setup *setup,
                         const struct rdf_record *r, size_t pair);
// Returns the number of centres: atoms of A summed over the frames; for the self part, atoms in both groups.
double rdf_sums_centres(const struct rdf_setup *setup, const struct rdf_record *r, size_t pair);
// Looks up the scatterers of the groups for the totals. Fails with TRJ_BAD_DATA if one is unknown.
int rdf_sums_look_up(struct rdf_sums *s, const struct rdf_setup *setup, struct trj_error *err);
// Computes the weights of the curves of pairs in a total, and sets s->pairs to the expected counts and s->rest; see
// rdf_scattering_weights.
double rdf_sums_weigh(double *w, const struct rdf_sums *s, const struct rdf_convention *c,
                      const struct rdf_setup *setup, const struct rdf_record *r, size_t total);
// Computes u[1 + s->contributions][bins], a total and its contributions, from these weights and the counts.
void rdf_sums_total(double *u, const struct rdf_sums *s, const struct rdf_setup *setup, const double *weights,
                    const uint64_t *counts, const uint64_t *excluded);
// Sets s->limits to the limits of the contributions at large r, with these weights and s->rest of rdf_sums_weigh.
void rdf_sums_limit(const struct rdf_sums *s, const struct rdf_setup *setup, const double *weights);
// Returns the mean density of one atom in the frames of some records; for a slab, the density inside the slab.
double rdf_sums_one_atom(const struct rdf_sums *s, const struct rdf_convention *c, const struct rdf_record *records,
                         size_t count);
// Computes the scale of a total, for contribution 0, or of a contribution in s->form at the middle of a bin: `mean` is
// <b>^2 and s->limits are those of the contributions.
void rdf_sums_form_scale(double scale[2], const struct rdf_sums *s, const struct rdf_setup *setup, size_t total,
                         size_t contribution, double mean, double density, size_t bin);
// Returns the number of the curve of a total among all curves.
size_t rdf_sums_total_curve(const struct rdf_sums *s, const struct rdf_setup *setup, size_t total);

#endif
