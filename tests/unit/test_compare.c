// SPDX-License-Identifier: MIT
// Comparisons of curves: deviations by formula, and p values that are uniform without a difference and small with one.
#include "compare_records.h"
#include "distributions.h"
#include "error_blocks.h"
#include "tap.h"
#include "uniform.h"

enum { BINS = 12, RUNS = 1000 };

// Returns a random number with a nearly normal distribution: the sum of 12 uniform ones.
static double normal(void) {
    double sum = -6;
    for (int i = 0; i < 12; i++) sum += uniform();
    return sum;
}

// Fills blocks with curves whose bins are correlated, and computes their mean and its error.
static void fill(struct curve_compare_blocks *b, double *mean, double *error, double shift) {
    double v[BINS], squares[BINS] = {0};
    memset(mean, 0, BINS * sizeof *mean);
    for (size_t j = 0; j < b->count; j++) {
        double common = normal();
        b->weight[j] = 1;
        for (size_t k = 0; k < BINS; k++) {
            v[k] = 0.7 * common + 0.7 * normal() + (k == 4 ? shift : 0);
            b->value[j * BINS + k] = v[k];
            mean[k] += v[k] / (double)b->count;
        }
    }
    for (size_t j = 0; j < b->count; j++)
        for (size_t k = 0; k < BINS; k++) squares[k] += pow(b->value[j * BINS + k] - mean[k], 2);
    for (size_t k = 0; k < BINS; k++) error[k] = sqrt(squares[k] / (double)(b->count * (b->count - 1)));
}

enum kind { TWO_STREAMS, EXACT_REFERENCE, MEASURED };

// Returns the share of runs with p of at most `level`.
static double share(enum kind kind, size_t blocks, size_t others, double shift, double level) {
    static double va[32 * BINS], vb[32 * BINS], wa[32], wb[32];
    double x[BINS], ya[BINS], yb[BINS], ea[BINS], eb[BINS], noise[BINS];
    size_t below = 0;
    for (size_t k = 0; k < BINS; k++) x[k] = (double)k;
    for (int i = 0; i < RUNS / (shift > 0 ? 10 : 1); i++) {
        struct curve_compare_blocks a = {blocks, BINS, va, wa, true}, b = {others, BINS, vb, wb, true};
        struct curve_comparison c;
        struct trj_error err;
        fill(&a, ya, ea, shift);
        if (kind == TWO_STREAMS) fill(&b, yb, eb, 0);
        for (size_t k = 0; kind != TWO_STREAMS && k < BINS; k++) {
            noise[k] = 0.2;
            yb[k] = kind == MEASURED ? 0.2 * normal() : 0;
        }
        const struct curve_compare_curve curve = {.bins = BINS, .x = x, .y = ya, .error = ea, .blocks = &a},
                                         reference = {BINS,
                                                      x,
                                                      yb,
                                                      kind == TWO_STREAMS ? eb
                                                      : kind == MEASURED  ? noise
                                                                          : NULL,
                                                      kind == TWO_STREAMS ? &b : NULL,
                                                      curve_error_blocks_exact};
        if (curve_compare(&c, &curve, &reference, -1, 100, &err)) return NAN;
        below += c.p <= level;
    }
    return (double)below / (RUNS / (shift > 0 ? 10 : 1));
}

static bool near(double a, double b, double error) {
    if (fabs(a - b) <= error) return true;
    printf("# %.10g, expected %.10g\n", a, b);
    return false;
}

static void test_formulas(void) {
    const double x[] = {0, 1, 2, 3, 4}, y[] = {1, 2, 4, 3, NAN}, e[] = {0.5, 0.5, 1, 1, 1}, rx[] = {0, 2, 3.5},
                 r[] = {1, 3, 6};
    const struct curve_compare_curve curve = {.bins = 5, .x = x, .y = y, .error = e},
                                     reference = {.bins = 3, .x = rx, .y = r};
    struct curve_comparison c;
    struct trj_error err;
    ok(!curve_compare(&c, &curve, &reference, -1, 100, &err) && c.bins == 4 && c.outside == 1 && c.from == 0 &&
           c.to == 3,
       "bins outside the reference are omitted");
    // The reference is 1, 2, 3, 5 at these bins.
    ok(near(c.mae, 0.75, 1e-14) && near(c.rmse, sqrt(5. / 4), 1e-14) && c.max == -2 && c.max_at == 3,
       "mean, root of the mean square, and the largest deviation of a linear interpolation");
    ok(near(c.chi2, 5, 1e-14) && c.dof == 4, "chi2 with the errors of the curve alone");
    ok(near(c.r, sqrt(5. / 39), 1e-14) && near(c.rw, sqrt(5. / (4 + 16 + 9 + 25)), 1e-14), "R and Rw");
    ok(near(c.pearson, 4.5 / sqrt(5 * 8.75), 1e-14), "Pearson's correlation");
    ok(!curve_compare(&c, &curve, &curve, 0, 4, &err) && c.bins == 4 && c.undefined == 1 && c.mae == 0,
       "bins with nan are omitted");
    ok(curve_compare(&c, &curve, &reference, 10, 20, &err) && err.status == TRJ_USAGE && has_text(err.text, "no bin"),
       "a range without bins is rejected");
    const double far[] = {10, 11, 12};
    const struct curve_compare_curve other = {.bins = 3, .x = far, .y = r};
    ok(curve_compare(&c, &curve, &other, -1, 100, &err) && err.status == TRJ_BAD_DATA &&
           has_text(err.text, "no overlap"),
       "curves without overlap are rejected");
    ok(!curve_compare(&c, &other, &other, 0, 100, &err) && isnan(c.p) && isnan(c.chi2) && c.reason,
       "without errors there is no p value, and a reason is given");
}

static void test_distributions(void) {
    // Closed forms of 1, 2 and 4 degrees of freedom.
    ok(near(curve_chi2_tail(3.841458820694124, 1), 0.05, 1e-12) && near(curve_chi2_tail(6, 4), 4 * exp(-3), 1e-13) &&
           near(curve_chi2_tail(2, 4), 2 * exp(-1), 1e-13) && near(curve_chi2_tail(2, 2), exp(-1), 1e-13),
       "the tail of chi2");
    // The 97.5 % points of Student's distribution with 1, 4 and 30 degrees of freedom, and of the normal one.
    ok(near(curve_student_quantile(95, 1), 12.7062047361747, 1e-10) &&
           near(curve_student_quantile(95, 4), 2.7764451051978, 1e-11) &&
           near(curve_student_quantile(95, 30), 2.0422724563012, 1e-11) &&
           near(curve_student_quantile(95, INFINITY), 1.9599639845401, 1e-11) &&
           near(curve_student_tail(curve_student_quantile(99.9, 3.5), 3.5), 0.001, 1e-12),
       "Student's distribution");
    ok(near(curve_f_tail(161.4476387975881, 1, 1), 0.05, 1e-10) && near(curve_f_tail(1, 8, 8), 0.5, 1e-12) &&
           near(curve_f_tail(4, 2, 10), pow(1.8, -5), 1e-12),
       "the tail of F");
}

// Makes blocks from 256 records, each of which contains 0.7 of the deviation of the previous one (a recursive filter).
static int make_blocks(struct curve_compare_blocks *b, double *mean, double *error) {
    static struct rdf_curve curve;
    struct rdf_compare_records r = {.count = 0};
    struct curve_mean m = {.error = NULL};
    struct trj_error err;
    double v[BINS] = {0}, one = 1;
    int rc = curve_mean_open(&m, 1, BINS, &err);
    for (int i = 0; !rc && i < 300; i++) {
        for (size_t k = 0; k < BINS; k++) v[k] = 0.7 * v[k] + normal();
        if (i < 44) continue;
        rc = curve_mean_add(&m, v, &one, &err) || rdf_compare_records_add(&r, v, &one, 1, BINS, &err) ? -1 : 0;
    }
    for (size_t k = 0; !rc && k < BINS; k++) mean[k] = m.sum[k] / m.weight[0];
    if (!rc) rc = curve_mean_error(&curve.error, &m, 0, mean, &err);
    if (!rc) {
        memcpy(error, curve.error.error, BINS * sizeof *error);
        r.normalisation.curves = &curve;
        r.normalisation.hist.setup.pair_count = 1;
        r.normalisation.sums.coarse.bins = BINS;
        rc = rdf_compare_records_blocks(b, &r, 0, &err);
        free(curve.error.error);
    }
    curve_mean_free(&m);
    free(r.weighted);
    free(r.weights);
    return rc;
}

static void test_correlated(void) {
    double x[BINS], ya[BINS], yb[BINS], ea[BINS], eb[BINS];
    enum { SERIES = 300 };
    size_t below = 0, half = 0, none = 0, blocks = 0;
    for (size_t k = 0; k < BINS; k++) x[k] = (double)k;
    for (int i = 0; i < SERIES; i++) {
        struct curve_compare_blocks a = {0}, b = {0};
        struct curve_comparison c = {.p = NAN};
        struct trj_error err;
        if (make_blocks(&a, ya, ea) || make_blocks(&b, yb, eb)) return (void)ok(false, "blocks are made");
        const struct curve_compare_curve curve = {BINS, x, ya, ea, &a, {.bias = 1}},
                                         reference = {BINS, x, yb, eb, &b, {.bias = 1}};
        if (curve_compare(&c, &curve, &reference, -1, 100, &err)) return (void)ok(false, "blocks are compared");
        none += isnan(c.p) ? 1 : 0;
        below += c.p <= 0.1;
        half += c.p <= 0.5;
        blocks = a.count;
        curve_compare_blocks_free(&a);
        curve_compare_blocks_free(&b);
    }
    ok(blocks >= 4 && blocks <= 16 && none < SERIES / 4, "correlated records are joined to blocks, here %zu", blocks);
    double n = (double)(SERIES - none), tenth = (double)below / n, median = (double)half / n;
    ok(fabs(tenth - 0.1) < 0.06, "correlated records, no difference: p <= 0.1 in %g of the runs", tenth);
    ok(fabs(median - 0.5) < 0.12, "correlated records, no difference: p <= 0.5 in %g of the runs", median);
}

// Records of one curve: those of a slow system, whose bins are correlated with each other by `common`.
struct series {
    size_t records;
    double persistence; // share of the deviation of the previous record
    double common;      // 0: bins are independent, 1: all bins are equal
};

// Makes the mean of a series and its error, and passes the statement on its blocks through the comment of a table.
static int make_table(struct curve_compare_curve *c, const struct series *s, double *mean, double *error) {
    struct curve_mean m = {.error = NULL};
    struct curve_mean_error e = {.error = NULL};
    struct trj_error err;
    char comment[CURVE_ERROR_BLOCKS_TEXT];
    double v[BINS + 1] = {0}, values[BINS], one = 1, step = sqrt(1 - s->persistence * s->persistence);
    int rc = curve_mean_open(&m, 1, BINS, &err);
    size_t before = s->persistence > 0 ? 50 : 0;
    for (size_t i = 0; !rc && i < before + s->records; i++) {
        for (size_t k = 0; k <= BINS; k++) v[k] = s->persistence * v[k] + step * normal();
        for (size_t k = 0; k < BINS; k++) values[k] = sqrt(s->common) * v[BINS] + sqrt(1 - s->common) * v[k];
        if (i >= before) rc = curve_mean_add(&m, values, &one, &err);
    }
    for (size_t k = 0; !rc && k < BINS; k++) mean[k] = m.sum[k] / m.weight[0];
    if (!rc) rc = curve_mean_error(&e, &m, 0, mean, &err);
    if (!rc) {
        curve_error_blocks_text(comment, NULL, &e);
        c->error_blocks = curve_error_blocks_read(comment);
        memcpy(error, e.error, BINS * sizeof *error);
    }
    free(e.error);
    curve_mean_free(&m);
    return rc;
}

// Intervals of 95 % contain the true mean, 0, in nearly 95 % of the bins, also with few independent blocks, where 1.96
// standard errors contain it more rarely.
static void test_intervals(void) {
    enum { SERIES = 400 };
    const struct series s = {256, 0.7, 0};
    double within = 0, normal_within = 0, n = 0, mean[BINS], error[BINS];
    for (int i = 0; i < SERIES; i++) {
        struct curve_compare_curve c;
        if (make_table(&c, &s, mean, error)) return (void)ok(false, "a series is made");
        if (c.error_blocks.state != CURVE_BLOCKS_INDEPENDENT) continue;
        double t = curve_student_quantile(95, c.error_blocks.number - 1);
        for (size_t k = 0; k < BINS; k++, n++) {
            within += fabs(mean[k]) < t * error[k];
            normal_within += fabs(mean[k]) < 1.96 * error[k];
        }
    }
    within /= n;
    normal_within /= n;
    ok(within > 0.92 && within < 0.97 && normal_within < within - 0.03,
       "intervals of 95 %% contain the true mean in %.3f of the cases, 1.96 standard errors in %.3f", within,
       normal_within);
}

// Compares pairs of tables of equal systems. *without: the share of pairs that have no p value. Returns the share whose
// p is below 0.05.
static double share_of_tables(const struct series *s, int runs, double *without) {
    double x[BINS], y[2][BINS], e[2][BINS];
    int below = 0, none = 0;
    for (size_t k = 0; k < BINS; k++) x[k] = (double)k;
    for (int i = 0; i < runs; i++) {
        struct curve_compare_curve c[2] = {{.bins = BINS, .x = x, .y = y[0], .error = e[0]},
                                           {.bins = BINS, .x = x, .y = y[1], .error = e[1]}};
        struct curve_comparison result;
        struct trj_error err;
        if (make_table(&c[0], s, y[0], e[0]) || make_table(&c[1], s, y[1], e[1]) ||
            curve_compare(&result, &c[0], &c[1], -1, 100, &err))
            return NAN;
        none += result.test == CURVE_COMPARE_NONE && isnan(result.p) && result.reason;
        below += result.p < 0.05;
    }
    *without = (double)none / runs;
    return (double)below / runs;
}

static void test_tables(void) {
    static const struct series all[] = {{64, 0, 0},      {64, 0, 0.5},  {64, 0, 1},    {256, 0.7, 0},
                                        {256, 0.7, 0.5}, {256, 0.7, 1}, {64, 0.7, 0.5}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        double without, found = share_of_tables(&all[i], 1200, &without);
        ok(found <= 0.07 && (i > 5 || (found > 0.03 && without < 0.1)),
           "tables of %zu records, persistence %g, common %g, no difference: p < 0.05 in %g, none in %g",
           all[i].records, all[i].persistence, all[i].common, found, without);
    }
    double without;
    const struct series slow = {64, 0.95, 0.5}, few = {8, 0.9, 0.5};
    double found = share_of_tables(&slow, 200, &without);
    ok(found <= 0.02 && without > 0.9, "tables of a slow system: no p in %g, p < 0.05 in %g", without, found);
    found = share_of_tables(&few, 200, &without);
    ok(found == 0 && without == 1, "tables of few records: no p");
}

static void test_differences_of_tables(void) {
    const double x[] = {1, 2, 3, 4}, a[] = {1, 2, 3, 1}, b[] = {1, 2.5, 3, 1}, e[] = {0.1, 0.1, 0, 0};
    struct curve_compare_curve one = {4, x, a, e, NULL, {CURVE_BLOCKS_INDEPENDENT, 5, 1}},
                               other = {4, x, b, e, NULL, {CURVE_BLOCKS_INDEPENDENT, 5, 1}};
    struct curve_comparison c;
    struct trj_error err;
    // t = 0.5 / sqrt(0.02) with 8 degrees of freedom in one of two bins; the other one, which is equal, contributes 0.
    double p = curve_student_tail(0.5 / sqrt(0.02), 8), mean = tan((0.5 - p) * acos(-1)) / 2;
    ok(!curve_compare(&c, &one, &other, 0, 9, &err) && c.test == CURVE_COMPARE_CAUCHY && c.dof == 2 &&
           near(c.p, 0.5 - atan(mean) / acos(-1), 1e-12),
       "p of two tables: Student's distribution with the degrees of freedom of both");
    ok(!curve_compare(&c, &one, &one, 0, 9, &err) && c.p == 1, "equal tables: p is 1");
    other.error_blocks = curve_error_blocks_exact;
    p = curve_student_tail(0.5 / sqrt(0.02), 16); // (v + v)^2 / (v^2 / 4)
    mean = tan((0.5 - p) * acos(-1)) / 2;
    ok(!curve_compare(&c, &one, &other, 0, 9, &err) && near(c.p, 0.5 - atan(mean) / acos(-1), 1e-12),
       "p with an exact error: Welch's degrees of freedom");
    static const struct {
        const char *comment, *reason;
    } rejected[] = {
        {"blocks of 4 records, statistical inefficiency 9 records, of too few records; 4 blocks", "too few"},
        {"records, too few to detect correlation; 6 blocks", "too few"},
        {"records, assumed to be independent; 6 blocks", "assumption"},
        {"records, which show no correlation", "does not state"}};
    for (size_t i = 0; i < sizeof rejected / sizeof *rejected; i++) {
        other.error_blocks = curve_error_blocks_read(rejected[i].comment);
        ok(!curve_compare(&c, &one, &other, 0, 9, &err) && isnan(c.p) && has_text(c.reason, rejected[i].reason),
           "no p: %s", rejected[i].comment);
    }
    struct curve_error_blocks read =
        curve_error_blocks_read("blocks of 32 records, statistical inefficiency 5.184 records; 8 independent blocks");
    // s_B = s - (s^2 - 1) / (2 B) of s = 17/3, for a correlation of 0.7 between records
    ok(read.state == CURVE_BLOCKS_INDEPENDENT && read.number == 8 &&
           near(read.bias, sqrt(17. / 3 / (17. / 3 - (289. / 9 - 1) / 64)), 1e-3),
       "a comment on blocks: their number, and the bias of their error");
}

// A constant curve, interpolated or with rounding errors, has no correlation with another one.
static void test_constant(void) {
    const double x[] = {0.1, 0.2, 0.3, 0.4, 0.5}, y[] = {1, 2, 3, 2, 1},
                 third[] = {1. / 3, 1. / 3, 1. / 3, 1. / 3, 1. / 3}, rx[] = {0, 0.13, 0.37, 0.61},
                 flat[] = {0.1, 0.1, 0.1, 0.1}, rounded[] = {0.1, 0.1 + 1e-17, 0.3 - 0.2, 0.1, 0.1};
    const struct curve_compare_curve curve = {.bins = 5, .x = x, .y = y}, own = {.bins = 5, .x = x, .y = third},
                                     reference = {.bins = 4, .x = rx, .y = flat},
                                     sum = {.bins = 5, .x = x, .y = rounded};
    struct curve_comparison c;
    struct trj_error err;
    ok(!curve_compare(&c, &own, &curve, 0, 1, &err) && isnan(c.pearson) &&
           !curve_compare(&c, &curve, &reference, 0, 1, &err) && isnan(c.pearson) &&
           !curve_compare(&c, &curve, &sum, 0, 1, &err) && isnan(c.pearson) &&
           !curve_compare(&c, &curve, &curve, 0, 1, &err) && near(c.pearson, 1, 1e-14),
       "Pearson's correlation of a constant curve is nan");
}

int main(void) {
    static const double levels[] = {0.05, 0.2, 0.5};
    static const char *const names[] = {"two streams", "a reference without errors", "a measured reference"};
    test_formulas();
    test_distributions();
    test_constant();
    test_correlated();
    test_intervals();
    test_tables();
    test_differences_of_tables();
    for (size_t i = 0; i < 3; i++)
        for (enum kind kind = TWO_STREAMS; kind <= MEASURED; kind++) {
            double level = levels[i], noise = 4 * sqrt(level * (1 - level) / RUNS),
                   found = share(kind, kind == TWO_STREAMS ? 6 : 10, 6, 0, level);
            // The distribution of chi2 is approximated.
            if (kind == MEASURED) noise += 0.03;
            ok(fabs(found - level) < noise, "%s, no difference: p <= %g in %g of the runs", names[kind], level, found);
        }
    for (enum kind kind = TWO_STREAMS; kind <= MEASURED; kind++)
        ok(share(kind, 10, 10, 6, 0.01) > 0.9, "%s, a real difference of one bin: p is small", names[kind]);
    double different = share(TWO_STREAMS, 5, 9, 0, 0.05);
    ok(different < 0.08, "curves with different numbers of blocks: p <= 0.05 in %g of the runs", different);
    return done();
}
