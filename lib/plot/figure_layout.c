// SPDX-License-Identifier: MIT
// Places panels, key and texts, which depend on each other's size, and repeats where a size changes.
#include "figure_layout.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis_scale.h"
#include "canvas.h"
#include "curve_labels.h"
#include "memory.h"

enum { LABEL = 512 }; // bytes of the label of an axis

// Returns the number of characters of the longest number of an axis.
static size_t number_length(const struct plot_scale *s) {
    size_t max = 0;
    long tick, last;
    for (plot_scale_ticks(s, &tick, &last); tick <= last; tick++) {
        char text[PLOT_NUMBER];
        plot_scale_tick_number(text, s, tick);
        size_t n = plot_text_length(text);
        if (n > max) max = n;
    }
    return max;
}

// Returns the width of the longest number of the vertical axes on one side.
static double number_width(const struct plot_figure *f, bool second) {
    size_t max = 0;
    for (size_t i = 0; i < f->panel_count; i++) {
        size_t n = number_length(second ? &f->panels[i].second : &f->panels[i].y);
        if (n > max) max = n;
    }
    return (double)max * f->canvas.advance;
}

// Returns the space between such numbers and the label of the axis that they need in fonts that replace Helvetica:
// six digits that are a tenth wider, and a minus sign.
static double number_margin(const struct plot_figure *f, bool second) {
    static const double wide_digits = 0.6, wide_minus = 0.4; // in widths of a digit
    bool minus = false;
    for (size_t i = 0; i < f->panel_count; i++)
        minus = minus || (second ? &f->panels[i].second : &f->panels[i].y)->low < 0;
    return f->canvas.graphical ? (wide_digits + (minus ? wide_minus : 0)) * f->canvas.advance : 0;
}

// Returns the height of the strip for the title of the figure.
static double title_height(const struct plot_figure *f) {
    return !f->title ? 0 : f->canvas.graphical ? 1.3 * f->canvas.em : f->canvas.em;
}

// Returns the upper end of everything but the title.
static double top_of(const struct plot_figure *f) {
    return f->canvas.height - title_height(f);
}

static double longest_title(const struct plot_figure *f) {
    double max = 0;
    for (size_t i = 0; i < f->panel_count; i++)
        if (f->panels[i].title) max = fmax(max, plot_text_width(&f->canvas, f->panels[i].title));
    return max;
}

// Returns the number of columns with the largest panels, which should be about 3:2.
static size_t best_columns(size_t panels, double width, double height) {
    size_t best = 1;
    double max = 0;
    for (size_t n = 1; n <= panels; n++) {
        double size = fmin(width / (double)n / 1.5, height / ceil((double)panels / (double)n));
        if (size <= max * (1 + 1e-9)) continue;
        max = size;
        best = n;
    }
    return best;
}

// Sets the number of panels side by side, and the size of the figure.
static void set_grid(struct plot_figure *f, const struct plot_canvas *canvas) {
    static const size_t columns[] = {1, 1, 2, 3, 2, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4};
    size_t n = f->panel_count, known = sizeof columns / sizeof *columns;
    double min = 34 * canvas->advance; // width of a panel in a terminal
    f->canvas = *canvas;
    f->columns = n < known ? columns[n] : (size_t)ceil(sqrt((double)n));
    if (!canvas->graphical) f->columns = (size_t)fmin(fmax(floor(canvas->width / min), 1), (double)n);
    if (canvas->graphical && f->second && f->columns > 3) f->columns = 3;
    if (canvas->fixed && canvas->graphical) {
        f->columns = best_columns(n, canvas->width, canvas->height);
        f->lines = (n + f->columns - 1) / f->columns;
        return;
    }
    double title = longest_title(f) / 0.95; // a title needs some space to the next one
    while (f->columns > 1 && title > canvas->wide / (double)f->columns) f->columns--;
    f->lines = (n + f->columns - 1) / f->columns;
    if (n == 1 || canvas->fixed) return;
    if (canvas->graphical && f->columns > 4)
        f->canvas.width = canvas->wide * (double)f->columns / 4;
    else if (f->columns + f->second > 2 || title > canvas->width / (double)f->columns)
        f->canvas.width = canvas->wide;
    double panel = f->canvas.width / (double)f->columns, lines = (double)f->lines;
    f->canvas.height = canvas->graphical ? (fmin(0.72 * panel, canvas->height) + canvas->em) * lines + 2.5 * canvas->em
                                         : fmax(canvas->height, 12 * canvas->em * lines);
}

// Returns what dotted parts of curves mean; "" if there are none.
static const char *dotted_note(const struct plot_figure *f) {
    for (size_t i = 0; i < f->curve_count; i++)
        for (size_t k = 0; k < f->curves[i].count; k++)
            if (plot_is_unresolved(&f->curves[i], &f->curves[i].points[k]))
                return f->curves[i].table->few_from > 0 ? ", dotted: few windows" : ", dotted: not resolved";
    return "";
}

static bool has_fit(const struct plot_figure *f) {
    return f->curves[f->curve_count - 1].fit; // they are the last curves
}

static void x_axis_label(char *text, size_t size, const struct plot_figure *f) {
    snprintf(text, size, "%s%s%s", f->x_label ? f->x_label : f->curves->table->axis,
             has_fit(f) ? ", dashed: linear fit" : "", dotted_note(f));
    trj_replace_control_chars(text); // a long label may end within a character
}

static const char scales_note[] = "vertical scales differ";

// Returns whether the note needs a line of its own, because it does not fit beside the label of the axis.
static bool needs_note_line(const struct plot_figure *f) {
    const struct plot_canvas *v = &f->canvas;
    char text[LABEL];
    x_axis_label(text, sizeof text, f);
    double taken = plot_text_width(v, text) / 2 + plot_text_width(v, scales_note) + 8 * v->advance;
    return f->own_scales && taken > v->width / 2;
}

// Sets the positions of the panels. Called again if the widths of numbers or the height of the key change.
static void set_places(struct plot_figure *f) {
    const struct plot_canvas *v = &f->canvas;
    double gap = v->graphical ? 0.4 * v->em : 2 * v->advance, turned = v->graphical ? v->em + gap : 0;
    double numbers = number_width(f, false) + (v->graphical ? 2 : 1) * gap;
    double others = f->second ? number_width(f, true) + (v->graphical ? 2 : 1) * gap : 0;
    double left = turned + number_margin(f, false) + numbers;
    double right = f->second ? others + number_margin(f, true) + turned : 1.5 * v->advance;
    // The label is farther from the numbers than other lines of text, because the ring of an Å is high.
    double bottom = (needs_note_line(f) ? 3 : 2) * v->em + (v->graphical ? 3.4 * gap : 0),
           line_of_axis = v->graphical ? 0 : v->em;
    double between = (f->own_scales ? numbers + others : 0) + ((double)number_length(&f->x) + 1.5) * v->advance;
    double above = f->key_lines * v->em + (v->graphical ? 0.5 * gap : v->em);
    if (v->graphical) above = fmax(above, 0.5 * v->em - f->above); // half of a number at the upper end
    double width = (v->width - left - right - between * (double)(f->columns - 1)) / (double)f->columns;
    double row_gap = v->graphical ? 0.75 * v->em : 0; // ticks, and space before the next title
    double height = (top_of(f) - bottom - above + row_gap) / (double)f->lines - row_gap;
    for (size_t i = 0; i < f->panel_count; i++) {
        struct plot_panel *p = &f->panels[i];
        size_t column = i % f->columns, line = i / f->columns;
        p->left = left + (double)column * (width + between);
        p->right = p->left + width;
        p->top = top_of(f) - above - (double)line * (height + row_gap) - f->above;
        p->bottom = p->top + f->above - height + line_of_axis;
        if (!v->graphical) { // multiples of a character
            p->left = round(p->left / v->advance) * v->advance;
            p->right = round(p->right / v->advance) * v->advance;
            p->top = round(p->top / v->em) * v->em;
            p->bottom = round(p->bottom / v->em) * v->em;
        }
        p->x_tics = i + f->columns >= f->panel_count;
        p->y_tics = f->own_scales || !column;
        p->second_tics = f->second && (f->own_scales || column + 1 == f->columns || i + 1 == f->panel_count);
    }
}

static void set_steps(struct plot_figure *f) {
    const struct plot_canvas *v = &f->canvas;
    const struct plot_panel *first = f->panels;
    for (size_t i = 0; i < f->panel_count; i++) {
        struct plot_panel *p = &f->panels[i];
        plot_scale_set_ticks(&p->y, p->top - p->bottom, (v->graphical ? 2.6 : 4) * v->em);
        plot_scale_set_ticks(&p->second, p->top - p->bottom, (v->graphical ? 2.6 : 4) * v->em);
    }
    // A smaller step may need longer numbers, which then need more space.
    double space = 5 * v->advance, required;
    plot_scale_set_ticks(&f->x, first->right - first->left, space);
    space = ((double)number_length(&f->x) + 2.5) * v->advance;
    plot_scale_set_ticks(&f->x, first->right - first->left, space);
    while ((required = ((double)number_length(&f->x) + 2.5) * v->advance) > space) {
        space = required;
        plot_scale_set_ticks(&f->x, first->right - first->left, space);
    }
}

void plot_axis_label(char *text, size_t size, const struct plot_table *t, const struct plot_quantity *q, int power) {
    const char *r = t->lag ? strstr(q->symbol, "(r)") : NULL;
    int until = (int)(r ? r + strlen("(r") - q->symbol : (ptrdiff_t)strlen(q->symbol));
    char ten[PLOT_NUMBER] = "";
    const char *unit = q->per_bin && t->density_unit ? t->density_unit : q->unit;
    if (power) plot_put_power_of_ten(ten, power);
    bool both = *ten && *unit;
    snprintf(text, size, "%.*s%s%s%s%s%s", until, q->symbol, r ? ", t)" : "", *ten || *unit ? " / " : "", ten,
             both ? " " : "", unit);
}

void plot_value_label(char *text, size_t size, const char *label, const struct plot_table *t,
                      const struct plot_quantity *q, int power) {
    char ten[PLOT_NUMBER] = "";
    if (label && power) plot_put_power_of_ten(ten, power);
    if (label)
        snprintf(text, size, "%s%s%s", label, power ? ", × " : "", ten);
    else
        plot_axis_label(text, size, t, q, power);
    trj_replace_control_chars(text); // a long label may end within a character
}

static void left_axis_label(char *text, size_t size, const struct plot_figure *f) {
    const struct plot_curve *c = f->curves;
    plot_value_label(text, size, f->y_label, c->table, c->quantity, f->panels->y.power);
}

static int add_text(struct plot_figure *f, const char *text, double x, double y, enum plot_align align, bool upright,
                    struct trj_error *err) {
    struct plot_text place = {.x = x, .y = y, .align = align, .upright = upright, .style = PLOT_NO_CURVE};
    return plot_figure_add_text(f, &place, text, err);
}

// Returns a curve on the right axis, of which there is one.
static const struct plot_curve *second_curve(const struct plot_figure *f) {
    size_t i = 0;
    while (!f->curves[i].second) i++;
    return &f->curves[i];
}

static int add_axis_labels(struct plot_figure *f, struct trj_error *err) {
    const struct plot_canvas *v = &f->canvas;
    const struct plot_panel *first = f->panels, *last = &f->panels[f->panel_count - 1];
    double middle = (f->panels[f->columns - 1].right + first->left) / 2, half = (first->top + last->bottom) / 2;
    char text[LABEL];
    x_axis_label(text, sizeof text, f);
    if (add_text(f, text, middle, (needs_note_line(f) ? 1.5 : 0.5) * v->em, PLOT_CENTRE, false, err)) return -1;
    left_axis_label(text, sizeof text, f);
    double over = top_of(f) - 0.5 * v->em;
    if (v->graphical ? add_text(f, text, 0.6 * v->em, half, PLOT_CENTRE, true, err)
                     : add_text(f, text, 0, over, PLOT_LEFT, false, err))
        return -1;
    if (f->second) {
        const struct plot_curve *c = second_curve(f);
        plot_axis_label(text, sizeof text, c->table, c->quantity, first->second.power);
        snprintf(text + strlen(text), sizeof text - strlen(text), ", dashed");
        if (v->graphical ? add_text(f, text, v->width - 0.6 * v->em, half, PLOT_CENTRE, true, err)
                         : add_text(f, text, v->width, over, PLOT_RIGHT, false, err))
            return -1;
    }
    return f->own_scales ? add_text(f, scales_note, v->width, 0.5 * v->em, PLOT_RIGHT, false, err) : 0;
}

static int add_titles(struct plot_figure *f, struct trj_error *err) {
    const struct plot_canvas *v = &f->canvas;
    double middle = v->graphical ? (f->panels[f->columns - 1].right + f->panels->left) / 2 : v->width / 2;
    if (f->title) {
        // The title is centred on the panels unless it is so long that it would leave the figure.
        double half = plot_text_width(v, f->title) / 2;
        middle = fmax(fmin(middle, v->width - half), half);
        if (add_text(f, f->title, middle, v->height - (v->graphical ? 0.7 : 0.5) * v->em, PLOT_CENTRE, false, err))
            return -1;
    }
    for (size_t i = 0; f->above > 0 && i < f->panel_count; i++) {
        const struct plot_panel *p = &f->panels[i];
        if (p->title &&
            add_text(f, p->title, p->right, p->top + f->above - 0.55 * f->canvas.em, PLOT_RIGHT, false, err))
            return -1;
    }
    return 0;
}

// A peak above or below its panel.
struct overflow {
    const struct plot_curve *curve;
    const struct plot_point *top;
    double x;
};

// Returns whether a point is outside its panel, and farther outside than other points of the curve within `near`, a
// fraction of the width.
static bool is_overflow(const struct plot_figure *f, const struct plot_curve *c, size_t i, double near) {
    const struct plot_point *p = c->points;
    if (!plot_scale_excludes(f, c, i)) return false;
    double sign = p[i].y > plot_curve_scale(f, c)->high ? 1 : -1;
    for (size_t k = i; k-- > 0 && plot_scale_position(&f->x, p[i].x) - plot_scale_position(&f->x, p[k].x) < near;)
        if (sign * p[k].y >= sign * p[i].y) return false; // the first of equal ones counts
    for (size_t k = i + 1;
         k < c->count && plot_scale_position(&f->x, p[k].x) - plot_scale_position(&f->x, p[i].x) < near; k++)
        if (sign * p[k].y > sign * p[i].y) return false;
    return true;
}

// Finds such peaks of a panel, in order of x. Returns their number.
static size_t find_overflows(struct overflow *found, size_t max, const struct plot_figure *f, size_t panel) {
    const struct plot_panel *p = &f->panels[panel];
    double near = 2.5 * f->canvas.advance / (p->right - p->left);
    size_t n = 0;
    for (size_t i = 0; i < f->curve_count; i++)
        for (size_t k = 0; f->curves[i].panel == panel && k < f->curves[i].count && n < max; k++) {
            const struct plot_point *top = &f->curves[i].points[k];
            if (!is_overflow(f, &f->curves[i], k, near)) continue;
            size_t position = n++;
            for (; position > 0 && found[position - 1].top->x > top->x; position--)
                found[position] = found[position - 1];
            found[position] = (struct overflow){&f->curves[i], top, plot_place_x(f, p, top->x)};
        }
    return n;
}

// Marks where a curve leaves its panel: "↑24.1" at the top, "↓−3" at the bottom. Marks that would overlap are moved.
static int add_overflow_marks(struct plot_figure *f, size_t panel, struct trj_error *err) {
    enum { MAX = 32 };
    const struct plot_canvas *v = &f->canvas;
    const struct plot_panel *p = &f->panels[panel];
    struct overflow overflow[MAX];
    size_t n = find_overflows(overflow, MAX, f, panel);
    double end = 0, half = v->advance / 2; // end: of the preceding mark
    // The title of the panel is on the same line, unless the strip has two lines.
    bool beside = p->title && f->above > 0 && f->above < 1.5 * v->em;
    double edge =
        beside ? p->right - plot_text_width(v, p->title) - v->advance : fmin(p->right + 2 * v->advance, v->width);
    for (size_t i = 0; i < n; i++) {
        char height[32], text[64];
        double x = overflow[i].x, then = i + 1 < n ? overflow[i + 1].x - half : edge;
        snprintf(height, sizeof height, "%.3g", overflow[i].top->y / pow(10, p->y.power));
        plot_use_minus_sign(height, sizeof height);
        double length = (double)(plot_text_length(height) + 1) * v->advance; // with the arrow
        // The arrow is at the peak; the number is before it if the next mark leaves no room after it.
        bool before = x + length > then && x + half - length > end;
        const char *arrow = overflow[i].top->y > p->y.high ? "↑" : "↓";
        snprintf(text, sizeof text, "%s%s", before ? height : arrow, before ? arrow : height);
        double from = before ? x + half - length : fmax(x - half, end);
        if (from + length > edge) from = fmax(edge - length, end);
        if (from + length > edge + half) break;
        struct plot_text place = {.x = from, .y = p->top + 0.55 * v->em, .style = overflow[i].curve->style};
        if (plot_figure_add_text(f, &place, text, err)) return -1;
        end = from + length + v->advance;
    }
    return 0;
}

// Returns the title of a single panel if it is beside the key, because the panel has no strip for marks.
static const char *title_at_key(const struct plot_figure *f) {
    return f->panel_count == 1 && f->above == 0 ? f->panels->title : NULL;
}

// Shortens the names in the key to their line.
static int fit_labels(struct plot_figure *f, double width, struct trj_error *err) {
    char ***labels = trj_alloc(f->curve_count, sizeof *labels, "names", err);
    size_t count = 0;
    for (size_t i = 0; labels && i < f->curve_count; i++)
        if (f->curves[i].label) labels[count++] = &f->curves[i].label;
    int rc = labels ? plot_texts_fit(labels, count, &f->canvas, width, err) : -1;
    free(labels);
    return rc;
}

// Adds the key above all panels: a line and the name of each curve that has one. Only sets its height unless `draw`.
static int add_key(struct plot_figure *f, bool draw, struct trj_error *err) {
    const struct plot_canvas *v = &f->canvas;
    const char *title = title_at_key(f);
    double left = f->panels->left, x = left, sample = 3 * v->advance, gap = (v->graphical ? 0.5 : 1) * v->advance;
    double right = title ? f->panels->right - plot_text_width(v, title) - 2 * v->advance : v->width;
    size_t line = 0;
    if (!draw && fit_labels(f, right - left - sample - gap, err)) return -1;
    if (title && draw &&
        add_text(f, title, f->panels->right, top_of(f) - (v->graphical ? 0.6 : 1.5) * v->em, PLOT_RIGHT, false, err))
        return -1;
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        if (!c->label) continue;
        double length = sample + gap + plot_text_width(v, c->label);
        if (x > left && x + length > right) {
            x = left;
            line++;
        }
        double y = top_of(f) - ((double)line + (v->graphical ? 0.6 : 1.5)) * v->em;
        if (draw) {
            if (trj_grow(&f->samples, &f->sample_capacity, f->sample_count + 1, sizeof *f->samples, "the key", err))
                return -1;
            f->samples[f->sample_count++] = (struct plot_sample){x, x + sample, y, c->style, c->second};
            struct plot_text place = {.x = x + sample + gap, .y = y, .style = c->style};
            if (plot_figure_add_text(f, &place, c->label, err)) return -1;
        }
        x += length + 2 * v->advance - gap;
    }
    f->key_lines = (double)line + 1.2;
    return 0;
}

// Sets the height of the strip above each panel, for titles and marks at peaks.
static void set_strip(struct plot_figure *f, bool titles) {
    bool overflow = false;
    for (size_t i = 0; i < f->curve_count; i++)
        for (size_t k = 0; !overflow && k < f->curves[i].count; k++)
            overflow = plot_scale_excludes(f, &f->curves[i], k);
    bool any = overflow;
    for (size_t i = 0; i < f->panel_count; i++) any = any || (titles && f->panels[i].title);
    f->above = any ? (f->canvas.graphical ? 1.1 : 1) * f->canvas.em : 0;
    // Both may overlap.
    if (titles && overflow && longest_title(f) > 0.3 * f->canvas.width / (double)f->columns) f->above *= 2;
}

// Reduces a curve of more points than are visible to the first, lowest and highest point of each half pixel.
static void thin_out(struct plot_figure *f, struct plot_curve *c) {
    const struct plot_panel *p = &f->panels[c->panel];
    double half = f->canvas.pixel / 4;
    size_t kept = 0, i = 0;
    if ((double)c->count < 4 * (p->right - p->left) / half) return;
    while (i < c->count) {
        double column = floor(plot_place_x(f, p, c->points[i].x) / half);
        size_t min = i, max = i, end = i + 1;
        for (; end < c->count && floor(plot_place_x(f, p, c->points[end].x) / half) == column &&
               isnan(c->points[end].y) == isnan(c->points[i].y);
             end++) {
            if (c->points[end].y < c->points[min].y) min = end;
            if (c->points[end].y > c->points[max].y) max = end;
        }
        size_t first = min < max ? min : max, last = min < max ? max : min;
        struct plot_point keep[] = {c->points[i], c->points[first], c->points[last]};
        c->points[kept++] = keep[0];
        if (first > i) c->points[kept++] = keep[1];
        if (last > first) c->points[kept++] = keep[2];
        i = end;
    }
    c->count = kept;
}

// Shortens titles: a title ends before the title of the next panel; a title beside a key gets half of the panel.
static int fit_titles(struct plot_figure *f, struct trj_error *err) {
    const struct plot_panel *p = f->panels;
    double label = f->canvas.graphical ? 1.2 * f->canvas.em : 0; // of the vertical axis
    double width = f->panel_count == 1 ? (p->right - p->left) * 0.5 : p->right - label;
    if (f->columns > 1) width = fmin(width, p[1].right - p->right - 2 * f->canvas.advance);
    char ***titles = trj_alloc(f->panel_count, sizeof *titles, "titles", err);
    size_t count = 0;
    for (size_t i = 0; titles && i < f->panel_count; i++)
        if (f->panels[i].title) titles[count++] = &f->panels[i].title;
    int rc = titles ? plot_texts_fit(titles, count, &f->canvas, width, err) : -1;
    free(titles);
    return rc;
}

// Makes the figure higher if the key or the titles leave too little space for the panels. A fixed size is an error
// then.
static int set_height(struct plot_figure *f, struct trj_error *err) {
    const struct plot_canvas *v = &f->canvas;
    double min = 5 * v->em, height = f->panels->top - f->panels->bottom;
    if (v->fixed) {
        char label[2][LABEL];
        x_axis_label(label[0], sizeof label[0], f);
        left_axis_label(label[1], sizeof label[1], f);
        double missing = 8 * v->advance - (f->panels->right - f->panels->left);
        double x = fmax(v->width + fmax(missing, 0) * (double)f->columns, plot_text_width(v, label[0]));
        double y = v->height + fmax(min - height, 0) * (double)f->lines;
        if (v->graphical) y = fmax(y, plot_text_width(v, label[1]));
        if (x <= v->width && y <= v->height) return 0;
        bool print = v->millimetres > 0;
        return trj_fail(err, TRJ_USAGE, "--size: too small for %zu panel%s; about %.0fx%.0f%s would do", f->panel_count,
                        f->panel_count == 1 ? "" : "s", ceil(print ? x * v->millimetres : x / v->advance),
                        ceil(print ? y * v->millimetres : y / v->em), print ? "mm" : "");
    }
    if (height >= min) return 0;
    f->canvas.height += ceil((min - height) / f->canvas.em) * f->canvas.em * (double)f->lines;
    set_places(f);
    return 0;
}

int plot_layout(struct plot_figure *f, const struct plot_canvas *canvas, struct trj_error *err) {
    set_grid(f, canvas);
    set_strip(f, true);
    for (int again = 0; again < 2; again++) { // ticks depend on the positions, which depend on the widths of numbers
        set_places(f);
        set_steps(f);
    }
    char **title = &f->title, **x_label = &f->x_label, **y_label = &f->y_label;
    double beside = canvas->graphical ? f->canvas.height : f->canvas.width / 2; // the vertical axis
    if (f->title && plot_texts_fit(&title, 1, canvas, f->canvas.width, err)) return -1;
    if (f->x_label && plot_texts_fit(&x_label, 1, canvas, f->canvas.width, err)) return -1;
    if (f->y_label && plot_texts_fit(&y_label, 1, canvas, beside, err)) return -1;
    if (fit_titles(f, err)) return -1;
    set_strip(f, true);
    set_places(f);
    if (set_height(f, err)) return -1;
    for (size_t i = 0; i < f->curve_count; i++) thin_out(f, &f->curves[i]);
    bool placed;
    if (plot_curve_labels_place(f, &placed, err)) return -1;
    if (!placed) {
        if (f->panel_count == 1) set_strip(f, false);
        if (add_key(f, false, err)) return -1;
        set_places(f);
        if (set_height(f, err)) return -1;
        if (add_key(f, true, err)) return -1;
    }
    for (size_t i = 0; i < f->panel_count; i++)
        if (add_overflow_marks(f, i, err)) return -1;
    return add_axis_labels(f, err) || add_titles(f, err) ? -1 : 0;
}
