// SPDX-License-Identifier: MIT
// Arranges the rows of a table with two coordinates as a grid, and chooses a colour scale without rare peaks.
#include "map_grid.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "memory.h"

double plot_grid_slow(const struct plot_grid *g, size_t row) {
    return g->t->values[row * g->columns * g->t->columns + g->t->slow];
}

double plot_grid_fast(const struct plot_grid *g, size_t column) {
    return plot_table_x(g->t, column);
}

double plot_grid_value(const struct plot_grid *g, size_t pair, size_t row, size_t column) {
    return g->t->values[(row * g->columns + column) * g->t->columns + g->value[pair]];
}

void plot_grid_free(struct plot_grid *g) {
    free(g->row_edge);
    free(g->column_edge);
    for (size_t i = 0; i < g->pairs; i++) free(g->name[i]);
    free(g->title);
    free(g->x_label);
    free(g->y_label);
    *g = (struct plot_grid){.t = NULL};
}

static int find_values(struct plot_grid *g, const struct plot_figure_options *options, struct trj_error *err) {
    const struct plot_table *t = g->t;
    const struct plot_quantity *first = NULL;
    for (size_t i = 2; i < t->columns; i++) {
        const struct plot_column *c = &t->column[i];
        bool selected = !options->pairs.count;
        for (size_t k = 0; c->quantity && k < options->pairs.count; k++)
            selected = selected || plot_table_column_is(t, i, options->pairs.texts[k]);
        if (!c->quantity || !selected) continue;
        if (!first) first = c->quantity;
        if (c->quantity != first) continue;
        if (g->pairs == PLOT_MAP_PAIRS)
            return trj_fail(err, TRJ_USAGE, "%s: more than %d pairs: a figure has a map for each; select some with -p",
                            t->file, PLOT_MAP_PAIRS);
        g->value[g->pairs++] = i;
    }
    if (g->pairs) return 0;
    return trj_fail(err, TRJ_USAGE, "--pair: no such pair in %s; spell it as the table does", t->file);
}

// Copies a text; tables and options may contain any bytes.
static char *clean_copy(const char *text, struct trj_error *err) {
    char *copy = trj_copy_text(text, err);
    if (copy) trj_replace_control_chars(copy);
    return copy;
}

// Returns the first ':' of "torsion(0-1-2-3):torsion(1-2-3-4)" that is not within brackets, or NULL.
static const char *find_colon(const char *pair) {
    size_t depth = 0;
    for (; *pair; pair++) {
        if (*pair == ':' && !depth) return pair;
        if (*pair == '(' || *pair == '[') depth++;
        if ((*pair == ')' || *pair == ']') && depth) depth--;
    }
    return NULL;
}

static char *print_label(const char *text, size_t n, const char *common, struct trj_error *err) {
    const char *unit = strstr(common, " / ");
    size_t size = n + (unit ? strlen(unit) : 0) + 1;
    char *label = trj_alloc(size, 1, "a label", err);
    if (label) snprintf(label, size, "%.*s%s", (int)n, text, unit ? unit : "");
    if (label) trj_replace_control_chars(label);
    return label;
}

// Labels the axes of a histogram of one pair of expressions, if they have the same quantity, with the expressions.
static int label_expressions(struct plot_grid *g, struct trj_error *err) {
    const char *pair = g->t->column[g->value[0]].pair, *colon = find_colon(pair), *axis = g->t->axis;
    if (g->pairs > 1 || !plot_table_bins(g->t, 0) || !colon || strcmp(axis, g->t->slow_axis) != 0) return 0;
    if (!g->y_label && !(g->y_label = print_label(colon + 1, strlen(colon + 1), axis, err))) return -1;
    if (g->x_label) return 0;
    return (g->x_label = print_label(pair, (size_t)(colon - pair), axis, err)) ? 0 : -1;
}

static int find_texts(struct plot_grid *g, const struct plot_figure_options *options, struct trj_error *err) {
    for (size_t pair = 0; pair < g->pairs; pair++) {
        const char *key = g->t->column[g->value[pair]].pair, *name = key;
        size_t n = strlen(key);
        for (size_t i = 0; i < options->names.count; i++)
            if (!strncmp(options->names.texts[i], key, n) && options->names.texts[i][n] == '=')
                name = options->names.texts[i] + n + 1;
        if (!(g->name[pair] = clean_copy(name, err))) return -1;
    }
    if (options->title && !(g->title = clean_copy(options->title, err))) return -1;
    if (options->x_label && !(g->x_label = clean_copy(options->x_label, err))) return -1;
    if (options->y_label && !(g->y_label = clean_copy(options->y_label, err))) return -1;
    if (label_expressions(g, err)) return -1;
    return g->x_label || (g->x_label = clean_copy(g->t->axis, err)) ? 0 : -1;
}

int plot_grid_fit_texts(struct plot_grid *g, const struct plot_canvas *v, double name_width, double title_width,
                        struct trj_error *err) {
    char **names[PLOT_MAP_PAIRS], **title[] = {&g->title};
    for (size_t i = 0; i < g->pairs; i++) names[i] = &g->name[i];
    char **x_label[] = {&g->x_label}, **y_label[] = {&g->y_label};
    if (g->title && plot_texts_fit(title, 1, v, title_width, err)) return -1;
    if (strcmp(g->x_label, g->t->axis) != 0 && plot_texts_fit(x_label, 1, v, title_width, err)) return -1;
    if (g->y_label && plot_texts_fit(y_label, 1, v, v->graphical ? v->height : title_width / 2, err)) return -1;
    return plot_texts_fit(names, g->pairs, v, name_width, err);
}

static int find_cells(struct plot_grid *g, struct trj_error *err) {
    const struct plot_table *t = g->t;
    while (g->columns < t->rows && t->values[g->columns * t->columns + t->slow] == t->values[t->slow]) g->columns++;
    g->rows = t->rows / g->columns;
    for (size_t i = 0; i < t->rows; i++) {
        size_t row = i / g->columns, column = i % g->columns;
        const double *v = t->values + i * t->columns + t->slow;
        if (row < g->rows && v[0] == plot_grid_slow(g, row) && plot_table_x(t, i) == plot_grid_fast(g, column) &&
            (column || !row || v[0] > v[-(ptrdiff_t)t->columns]))
            continue;
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: row %zu has %s %g and %s %g, but %s must have the same %zu values for each %s; give all "
                        "rows of the table",
                        t->file, i + 1, t->name[t->slow], v[0], t->name[t->x], plot_table_x(t, i), t->name[t->x],
                        g->columns, t->name[t->slow]);
    }
    if (t->rows <= PLOT_MAP_CELLS) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "%s: %zu values, more than a map can show (%d); use wider bins or longer times",
                    t->file, t->rows, PLOT_MAP_CELLS);
}

static double *find_edges(double (*position)(const struct plot_grid *, size_t), const struct plot_grid *g, size_t n,
                          struct trj_error *err) {
    double *edge = trj_alloc(n + 1, sizeof *edge, "edges of cells", err);
    if (!edge) return NULL;
    for (size_t i = 1; i < n; i++) edge[i] = (position(g, i - 1) + position(g, i)) / 2;
    double alone = fmax(0.5, 1e-6 * fabs(position(g, 0))); // half the width of a single cell
    edge[0] = n < 2 ? position(g, 0) - alone : position(g, 0) - (position(g, 1) - position(g, 0)) / 2;
    edge[n] = n < 2 ? position(g, 0) + alone : position(g, n - 1) + (position(g, n - 1) - position(g, n - 2)) / 2;
    return edge;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// Extends the scale of colours by the values of a pair within the axis. Distances within molecules cause peaks that are
// far higher than the rest: if the highest value is more than 2.5 times the one that 2 % of the cells exceed, the scale
// ends at the latter. `sorted` has a capacity of all cells.
static void include_pair(struct plot_grid *g, size_t pair, double *sorted) {
    struct plot_scale *s = &g->colour;
    size_t n = 0;
    for (size_t i = 0; i < g->t->rows; i++) {
        double v = plot_grid_value(g, pair, i / g->columns, i % g->columns);
        double left = g->column_edge[i % g->columns], right = g->column_edge[i % g->columns + 1];
        if (!isnan(v) && right > g->x.low && left < g->x.high) sorted[n++] = v;
    }
    if (!n) return;
    qsort(sorted, n, sizeof *sorted, compare);
    double max = sorted[n - 1], usual = sorted[n - 1 - n / 50];
    bool spikes = g->t->column[g->value[pair]].quantity->has_spikes && usual > sorted[0] && max > 2.5 * usual;
    s->low = fmin(s->low, sorted[0]);
    s->high = fmax(s->high, spikes ? usual : max);
    g->max = fmax(g->max, max);
}

static int find_colours(struct plot_grid *g, const struct plot_figure_options *options, struct trj_error *err) {
    double *sorted = trj_alloc(g->t->rows, sizeof *sorted, "values", err);
    struct plot_scale *s = &g->colour;
    if (!sorted) return -1;
    s->low = INFINITY;
    s->high = g->max = -INFINITY;
    for (size_t pair = 0; pair < g->pairs; pair++) include_pair(g, pair, sorted);
    free(sorted);
    if (!(s->low <= s->high))
        return trj_fail(err, TRJ_BAD_DATA, "%s: no value is finite within the axes; give a table with finite values",
                        g->t->file);
    if (s->low > 0 && s->low < s->high / 2) s->low = 0;
    if (s->low >= s->high) s->high = s->low + fmax(fabs(s->low), 1);
    if (!isnan(options->ymax)) s->high = options->ymax;
    if (!isnan(options->ymin)) s->low = options->ymin;
    if (s->low >= s->high && isnan(options->ymax)) s->high = s->low + fmax(fabs(s->low), 1);
    if (s->low >= s->high) s->low = s->high - fmax(fabs(s->high), 1);
    double size = fmax(fabs(s->low), fabs(s->high));
    if (size >= 1e5 || size < 0.01) s->power = (int)floor(log10(size));
    return 0;
}

int plot_grid_find(struct plot_grid *g, const struct plot_table *t, const struct plot_figure_options *options,
                   struct trj_error *err) {
    *g = (struct plot_grid){.t = t};
    if (find_values(g, options, err)) return -1;
    if (find_texts(g, options, err)) return -1;
    if (find_cells(g, err)) return -1;
    if (!(g->row_edge = find_edges(plot_grid_slow, g, g->rows, err))) return -1;
    if (!(g->column_edge = find_edges(plot_grid_fast, g, g->columns, err))) return -1;
    g->y = (struct plot_scale){.low = g->row_edge[0], .high = g->row_edge[g->rows]};
    g->x = (struct plot_scale){.low = isnan(options->x_low) ? g->column_edge[0] : options->x_low,
                               .high = isnan(options->x_high) ? g->column_edge[g->columns] : options->x_high};
    g->x.degrees = plot_bins_are_degrees(plot_table_bins(t, t->x));
    g->y.degrees = plot_bins_are_degrees(plot_table_bins(t, t->slow));
    g->square = g->x.degrees && g->y.degrees && g->x.high - g->x.low == g->y.high - g->y.low;
    if (!(g->x.low < g->x.high))
        return trj_fail(err, TRJ_USAGE, "--x-range: contains no value of %s; choose a range from %g to %g", t->file,
                        g->column_edge[0], g->column_edge[g->columns]);
    return find_colours(g, options, err);
}
