// SPDX-License-Identifier: MIT
// Chooses ranges and ticks for curves of unknown shape, because the sharp peaks of distances within molecules would
// hide everything else.
#include "axis_scale.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "canvas.h"
#include "memory.h"

struct extent {
    double low, high;
};

static void include(struct extent *e, double y) {
    if (y < e->low) e->low = y;
    if (y > e->high) e->high = y;
}

// Distances within molecules cause spikes: peaks of at most this width (Å) at half height that fall below this
// fraction of their height on either side.
static const double max_spike_width = 0.16, base_fraction = 0.05;
enum { MAX_SPIKES = 16 };

enum { MAX_FIRST_TICKS = 1000 }; // of the x axis

struct spike {
    size_t first, end; // points [first, end)
    double height;
};

// Returns the full width at half height of the peak at `top`. With a sign of -1 peaks point down.
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

// Finds the spikes of the curve, the highest first, and raises *rest to the highest other value. Returns their number.
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

// Returns the highest value of a panel without its spikes, but with those that are at most twice as high as the rest.
// `other_end` is the end of the rest in the other direction.
static double top_of_peaks(const struct plot_figure *f, size_t panel, double sign, double other_end) {
    enum { MAX = 64 };
    double heights[MAX], rest = -INFINITY;
    size_t n = 0;
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        struct spike spikes[MAX_SPIKES];
        if (c->panel != panel || c->second) continue;
        for (size_t k = remove_spikes(spikes, &rest, c, sign); k-- > 0;) {
            if (n < MAX)
                heights[n++] = spikes[k].height;
            else
                rest = fmax(rest, spikes[k].height);
        }
    }
    for (;;) {
        double lowest = INFINITY, high = fmax(rest, other_end);
        for (size_t i = 0; i < n; i++)
            if (heights[i] > rest && heights[i] < lowest) lowest = heights[i];
        // If the curves consist of spikes alone, the spikes set the scale.
        if (!isfinite(lowest) || (high > 1e-4 * lowest && lowest > 2 * high)) return rest;
        rest = lowest;
    }
}

static void include_peaks(struct extent *e, const struct plot_figure *f, size_t panel) {
    double up = top_of_peaks(f, panel, 1, 0), down = top_of_peaks(f, panel, -1, fmax(up, 0));
    include(e, up);
    include(e, -down);
}

// Includes the values after a divergence at the start of the curve. The first values, up to a turning point, are left
// out if they exceed the range of all later ones by more than the height of that range.
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

// Returns the slope of n(r) with respect to r^3, which is proportional to g(r), between points i - 1 and i.
static double slope(const struct plot_curve *n, size_t i) {
    const struct plot_point *p = n->points + i;
    return (p->y - p[-1].y) / (p->x * p->x * p->x - p[-1].x * p[-1].x * p[-1].x);
}

// Fills `g` with the slopes. Returns their mean over the outer half of the curve.
static double find_slopes(struct plot_curve *g, const struct plot_curve *n) {
    double sum = 0;
    size_t used = 0;
    for (size_t i = 1; i < n->count; i++) {
        double y = slope(n, i);
        g->points[g->count++] = (struct plot_point){(n->points[i - 1].x + n->points[i].x) / 2, y, NAN, NAN};
        if (2 * i < n->count || isnan(y)) continue;
        sum += y;
        used++;
    }
    return used ? sum / (double)used : NAN;
}

// Finds the distance at which the first shells end: 1.75 times the distance of the highest peak of g(r) that is no
// spike, for a liquid about its second minimum. g(r) is taken from n(r) itself, so that no other curve is needed. The
// result is INFINITY if no peak is 1.2 times as high as g(r) in the outer half of the curve, as in a gas.
static int find_shells_end(double *end, const struct plot_curve *n, struct trj_error *err) {
    static const double end_per_peak = 1.75, min_peak = 1.2;
    struct plot_curve g = {.count = 0};
    struct spike spikes[MAX_SPIKES];
    *end = INFINITY;
    if (n->count < 4) return 0;
    if (!(g.points = trj_alloc(n->count, sizeof *g.points, "a curve", err))) return -1;
    double outer = find_slopes(&g, n), rest = 0;
    size_t count = remove_spikes(spikes, &rest, &g, 1), peak = g.count;
    for (size_t i = 0; i < g.count; i++) {
        bool is_spike = false;
        for (size_t k = 0; k < count; k++)
            is_spike = is_spike || (i >= spikes[k].first && i < spikes[k].end && spikes[k].height > 2 * rest);
        if (!is_spike && !isnan(g.points[i].y) && (peak == g.count || g.points[i].y > g.points[peak].y)) peak = i;
    }
    if (peak < g.count && g.points[peak].y > min_peak * outer) *end = end_per_peak * g.points[peak].x;
    free(g.points);
    return 0;
}

// Includes n(r) of the first shells, and their end in `x`.
static int include_shells(struct extent *e, struct extent *x, const struct plot_curve *n, struct trj_error *err) {
    double end;
    if (find_shells_end(&end, n, err)) return -1;
    include(x, fmin(end, n->points[n->count - 1].x));
    for (size_t k = 0; k < n->count && n->points[k].x <= end; k++) include(e, n->points[k].y);
    return 0;
}

// Includes error bands, except those so wide that the curves would become flat.
static void include_bands(struct extent *e, const struct plot_figure *f, size_t panel) {
    struct extent all = *e;
    double max = 0.2 * (e->high - e->low);
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        if (c->panel != panel || c->second) continue;
        for (size_t k = 0; k < c->count; k++) {
            const struct plot_point *p = &c->points[k];
            if (p->y < e->low || p->y > e->high || !(p->high - p->y < max)) continue;
            include(&all, p->high);
            include(&all, p->low);
        }
    }
    if (e->low >= 0) all.low = fmax(all.low, 0); // the band of a quantity that cannot be negative
    *e = all;
}

// The values are positive. The axis spans at most six decades.
static struct plot_scale log_scale_of(struct extent e, double ymin, double ymax) {
    struct plot_scale s = {.log = true, .step = 1};
    if (!(e.low <= e.high)) e = (struct extent){0.1, 1};
    s.high = e.high;
    s.low = fmax(e.low, e.high * 1e-6);
    if (!(s.high > 2 * s.low)) s.low = s.high / 2;
    double ratio = s.high / s.low;
    s.high *= pow(ratio, 0.11); // for a name above the highest peak
    s.low /= pow(ratio, 0.03);
    if (!isnan(ymax)) {
        s.high = ymax;
        s.low = fmin(s.low, ymax / 10);
    }
    if (!isnan(ymin)) {
        s.low = ymin;
        if (isnan(ymax)) s.high = fmax(s.high, 10 * ymin);
    }
    return s;
}

static struct plot_scale scale_of(struct extent e, double ymin, double ymax) {
    struct plot_scale s = {.step = 1};
    if (!(e.low <= e.high)) e = (struct extent){0, 1};
    if (e.low >= 0) e.low = 0;
    if (e.high <= 0) e.high = 0;
    if (e.low == e.high) e.high = 1;
    double capacity = 0.11 * (e.high - e.low); // for a name above the highest peak
    s.high = !isnan(ymax) ? ymax : e.high + (e.high > 0 ? capacity : capacity / 2);
    s.low = e.low < 0 ? e.low - capacity / 2 : 0;
    if (!isnan(ymin)) s.low = ymin;
    // An end that no option sets is placed beyond the other one, even if all curves are outside of the axis.
    double length = fmax(1e-3, fmax(fabs(s.low), fabs(s.high)));
    if (s.low >= s.high && isnan(ymax)) s.high = s.low + length;
    if (s.low >= s.high) s.low = s.high - length;
    double max = fmax(fabs(s.low), fabs(s.high));
    if (max >= 1e5 || max < 1e-2) s.power = 3 * (int)floor(log10(max) / 3);
    return s;
}

// `shells` is NULL if n(r) is not limited to them; else their ends are included there.
static int find_panel_extent(struct extent *e, struct extent *shells, const struct plot_figure *f, size_t panel,
                             bool log, struct trj_error *err) {
    bool spikes = false;
    *e = (struct extent){INFINITY, -INFINITY};
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        if (c->panel != panel || c->second || c->fit) continue;
        if (c->quantity->cumulative && shells) {
            if (include_shells(e, shells, c, err)) return -1;
        } else if (c->quantity->diverges_at_start && !log) {
            include_after_start(e, c);
        } else if (c->quantity->has_spikes && !log) {
            spikes = true;
        } else {
            for (size_t k = 0; k < c->count; k++) include(e, c->points[k].y);
        }
    }
    if (spikes) include_peaks(e, f, panel);
    if (e->low <= e->high && !log) include_bands(e, f, panel);
    return 0;
}

// Includes an integral with its band, which is part of the result.
static void include_integral(struct extent *e, const struct plot_curve *c) {
    for (size_t k = 0; k < c->count; k++) {
        include(e, c->points[k].y);
        include(e, c->points[k].low);
        include(e, c->points[k].high);
    }
}

static int find_second_extent(struct extent *e, const struct plot_figure *f, size_t panel, struct trj_error *err) {
    struct extent x = {INFINITY, -INFINITY};
    *e = (struct extent){INFINITY, -INFINITY};
    for (size_t i = 0; i < f->curve_count; i++)
        if (f->curves[i].second && f->curves[i].panel == panel) {
            if (f->curves[i].quantity->integral)
                include_integral(e, &f->curves[i]);
            else if (include_shells(e, &x, &f->curves[i], err))
                return -1;
        }
    return 0;
}

// The axis begins at 0 if the curves begin near it; the last point may be the middle of a bin.
static void find_x(struct plot_figure *f, const struct plot_figure_options *options, double shells_end) {
    struct extent e = {INFINITY, -INFINITY};
    bool binned = true, degrees = true;
    for (size_t i = 0; i < f->curve_count; i++) {
        const struct plot_curve *c = &f->curves[i];
        const struct plot_table *t = c->table;
        const struct plot_bins *b = plot_table_bins(t, t->x);
        degrees = degrees && plot_bins_are_degrees(b);
        if (b) {
            include(&e, b->axis.low);
            include(&e, b->axis.high);
            continue;
        }
        binned = false;
        bool middles = !t->edges && !options->log_x && strncmp(t->axis, "r", 1) == 0;
        double first = c->points[0].x, low = first - (middles ? plot_table_half_bin_width(t, 0) : 0);
        include(&e, first >= 0 ? fmax(low, 0) : low);
        include(&e, plot_table_x(t, t->rows - 1) + (middles ? plot_table_half_bin_width(t, t->rows - 1) : 0));
    }
    if (e.low > 0 && e.low < 0.15 * e.high && !options->log_x && !binned) e.low = 0;
    e.high = fmin(e.high, shells_end);
    if (!isnan(options->x_low)) e.low = options->x_low;
    if (!isnan(options->x_high)) e.high = options->x_high;
    if (!(e.high - e.low > 1e-9 * fabs(e.high))) {
        double half = fmax(fabs(e.high), 0.5); // a bin that begins at 0
        e = options->log_x ? (struct extent){e.low / 2, e.high * 2} : (struct extent){e.low - half, e.high + half};
    }
    // The layout formats all ticks before it chooses their distance.
    double step = fmax(1, pow(10, ceil(log10((e.high - e.low) / MAX_FIRST_TICKS))));
    f->x = (struct plot_scale){
        .low = e.low, .high = e.high, .step = options->log_x ? 1 : step, .log = options->log_x, .degrees = degrees};
}

static void share(struct plot_figure *f, bool second) {
    struct extent e = {INFINITY, -INFINITY};
    double min = INFINITY;
    for (size_t i = 0; i < f->panel_count; i++) {
        const struct plot_scale *s = second ? &f->panels[i].second : &f->panels[i].y;
        include(&e, s->high);
        include(&e, s->low);
        min = fmin(min, s->high - s->low);
    }
    if (3 * min < e.high - e.low && !f->panels->y.log) f->own_scales = true;
    for (size_t i = 0; !f->own_scales && i < f->panel_count; i++) {
        struct plot_scale *s = second ? &f->panels[i].second : &f->panels[i].y;
        s->low = e.low;
        s->high = e.high;
    }
}

// All panels use one power of ten, that of the highest, because it is in the common label of the axis.
static void share_power(struct plot_figure *f, bool second) {
    double max = 0;
    int power = 0;
    for (size_t i = 0; i < f->panel_count; i++) {
        const struct plot_scale *s = second ? &f->panels[i].second : &f->panels[i].y;
        if (fmax(s->high, -s->low) <= max) continue;
        max = fmax(s->high, -s->low);
        power = s->power;
    }
    for (size_t i = 0; i < f->panel_count; i++) *(second ? &f->panels[i].second.power : &f->panels[i].y.power) = power;
}

int plot_scales_find(struct plot_figure *f, const struct plot_figure_options *options, struct trj_error *err) {
    // A figure of n(r) alone is limited to the first shells unless an option gives its limits.
    bool limited = isnan(options->x_low) && isnan(options->x_high) && isnan(options->ymin) && isnan(options->ymax);
    struct extent shells = {INFINITY, -INFINITY}, e;
    for (size_t i = 0; i < f->panel_count; i++) {
        if (find_panel_extent(&e, limited ? &shells : NULL, f, i, options->log_y, err)) return -1;
        f->panels[i].y =
            options->log_y ? log_scale_of(e, options->ymin, options->ymax) : scale_of(e, options->ymin, options->ymax);
    }
    find_x(f, options, shells.high > 0 ? shells.high : INFINITY);
    share(f, false);
    for (size_t i = 0; i < f->panel_count; i++) {
        if (find_second_extent(&e, f, i, err)) return -1;
        f->panels[i].second = options->log_y ? log_scale_of(e, NAN, NAN) : scale_of(e, NAN, NAN);
    }
    if (f->second) share(f, true);
    share_power(f, false);
    share_power(f, true);
    return 0;
}

static void set_multiples(struct plot_scale *s, double min) {
    static const double nice[] = {1, 2, 5, 10}, angles[] = {15, 30, 60, 90, 180, 360};
    double ten = pow(10, floor(log10(min)));
    size_t i = 0;
    if (s->degrees && min > 10 && min <= 360) {
        while (angles[i] < min * (1 - 1e-9)) i++;
        s->step = angles[i];
        s->decimals = 0;
        s->ticks = PLOT_TICKS_MULTIPLES;
        return;
    }
    while (i < 3 && nice[i] * ten < min * (1 - 1e-9)) i++;
    s->step = nice[i] * ten;
    s->decimals = (int)fmax(0, -floor(log10(s->step) + 1e-9));
    s->ticks = PLOT_TICKS_MULTIPLES;
}

void plot_scale_set_ticks(struct plot_scale *s, double length, double space) {
    double share = fmin(space / length, 0.5), range = s->high - s->low;
    double decades = s->log ? log10(s->high / s->low) : 0, min = decades * share;
    if (!s->log) {
        set_multiples(s, range / pow(10, s->power) * share);
    } else if (decades < 0.8) { // ticks are nearest to each other at the high end
        set_multiples(s, s->high * log(s->high / s->low) * share);
    } else if (min <= 0.3) {
        s->ticks = PLOT_TICKS_1_2_5;
    } else {
        s->ticks = PLOT_TICKS_DECADES;
        s->step = fmax(1, ceil(0.6 * min - 1e-9)); // a decade is a common unit, so that ticks may be denser
    }
}

double plot_scale_tick_value(const struct plot_scale *s, long tick) {
    long third = (tick % 3 + 3) % 3; // of a decade, also for negative ticks
    switch (s->ticks) {
    case PLOT_TICKS_DECADES:
        return pow(10, (double)tick * s->step);
    case PLOT_TICKS_1_2_5:
        return (third == 0 ? 1 : third == 1 ? 2 : 5) * pow(10, (double)(tick - third) / 3);
    case PLOT_TICKS_MULTIPLES:
        break;
    }
    return (double)tick * s->step * pow(10, s->power);
}

void plot_scale_ticks(const struct plot_scale *s, long *first, long *last) {
    if (s->ticks == PLOT_TICKS_MULTIPLES) {
        double unit = pow(10, s->power) * s->step;
        *first = (long)ceil(s->low / unit - 1e-9);
        *last = (long)floor(s->high / unit + 1e-9);
        return;
    }
    double per_tick = s->ticks == PLOT_TICKS_DECADES ? 1 / s->step : 3;
    *first = (long)floor(log10(s->low) * per_tick) - 3;
    *last = (long)ceil(log10(s->high) * per_tick) + 3;
    while (plot_scale_tick_value(s, *first) < s->low * (1 - 1e-9)) ++*first;
    while (plot_scale_tick_value(s, *last) > s->high * (1 + 1e-9)) --*last;
}

void plot_use_minus_sign(char *text, size_t capacity) {
    static const char minus[] = "−";
    enum { EXTRA = sizeof minus - 2 };
    for (size_t size = strlen(text) + 1; *text; text++, size--, capacity--) {
        if (*text != '-' || size + EXTRA > capacity) continue;
        memmove(text + EXTRA, text, size);
        memcpy(text, minus, sizeof minus - 1);
        text += EXTRA;
        capacity -= EXTRA;
    }
}

void plot_put_power_of_ten(char text[PLOT_NUMBER], int power) {
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char number[16];
    snprintf(number, sizeof number, "%d", abs(power));
    snprintf(text, PLOT_NUMBER, "10%s", power < 0 ? "⁻" : "");
    for (const char *digit = number; *digit; digit++) {
        size_t n = strlen(text);
        snprintf(text + n, PLOT_NUMBER - n, "%s", digits[*digit - '0']);
    }
}

void plot_scale_tick_number(char text[PLOT_NUMBER], const struct plot_scale *s, long tick) {
    double value = plot_scale_tick_value(s, tick);
    if (s->ticks == PLOT_TICKS_DECADES && (s->low < 0.999e-3 || s->high > 1.001e4)) {
        plot_put_power_of_ten(text, (int)lround((double)tick * s->step));
        return;
    }
    if (s->ticks == PLOT_TICKS_MULTIPLES)
        snprintf(text, PLOT_NUMBER, "%.*f", s->decimals > 15 ? 15 : s->decimals,
                 (double)tick * s->step + 0.0); // 0 without a sign
    else
        snprintf(text, PLOT_NUMBER, "%.9g", value);
    plot_use_minus_sign(text, PLOT_NUMBER);
}

bool plot_scale_excludes(const struct plot_figure *f, const struct plot_curve *c, size_t i) {
    const struct plot_scale *s = plot_curve_scale(f, c);
    if (c->second || c->fit || c->quantity->cumulative) return false; // n(r) always leaves the figure
    return c->points[i].y > s->high || (c->points[i].y < s->low && !s->log);
}
