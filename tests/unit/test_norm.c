// SPDX-License-Identifier: MIT
// Normalisation of records: rebinned curves, and standard errors of series with known errors.
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "norm_curve.h"
#include "tap.h"
#include "uniform.h"

enum { BINS = 64, MAX = 4096 };

static struct trj_error err;
static struct rdf_hist_group group = {.name = (char[]){"A"}, .atoms = 100};
static struct rdf_pair pair = {0, 0, 4950};
static struct rdf_setup setup = {
    .bins = {0, 16, BINS}, .group_count = 1, .pair_count = 1, .groups = &group, .pairs = &pair};

static struct rdf_record records[MAX];
static uint64_t counts[MAX][BINS];

static double gauss(void) { // G. E. P. Box, M. E. Muller, Ann. Math. Stat. 29, 610 (1958)
    double u = 1 - uniform(), v = uniform();
    return sqrt(-2 * log(u)) * cos(2 * 3.14159265358979323846 * v);
}

// Makes records of `frames` frames, the last one of `last`; each bin is an independent autoregressive series, x' = phi
// x + noise.
static void make(size_t n, double phi, uint64_t frames, uint64_t last) {
    double x[BINS];
    for (int k = 0; k < BINS; k++) x[k] = gauss();
    for (size_t i = 0; i < n; i++) {
        struct trj_frame f = {.cell = {.h = {{40, 0, 0}, {0, 40, 0}, {0, 0, 40}}, .periodic = 7}};
        uint64_t of = i + 1 < n ? frames : last;
        rdf_record_free(&records[i]);
        for (uint64_t k = 0; k < of; k++, f.index++)
            if (rdf_record_add_frame(&records[i], &f, &err)) abort();
        records[i].counts = counts[i];
        for (int k = 0; k < BINS; k++) {
            counts[i][k] = (uint64_t)llround((double)of * (100000 + 1000 * x[k] / sqrt((double)of)));
            x[k] = phi * x[k] + sqrt(1 - phi * phi) * gauss();
        }
    }
}

static void free_records(size_t n) {
    for (size_t i = 0; i < n; i++) {
        records[i].counts = NULL;
        rdf_record_free(&records[i]);
    }
}

static struct rdf_curve curve_of(size_t n, const char *way) {
    struct rdf_sums s = {.norm = "density", .mean.error = way};
    struct rdf_hist h = {.setup = setup, .record_count = n, .records = records};
    struct rdf_curve c;
    for (size_t i = 0; i < n; i++)
        if (rdf_sums_take(&s, &setup, &records[i], &err)) abort();
    if (rdf_norm_curve(&c, &h, &s, 0, &err)) abort();
    rdf_sums_free(&s);
    return c;
}

// The standard error of g in bin k, computed directly in blocks of `block` records with frames as weights.
static double direct(size_t n, size_t block, int k, const struct rdf_curve *c) {
    double all = 0, sum = 0, square = 0, share = 0, scale = 0;
    for (size_t i = 0; i < n; i++) {
        all += (double)records[i].frames;
        sum += (double)counts[i][k];
    }
    scale = c->g[k] / (sum / all);
    for (size_t i = 0; i < n; i += block) {
        double w = 0, x = 0;
        for (size_t j = i; j < n && j < i + block; j++) {
            w += (double)records[j].frames;
            x += (double)counts[j][k];
        }
        double off = scale * x / w - c->g[k];
        square += w / all * (w / all) * off * off;
        share += w / all * (w / all);
    }
    return sqrt(square / (1 - share));
}

static bool near(double a, double b, double relative) {
    return fabs(a - b) <= relative * fabs(b);
}

static double worst(size_t n, size_t block, const struct rdf_curve *c) {
    double max = 0;
    for (int k = 0; k < BINS; k++) max = fmax(max, fabs(c->error.error[k] / direct(n, block, k, c) - 1));
    return max;
}

// The mean over the bins of the squared error, divided by that of M independent records with 1000 of 100000 counts in a
// frame.
static double inefficiency(size_t n, double frames, const struct rdf_curve *c) {
    double sum = 0;
    for (int k = 0; k < BINS; k++) {
        double relative = c->error.error[k] / c->g[k];
        sum += relative * relative / (1e-4 / frames / (double)n);
    }
    return sum / BINS;
}

static void test_errors(void) {
    // Independent records: sqrt(variance / n). The mean over 64 bins of such estimates from 255 differences is known to
    // 1.1%.
    make(256, 0, 1, 1);
    struct rdf_curve c = curve_of(256, "records"), d = curve_of(256, "blocks"), none = curve_of(256, "none");
    ok(worst(256, 1, &c) < 1e-6, "records: the standard error of the mean");
    ok(near(inefficiency(256, 1, &c), 1, 0.05), "records: the error is that of the generator");
    ok(c.error.block == 0 && !none.error.error, "records: no blocks; none: no errors");
    // <s^2> is about 1, so 8^3 is about 512 <s^2>. 16 blocks of 64 bins determine it to 4.6%.
    ok((d.error.block == 8 || d.error.block == 16) && !d.error.too_few && near(d.error.inefficiency, 1, 0.14),
       "blocks: of %llu, s = %.3f", (unsigned long long)d.error.block, d.error.inefficiency);
    ok(worst(256, d.error.block, &d) < 1e-6, "blocks: equal to a direct computation");
    rdf_curve_free(&c);
    rdf_curve_free(&d);
    rdf_curve_free(&none);
    free_records(256);
}

// `auto` uses single records if they are independent, and blocks if they are correlated.
static void test_auto(void) {
    unsigned blocks = 0;
    for (int i = 0; i < 20; i++) { // each series continues the previous one
        make(64, 0, 1, 1);
        struct rdf_curve c = curve_of(64, "auto");
        blocks += c.error.correlated;
        if (!c.error.correlated && !(worst(64, 1, &c) < 1e-6)) blocks = 1000;
        rdf_curve_free(&c);
        free_records(64);
    }
    ok(blocks <= 1, "auto: records without correlation: %u of 20 series have errors over blocks", blocks);
    for (int n = 12; n <= 13; n++) {
        make((size_t)n, 0, 1, 1);
        struct rdf_curve c = curve_of((size_t)n, "auto");
        ok(c.error.tested == (n == 13) && worst((size_t)n, 1, &c) < 1e-6,
           "auto: %d records are %s to detect correlation", n, n == 13 ? "enough" : "too few");
        rdf_curve_free(&c);
        free_records((size_t)n);
    }
    const double phi[] = {0.3, 0.6};
    for (int i = 0; i < 2; i++) {
        double s = (1 + phi[i]) / (1 - phi[i]);
        make(64, phi[i], 1, 1);
        struct rdf_curve c = curve_of(64, "auto"), d = curve_of(64, NULL), b = curve_of(64, "blocks");
        ok(c.error.correlated && c.error.block >= 4 && worst(64, c.error.block, &c) < 1e-6,
           "auto: phi %g: correlation is detected; the error is that of blocks of %llu", phi[i],
           (unsigned long long)c.error.block);
        ok(inefficiency(64, 1, &c) > 0.7 * s, "auto: phi %g: errors of an inefficiency of %.3g, expected %.3g", phi[i],
           inefficiency(64, 1, &c), s);
        ok(!memcmp(c.error.error, d.error.error, BINS * sizeof(double)) &&
               !memcmp(c.error.error, b.error.error, BINS * sizeof(double)),
           "auto is the default, and is `blocks` if correlation is detected");
        rdf_curve_free(&c);
        rdf_curve_free(&d);
        rdf_curve_free(&b);
        free_records(64);
    }
}

// x' = phi x + noise has the inefficiency s = (1 + phi) / (1 - phi). Blocks of B records give it except for about
// s^2/(2B).
static void test_correlated(double phi, size_t n, double tolerance) {
    double s = (1 + phi) / (1 - phi);
    make(n, phi, 1, 1);
    struct rdf_curve c = curve_of(n, "blocks"), d = curve_of(n, "records");
    double min = cbrt(2 * (double)n * s * s);
    ok(!c.error.too_few && (double)c.error.block > 0.7 * min && (double)c.error.block < 3 * min,
       "phi %g: blocks of %llu, at least about %.0f", phi, (unsigned long long)c.error.block, min);
    ok(near(c.error.inefficiency, s, tolerance) && near(inefficiency(n, 1, &c), s, tolerance),
       "phi %g: an inefficiency of %.3g, and errors of one of %.3g, expected %.3g", phi, c.error.inefficiency,
       inefficiency(n, 1, &c), s);
    ok(near(inefficiency(n, 1, &d), 1, 0.2), "phi %g: errors over records do not contain the correlation", phi);
    rdf_curve_free(&c);
    rdf_curve_free(&d);
    free_records(n);
}

// Records of several frames; their number is not divisible by the length of a block.
static void test_uneven(size_t n) {
    make(n, 0.3, 3, 1);
    struct rdf_curve c = curve_of(n, "blocks");
    ok(n % c.error.block && worst(n, c.error.block, &c) < 1e-6,
       "%zu records, the last one shorter, in blocks of %llu: equal to a direct computation", n,
       (unsigned long long)c.error.block);
    rdf_curve_free(&c);
    free_records(n);
}

// Enumerates all M^M draws: the mean of each is that of the frames drawn.
static double all_draws(size_t m, int k) {
    double sum = 0, square = 0, draws = pow((double)m, (double)m);
    for (size_t draw = 0; draw < (size_t)draws; draw++) {
        double x = 0, w = 0;
        for (size_t i = 0, left = draw; i < m; i++, left /= m) {
            x += (double)counts[left % m][k];
            w += (double)records[left % m].frames;
        }
        sum += x / w;
        square += x / w * (x / w);
    }
    return sqrt(square / draws - sum / draws * (sum / draws));
}

static double off_all_draws(size_t m) {
    struct rdf_curve c = curve_of(m, "bootstrap");
    double max = 0, frames = 0;
    for (size_t i = 0; i < m; i++) frames += (double)records[i].frames;
    for (int k = 0; k < BINS; k++) {
        double mean = 0;
        for (size_t i = 0; i < m; i++) mean += (double)counts[i][k] / frames;
        max = fmax(max, fabs(c.error.error[k] / c.g[k] * mean / all_draws(m, k) - 1));
    }
    rdf_curve_free(&c);
    free_records(m);
    return max;
}

static void test_bootstrap(void) {
    for (size_t m = 2; m <= 6; m++) {
        make(m, 0, 3, 3);
        double off = off_all_draws(m);
        ok(off < 1e-5, "bootstrap: equals all draws of %zu records, except for %.1g", m,
           off); // variances as differences of squares
    }
    make(7, 0, 10, 9); // terms of the order of the difference of lengths, over M
    double off = off_all_draws(7);
    ok(off < 0.02, "bootstrap: equals all draws of 7 records, one of them shorter, except for %.1g", off);
}

// For short series, the mean of the squared errors over many series is the variance of the generator.
static void test_unbiased(size_t n, uint64_t frames, uint64_t last) {
    double mean[2] = {0, 0}, bins = 0;
    static const char *const ways[] = {"records", "blocks"};
    for (int series = 0; series < 200; series++) {
        make(n, 0, frames, last);
        double all = 0;
        for (size_t i = 0; i < n; i++) all += (double)records[i].frames;
        for (int way = 0; way < 2; way++) {
            struct rdf_curve c = curve_of(n, ways[way]);
            for (int k = 0; k < BINS; k++) {
                // g = 1 is 100000 counts in a frame; the variance of a frame is 1e-4.
                double relative = c.error.error[k] / c.g[k];
                mean[way] += relative * relative / (1e-4 / all);
            }
            rdf_curve_free(&c);
        }
        bins += BINS;
        free_records(n);
    }
    // 12800 values, each with a relative deviation of at most sqrt(2), as for n = 2.
    for (int way = 0; way < 2; way++)
        ok(near(mean[way] / bins, 1, 0.06), "%s: no bias in %zu records of %d frames, the last of %d: %.3f", ways[way],
           n, (int)frames, (int)last, mean[way] / bins);
}

static void test_few(void) {
    make(6, 0, 1, 1);
    struct rdf_curve c = curve_of(6, "blocks"), one = curve_of(1, "blocks");
    ok(c.error.too_few && c.error.block == 1 && worst(6, 1, &c) < 1e-6, "six records: too few for blocks");
    ok(!one.error.error, "one record: no error");
    // Constant bins have the error 0, and no inefficiency.
    for (int i = 1; i < 6; i++)
        for (int k = 0; k < BINS; k++) counts[i][k] = counts[0][k];
    struct rdf_curve d = curve_of(6, "blocks");
    ok(d.error.inefficiency == 1 && d.error.error[5] <= 1e-7 * d.g[5], "constant bins: the error is 0");
    rdf_curve_free(&c);
    rdf_curve_free(&d);
    rdf_curve_free(&one);
    free_records(6);
}

// Finds the divisors of the counts, and the volume, from the g of a record with one count in each bin.
static void test_droplet(double radius) {
    struct trj_frame f = {.cell = {.periodic = 0}};
    struct rdf_pair whole = {0, 0, BINS}; // all pairs are counted, so none is out of range
    struct rdf_setup s = setup;
    s.pairs = &whole;
    struct rdf_record r = {.counts = counts[0]};
    struct rdf_sums sums = {.norm = "density", .droplet = radius};
    struct rdf_hist h = {.setup = s, .record_count = 1, .records = &r};
    struct rdf_curve c;
    double probability = 0, mean = 0, pi = 3.14159265358979323846, volume = 4 * pi / 3 * radius * radius * radius;
    if (rdf_record_add_frame(&r, &f, &err)) abort();
    for (int k = 0; k < BINS; k++) counts[0][k] = 1;
    if (rdf_sums_take(&sums, &s, &r, &err) || rdf_norm_curve(&c, &h, &sums, 0, &err)) abort();
    for (int k = 0; k < BINS; k++) {
        double share = 1 / (BINS * c.g[k]), middle = (k + 0.5) * 16 / BINS; // of all pairs
        probability += share;
        mean += share * middle;
    }
    ok(near(probability, 1, 1e-12), "droplet: all pairs are within its diameter, %.15g", probability);
    // J. M. Hammersley, Ann. Math. Stat. 21, 447 (1950): 36/35 R. The error of 64 bins of width R/32 is that width
    // squared.
    ok(near(mean, 36.0 / 35 * radius, 1e-3), "droplet: their mean distance is 36/35 R, here %.6g R", mean / radius);
    // Near r = 0 the surface has no effect except a term 9/16 r/R, where the mean of r over the shell is 3/4 of its
    // edge.
    ok(near(c.g[0], volume / BINS / (4 * pi / 3 * 0.25 * 0.25 * 0.25) * (1 + 9.0 / 16 * 0.25 / radius), 1e-3),
       "droplet: the density of a small shell");
    rdf_curve_free(&c);
    rdf_sums_free(&sums);
    r.counts = NULL;
    rdf_record_free(&r);
}

static void rejects(const char *range, uint64_t merge, const char *word) {
    struct rdf_coarse_bins v = {.merge = merge};
    struct rdf_bins b = {0.3, 7.1, 24, {0}};
    ok(((range && rdf_coarse_bins_parse(&v, range, &err)) || rdf_coarse_bins_fit(&v, &b, &err)) &&
           err.status == TRJ_USAGE && has_text(err.text, word),
       "range %s, rebin %d: %s", range ? range : "none", (int)merge, err.text);
}

static void test_coarse_bins(void) {
    struct rdf_bins b = {0.1, 10.3, 8190, {0}};
    struct rdf_coarse_bins v = {.merge = 7};
    char text[64];
    uint64_t *fine = trj_alloc(b.count, sizeof *fine, "counts", &err), coarse[8190];
    bool same = true, sums = true;
    if (!fine) abort();
    for (uint64_t k = 0; k < b.count; k++) fine[k] = k * k;
    // Upper edges as rdfnorm prints them, with ten digits.
    snprintf(text, sizeof text, "%.10g:%.10g", rdf_bins_edge(&b, 700), rdf_bins_edge(&b, 1400));
    ok(!rdf_coarse_bins_parse(&v, text, &err) && !rdf_coarse_bins_fit(&v, &b, &err) && v.first == 700 && v.bins == 100,
       "%s", text);
    uint64_t below = rdf_coarse_bins_counts(&v, fine, coarse), all = 0;
    for (uint64_t k = 0; k < 700; k++) all += k * k;
    for (uint64_t k = 0; k <= 100; k++) same &= rdf_coarse_bins_edge(&v, &b, k) == rdf_bins_edge(&b, 700 + 7 * k);
    for (uint64_t k = 0; k < 100; k++) {
        uint64_t sum = 0;
        for (uint64_t i = 0; i < 7; i++) sum += (700 + 7 * k + i) * (700 + 7 * k + i);
        sums &= coarse[k] == sum;
    }
    ok(same && sums && below == all, "edges are those of the fine bins, and counts their sums");
    struct rdf_coarse_bins plain = {.merge = 0};
    ok(!rdf_coarse_bins_fit(&plain, &b, &err) && plain.bins == b.count &&
           rdf_coarse_bins_edge(&plain, &b, 5) == rdf_bins_edge(&b, 5),
       "no rebinning: all bins are used");
    ok(!rdf_coarse_bins_parse(&v, ":", &err) && !rdf_coarse_bins_fit(&v, &b, &err) && v.bins == 1170,
       "range open at both ends: all bins, in wider ones");
    free(fine);
    rejects(NULL, 5, "4 and 6");
    rejects(NULL, 25, "the range has only 24 bins, fewer than 25; give a smaller number");
    rejects(NULL, 23, "12 and 24");
    rejects("1:2", 1, "not the edge of a bin; the nearest are 0.8666666667 and 1.15");
    rejects("0.29:", 1, "nearest are 0.3 and 0.5833");
    rejects("0:", 1, "outside the histogram; give a range from 0.3 to 7.1");
    rejects(":8", 1, "outside the histogram");
    rejects(":7.2", 1, "not the edge");
    rejects("0.8666667:1.15", 2, "the range has only 1 bins, fewer than 2");
    rejects(":0.3", 1, "no bin");
    rejects("7.1:", 1, "no bin");
    static const char *const words[] = {"",    "1",    "2:1",   "1:1",   "1:2:3", "a:2",
                                        "1:x", " 1:2", "nan:2", "1:inf", "0x1:2"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) rejects(words[i], 1, "LOW:HIGH");
}

// A record without cell spacings (block SPAC), as in older streams, with one that contains them.
static void test_spacing(void) {
    make(3, 0, 2, 2);
    struct rdf_hist h = {.setup = setup, .record_count = 3, .records = records};
    ok(near(rdf_hist_total(&h).spacing_min[2], 40, 1e-15) && near(rdf_hist_total(&h).spacing_max[0], 40, 1e-15),
       "all records contain distances between cell faces: the total contains them");
    for (size_t i = 0; i < 3; i++) {
        struct rdf_record all = records[i];
        memset(records[i].spacing_min, 0, sizeof records[i].spacing_min);
        memset(records[i].spacing_max, 0, sizeof records[i].spacing_max);
        struct rdf_record total = rdf_hist_total(&h);
        ok(total.spacing_min[2] == 0 && total.spacing_max[2] == 0,
           "one record without distances between cell faces: the total has none");
        struct rdf_sums s = {.norm = "plane", .plane = 3};
        struct rdf_curve c;
        for (size_t k = 0; k < 3; k++)
            if (rdf_sums_take(&s, &setup, &records[k], &err)) abort();
        ok(rdf_norm_curve(&c, &h, &s, 0, &err) && err.status == TRJ_BAD_DATA &&
               strstr(err.text, "with an unknown period; set"),
           "unknown period across the plane: %s", err.text);
        rdf_sums_free(&s);
        records[i] = all;
    }
    // Every stream contains the thickness of frames that are periodic along two directions.
    double g[2];
    for (size_t k = 0; k < 2; k++) {
        for (size_t i = 0; i < 3; i++) {
            records[i].periodic_all = records[i].periodic_any = 3;
            records[i].height_min = records[i].height_max = 40;
            if (k) records[i].spacing_min[2] = records[i].spacing_max[2] = 0;
        }
        struct rdf_sums s = {.norm = "plane", .plane = 3};
        struct rdf_curve c;
        for (size_t i = 0; i < 3; i++)
            if (rdf_sums_take(&s, &setup, &records[i], &err)) abort();
        if (rdf_norm_curve(&c, &h, &s, 0, &err)) abort();
        g[k] = c.g[BINS / 2];
        rdf_curve_free(&c);
        rdf_sums_free(&s);
    }
    ok(g[0] == g[1] && g[0] > 0, "plane: the same curve with and without distances between cell faces: %g, %g", g[0],
       g[1]);
    free_records(3);
}

int main(void) {
    test_coarse_bins();
    test_spacing();
    test_errors();
    test_auto();
    test_correlated(0.5, 4096, 0.12);
    test_correlated(0.9, 4096, 0.2);
    test_uneven(259);
    test_uneven(77);
    test_few();
    test_bootstrap();
    test_unbiased(2, 5, 5);
    test_unbiased(2, 30, 1);
    test_unbiased(3, 8, 1);
    test_unbiased(9, 4, 1);
    test_droplet(8);
    return done();
}
