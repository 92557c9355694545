// SPDX-License-Identifier: MIT
// Writes a script with its data, so that a figure can be edited and drawn again without trjpipe.
#include "gnuplot_script.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "axis_scale.h"
#include "canvas.h"
#include "gnuplot_parts.h"

// Colours that colour-blind readers can distinguish (Okabe and Ito, https://jfly.uni-koeln.de/color/). Text is darker
// than the lines in light colours, to be legible.
static const struct {
    const char *line, *text;
} colours[] = {{"#0072B2", "#0072B2"}, {"#D55E00", "#C05000"}, {"#009E73", "#007F5C"}, {"#CC79A7", "#A94F82"},
               {"#E69F00", "#9C6B00"}, {"#56B4E9", "#2485BD"}, {"#000000", "#000000"}};
enum { COLOURS = sizeof colours / sizeof *colours };

static const char *const dashes[] = {"solid", "(20,8)", "(20,6,5,6)", "(6,6)"};
enum { DASHES = sizeof dashes / sizeof *dashes };

static const char *const ink = "#222222", *const faint = "#999999";

enum { WIDTH = 600, HEIGHT = 400, WIDE = 1200, FONT = 18 };
static const double column_mm = 85; // width of a column of a journal

struct plot_canvas plot_gnuplot_canvas(void) {
    return (struct plot_canvas){.width = WIDTH,
                                .height = HEIGHT,
                                .wide = WIDE,
                                .em = 1.15 * FONT,
                                .advance = 0.58 * FONT,
                                .pixel = 2,
                                .millimetres = column_mm / WIDTH,
                                .graphical = true};
}

struct plot_canvas plot_gnuplot_canvas_of_size(double width, double height) {
    struct plot_canvas v = plot_gnuplot_canvas();
    v.width = v.wide = width / v.millimetres;
    v.height = height / v.millimetres;
    v.fixed = true;
    return v;
}

void plot_put(struct trj_bytes *b, const char *format, ...) {
    char text[512];
    va_list list;
    va_start(list, format);
    int n = vsnprintf(text, sizeof text, format, list);
    va_end(list);
    if (n < 0 || (size_t)n >= sizeof text)
        b->failed = true;
    else
        trj_put_raw(b, text, (size_t)n);
}

// In a string in single quotes, only the single quote is special. gnuplot misreads a doubled quote at the start of a
// string or next to another one, so that each run of quotes becomes a separate string in double quotes.
void plot_put_string(struct trj_bytes *b, const char *text) {
    plot_put(b, "''");
    while (*text) {
        bool quotes = *text == '\'';
        size_t n = quotes ? strspn(text, "'") : strcspn(text, "'");
        plot_put(b, quotes ? ".\"" : ".'");
        trj_put_raw(b, text, n);
        plot_put(b, quotes ? "\"" : "'");
        text += n;
    }
}

void plot_put_palette(struct trj_bytes *b) {
    plot_put(b, "set palette defined (0 '#440154', 1 '#46327e', 2 '#365c8d', 3 '#277f8e', 4 '#1fa187', 5 '#4ac16d', "
                "6 '#a0da39', 7 '#fde725')\n");
}

void plot_put_terminal(struct trj_bytes *b, const struct plot_canvas *v, enum plot_format format) {
    double inch = column_mm / 25.4 / WIDTH, point = 72 * inch; // length of a unit in print
    plot_put(b, "set encoding utf8\n");
    switch (format) {
    case PLOT_SVG:
        plot_put(b, "set terminal svg noenhanced size %.0f,%.0f font 'Helvetica,%d' background rgb 'white'\n", v->width,
                 v->height, FONT);
        break;
    case PLOT_PNG:
        plot_put(b, "set terminal pngcairo noenhanced size %.0f,%.0f font 'Helvetica,%g' linewidth 2 dashlength 1\n",
                 2 * v->width, 2 * v->height, 2 * FONT * 0.75);
        break;
    case PLOT_PDF:
        plot_put(b,
                 "set terminal pdfcairo noenhanced size %.6f,%.6f font 'Helvetica,%.4f' linewidth %.4f dashlength 1\n",
                 v->width * inch, v->height * inch, FONT * point * 1.5,
                 point * 2); // 1.5 and 2: units of pdfcairo
        break;
    }
}

// Writes rows of x, y, low and high, and an empty line for each gap. Points between two gaps are in a block of their
// own, because a line needs two points.
static void put_points(struct trj_bytes *b, const struct plot_figure *f, size_t number) {
    const struct plot_curve *c = &f->curves[number];
    double unit = pow(10, plot_curve_scale(f, c)->power);
    plot_put(b, "$curve%zu << END_OF_CURVE\n", number);
    for (size_t i = 0; i < c->count; i++) {
        const struct plot_point *p = &c->points[i];
        if (isnan(p->y))
            plot_put(b, "\n");
        else if (isnan(p->low))
            plot_put(b, "%.10g %.8g NaN NaN\n", p->x, p->y / unit);
        else
            plot_put(b, "%.10g %.8g %.8g %.8g\n", p->x, p->y / unit, p->low / unit, p->high / unit);
    }
    plot_put(b, "END_OF_CURVE\n");
}

static bool is_isolated(const struct plot_curve *c, size_t i) {
    return !isnan(c->points[i].y) && (!i || isnan(c->points[i - 1].y)) &&
           (i + 1 == c->count || isnan(c->points[i + 1].y));
}

static bool has_band(const struct plot_curve *c) {
    for (size_t i = 0; i < c->count; i++)
        if (!isnan(c->points[i].low)) return true;
    return false;
}

// A colour as "#rrggbb".
struct colour {
    char text[8];
};

static size_t colour_count(const struct plot_figure *f) {
    return f->colours.count ? f->colours.count : COLOURS;
}

// Returns the colour of a line, or of the texts about it.
static struct colour colour_of(const struct plot_figure *f, size_t style, bool text) {
    struct colour c;
    size_t i = style % colour_count(f);
    if (style == PLOT_NO_CURVE)
        snprintf(c.text, sizeof c.text, "%s", ink);
    else if (f->colours.count)
        snprintf(c.text, sizeof c.text, "#%06lx", f->colours.rgb[i] & 0xffffff);
    else
        snprintf(c.text, sizeof c.text, "%s", text ? colours[i].text : colours[i].line);
    return c;
}

static void put_line_style(struct trj_bytes *b, const struct plot_figure *f, size_t style, bool second) {
    plot_put(b, "lc rgb '%s' lw %g dt %s", colour_of(f, style, false).text, second ? 1.5 : 2.0,
             second ? "(12,7)" : dashes[style / colour_count(f) % DASHES]);
}

static void put_isolated(struct trj_bytes *b, const struct plot_figure *f, size_t number) {
    const struct plot_curve *c = &f->curves[number];
    double unit = pow(10, plot_curve_scale(f, c)->power);
    bool any = false;
    for (size_t i = 0; i < c->count; i++) {
        if (!is_isolated(c, i)) continue;
        if (!any) plot_put(b, "$alone%zu << END_OF_CURVE\n", number);
        plot_put(b, "%.10g %.8g\n", c->points[i].x, c->points[i].y / unit);
        any = true;
    }
    if (any) plot_put(b, "END_OF_CURVE\n");
}

// Returns whether the line from point i to the next one shows values that are not resolved.
static bool is_dotted(const struct plot_curve *c, size_t i) {
    return i + 1 < c->count && plot_is_unresolved(c, &c->points[i]);
}

static bool has_dotted(const struct plot_curve *c) {
    size_t i = 0;
    while (i < c->count && !is_dotted(c, i)) i++;
    return i < c->count;
}

static void put_dotted(struct trj_bytes *b, const struct plot_figure *f, size_t number) {
    const struct plot_curve *c = &f->curves[number];
    double unit = pow(10, plot_curve_scale(f, c)->power);
    if (!has_dotted(c)) return;
    plot_put(b, "$dotted%zu << END_OF_CURVE\n", number);
    for (size_t i = 0; i < c->count; i++) {
        const struct plot_point *p = &c->points[i];
        const bool from_before = i && is_dotted(c, i - 1);
        if (!from_before && !is_dotted(c, i)) continue;
        if (isnan(p->y))
            plot_put(b, "\n");
        else
            plot_put(b, "%s%.10g %.8g\n", from_before || !i ? "" : "\n", p->x,
                     p->y / unit); // an empty line before a part
    }
    plot_put(b, "END_OF_CURVE\n");
}

static void put_curve(struct trj_bytes *b, const struct plot_figure *f, size_t number) {
    const struct plot_curve *c = &f->curves[number];
    const char *axes = c->second ? "axes x1y2 " : "";
    bool alone = false;
    for (size_t i = 0; i < c->count; i++) alone = alone || is_isolated(c, i);
    if (has_dotted(c)) {
        const double few = c->table->few_from > 0 ? c->table->few_from : INFINITY;
        plot_put(b, ", $dotted%zu using 1:2 %swith lines lc rgb '%s' lw 2 dt (1.5,4)", number, axes,
                 colour_of(f, c->style, false).text);
        if (isfinite(few))
            plot_put(b, ", $curve%zu using ($1 >= %.10g ? NaN : $1):2 %swith lines ", number, few, axes);
        else
            plot_put(b, ", $curve%zu using ($1 < %.10g ? NaN : $1):2 %swith lines ", number, c->table->resolved_from,
                     axes);
    } else {
        plot_put(b, ", $curve%zu using 1:2 %swith lines ", number, axes);
    }
    put_line_style(b, f, c->style, c->second || c->fit);
    if (!alone) return;
    plot_put(b, ", $alone%zu using 1:2 %swith points pt 7 ps 1.2 lc rgb '%s'", number, axes,
             colour_of(f, c->style, false).text);
}

// Short ticks without numbers at the multiples of powers of ten, unless there are more than four decades.
static void put_minor_ticks(struct trj_bytes *b, const struct plot_scale *s, bool any) {
    if (s->high > 1e4 * s->low) return;
    for (int power = (int)floor(log10(s->low)); power <= (int)floor(log10(s->high)); power++)
        for (int digit = 1; digit < 10; digit++) {
            double value = digit * pow(10, power);
            if (value < s->low || value > s->high) continue;
            plot_put(b, "%s'' %.12g 1", any ? ", " : "", value);
            any = true;
        }
}

void plot_put_axis(struct trj_bytes *b, const char *axis, const struct plot_scale *s, bool numbers) {
    double unit = pow(10, s->power);
    long tick, last;
    bool any = false;
    plot_put(b, "%sset logscale %s\nset %srange [%.12g:%.12g]\nset %stics nomirror out scale 0.6,0.35 (",
             s->log ? "" : "un", axis, axis, s->low / unit, s->high / unit, axis);
    for (plot_scale_ticks(s, &tick, &last); tick <= last; tick++, any = true) {
        char number[PLOT_NUMBER] = "";
        if (numbers) plot_scale_tick_number(number, s, tick);
        plot_put(b, "%s'%s' %.12g", any ? ", " : "", number, plot_scale_tick_value(s, tick) / unit);
    }
    if (s->log) put_minor_ticks(b, s, any);
    plot_put(b, ")\n");
}

static void put_reference_line(struct trj_bytes *b, const struct plot_panel *p, double y) {
    double unit = pow(10, p->y.power);
    if (y < p->y.low || y > p->y.high) return;
    plot_put(b, "set arrow from graph 0, first %.10g to graph 1, first %.10g nohead back dt (3,4) lw 1 lc rgb '%s'\n",
             y / unit, y / unit, faint);
}

static void put_texts(struct trj_bytes *b, const struct plot_figure *f) {
    static const char *const aligns[] = {[PLOT_LEFT] = "left", [PLOT_CENTRE] = "center", [PLOT_RIGHT] = "right"};
    const struct plot_canvas *v = &f->canvas;
    for (size_t i = 0; i < f->text_count; i++) {
        const struct plot_text *t = &f->texts[i];
        plot_put(b, "set label ");
        plot_put_string(b, t->text);
        plot_put(b, " at screen %.6f,%.6f %s%s front tc rgb '%s'\n", t->x / v->width, t->y / v->height,
                 aligns[t->align], t->upright ? " rotate by 90" : "",
                 t->style == PLOT_NO_CURVE ? ink : colour_of(f, t->style, true).text);
    }
    for (size_t i = 0; i < f->sample_count; i++) {
        const struct plot_sample *s = &f->samples[i];
        plot_put(b, "set arrow from screen %.6f,%.6f to screen %.6f,%.6f nohead front ", s->x0 / v->width,
                 s->y / v->height, s->x1 / v->width, s->y / v->height);
        put_line_style(b, f, s->style, s->second);
        plot_put(b, "\n");
    }
}

static void put_panel(struct trj_bytes *b, const struct plot_figure *f, size_t number) {
    const struct plot_panel *p = &f->panels[number];
    const struct plot_canvas *v = &f->canvas;
    plot_put(
        b,
        "set lmargin at screen %.6f\nset rmargin at screen %.6f\nset bmargin at screen %.6f\nset tmargin at screen "
        "%.6f\n",
        p->left / v->width, p->right / v->width, p->bottom / v->height, p->top / v->height);
    plot_put(b, "unset arrow\nset border %d lw 1 lc rgb '%s'\n", f->second ? 11 : 3, ink);
    plot_put_axis(b, "x", &f->x, p->x_tics);
    plot_put_axis(b, "y", &p->y, p->y_tics);
    if (f->second) plot_put_axis(b, "y2", &p->second, p->second_tics);
    if (p->at_zero) put_reference_line(b, p, 0);
    if (p->at_one) put_reference_line(b, p, 1);
    if (number + 1 == f->panel_count) put_texts(b, f); // once, over all panels
    // All bands are drawn before all curves.
    plot_put(b, "plot NaN notitle");
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        if (c->panel == number && has_band(c))
            plot_put(b, ", $curve%zu using 1:3:4 %swith filledcurves fc rgb '%s' fs transparent solid 0.25 noborder", i,
                     c->second ? "axes x1y2 " : "", colour_of(f, c->style, false).text);
    }
    for (size_t i = 0; i < f->curve_count; i++)
        if (f->curves[i].panel == number) put_curve(b, f, i);
    plot_put(b, "\n");
}

void plot_gnuplot_script_write(struct trj_bytes *b, const struct plot_figure *f, enum plot_format format) {
    plot_put_terminal(b, &f->canvas, format);
    for (size_t i = 0; i < f->curve_count; i++) {
        put_points(b, f, i);
        put_isolated(b, f, i);
        put_dotted(b, f, i);
    }
    plot_put(b, "unset key\nset clip two\nset multiplot\n");
    for (size_t i = 0; i < f->panel_count; i++) put_panel(b, f, i);
    plot_put(b, "unset multiplot\n");
}
