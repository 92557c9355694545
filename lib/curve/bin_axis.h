// SPDX-License-Identifier: MIT
// The comment of a table that describes the bins of a histogram along an axis, from which figures and sums of tables
// take the range, the quantity and its unit:
//     # axis bin: rg in Angstrom: 100 bins from 10 to 30
#ifndef CURVE_BIN_AXIS_H
#define CURVE_BIN_AXIS_H

#include <stdint.h>

#include "error.h"
#include "table_writer.h"

struct curve_bin_axis {
    char *column; // that contains the middles of the bins
    char *name;   // of the quantity, without blanks
    char *unit;   // "1": a pure number
    double low, high;
    uint64_t bins; // of equal widths
};

void curve_bin_axis_write(const struct curve_bin_axis *a, struct trj_table *t);
// Reads a line of a table into *a, which curve_bin_axis_free frees, also after a failure. Returns 1; 0 if the line is
// not such a comment; -1 and TRJ_BAD_DATA if it is invalid, without the number of the line.
int curve_bin_axis_read(struct curve_bin_axis *a, const char *line, struct trj_error *err);
void curve_bin_axis_free(struct curve_bin_axis *a); // not a itself

#endif
