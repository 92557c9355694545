// SPDX-License-Identifier: MIT
// Draws a map of a table of two coordinates (map_grid.h) as text for terminals: a block for each character.
#ifndef PLOT_MAP_TEXT_H
#define PLOT_MAP_TEXT_H

#include <stdbool.h>

#include "bytes.h"
#include "map_grid.h"

// Appends a map of each pair, one below the other. The canvas is that of plot_braille_canvas, for each map. A block has
// the mean of the cells that it covers: with `colour` as one of the 256 colours of terminals, else as one of five
// shades. Fails as plot_grid_find, and with TRJ_USAGE if the canvas is too small.
int plot_map_terminal_write(struct trj_bytes *text, const struct plot_table *t, const struct plot_canvas *canvas,
                            const struct plot_figure_options *options, bool colour, struct trj_error *err);

#endif
