// SPDX-License-Identifier: MIT
// Quantities derived from records: hard spheres by Monte Carlo are compared with Percus-Yevick and Carnahan-Starling,
// and standard errors with the deviations over many repetitions.
#include <stdint.h>

#include "hard_spheres.h"
#include "memory.h"
#include "quantity.h"
#include "tap.h"
#include "uniform.h"

static struct trj_error err;

// Counts of one group with itself, in records of one volume.
struct counts {
    struct rdf_hist_group group;
    struct rdf_pair pair;
    struct rdf_setup setup;
    size_t records;
    uint64_t frames; // of a record
    double volume;
    uint64_t *counts; // [records][bins]
};

static void open_counts(struct counts *c, double rmax, uint64_t bins, uint64_t atoms, size_t records, uint64_t frames,
                        double volume) {
    static char name[] = "A";
    c->group = (struct rdf_hist_group){.name = name, .atoms = atoms};
    c->pair = (struct rdf_pair){0, 0, atoms * (atoms - 1) / 2};
    c->setup = (struct rdf_setup){
        .bins = {0, rmax, bins}, .group_count = 1, .pair_count = 1, .groups = &c->group, .pairs = &c->pair};
    c->records = records;
    c->frames = frames;
    c->volume = volume;
    c->counts = trj_alloc(records * bins, sizeof *c->counts, "a test", &err);
}

// Derives a quantity from the counts. The caller closes *d with drop().
static bool derive(struct rdf_derivation *d, struct counts *c, enum rdf_quantity_number number,
                   const struct rdf_quantity_options *options) {
    *d = (struct rdf_derivation){0};
    if (rdf_derivation_open(d, number, options, NULL, &err)) return false;
    struct rdf_record r = {.frames = c->frames,
                           .volume_frames = c->frames,
                           .volume_min = c->volume,
                           .volume_max = c->volume,
                           .periodic_all = TRJ_PERIODIC_ALL,
                           .periodic_any = TRJ_PERIODIC_ALL};
    for (uint64_t i = 0; i < c->frames; i++) {
        trj_exact_add(&r.volume, c->volume);
        trj_exact_add(&r.inverse_volume, 1 / c->volume);
    }
    for (size_t i = 0; i < c->records; i++) {
        r.counts = c->counts + i * c->setup.bins.count;
        if (rdf_blocks_add(&d->blocks, &c->setup, &r, &err)) return false;
    }
    d->hist.setup = c->setup;
    d->hist.records = &r; // for its periodicity
    d->hist.record_count = 1;
    bool good = rdf_derive(d, &err) == 0;
    if (!good) printf("# %s\n", err.text);
    d->hist.records = NULL;
    d->hist.record_count = 0;
    return good;
}

static void drop(struct rdf_derivation *d) {
    d->hist.setup = (struct rdf_setup){0};
    rdf_derivation_close(d);
}

static const struct rdf_quantity_options usual = {
    .window = "none", .volume = NAN, .interval = NAN, .reach = 0.3, .shells = 1};

// Metropolis moves of hard spheres of diameter 1.
enum { SPHERES = 256 };

static double squared(const double *a, const double *b, double side) {
    double r2 = 0;
    for (int k = 0; k < 3; k++) {
        double x = fabs(a[k] - b[k]);
        if (x > side / 2) x = side - x;
        r2 += x * x;
    }
    return r2;
}

static void sweep(double x[SPHERES][3], double side, double step) {
    for (int i = 0; i < SPHERES; i++) {
        double to[3];
        bool free = true;
        for (int k = 0; k < 3; k++) {
            to[k] = x[i][k] + step * (2 * uniform() - 1);
            to[k] -= side * floor(to[k] / side);
        }
        for (int j = 0; free && j < SPHERES; j++) free = j == i || squared(to, x[j], side) >= 1;
        if (free) memcpy(x[i], to, sizeof to);
    }
}

static void simulate(struct counts *c, double eta, size_t records, uint64_t frames) {
    static double x[SPHERES][3];
    double side = cbrt(SPHERES * PI / 6 / eta), rmax = side / 2;
    open_counts(c, rmax, 400, SPHERES, records, frames, cube(side));
    for (int i = 0; i < SPHERES; i++) { // fcc
        int cell = i / 4, corner = i % 4, at[] = {cell % 4, cell / 4 % 4, cell / 16};
        for (int k = 0; k < 3; k++) x[i][k] = (at[k] + (corner > 0 && corner - 1 != k ? 0.5 : 0)) * side / 4;
    }
    for (int i = 0; i < 300; i++) sweep(x, side, 0.15);
    for (size_t f = 0; f < records * frames; f++) {
        for (int i = 0; i < 4; i++) sweep(x, side, 0.15);
        for (int i = 0; i < SPHERES; i++)
            for (int j = 0; j < i; j++) {
                double bin = sqrt(squared(x[i], x[j], side)) / rmax * 400;
                if (bin < 400) c->counts[f / frames * 400 + (size_t)bin]++;
            }
    }
}

static void hard_spheres(void) {
    const double eta = 0.3;
    struct counts c;
    struct rdf_derivation d;
    struct rdf_quantity_options options = usual;
    simulate(&c, eta, 20, 25);
    double width = c.setup.bins.rmax / 400, rho = SPHERES / c.volume;
    // The contact value of Carnahan and Starling, J. Chem. Phys. 51, 635 (1969), is accurate to 0.3 % here. g falls
    // steeply after contact, so it is extrapolated by a line through the first bins that are completely beyond contact.
    // They contain about 3000 counts each, so the error of the line is 1 %.
    bool good = derive(&d, &c, RDF_COORDINATION, &options);
    size_t first = (size_t)ceil(1 / width);
    double s0 = 0, s1 = 0, s2 = 0, y0 = 0, y1 = 0, carnahan = (1 - eta / 2) / cube(1 - eta);
    for (size_t k = first; good && k < first + 8; k++) {
        double g = (rdf_derived_value(&d, 0, 0, k) - rdf_derived_value(&d, 0, 0, k - 1)) * c.volume / (SPHERES - 1) /
                   rdf_shell_volume(&c.setup.bins, k),
               r = ((double)k + 0.5) * width - 1;
        s0 += 1;
        s1 += r;
        s2 += r * r;
        y0 += g;
        y1 += r * g;
    }
    double contact = (y0 * s2 - y1 * s1) / (s0 * s2 - s1 * s1);
    ok(good && rdf_derived_value(&d, 0, 0, first - 2) == 0 && fabs(contact / carnahan - 1) < 0.03,
       "hard spheres at packing %g: contact value %.4g, by Carnahan and Starling %.4g", eta, contact, carnahan);
    drop(&d);
    // S(q): that of Percus and Yevick is accurate to a few hundredths, with the largest error at the first peak. g ends
    // at 3.8 diameters, where it is within 1 % of 1: this leaves ripples of some hundredths.
    options.qmin = 2;
    options.qmax = 20;
    options.dq = 0.25;
    double worst = 0, peak = 0;
    good = derive(&d, &c, RDF_SQ, &options);
    for (size_t i = 0; good && i < d.rows; i++) {
        double s = rdf_derived_value(&d, 0, 0, i), q = rdf_derived_at(&d, i);
        worst = fmax(worst, fabs(s - percus_yevick(eta, q)));
        peak = fmax(peak, s);
    }
    ok(good && worst < 0.06 && peak > 1.4, "  S(q) within %.3g of that of Percus and Yevick, with a peak of %.4g",
       worst, peak);
    drop(&d);
    // The compressibility of Carnahan and Starling, rho k_B T kappa = 1 + rho G. A closed system of this size requires
    // the correction; the mean over one period of the ripples, one diameter, is used.
    double kappa = pow(1 - eta, 4) / (pow(1 + 2 * eta, 2) - 4 * cube(eta) + pow(eta, 4)), plain = 0;
    for (int corrected = 0; corrected < 2; corrected++) {
        options.corrected = corrected;
        double mean = 0, error = 0;
        size_t from = 400 - (size_t)(1 / width);
        good = derive(&d, &c, RDF_KB, &options);
        for (size_t k = from; good && k < 400; k++) {
            mean += (1 + rho * rdf_derived_value(&d, 0, 2, k)) / (double)(400 - from);
            error += rho * rdf_derived_error(&d, 0, 2, k) / (double)(400 - from);
        }
        drop(&d);
        if (!corrected)
            plain = mean;
        else
            ok(good && fabs(mean - kappa) < 0.025 && fabs(plain - kappa) > 0.05,
               "  1 + rho G = %.4g +- %.2g, not corrected %.4g; the compressibility is %.4g", mean, error, plain,
               kappa);
    }
    // For the curve of Percus and Yevick, integrated as in test_derive.c, s2 = -1.568, which is 83 % of the excess
    // entropy of Carnahan and Starling. The g of a closed system of 256 spheres deviates by a hundredth, as does that
    // theory.
    good = derive(&d, &c, RDF_S2, &options);
    double pairs = good ? rdf_derived_value(&d, 0, 0, 399) : 0;
    ok(good && fabs(pairs / -1.568 - 1) < 0.03, "  s2 = %.4g(%.1g), by Percus and Yevick -1.568", pairs,
       good ? rdf_derived_error(&d, 0, 0, 399) : 0);
    drop(&d);
    free(c.counts);
}

static double normal(void) {
    return sqrt(-2 * log(1 - uniform())) * cos(2 * PI * uniform());
}

// Repeats counts of a curve with three shells, with correlations as in a simulation: on average, the standard error of
// each value is its standard deviation over the repetitions.
static void errors_of_shells(void) {
    enum { TIMES = 150, BINS = 300, RECORDS = 16, COLUMNS = 5 };
    static const char *const names[COLUMNS] = {"r_max", "g_max", "r_min", "g_min", "n"};
    static double x[TIMES][COLUMNS], se[TIMES][COLUMNS];
    struct counts c;
    struct rdf_derivation d;
    bool good = true;
    open_counts(&c, 9, BINS, 500, RECORDS, 10, 15000);
    for (size_t t = 0; good && t < TIMES; t++) {
        for (size_t i = 0; i < RECORDS; i++) {
            double common = 1 + 0.01 * normal(); // common to all bins of a record
            for (size_t k = 0; k < BINS; k++) {
                double r = ((double)k + 0.5) * 0.03;
                double g = r < 2.5 ? 0 : 1 + common * 1.8 * exp(-(r - 2.5) / 2) * sin(2 * PI / 3 * (r - 2.5));
                double mean = g * 124750 / 15000.0 * 10 * rdf_shell_volume(&c.setup.bins, k);
                c.counts[i * BINS + k] = (uint64_t)fmax(0, nearbyint(mean + sqrt(mean) * normal()));
            }
        }
        good = derive(&d, &c, RDF_SHELLS, &usual);
        for (size_t k = 0; good && k < COLUMNS; k++) {
            x[t][k] = rdf_derived_value(&d, 0, k, 0);
            se[t][k] = rdf_derived_error(&d, 0, k, 0);
        }
        drop(&d);
    }
    for (size_t k = 0; good && k < COLUMNS; k++) {
        double mean = 0, square = 0, estimated = 0;
        for (size_t t = 0; t < TIMES; t++) mean += x[t][k] / TIMES;
        for (size_t t = 0; t < TIMES; t++) {
            square += (x[t][k] - mean) * (x[t][k] - mean) / (TIMES - 1);
            estimated += se[t][k] * se[t][k] / TIMES;
        }
        // A standard deviation from 150 values is accurate to 6 %. The range of the parabolas is chosen once, and kept
        // for the error.
        double ratio = sqrt(estimated / square);
        ok(ratio > 0.8 && ratio < 1.25, "the error of %s, %.2g, is that of %d repetitions, %.2g", names[k],
           sqrt(estimated), TIMES, sqrt(square));
    }
    ok(good, "shells are found each time");
    free(c.counts);
}

// Repeats series of correlated records: each configuration is held in 20 of them, as if frames were saved too often.
// Standard errors are compared with the deviations over the repetitions.
static void errors_of_correlated_records(enum rdf_quantity_number number, const char *name,
                                         const struct rdf_quantity_options *options) {
    enum { TIMES = 60, BINS = 60, RECORDS = 400, HELD = 20, FIRST = 10, LAST = 18, ROWS = LAST - FIRST };
    static double x[TIMES][ROWS];
    struct counts c;
    struct rdf_derivation d;
    double estimated = 0, square = 0, blocks = 0;
    bool good = true;
    open_counts(&c, 6, BINS, 500, RECORDS, 1, 15000);
    for (size_t t = 0; good && t < TIMES; t++) {
        size_t start = (size_t)(uniform() * HELD);
        for (size_t i = 0; i < RECORDS; i++)
            for (size_t k = 0; k < BINS; k++) {
                double mean = 124750 / 15000.0 * 10 * rdf_shell_volume(&c.setup.bins, k);
                bool held = i && (i + start) % HELD;
                c.counts[i * BINS + k] =
                    held ? c.counts[(i - 1) * BINS + k] : (uint64_t)fmax(0, nearbyint(mean + sqrt(mean) * normal()));
            }
        good = derive(&d, &c, number, options);
        for (size_t k = 0; good && k < ROWS; k++) {
            double se = rdf_derived_error(&d, 0, 0, FIRST + k);
            x[t][k] = rdf_derived_value(&d, 0, 0, FIRST + k);
            estimated += se * se / (TIMES * ROWS);
        }
        good = good && d.blocks.rule.correlated;
        blocks += d.blocks.rule.blocks / TIMES;
        drop(&d);
    }
    for (size_t k = 0; k < ROWS; k++) {
        double mean = 0;
        for (size_t t = 0; t < TIMES; t++) mean += x[t][k] / TIMES;
        for (size_t t = 0; t < TIMES; t++) square += (x[t][k] - mean) * (x[t][k] - mean) / ((TIMES - 1) * ROWS);
    }
    double ratio = sqrt(estimated / square);
    ok(good && ratio > 0.85 && ratio < 1.15, "correlated records: the error of %s is %.3f of the true one, %.3g blocks",
       name, ratio, blocks);
    free(c.counts);
}

int main(void) {
    struct rdf_quantity_options pmf = usual, sq = usual;
    pmf.temperature = 300;
    sq.qmin = 1, sq.qmax = 4, sq.dq = 0.15;
    errors_of_correlated_records(RDF_KB, "a Kirkwood-Buff integral", &usual);
    errors_of_correlated_records(RDF_PMF, "a potential of mean force", &pmf);
    errors_of_correlated_records(RDF_SQ, "a structure factor", &sq);
    hard_spheres();
    errors_of_shells();
    return done();
}
