// SPDX-License-Identifier: MIT
// Writes a gnuplot script that draws the columns of one table as an image, such as a timeline of local correlations:
// rows of the table from left to right, columns from top to bottom, and a colour for each value.
#ifndef PLOT_IMAGE_SCRIPT_H
#define PLOT_IMAGE_SCRIPT_H

#include "bytes.h"
#include "error.h"
#include "gnuplot_script.h"

// Draws the columns that share the axis of the first one, restricted to those that options->pairs names: as pairs
// ("A:B"), columns, or functions of residues ("phi(P)" of the columns "phi(P)[A:LYS12]"). Without pairs, columns that
// are not of residues are left out if there are some of residues. Of the other options, only title and names are used.
// Values that are not finite are white. Fails with TRJ_USAGE if there are several functions of residues, and with
// TRJ_BAD_DATA if no value is finite, or if the rows are not equally spaced.
int plot_image_script_write(struct trj_bytes *script, const struct plot_table *t, const struct plot_canvas *canvas,
                            const struct plot_figure_options *options, enum plot_format format, struct trj_error *err);

#endif
