// SPDX-License-Identifier: MIT
// The method pme: the potential of all periodic images of the charges, at points of a lattice that divides the cell
// (particle-mesh Ewald). Without job->full, the values are the reciprocal part, which is smooth: the potential of
// Gaussian charges of standard deviation 1 / (sqrt(2) alpha), in a neutralising uniform background. With job->full, the
// real-space part is added, and the values do not depend on alpha. With job->charge_mesh, they are the charges on the
// mesh (charge_mesh.h), with which equal bytes are promised.
//
// Frames whose lattices are equal are added on the mesh of integers, and transformed once. When the lattice changes,
// and at the end, the potential is computed (pme_transform.h), and is rounded to the quantum. Its bytes may differ
// between machines, because FFTW chooses algorithms for the processor; its relative error is about 1e-12 besides that
// of the mesh, for which pme_choice.h has a model.
#ifndef POT_PME_SUM_H
#define POT_PME_SUM_H

#include "checkpoint.h"
#include "error.h"
#include "pme_parts.h"
#include "potential_job.h"

#define POT_PME_QUANTUM 0x1p-40 // e/Å

// Fails with TRJ_USAGE if the order of the splines is not 4, 6 or 8, or alpha is not from 1e-3 to 1e3.
int pot_pme_check_numbers(unsigned order, double alpha, struct trj_error *err);
// Checks the job, and sets job->quantum and job->error_bound, which is 0. Fails with TRJ_USAGE if the order is not 4, 6
// or 8, alpha is not from 1e-3 to 1e3, points are given as a list, or job->full has no cutoff; with TRJ_BAD_DATA unless
// the lattice has three periodic axes.
int pot_pme_setup(struct pot_job *job, struct trj_error *err);

// The methods accept frames whose lattice divides the cell, and fail with TRJ_BAD_DATA for others. `reference` computes
// Ewald sums at each point (ewald.h), without a mesh and a cutoff, and is slow.
extern const struct pot_method pot_pme_cpu, pot_pme_reference;

// The functions of a struct pot_method whose engine supplies the parts, which must outlive the state.
int pot_pme_open(void **state, const struct pot_job *job, const struct pot_parts *parts, struct trj_error *err);
int pot_pme_add(void *state, const struct pot_frame *frame, struct trj_error *err);
int pot_pme_finish(void *state, const int64_t **values, struct trj_error *err);
int pot_pme_arrays(void *state, struct work_checkpoint_arrays *a, struct trj_error *err);
void pot_pme_close(void *state);
uint64_t pot_pme_bad_frame(const void *state);
void pot_pme_stats(void *state, struct trj_engine_stats *stats);

// Fails with TRJ_BAD_DATA unless the lattice of the frame has the points of the job and divides the cell of the frame.
int pot_pme_check_frame(const struct pot_job *job, const struct pot_frame *frame, struct trj_error *err);
// Adds potential[job->values] (e/Å), rounded to the quantum, to the sums. Fails with TRJ_BAD_DATA if a sum exceeds
// int64 or is not finite.
int pot_pme_round(const struct pot_job *job, const double *potential, int64_t *sum, struct trj_error *err);

#endif
