// SPDX-License-Identifier: MIT
// From counts to g(r), n(r) and standard errors. All floating point of the radial distribution function is here.
//
//   g_k = n_k / (F N_pairs rho_1 s_k)        Levine, Stone, Kohlmeyer, J. Comput. Phys. 230, 3556 (2011), eqs. 1-7
//   s_k = 4/3 pi (r_{k+1}^3 - r_k^3)         volume of the shell, r_k the edges of bin k
// n_k counts over F frames, N_pairs the pairs of atoms that could be there: N(N-1)/2 for a group with itself, N_A N_B - |A and B| for
// two; rho_1 the density of one atom, <1/V> unless the convention says otherwise. The conventions, with c = 2 for a group with itself, else 1:
//
//   density     rho_1 = <1/V>                              the above
//   mdanalysis  rho_1 = 1/<V>                              MDAnalysis InterRDF; cpptraj radial with `volume` (Amber manual)
//   gromacs     rho_1 = <1/V>, N_pairs = N^2/2, N_A N_B    gmx rdf
//   vmd         g_k = <n_k V> / (N_pairs s_k)              measure gofr
//   mdtraj      as density                                 mdtraj.compute_rdf: V of each frame enters as the sum of 1/V
//   cpptraj     g_k = c n_k / (F N_A rho s_k)              cpptraj radial (Amber manual): a given density of B, 0.033456 Å^-3 where none is
//   plane       rho_1 = <1/A>, s_k = pi (r_{k+1}^2 - r_k^2)   atoms in a plane of the area A: that of a slab, V/h
//   number      c n_k / (F N_A s_k)                        rho g(r), Å^-3: D. A. McQuarrie, Statistical Mechanics (1976), ch. 13
//   radial      c n_k / (F N_A (r_{k+1} - r_k))            4 pi r^2 rho g(r) = dn/dr, mean over the bin, Å^-1: the same; gmx rdf -norm none
//   none        c n_k / (F N_A)                            the step of n(r)
// Where no volume of the frames enters (cpptraj, number, radial, none, a given density or volume) shells are full spheres' and frames need no
// cell.
//
// Atoms of a droplet, a sphere of radius R, have V = 4/3 pi R^3. Two points spread evenly in it are within r of one another with the probability
//   C(r) = x^3 - 9/16 x^4 + 1/32 x^6, x = r/R <= 2        J. M. Hammersley, Ann. Math. Stat. 21, 447 (1950), for three dimensions
// so that s_k = V (C(r_{k+1}) - C(r_k)).
//
// Of counts with a lag (van_hove.h) n_k are ordered pairs of an atom at one time and another one later: N_pairs = N_A N_B - |A and B|, c = 1, also
// for a group with itself, and g_k is that of the distinct part, G_d(r,t)/rho. The self part is a density by itself,
//   G_s(r,t) = m_k / (N s_k)                      L. Van Hove, Phys. Rev. 95, 249 (1954)
// of m_k atoms that went so far, of N in all frames. Shells are full spheres', and frames need no cell; `radial` is 4 pi r^2 G_s, `none` m_k/N, and
// n(r) the share of atoms that went less than r.
//
// A view (view.h) changes which bins there are and nothing else: n(r) counts from the histogram's rmin, also where the view begins later.
//
// Frames periodic in two directions are a slab of thickness h, outside of which there is nothing. Points spread evenly in it find, at
// distance r, only the share f(r) = 1 - r/(2h) (r <= h), h/(2r) (r > h) of the sphere inside, averaged over where they stand; then
//   s_k = S(r_{k+1}) - S(r_k),  S(r) = 4 pi (r^3/3 - r^4/(8h)) for r <= h,  S(r) = 5/6 pi h^3 + pi h (r^2 - h^2) beyond.
// (The integral of 4 pi r^2 f; f is the mean over directions of the overlap 1 - |z|/h of the slab with itself shifted by z.)
#ifndef RDF_NORM_H
#define RDF_NORM_H

#include "curve_mean.h"
#include "error.h"
#include "hist_stream.h"
#include "tool.h"
#include "view.h"

// The conventions by name; ends with a NULL name. The first is the default.
extern const struct trj_choice rdf_norms[];

// What the first column of a pair holds in a convention, and its name: "g", "g(r)"; for the self part of counts with a lag "Gs", ...
const struct trj_choice *rdf_norm_column(const char *norm, bool self);

// What records add up to, for one convention. A zeroed one with what is asked for set is ready for rdf_sums_take.
struct rdf_sums {
    // What is asked for:
    const char *norm; // one of rdf_norms; NULL: only counts are wanted
    double volume;    // > 0 (Å^3): stands in for that of the frames, with full shells whatever the periodicity
    double droplet;   // > 0 (Å): atoms are in a sphere of this radius, outside of which there is nothing
    double density;   // > 0 (Å^-3): that of atoms of B, instead of the frames'; shells are full here, too
    bool self;        // the self part of counts with a lag, as rdf_hist.self is
    struct rdf_view view;
    struct rdf_mean mean; // of the records' curves, weighted by their frames, or, where groups change, by their pairs
    // What there is:
    size_t records;
    uint64_t *counts;                // [pairs][view.bins]
    uint64_t *below;                 // [pairs] from rmin to the first bin of the view
    uint64_t *group_atoms;           // as in rdf_record, of all
    struct rdf_pair_sums *pair_sums; // the same
    uint64_t *own;                   // the same; only of the self part
    // Of the last record: its counts, its curves times their weights, both [pairs][view.bins], the weights [pairs], what the counts of
    // bins are divided by [view.bins], and the thickness of the slab this is for, 0 for full shells.
    uint64_t *record;
    double *weighted, *weights, *measures, thickness;
};

// TRJ_USAGE where what is asked for does not go together.
int rdf_sums_check(const struct rdf_sums *s, struct trj_error *err);
// Adds a record; fits rdf_hist.take.
int rdf_sums_take(void *sums, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err);
void rdf_sums_free(struct rdf_sums *s); // not s itself

struct rdf_curve {
    double *g; // [bins] g(r), or what rdf_norm_column says
    double *n; // [bins] atoms of B around one of A from rmin of the histogram to the upper edge of the bin
    struct rdf_mean_error error; // of g
};

// The curve of pair number `pair` from the sums of all records of h. Refuses with TRJ_BAD_DATA what cannot be normalised: frames without a
// volume, not periodic, of mixed periodicity, slabs whose thickness varies within a record. rdf_curve_free frees.
int rdf_norm_curve(struct rdf_curve *c, const struct rdf_hist *h, const struct rdf_sums *sums, size_t pair,
                   struct trj_error *err);
void rdf_curve_free(struct rdf_curve *c);

// What all records hold together: no runs, no counts.
struct rdf_record rdf_hist_total(const struct rdf_hist *h);

#endif
