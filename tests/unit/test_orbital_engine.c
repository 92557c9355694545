// SPDX-License-Identifier: MIT
// Tests the engines of orbitals (orbital/orbital_engine.h): every quantity against the long double evaluator, on
// lattices of all kinds and for functions from s to h; the same bytes for any instruction set, number of threads, and
// division into slabs; runs (orbital/orbital_run.h); rejected jobs.
#include <stdint.h>

#include "axis_table.h"
#include "memory.h"
#include "orbital_box.h"
#include "orbital_derivative.h"
#include "orbital_engine.h"
#include "orbital_plan.h"
#include "orbital_point.h"
#include "orbital_run.h"
#include "tap.h"
#include "uniform.h"

enum { CENTRES_MAX = 12 };

static const char *const names[ORB_QUANTITIES] = {"orbitals", "product",          "density", "gradient", "Laplacian",
                                                  "tau",      "reduced gradient", "ELF",     "LOL"};

struct sample {
    struct orb_basis basis;
    double *coefficient, *weight;
    struct orb_job job;
};

static double between(double low, double high) {
    return low + (high - low) * uniform();
}

// ---- samples

static int compare_primitives(const void *first, const void *second) {
    const struct orb_primitive *a = first, *b = second;
    if (a->centre != b->centre) return a->centre < b->centre ? -1 : 1;
    if (a->exponent != b->exponent) return a->exponent > b->exponent ? -1 : 1;
    return memcmp(a->power, b->power, sizeof a->power);
}

// Makes a basis of contracted Cartesian shells with l = 0 to l_max on each centre, with exponents from low to high.
// `size` is the edge of the cube of the centres, in bohr.
static void make_basis(struct orb_basis *b, size_t centres, unsigned l_max, double low, double high, double size) {
    struct trj_error err;
    enum { CONTRACTED = 2 };
    size_t functions = 0, n = 0;
    for (unsigned l = 0; l <= l_max; l++) functions += orb_shell_functions(l, false) * centres;
    *b = (struct orb_basis){.centres = centres};
    b->centre = trj_alloc(centres, sizeof *b->centre, "", &err);
    b->primitive = trj_alloc(functions * CONTRACTED, sizeof *b->primitive, "", &err);
    b->first_term = trj_alloc(functions + 1, sizeof *b->first_term, "", &err);
    b->term = trj_alloc(functions * CONTRACTED, sizeof *b->term, "", &err);
    if (!b->centre || !b->primitive || !b->first_term || !b->term) abort();
    for (size_t c = 0; c < centres; c++) {
        for (int k = 0; k < 3; k++) b->centre[c][k] = between(-size / 2, size / 2);
        for (unsigned l = 0; l <= l_max; l++) {
            double exponent[CONTRACTED];
            for (int i = 0; i < CONTRACTED; i++) exponent[i] = low * pow(high / low, uniform());
            for (unsigned x = 0; x <= l; x++)
                for (unsigned y = 0; x + y <= l; y++)
                    for (int i = 0; i < CONTRACTED; i++)
                        b->primitive[n++] = (struct orb_primitive){
                            (uint32_t)c, {(uint8_t)x, (uint8_t)y, (uint8_t)(l - x - y)}, exponent[i]};
        }
    }
    struct orb_primitive *sorted = trj_alloc(n, sizeof *sorted, "", &err);
    if (!sorted) abort();
    memcpy(sorted, b->primitive, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare_primitives);
    for (size_t i = 0; i < n; i++) {
        const struct orb_primitive *p = &b->primitive[i];
        const unsigned l = (unsigned)p->power[0] + p->power[1] + p->power[2];
        size_t at =
            (size_t)((struct orb_primitive *)bsearch(p, sorted, n, sizeof *sorted, compare_primitives) - sorted);
        b->term[i] = (struct orb_term){(uint32_t)at, between(0.2, 1) * pow(2 * p->exponent / M_PI, 0.75) *
                                                         pow(4 * p->exponent, l / 2.0)};
    }
    free(b->primitive);
    b->primitive = sorted;
    b->primitives = n;
    b->functions = functions;
    for (size_t f = 0; f <= functions; f++) b->first_term[f] = f * CONTRACTED;
}

static void make_orbitals(struct sample *s, size_t orbitals) {
    struct trj_error err;
    const size_t n = s->basis.functions;
    s->coefficient = trj_alloc(orbitals * n, sizeof *s->coefficient, "", &err);
    s->weight = trj_alloc(orbitals, sizeof *s->weight, "", &err);
    if (!s->coefficient || !s->weight) abort();
    for (size_t i = 0; i < orbitals * n; i++) s->coefficient[i] = uniform() < 0.1 ? 0 : between(-1, 1);
    for (size_t i = 0; i < orbitals; i++) s->weight[i] = between(0.5, 2);
    s->job.basis = &s->basis;
    s->job.orbitals = orbitals;
    s->job.coefficient = s->coefficient;
    s->job.weight = s->weight;
}

// Sets a lattice about the origin. Its points are exact numbers.
static void set_lattice(struct orb_job *job, uint64_t nx, uint64_t ny, uint64_t nz, double step) {
    const uint64_t n[3] = {nx, ny, nz};
    job->point = NULL;
    memset(job->step, 0, sizeof job->step);
    for (int k = 0; k < 3; k++) {
        job->n[k] = n[k];
        job->step[k][k] = step;
        job->origin[k] = -floor(0.5 * (double)n[k]) * step;
    }
}

static void free_sample(struct sample *s) {
    free(s->basis.centre);
    free(s->basis.primitive);
    free(s->basis.first_term);
    free(s->basis.term);
    free(s->coefficient);
    free(s->weight);
}

static size_t points_of(const struct orb_job *job) {
    return (size_t)(job->n[0] * job->n[1] * job->n[2]);
}

// ---- engines

// Computes a job in slabs of `planes`; 0: one slab. The caller frees the values. Returns NULL after a failure.
static double *compute(const struct orb_engine *e, const struct orb_job *job, unsigned threads, uint64_t planes) {
    const size_t points = points_of(job), values = orb_job_values(job);
    const uint64_t all = orb_job_planes(job), plane = orb_job_plane(job);
    const struct work_resources resources = {.threads = threads};
    struct trj_error err;
    void *engine = NULL;
    double *value = trj_alloc(values * points, sizeof *value, "", &err),
           *part = trj_alloc(values * points, sizeof *part, "", &err);
    if (!value || !part) abort();
    for (size_t i = 0; i < values * points; i++) value[i] = NAN;
    int rc = e->open(&engine, &resources, &err);
    if (!rc) rc = e->start(engine, job, &err);
    if (!planes) planes = all;
    for (uint64_t first = 0; !rc && first < all; first += planes) {
        const struct orb_slab slab = {first, all - first < planes ? all - first : planes, part};
        rc = e->compute(engine, &slab, &err);
        for (size_t v = 0; v < values; v++)
            memcpy(value + v * points + first * plane, part + v * slab.count * plane,
                   slab.count * plane * sizeof *value);
    }
    if (rc) printf("# %s\n", err.text);
    e->close(engine);
    free(part);
    if (!rc) return value;
    free(value);
    return NULL;
}

// ---- comparison with the evaluator

// Returns the error of the values at a point, where largest[values] are the largest magnitudes of all points. Where the
// density is small, rounding affects ELF and LOL more, by the ratio of tau and that of a uniform gas.
static double error_at(const struct orb_job *job, size_t point, const double *found, const double *largest,
                       struct orb_jet *function, struct orb_jet *orbital, long double *exact) {
    const size_t points = points_of(job), values = orb_job_values(job);
    struct orb_job lol = *job;
    double at[3], worst = 0;
    long double ratio = 0;
    orb_job_point(job, point, at);
    orb_point_functions(job->basis, at, function);
    lol.quantity = ORB_LOL;
    if (job->quantity == ORB_ELF || job->quantity == ORB_LOL) orb_point_values(&lol, function, orbital, exact);
    if (exact[0] > 0) ratio = 1 / exact[0];
    if (job->quantity != ORB_ELF && job->quantity != ORB_LOL) ratio = 0;
    orb_point_values(job, function, orbital, exact);
    for (size_t v = 0; v < values; v++) {
        double value = found[v * points + point];
        if (!isfinite(value)) return INFINITY;
        if (largest[v] > 0)
            worst = fmax(worst, (double)(fabsl((long double)value - exact[v]) / (largest[v] * (1 + ratio))));
    }
    return worst;
}

// Returns the largest error at some of the points, divided by the largest value.
static double compare(const struct orb_engine *e, const struct orb_job *job) {
    enum { SAMPLE = 120 };
    struct trj_error err;
    const size_t points = points_of(job), values = orb_job_values(job);
    double *found = compute(e, job, 1, 0), worst = 0, *largest = trj_alloc(values, sizeof *largest, "", &err);
    struct orb_jet *function = trj_alloc(job->basis->functions, sizeof *function, "", &err),
                   *orbital = trj_alloc(job->orbitals, sizeof *orbital, "", &err);
    long double *exact = trj_alloc(values, sizeof *exact, "", &err);
    if (!function || !orbital || !exact || !largest) abort();
    for (size_t i = 0; found && i < values * points; i++)
        largest[i / points] = fmax(largest[i / points], fabs(found[i]));
    for (size_t i = 0; found && i < SAMPLE && i < points; i++) {
        size_t point = i == 0 ? points - 1 : points <= SAMPLE ? i - 1 : (size_t)(uniform() * (double)points);
        worst = fmax(worst, error_at(job, point, found, largest, function, orbital, exact));
    }
    if (!found) worst = INFINITY;
    free(found);
    free(largest);
    free(function);
    free(orbital);
    free(exact);
    return worst;
}

static void compare_quantities(const char *what, struct orb_job *job) {
    for (int q = 0; q < ORB_QUANTITIES; q++) {
        job->quantity = (enum orb_quantity)q;
        double cpu = compare(&orb_engine_cpu, job), direct = compare(&orb_engine_direct, job);
        ok(cpu < 1e-12 && direct < 1e-12, "%s: %s: error of cpu %.1e, of direct %.1e of the largest value", what,
           names[q], cpu, direct);
    }
}

static void test_quantities(void) {
    struct sample s = {0};
    make_basis(&s.basis, 4, 5, 0.15, 20, 6);
    make_orbitals(&s, 3);
    set_lattice(&s.job, 35, 18, 11, 0.5);
    compare_quantities("s to h, 3 orbitals", &s.job);
    free_sample(&s);

    s = (struct sample){0};
    make_basis(&s.basis, 6, 2, 0.15, 60, 9);
    make_orbitals(&s, 50); // the density matrix is used
    set_lattice(&s.job, 33, 17, 9, 0.625);
    compare_quantities("s to d, 50 orbitals", &s.job);
    const double point[3] = {1, -2, 0.5};
    set_lattice(&s.job, 1, 1, 1, 0.25);
    memcpy(s.job.origin, point, sizeof point);
    compare_quantities("one point", &s.job);
    free_sample(&s);
}

static void test_lattices(void) {
    struct sample s = {0};
    make_basis(&s.basis, 5, 3, 0.2, 30, 8);
    make_orbitals(&s, 4);
    static const double steps[3][3][3] = {{{0.5, 0, 0}, {0.25, 0.5, 0}, {-0.125, 0.25, 0.75}},
                                          {{0, 0.5, 0}, {0, 0, 0.5}, {0.5, 0, 0}},
                                          {{-0.5, 0, 0}, {0, 0.5, 0}, {0, 0, -0.75}}};
    static const char *const of_steps[] = {"skew", "permuted axes", "negative steps"};
    for (int i = 0; i < 3; i++) {
        set_lattice(&s.job, 18, 9, 10, 0.5);
        memcpy(s.job.step, steps[i], sizeof steps[i]);
        for (int k = 0; k < 3; k++) s.job.origin[k] = -9 * steps[i][0][k] - 4 * steps[i][1][k] - 5 * steps[i][2][k];
        s.job.quantity = ORB_LAPLACIAN;
        double error = compare(&orb_engine_cpu, &s.job);
        s.job.quantity = ORB_ORBITALS;
        error = fmax(error, compare(&orb_engine_cpu, &s.job));
        ok(error < 1e-12, "lattice with %s: error %.1e", of_steps[i], error);
    }
    enum { POINTS = 1500 };
    static double point[POINTS][3];
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) point[i][k] = between(-8, 8);
    s.job.point = (const double(*)[3])point;
    s.job.n[0] = POINTS, s.job.n[1] = s.job.n[2] = 1;
    compare_quantities("list of points", &s.job);
    free_sample(&s);
}

// Primitives far from the lattice, or between its points, or much wider than it.
static void test_extremes(void) {
    struct sample s = {0};
    make_basis(&s.basis, 3, 2, 1e-3, 1e6, 4);
    make_orbitals(&s, 20);
    set_lattice(&s.job, 40, 12, 12, 0.375);
    static const enum orb_quantity quantities[] = {ORB_ORBITALS, ORB_DENSITY, ORB_GRADIENT, ORB_LAPLACIAN, ORB_ELF};
    for (size_t i = 0; i < sizeof quantities / sizeof *quantities; i++) {
        s.job.quantity = quantities[i];
        double error = compare(&orb_engine_cpu, &s.job);
        ok(error < 1e-12, "exponents from 1e-3 to 1e6: %s: error %.1e", names[quantities[i]], error);
    }
    for (int k = 0; k < 3; k++) s.basis.centre[0][k] = 1; // a point of the lattice
    set_lattice(&s.job, 40, 12, 12, 0x1p-10);
    for (int k = 0; k < 3; k++) s.job.origin[k] = 1 - 4 * 0x1p-10;
    s.job.quantity = ORB_ORBITALS;
    double error = compare(&orb_engine_cpu, &s.job);
    ok(error < 1e-12, "exponents of 1e6, points 0.001 bohr apart: error %.1e", error);
    free_sample(&s);

    s = (struct sample){0};
    make_basis(&s.basis, 2, 1, 0.5, 2, 0.1);
    make_orbitals(&s, 2);
    s.basis.centre[1][0] = 500; // does not reach the lattice
    set_lattice(&s.job, 200, 10, 9, 0.5);
    for (int q = 0; q < ORB_QUANTITIES; q++) {
        s.job.quantity = (enum orb_quantity)q;
        error = compare(&orb_engine_cpu, &s.job);
        ok(error < 1e-12, "empty boxes, and a centre far away: %s: error %.1e", names[q], error);
    }
    s.job.origin[0] = 1e4; // nothing reaches it
    bool zero = true;
    for (int q = 0; q < ORB_QUANTITIES; q++) {
        s.job.quantity = (enum orb_quantity)q;
        double *value = compute(&orb_engine_cpu, &s.job, 1, 0), expected = q == ORB_REDUCED_GRADIENT ? 1e4 : 0;
        for (size_t i = 0; value && i < points_of(&s.job); i++) zero = zero && value[i] == expected;
        zero = zero && value;
        free(value);
    }
    ok(zero, "a lattice that nothing reaches: 0, and the largest reduced gradient");
    free_sample(&s);
}

// Of an axis with so many points that there are no tables, no table of another axis remains.
static void test_large_tables(void) {
    struct sample s = {0};
    struct trj_error err;
    struct orb_plan p;
    make_basis(&s.basis, 2, 1, 0.5, 2, 2);
    make_orbitals(&s, 1);
    set_lattice(&s.job, 40, ORB_AXIS_VALUES + 1, 1, 0.25);
    bool good = !orb_plan_make(&p, &s.job, ORB_PLAN_WITHOUT_VALUES, &orb_kernel_plain, NULL, &err);
    ok(good && !p.tables && p.functions && !p.axis[0].values && !p.axis[0].maxima, "too many points for tables: none");
    orb_plan_free(&p);
    free_sample(&s);
}

// ---- the same bytes

static void test_same_bytes(void) {
    static const char *const isas[] = {"plain", "avx2", "avx512"};
    struct sample s = {0};
    make_basis(&s.basis, 4, 2, 0.15, 60, 9);
    make_orbitals(&s, 20);
    set_lattice(&s.job, 37, 21, 11, 0.5);
    for (int skew = 0; skew < 2; skew++) {
        if (skew) {
            set_lattice(&s.job, 20, 9, 11, 0.5);
            s.job.step[0][1] = 0.0625;
        }
        for (int q = 0; q < ORB_QUANTITIES; q++) {
            s.job.quantity = (enum orb_quantity)q;
            double *first = compute(&orb_engine_cpu, &s.job, 1, 0);
            const size_t bytes = orb_job_values(&s.job) * points_of(&s.job) * sizeof *first;
            bool same = first;
            for (unsigned i = 0; i < 6 && first; i++) {
                if (i < 3) setenv("TRJPIPE_ISA", isas[i], 1);
                enum trj_isa isa;
                struct trj_error ignored;
                bool runs = !trj_isa_find(&isa, &ignored);
                double *other = runs ? compute(&orb_engine_cpu, &s.job, i == 3 ? 3 : 1,
                                               i == 4   ? 5
                                               : i == 5 ? 8
                                                        : 0)
                                     : NULL;
                unsetenv("TRJPIPE_ISA");
                if (runs) same = same && other && !memcmp(first, other, bytes);
                free(other);
            }
            ok(same, "%s lattice: %s: the same bytes with all instruction sets, threads and slabs",
               skew ? "skew" : "parallel", names[q]);
            free(first);
        }
    }
    free_sample(&s);
}

// ---- properties

static void test_integral(void) {
    struct sample s = {0};
    make_basis(&s.basis, 3, 0, 0.3, 1.5, 3);
    make_orbitals(&s, 1);
    // One normalised s function with the exponent 0.8, and others with the coefficient 0
    for (size_t f = 0; f < s.basis.functions; f++) s.coefficient[f] = f == 1;
    s.basis.primitive[s.basis.term[2].primitive].exponent = 0.8;
    s.basis.term[2].coefficient = pow(2 * 0.8 / M_PI, 0.75);
    s.basis.term[3].coefficient = 0;
    s.weight[0] = 2;
    set_lattice(&s.job, 80, 80, 80, 0.1875);
    s.job.quantity = ORB_DENSITY;
    double *value = compute(&orb_engine_cpu, &s.job, 1, 0), sum = 0;
    if (!value) abort();
    for (size_t i = 0; i < points_of(&s.job); i++) sum += value[i];
    sum *= pow(0.1875, 3);
    ok(fabs(sum - 2) < 1e-10, "integral of the density of two electrons: %.12f", sum);
    free(value);
    free_sample(&s);
}

// Differences of fourth order, with steps of 1/128 bohr.
static void test_differences(void) {
    struct sample s = {0};
    make_basis(&s.basis, 4, 3, 0.2, 3, 4);
    make_orbitals(&s, 20);
    set_lattice(&s.job, 18, 18, 18, 0x1p-7);
    s.job.quantity = ORB_DENSITY;
    double *rho = compute(&orb_engine_cpu, &s.job, 1, 0);
    s.job.quantity = ORB_GRADIENT;
    double *gradient = compute(&orb_engine_cpu, &s.job, 1, 0);
    s.job.quantity = ORB_LAPLACIAN;
    double *laplacian = compute(&orb_engine_cpu, &s.job, 1, 0), worst = 0, worst_laplacian = 0;
    if (!rho || !gradient || !laplacian) abort();
    for (size_t i = 2; i < 16; i++) {
        const size_t at = i + 18 * (i + 18 * i), stride[3] = {1, 18, 324};
        double square = 0, second = 0;
        for (int k = 0; k < 3; k++) {
            const double *r = rho + at;
            const size_t d = stride[k];
            double slope = (8 * (r[d] - r[-(ptrdiff_t)d]) - (r[2 * d] - r[-2 * (ptrdiff_t)d])) / 12 * 128;
            square += slope * slope;
            second += (16 * (r[d] + r[-(ptrdiff_t)d]) - (r[2 * d] + r[-2 * (ptrdiff_t)d]) - 30 * *r) / 12 * 128 * 128;
        }
        worst = fmax(worst, fabs(sqrt(square) - gradient[at]) / gradient[at]);
        worst_laplacian = fmax(worst_laplacian, fabs(second - laplacian[at]) / (fabs(laplacian[at]) + rho[at]));
    }
    ok(worst < 1e-6 && worst_laplacian < 1e-6, "gradient and Laplacian agree with differences: %.1e, %.1e", worst,
       worst_laplacian);
    free(rho);
    free(gradient);
    free(laplacian);
    free_sample(&s);
}

// ---- runs

struct taken {
    const struct orb_job *job;
    double *value;
    uint64_t next;
    unsigned slabs;
    bool in_order;
};

static int take(void *arg, const struct orb_slab *slab, struct trj_error *err) {
    struct taken *t = arg;
    const size_t plane = (size_t)orb_job_plane(t->job), points = points_of(t->job);
    (void)err;
    t->in_order = t->in_order && slab->first == t->next;
    t->next = slab->first + slab->count;
    t->slabs++;
    for (size_t v = 0; v < orb_job_values(t->job); v++)
        memcpy(t->value + v * points + slab->first * plane, slab->value + v * slab->count * plane,
               slab->count * plane * sizeof *t->value);
    return 0;
}

static int fail_to_take(void *arg, const struct orb_slab *slab, struct trj_error *err) {
    (void)arg, (void)slab;
    return trj_fail(err, TRJ_FAILED, "disk full");
}

static char printed[512];
static void print(const char *text) {
    snprintf(printed, sizeof printed, "%s", text);
}

static void test_runs(void) {
    static const struct trj_engine_options options = {.engine = "cpu", .threads = 2};
    const struct orb_run_plan plan = {.options = &options, .print = print};
    enum { ORBITALS = 64, PLANES = 12 };
    struct sample s = {0};
    struct trj_error err;
    struct orb_run *run;
    make_basis(&s.basis, 2, 1, 0.5, 2, 2);
    make_orbitals(&s, ORBITALS);
    set_lattice(&s.job, 128, 128, PLANES, 0.25); // a slab has 64 MiB
    s.job.quantity = ORB_ORBITALS;
    struct taken t = {&s.job, trj_alloc(ORBITALS * points_of(&s.job), sizeof *t.value, "", &err), 0, 0, true};
    if (!t.value || orb_run_open(&run, &plan, &err)) abort();
    double *whole = compute(&orb_engine_cpu, &s.job, 2, 0);
    ok(!orb_run_job(run, &s.job, take, &t, &err) && t.in_order && t.next == PLANES && t.slabs == 2 && whole &&
           !memcmp(whole, t.value, ORBITALS * points_of(&s.job) * sizeof *whole),
       "a run computes %u slabs in order, with the values of one slab", t.slabs);
    s.job.quantity = ORB_DENSITY;
    free(whole);
    whole = compute(&orb_engine_cpu, &s.job, 2, 0);
    t.next = t.slabs = 0;
    ok(!orb_run_job(run, &s.job, take, &t, &err) && t.slabs == 1 && whole &&
           !memcmp(whole, t.value, points_of(&s.job) * sizeof *whole),
       "a second job of the same run");
    orb_run_print_stats(run, 1000);
    ok(has_text(printed, "2 jobs, 1000 points: ") && has_text(printed, "engine cpu, threads 2"), "%s", printed);
    ok(orb_run_job(run, &s.job, fail_to_take, NULL, &err) && has_text(err.text, "disk full"),
       "an error of the caller ends the job");
    orb_run_close(run);
    free(whole);
    free(t.value);
    free_sample(&s);
}

// ---- invalid jobs

static void test_rejected(void) {
    struct sample s = {0};
    struct trj_error err = {.text = ""};
    make_basis(&s.basis, 2, 1, 0.5, 2, 2);
    make_orbitals(&s, 1);
    set_lattice(&s.job, 4, 4, 4, 0.25);
    ok(!orb_job_check(&s.job, &err), "a valid job");
    s.job.quantity = ORB_PRODUCT;
    ok(orb_job_check(&s.job, &err) && err.status == TRJ_BAD_DATA, "product of one orbital: %s", err.text);
    s.job.quantity = ORB_DENSITY;
    double *const numbers[] = {&s.coefficient[1],
                               &s.weight[0],
                               &s.job.origin[2],
                               &s.job.step[1][0],
                               &s.basis.primitive[2].exponent,
                               &s.basis.centre[1][1],
                               &s.basis.term[3].coefficient};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const double was = *numbers[i];
        *numbers[i] = i % 2 ? NAN : INFINITY;
        ok(orb_job_check(&s.job, &err) && err.status == TRJ_BAD_DATA, "rejected: %s", err.text);
        *numbers[i] = was;
    }
    s.basis.primitive[0].exponent = 0;
    ok(orb_job_check(&s.job, &err), "rejected: %s", err.text);
    s.basis.primitive[0].exponent = 1;
    s.job.n[1] = 0;
    ok(orb_job_check(&s.job, &err), "rejected: %s", err.text);
    s.job.n[1] = s.job.n[2] = UINT64_MAX;
    ok(orb_job_check(&s.job, &err), "rejected: %s", err.text);
    free_sample(&s);
}

// Outside of the blocks of a group, x^power exp(-a x^2) and its derivatives must be at most what the group needs.
// Tables must not be much longer than that.
static void test_reach(void) {
    double centre[1][3] = {{0.3, 0, 0}};
    const struct orb_basis basis = {.centres = 1, .centre = centre};
    double worst = 0;
    uint32_t longest = 0;
    struct trj_error err;
    for (uint32_t powers = 1; powers <= ORB_L_MAX + 1; powers++)
        for (uint32_t orders = 1; orders <= 3; orders++)
            for (double exponent = 0.05; exponent < 1e4; exponent *= 3.7)
                for (double need = 1e-3; need > 1e-30; need *= 1e-5) {
                    struct orb_group group = {.exponent = exponent, .powers = {powers, 1, 1}};
                    const struct orb_combinations c = {.groups = 1, .group = &group};
                    const double step = 0.01 / sqrt(exponent);
                    struct orb_axis a = {.n = 4000,
                                         .origin = centre[0][0] - 2000 * step,
                                         .step = step,
                                         .width = ORB_X,
                                         .orders = orders};
                    const double far = orb_axis_reach(exponent, powers, orders, need);
                    if (orb_axis_make(&a, &c, &basis, 0, &far, NULL, &err)) exit(1);
                    uint32_t reached = 0; // blocks with a value above `need`
                    for (uint64_t i = 0; i < a.n; i++) {
                        const double x = a.origin + (double)i * step - centre[0][0], e = exp(-exponent * x * x);
                        const uint32_t block = (uint32_t)i / ORB_X;
                        double largest = 0;
                        for (uint32_t order = 0; order < orders; order++)
                            for (uint32_t power = 0; power < powers; power++)
                                largest = fmax(largest, fabs(orb_factor(order, power, exponent, x)) * e);
                        if (block < a.group->first || block >= a.group->end) worst = fmax(worst, largest / need);
                        if (i % ORB_X == 0 && largest > need) reached++;
                    }
                    if (a.group->end - a.group->first > reached + longest)
                        longest = a.group->end - a.group->first - reached;
                    orb_axis_free(&a);
                }
    ok(worst <= 1, "values outside of the tables are small: at most %.3g of what is needed", worst);
    ok(longest <= 40, "tables are at most %u of 250 blocks longer than necessary", longest);
}

int main(void) {
    test_quantities();
    test_reach();
    test_lattices();
    test_extremes();
    test_large_tables();
    test_same_bytes();
    test_integral();
    test_differences();
    test_runs();
    test_rejected();
    return done();
}
