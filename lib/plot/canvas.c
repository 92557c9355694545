// SPDX-License-Identifier: MIT
// Contains the geometry that gnuplot scripts and terminal plots share, so that both lay out a figure alike.
#include "canvas.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

// Widths are those of common sans-serif fonts, in widths of a digit.
double plot_text_width(const struct plot_canvas *v, const char *text) {
    double n = 0;
    for (; *text; text++) {
        bool upper = *text >= 'A' && *text <= 'Z', follows = (*text & 0xc0) == 0x80;
        if (follows) continue;
        n += !v->graphical                          ? 1
             : strchr("ijlIt.,:;'|!()[]/ -", *text) ? 0.6
             : strchr("mwMW@%", *text)              ? 1.5
             : upper                                ? 1.25
                                                    : 1;
    }
    return n * v->advance;
}

size_t plot_text_length(const char *text) {
    size_t n = 0;
    for (; *text; text++) n += (*text & 0xc0) != 0x80;
    return n;
}

// Returns the text after its first n UTF-8 characters.
static const char *after(const char *text, size_t n) {
    while (*text && (n || (*text & 0xc0) == 0x80)) n -= (*text++ & 0xc0) != 0x80;
    return text;
}

// Returns a copy of the text that is at most `width` wide. `share` is the fraction of the kept characters that are from
// the start of the text.
static char *fit(const char *text, const struct plot_canvas *v, double width, double share, struct trj_error *err) {
    size_t all = plot_text_length(text), capacity = strlen(text) + sizeof "…", min = 0, max = all;
    if (plot_text_width(v, text) <= width) return trj_copy_text(text, err);
    char *to = trj_alloc(capacity, 1, "a text", err);
    while (to) { // reduces to the largest number of characters that fits
        size_t n = min + (max - min + 1) / 2, head = (size_t)ceil(share * (double)n);
        snprintf(to, capacity, "%.*s…%s", (int)(after(text, head) - text), text, after(text, all - (n - head)));
        if (min == max) break;
        if (plot_text_width(v, to) <= width)
            min = n;
        else
            max = n - 1;
    }
    return to;
}

// Returns whether texts that differ still differ after shortening.
static bool are_distinct(char *const *fits, char **const *texts, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i; k++)
            if (!strcmp(fits[i], fits[k]) && strcmp(*texts[i], *texts[k]) != 0) return false;
    return true;
}

int plot_texts_fit(char **const *texts, size_t count, const struct plot_canvas *v, double width,
                   struct trj_error *err) {
    static const double shares[] = {0.5, 0, 1, 0.5};
    enum { SHARES = sizeof shares / sizeof *shares };
    for (int way = 0; way < SHARES; way++) {
        char **fits = trj_alloc(count + 1, sizeof *fits, "texts", err);
        for (size_t i = 0; fits && i < count; i++)
            if (!(fits[i] = fit(*texts[i], v, width, shares[way], err))) {
                trj_text_array_free(fits);
                return -1;
            }
        if (!fits) return -1;
        bool taken = way + 1 == SHARES || are_distinct(fits, texts, count);
        for (size_t i = 0; taken && i < count; i++) {
            char *old = *texts[i];
            *texts[i] = fits[i];
            fits[i] = old;
        }
        trj_text_array_free(fits);
        if (taken) break;
    }
    return 0;
}

int plot_figure_add_text(struct plot_figure *f, const struct plot_text *place, const char *text,
                         struct trj_error *err) {
    if (trj_grow(&f->texts, &f->text_capacity, f->text_count + 1, sizeof *f->texts, "texts", err)) return -1;
    f->texts[f->text_count] = *place;
    if (!(f->texts[f->text_count].text = trj_copy_text(text, err))) return -1;
    f->text_count++;
    return 0;
}

double plot_scale_position(const struct plot_scale *s, double value) {
    if (!s->log) return (value - s->low) / (s->high - s->low);
    return value > 0 ? log(value / s->low) / log(s->high / s->low) : NAN;
}

double plot_place_x(const struct plot_figure *f, const struct plot_panel *p, double x) {
    return p->left + plot_scale_position(&f->x, x) * (p->right - p->left);
}

double plot_place_y(const struct plot_panel *p, const struct plot_scale *s, double y) {
    return p->bottom + plot_scale_position(s, y) * (p->top - p->bottom);
}

bool plot_clip_line(double line[4], double low, double high) {
    double x0 = line[0], y0 = line[1], x1 = line[2], y1 = line[3];
    if (!isfinite(x0 + x1) || !isfinite(y0) || !isfinite(y1) || (y0 < low && y1 < low) || (y0 > high && y1 > high))
        return false;
    for (int i = 0; i < 4; i += 2) {
        double y = fmin(fmax(line[i + 1], low), high);
        if (y == line[i + 1]) continue;
        line[i] = x0 + (x1 - x0) * ((y - y0) / (y1 - y0));
        line[i + 1] = y;
    }
    return true;
}

bool plot_is_unresolved(const struct plot_curve *c, const struct plot_point *p) {
    const struct plot_table *t = c->table;
    const size_t next = (size_t)(p - c->points) + 1;
    if (c->fit) return false;
    if (t->few_from > 0 && next < c->count && c->points[next].x >= t->few_from) return true;
    return t->resolved_from > 0 && p->x < t->resolved_from; // x can be negative
}

const struct plot_scale *plot_curve_scale(const struct plot_figure *f, const struct plot_curve *c) {
    return c->second ? &f->panels[c->panel].second : &f->panels[c->panel].y;
}
