// SPDX-License-Identifier: MIT
// Parses arguments of rdfplot(1) that describe a figure.
#ifndef PLOT_FIGURE_ARGUMENTS_H
#define PLOT_FIGURE_ARGUMENTS_H

#include <stdbool.h>

#include "error.h"
#include "figure.h"

// Sets o->x_low and o->x_high from "A:B", of which one may be empty; o->log_x and o->log_y must be set. Fails with
// TRJ_USAGE.
int plot_x_range_parse(struct plot_figure_options *o, const char *range, struct trj_error *err);
// Sets o->ymin and o->ymax in the same way; o->ymax must be NaN.
int plot_y_range_parse(struct plot_figure_options *o, const char *range, struct trj_error *err);
// Sets o->colours from a list as "#0072b2,#d55e00". Fails with TRJ_USAGE.
int plot_colours_parse(struct plot_figure_options *o, const char *list, struct trj_error *err);
// Sets *canvas to that of the size "WxH": of a file, with a unit of length, or of a terminal. Fails with TRJ_USAGE.
int plot_size_parse(struct plot_canvas *canvas, const char *size, bool file, struct trj_error *err);

#endif
