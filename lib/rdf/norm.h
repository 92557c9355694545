// SPDX-License-Identifier: MIT
// From counts to g(r), n(r) and standard errors. All floating point of the radial distribution function is here.
//
//   g_k = n_k / (F N_pairs rho_1 s_k)        Levine, Stone, Kohlmeyer, J. Comput. Phys. 230, 3556 (2011), eqs. 1-7
//   s_k = 4/3 pi (r_{k+1}^3 - r_k^3)         volume of the shell, r_k the edges of bin k
// n_k counts over F frames, N_pairs the pairs of atoms that could be there: N(N-1)/2 for a group with itself, N_A N_B - |A and B| for
// two; rho_1 the density of one atom, <1/V> unless the convention says otherwise. The conventions, with c = 2 for a group with itself, else 1:
//
//   density     rho_1 = <1/V>                              the above
//   mdanalysis  rho_1 = 1/<V>, N_A N_B of two groups       MDAnalysis InterRDF, its exclusion_block being excluded pairs
//   gromacs     rho_1 = <1/V>, N_pairs = N^2/2, N_A N_B    gmx rdf
//   vmd         g_k = <n_k V> / (N_pairs s_k)              measure gofr
//   mdtraj      as density                                 mdtraj.compute_rdf: V of each frame enters as the sum of 1/V
//   cpptraj     g_k = n_k N_B / (F N_pairs rho s_k)        cpptraj radial (Action_Radial.cpp): rho is the given density
//   of B,
//                                                          0.033456 Å^-3 by default. B is its first mask ("solvent");
//                                                          its
//                                                          second mask is A, around whose atoms it counts.
//   plane       rho_1 = <1/A>, s_k = pi (r_{k+1}^2 - r_k^2)   atoms in a plane of the area A = V/h, h from face to face across it
//   number      c n_k / (F N_A s_k)                        rho g(r), Å^-3: D. A. McQuarrie, Statistical Mechanics (1976), ch. 13
//   radial      c n_k / (F N_A (r_{k+1} - r_k))            4 pi r^2 rho g(r) = dn/dr, mean over the bin, Å^-1: the same; gmx rdf -norm none
//   none        c n_k / (F N_A)                            the step of n(r)
// Where no volume of the frames enters (cpptraj, number, radial, none, a given density or volume) shells are full spheres' and frames need no
// cell.
//
// Atoms of a finite body, a droplet or a box, have its volume for V, and s_k is what its surface leaves of the shells (shell.h). Counts hold all
// images of a pair, so that cells that are periodic in all directions take no such correction at any distance; frames of a body may only be
// periodic if images are beyond all bins.
//
// Of counts with a lag (van_hove.h) n_k are ordered pairs of an atom at one time and another one later: N_pairs = N_A N_B - |A and B|, c = 1, also
// for a group with itself, and g_k is that of the distinct part, G_d(r,t)/rho. The self part is a density by itself,
//   G_s(r,t) = m_k / (N s_k)                      L. Van Hove, Phys. Rev. 95, 249 (1954)
// of m_k atoms that went so far, of N in all frames. Shells are full spheres', and frames need no cell; `radial` is 4 pi r^2 G_s, `none` m_k/N, and
// n(r) the share of atoms that went less than r.
//
// Rebinning (rebin.h) changes which bins there are and nothing else: n(r) counts from the histogram's rmin, also where the range of bins begins later.
//
// Frames periodic in two directions are a slab, with shells of shell.h, of the thickness h of the cell across the third one, V/A; or of a given
// one H, with V = A H. So may frames be that are periodic in all, where images across the plane are beyond all bins.
#ifndef RDF_NORM_H
#define RDF_NORM_H

#include "curve_mean.h"
#include "error.h"
#include "hist_stream.h"
#include "rebin.h"
#include "scattering.h"
#include "shell.h"
#include "tool.h"

// The conventions by name; ends with a NULL name. The first is the default.
extern const struct trj_choice rdf_norms[];

// What the first column of a pair holds in a convention, and its name: "g", "g(r)"; for the self part of counts with a lag "Gs", ...
const struct trj_choice *rdf_norm_column(const char *norm, bool self);

// What records add up to, for one convention. A zeroed one with what is asked for set is ready for rdf_sums_take.
struct rdf_sums {
    // What is asked for:
    const char *norm;         // one of rdf_norms; NULL: only counts are wanted
    double volume;            // > 0 (Å^3): stands in for that of the frames, with full shells whatever the periodicity
    double droplet;           // > 0 (Å): atoms are in a sphere of this radius, outside of which there is nothing
    struct rdf_shell_box box; // opened: the same for a box
    unsigned plane; // 1, 2, 3: the one across a, b, c, of frames periodic in three directions; 0: that of their two
    double slab;    // > 0 (Å): thickness of a slab, instead of that of the cell
    double density; // > 0 (Å^-3): that of atoms of B, instead of the frames'; shells are full here, too
    bool self;      // the self part of counts with a lag, as rdf_hist.self is
    size_t total_count;
    const struct rdf_total *totals;         // [total_count]
    const struct trj_text_list *scatterers; // for totals, as rdf_scattering_open takes them; NULL: none
    enum rdf_part part;                     // for totals, as rdf_hist.part is
    struct rdf_rebin rebin;
    // Of the records' curves, those of totals behind those of pairs, weighted by their frames, or, where groups change, by their pairs.
    struct rdf_mean mean;
    // What there is:
    size_t records;
    uint64_t *counts;                // [pairs][rebin.bins]
    uint64_t *below;                 // [pairs] from rmin to the first bin after rebinning
    uint64_t *group_atoms;           // as in rdf_record, of all
    struct rdf_pair_sums *pair_sums; // the same
    uint64_t *own;                   // the same; only of the self part
    // Of the last record: its counts [pairs][rebin.bins], its curves times their weights [pairs + totals][rebin.bins], the weights, what the counts of
    // bins are divided by [rebin.bins], and how far it is across the slab this is for, 0 for none.
    uint64_t *record;
    double *weighted, *weights, *measures, across;
    // For totals, of that set-up:
    struct rdf_scattering scattering;
    double *amplitudes;             // [total_count][groups]
    double *atoms, *pairs, *shares; // [groups], [pairs], [pairs]
};

// TRJ_USAGE where what is asked for does not go together.
int rdf_sums_check(const struct rdf_sums *s, struct trj_error *err);
// Adds a record; fits rdf_hist.take.
int rdf_sums_take(void *sums, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err);
void rdf_sums_free(struct rdf_sums *s); // not s itself

// Returns in height[] the smallest and the largest height of the cells in Å, if frames are a slab of the thickness of
// the cell; else zeros.
void rdf_sums_cell_heights(double height[2], const struct rdf_sums *s, const struct rdf_record *all);

struct rdf_curve {
    double *g; // [bins] g(r), or what rdf_norm_column says
    double *n; // [bins] atoms of B around one of A from rmin of the histogram to the upper edge of the bin
    struct rdf_mean_error error; // of g
};

// The curve of pair number `pair` from the sums of all records of h. Refuses with TRJ_BAD_DATA what cannot be normalised: frames without a
// volume, not periodic, of mixed periodicity, slabs whose thickness varies within a record, images of slabs and bodies. rdf_curve_free frees.
int rdf_norm_curve(struct rdf_curve *c, const struct rdf_hist *h, const struct rdf_sums *sums, size_t pair,
                   struct trj_error *err);
void rdf_curve_free(struct rdf_curve *c);

struct rdf_total_curve {
    struct rdf_curve curve; // u of scattering.h in g, and its error; no n
    double mean;            // what u tends to
    double *weight;         // [pairs]
    double density;         // atoms of all groups, Å^-3
};

// The sum of the partial curves of all records, each with its weight; that of a record, for the error, with the atoms and pairs that it has. What
// groups scatter is looked up again: what a stream did not tell of its atoms is known of none. rdf_total_curve_free frees.
int rdf_norm_total(struct rdf_total_curve *c, const struct rdf_hist *h, struct rdf_sums *sums, size_t total,
                   struct trj_error *err);
void rdf_total_curve_free(struct rdf_total_curve *c);

#endif
