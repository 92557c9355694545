// SPDX-License-Identifier: MIT
// The potential of point charges and their periodic images by Ewald's sums in float64, without a mesh: the reference of
// particle-mesh Ewald. With the charges q_j at r_j in a cell of volume V (S. W. de Leeuw et al., Proc. R. Soc. A 373,
// 27 (1980)):
//
//     reciprocal(r) = sum over k != 0 of 4 pi / (V k^2) exp(-k^2 / (4 alpha^2)) sum over j of q_j cos(k . (r - r_j))
//     real(r)       = sum over j and images of q_j erfc(alpha d) / d - pi / (alpha^2 V) sum over j of q_j
//
// The sum of both does not depend on alpha. Its mean over the cell is 0, and a net charge is neutralised by a uniform
// background.
#ifndef POT_EWALD_H
#define POT_EWALD_H

#include <stddef.h>

#include "cell.h"
#include "error.h"

struct pot_ewald;

// Prepares the sums, whose terms are omitted below about 1e-17 of the largest ones. Copies the charges [count] (e) at
// positions [count] (Å). The cell must have three periodic axes. alpha is in 1/Å; 0 lets the function choose it. The
// cost is about 17 V alpha^3 wave vectors for each charge here, and for each point later. Fails with TRJ_FAILED if
// memory is not available.
int pot_ewald_open(struct pot_ewald **ewald, const struct trj_cell *cell, double alpha, size_t count,
                   const double (*position)[3], const double *charge, struct trj_error *err);
void pot_ewald_close(struct pot_ewald *ewald); // NULL is allowed
double pot_ewald_alpha(const struct pot_ewald *ewald);

// Return parts of the potential in e/Å at a point in Å. The real-space part is infinite or NaN at charges. Threads may
// call these functions at the same time.
double pot_ewald_reciprocal(const struct pot_ewald *ewald, const double point[3]);
double pot_ewald_real(const struct pot_ewald *ewald, const double point[3]);

#endif
