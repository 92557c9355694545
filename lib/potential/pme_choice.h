// SPDX-License-Identifier: MIT
// Chooses the parameters of particle-mesh Ewald for a tolerance, with a model of its errors for charges that are
// independent of each other. All errors here are relative: the rms error of the map, divided by the rms of its
// reciprocal part, both for charges at random positions; the quotient does not depend on the magnitudes of the charges.
//
// Reciprocal part: with K points along an axis, the wave m + l K of the charges (l is a whole number) appears on the
// mesh as the wave m, with the amplitude b_l = product over axes of (sin(x) / x)^n, x = pi (m / K + l), which is the
// transform of the B-spline of order n (R. W. Hockney, J. W. Eastwood, Computer Simulation Using Particles, 1988,
// chapter 8). The factor 1 / c(m) of pme_transform.h makes the error of a wave
//
//     e(m)^2 = sum over l of (G(m) b_l / c(m) - G(m + l K))^2
//
// and the error of the map is the root of the sum of e^2 over all waves of the mesh, divided by that of G^2.
//
// Real-space part within the cutoff r_c: for charges with sum q^2 = 1, the variance of the omitted part is 4 pi / V
// times the integral of erfc(alpha r)^2 dr from r_c to infinity, and the variance of the reciprocal part is the sum of
// G^2.
//
// The measured rms errors of random charges agree with the model within 10 % on average (tests/unit/test_pme_choice.c).
// Where opposite charges are close to each other, the potential is smaller, and so is its absolute error, but not in
// the same proportion: the relative error of water, of proteins and of crystals is 4 to 60 times the error of the
// model. Therefore pme_tolerance.h uses the model only to propose parameters, and measures their error.
#ifndef POT_PME_CHOICE_H
#define POT_PME_CHOICE_H

#include "error.h"
#include "potential_job.h"

#define POT_PME_ALPHA  0.2575 // 1/Å, if nothing determines it: erfc(alpha r) is 1.2e-5 at 12 Å
#define POT_PME_CUTOFF 12.0   // Å

// Returns the rms of the reciprocal part in e/Å, for random charges with sum q^2 = 1 e^2.
double pot_pme_reciprocal_rms(const struct trj_cell *cell, double alpha);
// Returns the error of the reciprocal part on a mesh of n points; 0 if alpha is so small that the cell has no waves for
// which G counts.
double pot_pme_mesh_error(const struct trj_cell *cell, const uint64_t n[3], unsigned order, double alpha);
// Returns the error of the real-space part within a cutoff in Å.
double pot_pme_cutoff_error(const struct trj_cell *cell, double alpha, double cutoff);

// Relative rms errors of the two parts: the largest that are allowed, or those that the model gives for a choice.
struct pot_pme_errors {
    double mesh;   // of the reciprocal part
    double cutoff; // of the real-space part; 0 without job->full
};

// Replaces zeros in job->order, job->alpha and, for job->full, job->cutoff by values for which the errors of the model
// are at most *allowed, and sets job->lattice and job->values to a mesh that divides the cell: the mesh with the lowest
// estimated cost whose steps are at most `grid` Å (0: no limit) and whose numbers of points have no prime factor above
// 7. For job->full, alpha follows from the cutoff, and is rounded up to four digits. Sets *errors to those of the
// model. Fails with TRJ_USAGE if the given parameters do not allow these errors, or if alpha is so small that the
// reciprocal part is almost 0, and with TRJ_BAD_DATA if the mesh would have more than TRJ_MAP_POINTS_MAX points. The
// cell must be periodic along all axes.
int pot_pme_choose(struct pot_job *job, const struct trj_cell *cell, double grid, const struct pot_pme_errors *allowed,
                   struct pot_pme_errors *errors, struct trj_error *err);

#endif
