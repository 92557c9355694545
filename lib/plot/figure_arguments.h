// SPDX-License-Identifier: MIT
// Parses arguments of rdfplot(1) that describe a figure.
#ifndef PLOT_FIGURE_ARGUMENTS_H
#define PLOT_FIGURE_ARGUMENTS_H

#include <stdbool.h>

#include "error.h"
#include "figure.h"

// Sets o->x_low and o->x_high from "A:B", of which one may be empty; o->log_x and o->log_y must be set. Fails with
// TRJ_USAGE.
int plot_x_range_parse(struct plot_figure_options *o, const char *x_range, struct trj_error *err);
// Sets *canvas to that of the size "WxH": of a file, with a unit of length, or of a terminal. Fails with TRJ_USAGE.
int plot_size_parse(struct plot_canvas *canvas, const char *size, bool file, struct trj_error *err);

#endif
