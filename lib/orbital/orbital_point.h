// SPDX-License-Identifier: MIT
// Functions, orbitals and quantities at single points, in long double and without screening. Tests compare engines with
// it; it is not fast.
#ifndef ORB_POINT_H
#define ORB_POINT_H

#include <stddef.h>

#include "orbital_basis.h"
#include "orbital_job.h"

// A value with its derivatives by the position in bohr.
struct orb_jet {
    long double value, gradient[3];
    long double hessian[6]; // xx, xy, xz, yy, yz, zz
};

// Computes each function of the basis, jet[functions].
void orb_point_functions(const struct orb_basis *b, const double point[3], struct orb_jet *jet);

// Computes an orbital from the functions at a point, with the coefficients [functions].
struct orb_jet orb_point_orbital(const struct orb_basis *b, const struct orb_jet *function, const double *coefficient);

// Computes the density, the sum of weight times psi^2, from orbitals at a point.
struct orb_jet orb_point_density(size_t orbitals, const struct orb_jet *orbital, const double *weight);

// Computes the values of a job at a point, value[orb_job_values], from the functions at this point. `orbital` is memory
// for the orbitals of the job, [orbitals].
void orb_point_values(const struct orb_job *job, const struct orb_jet *function, struct orb_jet *orbital,
                      long double *value);

#endif
