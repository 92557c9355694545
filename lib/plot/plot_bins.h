// SPDX-License-Identifier: MIT
// Labels of the axes of histograms, whose quantities and units are in the comments of their tables.
#ifndef PLOT_BINS_H
#define PLOT_BINS_H

#include "bin_axis.h"
#include "error.h"
#include "plot_table.h"

// Writes a unit with the symbols of figures: "Å²" for "Angstrom^2"; nothing for "1", that of pure numbers.
void plot_unit_print(char to[PLOT_UNIT], const char *unit);
// Returns the label of an axis: "Rg / Å", or the name of an unknown quantity and its unit. The caller frees it.
char *plot_bins_label(const struct curve_bin_axis *a, struct trj_error *err);
// Returns the unit of a density along one or two axes: "Å⁻¹", "°⁻²"; "" for pure numbers. The caller frees it.
char *plot_density_unit(const struct plot_bins *bins, size_t axes, struct trj_error *err);

#endif
