// SPDX-License-Identifier: MIT
// Parts of scripts for gnuplot that figures and images share.
#ifndef PLOT_GNUPLOT_PARTS_H
#define PLOT_GNUPLOT_PARTS_H

#include "bytes.h"
#include "gnuplot_script.h"

void plot_put(struct trj_bytes *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
// Writes a gnuplot expression for the text.
void plot_put_string(struct trj_bytes *b, const char *text);
// Sets colours that are ordered by lightness and that colour-blind readers can distinguish: viridis (S. van der Walt,
// N. Smith, 2015; CC0).
void plot_put_palette(struct trj_bytes *b);
// Writes the range of an axis (x, y, y2 or cb) and its ticks, with or without numbers.
void plot_put_axis(struct trj_bytes *b, const char *axis, const struct plot_scale *s, bool numbers);
void plot_put_terminal(struct trj_bytes *b, const struct plot_canvas *canvas, enum plot_format format);

#endif
