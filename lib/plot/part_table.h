// SPDX-License-Identifier: MIT
// Tables of trjstat whose rows describe atoms or residues: fluctuations (--rmsf), and pairs (pair_table.h). They
// contain names, and numbers of residues in the topology and in its file.
#ifndef PLOT_PART_TABLE_H
#define PLOT_PART_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "plot_table.h"

// Returns whether the columns of a table are those of fluctuations of atoms or residues.
bool plot_part_table_is(const struct plot_table *t);
// Returns the label of the axis of numbers of atoms or residues.
const char *plot_part_table_axis(const struct plot_table *t);
// Returns whether a column contains names, which are not drawn.
bool plot_part_table_is_text(const char *column);
// Notes the segment of a row, which `t` compares with the others.
int plot_part_table_add_segment(struct plot_table *t, const char *segment, struct trj_error *err);
// Replaces the rows by those with two columns: the number of the residue in its file, if all are of one segment and
// these numbers increase, else that in the first column; and the fluctuation.
void plot_part_table_fill(struct plot_table *t);

#endif
