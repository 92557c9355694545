// SPDX-License-Identifier: MIT
// A figure of tables: panels, axes, curves and texts with their positions. gnuplot_script.h and braille.h only draw it.
//
// Positions are in units of the canvas, x to the right and y upward from its lower left corner.
#ifndef PLOT_FIGURE_H
#define PLOT_FIGURE_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"
#include "plot_table.h"
#include "tool.h"

// The area of the figure, and the size of its text.
struct plot_canvas {
    double width, height; // of a figure with one panel
    double wide;          // width of a figure with more than two panels side by side
    double em, advance;   // height of a line of text; width of a digit
    double pixel;         // resolution: smaller distances are not visible
    double millimetres;   // length of a unit in print; 0 in a terminal
    bool graphical;       // text can be rotated and has proportional letters; false: a terminal
    bool fixed;           // width and height are those of the whole figure, whatever it contains
};

enum { PLOT_MAX_COLOURS = 32 };

enum plot_panels { PLOT_PANELS_AUTO, PLOT_PANELS_ONE, PLOT_PANELS_PAIRS };

// Colours of curves, 0xrrggbb each, in the order of the styles.
struct plot_colours {
    unsigned long rgb[PLOT_MAX_COLOURS];
    size_t count; // 0: the default ones
};

struct plot_figure_options {
    double ymin, ymax;    // NaN: from the curves
    double x_low, x_high; // NaN: from the curves
    bool log_x, log_y;    // logarithmic axes; log_y is for the axes on both sides
    bool linear;          // all axes are linear, also those of quantities with log_axes
    const char *title;    // NULL: none
    const char *x_label;  // NULL: the coordinate and its unit
    const char *y_label;  // of the left axis; NULL: the quantity and its unit
    struct plot_colours colours;
    struct trj_text_list names; // KEY=TEXT: TEXT replaces the name KEY of a pair, file or kind of curve
    struct trj_text_list pairs; // empty: all
    bool coordination;          // add n(r) of the tables on the right axis
    enum plot_panels panels;
};

struct plot_point {
    double x, y, low, high; // y NaN: a gap; low and high: the error band, NaN if there is none
};

struct plot_curve {
    const struct plot_table *table;
    const struct plot_quantity *quantity;
    const char *pair;
    size_t column; // of the table
    bool second;   // on the right axis
    bool fit;      // the straight line through a range of the curve of this column
    size_t panel, style;
    char *label; // NULL: none
    struct plot_point *points;
    size_t count; // at least one point is not a gap
};

enum plot_ticks {
    PLOT_TICKS_MULTIPLES, // at multiples of step * 10^power
    PLOT_TICKS_DECADES,   // at powers of 10^step
    PLOT_TICKS_1_2_5,     // at 1, 2 and 5 times each power of 10
};

// The visible part of an axis. Numbers at its ticks are divided by 10^power. On a logarithmic axis low is above 0.
struct plot_scale {
    double low, high, step;
    int decimals, power;
    bool log;
    bool degrees; // ticks are at parts of a turn, such as 60
    enum plot_ticks ticks;
};

struct plot_panel {
    double left, bottom, right, top;
    struct plot_scale y, second;
    char *title;                      // NULL: none
    bool x_tics, y_tics, second_tics; // whether the ticks have numbers
    bool at_zero, at_one;             // reference lines that curves tend to
};

enum plot_align { PLOT_LEFT, PLOT_CENTRE, PLOT_RIGHT };
enum { PLOT_NO_CURVE = 1000 }; // style of texts that belong to no curve

struct plot_text {
    double x, y; // vertical middle of the line; its start, centre or end as in `align`
    enum plot_align align;
    bool upright; // rotated by 90 degrees
    size_t style;
    char *text;
};

// The line beside a name in the key.
struct plot_sample {
    double x0, x1, y;
    size_t style;
    bool second;
};

struct plot_figure {
    struct plot_canvas canvas; // its width and height are those of the whole figure
    char *title;               // NULL: none
    char *x_label, *y_label;   // NULL: coordinate or quantity, and its unit
    struct plot_colours colours;
    struct plot_scale x;
    bool second;     // there is a right axis
    bool own_scales; // panels have different vertical scales
    size_t columns, lines;
    struct plot_panel *panels;
    size_t panel_count;
    struct plot_curve *curves;
    size_t curve_count, curve_capacity;
    struct plot_text *texts;
    size_t text_count, text_capacity;
    struct plot_sample *samples;
    size_t sample_count, sample_capacity;
    double above;     // height of the strip above each panel
    double key_lines; // height of the key above all panels, in lines of text
    // Columns without any value that can be drawn, and why not: "finite", "finite within --x-range".
    size_t skipped;
    const struct plot_column *first_skipped;
    const struct plot_table *first_skipped_in;
    const char *drawable;
    // Selected columns of tables of trjcorr that need another axis than the columns that are drawn.
    size_t omitted;
    const char *first_omitted;
    const struct plot_table *first_omitted_in;
};

enum { PLOT_MAX_PANELS = 100, PLOT_MAX_CURVES = 400 };

// Makes a figure of the tables, which must exist as long as the figure. The caller frees it by plot_figure_free, also
// after a failure. Fails with TRJ_BAD_DATA if the tables contain different quantities or no values, and with TRJ_USAGE
// if an option names something that the tables do not contain or if the canvas is too small.
int plot_figure_make(struct plot_figure *f, const struct plot_canvas *canvas, const struct plot_table *tables,
                     size_t count, const struct plot_figure_options *options, struct trj_error *err);
void plot_figure_free(struct plot_figure *f);

#endif
