// SPDX-License-Identifier: MIT
// Chooses the parameters of particle-mesh Ewald for a tolerance, and measures the error of the map of one frame.
//
// The error is the rms difference from sums in float64, relative to the rms of the reciprocal part, at 100 to 1000
// points of the mesh that a hash function selects. The reference for the reciprocal part is
//
//     - for few charges, the reciprocal part of an Ewald sum (ewald.h);
//     - for many charges, the reciprocal part on the same mesh with splines of order 8 and a smaller coefficient, at
//       most half of alpha, plus the difference between the real-space parts for both coefficients (real_space_bins.h).
//       The coefficient is chosen so that, according to the model of pme_choice.h, the error of this reference is at
//       most 5 % of the error to be measured.
//
// The reference for the full potential also contains the real-space part within 6 / alpha, beyond which it is
// negligible.
#ifndef POT_PME_TOLERANCE_H
#define POT_PME_TOLERANCE_H

#include "error.h"
#include "potential_job.h"

// Chooses parameters by pot_pme_choose, for smaller and smaller errors of its model, until the measured error is at
// most 0.8 times job->tolerance; with this margin, the error at other points also meets the tolerance. If finer choices
// do not reach this, takes the best one whose measured error is at most job->tolerance. Sets job->exact
// if the errors of float32 would exceed the tolerance. Sets text[POT_REPORT] to a line with the choice and its error,
// which is that of the model if all charges of the frame are 0. Computes on the CPU with job->threads threads, so that
// the choice does not depend on the engine that computes the map later. Fails with TRJ_USAGE unless the tolerance is
// from 1e-10 to 0.1, and if it cannot be met with the given parameters; with TRJ_BAD_DATA unless the cell is periodic
// along all axes; with TRJ_NO_ENGINE in a build without FFTW; otherwise as pot_pme_choose and the methods of
// potential_job.h.
int pot_pme_meet_tolerance(struct pot_job *job, const struct pot_frame *frame, double grid, char *text,
                           struct trj_error *err);

// Measures the error of the reciprocal part of a job, whose method is set up, at 100 points of the mesh; errors far
// below `resolved` are not resolved. Sets *error to the relative rms error, or to NAN if all charges are 0.
// Fails as pot_pme_meet_tolerance, for the frame, memory and a build without FFTW.
int pot_pme_measure_mesh(const struct pot_job *job, const struct pot_frame *frame, double resolved, double *error,
                         struct trj_error *err);

#endif
