// SPDX-License-Identifier: MIT
#include "derive.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

#define PI 3.14159265358979323846

static double cube(double x) {
    return x * x * x;
}

// (sin x - x cos x) / x^3, by its series where the difference would lose digits.
static double bessel(double x) {
    if (fabs(x) > 0.5) return (sin(x) - x * cos(x)) / cube(x);
    double y = x * x;
    return (1 - y / 10 * (1 - y / 28 * (1 - y / 54 * (1 - y / 88 * (1 - y / 130))))) / 3;
}

// Integral over [a, b] of cos(kr), without a difference of nearly equal numbers.
static double cosine(double k, double a, double b) {
    double x = k * (b - a) / 2;
    return (b - a) * cos(k * (a + b) / 2) * (fabs(x) > 1e-4 ? sin(x) / x : 1 - x * x / 6);
}

void rdf_transform_kernel(double *kernel, const struct rdf_bins *bins, double q, double alpha) {
    // For q -> 0 the window takes the place of the wave: they enter alike.
    bool windowed = alpha > 0 && q > 1e-6 * alpha;
    double k = windowed || alpha == 0 ? q : alpha, low = rdf_bins_edge(bins, 0), below = cube(low) * bessel(k * low);
    for (uint64_t i = 0; i < bins->count; i++) {
        double high = rdf_bins_edge(bins, i + 1);
        if (windowed) {
            kernel[i] = 2 * PI / (q * alpha) * (cosine(q - alpha, low, high) - cosine(q + alpha, low, high));
        } else {
            double above = cube(high) * bessel(k * high);
            kernel[i] = 4 * PI * (above - below);
            below = above;
        }
        low = high;
    }
}

void rdf_debye_kernel(double *kernel, const struct rdf_bins *bins, double q) {
    rdf_transform_kernel(kernel, bins, q, 0);
    for (uint64_t i = 0; i < bins->count; i++) {
        double low = rdf_bins_edge(bins, i), high = rdf_bins_edge(bins, i + 1);
        kernel[i] /= 4.0 / 3.0 * PI * (high - low) * (high * high + high * low + low * low);
    }
}

void rdf_kirkwood_buff(double *running, double *finite, double *extrapolated, const struct rdf_bins *bins,
                       const double *g) {
    double m2 = 0, m3 = 0, m5 = 0; // integrals of 4 pi r^p (g - 1)
    for (uint64_t i = 0; i < bins->count; i++) {
        double low = rdf_bins_edge(bins, i), high = rdf_bins_edge(bins, i + 1), h = 4 * PI * (g[i] - 1);
        m2 += h * (cube(high) - cube(low)) / 3;
        m3 += h * (high * cube(high) - low * cube(low)) / 4;
        m5 += h * (cube(high * high) - cube(low * low)) / 6;
        running[i] = m2;
        finite[i] = m2 - 1.5 * m3 / high + 0.5 * m5 / cube(high);
        extrapolated[i] = m2 - m5 / cube(high);
    }
}

int rdf_closed_system(double *corrected, const struct rdf_bins *bins, const double *g, const double *n, double others,
                      double volume, struct trj_error *err) {
    if (!(4.0 / 3.0 * PI * cube(bins->rmax) < volume))
        return trj_fail(err, TRJ_USAGE, "a sphere of rmax, %g Angstrom, is larger than the volume, %g Angstrom^3",
                        bins->rmax, volume);
    for (uint64_t i = 0; i < bins->count; i++) {
        double r = (rdf_bins_edge(bins, i) + rdf_bins_edge(bins, i + 1)) / 2, v = 4.0 / 3.0 * PI * cube(r);
        double within = ((i ? n[i - 1] : 0) + n[i]) / 2;
        if (!(within < others))
            return trj_fail(err, TRJ_BAD_DATA, "all atoms are within %g Angstrom: nothing is left outside", r);
        corrected[i] = g[i] * others * (1 - v / volume) / (others - within);
    }
    return 0;
}

void rdf_mean_force(double *w, size_t bins, const double *g, double temperature) {
    for (size_t i = 0; i < bins; i++) w[i] = g[i] > 0 ? -RDF_GAS_CONSTANT * temperature * log(g[i]) : INFINITY;
}

void rdf_pair_entropy(double *s2, const struct rdf_bins *bins, const double *g, double density) {
    double sum = 0;
    for (uint64_t i = 0; i < bins->count; i++) {
        double low = rdf_bins_edge(bins, i), high = rdf_bins_edge(bins, i + 1);
        sum += (g[i] > 0 ? g[i] * log(g[i]) - g[i] + 1 : 1) * (cube(high) - cube(low)) / 3;
        s2[i] = -2 * PI * density * sum;
    }
}

// A parabola through the bins [at - half, at + half], in steps of bins from `at`: value + slope x + bend x^2.
struct parabola {
    size_t half; // 0: g itself
    double value, slope, bend, error;
};

// Least squares in polynomials that are orthogonal over the bins: 1, x, x^2 - m(m+1)/3.
static struct parabola fit(const double *g, const double *noise, size_t at, size_t half, double *chi2) {
    double m = (double)half, points = 2 * m + 1, middle = m * (m + 1) / 3, second = points * middle;
    double third = second * (4 * m * m + 4 * m - 3) / 15, sum = 0, first = 0, curve = 0, variance = 0;
    const double *p = g + at, *s = noise + at;
    long n = (long)half;
    for (long i = -n; i <= n; i++) {
        double x = (double)i, y = x * x - middle, c = 1 / points - middle * y / third;
        sum += p[i];
        first += x * p[i];
        curve += y * p[i];
        variance += c * c * s[i] * s[i];
    }
    struct parabola f = {half, 0, first / second, curve / third, sqrt(variance)};
    f.value = sum / points - f.bend * middle;
    *chi2 = 0;
    for (long i = -n; i <= n; i++) {
        double x = (double)i, d = (p[i] - (f.value + f.slope * x + f.bend * x * x)) / s[i];
        *chi2 += d * d / (points - 3);
    }
    return f;
}

static struct parabola smooth(const double *g, const double *noise, size_t at, size_t bins, size_t reach) {
    size_t half = reach < at ? reach : at;
    double chi2;
    for (half = half < bins - 1 - at ? half : bins - 1 - at; half >= 2; half /= 2) {
        struct parabola f = fit(g, noise, at, half, &chi2);
        if (chi2 <= 2 && f.value >= 0) return f;
    }
    return (struct parabola){.value = g[at], .error = noise[at]};
}

static void place(double *r, double *height, const struct rdf_bins *bins, const struct parabola *f, size_t at,
                  int sign) {
    double width = (bins->rmax - bins->rmin) / (double)bins->count, x = 0;
    size_t last = at;
    if (f[at].half && sign * f[at].bend < 0 && fabs(f[at].slope / (2 * f[at].bend)) <= (double)f[at].half)
        x = -f[at].slope / (2 * f[at].bend);
    else
        while (last + 1 < bins->count && f[last + 1].value == f[at].value) last++;
    *r = bins->rmin + ((double)(at + last + 1) / 2 + x) * width;
    *height = f[at].value + x * (f[at].slope + x * f[at].bend);
}

// n at r, with atoms evenly in the shell of the bin.
static double neighbours(const struct rdf_bins *bins, const double *n, double r) {
    size_t k = 0;
    while (k + 1 < bins->count && rdf_bins_edge(bins, k + 1) <= r) k++;
    double low = rdf_bins_edge(bins, k), high = rdf_bins_edge(bins, k + 1), before = k ? n[k - 1] : 0;
    return before + (n[k] - before) * (cube(r) - cube(low)) / (cube(high) - cube(low));
}

// The extreme of the kind `sign` (1: maximum) that is told from noise first, from `from` on; bins->count where there is none.
static size_t extreme(const struct parabola *f, size_t from, size_t bins, int sign) {
    enum { TOLD = 5 };
    size_t best = from;
    for (size_t k = from; k < bins; k++) {
        double fall = sign * (f[best].value - f[k].value);
        if (fall < 0) best = k;
        if (fall > TOLD * hypot(f[best].error, f[k].error)) return best;
    }
    return bins;
}

int rdf_shells(struct rdf_shell *shells, size_t count, const struct rdf_bins *bins, const double *g,
               const double *noise, const double *n, double reach, struct trj_error *err) {
    double width = (bins->rmax - bins->rmin) / (double)bins->count;
    size_t half = (size_t)fmin(reach / width, (double)bins->count), at = 0;
    struct parabola *f = trj_alloc(bins->count, sizeof *f, "a smooth curve", err);
    int rc = f ? 0 : -1;
    for (size_t k = 0; !rc && k < bins->count; k++) f[k] = smooth(g, noise, k, bins->count, half);
    for (size_t i = 0; !rc && i < 2 * count; i++) {
        struct rdf_shell *s = &shells[i / 2];
        int sign = i % 2 ? -1 : 1;
        double from = bins->rmin + width * (double)at;
        at = extreme(f, at, bins->count, sign);
        if (at == bins->count)
            rc = trj_fail(err, TRJ_BAD_DATA,
                          "no %s of shell %zu stands out of the noise between %g Angstrom and rmax, %g Angstrom",
                          sign > 0 ? "maximum" : "minimum", i / 2 + 1, from, bins->rmax);
        else if (sign > 0)
            place(&s->r_max, &s->g_max, bins, f, at, sign);
        else
            place(&s->r_min, &s->g_min, bins, f, at, sign);
        if (!rc && sign < 0) s->n = neighbours(bins, n, s->r_min);
    }
    free(f);
    return rc;
}
