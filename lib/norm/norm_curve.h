// SPDX-License-Identifier: MIT
// Computes g(r), n(r) and standard errors from counts. All floating-point arithmetic of the radial distribution
// function is here.
//
//   g_k = n_k / (F N_pairs rho_1 s_k)        Levine, Stone, Kohlmeyer, J. Comput. Phys. 230, 3556 (2011), eqs. 1-7
//   s_k = 4/3 pi (r_{k+1}^3 - r_k^3)         volume of the shell, r_k the edges of bin k
// n_k are the counts of F frames. N_pairs is the number of pairs of different atoms: N(N-1)/2 for a group with itself,
// N_A N_B - |A and B| for two groups. rho_1 is the density of one atom, <1/V> unless the convention has another one.
// The conventions, with c = 2 for a group with itself, else 1:
//
//   density     rho_1 = <1/V>                            the formula above
//   mdanalysis  rho_1 = 1/<V>, N_A N_B for two groups    MDAnalysis InterRDF; its exclusion_block: excluded pairs
//   gromacs     rho_1 = <1/V>, N_pairs = N^2/2, N_A N_B  gmx rdf
//   vmd         g_k = <n_k V> / (N_pairs s_k)            measure gofr
//   mdtraj      as density                               mdtraj.compute_rdf, which adds 1/V of the frames
//   cpptraj     g_k = n_k N_B / (F N_pairs rho s_k)      cpptraj radial (Action_Radial.cpp). rho is the given density
//                                                        of B, 0.033456 Å^-3 by default. B is its first mask
//                                                        ("solvent"); A is its second mask, around whose atoms
//                                                        it counts.
//   plane       rho_1 = <1/A>, s_k = pi (r_{k+1}^2 - r_k^2)  atoms in a plane of area A = V/h; h is the height of the
//                                                        cell across it
//   number      c n_k / (F N_A s_k)                      rho g(r), Å^-3: D. A. McQuarrie, Statistical Mechanics (1976),
//                                                        ch. 13
//   radial      c n_k / (F N_A (r_{k+1} - r_k))          4 pi r^2 rho g(r) = dn/dr, mean over the bin, Å^-1: as above;
//                                                        gmx rdf -norm none
//   none        c n_k / (F N_A)                          the increment of n(r)
// If the volume of the frames is not used (cpptraj, number, radial, none, a given density or volume), shells are full
// spherical shells, and frames need no cell.
//
// For atoms in a finite body, a droplet or a box, V is the volume of the body, and s_k is the mean part of the shell
// inside it (shell.h). Counts contain all images of a pair, so that cells that are periodic in all directions require
// no such correction at any distance. Frames of a body may only be periodic if images are beyond all bins.
//
// For counts with a lag (van_hove.h), n_k are ordered pairs of an atom at one time and another atom later: N_pairs =
// N_A N_B - |A and B| and c = 1, also for a group with itself. g_k is the distinct part, G_d(r,t)/rho. The self part is
// a density,
//   G_s(r,t) = m_k / (N s_k)                             L. Van Hove, Phys. Rev. 95, 249 (1954)
// for m_k of N atoms, summed over all frames, that have moved by the distance of bin k. Shells are full spherical
// shells, and frames need no cell. `radial` is 4 pi r^2 G_s, `none` is m_k/N, and n(r) is the share of atoms that have
// moved by less than r.
//
// Rebinning (coarse_bins.h) changes the bins and nothing else: n(r) counts from rmin of the histogram, also if the
// range of bins begins at a larger distance.
//
// Frames that are periodic in two directions are a slab, with shells of shell.h. Its thickness is the height h of the
// cell across the third direction, V/A, or a given H, with V = A H. The same applies to frames that are periodic in all
// directions if images across the plane are beyond all bins.
#ifndef RDF_NORM_CURVE_H
#define RDF_NORM_CURVE_H

#include "coarse_bins.h"
#include "curve_mean.h"
#include "error.h"
#include "hist_stream.h"
#include "scattering.h"
#include "shell.h"
#include "tool.h"

// The conventions by name; ends with a NULL name. The first is the default.
extern const struct trj_choice rdf_norms[];

// Returns name and description of the first column of a pair in a convention: "g", "g(r)"; "Gs", ... for the self part
// of counts with a lag.
const struct trj_choice *rdf_norm_column(const char *norm, bool self);

// The sums over records for one convention. A zeroed struct with the options set is ready for rdf_sums_take.
struct rdf_sums {
    // The options:
    const char *norm;         // one of rdf_norms; NULL: only counts are required
    double volume;            // > 0 (Å^3): replaces the volume of the frames, with full shells for any periodicity
    double droplet;           // > 0 (Å): atoms are in a sphere of this radius, with empty space around it
    struct rdf_shell_box box; // the same for a box, if it was opened
    unsigned plane; // 1, 2, 3: across a, b, c, for frames periodic in three directions; 0: of their two periods
    double slab;    // > 0 (Å): thickness of a slab, instead of the height of the cell
    double density; // > 0 (Å^-3): density of atoms of B; replaces the density of the frames, with full shells
    bool self;      // the self part of counts with a lag, as rdf_hist.self is
    size_t total_count;
    const struct rdf_total *totals;         // [total_count]
    const struct trj_text_list *scatterers; // for totals, as rdf_scattering_open takes them; NULL: none
    const struct trj_text_list *patterns;   // contributions, as rdf_scattering_split takes them; NULL: none
    bool split;                             // contributions of excluded pairs and of the others; part is then all
    const char *form;                       // of totals, if it contains the density; else NULL
    enum rdf_part part;                     // for totals, as rdf_hist.part is
    struct rdf_coarse_bins coarse;
    // Mean of the curves of the records: first those of pairs, then those of totals, each of which is followed by its
    // contributions. Weights are numbers of frames, or of pairs if a group is dynamic.
    struct curve_mean mean;
    // With `form`: mean of the totals and their contributions in this form, with the density of each record.
    struct curve_mean in_form;
    struct rdf_metric metric; // of the set-up, from the first record on
    // The sums. Each pair has `second` curves, one for each bin of the second coordinate (metric.h), usually 1.
    size_t records, second;
    uint64_t *counts;                // [pairs][second][coarse.bins]
    uint64_t *excluded;              // [pairs][coarse.bins] those of excluded pairs; only with `split`
    uint64_t *below;                 // [pairs][second] from rmin to the first bin after rebinning
    uint64_t *group_atoms;           // as in rdf_record, over all records
    struct rdf_pair_sums *pair_sums; // the same
    uint64_t *own;                   // the same; only of the self part
    struct trj_exact_sum *densities; // the same; only of metrics that have densities
    uint64_t density_frames;
    // Of the last record: counts [pairs][second][coarse.bins], and those of excluded pairs; curves times their weights
    // [curves][coarse.bins], where the curves are those of the mean; the weights; the divisors of the counts of bins
    // [coarse.bins]; and the height of the cell across the slab, for which these divisors are valid, 0 for no slab.
    uint64_t *record, *record_excluded;
    double *weighted, *weights, *measures, across;
    double *weighted_form; // with `form`: [total_count * (1 + contributions)][coarse.bins], times their weights
    // For totals:
    struct rdf_scattering scattering;
    double *amplitudes;                    // [total_count][groups]
    double *atoms, *pairs, *shares, *rest; // [groups], [pairs], [pairs], [scattering.parts]
    double *limits;                        // [contributions] of the last record or curve
    // Number of contributions of a total: 0, scattering.parts, or twice that with `split`: those of the other pairs of
    // part i have the number 2 i, those of excluded pairs 2 i + 1.
    size_t contributions;
};

// Fails with TRJ_USAGE if some of the options exclude one another.
int rdf_sums_check(const struct rdf_sums *s, struct trj_error *err);
// Adds a record; has the type of rdf_hist.take.
int rdf_sums_take(void *sums, const struct rdf_setup *setup, const struct rdf_record *record, struct trj_error *err);
void rdf_sums_free(struct rdf_sums *s); // not s itself

// Returns in height[] the smallest and the largest height of the cells in Å, if frames are a slab of the thickness of
// the cell; else zeros.
void rdf_sums_cell_heights(double height[2], const struct rdf_sums *s, const struct rdf_record *all);

struct rdf_curve {
    double *g; // [bins] g(r), or the column of rdf_norm_column
    double *n; // [bins] atoms of B around one of A from rmin of the histogram to the upper edge of the bin
    struct curve_mean_error error; // of g
};

// Computes a curve, with the number pair * second + q, from the sums of all records of h. Fails with TRJ_BAD_DATA if
// counts cannot be normalised: frames without volume or periodicity, or of mixed periodicity; slabs whose thickness
// varies within a record; bins that contain images of slabs or bodies. rdf_curve_free frees.
int rdf_norm_curve(struct rdf_curve *c, const struct rdf_hist *h, const struct rdf_sums *sums, size_t curve,
                   struct trj_error *err);
void rdf_curve_free(struct rdf_curve *c);

struct rdf_total_curve {
    struct rdf_curve curve; // g is u of scattering.h; n is NULL
    double mean;            // limit of u at large r
    double *weight;         // [pairs]
    double density;         // of the atoms of all groups, Å^-3
    size_t contribution_count;
    struct rdf_curve *contribution; // [contribution_count] contributions, as parts of u
    double *limit; // [contribution_count] their limits at large r, which add up to `mean`; 0 for excluded pairs
};

// Computes a total, the weighted sum of the curves of all pairs, and its contributions. For the error, the total of
// each record has the numbers of atoms and pairs of this record. In a form that contains the density, it also has the
// density of this record: the error is that of the form, divided by its scale for the density of all records
// (rdf_form_scale), so that both give the error of the form. The scatterers are looked up again, because a group
// has a composition only if all streams contain it. rdf_total_curve_free frees.
int rdf_norm_total(struct rdf_total_curve *c, const struct rdf_hist *h, struct rdf_sums *sums, size_t total,
                   struct trj_error *err);
void rdf_total_curve_free(struct rdf_total_curve *c);
// Sets covariance[bins][bins] of a total whose error is not NULL or infinite, scaled as the error; requires mean.keep.
int rdf_norm_total_covariance(double *covariance, const struct rdf_sums *sums, const struct rdf_setup *setup,
                              size_t total, const struct rdf_total_curve *c, struct trj_error *err);

#endif
