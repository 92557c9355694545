// SPDX-License-Identifier: MIT
// What the surface of the crystal adds to the potential of a periodic system. Ewald's sums are those of a crystal in a
// conductor (POT_TINFOIL), to which the sums below are added. They are linear in the charges, so that frames with one
// cell can be added first.
//
// POT_VACUUM: the crystal is a sphere in vacuum (S. W. de Leeuw et al., Proc. R. Soc. A 373, 27 (1980)). The potential
// at r gets
//
//     -2 pi / (3 V) sum over j of q_j |r - r_j|^2  =  4 pi / (3 V) M . r + constant
//
// with the dipole moment M of the cell. It depends on which images of the charges make up the cell: those at the
// positions that the frame contains, without wrapping. The sum of the charges must be 0.
//
// POT_SLAB: the crystal is periodic only along two axes; the third one contains vacuum (I.-C. Yeh, M. L. Berkowitz, J.
// Chem. Phys. 111, 3155 (1999); V. Ballenegger et al., J. Chem. Phys. 131, 094107 (2009) for the terms of a net
// charge). With the coordinate z along the normal of the other two axes, and the height L of the cell, the potential
// gets
//
//     -2 pi / V sum over j of q_j ((z - z_j)^2 + L^2 / 6)
//
// For the wave vectors without a component in the plane, Ewald's sums and this term together are -2 pi / A sum of q_j
// |z - z_j|, the potential of charged planes (A is the area). The other wave vectors are correct if the vacuum is wide.
// Positions are wrapped into the cell, whose faces across the axis must lie in the vacuum.
#ifndef POT_PME_SURFACE_H
#define POT_PME_SURFACE_H

#include "error.h"
#include "exact_sum.h"
#include "potential_job.h"

struct pot_surface {
    struct trj_exact_sum charge, moment[3], square; // of q, q r (slab: moment[0] is that of q z), q r^2 (q z^2)
};

// Adds the charges of a frame; no effect for POT_TINFOIL. Fails with TRJ_BAD_DATA for POT_VACUUM if the net charge
// exceeds 0.001 e, and for POT_SLAB if charges are in more than 0.9 of the height of the cell.
int pot_surface_add(struct pot_surface *s, const struct pot_job *job, const struct pot_frame *frame,
                    struct trj_error *err);

// Adds the term to potential[n[2]][n[1]][n[0]] in e/Å, for the points of the lattice of the frames.
void pot_surface_apply(const struct pot_surface *s, const struct pot_job *job, const struct trj_map_lattice *l,
                       double *potential);

#endif
