// SPDX-License-Identifier: MIT
// Contains the numerics of derived quantities as functions of plain arrays, so that tests need no histogram.
#include "derive.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "units.h"

#define PI 3.14159265358979323846

static double cube(double x) {
    return x * x * x;
}

// Returns (sin x - x cos x) / x^3. For small x the difference would lose digits, so the series is used.
static double bessel(double x) {
    if (fabs(x) > 0.5) return (sin(x) - x * cos(x)) / cube(x);
    double y = x * x;
    return (1 - y / 10 * (1 - y / 28 * (1 - y / 54 * (1 - y / 88 * (1 - y / 130))))) / 3;
}

// sin(x)/x
static double wave(double x) {
    return fabs(x) > 1e-4 ? sin(x) / x : 1 - x * x / 6;
}

double rdf_shell_volume(const struct rdf_bins *bins, uint64_t k) {
    double low = rdf_bins_edge(bins, k), high = rdf_bins_edge(bins, k + 1);
    return 4.0 / 3.0 * PI * (high - low) * (high * high + high * low + low * low);
}

// Over a bin of width w around m, the integral of cos(kr) is w cos(km) sinc(kw/2), and the integral of r sin(qr) is m
// sin(qm) w sinc(qw/2) + cos(qm) 2q (w/2)^3 bessel(qw/2). Thus only the wave at m depends on the bin, and no difference
// of nearly equal numbers occurs. The wave at the next m follows by a rotation. sin and cos are called once per call,
// so that rounding errors of at most `count` rotations add up.
void rdf_transform_kernel(double *kernel, const struct rdf_bins *bins, uint64_t first, uint64_t count, double q,
                          double alpha) {
    bool windowed = alpha > 0 && q > 1e-6 * alpha; // for q -> 0 the window replaces the wave, which has the same form
    double width = (bins->rmax - bins->rmin) / (double)bins->count, half = width / 2;
    double start = bins->rmin + ((double)first + 0.5) * width, k = windowed || alpha == 0 ? q : alpha;
    if (k * bins->rmax < 1e-8) {
        for (uint64_t i = 0; i < count; i++) kernel[i] = rdf_shell_volume(bins, first + i);
        return;
    }
    double s = sin(k * start), c = cos(k * start), turn_s = sin(k * width), turn_c = cos(k * width);
    double of_s = 4 * PI / k * width * wave(k * half), of_c = 8 * PI * cube(half) * bessel(k * half);
    double v_s = sin(alpha * start), v_c = cos(alpha * start), turn_v_s = sin(alpha * width),
           turn_v_c = cos(alpha * width);
    if (windowed) { // cos((q -+ alpha) m) = cos qm cos alpha m +- sin qm sin alpha m
        double less = wave((q - alpha) * half), more = wave((q + alpha) * half);
        of_s = 2 * PI / (q * alpha) * width * (less + more);
        of_c = 2 * PI / (q * alpha) * width * (less - more);
    }
    for (uint64_t i = 0; i < count; i++) {
        if (windowed) {
            double next = v_c * turn_v_c - v_s * turn_v_s;
            kernel[i] = of_s * s * v_s + of_c * c * v_c;
            v_s = v_s * turn_v_c + v_c * turn_v_s;
            v_c = next;
        } else {
            kernel[i] = of_s * (start + (double)i * width) * s + of_c * c;
        }
        double next = c * turn_c - s * turn_s;
        s = s * turn_c + c * turn_s;
        c = next;
    }
}

// Multiplies the kernel by the resolution of an instrument.
static void resolve(double *kernel, const struct rdf_bins *bins, uint64_t first, uint64_t count, double q,
                    const struct rdf_waves *waves) {
    double width = (bins->rmax - bins->rmin) / (double)bins->count, more = waves->broadening * q;
    double half = (waves->damping * waves->damping + more * more) / 2;
    for (uint64_t i = 0; half > 0 && i < count; i++) {
        double r = bins->rmin + ((double)(first + i) + 0.5) * width;
        kernel[i] *= exp(-r * r * half);
    }
}

// Processes a few bins at a time for all q, so that their part of the curves stays in the cache. Sums over different
// curves are independent.
void rdf_transform(double *to, const double *y, size_t curves, const struct rdf_bins *bins,
                   const struct rdf_waves *waves, double alpha) {
    enum { CHUNK = 128, LANES = 8 };
    double kernel[CHUNK];
    for (uint64_t first = 0; first < bins->count; first += CHUNK) {
        uint64_t count = bins->count - first < CHUNK ? bins->count - first : CHUNK;
        for (size_t row = 0; row < waves->count; row++) {
            double q = waves->min + waves->step * (double)row;
            rdf_transform_kernel(kernel, bins, first, count, q, alpha);
            resolve(kernel, bins, first, count, q, waves);
            for (size_t lane = 0; lane < curves; lane += LANES) {
                size_t lanes = curves - lane < LANES ? curves - lane : LANES;
                const double *from = y + first * curves + lane;
                double sum[LANES] = {0};
                if (lanes == LANES)
                    for (uint64_t k = 0; k < count; k++, from += curves)
                        for (size_t i = 0; i < LANES; i++) sum[i] += kernel[k] * from[i];
                else
                    for (uint64_t k = 0; k < count; k++, from += curves)
                        for (size_t i = 0; i < lanes; i++) sum[i] += kernel[k] * from[i];
                for (size_t i = 0; i < lanes; i++) to[row * curves + lane + i] += sum[i];
            }
        }
        if (waves->progress) waves->progress("bins", first + count, bins->count);
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
        return trj_fail(err, TRJ_USAGE,
                        "a sphere of rmax, %g Angstrom, is larger than the volume, %g Angstrom^3; count up to a "
                        "smaller rmax (rdfhist -r)",
                        bins->rmax, volume);
    for (uint64_t i = 0; i < bins->count; i++) {
        double r = (rdf_bins_edge(bins, i) + rdf_bins_edge(bins, i + 1)) / 2, v = 4.0 / 3.0 * PI * cube(r);
        double within = ((i ? n[i - 1] : 0) + n[i]) / 2;
        if (!(within < others))
            return trj_fail(err, TRJ_BAD_DATA,
                            "all atoms are within %g Angstrom, and none outside; count up to a smaller rmax "
                            "(rdfhist -r)",
                            r);
        corrected[i] = g[i] * others * (1 - v / volume) / (others - within);
    }
    return 0;
}

void rdf_mean_force(double *w, size_t bins, const double *g, double temperature) {
    for (size_t i = 0; i < bins; i++) w[i] = g[i] > 0 ? -TRJ_GAS_CONSTANT * temperature * log(g[i]) : INFINITY;
}

void rdf_pair_entropy(double *s2, const struct rdf_bins *bins, const double *g, double density) {
    double sum = 0;
    for (uint64_t i = 0; i < bins->count; i++) {
        double low = rdf_bins_edge(bins, i), high = rdf_bins_edge(bins, i + 1);
        sum += (g[i] > 0 ? g[i] * log(g[i]) - g[i] + 1 : 1) * (cube(high) - cube(low)) / 3;
        s2[i] = -2 * PI * density * sum;
    }
}

// A parabola fitted to the bins [position - half, position + half]: value + slope x + bend x^2, x in bins from there.
struct parabola {
    size_t half; // 0 at the ends, where no parabola is fitted
    double value, slope, bend;
};

// Least squares with polynomials that are orthogonal over the bins: 1, x, x^2 - m(m+1)/3. m >= 1.
struct basis {
    long m;
    double points, middle, second, third; // sum of 1, m(m+1)/3, sums of x^2 and of the square of the last polynomial
};

static struct basis basis_of(size_t half) {
    double m = (double)half, points = 2 * m + 1, middle = m * (m + 1) / 3;
    return (struct basis){(long)half, points, middle, points * middle, points * middle * (4 * m * m + 4 * m - 3) / 15};
}

static struct parabola fit(const double *g, size_t position, size_t half) {
    struct basis b = basis_of(half);
    double sum = 0, first = 0, curve = 0;
    for (long i = -b.m; i <= b.m; i++) {
        double x = (double)i, y = g[(long)position + i];
        sum += y;
        first += x * y;
        curve += (x * x - b.middle) * y;
    }
    double bend = curve / b.third;
    return (struct parabola){half, sum / b.points - bend * b.middle, first / b.second, bend};
}

// Returns whether the fit agrees with the noise: noise exceeds the limit of chi^2 in one of 160 cases (2.5 standard
// deviations of its cube root: E. B. Wilson, M. M. Hilferty, Proc. Natl. Acad. Sci. 17, 684 (1931)). Sets *error to the
// error of the value in the middle. It contains the noise and the excess of chi^2, because a parabola over many bins
// can be wrong by more than the noise of its value while chi^2 is still accepted.
static bool fits(const struct parabola *f, const double *g, const double *noise, size_t position, double *error) {
    struct basis b = basis_of(f->half);
    double chi2 = 0, variance = 0, mean = 0, freedom = b.points - 3;
    for (long i = -b.m; i <= b.m; i++) {
        double x = (double)i, s = noise[(long)position + i], c = 1 / b.points - b.middle * (x * x - b.middle) / b.third;
        double off = (g[(long)position + i] - (f->value + f->slope * x + f->bend * x * x)) / s;
        chi2 += off * off / freedom;
        variance += c * c * s * s;
        mean += s * s / b.points;
    }
    *error = sqrt(variance + fmax(chi2 - 1, 0) * mean);
    return chi2 <= cube(1 - 2 / (9 * freedom) + 2.5 * sqrt(2 / (9 * freedom)));
}

static struct parabola smooth(const double *g, const double *noise, size_t position, size_t bins, size_t reach,
                              double *error) {
    size_t half = position < bins - 1 - position ? position : bins - 1 - position;
    if (reach < half) half = reach;
    for (; half >= 2; half -= (half + 3) / 4) {
        struct parabola f = fit(g, position, half);
        if (fits(&f, g, noise, position, error) && f.value >= 0) return f;
    }
    *error = noise[position]; // a parabola fits three points exactly
    struct parabola f = position > 0 && position < bins - 1 ? fit(g, position, 1) : (struct parabola){0};
    f.value = g[position]; // without the rounding error of the fit
    return f;
}

// Finds the vertex of a maximum (sign 1) or minimum (-1). Returns false if it is not within the bins of the fit. Of
// three points the middle one must be the highest or lowest, because the parabola next to a single high bin has a
// vertex, too, while g has none.
static bool vertex(double *x, const struct parabola *f, int sign) {
    *x = f->half && sign * f->bend < 0 ? -f->slope / (2 * f->bend) : INFINITY;
    return fabs(*x) <= (f->half > 1 ? (double)f->half : 0.499);
}

static double height(const struct parabola *f, double x) {
    return f->value + x * (f->slope + x * f->bend);
}

static void place(struct rdf_extreme *e, const struct rdf_bins *bins, double position, double g) {
    e->r = bins->rmin + (position + 0.5) * (bins->rmax - bins->rmin) / (double)bins->count;
    e->g = fmax(g, 0);
}

// Finds the extreme next to e->bin, with parabolas over e->half bins on either side. Of two neighbouring bins, one has
// the vertex of its parabola after its middle and the other before it; the extreme is where a line through both offsets
// is 0. It moves smoothly with the curve, also from bin to bin. Returns false if there is none.
static bool balance(struct rdf_extreme *e, const struct rdf_bins *bins, const double *g, int sign) {
    size_t position = e->bin;
    for (size_t steps = 0; steps < 2 * e->half + 2; steps++) {
        double x, next;
        if (position < e->half || position + e->half + 1 >= bins->count) return false;
        struct parabola here = fit(g, position, e->half), there = fit(g, position + 1, e->half);
        if (!vertex(&x, &here, sign) || !vertex(&next, &there, sign)) return false;
        if (x >= 0 && next <= 0) {
            double share = x - next > 0 ? x / (x - next) : 0;
            e->bin = position;
            place(e, bins, (double)position + share, (1 - share) * height(&here, x) + share * height(&there, next));
            return true;
        }
        position = x < 0 ? position - 1 : position + 1;
    }
    return false;
}

// Returns the median number of bins of the parabolas around a bin, so that an accidental value of one bin has no
// effect.
static size_t common_half(const struct parabola *f, size_t bins, size_t position) {
    enum { MAX = 101 };
    size_t near = f[position].half > 5 ? f[position].half / 2 : 2, count = 0, half[MAX] = {0};
    if (near > MAX / 2) near = MAX / 2;
    for (size_t k = position < near ? 0 : position - near; k <= position + near && k < bins; k++) {
        size_t i = count++;
        for (; i > 0 && half[i - 1] > f[k].half; i--) half[i] = half[i - 1];
        half[i] = f[k].half;
    }
    return half[count / 2];
}

// Moves from bin `position` to the bin that contains the vertex of its own parabola, and then to the place that
// balance() finds.
static struct rdf_extreme locate(const struct rdf_bins *bins, const double *g, const struct parabola *f,
                                 size_t position, int sign) {
    struct rdf_extreme e = {.bin = position};
    double x, next;
    if (!vertex(&x, &f[position], sign)) {
        for (e.flat = 1; position + e.flat < bins->count && f[position + e.flat].value == f[position].value;) e.flat++;
        place(&e, bins, (double)position + (double)(e.flat - 1) / 2, f[position].value);
        return e;
    }
    for (int steps = 0; steps < 20 && fabs(x) > 0.5; steps++) {
        size_t to = (size_t)((double)e.bin + nearbyint(x));
        if (!vertex(&next, &f[to], sign)) break;
        e.bin = to;
        x = next;
    }
    e.half = common_half(f, bins->count, e.bin);
    if (e.half && balance(&e, bins, g, sign)) return e;
    e.half = f[e.bin].half;
    place(&e, bins, (double)e.bin + x, height(&f[e.bin], x));
    return e;
}

// Returns n at r, with atoms distributed evenly in the shell of the bin.
static double neighbours(const struct rdf_bins *bins, const double *n, double r) {
    size_t k = 0;
    while (k + 1 < bins->count && rdf_bins_edge(bins, k + 1) <= r) k++;
    double low = rdf_bins_edge(bins, k), high = rdf_bins_edge(bins, k + 1), before = k ? n[k - 1] : 0;
    return before + (n[k] - before) * (cube(r) - cube(low)) / (cube(high) - cube(low));
}

// Returns whether an extreme at a bin is more than a step: there is a vertex, a flat stretch, or the curve is 0. Steps
// occur on slopes, where parabolas over different numbers of bins meet.
static bool is_extreme(const struct parabola *f, size_t position, int sign) {
    double x;
    return vertex(&x, &f[position], sign) || f[position].value == f[position + 1].value || f[position].value == 0;
}

// Returns the bin of the first significant extreme (sign 1: maximum, -1: minimum) from `from` on; `bins` if there is
// none.
static size_t extreme(const struct parabola *f, const double *error, size_t from, size_t bins, int sign) {
    enum { SIGNIFICANT = 5 }; // standard errors
    size_t best = from;
    for (size_t k = from + 1; k < bins; k++) {
        double fall = sign * (f[best].value - f[k].value);
        if (fall < 0 || (fall == 0 && !is_extreme(f, best, sign))) best = k;
        if (fall > SIGNIFICANT * hypot(error[best], error[k]) && is_extreme(f, best, sign)) return best;
    }
    return bins;
}

static int find(struct rdf_shell *shells, size_t count, const struct rdf_bins *bins, const double *g,
                const struct parabola *f, const double *error, const double *n, struct trj_error *err) {
    static const struct rdf_extreme none = {.r = NAN, .g = NAN};
    size_t position = 0;
    for (size_t i = 0; i < count; i++) shells[i] = (struct rdf_shell){.max = none, .min = none, .n = NAN};
    for (size_t i = 0; i < 2 * count; i++) {
        struct rdf_shell *s = &shells[i / 2];
        int sign = i % 2 ? -1 : 1;
        size_t next = extreme(f, error, position, bins->count, sign);
        if (next == bins->count)
            return trj_fail(err, TRJ_BAD_DATA,
                            "no significant %s of shell %zu between %g Angstrom and rmax, %g Angstrom",
                            sign > 0 ? "maximum" : "minimum", i / 2 + 1, rdf_bins_edge(bins, position), bins->rmax);
        position = next;
        *(sign > 0 ? &s->max : &s->min) = locate(bins, g, f, position, sign);
        if (sign < 0) s->n = neighbours(bins, n, s->min.r);
    }
    return 0;
}

int rdf_shells(struct rdf_shell *shells, size_t count, const struct rdf_bins *bins, const double *g,
               const double *noise, const double *n, double reach, struct trj_error *err) {
    double width = (bins->rmax - bins->rmin) / (double)bins->count;
    size_t half = (size_t)fmin(reach / width, (double)bins->count);
    struct parabola *f = trj_alloc(bins->count, sizeof *f, "a smooth curve", err);
    double *error = f ? trj_alloc(bins->count, sizeof *error, "a smooth curve", err) : NULL;
    int rc = -1;
    if (error) {
        for (size_t k = 0; k < bins->count; k++) f[k] = smooth(g, noise, k, bins->count, half, &error[k]);
        rc = find(shells, count, bins, g, f, error, n, err);
    }
    free(error);
    free(f);
    return rc;
}

static void follow(struct rdf_extreme *e, const struct rdf_bins *bins, const double *g, int sign) {
    double x;
    if (isnan(e->r)) return;
    if (e->flat) { // keeps its place
        e->g = g[e->bin];
        return;
    }
    if (balance(e, bins, g, sign)) return;
    struct parabola f = fit(g, e->bin, e->half);
    double ends = (double)e->half; // an extreme outside of the bins of the fit is put at their end
    x = sign * f.bend < 0 ? fmin(fmax(-f.slope / (2 * f.bend), -ends), ends) : copysign(ends, sign * f.slope);
    place(e, bins, (double)e->bin + x, height(&f, x));
}

void rdf_shells_follow(struct rdf_shell *shells, size_t count, const struct rdf_bins *bins, const double *g,
                       const double *n) {
    for (size_t i = 0; i < count; i++) {
        follow(&shells[i].max, bins, g, 1);
        follow(&shells[i].min, bins, g, -1);
        shells[i].n = neighbours(bins, n, shells[i].min.r);
    }
}
