// SPDX-License-Identifier: MIT
// Reads tables of curves, as rdfnorm and rdfderive print them: comments, of which the last before the first row names the columns, and rows of
// numbers between tabs. What is cut from them with cut(1) or awk(1) is a table as well.
#ifndef PLOT_TABLE_H
#define PLOT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "bytes.h"
#include "error.h"
#include "plot_quantity.h"

struct plot_column {
    const struct plot_quantity *quantity; // NULL: none that is known
    char *of;                             // "A:B"; NULL likewise
    size_t error;                         // the number of the column of its standard errors; 0: none
};

struct plot_table {
    char *file;       // its name
    const char *axis; // what the first column is: "r / Å"
    size_t columns, rows;
    struct plot_column *column; // [columns]
    double *values;             // [rows][columns]; NaN where there is none
    bool total;                 // partial structure factors tend to 1, all of them
    bool edges; // r is the upper edge of the bin, not its middle: as the comments say, else where n(r) comes first
    double resolved_from;                 // rows with a smaller first column are marked as not resolved; 0: none
    char *lag;                            // time between the two frames of a pair, as text; NULL: none
    const struct plot_quantity *quantity; // of the first column that has one
    // While it is read:
    bool edges_known;    // where r is
    char *names, **name; // the last comment, and its words
    size_t room;
};

// Reads it from the file, "-" is standard input, and puts its lines of provenance behind those in *provenance. A zeroed one will do;
// plot_table_free frees also after a failure. TRJ_BAD_DATA with file and line: no number where one should be, one above 1e100, other columns than are named,
// a first column that does not grow, infinities or no numbers there; no column that can be drawn.
int plot_table_read(struct plot_table *t, struct trj_bytes *provenance, const char *path, struct trj_error *err);
void plot_table_free(struct plot_table *t);

double plot_table_x(const struct plot_table *t, size_t row); // as drawn: of the two edges of a bin the middle
double plot_table_half_width(const struct plot_table *t,
                             size_t row); // half the distance to the next row; 0: there is one row only

#endif
