// SPDX-License-Identifier: MIT
// Summaries of series of values: analytic series, and the coverage of confidence intervals for correlated values.
#include <math.h>

#include "summary.h"
#include "tap.h"
#include "uniform.h"

static struct trj_error err;

static bool near(double a, double b) {
    return fabs(a - b) <= 1e-12 * (1 + fabs(b));
}

static void test_line(void) {
    struct obs_series s = {.frames = 0};
    struct obs_series_summary to;
    bool good = true;
    for (int i = 0; i < 100; i++) good = good && !obs_series_add(&s, 1e6 + 0.5 * i, &err);
    good = good && !obs_series_add(&s, NAN, &err) && !obs_series_summarise(&s, &to, &err);
    ok(good && to.frames == 100 && to.undefined == 1 && near(to.mean, 1e6 + 24.75) && near(to.drift, 50) &&
           to.min == 1e6 && to.max == 1e6 + 49.5,
       "a straight line: mean, extremes and drift; a value that is not defined is left out");
    obs_series_free(&s);
}

static void test_few(void) {
    struct obs_series s = {.frames = 0};
    struct obs_series_summary to;
    bool good = !obs_series_summarise(&s, &to, &err) && isnan(to.mean);
    good = good && !obs_series_add(&s, 3, &err) && !obs_series_summarise(&s, &to, &err);
    ok(good && to.mean == 3 && isnan(to.error) && isnan(to.drift) && isnan(to.deviation),
       "no frame and one frame: unknown numbers are NaN");
    obs_series_free(&s);
}

static void test_cyclic(void) {
    static const double deviations[] = {-2, 1, 3, -4, 2, 0}; // of 179 degrees; the sum is 0
    struct obs_series cyclic = {.cyclic = true}, line = {.frames = 0};
    struct obs_series_summary to, expected;
    bool good = true;
    for (int i = 0; i < 600; i++) {
        double x = 179 + deviations[i % 6];
        good = good && !obs_series_add(&line, x, &err) && !obs_series_add(&cyclic, x > 180 ? x - 360 : x, &err);
    }
    good = good && !obs_series_add(&cyclic, NAN, &err);
    good = good && !obs_series_summarise(&cyclic, &to, &err) && !obs_series_summarise(&line, &expected, &err);
    ok(good && to.frames == 600 && to.undefined == 1 && near(to.mean, 179) && near(to.max, 182) &&
           near(to.deviation, expected.deviation) && fabs(to.error - expected.error) <= 1e-9 * expected.error,
       "torsions on both sides of 180 degrees: mean, deviation and error of their nearest images");
    obs_series_free(&cyclic);
    obs_series_free(&line);
}

struct coverage {
    double inside, known, few; // shares: of intervals that contain the true mean, of known errors, of warnings
    double inefficiency;       // mean
};

// Of first-order autoregressive series, whose integrated correlation time is (1 + a) / (1 - a) / 2 steps.
static struct coverage cover(double a, int frames, int trials) {
    struct coverage c = {.inside = 0};
    for (int trial = 0; trial < trials; trial++) {
        struct obs_series s = {.frames = 0};
        struct obs_series_summary to;
        double y = 0;
        for (int i = -(int)(10 / (1 - a)); i < frames; i++) {
            double noise = 0; // nearly normal
            for (int k = 0; k < 4; k++) noise += uniform() - 0.5;
            y = a * y + noise;
            if (i >= 0 && obs_series_add(&s, y, &err)) break;
        }
        if (!obs_series_summarise(&s, &to, &err)) {
            c.few += to.few;
            if (!isnan(to.half_width)) {
                c.known++;
                c.inside += fabs(to.mean) <= to.half_width;
                c.inefficiency += to.inefficiency;
            }
        }
        obs_series_free(&s);
    }
    c.inside /= c.known;
    c.inefficiency /= c.known;
    c.known /= trials;
    c.few /= trials;
    return c;
}

// Series with at least 100 effective frames.
static void test_coverage(double a, int frames) {
    const struct coverage c = cover(a, frames, 1000);
    const double expected = (1 + a) / (1 - a);
    ok(c.known > 0.99 && c.few < 0.05 && c.inside > 0.93 && c.inside < 0.97,
       "correlation %g, %d frames: coverage of the interval of 95 %%", a, frames);
    printf("# coverage %.3f, warnings %.3f, inefficiency %.2f, expected %.2f\n", c.inside, c.few, c.inefficiency,
           expected);
    ok(fabs(c.inefficiency / expected - 1) < 0.2, "correlation %g, %d frames: the number of independent frames", a,
       frames);
}

// Fewer effective frames than the rule of blocks can handle: the interval is too small, and a warning states this.
static void test_few_effective(double a, int frames, double least) {
    const struct coverage c = cover(a, frames, 1000);
    ok(c.few > 0.85 && c.inside > least && c.inside < 0.95,
       "correlation %g, %d frames: too few effective frames are detected", a, frames);
    printf("# coverage %.3f of the %.2f that are known, warnings %.3f\n", c.inside, c.known, c.few);
}

static void test_constant(void) {
    struct obs_series s = {.frames = 0};
    struct obs_series_summary to;
    bool good = true;
    for (int i = 0; i < 10; i++) good = good && !obs_series_add(&s, 3, &err);
    good = good && !obs_series_summarise(&s, &to, &err);
    ok(good && to.mean == 3 && to.deviation == 0 && to.min == 3, "a constant series: no deviation");
    obs_series_free(&s);
}

// The error of a quantity such as a volume, which is large and varies little, is that of its variation.
static void test_offset(void) {
    struct obs_series s[2] = {{.frames = 0}, {.frames = 0}};
    struct obs_series_summary to[2];
    bool good = true;
    for (int i = 0; i < 1000; i++) {
        double y = ldexp(floor(1024 * uniform()), -20); // sums with 2^20 are exact
        for (int k = 0; k < 2; k++) good = good && !obs_series_add(&s[k], k ? 0x1p20 + y : y, &err);
    }
    for (int k = 0; k < 2; k++) good = good && !obs_series_summarise(&s[k], &to[k], &err);
    ok(good && to[0].error > 0 && fabs(to[1].error / to[0].error - 1) < 1e-9 &&
           fabs(to[1].half_width / to[0].half_width - 1) < 1e-9,
       "values far from zero: the errors of the same values near zero");
    printf("# errors %g and %g\n", to[0].error, to[1].error);
    for (int k = 0; k < 2; k++) obs_series_free(&s[k]);
}

// Pairs of frames have the same mean, so that longer blocks, which would show a correlation, are never tried.
static void test_alternating(void) {
    struct obs_series s = {.frames = 0};
    struct obs_series_summary to;
    bool good = true;
    for (int i = 0; i < 100; i++) good = good && !obs_series_add(&s, i % 2, &err);
    good = good && !obs_series_summarise(&s, &to, &err);
    ok(good && to.mean == 0.5 && isnan(to.half_width) && to.few, "an alternating series: a warning, and no interval");
    obs_series_free(&s);
}

int main(void) {
    test_line();
    test_few();
    test_cyclic();
    test_constant();
    test_offset();
    test_alternating();
    test_coverage(0, 100);
    test_coverage(0, 4000);
    test_coverage(0.5, 400);
    test_coverage(0.8, 1000);
    test_coverage(0.8, 4000);
    test_coverage(0.9, 2500);
    test_coverage(0.95, 5000);
    test_coverage(0.98, 10000);
    test_few_effective(0.8, 100, 0.87);
    test_few_effective(0.95, 200, 0.8);
    test_few_effective(0.99, 1000, 0.7);
    return done();
}
