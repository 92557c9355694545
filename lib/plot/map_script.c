// SPDX-License-Identifier: MIT
// Writes maps cell by cell with their true edges, because bins can have different widths.
#include "map_script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis_scale.h"
#include "canvas.h"
#include "figure_layout.h"
#include "gnuplot_parts.h"
#include "map_grid.h"

enum { CURVES = 40 }; // largest number of curves in a waterfall

// The figure: a panel for each pair, side by side and one below the other, and a scale of colours on the right.
struct drawing {
    struct plot_grid grid;
    struct plot_canvas canvas;
    size_t across, lines;
    double left, right, bottom, width, height; // margins, and size of a panel, in units of the canvas
    double strip, gap;                         // above each panel, and between panels
    struct plot_scale y, colour;
    char y_label[512], colour_label[160];
    size_t every; // of a waterfall: distance between the rows that it shows
    double shift; // of a waterfall: between consecutive curves
};

static double widest_number(const struct plot_scale *s, const struct plot_canvas *v) {
    long tick, last;
    double widest = 1;
    for (plot_scale_ticks(s, &tick, &last); tick <= last; tick++) {
        char number[PLOT_NUMBER];
        plot_scale_tick_number(number, s, tick);
        widest = fmax(widest, (double)plot_text_length(number));
    }
    return widest * v->advance;
}

static void set_size(struct drawing *d) {
    static const size_t across[] = {1, 1, 2, 3, 2, 3, 3, 4, 4, 3, 4, 4, 4, 4, 4, 4, 4};
    struct plot_canvas *v = &d->canvas;
    size_t n = d->grid.pairs;
    d->across = across[n];
    d->lines = (n + d->across - 1) / d->across;
    if (!v->fixed && n > 1) v->width = v->wide;
    double top = d->grid.title ? 1.6 * v->em : 0.2 * v->em;
    d->strip = 1.5 * v->em;
    d->gap = 1.8 * v->em;
    d->bottom = 3.5 * v->em;
    double guess = v->fixed || n == 1 ? v->height / (double)d->lines : v->width / (double)d->across / 2;
    plot_scale_set_ticks(&d->y, guess, 2 * v->em);
    plot_scale_set_ticks(&d->colour, guess * (double)d->lines, 2 * v->em);
    d->left = 2.6 * v->em + widest_number(&d->y, v);
    d->right = 4.8 * v->em + widest_number(&d->colour, v);
    double shape = d->grid.square && d->shift == 0 ? 1 : 0.7; // height of a panel, in terms of its width
    if (!v->fixed && n == 1 && shape == 1) v->width = d->left + d->right + v->height - d->bottom - top - d->strip;
    d->width = (v->width - d->left - d->right - d->gap * (double)(d->across - 1)) / (double)d->across;
    if (!v->fixed && n > 1) v->height = (shape * d->width + d->strip) * (double)d->lines + d->bottom + top;
    if (!v->fixed && d->grid.t->pairs && d->shift == 0) v->height = d->width + d->strip + d->bottom + top;
    d->height = (v->height - d->bottom - top) / (double)d->lines - d->strip;
    double space = 4 * v->advance;
    for (int i = 0; i < 4; i++) { // wider numbers need a larger distance
        plot_scale_set_ticks(&d->grid.x, d->width, space);
        space = fmax(space, widest_number(&d->grid.x, v) + 2 * v->advance);
    }
}

static void put_text(struct trj_bytes *b, const struct drawing *d, const char *text, double x, double y,
                     const char *align) {
    plot_put(b, "set label ");
    plot_put_string(b, text);
    plot_put(b, " at screen %.6f,%.6f %s front tc rgb '#222222'\n", x / d->canvas.width, y / d->canvas.height, align);
}

static void put_texts(struct trj_bytes *b, const struct drawing *d) {
    const struct plot_canvas *v = &d->canvas;
    const struct plot_grid *g = &d->grid;
    double x_end = v->width - d->right, bar = x_end + 1.9 * v->em;
    double panels_top = d->bottom + (d->height + d->strip) * (double)d->lines - d->strip;
    double middle_x = (d->left + x_end) / 2, middle_y = (d->bottom + panels_top) / 2;
    put_text(b, d, g->x_label, middle_x, 0.6 * v->em, "center");
    put_text(b, d, d->y_label, 0.7 * v->em, middle_y, "center rotate by 90");
    put_text(b, d, d->colour_label, v->width - 0.7 * v->em, middle_y, "center rotate by 90");
    if (g->title) put_text(b, d, g->title, middle_x, v->height - 0.8 * v->em, "center");
    if (d->shift == 0 && g->max > g->colour.high) {
        char max[64];
        snprintf(max, sizeof max, "↑%.3g", g->max / pow(10, g->colour.power));
        plot_use_minus_sign(max, sizeof max);
        put_text(b, d, max, bar, panels_top + 0.7 * v->em, "center");
    }
}

// Cells overlap their next neighbours by about a pixel, because viewers leave light lines between cells that only
// touch. A later cell is drawn over this part of an earlier one; a gap is not covered.
static void put_cells(struct trj_bytes *b, const struct plot_grid *g, const struct drawing *d, size_t pair) {
    double unit = pow(10, d->colour.power), dx = (g->x.high - g->x.low) / d->width,
           dy = (g->y.high - g->y.low) / d->height;
    plot_put(b, "$cells%zu << END_OF_CELLS\n", pair);
    for (size_t row = 0; row < g->rows; row++)
        for (size_t first = 0, next; first < g->columns; first = next) {
            double v = plot_grid_value(g, pair, row, first);
            bool above = row + 1 < g->rows;
            for (next = first; next < g->columns; next++) { // equal values are one rectangle
                if (plot_grid_value(g, pair, row, next) != v) break;
                above = above && !isnan(plot_grid_value(g, pair, row + 1, next));
            }
            if (next == first) next++; // NaN
            double x0 = fmax(g->column_edge[first], g->x.low), x1 = fmin(g->column_edge[next], g->x.high);
            double y0 = g->row_edge[row], y1 = g->row_edge[row + 1];
            if (isnan(v) || !(x0 < x1)) continue;
            bool covers = next < g->columns && !isnan(plot_grid_value(g, pair, row, next));
            covers = covers && (!above || !isnan(plot_grid_value(g, pair, row + 1, next)));
            if (covers) x1 = fmin(x1 + fmin(dx, (g->column_edge[next + 1] - x1) / 2), g->x.high);
            if (above) y1 += fmin(dy, (g->row_edge[row + 2] - y1) / 2);
            plot_put(b, "%.10g %.10g %.10g %.10g %.6g\n", x0, x1, y0, y1, v / unit);
        }
    plot_put(b, "END_OF_CELLS\n");
}

// Returns whether a curve has a point there; of the column before the first one, too.
static bool has_point(const struct plot_grid *g, size_t pair, size_t row, size_t column) {
    if (column >= g->columns) return false;
    double x = plot_grid_fast(g, column);
    return x >= g->x.low && x <= g->x.high && !isnan(plot_grid_value(g, pair, row, column));
}

// Blocks of a curve and its base, the highest first, so that lower curves are in front of it. A point between two gaps,
// where a line would be invisible, becomes a line as wide as its cell.
static void put_curves(struct trj_bytes *b, const struct plot_grid *g, const struct drawing *d, size_t pair) {
    double unit = pow(10, d->y.power);
    size_t shown = (g->rows - 1) / d->every + 1;
    plot_put(b, "$curves%zu << END_OF_CURVES\n", pair);
    for (size_t i = shown; i-- > 0;) {
        double base = (double)i * d->shift + g->colour.low;
        for (size_t column = 0; column < g->columns; column++) {
            size_t row = i * d->every;
            double x = plot_grid_fast(g, column), v = plot_grid_value(g, pair, row, column), end = x;
            if (x < g->x.low || x > g->x.high) continue;
            if (!has_point(g, pair, row, column)) {
                plot_put(b, "%.10g NaN NaN NaN\n", x); // an empty line could end the block
                continue;
            }
            if (!has_point(g, pair, row, column - 1) && !has_point(g, pair, row, column + 1)) {
                x = fmax(g->column_edge[column], g->x.low);
                end = fmin(g->column_edge[column + 1], g->x.high);
            }
            for (int k = 0; k < (end > x ? 2 : 1); k++)
                plot_put(b, "%.10g %.8g %.8g %.8g\n", k ? end : x, (v + (double)i * d->shift) / unit, base / unit,
                         plot_grid_slow(g, row));
        }
        plot_put(b, "\n\n");
    }
    plot_put(b, "END_OF_CURVES\n");
}

static void put_panel(struct trj_bytes *b, const struct drawing *d, size_t pair) {
    const struct plot_grid *g = &d->grid;
    const struct plot_canvas *v = &d->canvas;
    size_t across = pair % d->across, line = pair / d->across;
    double left = d->left + (double)across * (d->width + d->gap);
    double bottom = d->bottom + (double)(d->lines - 1 - line) * (d->height + d->strip), top = bottom + d->height;
    plot_put(b, "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset bmargin at screen %.6f\n", left / v->width,
             (left + d->width) / v->width, bottom / v->height);
    plot_put(b, "set tmargin at screen %.6f\n", top / v->height);
    plot_put_axis(b, "x", &g->x, pair + d->across >= g->pairs);
    plot_put_axis(b, "y", &d->y, !across);
    plot_put(b, "unset label\n");
    put_text(b, d, g->name[pair], left + d->width / 2, top + 0.7 * v->em, "center");
    if (!pair) {
        double all = (d->height + d->strip) * (double)d->lines - d->strip;
        put_texts(b, d);
        plot_put(b, "set colorbox user origin screen %.6f,%.6f size screen %.6f,%.6f\n",
                 (v->width - d->right + 1.4 * v->em) / v->width, d->bottom / v->height, v->em / v->width,
                 all / v->height);
    }
    plot_put(b, "plot ");
    if (d->shift == 0) plot_put(b, "$cells%zu using 1:3:1:2:3:4:5 with boxxyerror lc palette", pair);
    for (size_t i = 0; d->shift > 0 && i <= (g->rows - 1) / d->every; i++)
        plot_put(b,
                 "%s$curves%zu index %zu using 1:2:3 with filledcurves fc rgb 'white', "
                 "$curves%zu index %zu using 1:2:4 with lines lw 1.5 lc palette",
                 i ? ", " : "", pair, i, pair, i);
    plot_put(b, "\n");
    plot_put(b, "unset colorbox\n");
}

static int draw(struct trj_bytes *b, struct drawing *d, enum plot_format format, struct trj_error *err) {
    const struct plot_grid *g = &d->grid;
    set_size(d);
    if (fmin(d->width, d->height) < 3 * d->canvas.em)
        return trj_fail(err, TRJ_USAGE,
                        "--size: too small for %zu maps with their axes; choose a larger size or fewer "
                        "pairs by --pair",
                        g->pairs);
    if (plot_grid_fit_texts(&d->grid, &d->canvas, d->width, d->canvas.width - 2 * d->canvas.em, err)) return -1;
    if (d->shift == 0 && g->y_label) snprintf(d->y_label, sizeof d->y_label, "%s", g->y_label); // as shortened
    plot_put_terminal(b, &d->canvas, format);
    for (size_t pair = 0; pair < g->pairs; pair++) (d->shift == 0 ? put_cells : put_curves)(b, g, d, pair);
    plot_put_palette(b);
    plot_put_axis(b, "cb", &d->colour, true);
    plot_put(b, "unset key\nset border 15 lw 1 lc rgb '#222222'\nset style fill solid noborder\nset multiplot\n");
    for (size_t pair = 0; pair < g->pairs; pair++) put_panel(b, d, pair);
    plot_put(b, "unset multiplot\n");
    return 0;
}

int plot_map_script_write(struct trj_bytes *b, const struct plot_table *t, const struct plot_canvas *canvas,
                          const struct plot_figure_options *options, bool waterfall, enum plot_format format,
                          struct trj_error *err) {
    struct drawing d = {.canvas = *canvas, .every = 1};
    struct plot_grid *g = &d.grid;
    int rc = plot_grid_find(g, t, options, err);
    if (!rc) {
        const struct plot_quantity *q = t->column[g->value[0]].quantity;
        const char *slow = t->slow_axis;
        d.y = g->y;
        d.colour = g->colour;
        if (!waterfall) {
            snprintf(d.y_label, sizeof d.y_label, "%s", slow);
            plot_axis_label(d.colour_label, sizeof d.colour_label, t, q, g->colour.power);
        } else {
            // Each curve is about a sixth of the scale above the one below it.
            d.every = (g->rows + CURVES - 1) / CURVES;
            d.shift = (g->colour.high - g->colour.low) / 6;
            double digit = pow(10, floor(log10(d.shift)));
            d.shift = round(d.shift / digit) * digit;
            size_t last = (g->rows - 1) / d.every;
            double highest = g->colour.high + d.shift * (double)last;
            d.y = (struct plot_scale){.low = g->colour.low, .high = highest, .power = g->colour.power};
            d.colour = g->y;
            plot_value_label(d.y_label, sizeof d.y_label, g->y_label, t, q, g->colour.power);
            size_t n = strlen(d.y_label);
            snprintf(d.y_label + n, sizeof d.y_label - n, ", curves shifted by %g", d.shift / pow(10, g->colour.power));
            snprintf(d.colour_label, sizeof d.colour_label, "%s", slow);
        }
        trj_replace_control_chars(d.y_label); // a long label may end within a character
        rc = draw(b, &d, format, err);
    }
    plot_grid_free(g);
    return rc;
}
