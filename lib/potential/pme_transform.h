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

#include "mesh_wave.h"
#include "pme_parts.h"

// Sets inverse[m] to 1 / c(m) of an axis, for m < points.
void pot_transform_set_inverse(double *inverse, size_t points, unsigned order);

// Sets G for the cell that a lattice divides.
void pot_green_set(struct pot_green *t, const struct trj_map_lattice *l, double alpha);
// Sets factor[k][n[k]] to exp(-k^2 / (4 alpha^2)) / c_k(m) of each axis. In a cell with right angles, their product is
// G(m) / (c_0 c_1 c_2) times pi V (m . g)^2. inverse[k][n[k]] is that of pot_transform_set_inverse.
void pot_green_set_factors(const struct pot_green *t, double *const inverse[3], double *const factor[3]);

// By FFTW, on one thread. Fails with TRJ_NO_ENGINE in a build without it.
extern const struct pot_transform_method pot_transform_fftw;

#endif
