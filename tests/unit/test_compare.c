// SPDX-License-Identifier: MIT
// Comparisons of curves: deviations by formula, and p values that are uniform without a difference and small with one.
#include "compare_records.h"
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
static void fill(struct rdf_compare_blocks *b, double *mean, double *error, double shift) {
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
        struct rdf_compare_blocks a = {blocks, BINS, va, wa, true}, b = {others, BINS, vb, wb, true};
        struct rdf_comparison c;
        struct trj_error err;
        fill(&a, ya, ea, shift);
        if (kind == TWO_STREAMS) fill(&b, yb, eb, 0);
        for (size_t k = 0; kind != TWO_STREAMS && k < BINS; k++) {
            noise[k] = 0.2;
            yb[k] = kind == MEASURED ? 0.2 * normal() : 0;
        }
        const struct rdf_compare_curve curve = {BINS, x, ya, ea, &a}, reference = {BINS, x, yb,
                                                                                   kind == TWO_STREAMS ? eb
                                                                                   : kind == MEASURED  ? noise
                                                                                                       : NULL,
                                                                                   kind == TWO_STREAMS ? &b : NULL};
        if (rdf_compare(&c, &curve, &reference, -1, 100, &err)) return NAN;
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
    const struct rdf_compare_curve curve = {5, x, y, e, NULL}, reference = {3, rx, r, NULL, NULL};
    struct rdf_comparison c;
    struct trj_error err;
    ok(!rdf_compare(&c, &curve, &reference, -1, 100, &err) && c.bins == 4 && c.outside == 1 && c.from == 0 && c.to == 3,
       "bins outside the reference are omitted");
    // The reference is 1, 2, 3, 5 at these bins.
    ok(near(c.mae, 0.75, 1e-14) && near(c.rmse, sqrt(5. / 4), 1e-14) && c.max == -2 && c.max_at == 3,
       "mean, root of the mean square, and the largest deviation of a linear interpolation");
    ok(near(c.chi2, 5, 1e-14) && c.dof == 4, "chi2 with the errors of the curve alone");
    ok(near(c.r, sqrt(5. / 39), 1e-14) && near(c.rw, sqrt(5. / (4 + 16 + 9 + 25)), 1e-14), "R and Rw");
    ok(near(c.pearson, 4.5 / sqrt(5 * 8.75), 1e-14), "Pearson's correlation");
    ok(!rdf_compare(&c, &curve, &curve, 0, 4, &err) && c.bins == 4 && c.undefined == 1 && c.mae == 0,
       "bins with nan are omitted");
    ok(rdf_compare(&c, &curve, &reference, 10, 20, &err) && err.status == TRJ_USAGE && has_text(err.text, "no bin"),
       "a range without bins is rejected");
    const double far[] = {10, 11, 12};
    const struct rdf_compare_curve other = {3, far, r, NULL, NULL};
    ok(rdf_compare(&c, &curve, &other, -1, 100, &err) && err.status == TRJ_BAD_DATA && has_text(err.text, "no overlap"),
       "curves without overlap are rejected");
    ok(!rdf_compare(&c, &other, &other, 0, 100, &err) && isnan(c.p) && isnan(c.chi2) && c.reason,
       "without errors there is no p value, and a reason is given");
}

static void test_distributions(void) {
    // Closed forms of 1, 2 and 4 degrees of freedom.
    ok(near(rdf_chi2_tail(3.841458820694124, 1), 0.05, 1e-12) && near(rdf_chi2_tail(6, 4), 4 * exp(-3), 1e-13) &&
           near(rdf_chi2_tail(2, 4), 2 * exp(-1), 1e-13) && near(rdf_chi2_tail(2, 2), exp(-1), 1e-13),
       "the tail of chi2");
    ok(near(rdf_f_tail(161.4476387975881, 1, 1), 0.05, 1e-10) && near(rdf_f_tail(1, 8, 8), 0.5, 1e-12) &&
           near(rdf_f_tail(4, 2, 10), pow(1.8, -5), 1e-12),
       "the tail of F");
}

// Makes blocks from 256 records, each of which contains 0.7 of the deviation of the previous one (a recursive filter).
static int make_blocks(struct rdf_compare_blocks *b, double *mean, double *error) {
    static struct rdf_curve curve;
    struct rdf_compare_records r = {.count = 0};
    struct rdf_mean m = {.error = NULL};
    struct trj_error err;
    double v[BINS] = {0}, one = 1;
    int rc = rdf_mean_open(&m, 1, BINS, &err);
    for (int i = 0; !rc && i < 300; i++) {
        for (size_t k = 0; k < BINS; k++) v[k] = 0.7 * v[k] + normal();
        if (i < 44) continue;
        rc = rdf_mean_add(&m, v, &one, &err) || rdf_compare_records_add(&r, v, &one, 1, BINS, &err) ? -1 : 0;
    }
    for (size_t k = 0; !rc && k < BINS; k++) mean[k] = m.sum[k] / m.weight[0];
    if (!rc) rc = rdf_mean_error(&curve.error, &m, 0, mean, &err);
    if (!rc) {
        memcpy(error, curve.error.error, BINS * sizeof *error);
        r.normalisation.curves = &curve;
        r.normalisation.hist.setup.pair_count = 1;
        r.normalisation.sums.coarse.bins = BINS;
        rc = rdf_compare_records_blocks(b, &r, 0, &err);
        free(curve.error.error);
    }
    rdf_mean_free(&m);
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
        struct rdf_compare_blocks a = {0}, b = {0};
        struct rdf_comparison c = {.p = NAN};
        struct trj_error err;
        if (make_blocks(&a, ya, ea) || make_blocks(&b, yb, eb)) return (void)ok(false, "blocks are made");
        const struct rdf_compare_curve curve = {BINS, x, ya, ea, &a}, reference = {BINS, x, yb, eb, &b};
        if (rdf_compare(&c, &curve, &reference, -1, 100, &err)) return (void)ok(false, "blocks are compared");
        none += isnan(c.p) ? 1 : 0;
        below += c.p <= 0.1;
        half += c.p <= 0.5;
        blocks = a.count;
        rdf_compare_blocks_free(&a);
        rdf_compare_blocks_free(&b);
    }
    ok(blocks >= 4 && blocks <= 16 && none < SERIES / 4, "correlated records are joined to blocks, here %zu", blocks);
    double n = (double)(SERIES - none), tenth = (double)below / n, median = (double)half / n;
    ok(fabs(tenth - 0.1) < 0.06, "correlated records, no difference: p <= 0.1 in %g of the runs", tenth);
    ok(fabs(median - 0.5) < 0.12, "correlated records, no difference: p <= 0.5 in %g of the runs", median);
}

int main(void) {
    static const double levels[] = {0.05, 0.2, 0.5};
    static const char *const names[] = {"two streams", "a reference without errors", "a measured reference"};
    test_formulas();
    test_distributions();
    test_correlated();
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
