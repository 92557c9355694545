// SPDX-License-Identifier: MIT
// Draws maps with coloured blocks in a terminal, where each character shows the mean of several cells.
#include "map_terminal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis_scale.h"
#include "canvas.h"
#include "figure_layout.h"
#include "gnuplot_parts.h"

enum { NUMBER = 10, MIN = 20 }; // columns for numbers; least columns of a map

struct page {
    struct plot_grid grid;
    size_t columns, lines; // of the map
    bool colour;
};

// Returns the cell that contains the value, of n cells.
static size_t cell_at(const double *edge, size_t n, double value) {
    size_t low = 0, high = n;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        *(value < edge[middle] ? &high : &low) = middle;
    }
    return low;
}

// Returns the cells from *first on that have their middles in part i of n of the axis; at least one.
static size_t cells_of(size_t *first, const double *edge, size_t count, const struct plot_scale *s, size_t i,
                       size_t n) {
    double width = (s->high - s->low) / (double)n, from = s->low + (double)i * width;
    size_t end;
    *first = cell_at(edge, count, from);
    if (*first + 1 < count && (edge[*first] + edge[*first + 1]) / 2 < from) ++*first;
    end = cell_at(edge, count, from + width);
    if ((edge[end] + edge[end + 1]) / 2 < from + width) end++;
    if (end > *first) return end - *first;
    *first = cell_at(edge, count, from + width / 2);
    return 1;
}

// Returns the position of the mean on the scale of colours, from 0 to 1; NaN outside of the table.
static double shade_at(const struct page *p, size_t pair, size_t line, size_t column) {
    const struct plot_grid *g = &p->grid;
    size_t row, from, n = 0;
    size_t rows = cells_of(&row, g->row_edge, g->rows, &g->y, line, p->lines);
    size_t columns = cells_of(&from, g->column_edge, g->columns, &g->x, column, p->columns);
    double x = g->x.low + ((double)column + 0.5) / (double)p->columns * (g->x.high - g->x.low), sum = 0;
    if (x < g->column_edge[0] || x > g->column_edge[g->columns]) return NAN;
    for (size_t i = row; i < row + rows; i++)
        for (size_t k = from; k < from + columns; k++) {
            double v = plot_grid_value(g, pair, i, k);
            if (isnan(v)) continue;
            sum += v;
            n++;
        }
    return n ? fmin(fmax(plot_scale_position(&g->colour, sum / (double)n), 0), 1) : NAN;
}

static void put_block(struct trj_bytes *b, double shade, bool colour) {
    static const char *const shades[] = {"·", "░", "▒", "▓", "█"};
    static const unsigned char viridis[] = {53, 54, 60, 66, 36, 72, 149, 227}; // of the 256 colours, as in files
    if (isnan(shade))
        plot_put(b, " ");
    else if (colour)
        plot_put(b, "\033[48;5;%dm \033[0m", viridis[(size_t)fmin(shade * sizeof viridis, sizeof viridis - 1)]);
    else
        plot_put(b, "%s", shades[(size_t)fmin(shade * 5, 4)]);
}

static void put_number(struct trj_bytes *b, const char *number) {
    size_t n = plot_text_length(number);
    plot_put(b, "%*s%s ", n + 1 < NUMBER ? NUMBER - 1 - (int)n : 0, "", number);
}

static void put_line(struct trj_bytes *b, const char *text) {
    trj_put_raw(b, text, strlen(text));
    plot_put(b, "\n");
}

// Writes numbers below the ticks; a number that has no room after the previous one is omitted.
static void put_x_numbers(struct trj_bytes *b, const struct page *p) {
    long tick, last;
    size_t position = 0;
    plot_put(b, "%*s", NUMBER, "");
    for (plot_scale_ticks(&p->grid.x, &tick, &last); tick <= last; tick++) {
        char number[PLOT_NUMBER];
        plot_scale_tick_number(number, &p->grid.x, tick);
        double x = plot_scale_position(&p->grid.x, plot_scale_tick_value(&p->grid.x, tick)) * (double)p->columns;
        size_t n = plot_text_length(number), start = (size_t)fmax(x - (double)n / 2 + 0.5, 0);
        if (start + n > p->columns + 1 || (position && start <= position)) continue;
        plot_put(b, "%*s%s", (int)(start - position), "", number);
        position = start + n;
    }
    int middle = NUMBER + (int)(p->columns / 2), before = middle - 2;
    if (strcmp(p->grid.x_label, p->grid.t->axis) != 0) before = middle - (int)plot_text_length(p->grid.x_label) / 2;
    plot_put(b, "\n%*s", before > 0 ? before : 0, "");
    put_line(b, p->grid.x_label);
}

static void put_pair(struct trj_bytes *b, const struct page *p, size_t pair) {
    const struct plot_scale *y = &p->grid.y;
    const char *label = p->grid.y_label ? p->grid.y_label : p->grid.t->slow_axis;
    trj_put_raw(b, label, strlen(label));
    plot_put(b, "   ");
    put_line(b, p->grid.name[pair]);
    for (size_t line = p->lines; line-- > 0;) {
        long tick, last;
        char number[PLOT_NUMBER] = "";
        for (plot_scale_ticks(y, &tick, &last); tick <= last && !*number; tick++) {
            double place = plot_scale_position(y, plot_scale_tick_value(y, tick)) * (double)p->lines;
            if (fmin(fmax(floor(place), 0), (double)p->lines - 1) == (double)line)
                plot_scale_tick_number(number, y, tick);
        }
        put_number(b, number);
        for (size_t column = 0; column < p->columns; column++) put_block(b, shade_at(p, pair, line, column), p->colour);
        plot_put(b, "\n");
    }
    put_x_numbers(b, p);
}

// Writes the scale of colours, with as many blocks as the line has room for.
static void put_scale(struct trj_bytes *b, const struct page *p) {
    enum { MIN_BLOCKS = 5, MAX_BLOCKS = 16 };
    const struct plot_grid *g = &p->grid;
    double unit = pow(10, g->colour.power);
    char label[160], low[PLOT_NUMBER], high[PLOT_NUMBER], max[64] = "";
    plot_axis_label(label, sizeof label, g->t, g->t->column[g->value[0]].quantity, g->colour.power);
    snprintf(low, sizeof low, "%.3g", g->colour.low / unit);
    snprintf(high, sizeof high, "%.3g", g->colour.high / unit);
    plot_use_minus_sign(low, sizeof low);
    plot_use_minus_sign(high, sizeof high);
    if (g->max > g->colour.high) snprintf(max, sizeof max, ", ↑%.3g", g->max / unit);
    plot_put(b, "%s: %s ", label, low);
    size_t texts = plot_text_length(label) + plot_text_length(low) + plot_text_length(high) + plot_text_length(max),
           width = NUMBER + p->columns, taken = texts + strlen(":   "), blocks = MAX_BLOCKS;
    while (blocks > MIN_BLOCKS && taken + blocks > width) blocks--;
    for (size_t i = 0; i < blocks; i++) put_block(b, ((double)i + 0.5) / (double)blocks, p->colour);
    plot_put(b, " %s%s\n", high, max);
}

int plot_map_terminal_write(struct trj_bytes *b, const struct plot_table *t, const struct plot_canvas *canvas,
                            const struct plot_figure_options *options, bool colour, struct trj_error *err) {
    struct page p = {.colour = colour};
    int rc = plot_grid_find(&p.grid, t, options, err);
    double columns = canvas->width / canvas->advance - NUMBER - 1,
           lines = canvas->height / canvas->em - 4 - (options->title != NULL);
    if (!rc && (columns < MIN || lines < 4))
        rc = trj_fail(err, TRJ_USAGE, "--size: too small for a map; choose at least %dx10", NUMBER + 1 + MIN);
    if (!rc) rc = plot_grid_fit_texts(&p.grid, canvas, columns * canvas->advance - 10, canvas->width, err);
    if (!rc) {
        p.columns = (size_t)columns;
        p.lines = (size_t)lines;
        plot_scale_set_ticks(&p.grid.x, columns, 8);
        plot_scale_set_ticks(&p.grid.y, lines, 3);
        if (p.grid.title) put_line(b, p.grid.title);
        for (size_t i = 0; i < p.grid.pairs; i++) put_pair(b, &p, i);
        put_scale(b, &p);
        if (b->failed) rc = trj_fail_memory(err, (double)b->size, "a page");
    }
    plot_grid_free(&p.grid);
    return rc;
}
