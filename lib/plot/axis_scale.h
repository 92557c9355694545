// SPDX-License-Identifier: MIT
// Chooses the visible part of each axis, and its ticks.
#ifndef PLOT_AXIS_SCALE_H
#define PLOT_AXIS_SCALE_H

#include "figure.h"

// Finds the scale of x and, for each panel, those of y and of the right axis. Panels have scales of their own if one of
// them would use less than a third of a common scale.
int plot_scales_find(struct plot_figure *f, const struct plot_figure_options *options, struct trj_error *err);

// Sets the ticks of an axis of that length so that at least `space` is between them.
void plot_scale_set_ticks(struct plot_scale *s, double length, double space);
// Gives the numbers of the first and last tick; there is none if first > last.
void plot_scale_ticks(const struct plot_scale *s, long *first, long *last);
double plot_scale_tick_value(const struct plot_scale *s, long tick);

// Writes the number at a tick, with a true minus sign (U+2212).
enum { PLOT_NUMBER = 48 };
void plot_scale_tick_number(char text[PLOT_NUMBER], const struct plot_scale *s, long tick);
// Replaces each '-' by U+2212, as far as there is room.
void plot_use_minus_sign(char *text, size_t capacity);
// Writes a power of ten with superscript digits: 10⁻³.
void plot_put_power_of_ten(char text[PLOT_NUMBER], int power);

// Returns whether a point is above or below the scale of its curve.
bool plot_scale_excludes(const struct plot_figure *f, const struct plot_curve *c, size_t i);

#endif
