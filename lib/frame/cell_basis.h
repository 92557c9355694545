// SPDX-License-Identifier: MIT
// Follows the basis of the cell from frame to frame. Simulations at large shear replace the vectors of the cell by
// other vectors of the same lattice (LAMMPS: fix deform, fix npt with tilt factors). The positions of atoms and images
// do not change then, but their fractional coordinates do, and the indices of wave vectors. Code that carries these
// from one frame to another therefore needs one basis for all frames.
//
// The rule: H is the cell of a frame and H' that of the frame before, with the periodic vectors as rows, and
// C = H H'^-1, which is 1 if the cell does not change.
// - If sum_(j != k) |C_kj| <= C_kk / 3 for all k, the vectors correspond as they are: M = 1.
// - Otherwise M is the integer matrix with entries from -2 to 2 and |det M| = 1 for which
//   sum_j |(M C / s)_kj - delta_kj| <= 1/3 for all k, where s = |det C|^(1/n) with n periodic directions.
// At most one M fulfils the second condition: two of them would give an integer matrix K = M2 M1^-1 = (1 + E2)
// (1 + E1)^-1 with norms of E1 and E2 of at most 1/3, so that |K - 1| <= (2/3) / (2/3), and equality needs opposite
// deformations by a third. A frame for which there is none is rejected. The rule is right if the lattice itself is
// deformed by less than a third of a vector from one frame to the next, as atoms must move less than half a cell.
// The basis of frame t is T_t H_t, with T_0 = 1 and T_t = T_(t-1) M_t.
#ifndef TRJ_CELL_BASIS_H
#define TRJ_CELL_BASIS_H

#include <stdbool.h>

#include "cell.h"
#include "error.h"

// A zeroed struct has no frame yet.
struct trj_basis {
    // Frames are rotated (trjcat --fit): cells are compared after a rotation that brings a to x, and b into the x y
    // plane. All three directions must be periodic.
    bool rotates;
    bool started;
    struct trj_cell last; // as the frame had it
    double t[3][3];       // T: whole numbers
};

// Replaces the periodic vectors of the next frame's cell by those of the basis that is followed; without a change of
// basis, not a bit changes. The first cell is the start. If the periodic directions differ from those of the last cell,
// which the caller should reject, the cell becomes a new start. Fails with TRJ_BAD_DATA if no M fulfils the rule.
int trj_basis_follow(struct trj_basis *b, struct trj_cell *cell, struct trj_error *err);
// Returns whether two cells have the same vectors, in all their bits but the sign of zeros.
bool trj_basis_same_vectors(const struct trj_cell *a, const struct trj_cell *b);
// Forgets all frames, so that the next cell is a new start.
void trj_basis_restart(struct trj_basis *b);

#endif
