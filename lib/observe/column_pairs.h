// SPDX-License-Identifier: MIT
// Pairs the columns of two observables, such as the torsion angles phi and psi of residues.
#ifndef OBS_COLUMN_PAIRS_H
#define OBS_COLUMN_PAIRS_H

#include <stddef.h>

#include "error.h"
#include "observable.h"

struct obs_column_pair {
    size_t a, b; // numbers of the columns
};

// Sets *pairs, which free() frees, to the pairs of columns, in the order of the columns of a. Columns of residues
// (obs_observable.division), one for each, are paired by the residues: those of which one observable has no column are
// left out, as the first residue of a chain has no phi. Other columns are paired by their order. Fails with TRJ_USAGE
// if the numbers of these differ, or if no residue has both.
int obs_columns_pair(struct obs_column_pair **pairs, size_t *count, const struct obs_observable *a,
                     const struct obs_observable *b, struct trj_error *err);

#endif
