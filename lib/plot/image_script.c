// SPDX-License-Identifier: MIT
// Writes the columns of a table as rows of an image, with script and data in one file, so that the figure can be
// changed later.
#include "image_script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gnuplot_parts.h"
#include "memory.h"

enum { LABELS = 16 }; // largest number of column names beside the image; if there are more, only some are named

struct columns {
    size_t *index; // [count] in the table
    size_t count;
    double low, high; // of the values
};

static bool is_selected(const struct plot_figure_options *options, const char *name) {
    for (size_t i = 0; i < options->pairs.count; i++)
        if (!strcmp(options->pairs.texts[i], name)) return true;
    return !options->pairs.count;
}

static int find_columns(struct columns *c, const struct plot_table *t, const struct plot_figure_options *options,
                        struct trj_error *err) {
    c->low = INFINITY;
    c->high = -INFINITY;
    if (!(c->index = trj_alloc(t->columns, sizeof *c->index, "columns", err))) return -1;
    for (size_t i = 1; i < t->columns; i++) {
        const struct plot_column *column = &t->column[i];
        if (!column->quantity || !plot_quantity_shares_axis(column->quantity, t->quantity) ||
            !is_selected(options, column->pair))
            continue;
        c->index[c->count++] = i;
        for (size_t row = 0; row < t->rows; row++) {
            c->low = fmin(c->low, t->values[row * t->columns + i]); // NaN is ignored
            c->high = fmax(c->high, t->values[row * t->columns + i]);
        }
    }
    if (!c->count) return trj_fail(err, TRJ_USAGE, "--pair: no such column in %s; leave the option out", t->file);
    if (c->low <= c->high) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "%s: no value is finite; give a table with finite values", t->file);
}

// Sets the distance between rows; 1 for a single row.
static int find_step(double *step, const struct plot_table *t, struct trj_error *err) {
    double first = plot_table_x(t, 0);
    *step = t->rows > 1 ? (plot_table_x(t, t->rows - 1) - first) / (double)(t->rows - 1) : 1;
    for (size_t i = 0; i < t->rows; i++) {
        double at = first + (double)i * *step;
        if (fabs(plot_table_x(t, i) - at) <= 0.01 * *step) continue;
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: row %zu is at %g instead of %g: the rows of an image must be equally spaced; draw "
                        "curves, or select equally spaced rows",
                        t->file, i, plot_table_x(t, i), at);
    }
    return 0;
}

static const char *name_of(const struct plot_figure_options *options, const char *key) {
    size_t n = strlen(key);
    for (size_t i = 0; i < options->names.count; i++)
        if (!strncmp(options->names.texts[i], key, n) && options->names.texts[i][n] == '=')
            return options->names.texts[i] + n + 1;
    return key;
}

static void put_values(struct trj_bytes *b, const struct plot_table *t, const struct columns *c) {
    plot_put(b, "$values << END_OF_VALUES\n");
    for (size_t k = 0; k < c->count; k++) {
        for (size_t row = 0; row < t->rows; row++) {
            double v = t->values[row * t->columns + c->index[k]];
            if (isnan(v))
                plot_put(b, "%sNaN", row ? " " : "");
            else
                plot_put(b, "%s%.6g", row ? " " : "", v);
        }
        plot_put(b, "\n");
    }
    plot_put(b, "END_OF_VALUES\n");
}

int plot_image_script_write(struct trj_bytes *b, const struct plot_table *t, const struct plot_canvas *canvas,
                            const struct plot_figure_options *options, enum plot_format format, struct trj_error *err) {
    struct columns c = {.count = 0};
    double step, first = plot_table_x(t, 0);
    if (find_columns(&c, t, options, err) || find_step(&step, t, err)) {
        free(c.index);
        return -1;
    }
    size_t every = (c.count + LABELS - 1) / LABELS;
    double capacity = c.high > c.low ? 0 : 0.5;
    plot_put_terminal(b, canvas, format);
    put_values(b, t, &c);
    plot_put_palette(b);
    plot_put(b, "set cbrange [%.6g:%.6g]\nset cblabel ", c.low - capacity, c.high + capacity);
    plot_put_string(b, t->quantity->symbol);
    plot_put(b, "\nset xlabel ");
    plot_put_string(b, t->axis);
    if (options->title) {
        plot_put(b, "\nset title ");
        plot_put_string(b, options->title);
    }
    plot_put(b, "\nset xrange [%.10g:%.10g]\nset yrange [%g:-0.5]\nset tics out nomirror\nunset key\nset ytics (",
             first - step / 2, plot_table_x(t, t->rows - 1) + step / 2, (double)c.count - 0.5);
    for (size_t k = 0; k < c.count; k += every) {
        plot_put(b, "%s", k > 0 ? ", " : "");
        plot_put_string(b, name_of(options, t->column[c.index[k]].pair));
        plot_put(b, " %zu", k);
    }
    plot_put(b, ")\nplot $values matrix using (%.10g + $1 * %.10g):2:3 with image%s\n", first, step,
             format == PLOT_SVG ? " pixels" : ""); // rectangles, because SVG would need a second file
    free(c.index);
    return 0;
}
