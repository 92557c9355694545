// SPDX-License-Identifier: MIT
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis_scale.h"
#include "figure_layout.h"
#include "memory.h"
#include "short_names.h"

enum { MAX_CURVES_IN_PANEL = 6 }; // that auto draws over one another

void plot_figure_free(struct plot_figure *f) {
    for (size_t i = 0; i < f->curve_count; i++) {
        free(f->curves[i].label);
        free(f->curves[i].points);
    }
    for (size_t i = 0; i < f->text_count; i++) free(f->texts[i].text);
    free(f->curves);
    free(f->texts);
    for (size_t i = 0; f->panels && i < f->panel_count; i++) free(f->panels[i].title);
    free(f->samples);
    free(f->panels);
    *f = (struct plot_figure){0};
}

static bool is_selected(const struct plot_figure_options *options, const char *of) {
    for (size_t i = 0; i < options->pairs.count; i++)
        if (!strcmp(options->pairs.texts[i], of)) return true;
    return !options->pairs.count;
}

static bool is_drawn(const struct plot_figure *f, const char *of) {
    for (size_t i = 0; i < f->curve_count; i++)
        if (!strcmp(f->curves[i].of, of)) return true;
    return false;
}

// Whether a table has the pair, of a quantity that shares the axis of q; NULL: any pair.
static bool has_curve(const struct plot_table *t, const struct plot_quantity *q, const char *pair) {
    for (size_t i = 1; i < t->columns; i++) {
        const struct plot_column *c = &t->column[i];
        if (c->quantity && plot_quantity_shares_axis(c->quantity, q) && (!pair || !strcmp(c->of, pair))) return true;
    }
    return false;
}

// The first column that is wished for tells what the axis at the left is of: one of n(r) only where there is no other.
static const struct plot_quantity *find_quantity(const struct plot_table **first, const struct plot_table *tables,
                                                 size_t count, const struct plot_figure_options *options) {
    for (int cumulative = 0; cumulative < 2; cumulative++)
        for (*first = tables; *first < tables + count; (*first)++)
            for (size_t i = 1; i < (*first)->columns; i++) {
                const struct plot_column *c = &(*first)->column[i];
                if (c->quantity && c->quantity->cumulative == cumulative && is_selected(options, c->of))
                    return c->quantity;
            }
    *first = tables;
    return tables->quantity;
}

static int copy_points(struct plot_curve *c, size_t column, struct trj_error *err) {
    const struct plot_table *t = c->table;
    size_t error = t->column[column].error;
    // n(r) is that up to the upper edge of the bin; beside g(r) it is in the row of the middle.
    bool shift = c->quantity->cumulative && !t->edges;
    if (!(c->points = trj_alloc(t->rows, sizeof *c->points, "a curve", err))) return -1;
    c->count = t->rows;
    for (size_t i = 0; i < t->rows; i++) {
        const double *row = t->values + i * t->columns;
        double se = error ? row[error] : NAN;
        c->points[i] = (struct plot_point){plot_table_x(t, i) + (shift ? plot_table_half_width(t, i) : 0), row[column],
                                           row[column] - se, row[column] + se};
    }
    return 0;
}

static int add_curve(struct plot_figure *f, const struct plot_table *t, size_t column, bool second,
                     struct trj_error *err) {
    if (f->curve_count == PLOT_MAX_CURVES)
        return trj_fail(err, TRJ_USAGE, "more than %d curves for one picture; choose some with --pair",
                        PLOT_MAX_CURVES);
    if (trj_grow(&f->curves, &f->curve_room, f->curve_count + 1, sizeof *f->curves, "curves", err)) return -1;
    struct plot_curve *c = &f->curves[f->curve_count];
    *c = (struct plot_curve){
        .table = t, .quantity = t->column[column].quantity, .of = t->column[column].of, .second = second};
    f->curve_count++; // also one that fails is freed
    return copy_points(c, column, err);
}

static bool has_values(const struct plot_table *t, size_t column) {
    for (size_t row = 0; row < t->rows; row++)
        if (!isnan(t->values[row * t->columns + column])) return true;
    return false;
}

static int fail_empty(const struct plot_table *t, const struct plot_column *c, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s: no value of %s(%s) is finite, so that there is no curve; choose others with --pair", t->file,
                    c->quantity->column, c->of);
}

// A column of gaps, as of groups all of whose pairs are excluded: an error only where it was asked for by name.
static int skip_column(struct plot_figure *f, const struct plot_table *t, const struct plot_column *c,
                       const struct plot_figure_options *options, struct trj_error *err) {
    if (options->pairs.count) return fail_empty(t, c, err);
    if (!f->skipped++) {
        f->first_skipped = c;
        f->first_skipped_in = t;
    }
    return 0;
}

// Tells what there is, of the first table.
static int fail_missing_pair(const char *pair, const struct plot_table *t, size_t count, const struct plot_quantity *q,
                             struct trj_error *err) {
    char has[200] = "";
    for (size_t i = 1; i < t->columns && strlen(has) < sizeof has - 1; i++)
        if (t->column[i].quantity && plot_quantity_shares_axis(t->column[i].quantity, q))
            snprintf(has + strlen(has), sizeof has - strlen(has), "%s%s", *has ? ", " : "", t->column[i].of);
    return trj_fail(err, TRJ_USAGE, "--pair: no curve '%s' in %s%s, which has %s", pair, t->file,
                    count > 1 ? " or in those after it" : "", *has ? has : "others");
}

// The curves of the axis at the left, then those of the other one, which are of pairs that are there, too.
static int add_curves(struct plot_figure *f, const struct plot_table *tables, size_t count,
                      const struct plot_figure_options *options, struct trj_error *err) {
    const struct plot_table *first;
    const struct plot_quantity *q = find_quantity(&first, tables, count, options);
    for (size_t i = 0; i < options->pairs.count; i++) {
        bool found = false;
        for (size_t k = 0; k < count; k++) found = found || has_curve(&tables[k], q, options->pairs.texts[i]);
        if (!found) return fail_missing_pair(options->pairs.texts[i], tables, count, q, err);
    }
    for (int second = 0; second < 2; second++)
        for (const struct plot_table *t = tables; t < tables + count; t++) {
            if (!has_curve(t, q, NULL) && !t->quantity->cumulative)
                return trj_fail(err, TRJ_BAD_DATA, "%s: contains %s, but %s contains %s; plot them separately", t->file,
                                t->quantity->name, first->file, q->name);
            if (strcmp(t->axis, first->axis) != 0)
                return trj_fail(err, TRJ_BAD_DATA, "%s: its axis is %s, but that of %s is %s; plot them separately",
                                t->file, t->axis, first->file, first->axis);
            for (size_t i = 1; i < t->columns; i++) {
                const struct plot_column *c = &t->column[i];
                if (!c->quantity || !is_selected(options, c->of)) continue;
                bool left = plot_quantity_shares_axis(c->quantity, q);
                bool right = !left && c->quantity->cumulative && (options->coordination || t->quantity->cumulative) &&
                             is_drawn(f, c->of);
                if (!(second ? right : left)) continue;
                if (has_values(t, i) ? add_curve(f, t, i, second, err) : skip_column(f, t, c, options, err)) return -1;
                f->second = f->second || (second && right);
            }
        }
    if (!f->curve_count) return fail_empty(f->first_skipped_in, f->first_skipped, err);
    if (!f->second && options->coordination)
        return trj_fail(err, TRJ_USAGE,
                        "--coordination: no other curve of the same pair as an n(A:B) in %s%s; leave it out",
                        tables->file, count > 1 ? " or in those after it" : "");
    return 0;
}

// Numbers of what there is of each kind among the curves of the axis at the left.
struct kinds {
    size_t pairs, files, labels;
    bool repeated; // a pair is in more than one file
};

static bool same_pair(const struct plot_curve *a, const struct plot_curve *b) {
    return !strcmp(a->of, b->of);
}

static bool same_file(const struct plot_curve *a, const struct plot_curve *b) {
    return a->table == b->table;
}

static bool same_label(const struct plot_curve *a, const struct plot_curve *b) {
    return a->quantity == b->quantity;
}

// The first curve that is like this one.
static size_t first_like(const struct plot_figure *f, size_t curve,
                         bool (*same)(const struct plot_curve *, const struct plot_curve *)) {
    size_t i = 0;
    while (!same(&f->curves[i], &f->curves[curve])) i++;
    return i;
}

// How many there are before it that are not like one another.
static size_t rank_of(const struct plot_figure *f, size_t curve,
                      bool (*same)(const struct plot_curve *, const struct plot_curve *)) {
    size_t rank = 0, first = first_like(f, curve, same);
    for (size_t i = 0; i < first; i++) rank += first_like(f, i, same) == i;
    return rank;
}

static struct kinds count_kinds(const struct plot_figure *f) {
    struct kinds k = {0};
    for (size_t i = 0; i < f->curve_count && !f->curves[i].second; i++) {
        k.pairs += first_like(f, i, same_pair) == i;
        k.files += first_like(f, i, same_file) == i;
        k.labels += first_like(f, i, same_label) == i;
        size_t first = first_like(f, i, same_pair);
        k.repeated = k.repeated || !same_file(&f->curves[first], &f->curves[i]);
    }
    return k;
}

// Which panel each curve is in, and how it looks: in panels of a pair, each file or quantity has its own style.
static int set_panels(struct plot_figure *f, const struct kinds *k, const struct plot_figure_options *options,
                      struct trj_error *err) {
    size_t curves = 0, most = f->second ? MAX_CURVES_IN_PANEL / 2 : MAX_CURVES_IN_PANEL;
    while (curves < f->curve_count && !f->curves[curves].second) curves++;
    bool many = options->panels == PLOT_PANELS_PAIRS ||
                (options->panels == PLOT_PANELS_AUTO && (curves > most || (k->labels > 1 && k->pairs > 1)));
    f->panel_count = many ? k->pairs : 1;
    if (f->panel_count > PLOT_MAX_PANELS)
        return trj_fail(err, TRJ_USAGE, "more than %d panels for one picture; choose some with --pair",
                        PLOT_MAX_PANELS);
    if (!(f->panels = trj_alloc(f->panel_count, sizeof *f->panels, "panels", err))) return -1;
    for (size_t i = 0; i < f->curve_count; i++) {
        struct plot_curve *c = &f->curves[i];
        size_t pair = rank_of(f, i, same_pair);
        if (many) c->panel = pair;
        // Curves of both axes that belong together look alike.
        size_t file = k->files > 1 && !(c->second && c->table->quantity->cumulative) ? rank_of(f, i, same_file) : 0;
        size_t label = c->second ? 0 : rank_of(f, i, same_label);
        c->style = c->second ? (many ? file : pair + k->pairs * (k->repeated ? file : 0))
                   : many    ? file * k->labels + label
                             : i;
        char **title = &f->panels[c->panel].title;
        if (*title || (f->panel_count == 1 && !(k->pairs == 1 && k->files > 1))) continue;
        if (!(*title = trj_copy_text(c->of, err))) return -1;
        trj_replace_control_chars(*title);
    }
    return 0;
}

// Whether a curve on the axis at the left has its colour, and a name that is therefore that of both.
static bool is_named_by_colour(const struct plot_figure *f, const struct plot_curve *c) {
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *o = &f->curves[i];
        if (!o->second && o->panel == c->panel && o->style == c->style) return true;
    }
    return false;
}

// "O:H, warm, sphere": as much as tells the curve from others. Panels of pairs say once, in the first, what is in all.
static int set_labels(struct plot_figure *f, const struct kinds *k, char **files, const struct plot_table *tables,
                      struct trj_error *err) {
    bool many = f->panel_count > 1;
    for (size_t i = 0; i < f->curve_count; i++) {
        struct plot_curve *c = &f->curves[i];
        const char *parts[3];
        size_t n = 0;
        char text[1024] = "";
        bool shared = false;
        for (size_t o = 0; o < f->curve_count; o++)
            shared = shared ||
                     (same_pair(&f->curves[o], c) && !same_file(&f->curves[o], c) && f->curves[o].second == c->second);
        if (many && c->panel > 0) continue;
        if (!many && (k->pairs > 1 || (k->files == 1 && k->labels == 1))) parts[n++] = c->of;
        if (k->files > 1 && (shared || many || k->pairs == 1) &&
            !(c->second && c->table->quantity->cumulative && !shared))
            parts[n++] = files[c->table - tables];
        if (k->labels > 1 && !c->second && c->quantity->label) parts[n++] = c->quantity->label;
        for (size_t part = 0; part < n; part++) {
            size_t at = strlen(text);
            snprintf(text + at, sizeof text - at, "%s%s", part ? ", " : "", parts[part]);
        }
        if (f->second && !c->second && !n) snprintf(text, sizeof text, "%s", c->quantity->symbol);
        if (c->second && n && is_named_by_colour(f, c)) continue;
        if (c->second) {
            char inner[sizeof text];
            memcpy(inner, text, sizeof text);
            snprintf(text, sizeof text, n ? "n(%.1000s)" : "n(r)", inner);
        }
        trj_replace_control_chars(text); // names of tables and files may contain any bytes
        if (*text && !(c->label = trj_copy_text(text, err))) return -1;
    }
    return 0;
}

static void set_reference_lines(struct plot_figure *f) {
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        struct plot_panel *p = &f->panels[c->panel];
        const char *colon = strchr(c->of, ':');
        bool two = colon && (strncmp(c->of, colon + 1, (size_t)(colon - c->of)) != 0 ||
                             strlen(colon + 1) != (size_t)(colon - c->of));
        enum plot_reference_line limit = c->quantity->limit;
        if (limit == PLOT_LINE_AT_ONE_OR_ZERO) limit = two && !c->table->total ? PLOT_LINE_AT_ZERO : PLOT_LINE_AT_ONE;
        p->at_one = p->at_one || limit == PLOT_LINE_AT_ONE;
        p->at_zero = p->at_zero || p->y.low < 0 || limit == PLOT_LINE_AT_ZERO;
    }
}

// What the tables are called: the times between frames, where these differ and all have one, else their files.
static char **name_tables(const struct plot_table *tables, size_t count, struct trj_error *err) {
    const char **names = trj_alloc(count, sizeof *names, "names", err);
    bool lags = true;
    for (size_t i = 0; i < count; i++) {
        lags = lags && tables[i].lag;
        for (size_t k = 0; lags && k < i; k++) lags = strcmp(tables[k].lag, tables[i].lag) != 0;
    }
    for (size_t i = 0; names && i < count; i++) names[i] = lags ? tables[i].lag : tables[i].file;
    char **shorts = NULL;
    if (names && !lags) shorts = plot_short_names(names, count, err);
    if (names && lags) shorts = trj_alloc(count + 1, sizeof *shorts, "names", err);
    for (size_t i = 0; shorts && lags && i < count; i++)
        if (!(shorts[i] = trj_copy_text(names[i], err))) {
            trj_text_array_free(shorts);
            shorts = NULL;
        }
    free(names);
    return shorts;
}

int plot_figure_make(struct plot_figure *f, const struct plot_canvas *canvas, const struct plot_table *tables,
                     size_t count, const struct plot_figure_options *options, struct trj_error *err) {
    char **files = name_tables(tables, count, err);
    int rc = files ? add_curves(f, tables, count, options, err) : -1;
    struct kinds kinds = count_kinds(f);
    if (!rc) rc = set_panels(f, &kinds, options, err);
    if (!rc) rc = set_labels(f, &kinds, files, tables, err);
    trj_text_array_free(files);
    if (rc) return -1;
    plot_scales_find(f, options);
    set_reference_lines(f);
    return plot_layout(f, canvas, err);
}
