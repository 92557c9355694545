// SPDX-License-Identifier: MIT
// Tests that the parameters of potential/pme_tolerance.h meet a tolerance, against Ewald sums of polar molecules,
// whose error relative to their potential is far above that of random charges, and of a net charge.
#include "cell_shapes.h"
#include "ewald.h"
#include "pme_frames.h"
#include "pme_tolerance.h"
#include "real_space_bins.h"
#include "tap.h"

static const double PI = 3.14159265358979323846;

// Places molecules of three charges, in any orientation.
static void place_molecules(const double h[3][3], size_t molecules) {
    for (size_t i = 0; i < 3 * molecules; i++) {
        double direction[3], square = 0;
        for (int c = 0; c < 3; c++) {
            direction[c] = 2 * uniform() - 1;
            square += direction[c] * direction[c];
        }
        charge[i] = i % 3 ? 0.4 : -0.8;
        for (int c = 0; c < 3; c++) position[i][c] = position[i - i % 3][c] + direction[c] / sqrt(square);
        if (i % 3) continue;
        const double u[3] = {uniform(), uniform(), uniform()};
        for (int c = 0; c < 3; c++) position[i][c] = u[0] * h[0][c] + u[1] * h[1][c] + u[2] * h[2][c];
    }
}

// Returns the rms difference of the map from Ewald sums at some points, relative to the rms of the reciprocal part.
static double error_of(struct pot_job *job, const struct pot_frame *frame, int points) {
    struct trj_error err;
    struct pot_ewald *ewald;
    struct pot_frame f = *frame;
    double difference = 0, square = 0;
    f.lattice = job->lattice;
    int64_t *map = compute(&pot_pme_cpu, job, &f, 1);
    if (pot_ewald_open(&ewald, &f.cell, job->alpha, f.count, f.position, f.charge, &err)) abort();
    for (int i = 0; i < points; i++) {
        double x[3];
        uint64_t number = random_point(&f.lattice, x);
        double reciprocal = pot_ewald_reciprocal(ewald, x), value = (double)map[number] * job->quantum;
        double expected = reciprocal + (job->full ? pot_ewald_real(ewald, x) : 0);
        difference += pow(value - expected, 2);
        square += reciprocal * reciprocal;
    }
    pot_ewald_close(ewald);
    free(map);
    return sqrt(difference / square);
}

static void test_tolerance(const struct shape *s, struct pot_job job, size_t molecules, int points, double net) {
    struct trj_error err;
    struct pot_frame f = {.count = 3 * molecules, .position = (const double(*)[3])position, .charge = charge};
    char text[POT_REPORT];
    memcpy(f.cell.h, s->h, sizeof f.cell.h);
    f.cell.periodic = TRJ_PERIODIC_ALL;
    place_molecules(s->h, molecules);
    charge[0] += net;
    job.method = POT_PME;
    job.atoms = f.count;
    job.threads = 2;
    job.max_charge = 1 + fabs(net);
    if (pot_pme_meet_tolerance(&job, &f, 0, text, &err)) {
        ok(false, "%s: %s", s->name, err.text);
        return;
    }
    double error = error_of(&job, &f, points);
    ok(error < job.tolerance && error > job.tolerance / 1000, "%s, tolerance %g%s: %.1e; reported: %s", s->name,
       job.tolerance, job.full ? ", full potential" : "", error, text);
}

static void test_shapes(void) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *s = &shapes[i];
        if (s->periodic != TRJ_PERIODIC_ALL || !is_usual(s)) continue;
        test_tolerance(s, (struct pot_job){.tolerance = 1e-3, .order = 6, .alpha = 0.3}, 40, 200, 0.5);
        test_tolerance(s, (struct pot_job){.tolerance = 1e-6, .alpha = 0.3}, 40, 200, 0.5);
        if (i % 3 == 0) test_tolerance(s, (struct pot_job){.tolerance = 1e-4, .full = true, .cutoff = 9}, 40, 200, 0.5);
    }
}

// With many charges, the reference consists of a second map and sums over neighbours.
static void test_many(void) {
    const struct shape s = {"2500 molecules", {{48, 0, 0}, {3, 47, 0}, {-2, 5, 49}}, 7, 20};
    test_tolerance(&s, (struct pot_job){.tolerance = 1e-4, .alpha = 0.15}, 2500, 100, 40);
}

static void test_rejected(void) {
    const struct shape *s = &shapes[0];
    struct trj_error err;
    struct pot_frame f = {.count = 30, .position = (const double(*)[3])position, .charge = charge};
    struct pot_job job = {.method = POT_PME, .tolerance = NAN, .threads = 1, .max_charge = 1, .atoms = 30};
    char text[POT_REPORT];
    memcpy(f.cell.h, s->h, sizeof f.cell.h);
    f.cell.periodic = TRJ_PERIODIC_ALL;
    place_molecules(s->h, 10);
    ok(pot_pme_meet_tolerance(&job, &f, 0, text, &err) == -1 && err.status == TRJ_USAGE,
       "a tolerance that is NaN: rejected");
    job.tolerance = 1e-10;
    job.order = 4;
    job.alpha = 1;
    if (trj_version_of_FFTW)
        ok(pot_pme_meet_tolerance(&job, &f, 0, text, &err) == -1 && err.status == TRJ_USAGE &&
               strstr(err.text, "use a larger tolerance"),
           "a tolerance that splines of order 4 do not reach: %s", err.text);
    f.cell.periodic = 3;
    job.tolerance = 1e-3;
    ok(pot_pme_meet_tolerance(&job, &f, 0, text, &err) == -1 && err.status == TRJ_BAD_DATA,
       "a cell that is periodic along two axes: rejected");
}

// Compares sums over bins with Ewald sums.
static void test_bins(void) {
    const struct pot_bin_terms terms = {.wide = 0.3, .narrow = 0.5, .reach = 22, .cutoff = 6};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct shape *s = &shapes[i];
        struct trj_cell cell = {.periodic = TRJ_PERIODIC_ALL};
        struct trj_error err;
        struct pot_ewald *narrow, *wide;
        struct pot_bins *bins;
        enum { MOLECULES = 20, CHARGES = 3 * MOLECULES };
        double worst = 0, expected = 0, value = 0;
        if (s->periodic != TRJ_PERIODIC_ALL || !is_usual(s)) continue;
        memcpy(cell.h, s->h, sizeof cell.h);
        place_molecules(s->h, MOLECULES);
        charge[0] += 0.5; // a net charge
        if (pot_ewald_open(&narrow, &cell, terms.narrow, CHARGES, (const double(*)[3])position, charge, &err) ||
            pot_ewald_open(&wide, &cell, terms.wide, CHARGES, (const double(*)[3])position, charge, &err) ||
            pot_bins_open(&bins, &cell, CHARGES, (const double(*)[3])position, charge, &err))
            abort();
        for (int n = 0; n < 20; n++) {
            const double x[3] = {60 * uniform() - 30, 60 * uniform() - 30, 60 * uniform() - 30};
            struct pot_bin_sums sums;
            pot_bins_sum(bins, x, &terms, &sums);
            double background = PI * 0.5 / trj_cell_volume(&cell);
            worst = fmax(worst, fabs(sums.whole - background / 0.25 - pot_ewald_real(narrow, x)));
            expected = pot_ewald_reciprocal(narrow, x) - pot_ewald_reciprocal(wide, x);
            value = sums.smooth - background * (1 / 0.09 - 1 / 0.25);
            worst = fmax(worst, fabs(value - expected));
        }
        const double *x = position[0]; // at a charge, the difference of the reciprocal parts is finite
        struct pot_bin_sums sums;
        pot_bins_sum(bins, x, &terms, &sums);
        expected = pot_ewald_reciprocal(narrow, x) - pot_ewald_reciprocal(wide, x);
        value = sums.smooth - PI * 0.5 / trj_cell_volume(&cell) * (1 / 0.09 - 1 / 0.25);
        ok(worst < 1e-10 && fabs(value - expected) < 1e-10 && isfinite(sums.whole),
           "%s: sums over bins differ from Ewald sums by %.1e, at a charge by %.1e", s->name, worst,
           fabs(value - expected));
        pot_ewald_close(narrow);
        pot_ewald_close(wide);
        pot_bins_close(bins);
    }
}

int main(void) {
    test_bins();
    test_rejected();
    if (trj_version_of_FFTW) {
        test_shapes();
        test_many();
    } else {
        skip("tolerances are met", "this build lacks FFTW");
    }
    return done();
}
