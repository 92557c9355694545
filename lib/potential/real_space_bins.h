// SPDX-License-Identifier: MIT
// Sums over point charges and their periodic images around a point, in float64, with the charges sorted into bins. They
// check the parameters of particle-mesh Ewald for many atoms, where ewald.h takes too long.
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

// Which sums, in 1/Å and Å; wide <= narrow.
struct pot_bin_terms {
    double wide, narrow; // coefficients alpha of two Ewald sums
    double reach;        // of the sums
    double cutoff;       // of `within`, at most `reach`
};

// In e/Å.
struct pot_bin_sums {
    double smooth; // of q (erf(narrow r) - erf(wide r)) / r: the difference of the reciprocal parts, less backgrounds
    double whole;  // of q erfc(narrow r) / r, without charges at r = 0
    double within; // the part of `whole` within the cutoff
};

// Threads may call this function at the same time.
void pot_bins_sum(const struct pot_bins *bins, const double point[3], const struct pot_bin_terms *terms,
                  struct pot_bin_sums *sums);

#endif
