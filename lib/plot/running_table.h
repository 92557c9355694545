// SPDX-License-Identifier: MIT
// Tables of estimates from the first frames, such as the dielectric constant, which trjcorr prints as comments.
#ifndef PLOT_RUNNING_TABLE_H
#define PLOT_RUNNING_TABLE_H

#include "error.h"
#include "plot_table.h"

// Replaces the rows of a table by those of its comments: the number of frames, and the estimate of each expression.
// Fails with TRJ_BAD_DATA if there are no such comments.
int plot_running_table_fill(struct plot_table *t, struct trj_error *err);

#endif
