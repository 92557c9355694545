// SPDX-License-Identifier: MIT
// The grid of a table of two coordinates, such as g(r) against time: the first column is the slow coordinate, the
// second one is r or another fast coordinate, and each pair of groups has a value for each cell.
#ifndef PLOT_MAP_GRID_H
#define PLOT_MAP_GRID_H

#include "error.h"
#include "figure.h"

enum { PLOT_MAP_PAIRS = 16, PLOT_MAP_CELLS = 1000000 };

struct plot_grid {
    const struct plot_table *t;
    size_t rows, columns;           // numbers of values of the slow and of the fast coordinate
    size_t value[PLOT_MAP_PAIRS];   // columns of the table that are drawn
    size_t pairs;                   // number of these columns
    char *name[PLOT_MAP_PAIRS];     // of the pairs, as --name replaces them
    char *title;                    // NULL: none
    char *x_label, *y_label;        // y_label NULL: quantity or coordinate
    bool square;                    // both coordinates are angles, so that panels are square
    double *row_edge, *column_edge; // [rows + 1], [columns + 1]: half-way between neighbours
    struct plot_scale x, y, colour;
    double max; // the highest value; above colour.high if the scale of colours leaves out narrow peaks
};

// Finds the grid of a table of the form `map` (plot_table.h), and the scales of the axes and of the colours. Of the
// options, pairs, names, title, labels, x_low, x_high, ymin and ymax (the ends of the scale of colours) are used. The
// caller frees the grid by plot_grid_free, also after a failure. Fails with TRJ_USAGE if --pair names no column or more
// than PLOT_MAP_PAIRS are left, and with TRJ_BAD_DATA if a cell is missing, if there are more than PLOT_MAP_CELLS, or
// if no value is finite.
int plot_grid_find(struct plot_grid *g, const struct plot_table *t, const struct plot_figure_options *options,
                   struct trj_error *err);
void plot_grid_free(struct plot_grid *g);

double plot_grid_slow(const struct plot_grid *g, size_t row);
double plot_grid_fast(const struct plot_grid *g, size_t column);
// Returns the value of a cell; NaN for a gap.
double plot_grid_value(const struct plot_grid *g, size_t pair, size_t row, size_t column);

// Shortens the names to a width, and the title and given labels to the size of the figure.
int plot_grid_fit_texts(struct plot_grid *g, const struct plot_canvas *v, double name_width, double title_width,
                        struct trj_error *err);

#endif
