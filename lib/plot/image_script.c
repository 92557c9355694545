// SPDX-License-Identifier: MIT
// Writes the columns of a table as rows of an image, with script and data in one file, so that the figure can be
// changed later.
#include "image_script.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "figure_layout.h"
#include "gnuplot_parts.h"
#include "memory.h"

enum { LABELS = 16 }; // largest number of column names beside the image; if there are more, only some are named

struct columns {
    size_t *index; // [count] in the table
    size_t count;
    const struct plot_quantity *quantity;
    double low, high; // of the values
};

// Returns the length of "phi(P)" in the name of a column of residues, "phi(P)[A:LYS12]".
static size_t expression_length(const char *name) {
    return (size_t)(plot_residue_find(name) - name) - 1;
}

static bool is_selected(const struct plot_figure_options *options, const struct plot_table *t, size_t index) {
    const struct plot_column *column = &t->column[index];
    const char *name = t->name[index];
    for (size_t i = 0; i < options->pairs.count; i++) {
        const char *pair = options->pairs.texts[i];
        if (plot_table_column_is(t, index, pair)) return true;
        if (column->residue && strlen(pair) == expression_length(name) && !strncmp(pair, name, strlen(pair)))
            return true;
    }
    return false;
}

// Fails if no option selects the columns of one of several functions of residues.
static int require_one_function(const struct plot_table *t, size_t first, size_t other, struct trj_error *err) {
    const char *a = t->name[first], *b = t->name[other];
    size_t n = expression_length(a), m = expression_length(b);
    if (n == m && !strncmp(a, b, n)) return 0;
    return trj_fail(err, TRJ_USAGE, "%s contains %.*s and %.*s of residues; draw one of them: -p '%.*s'", t->file,
                    (int)n, a, (int)m, b, (int)n, a);
}

// Finds the columns with a known quantity that options->pairs selects or, without that option, those of residues; if
// there are none of residues, all that share the axis of the first one.
static int find_columns(struct columns *c, const struct plot_table *t, const struct plot_figure_options *options,
                        struct trj_error *err) {
    bool residues = false;
    if (!(c->index = trj_alloc(t->columns, sizeof *c->index, "columns", err))) return -1;
    for (size_t i = 1; i < t->columns; i++) residues |= t->column[i].residue != NULL;
    for (size_t i = 1; i < t->columns; i++) {
        const struct plot_column *column = &t->column[i];
        if (!column->quantity) continue;
        if (options->pairs.count ? !is_selected(options, t, i) : residues && !column->residue) continue;
        if (!c->count) c->quantity = column->quantity;
        if (!options->pairs.count && residues && c->count && require_one_function(t, c->index[0], i, err)) return -1;
        if (plot_quantity_shares_axis(column->quantity, c->quantity)) c->index[c->count++] = i;
    }
    if (!c->count) return trj_fail(err, TRJ_USAGE, "--pair: no such column in %s; leave the option out", t->file);
    return 0;
}

static int find_range(struct columns *c, const struct plot_table *t, struct trj_error *err) {
    c->low = INFINITY;
    c->high = -INFINITY;
    for (size_t k = 0; k < c->count; k++)
        for (size_t row = 0; row < t->rows; row++) {
            c->low = fmin(c->low, t->values[row * t->columns + c->index[k]]); // NaN is ignored
            c->high = fmax(c->high, t->values[row * t->columns + c->index[k]]);
        }
    if (c->low <= c->high) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "%s: no value is finite; give a table with finite values", t->file);
}

// Sets the distance between rows; 1 for a single row.
static int find_step(double *step, const struct plot_table *t, struct trj_error *err) {
    double first = plot_table_x(t, 0);
    *step = t->rows > 1 ? (plot_table_x(t, t->rows - 1) - first) / (double)(t->rows - 1) : 1;
    for (size_t i = 0; i < t->rows; i++) {
        double x = first + (double)i * *step;
        if (fabs(plot_table_x(t, i) - x) <= 0.01 * *step) continue;
        return trj_fail(err, TRJ_BAD_DATA,
                        "%s: row %zu is at %g instead of %g: the rows of an image must be equally spaced; draw "
                        "curves, or select equally spaced rows",
                        t->file, i, plot_table_x(t, i), x);
    }
    return 0;
}

static const char *find_name(const struct plot_figure_options *options, const char *key) {
    size_t n = strlen(key);
    for (size_t i = 0; i < options->names.count; i++)
        if (!strncmp(options->names.texts[i], key, n) && options->names.texts[i][n] == '=')
            return options->names.texts[i] + n + 1;
    return NULL;
}

// Returns the distance of columns whose names are shown.
static size_t every(const struct columns *c) {
    return (c->count + LABELS - 1) / LABELS;
}

// Returns the length of "A:" if this is the segment of all residues; 0: there are others, or none.
static size_t common_segment(const struct plot_table *t, const struct columns *c) {
    const char *first = t->column[c->index[0]].residue, *colon = first ? strchr(first, ':') : NULL;
    size_t n = colon ? (size_t)(colon - first) + 1 : 0;
    for (size_t k = 1; n && k < c->count; k++) {
        const char *residue = t->column[c->index[k]].residue;
        if (!residue || strncmp(residue, first, n) != 0) return 0;
    }
    return n;
}

// Returns the name of a column beside the image: that of --name, or the residue without a common segment, or else the
// pair.
static const char *name_of(const struct plot_figure_options *options, const struct plot_column *column,
                           size_t segment) {
    const char *name = find_name(options, column->pair);
    if (!name && column->residue) name = find_name(options, column->residue);
    if (name) return name;
    return column->residue ? column->residue + segment : column->pair;
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

// Sets the colours of classes, and their names beside the colours. The first one, of no class, is light.
static void put_classes(struct trj_bytes *b, const char *classes) {
    static const char *const colours[] = {"#eeeeee", "#d55e00", "#e69f00", "#cc79a7",
                                          "#0072b2", "#56b4e9", "#009e73", "#f0e442"};
    enum { CLASSES = sizeof colours / sizeof *colours };
    char name[40];
    int count = 0;
    plot_put(b, "set cbtics (");
    for (const char *p = classes; *p && count < CLASSES; count++) {
        size_t n = strcspn(p, " ");
        snprintf(name, sizeof name, "%.*s", (int)n, p);
        plot_put(b, "%s", count ? ", " : "");
        plot_put_string(b, name);
        plot_put(b, " %d", count);
        p += n + (p[n] == ' ');
    }
    plot_put(b, ")\nset palette maxcolors %d defined (", count);
    for (int i = 0; i < count; i++) plot_put(b, "%s%d '%s', %d '%s'", i ? ", " : "", i, colours[i], i + 1, colours[i]);
    plot_put(b, ")\nset cbrange [-0.5:%g]\n", count - 0.5);
}

// Sets the colours, and their range. Those of angles are equal at both ends.
static void put_colours(struct trj_bytes *b, const struct columns *c) {
    double capacity = c->high > c->low ? 0 : 0.5;
    if (c->quantity->classes) {
        put_classes(b, c->quantity->classes);
    } else if (c->quantity->is_angle) {
        plot_put(b, "set palette defined (-180 '#2f1436', -90 '#6276ba', 0 '#e2d9e2', 90 '#b3564f', 180 '#2f1436')\n"
                    "set cbrange [-180:180]\nset cbtics 90\n");
    } else {
        plot_put_palette(b);
        plot_put(b, "set cbrange [%.6g:%.6g]\n", c->low - capacity, c->high + capacity);
    }
}

// Names the axis of residues. gnuplot would place the name over the names of residues, whose width it underestimates.
static void put_residue_axis(struct trj_bytes *b, const struct plot_table *t, const struct columns *c,
                             const struct plot_canvas *v, const struct plot_figure_options *options) {
    const size_t segment = common_segment(t, c);
    const double em = v->em;
    double longest = 0;
    char label[100] = "residue";
    for (size_t k = 0; k < c->count; k += every(c))
        longest = fmax(longest, plot_text_width(v, name_of(options, &t->column[c->index[k]], segment)));
    if (segment) snprintf(label, sizeof label, "residue of %.*s", (int)segment - 1, t->column[c->index[0]].residue);
    plot_put(b, "\nset lmargin at screen %.6f\nset label ", (3 * em + longest) / v->width);
    plot_put_string(b, label);
    plot_put(b, " at screen %.6f, graph 0.5 center rotate by 90", 0.7 * em / v->width);
}

static void put_script(struct trj_bytes *b, const struct plot_table *t, const struct columns *c, double step,
                       const struct plot_canvas *canvas, const struct plot_figure_options *options,
                       enum plot_format format) {
    const double first = plot_table_x(t, 0);
    const size_t segment = common_segment(t, c);
    char label[200];
    put_values(b, t, c);
    put_colours(b, c);
    plot_axis_label(label, sizeof label, t, c->quantity, 0);
    plot_put(b, "set cblabel ");
    plot_put_string(b, label);
    plot_put(b, "\nset xlabel ");
    plot_put_string(b, t->axis);
    if (t->column[c->index[0]].residue) put_residue_axis(b, t, c, canvas, options);
    if (options->title) {
        plot_put(b, "\nset title ");
        plot_put_string(b, options->title);
    }
    plot_put(b, "\nset xrange [%.10g:%.10g]\nset yrange [%g:-0.5]\nset tics out nomirror\nunset key\nset ytics (",
             first - step / 2, plot_table_x(t, t->rows - 1) + step / 2, (double)c->count - 0.5);
    for (size_t k = 0; k < c->count; k += every(c)) {
        plot_put(b, "%s", k > 0 ? ", " : "");
        plot_put_string(b, name_of(options, &t->column[c->index[k]], segment));
        plot_put(b, " %zu", k);
    }
    plot_put(b, ")\nplot $values matrix using (%.10g + $1 * %.10g):2:3 with image%s\n", first, step,
             format == PLOT_SVG ? " pixels" : ""); // rectangles, because SVG would need a second file
}

int plot_image_script_write(struct trj_bytes *b, const struct plot_table *t, const struct plot_canvas *canvas,
                            const struct plot_figure_options *options, enum plot_format format, struct trj_error *err) {
    struct columns c = {.count = 0};
    double step;
    int rc = find_columns(&c, t, options, err);
    if (!rc) rc = find_range(&c, t, err);
    if (!rc) rc = find_step(&step, t, err);
    if (!rc) {
        plot_put_terminal(b, canvas, format);
        put_script(b, t, &c, step, canvas, options, format);
    }
    free(c.index);
    return rc;
}
