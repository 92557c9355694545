// SPDX-License-Identifier: MIT
// Finds free places for names beside curves by drawing all curves into a grid of pixels.
#include "curve_labels.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "canvas.h"
#include "memory.h"

// Content of each pixel of a panel: one of these, or the number of a curve from 1.
enum { NOTHING, SEVERAL = UINT16_MAX - 2, TEXT, REFERENCE_LINE };

struct map {
    double left, bottom, pixel;
    int columns, lines;
    uint16_t *content;
};

static void mark(struct map *m, int x, int y, uint16_t what) {
    if (x < 0 || y < 0 || x >= m->columns || y >= m->lines) return;
    uint16_t *content = &m->content[(size_t)y * (size_t)m->columns + (size_t)x];
    *content = *content == NOTHING || *content == REFERENCE_LINE || *content == what || what == TEXT ? what : SEVERAL;
}

static void mark_line(struct map *m, double x0, double y0, double x1, double y1, uint16_t what) {
    double line[] = {x0, y0, x1, y1};
    if (!plot_clip_line(line, -1, m->lines + 1.0)) return;
    int steps = (int)ceil(fmax(fabs(line[2] - line[0]), fabs(line[3] - line[1])));
    for (int i = 0; i <= steps; i++) {
        double t = steps > 0 ? (double)i / steps : 0;
        mark(m, (int)floor(line[0] + t * (line[2] - line[0])), (int)floor(line[1] + t * (line[3] - line[1])), what);
    }
}

static void mark_curve(struct map *m, const struct plot_figure *f, size_t number) {
    const struct plot_curve *c = &f->curves[number];
    const struct plot_panel *p = &f->panels[c->panel];
    double x0 = NAN, y0 = NAN;
    for (size_t i = 0; i < c->count; i++) {
        double x = (plot_place_x(f, p, c->points[i].x) - m->left) / m->pixel;
        double y = (plot_place_y(p, plot_curve_scale(f, c), c->points[i].y) - m->bottom) / m->pixel;
        if (!isnan(y)) mark_line(m, isnan(y0) ? x : x0, isnan(y0) ? y : y0, x, y, (uint16_t)(number + 1));
        x0 = x;
        y0 = y;
    }
}

struct box {
    int x0, y0, x1, y1; // pixels [x0, x1) and [y0, y1)
};

// Gives the squared distances, in pixels, from the box to the curve and to other content; `reach` squared if nothing is
// within `reach`. Returns false if the box is not empty.
static bool measure_distances(double *own, double *other, const struct map *m, struct box b, int reach,
                              uint16_t curve) {
    *own = *other = (double)reach * reach;
    for (int y = b.y0 - reach; y < b.y1 + reach; y++) {
        if (y < 0 || y >= m->lines) continue;
        int dy = y < b.y0 ? b.y0 - y : y >= b.y1 ? y - b.y1 + 1 : 0;
        for (int x = b.x0 - reach; x < b.x1 + reach; x++) {
            if (x < 0 || x >= m->columns) continue;
            uint16_t what = m->content[(size_t)y * (size_t)m->columns + (size_t)x];
            int dx = x < b.x0 ? b.x0 - x : x >= b.x1 ? x - b.x1 + 1 : 0;
            double d = (double)(dx * dx + dy * dy);
            if (what == NOTHING) continue;
            if (!dx && !dy) return false;
            if (what == curve && d < *own) *own = d;
            if (what != curve && what != REFERENCE_LINE && d < *other) *other = d;
        }
    }
    return true;
}

struct spot {
    double score;
    struct box box;
};

// Positions of a name above, below or beside a point.
static const struct side {
    double x, y; // from the point to the centre of the box, in halves of its width and height
} sides[] = {{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {0.8, 1}, {-0.8, 1}, {0.8, -1}, {-0.8, -1}};
enum { SIDES = sizeof sides / sizeof *sides, MAX_ANCHORS = 240 };

static void try_box(struct spot *best, const struct map *m, const struct plot_figure *f, struct box b, uint16_t curve,
                    double bonus) {
    const struct plot_canvas *v = &f->canvas;
    double em = v->em / m->pixel, own, other;
    int reach = (int)(2 * em);
    if (b.x0 < 0 || b.y0 < 0 || b.x1 > m->columns || b.y1 > m->lines) return;
    if (bonus + 4 <= best->score || !measure_distances(&own, &other, m, b, reach, curve)) return;
    own = sqrt(own) / em;
    other = sqrt(other) / em;
    if (own > 0.9 || other < fmax(1.5 * own, 0.4)) return;
    double score = bonus + 2 * other - own;
    if (score > best->score) *best = (struct spot){score, b};
}

static bool is_peak(const struct plot_curve *c, size_t i, size_t around) {
    size_t first = i > around ? i - around : 0, end = i + around + 1 < c->count ? i + around + 1 : c->count;
    for (size_t k = first; k < end; k++)
        if (c->points[k].y > c->points[i].y) return false;
    return true;
}

// Returns whether point i is in a short part of the curve between gaps, which a reader does not notice.
static bool is_fragment(const struct plot_curve *c, size_t i) {
    size_t a = i, b = i;
    while (a > 0 && !isnan(c->points[a - 1].y)) a--;
    while (b + 1 < c->count && !isnan(c->points[b + 1].y)) b++;
    return b - a < c->count / 20;
}

static bool find_spot(struct spot *best, const struct map *m, const struct plot_figure *f, size_t number) {
    const struct plot_curve *c = &f->curves[number];
    const struct plot_panel *p = &f->panels[c->panel];
    const struct plot_scale *s = plot_curve_scale(f, c);
    const struct plot_canvas *v = &f->canvas;
    size_t step = c->count / MAX_ANCHORS + 1;
    double gap = v->graphical ? 0.3 * v->em : 0, width = plot_text_width(v, c->label);
    *best = (struct spot){.score = -INFINITY};
    for (size_t i = 0; i < c->count; i += step) {
        double y = c->points[i].y;
        if (!(y >= s->low && y <= s->high)) continue;
        double px = plot_place_x(f, p, c->points[i].x) - m->left, py = plot_place_y(p, s, y) - m->bottom;
        bool scrap = is_fragment(c, i), top = is_peak(c, i, 2 * step + 2) && y > s->low;
        for (size_t k = 0; k < SIDES; k++) {
            double x = px + sides[k].x * (width / 2 + gap) - width / 2;
            double low = py + sides[k].y * (v->em / 2 + gap) - v->em / 2;
            if (!v->graphical) { // multiples of a character
                x = round(x / v->advance) * v->advance;
                low = round(low / v->em) * v->em;
            }
            struct box b = {(int)floor(x / m->pixel), (int)floor(low / m->pixel), (int)ceil((x + width) / m->pixel),
                            (int)ceil((low + v->em) / m->pixel)};
            // Readers expect a name above a high peak.
            double bonus = top && sides[k].y > 0 ? 1 + plot_scale_position(s, y) : 0;
            if (scrap) bonus -= 4;
            try_box(best, m, f, b, (uint16_t)(number + 1), bonus);
        }
    }
    return best->score > -INFINITY;
}

static int place_panel(struct plot_figure *f, size_t panel, bool *placed, struct trj_error *err) {
    const struct plot_panel *p = &f->panels[panel];
    const struct plot_canvas *v = &f->canvas;
    struct map m = {.left = p->left, .bottom = p->bottom, .pixel = v->pixel};
    m.columns = (int)((p->right - p->left) / v->pixel);
    m.lines = (int)((p->top - p->bottom) / v->pixel);
    if (m.columns <= 0 || m.lines <= 0) {
        *placed = false;
        return 0;
    }
    if (!(m.content = trj_alloc((size_t)m.columns * (size_t)m.lines, sizeof *m.content, "a panel", err))) return -1;
    for (int limit = 0; limit < 2; limit++) {
        double y = (plot_place_y(p, &p->y, limit) - m.bottom) / m.pixel;
        if (limit ? p->at_one : p->at_zero) mark_line(&m, 0, y, m.columns, y, REFERENCE_LINE);
    }
    for (size_t i = 0; i < f->curve_count; i++)
        if (f->curves[i].panel == panel && !f->curves[i].fit) mark_curve(&m, f, i);
    int rc = 0;
    for (size_t i = 0; !rc && *placed && i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        struct spot spot;
        if (c->panel != panel || !c->label) continue;
        if (!(*placed = find_spot(&spot, &m, f, i))) break;
        for (int y = spot.box.y0; y < spot.box.y1; y++)
            for (int x = spot.box.x0; x < spot.box.x1; x++) mark(&m, x, y, TEXT);
        struct plot_text place = {.x = p->left + (spot.box.x0 + spot.box.x1) * m.pixel / 2,
                                  .y = p->bottom + (spot.box.y0 + spot.box.y1) * m.pixel / 2,
                                  .align = PLOT_CENTRE,
                                  .style = c->style};
        rc = plot_figure_add_text(f, &place, c->label, err);
    }
    free(m.content);
    return rc;
}

int plot_curve_labels_place(struct plot_figure *f, bool *placed, struct trj_error *err) {
    *placed = true;
    for (size_t i = 0; *placed && i < f->panel_count; i++)
        if (place_panel(f, i, placed, err)) return -1;
    while (!*placed && f->text_count) free(f->texts[--f->text_count].text);
    return 0;
}
