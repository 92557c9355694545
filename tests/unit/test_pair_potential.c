// SPDX-License-Identifier: MIT
// Tables for simulation of a known potential, and smoothing that conserves the number of neighbours.
#include "conserving_smooth.h"
#include "pair_potential.h"
#include "tap.h"

enum { NODES = 500, BINS = 240 };
static struct trj_error err;

static double lennard_jones(double r) {
    return 4 * (pow(r, -12) - pow(r, -6));
}

static double slope_of(double r) {
    return -24 * (2 * pow(r, -13) - pow(r, -7));
}

// Makes the potential of nodes from 0.005 to 4.995; those below 0.9 are unknown.
static int make(struct rdf_pair_potential *p, bool power) {
    static double w[NODES], error[NODES];
    struct rdf_potential_nodes n = {.min = 0.005, .width = 0.01, .count = NODES, .w = w, .error = error};
    for (int i = 0; i < NODES; i++) {
        double r = n.min + i * n.width;
        error[i] = r < 0.9 ? INFINITY : 0.1;
        w[i] = r < 0.9 ? INFINITY : lennard_jones(r);
    }
    *p = (struct rdf_pair_potential){.cutoff = 4, .switching = 3, .power = power};
    return rdf_pair_potential_make(p, &n, &err);
}

static void test_potential(bool power) {
    struct rdf_pair_potential p;
    double u, f, before, after, ignored, off = 0, derivative = 0, jump = 0;
    if (!ok(!make(&p, power), "%s core: made", power ? "power" : "linear")) return;
    ok(fabs(p.core - 0.905) < 1e-12, "the core ends at the first node with a small error");
    for (double r = 1.1; r < 3; r += 0.00317) {
        rdf_pair_potential_at(&u, &f, &p, r);
        off = fmax(off, fmax(fabs(u - lennard_jones(r)), 0.01 * fabs(f + slope_of(r))));
    }
    ok(off < 1e-5, "between core and switching it is the potential of the nodes, to %.1g", off);
    for (double r = 0.01; r < 4.1; r += 0.00123) {
        rdf_pair_potential_at(&u, &f, &p, r);
        rdf_pair_potential_at(&before, &ignored, &p, r - 1e-6);
        rdf_pair_potential_at(&after, &ignored, &p, r + 1e-6);
        derivative = fmax(derivative, fabs((before - after) / 2e-6 - f) / fmax(fabs(f), 1));
    }
    ok(derivative < 1e-4, "the force is the derivative everywhere, to %.1g", derivative);
    for (int i = 0; i < 4; i++) {
        double at[] = {p.core / 2, p.core, 3, 4}, left, right;
        rdf_pair_potential_at(&before, &left, &p, at[i] - 1e-9);
        rdf_pair_potential_at(&after, &right, &p, at[i] + 1e-9);
        jump = fmax(jump, fmax(fabs(after - before), fabs(right - left)) / fmax(fabs(left), 1));
    }
    ok(jump < 1e-6, "energy and force are continuous at the ends of the parts, to %.1g", jump);
    rdf_pair_potential_at(&u, &f, &p, 4);
    ok(u == 0 && f == 0, "energy and force are 0 at the cutoff");
    rdf_pair_potential_at(&u, &f, &p, 0);
    ok(isfinite(u) && f > 0 && u > 0, "energy and force are finite at r = 0");
    rdf_pair_potential_at(&u, &f, &p, 0.8);
    double ratio = p.core / 0.8, want = power ? p.core_energy + p.core_force * p.core / 12 * (pow(ratio, 12) - 1)
                                              : p.core_energy + p.core_force * (p.core - 0.8);
    ok(fabs(u - want) < 1e-9 && fabs(f - p.core_force * (power ? pow(ratio, 13) : 1)) < 1e-9, "the core's formula");
    rdf_pair_potential_free(&p);
}

static void test_smooth(uint64_t each, double rmin) {
    struct rdf_bins b = {rmin, rmin + 12, BINS, {0}};
    double g[BINS], from[BINS], min = 0, off = 0, flat = 0, line = 0;
    for (int k = 0; k < BINS; k++) {
        double r = rdf_bins_edge(&b, (uint64_t)k);
        from[k] = g[k] = k < 60 ? 0 : fmax(0, 1 + sin(r * 3) * 1.2 + 0.3 * ((k * 7919) % 11 - 5) / 5);
    }
    if (!ok(!rdf_smooth_conserving(g, &b, each, &err), "windows of %d bins", (int)each)) return;
    for (uint64_t j = 0, windows = rdf_smooth_windows(&b, each); j < windows; j++) {
        double sum = 0, all = 0;
        for (uint64_t k = rdf_smooth_first(&b, each, j); k < rdf_smooth_first(&b, each, j + 1); k++) {
            double low = rdf_bins_edge(&b, k), high = rdf_bins_edge(&b, k + 1);
            sum += (g[k] - from[k]) * (pow(high, 3) - pow(low, 3));
            all += pow(high, 3) - pow(low, 3);
            min = fmin(min, g[k]);
        }
        off = fmax(off, fabs(sum) / all);
    }
    ok(off < 1e-12 && min >= 0, "each window keeps its number of neighbours, and g is not negative");
    for (int k = 0; k < BINS; k++) g[k] = 0.7;
    ok(!rdf_smooth_conserving(g, &b, each, &err), "a constant");
    for (int k = 0; k < BINS; k++) flat = fmax(flat, fabs(g[k] - 0.7));
    ok(flat < 1e-13, "a constant is unchanged");
    for (int k = 0; k < BINS; k++)
        from[k] = g[k] =
            1 + (pow(rdf_bins_edge(&b, (uint64_t)k), 3) + pow(rdf_bins_edge(&b, (uint64_t)k + 1), 3)) / 2e3;
    ok(!rdf_smooth_conserving(g, &b, each, &err), "linear in r^3");
    for (uint64_t k = each; k < rdf_smooth_first(&b, each, rdf_smooth_windows(&b, each) - 1); k++)
        line = fmax(line, fabs(g[k] - from[k]));
    ok(line < 1e-12, "a g(r) that is linear in r^3 is unchanged between the inner nodes");
    g[9] = NAN;
    ok(!rdf_smooth_conserving(g, &b, each, &err) && isnan(g[0]) && isnan(g[BINS - 1]), "an undefined g(r) remains so");
}

int main(void) {
    test_potential(false);
    test_potential(true);
    test_smooth(6, 0);
    test_smooth(7, 0);
    test_smooth(50, 2.5);
    test_smooth(1, 0);
    test_smooth(BINS, 0);
    return done();
}
