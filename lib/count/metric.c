// SPDX-License-Identifier: MIT
// Defines second coordinates and projections once, for engines, normalisation and the checks of cells.
#include "metric.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"

enum { MAX_IMAGES = 1000000 }; // along the axis, between any two atoms

bool rdf_metric_parse(struct rdf_metric *m, const char *name) {
    static const struct {
        const char *name;
        struct rdf_metric metric;
    } names[] = {{"xyz", {RDF_METRIC_DISTANCE, 0, 0, 0}},    {"xy", {RDF_METRIC_PLANE, 2, INFINITY, 0}},
                 {"xz", {RDF_METRIC_PLANE, 1, INFINITY, 0}}, {"yz", {RDF_METRIC_PLANE, 0, INFINITY, 0}},
                 {"x", {RDF_METRIC_AXIS, 0, 0, 0}},          {"y", {RDF_METRIC_AXIS, 1, 0, 0}},
                 {"z", {RDF_METRIC_AXIS, 2, 0, 0}}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i].name)) {
            *m = names[i].metric;
            return true;
        }
    return false;
}

bool rdf_metric_parse_axis(const char *text, unsigned *axis, uint64_t *number) {
    if (text[0] < 'x' || text[0] > 'z' || text[1] != ':') return false;
    *axis = (unsigned)(text[0] - 'x');
    return trj_parse_u64(text + 2, number) && *number >= 1;
}

const char *rdf_metric_text(char text[RDF_METRIC_TEXT], const struct rdf_metric *m) {
    static const char *const planes[] = {"yz", "xz", "xy"};
    char w = (char)('x' + m->axis);
    const char *plane = planes[m->axis];
    switch (m->kind) {
    case RDF_METRIC_PLANE:
        if (rdf_metric_counts_distance(m))
            snprintf(text, RDF_METRIC_TEXT, "lateral distance in the plane %s", plane);
        else if (m->second > 1)
            snprintf(text, RDF_METRIC_TEXT, "lateral distance in the plane %s, |d%c| below %.10g Angstrom in %llu bins",
                     plane, w, m->window, (unsigned long long)m->second);
        else
            snprintf(text, RDF_METRIC_TEXT, "lateral distance in the plane %s, |d%c| below %.10g Angstrom", plane, w,
                     m->window);
        break;
    case RDF_METRIC_AXIS:
        snprintf(text, RDF_METRIC_TEXT, "distance along %c", w);
        break;
    case RDF_METRIC_ANGLE:
        snprintf(text, RDF_METRIC_TEXT, "distance, and cosine of the angle with %c in %llu bins", w,
                 (unsigned long long)rdf_metric_second(m));
        break;
    case RDF_METRIC_BODY:
        snprintf(text, RDF_METRIC_TEXT, "distance, and cosine of the angle with %c of the molecule of A in %llu bins",
                 w, (unsigned long long)rdf_metric_second(m));
        break;
    default:
        snprintf(text, RDF_METRIC_TEXT, "distance");
    }
    return text;
}

int rdf_metric_check(const struct rdf_metric *m, struct trj_error *err) {
    if (m->kind >= RDF_METRICS || m->axis > 2) return trj_fail(err, TRJ_USAGE, "invalid metric");
    bool plane = m->kind == RDF_METRIC_PLANE, all = rdf_metric_counts_distance(m);
    if (plane ? !(m->window > 0 && (all || m->window <= RDF_MAX_WINDOW)) : m->window != 0)
        return trj_fail(err, TRJ_USAGE, "--dz: invalid value %g: expected a height above 0 and up to %g Angstrom",
                        m->window, RDF_MAX_WINDOW);
    if (m->second > 1 && rdf_metric_counts_distance(m))
        return trj_fail(err, TRJ_USAGE, "this metric has no second coordinate");
    for (uint64_t q = 0; q < m->second && !rdf_metric_counts_distance(m); q++)
        if (!(rdf_metric_bound(m, q) < rdf_metric_bound(m, q + 1)))
            return trj_fail(err, TRJ_USAGE,
                            "%llu bins of the second coordinate are too narrow for the precision of "
                            "numbers; give fewer",
                            (unsigned long long)m->second);
    return 0;
}

double rdf_metric_edge(const struct rdf_metric *m, uint64_t q) {
    double n = (double)rdf_metric_second(m);
    return rdf_metric_is_angle(m) ? (double)q * (2 / n) - 1 : (double)q * (m->window / n);
}

double rdf_metric_bound(const struct rdf_metric *m, uint64_t q) {
    double e = rdf_metric_edge(m, q);
    return e * fabs(e);
}

// ---- cells and projections

static bool is_periodic(const struct trj_cell *cell, int k) {
    return cell->periodic >> k & 1;
}

// Returns the cell without components that are rounding errors: metric.h.
static struct trj_cell without_noise(const struct trj_cell *cell) {
    struct trj_cell clean = *cell;
    for (int k = 0; k < 3; k++) {
        const double *h = cell->h[k], min = 1e-6 * sqrt(h[0] * h[0] + h[1] * h[1] + h[2] * h[2]);
        for (int c = 0; c < 3; c++)
            if (fabs(h[c]) <= min) clean.h[k][c] = 0;
    }
    return clean;
}

static bool is_across(const double v[3], unsigned axis) { // in the plane
    return v[axis] == 0;
}

static bool is_along(const double v[3], unsigned axis) {
    return v[(axis + 1) % 3] == 0 && v[(axis + 2) % 3] == 0;
}

int rdf_metric_check_cell(const struct rdf_metric *m, const struct trj_cell *cell, struct trj_error *err) {
    const struct trj_cell clean = without_noise(cell);
    int along = 0;
    if (!rdf_metric_projects(m)) return 0;
    for (int k = 0; k < 3; k++) {
        if (!is_periodic(cell, k) || is_across(clean.h[k], m->axis)) continue;
        if (m->kind == RDF_METRIC_PLANE && !is_along(clean.h[k], m->axis))
            return trj_fail(err, TRJ_BAD_DATA,
                            "cell vector %c is not parallel to %c, so that atoms have infinitely many lateral "
                            "distances; give a window of heights with --dz",
                            'a' + k, 'x' + (int)m->axis);
        if (m->kind == RDF_METRIC_AXIS && along++)
            return trj_fail(err, TRJ_BAD_DATA,
                            "two periodic cell vectors have a component along %c, so that atoms have infinitely many "
                            "distances along it; use another axis, or fewer periodic directions (trjcat --periodic)",
                            'x' + (int)m->axis);
    }
    return 0;
}

bool rdf_metric_projects(const struct rdf_metric *m) {
    return m->kind != RDF_METRIC_DISTANCE && rdf_metric_counts_distance(m);
}

// Returns whether the metric ignores a component.
static bool is_removed(const struct rdf_metric *m, unsigned component) {
    return (component == m->axis) == (m->kind == RDF_METRIC_PLANE);
}

void rdf_metric_project_cell(const struct rdf_metric *m, struct trj_cell *cell) {
    if (!rdf_metric_projects(m)) return;
    *cell = without_noise(cell);
    for (int k = 0; k < 3; k++) {
        double *h = cell->h[k];
        for (unsigned c = 0; c < 3; c++)
            if (is_removed(m, c)) h[c] = 0;
        if (h[0] == 0 && h[1] == 0 && h[2] == 0) cell->periodic &= ~(1U << k);
    }
}

void rdf_metric_project(const struct rdf_metric *m, struct trj_frame *f) {
    if (!rdf_metric_projects(m)) return;
    rdf_metric_project_cell(m, &f->cell);
    for (unsigned c = 0; c < 3; c++)
        if (is_removed(m, c)) memset(f->x[c], 0, f->atoms * sizeof *f->x[c]);
    f->stored.known = false;
    f->farthest = 0;
}

// ---- densities

void rdf_heights_free(struct rdf_heights *h) {
    free(h->sorted);
    free(h->other);
    *h = (struct rdf_heights){0};
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int sort_heights(double **sorted, size_t *capacity, size_t *count, const struct trj_group *g,
                        const struct trj_frame *f, unsigned axis, struct trj_error *err) {
    *count = 0;
    if (trj_grow(sorted, capacity, g->count, sizeof **sorted, "heights", err)) return -1;
    for (size_t i = 0; i < g->count; i++)
        if (trj_group_has(g, f, i)) (*sorted)[(*count)++] = (double)f->x[axis][g->atoms[i]] * f->unit;
    qsort(*sorted, *count, sizeof **sorted, compare);
    return 0;
}

// Returns the number of pairs (i, j) with |(to[j] - from[i]) + shift| < window by the rule. For ascending i, the first
// and the last j ascend, because rounding is monotone.
static double pairs_within(const double *from, size_t from_count, const double *to, size_t to_count, double shift,
                           double window) {
    double pairs = 0, window2 = window * window;
    size_t first = 0, end = 0; // the first j within the window or above it; the first j above it
    for (size_t i = 0; i < from_count; i++) {
        for (; first < to_count; first++) {
            double d = (to[first] - from[i]) + shift;
            if (d >= 0 || d * d < window2) break;
        }
        if (end < first) end = first;
        for (; end < to_count; end++) {
            double d = (to[end] - from[i]) + shift;
            if (d > 0 && !(d * d < window2)) break;
        }
        pairs += (double)(end - first);
    }
    return pairs;
}

// Counts the pairs of two sorted lists within the window, with images along the axis, `period` apart (0: none). Sets
// *own to the number of images of an atom, with itself, that are within the window of the atom, if both lists contain
// it: then the range of n includes them.
static int count_window(double *pairs, double *own, const struct rdf_heights *h, const double *to, size_t to_count,
                        double period, double window, struct trj_error *err) {
    double low = 0, high = 0;
    *pairs = *own = 0;
    if (!h->count || !to_count) return 0;
    if (period > 0) {
        low = ceil((-window - (to[to_count - 1] - h->sorted[0])) / period - 1e-9);
        high = floor((window - (to[0] - h->sorted[h->count - 1])) / period + 1e-9);
        if (!(fabs(low) + fabs(high) <= MAX_IMAGES))
            return trj_fail(
                err, TRJ_BAD_DATA,
                "heights and their window span %.3g cells: at most %d are counted; wrap the coordinates, or "
                "give a smaller --dz",
                fabs(low) + fabs(high), MAX_IMAGES);
    }
    for (int n = (int)low; n <= (int)high; n++) {
        double d = n * period;
        *pairs += pairs_within(h->sorted, h->count, to, to_count, d, window);
        *own += d * d < window * window;
    }
    return 0;
}

// Returns the area that two periodic vectors across the axis span; 0 if there are not two. Sets *along to the last one
// of the other periodic vectors, if there is one.
static double area_of(const struct trj_cell *cell, unsigned axis, const double **along) {
    const double *across[3] = {NULL};
    int n = 0;
    unsigned u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int k = 0; k < 3; k++) {
        if (!is_periodic(cell, k)) continue;
        if (is_across(cell->h[k], axis))
            across[n++] = cell->h[k];
        else
            *along = cell->h[k];
    }
    return n == 2 ? fabs(across[0][u] * across[1][v] - across[0][v] * across[1][u]) : 0;
}

bool rdf_metric_takes_uniform(const struct rdf_metric *m, const struct trj_cell *cell) {
    const struct trj_cell clean = without_noise(cell);
    return m->kind == RDF_METRIC_PLANE && isfinite(m->window) && cell->periodic == TRJ_PERIODIC_ALL &&
           !(area_of(&clean, m->axis, &(const double *){NULL}) > 0);
}

int rdf_metric_density(double *density, const struct rdf_metric *m, const struct trj_group *a,
                       const struct trj_group *b, double pairs, const struct trj_frame *f, struct rdf_heights *h,
                       bool *defined, struct trj_error *err) {
    const struct trj_cell cell = without_noise(&f->cell);
    const double *along = NULL, area = area_of(&cell, m->axis, &along);
    *density = 0;
    if (m->kind == RDF_METRIC_AXIS) {
        *defined = along;
        if (along) *density = pairs / fabs(along[m->axis]);
        return 0;
    }
    if (!(area > 0)) {
        *defined = rdf_metric_takes_uniform(m, &f->cell);
        if (*defined) *density = pairs * (2 * m->window / trj_cell_volume(&cell));
        return 0;
    }
    *defined = true;
    double within = pairs, own = 0, common;
    if (isfinite(m->window)) {
        const bool self = a == b;
        if (sort_heights(&h->sorted, &h->capacity, &h->count, a, f, m->axis, err) ||
            (!self && sort_heights(&h->other, &h->other_capacity, &h->other_count, b, f, m->axis, err)) ||
            count_window(&within, &own, h, self ? h->sorted : h->other, self ? h->count : h->other_count,
                         along ? fabs(along[m->axis]) : 0, m->window, err))
            return -1;
        common = (double)(self ? h->count : trj_group_overlap(a, b, f));
        within -= own * common;
        if (self) within /= 2;
    }
    *density = within / area;
    return 0;
}
