// SPDX-License-Identifier: MIT
// A figure as text: curves of Braille patterns (U+2800 on), two by four dots a character.
#ifndef PLOT_BRAILLE_H
#define PLOT_BRAILLE_H

#include "bytes.h"
#include "figure.h"

// Units are dots.
struct plot_canvas plot_braille_canvas(size_t columns, size_t lines);

// With `colour`, curves are in colours of the terminal (ECMA-48).
int plot_braille_write(struct trj_bytes *text, const struct plot_figure *f, bool colour, struct trj_error *err);

#endif
