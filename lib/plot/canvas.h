// SPDX-License-Identifier: MIT
// Positions of values on the canvas, clipping of lines, and texts that fit a width.
#ifndef PLOT_CANVAS_H
#define PLOT_CANVAS_H

#include <stdbool.h>

#include "error.h"
#include "figure.h"

// Returns the position of a value on the axis: 0 at its low end, 1 at its high end; NaN for values that a logarithmic
// axis does not have.
double plot_scale_position(const struct plot_scale *s, double value);

// Return the position of a value on the canvas.
double plot_place_x(const struct plot_figure *f, const struct plot_panel *p, double x);
double plot_place_y(const struct plot_panel *p, const struct plot_scale *s, double y);
const struct plot_scale *plot_curve_scale(const struct plot_figure *f, const struct plot_curve *c);

// Returns whether the table marks a point of the curve as not resolved, or the next one as supported by few windows.
// The line from such a point to the next one is dotted.
bool plot_is_unresolved(const struct plot_curve *c, const struct plot_point *p);

// Reduces a line (x0, y0, x1, y1) to its part between two heights. Returns false if there is no such part, or if a
// coordinate is not finite.
bool plot_clip_line(double line[4], double low, double high);

// Adds a copy of the text to the figure, with position and style of `place`.
int plot_figure_add_text(struct plot_figure *f, const struct plot_text *place, const char *text, struct trj_error *err);
size_t plot_text_length(const char *text); // returns the number of characters
// Returns an estimate of the width, which is rather too large than too small.
double plot_text_width(const struct plot_canvas *v, const char *text);
// Shortens the texts, each of which malloc() returned, to the width. "…" replaces the middle of wider texts, or their
// start or end if only the middle distinguishes them.
int plot_texts_fit(char **const *texts, size_t count, const struct plot_canvas *v, double width, struct trj_error *err);

#endif
