// SPDX-License-Identifier: MIT
// Reads tables of curves as rdfnorm and rdfderive print them: comments, of which the last before the first row names
// the columns, and rows of numbers separated by tabs. Parts of such a table, made with cut(1) or awk(1), are tables,
// too. Measured curves (measured_curve.h) become tables of the same form.
#ifndef PLOT_TABLE_H
#define PLOT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "bin_axis.h"
#include "bytes.h"
#include "correlation_comments.h"
#include "error.h"
#include "error_blocks.h"
#include "plot_quantity.h"

enum { PLOT_UNIT = 100 }; // bytes of a unit

// A quantity with texts of its own.
struct plot_own_quantity {
    struct plot_quantity quantity;
    char unit[PLOT_UNIT], label[100];
};

struct plot_column {
    const struct plot_quantity *quantity;   // NULL: the name is unknown
    struct plot_own_quantity *own;          // `quantity` with unit or label from the table; NULL: from the list
    char *pair;                             // "A:B", or "A[RESIDUE]"; NULL if the name is unknown
    char *residue;                          // "A:LYS12"; NULL: the values are not those of a residue
    size_t error;                           // index of the column of its standard errors; 0: none
    struct curve_error_blocks error_blocks; // what a comment states about them
};

struct plot_table {
    char *file;            // as messages name it
    const char *axis;      // label of the horizontal axis, "r / Å"
    const char *slow_axis; // of a map: label of the vertical axis
    // Set before reading. The rows are those of a grid: one of the first two columns is one coordinate, which does not
    // decrease, and the other one is the other coordinate, which increases for each value of the first.
    bool map;
    bool pairs;     // a table of trjstat --map, which has a row for each pair
    bool symmetric; // of these, each is listed once
    bool running;   // set before reading: draw the estimates from the first frames, in comments (running_table.h)
    bool parts;     // a table of trjstat --rmsf, which has a row for each atom or residue
    // Column of the horizontal axis: 1 for maps, and if the first two are frame or lag and time, and times are known; 0
    // for histograms with two axes.
    size_t x;
    size_t slow; // of a map: the other one of the first two columns
    size_t columns, rows;
    struct plot_column *column; // [columns]
    double *values;             // [rows][columns]; NaN for values that are not finite
    bool faber_ziman;           // all partial structure factors tend to 1
    bool edges; // r is the upper edge of the bin, not its middle: from a comment, else if the first quantity is n(r)
    bool correlations;    // a table of trjcorr, of lags or wavenumbers
    double few_from;      // of lags: that of the first row with fewer than ten windows; 0: there is none
    double resolved_from; // rows with a smaller first column are marked as not resolved; 0: none
    struct plot_bins {
        struct curve_bin_axis axis;
        char *label; // "Rg / Å"
    } bins[2];       // of a histogram along the columns with these names, from comments
    size_t bin_axes;
    char *density_unit;                   // of a histogram: of densities per width or area of a bin; NULL: none
    char *lag;                            // time between the two frames of a pair, as text; NULL: none
    const struct plot_quantity *quantity; // of the first column with a known name
    // Used while the table is read:
    bool edges_known;    // a comment has set `edges`
    char *names, **name; // the last comment, and the names of columns in it
    char *segment;       // of atoms and residues: that of the first row; NULL: none
    bool segments_differ;
    size_t capacity;
    struct plot_error_comment {
        char *curve; // NULL: all
        struct curve_error_blocks blocks;
    } * error_comment; // [error_comments]
    size_t error_comments, error_comment_capacity;
    struct plot_correlation_comments correlation;
};

// Reads a table from a file, or from standard input for "-", into *t, which is zeroed except for `map` and `running`,
// and appends its lines of provenance to *provenance. The caller frees *t by plot_table_free, also after a failure.
// Fails with TRJ_BAD_DATA, file and line if a field is no number or above 1e100, if the number of columns differs from
// that of the names, if the first column is not finite or does not increase, or if no column can be drawn.
int plot_table_read(struct plot_table *t, struct trj_bytes *provenance, const char *path, struct trj_error *err);
void plot_table_free(struct plot_table *t);

// Reads tables that follow each other in a file or, for "-", standard input, each ended by an empty line, as rdfnorm
// --follow prints them. Calls `draw` for each, in order, but not for a table if the next one is already complete.
// `map` as in struct plot_table. `draw` owns neither the table nor its lines of provenance, to which it may append.
// Fails as plot_table_read, and with TRJ_BAD_DATA if a table after the first one has no empty line at its end.
typedef int plot_table_draw(void *arg, struct plot_table *t, struct trj_bytes *provenance, struct trj_error *err);
int plot_tables_follow(const char *path, bool map, plot_table_draw *draw, void *arg, struct trj_error *err);

// Returns the position at which the row is drawn: the first column, or the middle of the two edges of a bin.
double plot_table_x(const struct plot_table *t, size_t row);
// Returns the bins along a column; NULL if the table does not describe them.
const struct plot_bins *plot_table_bins(const struct plot_table *t, size_t column);
bool plot_bins_are_degrees(const struct plot_bins *b); // NULL is allowed
// Returns whether --pair names a column: as its pair, "A:B", or as a whole, "g(A:B)".
bool plot_table_column_is(const struct plot_table *t, size_t column, const char *pair);
// Returns half the width of the bin, if the row gives its edges, else half the distance to the next row; 0 if there is
// only one row.
double plot_table_half_bin_width(const struct plot_table *t, size_t row);

#endif
