// SPDX-License-Identifier: MIT
// Writes a gnuplot script that draws a table of two coordinates (map_grid.h), such as g(r) against time, with a panel
// for each pair: as a map, with a colour for each value, or as a waterfall, with a curve for each value of the slow
// coordinate, each shifted upwards from the previous one.
#ifndef PLOT_MAP_SCRIPT_H
#define PLOT_MAP_SCRIPT_H

#include <stdbool.h>

#include "bytes.h"
#include "error.h"
#include "gnuplot_script.h"

// Draws a table of the form `map` (plot_table.h). The fast coordinate is horizontal. Of the options, pairs, title,
// labels, names, x_low, x_high, ymin and ymax are used. Values that are not finite are gaps. A waterfall shows at most
// 40 curves, at equal distances in the table. Fails as plot_grid_find, and with TRJ_USAGE if the canvas is too small.
int plot_map_script_write(struct trj_bytes *script, const struct plot_table *t, const struct plot_canvas *canvas,
                          const struct plot_figure_options *options, bool waterfall, enum plot_format format,
                          struct trj_error *err);

#endif
