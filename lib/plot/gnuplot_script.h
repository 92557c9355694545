// SPDX-License-Identifier: MIT
// A figure as a script for gnuplot: https://gnuplot.sourceforge.net
#ifndef PLOT_GNUPLOT_SCRIPT_H
#define PLOT_GNUPLOT_SCRIPT_H

#include "figure.h"

enum plot_format { PLOT_SVG, PLOT_PNG, PLOT_PDF };

// Text of a figure 85 mm wide, a column of a journal, is 7 points high.
struct plot_canvas plot_gnuplot_canvas(void);

void plot_gnuplot_script_write(struct trj_bytes *script, const struct plot_figure *f, enum plot_format format);

#endif
