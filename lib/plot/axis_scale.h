// SPDX-License-Identifier: MIT
// From where to where axes go. What is left out is told where the curve leaves the picture.
#ifndef PLOT_AXIS_SCALE_H
#define PLOT_AXIS_SCALE_H

#include "figure.h"

// Scales of x and, panel by panel, of y and of the second axis; and whether panels have scales of their own: where those of one scale would be
// less than a third of it.
void plot_scales_find(struct plot_figure *f, const struct plot_figure_options *options);

// Steps between ticks, with at least `space` between them where the axis is `length` long.
void plot_scale_step(struct plot_scale *s, double length, double space);
// Ticks are at multiples of the step, from the first to the last that is on the scale.
void plot_scale_ticks(const struct plot_scale *s, long *first, long *last);
enum { PLOT_NUMBER = 32 };
void plot_scale_number(char text[PLOT_NUMBER], const struct plot_scale *s, double value); // at a tick

// Whether a point is above or below its scale.
bool plot_scale_excludes(const struct plot_figure *f, const struct plot_curve *c, size_t i);

#endif
