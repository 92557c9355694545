// SPDX-License-Identifier: MIT
// What engines compute: orbitals, or quantities that follow from them, at the points of a lattice or of a list. All
// numbers are in atomic units.
#ifndef ORB_JOB_H
#define ORB_JOB_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "host_and_device.h"
#include "orbital_basis.h"

// psi_i are the orbitals of the job, w_i their weights, rho is the sum of w_i psi_i^2, and tau half the sum of
// w_i |grad psi_i|^2.
enum orb_quantity {
    ORB_ORBITALS,         // each psi_i
    ORB_PRODUCT,          // psi_0 psi_1
    ORB_DENSITY,          // rho; the spin density, if beta orbitals have negative weights
    ORB_GRADIENT,         // |grad rho|
    ORB_LAPLACIAN,        // of rho
    ORB_KINETIC,          // tau
    ORB_REDUCED_GRADIENT, // s = |grad rho| / (2 (3 pi^2)^(1/3) rho^(4/3)), then sign(lambda_2) rho, where lambda_2 is
                          // the second eigenvalue of the Hessian of rho; sign(0) is 0
    ORB_ELF, // 1 / (1 + (D / D_h)^2): D = tau - |grad rho|^2 / (8 rho), D_h = 3/10 (3 pi^2)^(2/3) rho^(5/3)
    ORB_LOL, // 1 / (1 + tau / D_h)
    ORB_QUANTITIES,
};

// Where rho is below this density, in bohr^-3, quotients are not computed: ELF and LOL are 0, and s is
// ORB_REDUCED_GRADIENT_MAX, which is about its value at this density, so that these values are never NaN or infinite.
#define ORB_DENSITY_MIN          1e-12
#define ORB_REDUCED_GRADIENT_MAX 1e4

// Engines leave out what is small: a term, which is a primitive times its coefficient, is left out of the points of a
// box if nowhere in the box it exceeds this fraction of the largest term at any point of the lattice. If the quantity
// is a sum of products of two terms, the same holds for products. Errors are then below 1e-12 of the largest value.
#define ORB_SCREEN          1e-14 // of orbitals and their products, and of quantities that are sums of such products
#define ORB_SCREEN_QUOTIENT 1e-20 // of quotients, for which small densities must be exact, too: s, ELF and LOL

struct orb_job {
    const struct orb_basis *basis;
    enum orb_quantity quantity;
    size_t orbitals;
    const double *coefficient; // [orbitals][functions]
    const double *weight;      // [orbitals]; ORB_ORBITALS and ORB_PRODUCT use none
    // The lattice: any three independent steps. The point i, j, k is origin + i step[0] + j step[1] + k step[2].
    uint64_t n[3];
    double origin[3], step[3][3]; // bohr
    // Or a list of points: n is {points, 1, 1}, and origin and step are not used.
    const double (*point)[3]; // bohr; NULL: a lattice
};

// Checks the numbers of a job. Fails with TRJ_BAD_DATA if a coefficient, weight, step, origin or point is not finite,
// if an exponent is not finite and positive, if a quantity lacks its orbitals, or if a lattice or list has no points or
// 2^48 or more.
int orb_job_check(const struct orb_job *job, struct trj_error *err);

// Returns the number of points of a slab unit: of a plane of the lattice, or 1 for a list (orbital_engine.h).
uint64_t orb_job_plane(const struct orb_job *job);
// Returns the number of slab units: planes of the lattice, or points of the list.
uint64_t orb_job_planes(const struct orb_job *job);

// Sets the coordinates of a point of a lattice or list, whose number is i + n[0] (j + n[1] k).
TRJ_HOST_DEVICE void orb_job_point(const struct orb_job *job, uint64_t number, double point[3]) {
    const uint64_t row = number / job->n[0], i = number % job->n[0], j = row % job->n[1], plane = row / job->n[1];
    const double index[3] = {(double)i, (double)j, (double)plane};
    for (int k = 0; k < 3; k++)
        point[k] = job->point ? job->point[number][k]
                              : fma(index[0], job->step[0][k],
                                    fma(index[1], job->step[1][k], fma(index[2], job->step[2][k], job->origin[k])));
}

// Returns the number of values that a point has: the number of orbitals for ORB_ORBITALS, 2 for ORB_REDUCED_GRADIENT,
// else 1.
size_t orb_job_values(const struct orb_job *job);

#endif
