// SPDX-License-Identifier: MIT
// Chooses the parameters of particle-mesh Ewald for a tolerance, and measures the error of the map of one frame.
//
// The error is the rms difference from sums in float64, relative to the rms of the reciprocal part, at 100 to 1000
// points of the mesh that a hash function selects. The reference of the reciprocal part is
//
//     - for few charges, Ewald's sum of waves (ewald.h);
//     - for many, the reciprocal part with a smaller coefficient, of half of alpha or less, with splines of order 8 on
//       the same mesh, plus the difference of both real-space parts (real_space_bins.h). The model of pme_choice.h
//       states that the error of this reference is at most 5 % of the error that it measures.
//
// That of the full potential adds the real-space part within 6 / alpha.
#ifndef POT_PME_TOLERANCE_H
#define POT_PME_TOLERANCE_H

#include "error.h"
#include "potential_job.h"

// Chooses as pot_pme_choose, with smaller and smaller errors of its model, until the measured error is at most 0.8
// times job->tolerance, so that other sample points would meet the tolerance, too. Sets job->exact if float32 does not
// allow it. Sets text[POT_REPORT] to a line about the choice and its error. Uses job->threads threads, and the CPU,
// whichever engine computes the map later, so that the choice is the same. Fails with TRJ_USAGE unless the tolerance is
// from 1e-10 to 0.1, and if it cannot be met with the given parameters; with TRJ_BAD_DATA unless the cell is periodic
// along all axes; with TRJ_NO_ENGINE in a build without FFTW; otherwise as pot_pme_choose and the methods of
// potential_job.h.
int pot_pme_meet_tolerance(struct pot_job *job, const struct pot_frame *frame, double grid, char *text,
                           struct trj_error *err);

#endif
