// SPDX-License-Identifier: MIT
// Draws a figure as text for terminals: curves of Braille patterns (from U+2800), two by four dots for each character.
//
// gnuplot has text terminals, too; tests/bench/terminal_plot.md compares them. This one needs no gnuplot, has the
// resolution that only the terminal `block braille` of gnuplot 6 has (Debian 12 has gnuplot 5.4, with `dumb` alone),
// and draws the same layout as the files: names beside curves, error bands, reference lines and marks at peaks that
// leave the figure.
#ifndef PLOT_BRAILLE_H
#define PLOT_BRAILLE_H

#include "bytes.h"
#include "figure.h"

// Returns the canvas of a terminal. Its unit is a dot.
struct plot_canvas plot_braille_canvas(size_t columns, size_t lines);

// Appends the figure to *text. With `colour`, curves have colours of the terminal (ECMA-48).
int plot_braille_write(struct trj_bytes *text, const struct plot_figure *f, bool colour, struct trj_error *err);

#endif
