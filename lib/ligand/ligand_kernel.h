// SPDX-License-Identifier: MIT
// The inner loops of ligand maps: the energies of a ligand in several orientations at one point. Each instruction set
// has its own file, and all perform the operations below, in float32 and in this order, so that their results are
// equal.
//
// Energies are in kT. For atom j and a site at s, whose type has the coefficients c12 = 4 e sigma^12 / kT and
// c6 = 4 e sigma^6 / kT with the atom:
//     d = x_j - s,  r2 = max(fma(d_2, d_2, fma(d_1, d_1, d_0 d_0)), LIG_CLOSEST),  v = 1 / r2
//     s6 = (v v) v, or 0 unless r2 < cutoff^2,   t = fma(c12, s6, -c6)
//     charges: w = (fma(k, r2, sqrt(v)) - c) Q, or 0 unless r2 < cutoff^2
// with the reaction field of a conductor (I. G. Tironi, R. Sperb, P. E. Smith, W. F. van Gunsteren, J. Chem. Phys.
// 102, 5451 (1995), with infinite permittivity): k = 1 / (2 cutoff^3), c = 3 / (2 cutoff), and Q the charge of the
// site times the Coulomb constant over kT. Atom j belongs to the partial sum a_m, m = j mod LIG_LANES. For each site,
// and its atoms in ascending order,
//     near atoms: e = s6 t, a_m = a_m + e;  far atoms: a_m = fma(s6, t, a_m);  charges: a_m = fma(q_j, w, a_m)
// The near atoms of all sites come before the far ones. If e > cap for any of them, the energy is infinite. Otherwise
// it is the sum of the partial sums: a_m = a_m + a_(m + h) for m < h, with h = 8, 4, 2, 1.
//
// Error, with u = 2^-24: let each coordinate have an error of at most d, because positions were rounded. For a pair at
// the distance r, the relative error of r2 is at most f = 2 sqrt(3) d / r + 4 u, and the errors of c12 s6^2 and c6 s6
// are at most 6 f + 12 u and 3 f + 6 u of their magnitudes. The additions add (n / LIG_LANES + 8) u of the sum of all
// magnitudes, for n atoms and sites. A pair whose r2 is within f of the square of the cutoff may or may not count.
#ifndef LIG_LIGAND_KERNEL_H
#define LIG_LIGAND_KERNEL_H

#include <stddef.h>

#include "ligand.h"

enum { LIG_LANES = 16, LIG_TYPES_MAX = 8 };
#define LIG_CLOSEST 1e-4F // Å^2: smaller squared distances are replaced by this one

// Atoms near a point. Arrays are aligned to 64 bytes.
struct lig_atoms {
    size_t count; // a multiple of LIG_LANES; the last atoms may be beyond any cutoff, with zero coefficients
    float *x[3];  // [count] Å
    float *charge;
    float *c12[LIG_TYPES_MAX], *minus_c6[LIG_TYPES_MAX];
};

struct lig_kernel_site {
    int type;     // of Lennard-Jones coefficients; -1: none
    float charge; // Q; 0: none
};

struct lig_placements {
    unsigned orientations;
    size_t sites;
    const struct lig_kernel_site *site; // [sites]
    const float (*position)[3];         // [orientations][sites] Å, relative to the point
    float cutoff2, cap, k, c;
};

struct lig_kernel {
    const char *name;
    // Sets energy[p->orientations] for a point at x, in the coordinates of the atoms. The position of a site is
    // x + p->position, one float32 addition. Coefficients are needed for the types of the sites only.
    void (*energies)(const struct lig_placements *p, const struct lig_atoms *near, const struct lig_atoms *far,
                     const float x[3], float *energy);
};

extern const struct lig_kernel lig_kernel_avx512, lig_kernel_avx2, lig_kernel_plain;

#endif
