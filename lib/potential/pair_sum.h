// SPDX-License-Identifier: MIT
// The methods direct and mdh: every charge contributes to every point, without periodic images. Contributions are those
// of pair_term.h; the same frames give the same values with any number of threads, order of charges and instruction
// set.
//
// The quantum is 2^-40 e/Å (2^-48 if the job is exact). The error of a value of one frame is at most the sum of
//     quantum / 2 for each charge,
//     for each far or distant charge, the relative error of pair_term.h and, for its last rounding, 2.1 * 2^-23, both
//     of |charge| / D, or |charge| / (4 D^2), where D >= POT_NEAR_MIN is its distance from the block of points,
//     and 2^-50 of the sum of the magnitudes of all contributions.
// (The last rounding is to a multiple of 2^k quantum, with an error of 2^(k - 1) quanta. For k > 0, 2^(k + 22) quanta
// are less than 2.1 times the bound of the contribution.) error_bound is the first two terms for the charges of the
// set-up, with the smallest D at which a charge is far. (The relative error of a distant charge is less than twice that
// of a far one, and its D at least twice this smallest D.) As charges surround a point at many distances, and errors
// have both signs, actual errors are smaller by two or more orders of magnitude.
#ifndef POT_PAIR_SUM_H
#define POT_PAIR_SUM_H

#include "potential_job.h"

// Checks what a job states about the methods direct and mdh, and sets its quantum and error_bound. charge[count] and
// radius[count] (mdh; otherwise NULL) are those of all atoms of the group, as in struct pot_frame. If the lattice is
// fractional, the bound holds for frames whose blocks of points are not smaller than those of job->lattice. Fails with
// TRJ_BAD_DATA for numbers that are not finite, for a radius that is negative or above POT_RADIUS_MAX / kappa, and for
// an invalid softening length or kappa.
#define POT_RADIUS_MAX 20.0
int pot_direct_setup(struct pot_job *job, size_t count, const double *charge, const double *radius,
                     struct trj_error *err);

// Finds the first charge of a frame (by its place in the frame) whose radius exceeds its distance from a point of the
// job: the formula of mdh does not hold there. Returns 1 and sets *atom to the number of the atom in the stream and
// *point to the first such point; returns 0 if there is none.
int pot_direct_find_inside(const struct pot_job *job, const struct pot_frame *f, uint32_t *atom, uint64_t *point);

extern const struct pot_method pot_direct_cpu;
// The sums in float64 with functions of libm, charge by charge: the reference of tests.
extern const struct pot_method pot_direct_reference;

#endif
