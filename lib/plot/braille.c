// SPDX-License-Identifier: MIT
// Draws figures with Braille characters, because each has eight dots and terminals show them without graphics.
#include "braille.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "axis_scale.h"
#include "canvas.h"
#include "memory.h"

enum { ACROSS = 2, UP = 4 }; // dots of a character, horizontally and vertically

struct plot_canvas plot_braille_canvas(size_t columns, size_t lines) {
    double width = (double)(columns * ACROSS);
    return (struct plot_canvas){
        .width = width, .height = (double)(lines * UP), .wide = width, .em = UP, .advance = ACROSS, .pixel = 1};
}

struct cell {
    char text[8]; // one UTF-8 character; empty: a pattern of dots
    uint8_t dots;
    uint16_t style; // style of the curve plus 1; 0: no curve
};

struct page {
    int columns, lines;
    struct cell *cells; // [lines][columns], the top line first
};

static struct cell *cell_at(struct page *g, int x, int y) {
    int column = x / ACROSS, line = g->lines - 1 - y / UP;
    if (x < 0 || y < 0 || line < 0 || column >= g->columns) return NULL;
    return &g->cells[(size_t)line * (size_t)g->columns + (size_t)column];
}

static void put_dot(struct page *g, int x, int y, size_t style) {
    static const uint8_t bits[UP][ACROSS] = {
        {0x40, 0x80}, {0x04, 0x20}, {0x02, 0x10}, {0x01, 0x08}}; // [row from the bottom][column]
    struct cell *c = cell_at(g, x, y);
    if (!c) return;
    c->dots |= bits[y % UP][x % ACROSS];
    if (style != PLOT_NO_CURVE) c->style = (uint16_t)(style + 1);
}

static void put_text(struct page *g, int x, int y, const char *text, size_t style) {
    for (; *text; x += ACROSS) {
        size_t n = 1;
        while ((text[n] & 0xc0) == 0x80) n++;
        struct cell *c = cell_at(g, x, y);
        if (c && n < sizeof c->text) {
            memcpy(c->text, text, n);
            c->text[n] = 0;
            c->style = style == PLOT_NO_CURVE ? 0 : (uint16_t)(style + 1);
        }
        text += n;
    }
}

struct pen {
    struct page *page;
    const struct plot_panel *panel;
    size_t style;
    bool dashed, dotted;
};

static void put_inside(struct pen *p, int x, int y) {
    if (x < p->panel->left || x >= p->panel->right || y < p->panel->bottom || y >= p->panel->top) return;
    if (p->dashed && x % 4 > 1) return;
    if (p->dotted && (x + y) % 3) return; // y: vertical parts are dotted, too
    put_dot(p->page, x, y, p->style);
}

static void draw_line(struct pen *p, double x0, double y0, double x1, double y1) {
    double line[] = {x0, y0, x1, y1};
    if (!plot_clip_line(line, p->panel->bottom - 1, p->panel->top + 1)) return;
    int steps = (int)ceil(fmax(fabs(line[2] - line[0]), fabs(line[3] - line[1])));
    for (int i = 0; i <= steps; i++) {
        double t = steps > 0 ? (double)i / steps : 0;
        put_inside(p, (int)floor(line[0] + t * (line[2] - line[0])), (int)floor(line[1] + t * (line[3] - line[1])));
    }
}

// Draws every fourth dot of the band at x. A band that is as thin as the curve is left out.
static void draw_band(struct pen *p, int x, double low, double high) {
    double bottom = p->panel->bottom, top = p->panel->top; // ends outside of them may exceed the range of int
    int from = (int)fmin(fmax(ceil(low), bottom), top), to = (int)fmax(fmin(floor(high), top - 1), bottom - 1);
    for (int y = from; to - from >= 3 && y <= to; y++)
        if (x % 2 == 0 && (y + x / 2) % 2 == 0) put_inside(p, x, y);
}

// Draws the band between two points.
static void draw_bands(struct pen *p, double x0, double x1, const double low[2], const double high[2]) {
    if (isnan(x0 + low[0] + low[1])) return;
    int end = (int)fmin(ceil(x1), p->panel->right);
    for (int x = (int)fmax(ceil(x0), 0); x < end; x++) {
        double t = (x - x0) / (x1 - x0);
        draw_band(p, x, low[0] + t * (low[1] - low[0]), high[0] + t * (high[1] - high[0]));
    }
}

static void draw_curve(struct page *g, const struct plot_figure *f, const struct plot_curve *c, bool band) {
    const struct plot_panel *p = &f->panels[c->panel];
    const struct plot_scale *s = plot_curve_scale(f, c);
    struct pen pen = {g, p, c->style, (c->second || c->fit) && !band, false};
    double last_x = NAN, last_y = NAN, last_low = NAN, last_high = NAN;
    for (size_t i = 0; i < c->count; i++) {
        const struct plot_point *position = &c->points[i];
        double x = plot_place_x(f, p, position->x), y = plot_place_y(p, s, position->y);
        double low = plot_place_y(p, s, position->low), high = plot_place_y(p, s, position->high);
        if (band) {
            draw_bands(&pen, last_x, x, (double[]){last_low, low}, (double[]){last_high, high});
        } else if (!isnan(y)) {
            bool joined = !isnan(last_y);
            pen.dotted = plot_is_unresolved(c, joined ? position - 1 : position);
            draw_line(&pen, joined ? last_x : x, joined ? last_y : y, x, y);
        }
        last_x = x;
        last_y = y;
        last_low = low;
        last_high = high;
    }
}

// Without colours, puts letters on curves that have no name beside them; the key explains the letters.
static void put_letters(struct page *g, const struct plot_figure *f) {
    enum { EVERY = 14 * ACROSS };
    size_t keyed = 0, number = 0;
    for (size_t i = 0; i < f->curve_count; i++) keyed += f->curves[i].label != NULL;
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        const struct plot_panel *p = &f->panels[c->panel];
        const char letter[] = {(char)('a' + c->style % 26), 0};
        if (c->fit) continue;
        double next = p->left + ACROSS + (double)(EVERY * number++) / (double)(keyed ? keyed : 1);
        for (size_t k = 0; k < c->count; k++) {
            double x = plot_place_x(f, p, c->points[k].x), y = plot_place_y(p, plot_curve_scale(f, c), c->points[k].y);
            if (!(x >= next && y >= p->bottom && y < p->top)) continue;
            put_text(g, (int)x, (int)y, letter, c->style);
            while (next <= x) next += EVERY;
        }
    }
    for (size_t i = 0; i < f->sample_count; i++) {
        const char letter[] = {(char)('a' + f->samples[i].style % 26), 0};
        put_text(g, (int)(f->samples[i].x0 + f->samples[i].x1) / 2, (int)f->samples[i].y, letter, f->samples[i].style);
    }
}

static int align(double x, const char *text, enum plot_align a) {
    struct plot_canvas canvas = plot_braille_canvas(1, 1);
    double length = plot_text_width(&canvas, text);
    x -= a == PLOT_RIGHT ? length : a == PLOT_CENTRE ? length / 2 : 0;
    return (int)round(fmax(x, 0) / ACROSS) * ACROSS;
}

static void draw_upright(struct page *g, const struct plot_panel *p, const struct plot_scale *s, bool right,
                         bool numbers) {
    int x = (int)(right ? p->right : p->left - ACROSS), row = -1;
    long k, last;
    for (int y = (int)p->bottom; y < p->top; y += UP) put_text(g, x, y, "│", PLOT_NO_CURVE);
    for (plot_scale_ticks(s, &k, &last); k <= last; k++) {
        char text[PLOT_NUMBER];
        int y = (int)fmin(plot_place_y(p, s, plot_scale_tick_value(s, k)), p->top - 1);
        plot_scale_tick_number(text, s, k);
        if (y / UP == row) continue;
        row = y / UP;
        put_text(g, x, y, right ? "├" : "┤", PLOT_NO_CURVE);
        if (numbers) put_text(g, right ? x + ACROSS * 2 : align(x - ACROSS, text, PLOT_RIGHT), y, text, PLOT_NO_CURVE);
    }
}

static void draw_axes(struct page *g, const struct plot_figure *f, const struct plot_panel *p) {
    int y = (int)p->bottom - UP, left = (int)p->left;
    long k, last;
    for (int x = left; x < p->right; x += ACROSS) put_text(g, x, y, "─", PLOT_NO_CURVE);
    put_text(g, left - ACROSS, y, "└", PLOT_NO_CURVE);
    if (f->second) put_text(g, (int)p->right, y, "┘", PLOT_NO_CURVE);
    draw_upright(g, p, &p->y, false, p->y_tics);
    if (f->second) draw_upright(g, p, &p->second, true, p->second_tics);
    for (plot_scale_ticks(&f->x, &k, &last); k <= last; k++) {
        char text[PLOT_NUMBER];
        int x = (int)plot_place_x(f, p, plot_scale_tick_value(&f->x, k)) - ACROSS;
        plot_scale_tick_number(text, &f->x, k);
        if (x > left) put_text(g, x, y, "┬", PLOT_NO_CURVE);
        int max = g->columns * ACROSS - (int)plot_text_width(&f->canvas, text); // the last number ends within the page
        int position = align(x + 1, text, PLOT_CENTRE);
        if (p->x_tics) put_text(g, position < max ? position : max, y - UP, text, PLOT_NO_CURVE);
    }
    for (int limit = 0; limit < 2; limit++) {
        double position = plot_place_y(p, &p->y, limit);
        if (!(limit ? p->at_one : p->at_zero) || position < p->bottom + 1 || position >= p->top) continue;
        for (int x = left; x < p->right; x += 3 * ACROSS) put_dot(g, x, (int)position, PLOT_NO_CURVE);
    }
}

static void put_cell(struct trj_bytes *b, const struct cell *c) {
    if (*c->text) {
        trj_put_raw(b, c->text, strlen(c->text));
    } else if (c->dots) {
        unsigned char braille[] = {0xe2, (unsigned char)(0xa0 | c->dots >> 6),
                                   (unsigned char)(0x80 | (c->dots & 0x3f))};
        trj_put_raw(b, braille, sizeof braille);
    } else {
        trj_put_raw(b, " ", 1);
    }
}

static void put_page(struct trj_bytes *b, const struct page *g, bool colour) {
    static const char *const colours[] = {"34", "31", "32", "35", "33", "36"};
    for (int line = 0; line < g->lines; line++) {
        const struct cell *cells = g->cells + (size_t)line * (size_t)g->columns;
        size_t end = (size_t)g->columns;
        unsigned last = 0;
        while (end > 0 && !*cells[end - 1].text && !cells[end - 1].dots) end--;
        for (size_t i = 0; i < end; i++) {
            if (colour && cells[i].style != last) {
                char code[16];
                last = cells[i].style;
                snprintf(code, sizeof code, "\033[%sm",
                         last ? colours[(last - 1) % (sizeof colours / sizeof *colours)] : "0");
                trj_put_raw(b, code, strlen(code));
            }
            put_cell(b, &cells[i]);
        }
        if (last) trj_put_raw(b, "\033[0m", 4);
        trj_put_raw(b, "\n", 1);
    }
}

int plot_braille_write(struct trj_bytes *text, const struct plot_figure *f, bool colour, struct trj_error *err) {
    struct page g = {.columns = (int)(f->canvas.width / ACROSS), .lines = (int)(f->canvas.height / UP)};
    if (!(g.cells = trj_alloc((size_t)g.columns * (size_t)g.lines, sizeof *g.cells, "a page", err))) return -1;
    for (size_t i = 0; i < f->panel_count; i++) draw_axes(&g, f, &f->panels[i]);
    for (int curves = 0; curves < 2; curves++)
        for (size_t i = 0; i < f->curve_count; i++) draw_curve(&g, f, &f->curves[i], !curves);
    for (size_t i = 0; i < f->sample_count; i++) {
        const struct plot_sample *s = &f->samples[i];
        for (int x = (int)s->x0; x < s->x1; x++)
            if (!s->second || x % 4 < 2) put_dot(&g, x, (int)s->y, s->style);
    }
    if (f->sample_count && !colour) put_letters(&g, f);
    for (size_t i = 0; i < f->text_count; i++) {
        const struct plot_text *t = &f->texts[i];
        put_text(&g, align(t->x, t->text, t->align), (int)t->y, t->text, t->style);
    }
    put_page(text, &g, colour);
    free(g.cells);
    return text->failed ? trj_fail_memory(err, (double)text->size, "a page") : 0;
}
