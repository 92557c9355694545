// SPDX-License-Identifier: MIT
#include "axis_scale.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "canvas.h"

struct extent {
    double low, high;
};

static void include(struct extent *e, double y) {
    if (y < e->low) e->low = y;
    if (y > e->high) e->high = y;
}

// A peak as distances within molecules have it: so narrow, and next to nothing on either side.
static const double max_spike_width = 0.16, base_fraction = 0.05;
enum { MAX_SPIKES = 16 };

struct spike {
    size_t first, end; // points [first, end)
    double height;
};

// Heights are those of y, or, of peaks that point down, with a sign of -1 those of -y.
static double width_at_half(const struct plot_curve *c, size_t top, double sign) {
    const struct plot_point *p = c->points;
    double height = sign * p[top].y, half = height / 2;
    size_t a = top, b = top;
    while (a > 0 && sign * p[a - 1].y > half) a--;
    while (b + 1 < c->count && sign * p[b + 1].y > half) b++;
    double x0 = p[a].x, x1 = p[b].x;
    if (a) x0 -= (p[a].x - p[a - 1].x) * (sign * p[a].y - half) / (sign * (p[a].y - p[a - 1].y));
    if (b + 1 < c->count) x1 += (p[b + 1].x - p[b].x) * (sign * p[b].y - half) / (sign * (p[b].y - p[b + 1].y));
    return x1 - x0;
}

static bool is_spike(struct spike *s, const struct plot_curve *c, size_t top, double sign) {
    const struct plot_point *p = c->points;
    double height = sign * p[top].y, bin = top ? p[top].x - p[top - 1].x : p[top + 1].x - p[top].x;
    size_t a = top, b = top;
    while (a > 0 && sign * p[a].y > base_fraction * height) a--;
    while (b + 1 < c->count && sign * p[b].y > base_fraction * height) b++;
    *s = (struct spike){a, b + 1, height};
    return sign * p[a].y <= base_fraction * height && sign * p[b].y <= base_fraction * height &&
           width_at_half(c, top, sign) <= fmax(max_spike_width, 1.5 * bin);
}

// Takes spikes out of the curve, the highest first, and tells what is left. Returns how many it took.
static size_t remove_spikes(struct spike *spikes, double *rest, const struct plot_curve *c, double sign) {
    size_t n = 0;
    for (;;) {
        size_t top = c->count;
        for (size_t i = 0; i < c->count; i++) {
            bool taken = isnan(c->points[i].y);
            for (size_t k = 0; !taken && k < n; k++) taken = i >= spikes[k].first && i < spikes[k].end;
            if (!taken && (top == c->count || sign * c->points[i].y > sign * c->points[top].y)) top = i;
        }
        if (top == c->count) return n;
        double height = sign * c->points[top].y;
        if (n == MAX_SPIKES || c->count < 3 || !(height > 0) || !is_spike(&spikes[n], c, top, sign)) {
            *rest = fmax(*rest, height);
            return n;
        }
        n++;
    }
}

// The top of all that is no spike, and of those spikes that are not more than twice as high as the rest, of which both ends count.
static double top_of_peaks(const struct plot_figure *f, size_t panel, double sign, double other_end) {
    enum { MOST = 64 };
    double heights[MOST], rest = -INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        struct spike spikes[MAX_SPIKES];
        if (c->panel != panel || c->second) continue;
        for (size_t k = remove_spikes(spikes, &rest, c, sign); k-- > 0;) {
            if (n < MOST)
                heights[n++] = spikes[k].height;
            else
                rest = fmax(rest, spikes[k].height);
        }
    }
    for (;;) {
        double lowest = INFINITY, high = fmax(rest, other_end);
        for (size_t i = 0; i < n; i++)
            if (heights[i] > rest && heights[i] < lowest) lowest = heights[i];
        // Where there is nothing else, all is the rest.
        if (!isfinite(lowest) || (high > 1e-4 * lowest && lowest > 2 * high)) return rest;
        rest = lowest;
    }
}

static void include_peaks(struct extent *e, const struct plot_figure *f, size_t panel) {
    double up = top_of_peaks(f, panel, 1, 0), down = top_of_peaks(f, panel, -1, fmax(up, 0));
    include(e, up);
    include(e, -down);
}

// From the first row on, leaves out what goes to an extreme that is further beyond all behind it than that is high.
static void include_after_start(struct extent *e, const struct plot_curve *c) {
    size_t n = c->count, start = 0;
    for (;;) {
        while (start < n && isnan(c->points[start].y)) start++;
        size_t turn = start + 1;
        while (turn + 1 < n &&
               (c->points[turn + 1].y - c->points[turn].y) * (c->points[turn].y - c->points[turn - 1].y) > 0)
            turn++;
        struct extent rest = {INFINITY, -INFINITY};
        for (size_t i = turn; i < n; i++) include(&rest, c->points[i].y);
        double y = start < n ? c->points[start].y : 0, beyond = fmax(y - rest.high, rest.low - y);
        if (turn + 1 < n && beyond > rest.high - rest.low && rest.high > rest.low) {
            start = turn;
            continue;
        }
        for (size_t i = start; i < n; i++) include(e, c->points[i].y);
        return;
    }
}

// n(r) beside something else: the first shells. It ends where those of the curve's first peak do, for g(r) of a liquid about the second minimum.
static void include_shells(struct extent *e, const struct plot_figure *f, const struct plot_curve *n, double top) {
    static const double behind = 1.75;
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        const struct plot_point *peak = NULL;
        if (c->second || c->panel != n->panel || strcmp(c->of, n->of) != 0) continue;
        for (size_t k = 0; k < c->count; k++)
            if (c->points[k].y <= top && (!peak || c->points[k].y > peak->y)) peak = &c->points[k];
        for (size_t k = 0; peak && k < n->count && n->points[k].x <= behind * peak->x; k++) include(e, n->points[k].y);
    }
}

// Bands count, but for those that are so wide that nothing would be seen of the rest.
static void include_bands(struct extent *e, const struct plot_figure *f, size_t panel) {
    struct extent all = *e;
    double most = 0.2 * (e->high - e->low);
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        if (c->panel != panel || c->second) continue;
        for (size_t k = 0; k < c->count; k++) {
            const struct plot_point *p = &c->points[k];
            if (p->y < e->low || p->y > e->high || !(p->high - p->y < most)) continue;
            include(&all, p->high);
            include(&all, p->low);
        }
    }
    if (e->low >= 0) all.low = fmax(all.low, 0); // a band of what cannot be below 0
    *e = all;
}

static struct plot_scale scale_of(struct extent e, double ymax) {
    struct plot_scale s = {.step = 1};
    if (!(e.low <= e.high)) e = (struct extent){0, 1};
    if (e.low >= 0) e.low = 0;
    if (e.high <= 0) e.high = 0;
    if (e.low == e.high) e.high = 1;
    double room = 0.11 * (e.high - e.low); // for a name above the highest peak
    s.high = !isnan(ymax) ? ymax : e.high + (e.high > 0 ? room : room / 2);
    s.low = e.low < 0 ? e.low - room / 2 : 0;
    double most = fmax(-s.low, s.high);
    if (most >= 1e5 || most < 1e-2) s.power = 3 * (int)floor(log10(most) / 3);
    return s;
}

static struct extent panel_extent(const struct plot_figure *f, size_t panel) {
    struct extent e = {INFINITY, -INFINITY};
    bool spikes = false;
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        if (c->panel != panel || c->second) continue;
        if (c->quantity->start)
            include_after_start(&e, c);
        else if (c->quantity->has_spikes)
            spikes = true;
        else
            for (size_t k = 0; k < c->count; k++) include(&e, c->points[k].y);
    }
    if (spikes) include_peaks(&e, f, panel);
    if (e.low <= e.high) include_bands(&e, f, panel);
    return e;
}

static struct extent second_extent(const struct plot_figure *f, size_t panel) {
    struct extent e = {0, 0};
    for (size_t i = 0; i < f->curve_count; i++)
        if (f->curves[i].second && f->curves[i].panel == panel)
            include_shells(&e, f, &f->curves[i], f->panels[panel].y.high);
    return e;
}

// Curves begin at 0 where they begin near it; the last point may be the middle of a bin.
static void find_x(struct plot_figure *f) {
    struct extent e = {INFINITY, -INFINITY};
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        const struct plot_table *t = c->table;
        double half = plot_table_half_width(t, t->rows - 1);
        bool middles = !t->edges && strncmp(t->axis, "r", 1) == 0;
        double first = c->points[0].x, low = first - (middles ? plot_table_half_width(t, 0) : 0);
        include(&e, first >= 0 ? fmax(low, 0) : low);
        include(&e, plot_table_x(t, t->rows - 1) + (middles ? half : 0));
    }
    if (e.low > 0 && e.low < 0.15 * e.high) e.low = 0;
    if (!(e.high - e.low > 1e-9 * fabs(e.high))) {
        double half = fmax(fabs(e.high), 0.5); // a bin from 0 on
        e = (struct extent){e.low - half, e.high + half};
    }
    f->x = (struct plot_scale){.low = e.low, .high = e.high, .step = 1};
}

static void share(struct plot_figure *f, bool second) {
    struct extent e = {0, 0};
    double least = INFINITY;
    for (size_t i = 0; i < f->panel_count; i++) {
        const struct plot_scale *s = second ? &f->panels[i].second : &f->panels[i].y;
        include(&e, s->high);
        include(&e, s->low);
        least = fmin(least, s->high - s->low);
    }
    if (3 * least < e.high - e.low) f->own_scales = true;
    for (size_t i = 0; !f->own_scales && i < f->panel_count; i++) {
        struct plot_scale *s = second ? &f->panels[i].second : &f->panels[i].y, all = *s;
        all.low = e.low;
        all.high = e.high;
        *s = all;
    }
}

// One power of ten for all, that of the highest: it stands at the axis.
static void share_power(struct plot_figure *f, bool second) {
    double most = 0;
    int power = 0;
    for (size_t i = 0; i < f->panel_count; i++) {
        const struct plot_scale *s = second ? &f->panels[i].second : &f->panels[i].y;
        if (fmax(s->high, -s->low) <= most) continue;
        most = fmax(s->high, -s->low);
        power = s->power;
    }
    for (size_t i = 0; i < f->panel_count; i++) *(second ? &f->panels[i].second.power : &f->panels[i].y.power) = power;
}

void plot_scales_find(struct plot_figure *f, const struct plot_figure_options *options) {
    find_x(f);
    for (size_t i = 0; i < f->panel_count; i++) f->panels[i].y = scale_of(panel_extent(f, i), options->ymax);
    share(f, false);
    for (size_t i = 0; i < f->panel_count; i++) f->panels[i].second = scale_of(second_extent(f, i), NAN);
    if (f->second) share(f, true);
    share_power(f, false);
    share_power(f, true);
}

void plot_scale_step(struct plot_scale *s, double length, double space) {
    static const double nice[] = {1, 2, 5, 10};
    double unit = pow(10, s->power), range = (s->high - s->low) / unit, least = range * fmin(space / length, 0.5);
    double ten = pow(10, floor(log10(least)));
    size_t i = 0;
    while (i < 3 && nice[i] * ten < least * (1 - 1e-9)) i++;
    s->step = nice[i] * ten;
    s->decimals = (int)fmax(0, -floor(log10(s->step) + 1e-9));
}

void plot_scale_ticks(const struct plot_scale *s, long *first, long *last) {
    double unit = pow(10, s->power) * s->step;
    *first = (long)ceil(s->low / unit - 1e-9);
    *last = (long)floor(s->high / unit + 1e-9);
}

void plot_scale_number(char text[PLOT_NUMBER], const struct plot_scale *s, double value) {
    snprintf(text, PLOT_NUMBER, "%.*f", s->decimals > 15 ? 15 : s->decimals, value + 0.0); // no -0
}

bool plot_scale_excludes(const struct plot_figure *f, const struct plot_curve *c, size_t i) {
    const struct plot_scale *s = plot_curve_scale(f, c);
    if (c->second || c->quantity->cumulative) return false; // which goes on and on
    return c->points[i].y > s->high || c->points[i].y < s->low;
}
