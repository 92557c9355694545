// SPDX-License-Identifier: MIT
// Tables of trjstat --map, which have a row for each pair of residues, atoms or frames, as maps of two coordinates.
#ifndef PLOT_PAIR_TABLE_H
#define PLOT_PAIR_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "plot_table.h"

// Returns whether the columns of a table are those of a map of pairs.
bool plot_pair_table_is(const struct plot_table *t);
// Replaces the rows by those of a full grid with three columns: the first and the second member of each pair, and the
// value. If `symmetric`, each pair is listed once. A pair without a row has the value 0 if it was never in contact or
// is the diagonal, else nan. Numbers of residues in their file replace those in the topology if all are of one
// segment and the two numbers differ by a constant.
int plot_pair_table_fill(struct plot_table *t, bool symmetric, struct trj_error *err);

#endif
