// SPDX-License-Identifier: MIT
// The reciprocal part of the potential from the charges on a mesh, by Fourier transforms (particle-mesh Ewald, U.
// Essmann et al., J. Chem. Phys. 103, 8577 (1995)). With the mesh charges Q(x) of charge_mesh.h and their transform
// Q^(m) = sum over x of Q(x) exp(-2 pi i m . x / K), the potential in e/Å at mesh point x is
//
//     phi(x) = sum over m != 0 of G(m) Q^(m) / (c_0(m_0) c_1(m_1) c_2(m_2)) exp(2 pi i m . x / K)
//     G(m)   = 4 pi / (V k^2) exp(-k^2 / (4 alpha^2)),    k = 2 pi (m_0 g_0 + m_1 g_1 + m_2 g_2)
//     c_a(m) = sum over j of M_n(j) cos(2 pi m (j - n/2) / K_a)
//
// with the reciprocal vectors g of the cell and its volume V. These are values of the potential: Q^ / c is the Euler
// spline approximation of the structure factor (Essmann, equations 3.6 and 4.3). The array of molecular-dynamics
// programs has 1 / |c|^2 in the place of 1 / c; it contains the coefficients with which splines interpolate the
// potential at atoms, and its numbers are not the potential.
//
// The term m = 0 is omitted: the mean of the map is 0, a net charge is neutralised by a uniform background, and the
// medium around the crystal is a conductor ("tin foil"). Where m is half of an even K, G is the mean of those of m and
// -m, which differ in skew cells, so that the potential is real.
#ifndef POT_PME_TRANSFORM_H
#define POT_PME_TRANSFORM_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "map_lattice.h"

struct pot_transform;

// Sets inverse[m] to 1 / c(m) of an axis, for m < points.
void pot_transform_set_inverse(double *inverse, size_t points, unsigned order);

// Opens a transform of a mesh of n points; order is 4, 6 or 8, alpha in 1/Å. Fails with TRJ_NO_ENGINE in a build
// without FFTW, and with TRJ_FAILED if memory is not available.
int pot_transform_open(struct pot_transform **transform, const uint64_t n[3], unsigned order, double alpha,
                       struct trj_error *err);
void pot_transform_close(struct pot_transform *transform); // NULL is allowed

// Computes the potential in e/Å of the charges quantum * charge[n[2]][n[1]][n[0]] (in e) in a cell, which the points of
// lattice *l divide. Sets *potential[n[2]][n[1]][n[0]], which belongs to the transform, is valid until the next call,
// and may be changed.
int pot_transform_compute(struct pot_transform *transform, const struct trj_map_lattice *l, const int64_t *charge,
                          double quantum, double **potential, struct trj_error *err);

#endif
