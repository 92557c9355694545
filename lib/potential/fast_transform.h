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
// amplitudes that decrease by a factor of 0.54 with each point for order 8. Therefore a guard of 12 points or more
// enlarges the mesh on both sides. The remaining deviation does not depend on alpha. For 3000 random charges in a cube
// of 40 Å and steps of 1 Å, its rms is 2e-9 of the rms of the map with a guard of 12 points, and 2e-11 with 20 points.
#ifndef POT_FAST_TRANSFORM_H
#define POT_FAST_TRANSFORM_H

#include <stdint.h>

#include "mesh_wave.h"
#include "pme_parts.h"

// Returns the width of the guard in points, at least 12. Each higher `level` (0, 1, ...) has a smaller deviation.
static inline int pot_fast_guard(int level) {
    return 12 + 8 * level;
}

// Sets g for a mesh of l->n points with the steps of a lattice.
void pot_smooth_set(struct pot_smooth *t, const struct trj_map_lattice *l, double alpha);

// By FFTW, on one thread. `open` requires even numbers of points, and fails with TRJ_NO_ENGINE in a build without FFTW.
extern const struct pot_transform_method pot_smooth_transform_fftw;

// Returns the bytes of memory of a transform and its mesh of n points.
double pot_fast_transform_bytes(const uint64_t n[3]);

#endif
