// SPDX-License-Identifier: MIT
// Bins of histograms of observables at their edges, and pairs of columns of residues.
#include <math.h>
#include <stdlib.h>

#include "column_pairs.h"
#include "division.h"
#include "histogram.h"
#include "tap.h"

static struct trj_error err;

// The edges decide: the quotient of a value and the width of bins is rounded, and would put some of them elsewhere.
static bool edges_decide(double low, double high, size_t bins) {
    struct obs_histogram h = {.axes = 1, .temperature = NAN};
    bool good = true;
    h.axis[0] = (struct obs_histogram_axis){.low = low, .high = high, .bins = bins, .highest = -INFINITY};
    if (obs_histogram_open(&h, 1, &err)) return false;
    for (size_t k = 0; k < bins; k++) {
        double edge = low + (high - low) * ((double)k / (double)bins), below = nextafter(edge, -INFINITY);
        size_t before = obs_histogram_add(&h, 0, &below);
        good = good && obs_histogram_add(&h, 0, &edge) == k && before == (k ? k - 1 : SIZE_MAX);
    }
    double above = nextafter(high, INFINITY), undefined = NAN;
    good = good && obs_histogram_add(&h, 0, &high) == bins - 1 && obs_histogram_add(&h, 0, &above) == SIZE_MAX;
    good = good && obs_histogram_add(&h, 0, &undefined) == SIZE_MAX;
    const struct obs_histogram_column *c = h.column;
    good = good && c->inside == 2 * bins && c->outside[0] == 1 && c->outside[1] == 1 && c->undefined == 1;
    obs_histogram_free(&h);
    return good;
}

static void test_edges(void) {
    bool good = edges_decide(-180, 180, 72) && edges_decide(0, 0.9, 9) && edges_decide(0.1, 0.7, 6);
    for (size_t bins = 1; bins < 200; bins++)
        good = good && edges_decide(-1.0 / 3, 0.7, bins) && edges_decide(1e6, 1e6 + 0.1, bins);
    ok(good, "bins: an edge belongs to the bin above it, and the last one to the last bin");
}

// An observable with a column for each residue of a division, or with columns of no residues (NULL).
static struct obs_observable observable(struct obs_division *division, size_t columns) {
    return (struct obs_observable){.text = (char[]){"f"}, .columns = columns, .division = division};
}

static void test_pairs(void) {
    uint32_t of_phi[] = {2, 3, 4, 8}, of_psi[] = {1, 2, 3, 7, 8}, of_other[] = {9};
    struct obs_division phi = {.count = 4, .number = of_phi}, psi = {.count = 5, .number = of_psi},
                        other = {.count = 1, .number = of_other};
    struct obs_observable a = observable(&phi, 4), b = observable(&psi, 5), c = observable(&other, 1);
    struct obs_column_pair *p = NULL;
    size_t n = 0;
    bool good = !obs_columns_pair(&p, &n, &a, &b, &err) && n == 3 && p[0].a == 0 && p[0].b == 1 && p[1].a == 1 &&
                p[1].b == 2 && p[2].a == 3 && p[2].b == 4;
    free(p);
    p = NULL;
    ok(good, "columns of residues: paired by their numbers, without residues that lack one");
    good = obs_columns_pair(&p, &n, &a, &c, &err) && err.status == TRJ_USAGE;
    free(p);
    p = NULL;
    ok(good, "columns of residues: rejected if no residue has both");
    a = observable(NULL, 4);
    good = obs_columns_pair(&p, &n, &a, &b, &err) && err.status == TRJ_USAGE;
    free(p);
    p = NULL;
    b = observable(NULL, 4);
    good = good && !obs_columns_pair(&p, &n, &a, &b, &err) && n == 4 && p[3].a == 3 && p[3].b == 3;
    free(p);
    ok(good, "other columns: paired in their order, and rejected if their numbers differ");
}

int main(void) {
    test_edges();
    test_pairs();
    return done();
}
