// SPDX-License-Identifier: MIT
// Tests the choice of parameters of particle-mesh Ewald (potential/pme_choice.h): the model of the errors against Ewald
// sums of random charges.
#include "cell_shapes.h"
#include "ewald.h"
#include "pme_choice.h"
#include "pme_frames.h"
#include "tap.h"

enum { CHARGES = 300, POINTS = 200 };

static struct trj_cell cell_of(const struct shape *s) {
    struct trj_cell cell = {.periodic = TRJ_PERIODIC_ALL};
    memcpy(cell.h, s->h, sizeof cell.h);
    return cell;
}

// Returns the relative rms error at some points of the mesh of a job that is set up. The rms of the potential is that
// of many sets of charges, because that of one depends on a few waves and differs by a factor of two.
static double measure(struct pot_job *job, const struct trj_cell *cell) {
    struct trj_error err;
    struct pot_ewald *ewald;
    double difference = 0, square = 0;
    const double rms = pot_pme_reciprocal_rms(cell, job->alpha);
    struct pot_frame f = frame_of(cell->h, CHARGES, job->lattice.n);
    job->full = false;
    int64_t *map = compute(&pot_pme_cpu, job, &f, 1);
    if (pot_ewald_open(&ewald, cell, job->alpha, f.count, f.position, f.charge, &err)) abort();
    for (int i = 0; i < POINTS; i++) {
        double x[3];
        uint64_t number = random_point(&f.lattice, x);
        difference += pow((double)map[number] * job->quantum - pot_ewald_reciprocal(ewald, x), 2);
    }
    for (int i = 0; i < CHARGES; i++) square += charge[i] * charge[i];
    pot_ewald_close(ewald);
    free(map);
    return sqrt(difference / POINTS / square) / rms;
}

static void place_random(const struct trj_cell *cell) {
    for (size_t i = 0; i < CHARGES; i++) {
        double u[3] = {uniform(), uniform(), uniform()};
        for (int c = 0; c < 3; c++) position[i][c] = u[0] * cell->h[0][c] + u[1] * cell->h[1][c] + u[2] * cell->h[2][c];
        charge[i] = i % 2 ? 1 : -1;
    }
}

static void test_model(void) {
    static const struct {
        int shape;
        unsigned order;
        double alpha, step;
    } cases[] = {{0, 4, 0.2575, 1}, {0, 8, 0.2575, 2}, {0, 8, 0.2575, 1},   {0, 6, 0.4, 1.4},
                 {2, 8, 0.35, 1.8}, {3, 6, 0.3, 1.1},  {4, 4, 0.25, 0.8},   {5, 8, 0.25, 2},
                 {6, 6, 0.5, 0.8},  {7, 4, 0.5, 2},    {0, 8, 0.2575, 2.5}, {3, 8, 0.6, 0.5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct shape *s = &shapes[cases[i].shape];
        struct trj_cell cell = cell_of(s);
        struct trj_error err;
        struct pot_job job = {.order = cases[i].order, .alpha = cases[i].alpha, .max_charge = 1, .threads = 1};
        if (trj_map_lattice_cover(&job.lattice, &cell, cases[i].step, &err)) abort();
        job.values = (size_t)trj_map_lattice_points(&job.lattice);
        double model = pot_pme_mesh_error(&cell, job.lattice.n, job.order, job.alpha), square = 0;
        enum { SETS = 2 };
        for (int set = 0; set < SETS; set++) {
            place_random(&cell);
            square += pow(measure(&job, &cell), 2) / SETS;
        }
        ok(sqrt(square) < 1.35 * model && sqrt(square) > model / 1.35,
           "%s, order %u, steps of %g Å, alpha %g: the error is %.2e, that of the model %.2e", s->name, cases[i].order,
           cases[i].step, cases[i].alpha, sqrt(square), model);
    }
}

// The omitted part of the real-space sum, from sums over all images without and with the cutoff.
static void test_cutoff(void) {
    const double a = 20;
    struct trj_cell cell = {.h = {{a, 0, 0}, {0, a, 0}, {0, 0, a}}, .periodic = TRJ_PERIODIC_ALL};
    struct trj_error err;
    const struct pot_pme_errors allowed = {.mesh = 1e-4, .cutoff = 1e-4};
    struct pot_pme_errors errors;
    struct pot_job job = {.full = true, .cutoff = 9, .atoms = CHARGES, .threads = 1, .max_charge = 1};
    int rc = pot_pme_choose(&job, &cell, 0, &allowed, &errors, &err);
    ok(!rc && job.alpha > 0.25 && job.alpha < 0.4, "a cutoff of 9 Å: alpha %g 1/Å", job.alpha);
    double omitted = 0, square = 0;
    for (int set = 0; set < 10; set++) {
        struct pot_ewald *ewald;
        place_random(&cell);
        if (pot_ewald_open(&ewald, &cell, job.alpha, CHARGES, (const double(*)[3])position, charge, &err)) abort();
        for (int i = 0; i < 30; i++) {
            const double x[3] = {a * uniform(), a * uniform(), a * uniform()};
            double within = 0;
            for (size_t j = 0; j < CHARGES; j++) {
                double r2 = 0;
                for (int c = 0; c < 3; c++) { // the cutoff is below half of the cell
                    double d = x[c] - position[j][c];
                    d -= a * rint(d / a);
                    r2 += d * d;
                }
                if (r2 <= 81) within += charge[j] * erfc(job.alpha * sqrt(r2)) / sqrt(r2);
            }
            omitted += pow(pot_ewald_real(ewald, x) - within, 2);
            square += pow(pot_ewald_reciprocal(ewald, x), 2);
        }
        pot_ewald_close(ewald);
    }
    double error = sqrt(omitted / square), model = pot_pme_cutoff_error(&cell, job.alpha, 9);
    ok(error < 1.35 * model && error > model / 1.35 && model <= 1e-4,
       "the error of the cutoff is %.2e, that of the model %.2e", error, model);
}

static void test_choices(void) {
    struct trj_cell cell = {.h = {{216, 0, 0}, {0, 216, 0}, {0, 0, 216}}, .periodic = TRJ_PERIODIC_ALL};
    struct trj_cell small = {.h = {{20, 0, 0}, {0, 20, 0}, {0, 0, 20}}, .periodic = TRJ_PERIODIC_ALL};
    struct pot_pme_errors allowed = {.mesh = 1e-4, .cutoff = 1e-4}, errors;
    struct trj_error err;
    struct pot_job job = {.atoms = 1000000};
    int rc = pot_pme_choose(&job, &cell, 0, &allowed, &errors, &err);
    ok(!rc && job.alpha == POT_PME_ALPHA && job.order > 4 && errors.mesh <= 1e-4,
       "a million atoms, 1e-4: order %u, %llu points along each axis", job.order, (unsigned long long)job.lattice.n[0]);
    job = (struct pot_job){.atoms = 1000000, .order = 4};
    ok(!pot_pme_choose(&job, &cell, 0, &allowed, &errors, &err) && job.order == 4, "a given order is kept");
    allowed.mesh = 1e-2;
    job = (struct pot_job){.atoms = 1000000};
    ok(!pot_pme_choose(&job, &cell, 1, &allowed, &errors, &err) && job.lattice.n[0] == 216, "steps are at most --grid");
    allowed.mesh = 1e-10;
    job = (struct pot_job){.atoms = 10, .order = 4, .alpha = 0.5};
    ok(pot_pme_choose(&job, &small, 0, &allowed, &errors, &err) == -1 && err.status == TRJ_USAGE,
       "a tolerance that splines of order 4 do not reach: rejected");
    allowed.cutoff = 1e-5;
    job = (struct pot_job){.atoms = 10, .full = true, .alpha = 0.2, .cutoff = 8};
    ok(pot_pme_choose(&job, &cell, 0, &allowed, &errors, &err) == -1 && strstr(err.text, "too small for a cutoff"),
       "an alpha too small for the cutoff: rejected");
}

int main(void) {
    if (trj_version_of_FFTW) {
        test_model();
    } else {
        skip("the model of the errors", "this build lacks FFTW");
    }
    test_cutoff();
    test_choices();
    return done();
}
