// SPDX-License-Identifier: MIT
// Places panels, ticks, texts and the key on the canvas.
#ifndef PLOT_FIGURE_LAYOUT_H
#define PLOT_FIGURE_LAYOUT_H

#include "figure.h"

// The figure must have its curves, panels and scales. Fails with TRJ_USAGE if the panels do not fit a fixed size.
int plot_layout(struct plot_figure *f, const struct plot_canvas *canvas, struct trj_error *err);

// Writes a label like "S(q) / 10³ kJ mol⁻¹", or "g(r, t)" for atoms at two times.
void plot_axis_label(char *text, size_t size, const struct plot_table *t, const struct plot_quantity *q, int power);

// Writes `label`, with the power of ten if numbers are divided by one; the label above if it is NULL.
void plot_value_label(char *text, size_t size, const char *label, const struct plot_table *t,
                      const struct plot_quantity *q, int power);

#endif
