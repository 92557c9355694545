// SPDX-License-Identifier: MIT
// Integrates the overlap of a box with itself piecewise between its kinks, because one rule over all would converge
// slowly.
#include "shell.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

// A difference of cubes would lose digits if there are many bins.
double rdf_shell_full(double low, double high) {
    return 4.0 / 3.0 * PI * (high - low) * (high * high + high * low + low * low);
}

double rdf_shell_ring(double low, double high) {
    return PI * (high - low) * (high + low);
}

double rdf_shell_slab(double low, double high, double h) {
    double in = fmin(high, h), from = fmax(low, h), s = 0;
    if (low < h) s = rdf_shell_full(low, in) - PI / (2 * h) * (in - low) * (in + low) * (in * in + low * low);
    return high > h ? s + h * rdf_shell_ring(from, high) : s;
}

double rdf_shell_sphere(double low, double high, double radius) {
    double x = low / radius, y = fmin(high / radius, 2), d = y - x, square = y * y + y * x + x * x;
    if (!(d > 0)) return 0;
    return 4.0 / 3.0 * PI * radius * radius * radius *
           (d * square - 9.0 / 16.0 * d * (y + x) * (y * y + x * x) + d * square * (y * y * y + x * x * x) / 32);
}

// ---- a box ----

// Computes the Gauss-Legendre rule on [0, 1]: its nodes are the zeros of the Legendre polynomial of degree n, found by
// Newton's method.
static void gauss(struct rdf_shell_rule *rule, int n) {
    for (int i = 0; i < n; i++) {
        double x = cos(PI * (i + 0.75) / (n + 0.5)), slope = 1;
        for (int step = 0; step < 8; step++) {
            double p = 1, before = 0;
            for (int k = 0; k < n; k++) {
                double next = ((2 * k + 1) * x * p - k * before) / (k + 1);
                before = p;
                p = next;
            }
            slope = n * (before - x * p) / (1 - x * x);
            x -= p / slope;
        }
        rule->node[i] = (1 - x) / 2;
        rule->weight[i] = 1 / ((1 - x * x) * slope * slope);
    }
}

static int ascending(const void *x, const void *y) {
    const double *a = x, *b = y;
    return (*a > *b) - (*a < *b);
}

void rdf_shell_box_open(struct rdf_shell_box *b, const double side[3]) {
    for (int k = 0; k < 3; k++) b->side[k] = side[k];
    qsort(b->side, 3, sizeof *b->side, ascending);
    for (int k = 0; k < 3; k++) {
        b->cut[k] = b->side[k];
        b->cut[3 + k] = hypot(b->side[k], b->side[(k + 1) % 3]);
    }
    b->cut[6] = hypot(hypot(b->side[0], b->side[1]), b->side[2]);
    qsort(b->cut, 7, sizeof *b->cut, ascending);
    gauss(&b->few, RDF_SHELL_FEW);
    gauss(&b->ends, RDF_SHELL_NODES);
    for (int i = 0; i < RDF_SHELL_NODES; i++) { // substitution by sin^2: a square root at either end becomes a sine
        double u = b->ends.node[i];
        b->ends.node[i] = sin(PI / 2 * u) * sin(PI / 2 * u);
        b->ends.weight[i] *= PI / 2 * sin(PI * u);
    }
}

double rdf_shell_box_farthest(const struct rdf_shell_box *b) {
    return b->cut[6];
}

// Q of shell.h, for q^2 < a^2 + b^2. p runs from p0 to p1.
static double quadrant(double a, double b, double q) {
    double cos0 = fmin(a / q, 1), sin1 = fmin(b / q, 1), sin0 = sqrt(1 - cos0 * cos0), cos1 = sqrt(1 - sin1 * sin1),
           angle = cos0 < 1 || sin1 < 1 ? atan2(sin1 * cos0 - cos1 * sin0, cos1 * cos0 + sin1 * sin0) : PI / 2;
    return angle - q / a * (sin1 - sin0) - q / b * (cos0 - cos1) + q * q / (2 * a * b) * (sin1 - sin0) * (sin1 + sin0);
}

// Returns the integral over the directions at radius r, times r^2.
static double density(const struct rdf_shell_box *box, double r) {
    // The polar axis is along the shortest side. If this side is short, the range of angles is small, and the integrand
    // is smooth in it.
    double a = box->side[1], b = box->side[2], c = box->side[0], x = r / a, y = r / b, z = r / c;
    if (r <= c)
        return 8 * r * r *
               (PI / 2 - PI / 4 * (x + y + z) + (x * y + y * z + z * x) / 3 - x * y * z / 8); // no face cuts the sphere
    double sum = 0, from = z > 1 ? acos(c / r) : 0,
           cut[] = {asin(fmin(a / r, 1)), asin(fmin(b / r, 1)), asin(fmin(hypot(a, b) / r, 1))};
    for (int k = 0; k < 3; k++) {
        double width = cut[k] - from;
        if (!(width > 0)) continue;
        for (int i = 0; i < RDF_SHELL_NODES; i++) {
            double t = from + width * box->ends.node[i], s = sin(t);
            sum += width * box->ends.weight[i] * s * (1 - z * cos(t)) * quadrant(a, b, r * s);
        }
        from = cut[k];
    }
    return 8 * r * r * sum;
}

// Integrates between two radii with no cut between them. If the nearest cut is at least FAR times half the interval
// away, each term of the series of the integrand is smaller than the previous one by 2 FAR, and a rule with four nodes
// is exact for the first eight.
static double integrate(const struct rdf_shell_box *b, double low, double high) {
    enum { FAR = 30 };
    double half = (high - low) / 2, distance = INFINITY, sum = 0;
    for (int k = 0; k < 7; k++) distance = fmin(distance, fabs(b->cut[k] - (low + half)));
    bool smooth = high <= b->side[0] || distance > FAR * half;
    const struct rdf_shell_rule *rule = smooth ? &b->few : &b->ends;
    for (int i = 0; i < (smooth ? RDF_SHELL_FEW : RDF_SHELL_NODES); i++)
        sum += rule->weight[i] * density(b, low + 2 * half * rule->node[i]);
    return 2 * half * sum;
}

double rdf_shell_box(const struct rdf_shell_box *b, double low, double high) {
    double sum = 0;
    for (int k = 0; k < 7 && low < high; k++) {
        if (!(low < b->cut[k])) continue;
        double to = fmin(high, b->cut[k]);
        sum += integrate(b, low, to);
        low = to;
    }
    return sum;
}
