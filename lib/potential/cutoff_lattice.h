// SPDX-License-Identifier: MIT
// Constants of the method cutoff for one lattice, and the error bound that follows from them (cutoff_sum.h).
#ifndef POT_CUTOFF_LATTICE_H
#define POT_CUTOFF_LATTICE_H

#include "cutoff_kernel.h"
#include "pot_kernel.h"

enum { POT_BOUNDS = 64 };
// Factors of the error bounds of cutoff_sum.h, for 1/r and for powers of it up to the twelfth.
#define POT_PLAIN_ERROR (20 * 0x1p-24)
#define POT_STEEP_ERROR (80 * 0x1p-24)

struct pot_cutoff_constants {
    struct pot_cutoff_lattice vectors; // for the kernels
    double axes[3][3];                 // rows: X, Y and Z = axes . (y - origin)
    double step[3][3];                 // rows: the steps in these axes
    double box[3];                     // half of the bounding box of a block
    double outer;
    double near;                  // squared distance for float64; for lj, that of the atom replaces it
    double bound[POT_BOUNDS + 1]; // largest |potential| of a unit charge for s >= i / POT_BOUNDS
    double error[POT_BOUNDS + 1]; // the same for the error, without the rounding to multiples of a quantum
    double series_error;          // erfc: largest error of P
    double shift;                 // S
};

// `reach` is set to the reach in lattice_plan.h.
void pot_cutoff_constants_set(struct pot_cutoff_constants *c, const struct pot_job *job,
                              const struct pot_kernel *kernel, const struct trj_map_lattice *l, float reach[3]);

// Sets job->error_bound.
int pot_cutoff_set_bound(struct pot_job *job, struct trj_error *err);

#endif
