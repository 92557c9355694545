// SPDX-License-Identifier: MIT
// Computes sums over the point charges and their periodic images within a distance of a point, in float64, with the
// charges sorted into bins. pme_tolerance.h measures errors with these sums if there are many charges, for which
// ewald.h takes too long.
#ifndef POT_REAL_SPACE_BINS_H
#define POT_REAL_SPACE_BINS_H

#include <stddef.h>

#include "cell.h"
#include "error.h"

struct pot_bins;

// Sorts the charges [count] (e) at positions [count] (Å), which are copied. The cell must have three periodic axes.
// Fails with TRJ_FAILED if memory is not available.
int pot_bins_open(struct pot_bins **bins, const struct trj_cell *cell, size_t count, const double (*position)[3],
                  const double *charge, struct trj_error *err);
void pot_bins_close(struct pot_bins *bins); // NULL is allowed

#define POT_BINS_END 6.0 // erfc(6) is 2e-17, which is negligible

// The parameters of the sums.
struct pot_bin_terms {
    double wide, narrow; // Ewald coefficients, of wide and of narrow Gaussian charges, 1/Å; wide <= narrow
    double reach;        // the sums contain charges up to this distance, Å
    double cutoff;       // of the sum `within`, at most `reach`, Å
};

// The sums at a point, in e/Å.
struct pot_bin_sums {
    double smooth; // of q (erf(narrow r) - erf(wide r)) / r: the difference of reciprocal parts, without backgrounds
    double whole;  // of q erfc(narrow r) / r, without charges at r = 0
    double within; // of the terms of `whole` within the cutoff
};

// Computes the sums at a point (Å). Several threads may call this function at the same time.
void pot_bins_sum(const struct pot_bins *bins, const double point[3], const struct pot_bin_terms *terms,
                  struct pot_bin_sums *sums);

#endif
