// SPDX-License-Identifier: MIT
#include "figure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "names.h"
#include "place.h"
#include "scale.h"

enum { MOST_IN_A_PANEL = 6 }; // that auto draws over one another

void plot_figure_free(struct plot_figure *f) {
    for (size_t i = 0; i < f->curve_count; i++) {
        free(f->curves[i].label);
        free(f->curves[i].points);
    }
    for (size_t i = 0; i < f->text_count; i++) free(f->texts[i].text);
    free(f->curves);
    free(f->texts);
    free(f->samples);
    free(f->panels);
    *f = (struct plot_figure){0};
}

// In common fonts without serifs, of the width of a digit: letters that are narrow, and those that are wide.
double plot_text_width(const struct plot_canvas *v, const char *text) {
    double n = 0;
    for (; *text; text++) {
        bool upper = *text >= 'A' && *text <= 'Z', follows = (*text & 0xc0) == 0x80;
        if (follows) continue;
        n += !v->printed                            ? 1
             : strchr("ijlIt.,:;'|!()[]/ -", *text) ? 0.6
             : strchr("mwMW@%", *text)              ? 1.5
             : upper                                ? 1.25
                                                    : 1;
    }
    return n * v->advance;
}

int plot_figure_say(struct plot_figure *f, const struct plot_text *place, const char *text, struct trj_error *err) {
    if (trj_grow(&f->texts, &f->text_room, f->text_count + 1, sizeof *f->texts, "texts", err)) return -1;
    f->texts[f->text_count] = *place;
    if (!(f->texts[f->text_count].text = trj_copy_text(text, err))) return -1;
    f->text_count++;
    return 0;
}

double plot_place_x(const struct plot_figure *f, const struct plot_panel *p, double x) {
    return p->left + (x - f->x.low) / (f->x.high - f->x.low) * (p->right - p->left);
}

double plot_place_y(const struct plot_panel *p, const struct plot_scale *s, double y) {
    return p->bottom + (y - s->low) / (s->high - s->low) * (p->top - p->bottom);
}

const struct plot_scale *plot_curve_scale(const struct plot_figure *f, const struct plot_curve *c) {
    return c->second ? &f->panels[c->panel].second : &f->panels[c->panel].y;
}

static bool wanted(const struct plot_wish *wish, const char *of) {
    for (size_t i = 0; i < wish->pairs.count; i++)
        if (!strcmp(wish->pairs.texts[i], of)) return true;
    return !wish->pairs.count;
}

static bool is_drawn(const struct plot_figure *f, const char *of) {
    for (size_t i = 0; i < f->curve_count; i++)
        if (!strcmp(f->curves[i].of, of)) return true;
    return false;
}

static bool is_among(const struct plot_table *tables, size_t count, const struct plot_quantity *q, const char *pair) {
    for (size_t k = 0; k < count; k++)
        for (size_t i = 1; i < tables[k].columns; i++) {
            const struct plot_column *c = &tables[k].column[i];
            if (c->quantity && plot_quantity_fits(c->quantity, q) && !strcmp(c->of, pair)) return true;
        }
    return false;
}

static int copy_points(struct plot_curve *c, size_t column, struct trj_error *err) {
    const struct plot_table *t = c->table;
    size_t error = t->column[column].error;
    // n(r) is that up to the upper edge of the bin; beside g(r) it is in the row of the middle.
    bool shift = c->quantity->runs_on && !t->quantity->runs_on;
    if (!(c->points = trj_alloc(t->rows, sizeof *c->points, "a curve", err))) return -1;
    c->count = t->rows;
    for (size_t i = 0; i < t->rows; i++) {
        const double *row = t->values + i * t->columns;
        double se = error ? row[error] : NAN;
        c->points[i] = (struct plot_point){plot_table_x(t, i) + (shift ? plot_table_half(t, i) : 0), row[column],
                                           row[column] - se, row[column] + se};
        if (!isnan(row[column])) c->values++;
    }
    return 0;
}

static int add_curve(struct plot_figure *f, const struct plot_table *t, size_t column, bool second,
                     struct trj_error *err) {
    if (f->curve_count == PLOT_MOST_CURVES)
        return trj_fail(err, TRJ_USAGE, "more than %d curves for one picture; choose some with --pair",
                        PLOT_MOST_CURVES);
    if (trj_grow(&f->curves, &f->curve_room, f->curve_count + 1, sizeof *f->curves, "curves", err)) return -1;
    struct plot_curve *c = &f->curves[f->curve_count];
    *c = (struct plot_curve){
        .table = t, .quantity = t->column[column].quantity, .of = t->column[column].of, .second = second};
    f->curve_count++; // also one that fails is freed
    if (copy_points(c, column, err)) return -1;
    return c->values ? 0
                     : trj_fail(err, TRJ_BAD_DATA,
                                "%s: no value of %s(%s) is finite: no curve to draw; choose others with --pair",
                                t->file, c->quantity->column, c->of);
}

// The curves of the axis at the left, then those of the other one, which are of pairs that are there, too.
static int take_curves(struct plot_figure *f, const struct plot_table *tables, size_t count,
                       const struct plot_wish *wish, struct trj_error *err) {
    const struct plot_table *first = tables;
    while (first < tables + count && first->quantity->runs_on) first++;
    if (first == tables + count) first = tables;
    const struct plot_quantity *q = first->quantity;
    for (size_t i = 0; i < wish->pairs.count; i++)
        if (!is_among(tables, count, q, wish->pairs.texts[i]))
            return trj_fail(err, TRJ_USAGE, "--pair: no curve '%s' in %s%s", wish->pairs.texts[i], tables->file,
                            count > 1 ? " or in those after it" : "");
    for (int second = 0; second < 2; second++)
        for (const struct plot_table *t = tables; t < tables + count; t++) {
            if (!plot_quantity_fits(t->quantity, q) && !t->quantity->runs_on)
                return trj_fail(err, TRJ_BAD_DATA, "%s: holds %s, but %s %s; one picture shows one of them", t->file,
                                t->quantity->name, first->file, q->name);
            if (strcmp(t->axis, first->axis) != 0)
                return trj_fail(err, TRJ_BAD_DATA, "%s: is over %s, but %s over %s", t->file, t->axis, first->file,
                                first->axis);
            for (size_t i = 1; i < t->columns; i++) {
                const struct plot_column *c = &t->column[i];
                if (!c->quantity || !wanted(wish, c->of)) continue;
                bool left = plot_quantity_fits(c->quantity, q);
                bool right =
                    !left && c->quantity->runs_on && (wish->coordination || t->quantity->runs_on) && is_drawn(f, c->of);
                if ((second ? right : left) && add_curve(f, t, i, second, err)) return -1;
                f->second = f->second || (second && right);
            }
        }
    if (!f->second && wish->coordination)
        return trj_fail(err, TRJ_USAGE, "--coordination: no n(A:B) beside other curves of A:B in %s%s", tables->file,
                        count > 1 ? " or in those after it" : "");
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

// How many curves are the first of theirs; the number of those of its own before one is told by first_like.
static size_t first_like(const struct plot_figure *f, size_t curve,
                         bool (*same)(const struct plot_curve *, const struct plot_curve *)) {
    size_t i = 0;
    while (!same(&f->curves[i], &f->curves[curve])) i++;
    return i;
}

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
static int set_panels(struct plot_figure *f, const struct kinds *k, const struct plot_wish *wish,
                      struct trj_error *err) {
    size_t curves = 0, most = f->second ? MOST_IN_A_PANEL / 2 : MOST_IN_A_PANEL;
    while (curves < f->curve_count && !f->curves[curves].second) curves++;
    bool many = wish->panels == PLOT_PANELS_PAIRS ||
                (wish->panels == PLOT_PANELS_AUTO && (curves > most || (k->labels > 1 && k->pairs > 1)));
    f->panel_count = many ? k->pairs : 1;
    if (f->panel_count > PLOT_MOST_PANELS)
        return trj_fail(err, TRJ_USAGE, "more than %d panels for one picture; choose some with --pair",
                        PLOT_MOST_PANELS);
    if (!(f->panels = trj_alloc(f->panel_count, sizeof *f->panels, "panels", err))) return -1;
    for (size_t i = 0; i < f->curve_count; i++) {
        struct plot_curve *c = &f->curves[i];
        size_t pair = rank_of(f, i, same_pair);
        if (many) c->panel = pair;
        // Curves of both axes that belong together look alike.
        size_t file = k->files > 1 && !(c->second && c->table->quantity->runs_on) ? rank_of(f, i, same_file) : 0;
        size_t label = c->second ? 0 : rank_of(f, i, same_label);
        c->style = c->second ? (many ? file : pair + k->pairs * (k->repeated ? file : 0))
                   : many    ? file * k->labels + label
                             : i;
        if (f->panel_count > 1 || (k->pairs == 1 && k->files > 1)) f->panels[c->panel].title = c->of;
    }
    return 0;
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
        if (k->files > 1 && (shared || many || k->pairs == 1) && !(c->second && c->table->quantity->runs_on && !shared))
            parts[n++] = files[c->table - tables];
        if (k->labels > 1 && !c->second && c->quantity->label) parts[n++] = c->quantity->label;
        for (size_t part = 0; part < n; part++) {
            size_t at = strlen(text);
            snprintf(text + at, sizeof text - at, "%s%s", part ? ", " : "", parts[part]);
        }
        // On which axis it is.
        if (f->second) {
            char inner[sizeof text];
            const char *symbol = c->second ? "n" : c->quantity->symbol;
            memcpy(inner, text, sizeof text);
            if (c->second)
                snprintf(text, sizeof text, n ? "n(%.1000s)" : "n(r)", inner);
            else if (!n)
                snprintf(text, sizeof text, "%s", symbol);
        }
        if (*text && !(c->label = trj_copy_text(text, err))) return -1;
    }
    return 0;
}

static void set_limits(struct plot_figure *f) {
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        struct plot_panel *p = &f->panels[c->panel];
        const char *colon = strchr(c->of, ':');
        bool two = colon && (strncmp(c->of, colon + 1, (size_t)(colon - c->of)) != 0 ||
                             strlen(colon + 1) != (size_t)(colon - c->of));
        enum plot_limit limit = c->quantity->limit;
        if (limit == PLOT_ONE_OR_ZERO) limit = two && !c->table->total ? PLOT_ZERO : PLOT_ONE;
        p->at_one = p->at_one || limit == PLOT_ONE;
        p->at_zero = p->at_zero || p->y.low < 0 || limit == PLOT_ZERO;
    }
}

// The widest number of an axis, in characters.
static size_t number_length(const struct plot_scale *s) {
    char low[PLOT_NUMBER], high[PLOT_NUMBER];
    double unit = pow(10, s->power);
    plot_scale_number(low, s, ceil(s->low / unit / s->step) * s->step);
    plot_scale_number(high, s, floor(s->high / unit / s->step) * s->step);
    return strlen(low) > strlen(high) ? strlen(low) : strlen(high);
}

static size_t most_number_length(const struct plot_figure *f, bool second) {
    size_t most = 0;
    for (size_t i = 0; i < f->panel_count; i++) {
        size_t n = number_length(second ? &f->panels[i].second : &f->panels[i].y);
        if (n > most) most = n;
    }
    return most;
}

static double longest_title(const struct plot_figure *f) {
    double most = 0;
    for (size_t i = 0; i < f->panel_count; i++)
        if (f->panels[i].title) most = fmax(most, plot_text_width(&f->canvas, f->panels[i].title));
    return most;
}

// How many panels stand side by side, and how large the picture is.
static void set_grid(struct plot_figure *f, const struct plot_canvas *canvas) {
    static const size_t columns[] = {1, 1, 2, 3, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4};
    size_t n = f->panel_count, known = sizeof columns / sizeof *columns;
    double least = 34 * canvas->advance; // of a panel in text
    f->canvas = *canvas;
    f->columns = n < known ? columns[n] : (size_t)ceil(sqrt((double)n));
    if (!canvas->printed) f->columns = (size_t)fmin(fmax(floor(canvas->width / least), 1), (double)n);
    if (canvas->printed && f->second && f->columns > 3) f->columns = 3;
    double title = longest_title(f) / 0.95; // there is nothing beside it
    while (f->columns > 1 && title > canvas->wide / (double)f->columns) f->columns--;
    f->lines = (n + f->columns - 1) / f->columns;
    if (n == 1) return;
    if (f->columns > 4)
        f->canvas.width = canvas->wide * (double)f->columns / 4;
    else if (f->columns + f->second > 2 || title > canvas->width / (double)f->columns)
        f->canvas.width = canvas->wide;
    double panel = f->canvas.width / (double)f->columns, lines = (double)f->lines;
    f->canvas.height = canvas->printed ? (fmin(0.72 * panel, canvas->height) + canvas->em) * lines + 2.5 * canvas->em
                                       : fmax(canvas->height, 12 * canvas->em * lines);
}

// Where panels are. Called again when numbers on axes, or the key, need other room.
static void set_places(struct plot_figure *f) {
    const struct plot_canvas *v = &f->canvas;
    double gap = v->printed ? 0.4 * v->em : 2 * v->advance, turned = v->printed ? v->em + gap : 0;
    double numbers = (double)most_number_length(f, false) * v->advance + (v->printed ? 2 : 1) * gap;
    double others = f->second ? (double)most_number_length(f, true) * v->advance + (v->printed ? 2 : 1) * gap : 0;
    double left = turned + numbers, right = f->second ? others + turned : 1.5 * v->advance;
    double bottom = 2 * v->em + (v->printed ? 2.8 * gap : 0), line_of_axis = v->printed ? 0 : v->em;
    double between = (f->own ? numbers + others : 0) + 1.6 * v->advance;
    double above = f->key_lines * v->em + (v->printed ? 0.5 * gap : v->em);
    double width = (v->width - left - right - between * (double)(f->columns - 1)) / (double)f->columns;
    double height = (v->height - bottom - above) / (double)f->lines;
    for (size_t i = 0; i < f->panel_count; i++) {
        struct plot_panel *p = &f->panels[i];
        size_t column = i % f->columns, line = i / f->columns;
        p->left = left + (double)column * (width + between);
        p->right = p->left + width;
        p->top = v->height - above - (double)line * height - f->above;
        p->bottom = v->height - above - (double)(line + 1) * height + line_of_axis;
        if (v->printed && line + 1 < f->lines) p->bottom += 0.6 * gap;
        if (!v->printed) { // whole cells
            p->left = round(p->left / v->advance) * v->advance;
            p->right = round(p->right / v->advance) * v->advance;
            p->top = round(p->top / v->em) * v->em;
            p->bottom = round(p->bottom / v->em) * v->em;
        }
        p->x_tics = i + f->columns >= f->panel_count;
        p->y_tics = f->own || !column;
        p->second_tics = f->second && (f->own || column + 1 == f->columns || i + 1 == f->panel_count);
    }
}

static void set_steps(struct plot_figure *f) {
    const struct plot_canvas *v = &f->canvas;
    const struct plot_panel *first = f->panels;
    for (size_t i = 0; i < f->panel_count; i++) {
        struct plot_panel *p = &f->panels[i];
        plot_scale_step(&p->y, p->top - p->bottom, (v->printed ? 2.6 : 4) * v->em);
        plot_scale_step(&p->second, p->top - p->bottom, (v->printed ? 2.6 : 4) * v->em);
    }
    plot_scale_step(&f->x, first->right - first->left, 5 * v->advance);
    plot_scale_step(&f->x, first->right - first->left, ((double)number_length(&f->x) + 2.5) * v->advance);
}

// "S(q) / 10³ kJ mol⁻¹"
static void axis_label(char *text, size_t size, const struct plot_quantity *q, int power) {
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char ten[64] = "";
    if (power) {
        snprintf(ten, sizeof ten, "10%s", power < 0 ? "⁻" : "");
        char number[16];
        snprintf(number, sizeof number, "%d", abs(power));
        for (const char *c = number; *c; c++)
            snprintf(ten + strlen(ten), sizeof ten - strlen(ten), "%s", digits[*c - '0']);
    }
    bool both = *ten && *q->unit;
    snprintf(text, size, "%s%s%s%s%s", q->symbol, *ten || *q->unit ? " / " : "", ten, both ? " " : "", q->unit);
}

static int say(struct plot_figure *f, const char *text, double x, double y, enum plot_align align, bool upright,
               struct trj_error *err) {
    struct plot_text place = {.x = x, .y = y, .align = align, .upright = upright, .style = PLOT_INK};
    return plot_figure_say(f, &place, text, err);
}

static const struct plot_quantity *second_quantity(const struct plot_figure *f) {
    return f->curves[f->curve_count - 1].quantity;
}

static int say_axes(struct plot_figure *f, struct trj_error *err) {
    const struct plot_canvas *v = &f->canvas;
    const struct plot_panel *first = f->panels, *last = &f->panels[f->panel_count - 1];
    double middle = (f->panels[f->columns - 1].right + first->left) / 2, half = (first->top + last->bottom) / 2;
    char text[128];
    if (say(f, f->curves->table->axis, middle, 0.5 * v->em, PLOT_CENTRE, false, err)) return -1;
    axis_label(text, sizeof text, f->curves->quantity, first->y.power);
    double over = v->height - 0.5 * v->em;
    if (v->printed ? say(f, text, 0.6 * v->em, half, PLOT_CENTRE, true, err)
                   : say(f, text, 0, over, PLOT_LEFT, false, err))
        return -1;
    if (f->second) {
        axis_label(text, sizeof text, second_quantity(f), first->second.power);
        if (v->printed ? say(f, text, v->width - 0.6 * v->em, half, PLOT_CENTRE, true, err)
                       : say(f, text, v->width, over, PLOT_RIGHT, false, err))
            return -1;
    }
    if (f->own && say(f, "vertical scales differ", v->printed ? v->width : f->panels[f->columns - 1].right, 0.5 * v->em,
                      PLOT_RIGHT, false, err))
        return -1;
    return 0;
}

static int say_titles(struct plot_figure *f, struct trj_error *err) {
    for (size_t i = 0; f->above > 0 && i < f->panel_count; i++) {
        const struct plot_panel *p = &f->panels[i];
        if (p->title && say(f, p->title, p->right, p->top + f->above - 0.55 * f->canvas.em, PLOT_RIGHT, false, err))
            return -1;
    }
    return 0;
}

// The leftmost of the peaks that are beyond the top of the panel, of curves of which that is not said.
static const struct plot_curve *find_missed(const struct plot_figure *f, size_t panel, const bool *said) {
    const struct plot_curve *found = NULL;
    const struct plot_point *peak = NULL;
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_point *top =
            f->curves[i].panel == panel && !said[i] ? plot_scale_missed(f, &f->curves[i]) : NULL;
        if (!top || (peak && top->x >= peak->x)) continue;
        found = &f->curves[i];
        peak = top;
    }
    return found;
}

// Where a curve leaves the picture at the top: "↑24.1", beside one another where they would lie over each other.
static int say_missed(struct plot_figure *f, struct trj_error *err) {
    const struct plot_canvas *v = &f->canvas;
    bool said[PLOT_MOST_CURVES] = {false};
    for (size_t i = 0; i < f->panel_count; i++) {
        const struct plot_panel *p = &f->panels[i];
        double end = 0; // of the text before
        const struct plot_curve *next = find_missed(f, i, said);
        while (next) {
            const struct plot_curve *c = next;
            const struct plot_point *peak = plot_scale_missed(f, c);
            char height[32], text[64];
            said[c - f->curves] = true;
            next = find_missed(f, i, said);
            double x = plot_place_x(f, p, peak->x), half = v->advance / 2;
            double then = next ? plot_place_x(f, p, plot_scale_missed(f, next)->x) - half : v->width;
            snprintf(height, sizeof height, "%.3g", peak->y / pow(10, p->y.power));
            double length = (double)(strlen(height) + 1) * v->advance; // with the arrow
            // The arrow is at the peak; the number is before it where the next one leaves no room behind it.
            bool before = x - half + length + half > then && x + half - length > end;
            snprintf(text, sizeof text, before ? "%s↑" : "↑%s", height);
            double from = fmin(before ? x + half - length : fmax(x - half, end), v->width - length);
            struct plot_text place = {.x = from, .y = p->top + 0.55 * v->em, .style = c->style};
            if (plot_figure_say(f, &place, text, err)) return -1;
            end = from + length + v->advance;
        }
    }
    return 0;
}

// The title of a single panel, which is beside the key where nothing is said of peaks. It is where f->above is 0 that it is.
static const char *title_at_key(const struct plot_figure *f) {
    return f->panel_count == 1 && f->above == 0 ? f->panels->title : NULL;
}

// A strip above all panels: a piece of line and the name for each curve that has one.
static int say_key(struct plot_figure *f, bool draw, struct trj_error *err) {
    const struct plot_canvas *v = &f->canvas;
    const char *title = title_at_key(f);
    double left = f->panels->left, x = left, sample = 3 * v->advance;
    double right = title ? f->panels->right - plot_text_width(v, title) - 2 * v->advance : v->width;
    size_t line = 0;
    if (title && draw &&
        say(f, title, f->panels->right, v->height - (v->printed ? 0.6 : 1.5) * v->em, PLOT_RIGHT, false, err))
        return -1;
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        if (!c->label) continue;
        double length = sample + plot_text_width(v, c->label) + 2 * v->advance;
        if (x > left && x + length - 2 * v->advance > right) {
            x = left;
            line++;
        }
        double y = v->height - ((double)line + (v->printed ? 0.6 : 1.5)) * v->em;
        if (draw) {
            if (trj_grow(&f->samples, &f->sample_room, f->sample_count + 1, sizeof *f->samples, "the key", err))
                return -1;
            f->samples[f->sample_count++] = (struct plot_sample){x, x + sample, y, c->style, c->second};
            struct plot_text place = {.x = x + sample + (v->printed ? 0.5 : 1) * v->advance, .y = y, .style = c->style};
            if (plot_figure_say(f, &place, c->label, err)) return -1;
        }
        x += length;
    }
    f->key_lines = (double)line + 1.2;
    return 0;
}

// Room for titles, and for what is said of peaks.
static void set_strip(struct plot_figure *f, bool titles) {
    bool missed = false;
    for (size_t i = 0; i < f->curve_count; i++) missed = missed || plot_scale_missed(f, &f->curves[i]);
    bool any = missed;
    for (size_t i = 0; i < f->panel_count; i++) any = any || (titles && f->panels[i].title);
    f->above = any ? (f->canvas.printed ? 1.1 : 1) * f->canvas.em : 0;
    // Both may lie on one another.
    if (titles && missed && longest_title(f) > 0.3 * f->canvas.width / (double)f->columns) f->above *= 2;
}

// Of more points than can be told apart, the first, the least and the highest of each half pixel.
static void thin_out(struct plot_figure *f, struct plot_curve *c) {
    const struct plot_panel *p = &f->panels[c->panel];
    double half = f->canvas.pixel / 4;
    size_t kept = 0, i = 0;
    if ((double)c->count < 4 * (p->right - p->left) / half) return;
    while (i < c->count) {
        double column = floor(plot_place_x(f, p, c->points[i].x) / half);
        size_t least = i, most = i, end = i + 1;
        for (; end < c->count && floor(plot_place_x(f, p, c->points[end].x) / half) == column &&
               isnan(c->points[end].y) == isnan(c->points[i].y);
             end++) {
            if (c->points[end].y < c->points[least].y) least = end;
            if (c->points[end].y > c->points[most].y) most = end;
        }
        size_t first = least < most ? least : most, last = least < most ? most : least;
        struct plot_point keep[] = {c->points[i], c->points[first], c->points[last]};
        c->points[kept++] = keep[0];
        if (first > i) c->points[kept++] = keep[1];
        if (last > first) c->points[kept++] = keep[2];
        i = end;
    }
    c->count = kept;
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
    if (names && !lags) shorts = plot_names_short(names, count, err);
    if (names && lags) shorts = trj_alloc(count + 1, sizeof *shorts, "names", err);
    for (size_t i = 0; shorts && lags && i < count; i++)
        if (!(shorts[i] = trj_copy_text(names[i], err))) {
            trj_texts_free(shorts);
            shorts = NULL;
        }
    free(names);
    return shorts;
}

int plot_figure_make(struct plot_figure *f, const struct plot_canvas *canvas, const struct plot_table *tables,
                     size_t count, const struct plot_wish *wish, struct trj_error *err) {
    char **files = name_tables(tables, count, err);
    int rc = files ? take_curves(f, tables, count, wish, err) : -1;
    struct kinds kinds = count_kinds(f);
    if (!rc) rc = set_panels(f, &kinds, wish, err);
    if (!rc) rc = set_labels(f, &kinds, files, tables, err);
    trj_texts_free(files);
    if (rc) return -1;
    plot_scales_find(f, wish);
    set_limits(f);
    set_grid(f, canvas);
    set_strip(f, true);
    for (int again = 0; again < 2; again++) { // steps need places, which need the numbers at the steps
        set_places(f);
        set_steps(f);
    }
    set_places(f);
    for (size_t i = 0; i < f->curve_count; i++) thin_out(f, &f->curves[i]);
    bool placed;
    if (plot_labels_place(f, &placed, err)) return -1;
    if (!placed) {
        if (f->panel_count == 1) set_strip(f, false);
        if (say_key(f, false, err)) return -1;
        set_places(f);
        if (say_key(f, true, err)) return -1;
    }
    return say_axes(f, err) || say_titles(f, err) || say_missed(f, err) ? -1 : 0;
}
