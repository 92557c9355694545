// SPDX-License-Identifier: MIT
// The smooth part of a potential in open space: that of Gaussian charges, erf(alpha r) / r, at the points of a lattice,
// from charges on a periodic mesh with the same steps. With the mesh charges Q of charge_mesh.h,
//
//     phi(x) = sum over y of g(x - y) P(y),    P^(m) = Q^(m) / (c_0(m_0) c_1(m_1) c_2(m_2))
//
// where g(d) = erf(alpha |d|) / |d|, and P is Q without the transform of the splines (c of pme_transform.h). Both the
// sum and the division are products of Fourier transforms on the mesh. g is sampled in space, at those d that are
// within half of the mesh along each axis: no image of a charge contributes if x - y is one of them for all points and
// charges, so that space is open, as with a truncated Green's function (F. Vico, L. Greengard, M. Ferrando, J. Comput.
// Phys. 323, 191 (2016)). That method samples the transform of g instead, for which it needs a mesh of twice the size;
// here, samples of g are enough, because its transform has decayed by exp(-(pi / (2 alpha h))^2) at the largest wave
// number of the mesh with steps h: by 10^-12 for alpha h = 0.3.
//
// The slope of g jumps where d changes its sign, half of the mesh away. The division by c spreads this jump with
// amplitudes that decrease by a factor of 0.54 with each point for order 8. Therefore the mesh is larger by
// POT_FAST_GUARD points on both sides.
#ifndef POT_FAST_TRANSFORM_H
#define POT_FAST_TRANSFORM_H

#include <stdint.h>

#include "error.h"
#include "map_lattice.h"

#define POT_FAST_GUARD 12

struct pot_fast_transform;

// Opens a transform of a mesh of n points, which must be even, with the steps of a lattice. order is 4, 6 or 8, alpha
// in 1/Å. Fails with TRJ_NO_ENGINE in a build without FFTW, and with TRJ_FAILED if memory is not available.
int pot_fast_transform_open(struct pot_fast_transform **transform, const struct trj_map_lattice *l, const uint64_t n[3],
                            unsigned order, double alpha, struct trj_error *err);
void pot_fast_transform_close(struct pot_fast_transform *transform); // NULL is allowed

// Computes the potential in e/Å of the charges quantum * charge[n[2]][n[1]][n[0]] (in e). Sets
// *potential[size[2]][size[1]][size[0]], the values at the first points along each axis, with size <= n. It belongs to
// the transform, and is valid until the next call.
int pot_fast_transform_compute(struct pot_fast_transform *transform, const int64_t *charge, double quantum,
                               const uint64_t size[3], const double **potential, struct trj_error *err);

// Returns the bytes of memory of a transform and its mesh of n points.
double pot_fast_transform_bytes(const uint64_t n[3]);

#endif
