// SPDX-License-Identifier: MIT
// Selects curves from tables and assigns panels, colours and names, before any layout.
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis_scale.h"
#include "figure_layout.h"
#include "memory.h"
#include "short_names.h"

enum { MAX_CURVES_IN_PANEL = 6 }; // more of them become several panels by default

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
    free(f->title);
    free(f->x_label);
    free(f->y_label);
    free(f->panels);
    *f = (struct plot_figure){0};
}

static bool has_default_columns(const struct plot_table *t) {
    for (size_t i = 1; i < t->columns; i++)
        if (t->column[i].quantity && !t->column[i].quantity->on_request && !t->column[i].quantity->integral)
            return true;
    return false;
}

static bool is_selected(const struct plot_figure_options *options, const struct plot_table *t, size_t column) {
    const bool on_request = t->column[column].quantity->on_request;
    for (size_t i = 0; i < options->pairs.count; i++) {
        const char *pair = options->pairs.texts[i];
        if (on_request ? !strcmp(pair, t->name[column]) : plot_table_column_is(t, column, pair)) return true;
    }
    return !options->pairs.count && (!on_request || !has_default_columns(t));
}

// Returns the column of which a running integral is that: the last one before it with another quantity; 0: there is
// none.
static size_t column_of_integral(const struct plot_table *t, size_t integral) {
    size_t i = integral - 1;
    while (i && !(t->column[i].quantity && !t->column[i].quantity->integral)) i--;
    return i;
}

// Returns the curve on the left axis of a column; NULL if it is not drawn.
static const struct plot_curve *find_curve(const struct plot_figure *f, const struct plot_table *t, size_t column) {
    for (size_t i = 0; i < f->curve_count; i++)
        if (f->curves[i].table == t && f->curves[i].column == column && !f->curves[i].second) return &f->curves[i];
    return NULL;
}

static bool is_drawn(const struct plot_figure *f, const char *pair) {
    for (size_t i = 0; i < f->curve_count; i++)
        if (!strcmp(f->curves[i].pair, pair)) return true;
    return false;
}

// Returns whether a table contains the pair (NULL: any pair) of a quantity that shares the axis of q.
static bool has_curve(const struct plot_table *t, const struct plot_quantity *q, const char *pair) {
    for (size_t i = 1; i < t->columns; i++) {
        const struct plot_column *c = &t->column[i];
        if (c->quantity && plot_quantity_shares_axis(c->quantity, q) && (!pair || plot_table_column_is(t, i, pair)))
            return true;
    }
    return false;
}

// Returns the quantity of the left axis: that of the first selected column, where n(r) and integrals count only if
// there is no other quantity. *first is the table that contains it.
static const struct plot_quantity *find_quantity(const struct plot_table **first, const struct plot_table *tables,
                                                 size_t count, const struct plot_figure_options *options) {
    for (int right = 0; right < 2; right++)
        for (*first = tables; *first < tables + count; (*first)++)
            for (size_t i = 1; i < (*first)->columns; i++) {
                const struct plot_column *c = &(*first)->column[i];
                if (c->quantity && (c->quantity->cumulative || c->quantity->integral) == right &&
                    is_selected(options, *first, i))
                    return c->quantity;
            }
    *first = tables;
    return tables->quantity;
}

static int copy_points(struct plot_curve *c, size_t column, struct trj_error *err) {
    const struct plot_table *t = c->table;
    size_t error = t->column[column].error;
    // n(r) counts up to the upper edge of the bin; in tables of g(r) it is in the row of the middle.
    bool shift = c->quantity->cumulative && !t->edges;
    if (!(c->points = trj_alloc(t->rows, sizeof *c->points, "a curve", err))) return -1;
    c->count = t->rows;
    for (size_t i = 0; i < t->rows; i++) {
        const double *row = t->values + i * t->columns;
        double se = error ? row[error] : NAN;
        c->points[i] = (struct plot_point){plot_table_x(t, i) + (shift ? plot_table_half_bin_width(t, i) : 0),
                                           row[column], row[column] - se, row[column] + se};
    }
    return 0;
}

static int add_curve(struct plot_figure *f, const struct plot_table *t, size_t column, bool second,
                     struct trj_error *err) {
    if (f->curve_count == PLOT_MAX_CURVES)
        return trj_fail(err, TRJ_USAGE, "more than %d curves in one figure; choose some pairs with --pair",
                        PLOT_MAX_CURVES);
    if (trj_grow(&f->curves, &f->curve_capacity, f->curve_count + 1, sizeof *f->curves, "curves", err)) return -1;
    struct plot_curve *c = &f->curves[f->curve_count];
    *c = (struct plot_curve){.table = t,
                             .column = column,
                             .quantity = t->column[column].quantity,
                             .pair = t->column[column].pair,
                             .second = second};
    f->curve_count++; // frees it also after a failure
    return copy_points(c, column, err);
}

static struct plot_point interpolate(const struct plot_point *a, const struct plot_point *b, double x) {
    double t = (x - a->x) / (b->x - a->x);
    return (struct plot_point){x, a->y + t * (b->y - a->y), a->low + t * (b->low - a->low),
                               a->high + t * (b->high - a->high)};
}

// Reduces the curve to the range of --x-range. It ends exactly there if it continues.
static void clip_to_range(struct plot_curve *c, double low, double high) {
    struct plot_point *p = c->points;
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct plot_point position = p[i], next = i + 1 < c->count ? p[i + 1] : position;
        if (position.x < low && next.x > low)
            p[n++] = interpolate(&position, &next, low);
        else if (position.x >= low && position.x <= high)
            p[n++] = position;
        if (position.x < high && next.x > high) {
            p[n++] = interpolate(&position, &next, high);
            break;
        }
    }
    c->count = n;
}

// Removes the values that logarithmic axes cannot show. A band that reaches 0 ends below the axis.
static void remove_negative_values(struct plot_curve *c, bool log_x, bool log_y) {
    size_t n = 0;
    for (size_t i = 0; i < c->count; i++) {
        struct plot_point position = c->points[i];
        if (log_x && position.x <= 0) continue;
        if (log_y && position.y <= 0) position.y = NAN;
        if (log_y && position.low <= 0) position.low = position.y * 1e-12;
        c->points[n++] = position;
    }
    c->count = n;
}

static bool has_values(const struct plot_curve *c) {
    for (size_t i = 0; i < c->count; i++)
        if (!isnan(c->points[i].y)) return true;
    return false;
}

static void remove_last_curve(struct plot_figure *f) {
    free(f->curves[--f->curve_count].points);
}

static bool has_range(const struct plot_figure_options *options) {
    return !isnan(options->x_low) || !isnan(options->x_high);
}

static int fail_empty(const struct plot_figure *f, const struct plot_table *t, const struct plot_column *c,
                      const struct plot_figure_options *options, struct trj_error *err) {
    const double *last = t->values + (t->rows - 1) * t->columns;
    char range[96] = "choose other curves with --pair";
    if (has_range(options)) snprintf(range, sizeof range, "the table reaches from %.6g to %.6g", t->values[0], *last);
    return trj_fail(err, TRJ_BAD_DATA, "%s: no value of %s(%s) is %s; %s", t->file, c->quantity->column, c->pair,
                    f->drawable, range);
}

// Skips a column without values, as of a group all of whose pairs are excluded. If --pair names it, that is an error.
static int skip_column(struct plot_figure *f, const struct plot_table *t, const struct plot_column *c,
                       const struct plot_figure_options *options, struct trj_error *err) {
    if (options->pairs.count) return fail_empty(f, t, c, options, err);
    if (!f->skipped++) {
        f->first_skipped = c;
        f->first_skipped_in = t;
    }
    return 0;
}

// Reports a missing pair, and those of the first table. In a table of trjcorr, whose curves of one expression differ in
// their columns, these are the names of the columns, without those of integrals.
static int fail_missing_pair(const char *pair, const struct plot_table *t, size_t count, const struct plot_quantity *q,
                             struct trj_error *err) {
    char has[400] = "";
    for (size_t i = 1; i < t->columns && strlen(has) < sizeof has - 1; i++) {
        const struct plot_quantity *own = t->column[i].quantity;
        if (own && (t->correlations ? !own->integral : plot_quantity_shares_axis(own, q)))
            snprintf(has + strlen(has), sizeof has - strlen(has), "%s%s", *has ? ", " : "",
                     t->correlations ? t->name[i] : t->column[i].pair);
    }
    return trj_fail(err, TRJ_USAGE, "--pair: no curve '%s' in %s%s, which has %s", pair, t->file,
                    count > 1 ? " or in those after it" : "", *has ? has : "others");
}

// Notes a column of a table of trjcorr that is not drawn, because its axis differs.
static void omit(struct plot_figure *f, const struct plot_table *t, size_t column) {
    if (!t->correlations) return;
    const size_t of = t->column[column].quantity->integral ? column_of_integral(t, column) : 0;
    if (of && t->column[of].quantity) return; // the note names the correlation itself
    if (f->omitted++) return;
    f->first_omitted = t->name[column];
    f->first_omitted_in = t;
}

// Returns the straight line that was fitted to a curve; NULL: none.
static const struct plot_fit *fit_of(const struct plot_curve *c) {
    if (c->second || c->fit || !c->quantity->log_axes || c->quantity->on_request) return NULL;
    return plot_correlation_fit(&c->table->correlation, c->table->name[c->column]);
}

// Adds the straight line that was fitted to the curve, within the range of the axis.
static int add_fit(struct plot_figure *f, size_t curve, const struct plot_figure_options *options, double low,
                   double high, struct trj_error *err) {
    enum { POINTS = 64 };
    const struct plot_fit *fit = fit_of(&f->curves[curve]);
    if (!fit) return 0;
    const double from = fmax(fit->from, low), to = fmin(fit->to, high);
    if (!(from < to) || (options->log_x && from <= 0)) return 0;
    if (trj_grow(&f->curves, &f->curve_capacity, f->curve_count + 1, sizeof *f->curves, "curves", err)) return -1;
    struct plot_curve *c = &f->curves[f->curve_count++];
    *c = f->curves[curve];
    c->fit = true;
    c->label = NULL;
    c->count = POINTS;
    if (!(c->points = trj_alloc(POINTS, sizeof *c->points, "a curve", err))) return -1;
    for (size_t i = 0; i < POINTS; i++) {
        const double part = (double)i / (POINTS - 1),
                     x = options->log_x ? from * pow(to / from, part) : from + part * (to - from),
                     y = fit->intercept + fit->slope * x;
        c->points[i] = (struct plot_point){x, options->log_y && y <= 0 ? NAN : y, NAN, NAN};
    }
    return 0;
}

static int add_fits(struct plot_figure *f, const struct plot_figure_options *options, struct trj_error *err) {
    const double low = isnan(options->x_low) ? -INFINITY : options->x_low,
                 high = isnan(options->x_high) ? INFINITY : options->x_high;
    for (size_t i = 0, count = f->curve_count; i < count; i++)
        if (add_fit(f, i, options, low, high, err)) return -1;
    return 0;
}

// Adds the curves of the left axis, then those of the right axis for the same pairs.
static int add_curves(struct plot_figure *f, const struct plot_table *tables, size_t count,
                      const struct plot_figure_options *options, struct trj_error *err) {
    const struct plot_table *first;
    bool has_coordination = false, ranged = has_range(options), log = options->log_x || options->log_y;
    double low = isnan(options->x_low) ? -INFINITY : options->x_low;
    double high = isnan(options->x_high) ? INFINITY : options->x_high;
    f->drawable = ranged && log ? "finite and positive within --x-range"
                  : ranged      ? "finite within --x-range"
                  : log         ? "finite and positive, as --log requires"
                                : "finite";
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
                if (!c->quantity || !is_selected(options, t, i)) continue;
                bool left = plot_quantity_shares_axis(c->quantity, q);
                bool coordination = !left && c->quantity->cumulative &&
                                    (options->coordination || t->quantity->cumulative) && is_drawn(f, c->pair);
                bool right =
                    coordination || (!left && c->quantity->integral && find_curve(f, t, column_of_integral(t, i)));
                if (second && !left && !right) omit(f, t, i);
                if (!(second ? right : left)) continue;
                if (add_curve(f, t, i, second, err)) return -1;
                struct plot_curve *curve = &f->curves[f->curve_count - 1];
                if (ranged) clip_to_range(curve, low, high);
                if (options->log_x || options->log_y) remove_negative_values(curve, options->log_x, options->log_y);
                if (!has_values(curve)) {
                    remove_last_curve(f);
                    if (skip_column(f, t, c, options, err)) return -1;
                    continue;
                }
                f->second = f->second || (second && right);
                has_coordination = has_coordination || (second && coordination);
            }
        }
    if (add_fits(f, options, err)) return -1;
    if (!f->curve_count) return fail_empty(f, f->first_skipped_in, f->first_skipped, options, err);
    if (!has_coordination && options->coordination)
        return trj_fail(err, TRJ_USAGE,
                        "--coordination: no other curve of the same pair as an n(A:B) in %s%s; leave it out",
                        tables->file, count > 1 ? " or in those after it" : "");
    return 0;
}

// Numbers of different pairs, files and labels among the curves of the left axis.
struct kinds {
    size_t pairs, files, labels;
    bool repeated; // a pair is in more than one file
};

static bool same_pair(const struct plot_curve *a, const struct plot_curve *b) {
    return !strcmp(a->pair, b->pair);
}

static bool same_file(const struct plot_curve *a, const struct plot_curve *b) {
    return a->table == b->table;
}

static bool same_label(const struct plot_curve *a, const struct plot_curve *b) {
    const char *x = a->quantity->label, *y = b->quantity->label;
    return a->quantity == b->quantity || (x && y && !strcmp(x, y));
}

// Returns the first curve that is the same in one respect.
static size_t first_like(const struct plot_figure *f, size_t curve,
                         bool (*same)(const struct plot_curve *, const struct plot_curve *)) {
    size_t i = 0;
    while (!same(&f->curves[i], &f->curves[curve])) i++;
    return i;
}

// Returns the number of different ones before it.
static size_t rank_of(const struct plot_figure *f, size_t curve,
                      bool (*same)(const struct plot_curve *, const struct plot_curve *)) {
    size_t rank = 0, first = first_like(f, curve, same);
    for (size_t i = 0; i < first; i++) rank += first_like(f, i, same) == i;
    return rank;
}

static struct kinds count_kinds(const struct plot_figure *f) {
    struct kinds k = {0};
    for (size_t i = 0; i < f->curve_count && !f->curves[i].second && !f->curves[i].fit; i++) {
        k.pairs += first_like(f, i, same_pair) == i;
        k.files += first_like(f, i, same_file) == i;
        k.labels += first_like(f, i, same_label) == i;
        size_t first = first_like(f, i, same_pair);
        k.repeated = k.repeated || !same_file(&f->curves[first], &f->curves[i]);
    }
    return k;
}

static bool is_key(const char *option, const char *key) {
    size_t n = strlen(key);
    return !strncmp(option, key, n) && option[n] == '=';
}

// Returns TEXT of the option --name KEY=TEXT for this key; NULL if there is none.
static const char *new_name(const struct plot_figure_options *options, const char *key) {
    for (size_t i = 0; i < options->names.count; i++)
        if (is_key(options->names.texts[i], key)) return options->names.texts[i] + strlen(key) + 1;
    return NULL;
}

static const char *name_of(const struct plot_figure_options *options, const char *key) {
    const char *text = new_name(options, key);
    return text ? text : key;
}

// The key of a file is its path or its short name.
static const char *file_name(const struct plot_figure_options *options, const struct plot_table *t, const char *name) {
    const char *text = new_name(options, t->file);
    return text ? text : name_of(options, name);
}

static void list_key(char *list, size_t capacity, const char *key) {
    size_t n = strlen(list), length = strlen(key);
    const char *found = strstr(list, key);
    if (found && (found == list || found[-1] == ' ') && (!found[length] || found[length] == ',')) return;
    snprintf(list + n, capacity - n, "%s%s", n ? ", " : "", key);
}

// Rejects a --name whose key is neither a pair nor, if they are in the figure, a file or a kind of curve.
static int check_names(const struct plot_figure *f, const struct kinds *k, char **files,
                       const struct plot_table *tables, const struct plot_figure_options *options,
                       struct trj_error *err) {
    for (size_t i = 0; i < options->names.count; i++) {
        const char *option = options->names.texts[i];
        char list[300] = "";
        bool found = false;
        for (size_t c = 0; !found && c < f->curve_count; c++) {
            const struct plot_curve *curve = &f->curves[c];
            const char *keys[] = {curve->pair, k->files > 1 ? files[curve->table - tables] : NULL,
                                  k->labels > 1 ? curve->quantity->label : NULL,
                                  k->files > 1 ? curve->table->file : NULL};
            for (size_t key = 0; key < sizeof keys / sizeof *keys; key++) {
                if (!keys[key]) continue;
                found = found || is_key(option, keys[key]);
                if (key < 3) list_key(list, sizeof list, keys[key]);
            }
        }
        if (!strchr(option, '='))
            return trj_fail(err, TRJ_USAGE, "--name: invalid value '%s': expected KEY=TEXT, as %s=TEXT", option,
                            f->curves->pair);
        if (!found)
            return trj_fail(err, TRJ_USAGE, "--name: no curve for '%s' in the figure; KEY is one of %s", option, list);
        if (option[strlen(option) - 1] == '=')
            return trj_fail(err, TRJ_USAGE, "--name: '%s' has no TEXT after '='; leave the option out, or add a name",
                            option);
    }
    return 0;
}

// Adds ", exponent 0.98 ± 0.02" to the name of a curve; fit NULL: nothing.
static void add_exponent(char *text, size_t size, const struct plot_fit *fit) {
    size_t end = strlen(text);
    if (!fit) return;
    const int digits = fit->error < 0.01 ? 3 : 2;
    snprintf(text + end, size - end, "%sexponent %.*f", end ? ", " : "", digits, fit->exponent);
    end = strlen(text);
    if (isfinite(fit->error)) snprintf(text + end, size - end, " ± %.*f", digits, fit->error);
}

// Sets panel and style of each curve. In panels of one pair, each file or quantity has its own style.
static int set_panels(struct plot_figure *f, const struct kinds *k, const struct plot_figure_options *options,
                      struct trj_error *err) {
    size_t curves = 0, max = f->second ? MAX_CURVES_IN_PANEL / 2 : MAX_CURVES_IN_PANEL;
    while (curves < f->curve_count && !f->curves[curves].second && !f->curves[curves].fit) curves++;
    bool many = options->panels == PLOT_PANELS_PAIRS ||
                (options->panels == PLOT_PANELS_AUTO && (curves > max || (k->labels > 1 && k->pairs > 1)));
    f->panel_count = many ? k->pairs : 1;
    if (f->panel_count > PLOT_MAX_PANELS)
        return trj_fail(err, TRJ_USAGE,
                        "more than %d panels in one figure; choose some pairs with --pair, or draw an image (--image)",
                        PLOT_MAX_PANELS);
    if (!(f->panels = trj_alloc(f->panel_count, sizeof *f->panels, "panels", err))) return -1;
    for (size_t i = 0; i < f->curve_count; i++) {
        struct plot_curve *c = &f->curves[i];
        size_t pair = rank_of(f, i, same_pair);
        if (many) c->panel = pair;
        // The curves of a pair on both axes have the same colour.
        size_t file = k->files > 1 && !(c->second && c->table->quantity->cumulative) ? rank_of(f, i, same_file) : 0;
        size_t label = c->second ? 0 : rank_of(f, i, same_label);
        c->style = c->second ? (many ? file : pair + k->pairs * (k->repeated ? file : 0))
                   : many    ? file * k->labels + label
                             : i;
        const struct plot_curve *of = c->quantity->integral && c->second
                                          ? find_curve(f, c->table, column_of_integral(c->table, c->column))
                                          : NULL;
        if (of) c->style = of->style;
        if (c->fit) c->style = PLOT_NO_CURVE;
        char **title = &f->panels[c->panel].title;
        if (*title || (f->panel_count == 1 && !(k->pairs == 1 && k->files > 1))) continue;
        char text[1024];
        snprintf(text, sizeof text, "%s", name_of(options, c->pair));
        if (many && k->files == 1) add_exponent(text, sizeof text, fit_of(c));
        trj_replace_control_chars(text); // a long name may end within a character
        if (!(*title = trj_copy_text(text, err))) return -1;
    }
    return 0;
}

// Returns whether n(r) is on the right axis, where names distinguish it from the curves on the left.
static bool has_coordination(const struct plot_figure *f) {
    for (size_t i = 0; i < f->curve_count; i++)
        if (f->curves[i].second && f->curves[i].quantity->cumulative) return true;
    return false;
}

// Returns whether a curve on the left axis has its colour, whose name is that of both.
static bool is_named_by_colour(const struct plot_figure *f, const struct plot_curve *c) {
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *o = &f->curves[i];
        if (!o->second && o->panel == c->panel && o->style == c->style) return true;
    }
    return false;
}

// Makes names like "O:H, warm, sphere" from the parts that distinguish a curve from others. In panels of pairs, only
// the curves of the first panel have names, which apply to all panels.
static int set_labels(struct plot_figure *f, const struct kinds *k, char **files, const struct plot_table *tables,
                      const struct plot_figure_options *options, struct trj_error *err) {
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
        if (c->fit || (many && c->panel > 0)) continue;
        if (!many && (k->pairs > 1 || (k->files == 1 && k->labels == 1))) parts[n++] = name_of(options, c->pair);
        if (k->files > 1 && (shared || many || k->pairs == 1) &&
            !(c->second && c->table->quantity->cumulative && !shared))
            parts[n++] = file_name(options, c->table, files[c->table - tables]);
        if (k->labels > 1 && !c->second && c->quantity->label) parts[n++] = name_of(options, c->quantity->label);
        for (size_t part = 0; part < n; part++) {
            size_t position = strlen(text);
            snprintf(text + position, sizeof text - position, "%s%s", part ? ", " : "", parts[part]);
        }
        if (has_coordination(f) && !c->second && !n) snprintf(text, sizeof text, "%s", c->quantity->symbol);
        if (c->second && (n || c->quantity->integral) && is_named_by_colour(f, c)) continue;
        if (c->second) {
            char inner[sizeof text];
            memcpy(inner, text, sizeof text);
            snprintf(text, sizeof text, n ? "n(%.1000s)" : "n(r)", inner);
        }
        if (!many) add_exponent(text, sizeof text, fit_of(c));
        trj_replace_control_chars(text); // names of tables and files may contain any bytes
        if (*text && !(c->label = trj_copy_text(text, err))) return -1;
    }
    return 0;
}

static void set_reference_lines(struct plot_figure *f) {
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        struct plot_panel *p = &f->panels[c->panel];
        const char *colon = strchr(c->pair, ':');
        bool two = colon && (strncmp(c->pair, colon + 1, (size_t)(colon - c->pair)) != 0 ||
                             strlen(colon + 1) != (size_t)(colon - c->pair));
        enum plot_reference_line line = c->quantity->line;
        if (line == PLOT_LINE_AT_ONE_OR_ZERO)
            line = two && !c->table->faber_ziman ? PLOT_LINE_AT_ZERO : PLOT_LINE_AT_ONE;
        p->at_one = p->at_one || line == PLOT_LINE_AT_ONE;
        p->at_zero = !p->y.log && (p->at_zero || p->y.low < 0 || line == PLOT_LINE_AT_ZERO);
    }
}

// Returns names for the tables: the time between frames if all tables have different ones, else the short names of
// files.
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

// Copies a text of an option, which may contain any bytes; NULL stays NULL.
static int copy_clean(char **to, const char *text, struct trj_error *err) {
    if (!text) return 0;
    if (!(*to = trj_copy_text(text, err))) return -1;
    trj_replace_control_chars(*to);
    return 0;
}

// Returns whether the axes are logarithmic without an option: those of displacements, unless a range that is given
// reaches 0, or no value is above 0.
static bool has_log_axes(const struct plot_table *tables, size_t count, const struct plot_figure_options *options) {
    const struct plot_table *t;
    const struct plot_quantity *q = find_quantity(&t, tables, count, options);
    if (options->linear || options->log_x || options->log_y || !q->log_axes) return false;
    if (options->x_low <= 0 || options->x_high <= 0 || options->ymin <= 0 || options->ymax <= 0) return false;
    for (size_t i = 0; i < t->rows; i++)
        for (size_t k = 1; k < t->columns; k++)
            if (t->column[k].quantity && t->column[k].quantity->log_axes && plot_table_x(t, i) > 0 &&
                t->values[i * t->columns + k] > 0)
                return true;
    return false;
}

int plot_figure_make(struct plot_figure *f, const struct plot_canvas *canvas, const struct plot_table *tables,
                     size_t count, const struct plot_figure_options *options, struct trj_error *err) {
    struct plot_figure_options log = *options;
    char **files = name_tables(tables, count, err);
    if (has_log_axes(tables, count, options)) {
        log.log_x = log.log_y = true;
        options = &log;
    }
    int rc = files ? add_curves(f, tables, count, options, err) : -1;
    struct kinds kinds = count_kinds(f);
    if (!rc) rc = check_names(f, &kinds, files, tables, options, err);
    if (!rc) rc = set_panels(f, &kinds, options, err);
    if (!rc) rc = set_labels(f, &kinds, files, tables, options, err);
    trj_text_array_free(files);
    if (!rc) rc = copy_clean(&f->title, options->title, err);
    if (!rc) rc = copy_clean(&f->x_label, options->x_label, err);
    if (!rc) rc = copy_clean(&f->y_label, options->y_label, err);
    f->colours = options->colours;
    if (rc || plot_scales_find(f, options, err)) return -1;
    set_reference_lines(f);
    return plot_layout(f, canvas, err);
}
