// SPDX-License-Identifier: MIT
// Writes a figure as a script for gnuplot (https://gnuplot.sourceforge.net).
#ifndef PLOT_GNUPLOT_SCRIPT_H
#define PLOT_GNUPLOT_SCRIPT_H

#include "figure.h"

enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF };

// Returns the canvas of a figure in a file: 85 mm wide, a column of a journal, with text of 7 points.
struct plot_canvas plot_gnuplot_canvas(void);
// Returns the canvas of a figure with this size in millimetres, whatever it contains.
struct plot_canvas plot_gnuplot_canvas_of_size(double width, double height);

void plot_gnuplot_script_write(struct trj_bytes *script, const struct plot_figure *f, enum plot_format format);

#endif
