// SPDX-License-Identifier: MIT
// The method cutoff: sums of a pair potential (pot_kernel.h) over all atom images within a cutoff rc of a point, for
// the points of a lattice, in any cell and with any cutoff. The values are the same bytes for any number of threads,
// order of atoms and instruction set.
//
// Pairs. The image of an atom at x (float64, Å) with the whole numbers n is at y = x + ((n_0 h_0 + n_1 h_1) + n_2 h_2),
// by component; h_v are the vectors of the cell, n_v is 0 for vectors that are not periodic. A point is at p, as
// trj_map_lattice_position computes it. With d = p - y and r2 = (d_0 d_0 + d_1 d_1) + d_2 d_2, the pair contributes if
// r2 < rc rc. All of this is float64 without contraction. pot_cutoff_reference computes all contributions in this way,
// and rounds each to a multiple of the quantum (ties to even).
//
// pot_cutoff_cpu finds atom images by lattice_plan.h, for blocks of 8 x 8 x 8 points that begin at multiples of 8. In
// units of rc, and in axes where step 0 is along X and step 1 in the plane XY, let R be y relative to the centre of
// the block, and A the same of a point of the block, with A_X = at_X[i] + shift_x[j][k], A_Y = at_Y[j] + shift_y[k],
// A_Z = at_Z[k]; `at` is float64, and `shift`, which is 0 in orthogonal lattices, float32. In float32, with s being
// r^2 / rc^2:
//     X = (float)(at_X[i] - R_X) + shift_x,  Y = (float)(at_Y[j] - R_Y) + shift_y,  Z = (float)(at_Z[k] - R_Z)
//     s = fma(X, X, fma(Y, Y, Z Z))
// With u = 2^-24 and S the largest |shift_x| plus the largest |shift_y|, s at the cutoff has an error of less than
// u (8 + 4 S) + 64 * 2^-52 * (largest coordinate of the lattice plus rc) / rc.
//   - Pairs with s < near are computed as in the reference. `near` is (2 Å / rc)^2, at most 1/4, for potentials with
//     charges; for lj it is (s_ij / rc)^2; for count it is 0. For buckingham it is (2.5 Å / rc)^2, at most 1/4, or a
//     larger value beyond which the sum of the magnitudes of both terms is below POT_LIMIT, because T below does not
//     apply the limit. With job->exact, for tables whose rows are not equidistant (table_cubics.h), and for lists of
//     points, this holds for all pairs.
//   - Potentials that are not 0 at rc jump there. If s is within its error of 1, the pair is computed as in the
//     reference, so that exactly the same pairs contribute.
//   - For the other pairs, y w is 1/sqrt(s), and t w is sqrt(s), of inverse_root.h. With a = (float)(q / rc), i = (a y)
//     w, E(x) = 2^x as in density/gauss.h, for x of at least -90, and M explained below, the contribution is bits(T) -
//     bits(M) of
//         rodrigues:   v = max(1 - s, 0),          T = fma(i, v v, M)
//         shift:       v = max(fma(-t, w, 1), 0),  T = fma(i, v v, M)
//         rf:          T = fma(fma(s, c_0, c_1), a, i) + M, if s < 1;  c_0 = k rc^3, c_1 = -c rc
//         erfc:        T = fma(i, E(s c_0) P(t w), M),  c_0 = -(alpha rc)^2 log2(e), P a polynomial that fits
//                      exp((alpha r)^2) erfc(alpha r)
//         yukawa:      T = fma(i, E((t w) c_0), M),  c_0 = -kappa rc log2(e)
//         lj:          v = (x x) x, x = (y w) (y w),  T = fma(v, fma(a, v, -b), M),  a = 4 e (s_ij / rc)^12,
//                      b = 4 e (s_ij / rc)^6
//         buckingham:  v as for lj,  T = fma(E((t w) c_0), c_1, v c_2) + M,  c_0 = -B rc log2(e), c_1 = A,
//                      c_2 = -C / rc^6
//         table:       x = min(max(fma(t w, map_0, map_1), 0), last), n = round(x - 1/2), ties to even,
//                      T = fma(q, C, M), C the polynomial of cubic n (table_cubics.h) at x - n (Horner, with FMA)
//         count:       T = M + 1
// M rounds to multiples of 2^(e - 22), where 2^e is above the largest magnitude of the potential of this atom at all
// distances of the block (of its bounding box along X, Y and Z) and beyond `near`, and 2^(e - 22) is at least the
// quantum: M = 3 * 2^e. Far atoms are therefore rounded more finely. At most POT_PARTIAL contributions are added as
// int32, then as int64.
//
// The error of a contribution is at most quantum / 2 + 2^-48 of its magnitude if it is computed in float64. Otherwise
// it is at most 2^(e - 23), plus for potentials with a charge |q| / r (20 u (1 + S / sqrt(near)) + the error of P),
// plus for tables `error` of table_cubics.h (1 + S / sqrt(near)), plus for lj and buckingham (80 u + 8 u max(B r, 1))
// (1 + S / sqrt(near)) times the magnitude of the terms (B is 0 for lj). (Coordinates have errors of u, s of 5 u,
// 1/sqrt(s) of 5 u, E of 3 u and 7 u times its argument; r is the distance of the atom from the block, but at least
// that of `near`.) `error` of pot_cutoff_cpu adds this for all images that reach a block. job->error_bound is this
// bound for the largest charge at `near`, times (number of atoms + the number of atoms in a sphere with the radius rc
// and a density of 0.25 / Å^3): it holds if at most that number of images are within the cutoff of a point, which only
// cells without physical meaning exceed. It is 0 for count, which is exact, and unknown (0) for lj, whose parameters
// belong to atoms.
#ifndef POT_CUTOFF_SUM_H
#define POT_CUTOFF_SUM_H

#include "pot_kernel.h"
#include "potential_job.h"

// Checks the kernel and the cutoff, and sets job->quantum and job->error_bound. The quantum is 1 for count; 2^-32
// kcal/mol for lj and buckingham; for tables, 2^-40 times the next power of two above the largest magnitude of a
// contribution; 2^-40 e/Å for all others, or 2^-44 e/Å if job->exact. Fails as pot_kernel_check, and with TRJ_USAGE if
// the largest charge exceeds 2^15 e.
int pot_cutoff_setup(struct pot_job *job, struct trj_error *err);

extern const struct pot_method pot_cutoff_cpu, pot_cutoff_reference;

// For the engines: adds the contributions of all atoms of a frame to the sum of one point.
int pot_cutoff_sum_point(const struct pot_job *job, const struct pot_kernel *kernel, const struct pot_frame *frame,
                         const double point[3], int64_t *sum, struct trj_error *err);
// Adds one contribution. Fails with TRJ_BAD_DATA if it is infinite, or if the sum would exceed int64.
int pot_cutoff_add(const struct pot_job *job, double value, int64_t *sum, struct trj_error *err);
// Fails with TRJ_BAD_DATA for a charge, or parameters of lj, outside of the bounds of the job.
int pot_cutoff_check_frame(const struct pot_job *job, const struct pot_frame *frame, struct trj_error *err);

#endif
