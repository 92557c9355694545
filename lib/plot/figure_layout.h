// SPDX-License-Identifier: MIT
// Where things are on the canvas: panels, steps of their axes, texts, the key.
#ifndef PLOT_FIGURE_LAYOUT_H
#define PLOT_FIGURE_LAYOUT_H

#include "figure.h"

// Of a figure whose curves, panels and scales are known.
int plot_layout(struct plot_figure *f, const struct plot_canvas *canvas, struct trj_error *err);

#endif
