// SPDX-License-Identifier: MIT
// From counts to g(r), n(r) and standard errors. All floating point of the radial distribution function is here.
//
//   g_k = n_k / (F N_pairs rho_1 s_k)        Levine, Stone, Kohlmeyer, J. Comput. Phys. 230, 3556 (2011), eqs. 1-7
//   s_k = 4/3 pi (r_{k+1}^3 - r_k^3)         volume of the shell, r_k the edges of bin k
// n_k counts over F frames, N_pairs the pairs of atoms that could be there: N(N-1)/2 for a group with itself, N_A N_B - |A and B| for
// two; rho_1 the density of one atom, <1/V> unless the convention says otherwise.
//
// Frames periodic in two directions are a slab of thickness h, outside of which there is nothing. Points spread evenly in it find, at
// distance r, only the share f(r) = 1 - r/(2h) (r <= h), h/(2r) (r > h) of the sphere inside, averaged over where they stand; then
//   s_k = S(r_{k+1}) - S(r_k),  S(r) = 4 pi (r^3/3 - r^4/(8h)) for r <= h,  S(r) = 5/6 pi h^3 + pi h (r^2 - h^2) beyond.
// (The integral of 4 pi r^2 f; f is the mean over directions of the overlap 1 - |z|/h of the slab with itself shifted by z.)
#ifndef RDF_NORM_H
#define RDF_NORM_H

#include "error.h"
#include "hist_stream.h"
#include "tool.h"

// The conventions by name; ends with a NULL name. The first is the default.
extern const struct trj_choice rdf_norms[];

// What records add up to, for one convention. A zeroed one with norm and volume set is ready for rdf_sums_take.
struct rdf_sums {
    const char *norm; // one of rdf_norms; NULL: only counts are wanted
    double volume;    // > 0 (Å^3): stands in for that of the frames, with full shells whatever the periodicity
    size_t records, bins;
    uint64_t *counts; // [pairs][bins]
    // [pairs][bins] sums over records of W g, W^2 g and W^2 g^2, g that of the record, W its frames, or, where groups change, its pairs
    double *weighted, *first, *second;
    double *weight, *weight2;        // [pairs] sums of W and W^2
    uint64_t *group_atoms;           // as in rdf_record, of all
    struct rdf_pair_sums *pair_sums; // the same
    double *shells, thickness;       // [bins] of the last record; its slab's thickness, 0 for full shells
};

// Adds a record; fits rdf_hist.take.
int rdf_sums_take(void *sums, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err);
void rdf_sums_free(struct rdf_sums *s); // not s itself

struct rdf_curve {
    double *g; // [bins]
    double *n; // [bins] atoms of B around one of A from rmin to the upper edge of the bin
    double
        *error; // [bins] standard error of g over records, weighted by their frames; NULL with fewer than two records
};

// The curve of pair number `pair` from the sums of all records of h. Refuses with TRJ_BAD_DATA what cannot be normalised: frames without a
// volume, not periodic, of mixed periodicity, slabs whose thickness varies within a record. rdf_curve_free frees.
int rdf_norm_curve(struct rdf_curve *c, const struct rdf_hist *h, const struct rdf_sums *sums, size_t pair,
                   struct trj_error *err);
void rdf_curve_free(struct rdf_curve *c);

// What all records hold together: no runs, no counts.
struct rdf_record rdf_hist_total(const struct rdf_hist *h);

#endif
