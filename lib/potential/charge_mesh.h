// SPDX-License-Identifier: MIT
// Spreads point charges onto a periodic mesh, as particle-mesh Ewald does (U. Essmann et al., J. Chem. Phys. 103, 8577
// (1995)): the charge at mesh point k is
//
//     Q(k) = sum over charges and images of q M_n(u_0 - k_0 + n/2) M_n(u_1 - k_1 + n/2) M_n(u_2 - k_2 + n/2)
//
// where u are the coordinates of the charge in steps of the mesh, and M_n is the cardinal B-spline of order n (4, 6 or
// 8), whose support is 0 to n. The term n/2 puts the middle of the spline at the charge; Essmann's Q is this one,
// shifted by n/2 points along each axis.
//
// Each product is rounded to a multiple of the quantum, and sums are integers. They are the same for any number of
// threads, order of the charges and instruction set. The operations are, in float64 and without contraction:
//
//     d = x - origin                                        of the lattice, in Å
//     s = (d[0] g[0] + d[1] g[1]) + d[2] g[2]               g: row of trj_cell_reciprocal of the cell of the lattice
//     u = (s - floor(s)) n;  0 if that is n                 n: number of points along the axis
//     w = u - floor(u)
//
// and then those of charge_kernel.h, in which the unit of charges is the quantum times ((n - 1)!)^3, for the order n.
#ifndef POT_CHARGE_MESH_H
#define POT_CHARGE_MESH_H

#include <stdint.h>

#include "error.h"
#include "potential_job.h"

struct pot_mesh;

// Returns M_n(x) for n >= 2, which is 0 outside of 0 to n (Essmann, equation 4.1). A recursion, for few values.
double pot_spline(unsigned n, double x);

// Returns the quantum, in e, of charges up to max_charge: the smallest power of two that is at least max_charge, times
// 2^-40.
double pot_mesh_quantum(double max_charge);

// The smallest quantum, divided by pot_mesh_quantum: charges are then below 2^48 quanta, so that the addition of
// 0x1.8p52 rounds them to integers.
#define POT_MESH_FINE 0x1p-8

// Opens a mesh of n points with all sums 0. `order` is 4, 6 or 8; `quantum` is a power of two, in e. Fails with
// TRJ_USAGE for other orders, with TRJ_BAD_DATA unless max_charge is from 2^-60 to 2^60 or 0, the quantum is from
// POT_MESH_FINE * pot_mesh_quantum(max_charge) to pot_mesh_quantum(max_charge), and the mesh has at most 2^31 points
// along each axis, and with TRJ_FAILED if memory or threads are not available.
int pot_mesh_open(struct pot_mesh **mesh, const uint64_t n[3], unsigned order, double max_charge, double quantum,
                  unsigned threads, struct trj_error *err);
void pot_mesh_close(struct pot_mesh *mesh); // NULL is allowed

// Adds the charges of a frame, whose lattice must have n points and three periodic axes. Fails with TRJ_BAD_DATA if a
// charge exceeds max_charge, and before a sum can exceed int64. After a failure, the sums are undefined.
int pot_mesh_add(struct pot_mesh *mesh, const struct pot_frame *frame, struct trj_error *err);

// Returns the sums [n[2]][n[1]][n[0]] in quanta, since the mesh was opened or last taken. They belong to the mesh and
// are valid, and can be changed, until the next call. The sums are 0 after it.
int64_t *pot_mesh_take(struct pot_mesh *mesh);

// Computes jobs with charge_mesh by the functions above; uses the number of points, the order, the largest charge, the
// quantum and the number of threads of the job.
extern const struct pot_method pot_mesh_cpu;

#endif
