// SPDX-License-Identifier: MIT
// What a picture of tables shows, and where: panels, scales, curves, texts. Those who draw it (script.h, braille.h) decide nothing any more.
//
// Places on the picture are in units of the canvas, x to the right and y upward, from its lower left corner.
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "plot_table.h"
#include "tool.h"

// What is drawn on, and what a text takes of it.
struct plot_canvas {
    double width, height; // of a picture of one panel
    double wide;          // width of one of more panels beside one another than two
    double em, advance;   // height of a line of text, and the width of a digit
    double pixel;         // what is this near is the same
    bool graphical; // text may stand upright, and its letters are as wide as they are; else all are as wide as digits
};

enum plot_panels { PLOT_PANELS_AUTO, PLOT_PANELS_ONE, PLOT_PANELS_PAIRS };

struct plot_figure_options {
    double ymax;                // NaN: as the curves are
    struct trj_text_list pairs; // none: all
    bool coordination;          // n(r) of tables of something else, too
    enum plot_panels panels;
};

struct plot_point {
    double x, y, low, high; // y NaN: a gap; low and high are the band, NaN where there is none
};

struct plot_curve {
    const struct plot_table *table;
    const struct plot_quantity *quantity;
    const char *of;
    bool second; // on the axis at the right
    size_t panel, style;
    char *label; // NULL: none
    struct plot_point *points;
    size_t count; // of which one at least is no gap
};

// What is drawn of an axis: low to high, ticks at multiples of step; values are divided by 10^power.
struct plot_scale {
    double low, high, step;
    int decimals, power;
};

struct plot_panel {
    double left, bottom, right, top;
    struct plot_scale y, second;
    char *title;                      // NULL: none
    bool x_tics, y_tics, second_tics; // whether they have numbers
    bool at_zero, at_one;             // lines that curves tend to
};

enum plot_align { PLOT_LEFT, PLOT_CENTRE, PLOT_RIGHT };
enum { PLOT_NO_CURVE = 1000 }; // the style of texts that are not of a curve

struct plot_text {
    double x, y; // the middle of the line, at the end that `align` says
    enum plot_align align;
    bool upright;
    size_t style;
    char *text;
};

// A sample of a line in the key.
struct plot_sample {
    double x0, x1, y;
    size_t style;
    bool second;
};

struct plot_figure {
    struct plot_canvas canvas; // its width and height are those of the whole picture now
    struct plot_scale x;
    bool second, own_scales; // there is an axis at the right; scales of y differ between panels
    size_t columns, lines;
    struct plot_panel *panels;
    size_t panel_count;
    struct plot_curve *curves;
    size_t curve_count, curve_room;
    struct plot_text *texts;
    size_t text_count, text_room;
    struct plot_sample *samples;
    size_t sample_count, sample_room;
    double above, key_lines; // the strip above each panel, that above them all
    // Columns without a finite value, of which there is no curve.
    size_t skipped;
    const struct plot_column *first_skipped;
    const struct plot_table *first_skipped_in;
};

enum { PLOT_MAX_PANELS = 100, PLOT_MAX_CURVES = 400 };

// Of the tables, which must stay. plot_figure_free frees also after a failure. TRJ_BAD_DATA where tables do not go together, TRJ_USAGE where
// what is wished for is not in them.
int plot_figure_make(struct plot_figure *f, const struct plot_canvas *canvas, const struct plot_table *tables,
                     size_t count, const struct plot_figure_options *options, struct trj_error *err);
void plot_figure_free(struct plot_figure *f);

#endif
