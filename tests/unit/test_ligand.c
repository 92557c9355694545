// SPDX-License-Identifier: MIT
// Tests maps of ligands (ligand/ligand_job.h) against sums over all images in float64, in all shapes of cells, within
// the error bound of ligand_kernel.h; the second virial coefficient of one atom, an empty box, and the chemical
// potential of a fluid; orientations; equal bytes for threads and instruction sets; and errors.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cell_shapes.h"
#include "instruction_set.h"
#include "ligand_engine.h"
#include "ligand_setup.h"
#include "tap.h"
#include "uniform.h"
#include "units.h"

#define PI 3.14159265358979323846
static const double COULOMB_KCAL = 332.0637132991921;

enum { ATOMS = 120 };
static double sigma[ATOMS], epsilon[ATOMS], charge[ATOMS];
static uint32_t numbers[ATOMS];
static struct trj_group group = {.atoms = numbers, .count = ATOMS};
static const struct trj_map_lattice fixed = {
    .n = {5, 4, 6}, .origin = {1.5, -2, 3}, .step = {{1.7, 0, 0}, {0.2, 1.9, 0}, {-0.3, 0.4, 1.3}}};

static void resize(struct trj_frame *f, size_t atoms) {
    struct trj_error err;
    *f = (struct trj_frame){.atoms = 0};
    if (trj_frame_resize(f, atoms, &err)) abort();
    f->unit = 1;
}

static struct work_resources resources = {.threads = 1};

static struct lig_job job_of(const char *ligand, size_t atoms) {
    struct trj_error err;
    struct lig_job job = {.orientations = 7, .group = &group, .atoms = atoms, .sigma = sigma, .epsilon = epsilon};
    group.count = atoms;
    for (size_t i = 0; i < atoms; i++) numbers[i] = (uint32_t)i;
    if (lig_ligand_find(&job.ligand, ligand, &err)) abort();
    job.cutoff = 9;
    job.temperature = 300;
    job.cap = 60;
    job.bits = 40;
    job.lattice = fixed;
    return job;
}

// Computes the map of one frame; the caller frees it. NULL: *err is set.
static int64_t *compute(struct lig_job *job, struct trj_frame *f, struct trj_error *err) {
    const struct work_map_engine *e = &lig_engine_cpu;
    void *state = NULL;
    int64_t *values = NULL;
    const int64_t *found;
    size_t bytes = (size_t)trj_map_lattice_points(&job->lattice) * sizeof *values;
    if (!lig_job_make(job, err) && !e->open(&state, job, &resources, err) && !e->add(state, f, err) &&
        !e->finish(state, &found, err)) {
        values = malloc(bytes);
        if (values) memcpy(values, found, bytes);
    }
    e->close(state);
    if (!values) printf("# %s\n", err->text);
    return values;
}

// ---- the reference

struct sums {
    double energy, bound; // kT
    bool overlaps;
};

// Adds the pair of an atom and a site, in kT, with its error bound for coordinates with errors of up to 5e-6 Å.
static void add_pair(struct sums *s, const struct lig_job *job, const struct lig_site *site, size_t atom, double r2) {
    double kt = TRJ_GAS_CONSTANT / 4.184 * job->temperature, rc = job->cutoff, r = sqrt(r2), u = 0x1p-24;
    double mixed = job->geometric ? sqrt(sigma[atom] * site->sigma) : (sigma[atom] + site->sigma) / 2;
    double e = 4 * sqrt(epsilon[atom] * site->epsilon) / kt, x = pow(mixed / r, 6), f = 2 * sqrt(3) * 5e-6 / r + 4 * u;
    double q = job->charge ? charge[atom] * site->charge * COULOMB_KCAL / kt : 0;
    double size = e * (x * x + x) + fabs(q) * (1 / r + 2 / rc);
    if (fabs(r2 - rc * rc) < f * r2) s->bound += size;
    if (r2 >= rc * rc) return;
    s->overlaps |= e * (x * x - x) > job->cap;
    s->energy += e * (x * x - x) + q * (1 / r + r2 / (2 * rc * rc * rc) - 3 / (2 * rc));
    s->bound += (6 * f + 40 * u) * size;
}

// Adds the images of all atoms with a site at x.
static void add_images(struct sums *s, const struct lig_job *job, const struct trj_frame *f,
                       const struct lig_site *site, const double x[3]) {
    double g[3][3];
    trj_cell_reciprocal(&f->cell, g);
    for (size_t i = 0; i < f->atoms; i++) {
        double d[3];
        int n[3], low[3], high[3];
        for (int k = 0; k < 3; k++) d[k] = (double)f->x[k][i] * f->unit - x[k];
        for (int v = 0; v < 3; v++) { // images within the cutoff have fractional coordinates in this range
            double at = g[v][0] * d[0] + g[v][1] * d[1] + g[v][2] * d[2];
            double far = job->cutoff * sqrt(g[v][0] * g[v][0] + g[v][1] * g[v][1] + g[v][2] * g[v][2]) + 1e-6;
            low[v] = (int)ceil(-far - at);
            high[v] = (int)floor(far - at);
        }
        for (n[0] = low[0]; n[0] <= high[0]; n[0]++)
            for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
                for (n[2] = low[2]; n[2] <= high[2]; n[2]++) {
                    double r2 = 0;
                    for (int c = 0; c < 3; c++) {
                        double y = d[c];
                        for (int v = 0; v < 3; v++)
                            if (f->cell.periodic >> v & 1) y += n[v] * f->cell.h[v][c];
                        r2 += y * y;
                    }
                    if (r2 < 1.01 * job->cutoff * job->cutoff) add_pair(s, job, site, i, r2);
                }
    }
}

// Returns the mean Boltzmann factor at x, and the bound of its error.
static double expected(const struct lig_job *job, const struct trj_frame *f, const double x[3], double *bound) {
    double mean = 0;
    *bound = ldexp(1, -(int)job->bits);
    for (unsigned o = 0; o < job->orientations; o++) {
        struct sums s = {.energy = 0};
        for (size_t i = 0; i < job->ligand.sites; i++) {
            const float *p = job->position[o * job->ligand.sites + i];
            const double at[3] = {x[0] + (double)p[0], x[1] + (double)p[1], x[2] + (double)p[2]};
            add_images(&s, job, f, &job->ligand.site[i], at);
        }
        double factor = s.overlaps ? 0 : exp(-s.energy);
        mean += factor / job->orientations;
        *bound += (factor * expm1(s.bound) + (s.overlaps ? exp(-s.energy) : 0)) / job->orientations;
    }
    return mean;
}

// Compares a map with the reference at every `every`-th point.
static void compare(const struct lig_job *job, const struct trj_frame *f, const struct trj_map_lattice *l,
                    const int64_t *values, size_t every, const char *what) {
    double worst = 0, largest = 0, quantum = ldexp(1, -(int)job->bits), relative = 0;
    size_t points = 0;
    if (!values) {
        ok(false, "%s: not computed", what);
        return;
    }
    for (size_t p = 0; p < trj_map_lattice_points(l); p += every) {
        const uint64_t i[3] = {p % l->n[0], p / l->n[0] % l->n[1], p / l->n[0] / l->n[1]};
        const double index[3] = {(double)i[0], (double)i[1], (double)i[2]};
        double x[3], bound;
        trj_map_lattice_position(l, index, x);
        double e = expected(job, f, x, &bound), got = (double)values[p] * quantum;
        worst = fmax(worst, fabs(got - e) / bound);
        if (e > 1e-6) relative = fmax(relative, fabs(got - e) / e);
        largest = fmax(largest, e);
        points += e > 1e-6;
    }
    ok(worst <= 1 && points > 0,
       "%s: %.2g of the bound, relative error %.1g, largest factor %.3g, %zu factors above 10^-6", what, worst,
       relative, largest, points);
}

// ---- tests

static void fill_parameters(void) {
    for (size_t i = 0; i < ATOMS; i++) {
        sigma[i] = i % 5 ? 1.5 + 0.25 * (double)(i % 4) : 0;
        epsilon[i] = 0.1 * (double)(i % 4);
        charge[i] = epsilon[i] > 0 && sigma[i] > 0 ? 0.15 * ((double)(i % 3) - 1) : 0;
    }
}

static void test_shapes(void) {
    static const char *const ligands[] = {"O2", "Xe", "water", "CO"};
    struct trj_error err;
    fill_parameters();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (!strcmp(shapes[i].name, "tiny cube") || !strcmp(shapes[i].name, "huge cube")) continue;
        struct trj_frame f;
        size_t atoms =
            !strcmp(shapes[i].name, "cube, three images deep") || !strcmp(shapes[i].name, "very skew") ? 4 : 30;
        struct lig_job job = job_of(ligands[i % 4], atoms);
        resize(&f, atoms);
        place(&f, &shapes[i], i % 3 ? RANDOM : FAR_OUT, i % 2 ? 10 : 1);
        job.charge = i % 2 ? charge : NULL;
        job.geometric = i % 2 == 0;
        if (job.ligand.sites == 1) job.orientations = 1;
        int64_t *values = compute(&job, &f, &err);
        compare(&job, &f, &job.lattice, values, 1, shapes[i].name);
        free(values);
        lig_job_free(&job);
        trj_frame_free(&f);
    }
}

static void test_fractional(void) {
    struct trj_error err;
    struct trj_frame f;
    struct lig_job job = job_of("water", 30);
    resize(&f, 30);
    place(&f, &shapes[3], RANDOM, 1);
    job.charge = charge;
    job.fractional = true;
    job.orientations = 11;
    job.cutoff = 11;
    if (trj_map_lattice_cover(&job.lattice, &f.cell, 1.1, &err)) abort();
    int64_t *values = compute(&job, &f, &err);
    compare(&job, &f, &job.lattice, values, 17, "a lattice that divides a triclinic cell, cutoff beyond half of it");
    free(values);
    lig_job_free(&job);
    trj_frame_free(&f);
}

static void test_equal_bytes(void) {
    struct trj_error err;
    struct trj_frame f;
    resize(&f, ATOMS);
    place(&f, &shapes[5], RANDOM, 1);
    int64_t *first = NULL;
    static const char *const isas[] = {"plain", "avx2", "avx512"};
    for (int charged = 0; charged < 2; charged++) {
        for (size_t i = 0; i < 3; i++)
            for (unsigned threads = 1; threads <= 3; threads += 2) {
                struct lig_job job = job_of("CO", ATOMS);
                enum trj_isa isa;
                if (setenv("TRJPIPE_ISA", isas[i], 1)) abort();
                if (trj_isa_find(&isa, &err)) {
                    skip(isas[i], "not supported by this CPU");
                    continue;
                }
                resources.threads = threads;
                job.charge = charged ? charge : NULL;
                if (trj_map_lattice_cover(&job.lattice, &f.cell, 1.3, &err)) abort();
                int64_t *values = compute(&job, &f, &err);
                size_t bytes = (size_t)trj_map_lattice_points(&job.lattice) * sizeof *values;
                if (!first)
                    first = values;
                else {
                    ok(values && !memcmp(first, values, bytes), "%s, threads %u%s: equal bytes", isas[i], threads,
                       charged ? ", charges" : "");
                    free(values);
                }
                lig_job_free(&job);
            }
        free(first);
        first = NULL;
    }
    unsetenv("TRJPIPE_ISA");
    trj_frame_free(&f);
}

// The integral of 1 - exp(-u/kT) over the volume is twice the second virial coefficient (with pairs of equal atoms).
static void test_virial(void) {
    struct trj_error err;
    struct trj_frame f;
    struct lig_job job = job_of("Kr", 1);
    sigma[0] = job.ligand.site[0].sigma;
    epsilon[0] = job.ligand.site[0].epsilon;
    job.orientations = 1;
    job.cutoff = 10.1;
    job.lattice = (struct trj_map_lattice){.periodic = 7};
    resize(&f, 1);
    f.cell = (struct trj_cell){.h = {{21, 0, 0}, {0, 21, 0}, {0, 0, 21}}, .periodic = 7};
    f.x[0][0] = 3.3F, f.x[1][0] = 20.7F, f.x[2][0] = 9.1F;
    if (trj_map_lattice_cover(&job.lattice, &f.cell, 0.25, &err)) abort();
    int64_t *values = compute(&job, &f, &err);
    double sum = 0, b2 = 0, kt = lig_job_kt(&job), h = 1e-4;
    for (size_t i = 0; i < trj_map_lattice_points(&job.lattice); i++) sum += 1 - ldexp((double)values[i], -40);
    sum *= trj_map_lattice_voxel(&job.lattice);
    for (int i = 0; i < (int)(job.cutoff / h); i++) {
        double r = h * (i + 0.5);
        double x = pow(sigma[0] / r, 6);
        b2 += -2 * PI * h * r * r * expm1(-4 * epsilon[0] / kt * (x * x - x));
    }
    ok(fabs(sum / 2 - b2) < 2e-3 * fabs(b2), "one krypton atom: B2 %.4f A^3 from the map, %.4f from the integral",
       sum / 2, b2);
    free(values);
    lig_job_free(&job);
    trj_frame_free(&f);
}

static void test_empty(void) {
    struct trj_error err;
    struct trj_frame f;
    struct lig_job job = job_of("O2", 10);
    resize(&f, 10);
    place(&f, &shapes[0], RANDOM, 1);
    for (int i = 0; i < 10; i++) epsilon[i] = 0;
    int64_t *values = compute(&job, &f, &err);
    bool one = true;
    for (size_t i = 0; i < trj_map_lattice_points(&job.lattice); i++) one &= values[i] == (int64_t)1 << 40;
    ok(one, "a box of atoms without interactions: all factors are 1");
    free(values);
    lig_job_free(&job);
    trj_frame_free(&f);
}

// ---- a fluid

// Returns the energy of atom i with the nearest images of the others, or of a point if i is `atoms`.
static double energy_of(const struct trj_frame *f, size_t i, const double x[3], double cutoff) {
    double sum = 0, size = f->cell.h[0][0];
    for (size_t j = 0; j < f->atoms; j++) {
        double r2 = 0;
        for (int k = 0; k < 3 && j != i; k++) {
            double d = (double)f->x[k][j] - x[k];
            d -= size * rint(d / size);
            r2 += d * d;
        }
        if (j == i || r2 >= cutoff * cutoff) continue;
        double y = pow(sigma[0] * sigma[0] / r2, 3);
        sum += 4 * epsilon[0] * (y * y - y);
    }
    return sum;
}

// Moves the atoms by Metropolis Monte Carlo.
static void equilibrate(struct trj_frame *f, double kt, double cutoff, int sweeps) {
    for (int n = 0; n < sweeps * (int)f->atoms; n++) {
        size_t i = (size_t)((double)f->atoms * uniform());
        double old[3], moved[3];
        for (int k = 0; k < 3; k++) {
            old[k] = (double)f->x[k][i];
            moved[k] = (double)(float)(old[k] + 0.8 * (uniform() - 0.5));
        }
        double change = energy_of(f, i, moved, cutoff) - energy_of(f, i, old, cutoff);
        if (uniform() < exp(-change / kt))
            for (int k = 0; k < 3; k++) f->x[k][i] = (float)moved[k];
    }
}

static void test_fluid(void) {
    struct trj_error err;
    struct trj_frame f;
    enum { SIDE = 4, FLUID = SIDE * SIDE * SIDE, INSERTIONS = 20000 };
    struct lig_job job = job_of("Ar", FLUID);
    double size = 17.6, kt;
    for (size_t i = 0; i < FLUID; i++) {
        sigma[i] = job.ligand.site[0].sigma;
        epsilon[i] = job.ligand.site[0].epsilon;
    }
    job.orientations = 1;
    job.temperature = 180;
    job.cutoff = 8.8;
    job.bits = 32;
    kt = lig_job_kt(&job);
    resize(&f, FLUID);
    f.cell = (struct trj_cell){.h = {{size, 0, 0}, {0, size, 0}, {0, 0, size}}, .periodic = 7};
    for (size_t i = 0; i < FLUID; i++)
        for (size_t k = 0, n = i; k < 3; k++, n /= SIDE) f.x[k][i] = (float)((double)(n % SIDE) * size / SIDE);
    equilibrate(&f, kt, job.cutoff, 200);
    if (trj_map_lattice_cover(&job.lattice, &f.cell, 0.4, &err)) abort();
    int64_t *values = compute(&job, &f, &err);
    double mean = 0, widom = 0, square = 0;
    size_t points = (size_t)trj_map_lattice_points(&job.lattice);
    for (size_t i = 0; i < points; i++) mean += ldexp((double)values[i], -32) / (double)points;
    for (int i = 0; i < INSERTIONS; i++) {
        const double x[3] = {size * uniform(), size * uniform(), size * uniform()};
        double factor = exp(-energy_of(&f, FLUID, x, job.cutoff) / kt);
        widom += factor / INSERTIONS;
        square += factor * factor / INSERTIONS;
    }
    double error = sqrt((square - widom * widom) / INSERTIONS);
    ok(fabs(mean - widom) < 4 * error,
       "liquid argon: chemical potential %.4f kT from the map, %.4f +- %.4f from insertions at random points",
       -log(mean), -log(widom), error / widom);
    compare(&job, &f, &job.lattice, values, 101, "liquid argon");
    free(values);
    lig_job_free(&job);
    trj_frame_free(&f);
}

// ---- the correction for the cutoff

// Returns -ln of the mean factor for a cutoff.
static double free_energy(struct trj_frame *f, size_t atoms, double cutoff, bool tail, const char *ligand) {
    struct trj_error err;
    struct lig_job job = job_of(ligand, atoms);
    job.cutoff = cutoff;
    job.tail = tail;
    job.lattice = (struct trj_map_lattice){.periodic = 7};
    if (trj_map_lattice_cover(&job.lattice, &f->cell, 2.5, &err)) abort();
    int64_t *values = compute(&job, f, &err);
    double sum = 0;
    size_t points = (size_t)trj_map_lattice_points(&job.lattice);
    for (size_t i = 0; i < points; i++) sum += ldexp((double)values[i], -40) / (double)points;
    free(values);
    lig_job_free(&job);
    return -log(sum);
}

// In a uniform fluid, a short cutoff with the correction gives the result of a long one. Atoms on a lattice are uniform
// at long distances.
static void test_tail(void) {
    struct trj_frame f;
    enum { SIDE = 4, FLUID = SIDE * SIDE * SIDE };
    for (size_t i = 0; i < FLUID; i++) {
        sigma[i] = 3 + 0.5 * (double)(i % 2);
        epsilon[i] = 0.3;
    }
    resize(&f, FLUID);
    f.cell = (struct trj_cell){.h = {{20, 0, 0}, {3, 20, 0}, {-2, 1, 20}}, .periodic = 7};
    for (size_t i = 0; i < FLUID; i++) {
        double s[3] = {(double)(i % SIDE), (double)(i / SIDE % SIDE), (double)(i / SIDE / SIDE)};
        for (int c = 0; c < 3; c++) {
            double x = 0;
            for (int k = 0; k < 3; k++) x += s[k] / SIDE * f.cell.h[k][c];
            f.x[c][i] = (float)x;
        }
    }
    double near = free_energy(&f, FLUID, 10, false, "O2"), corrected = free_energy(&f, FLUID, 10, true, "O2"),
           far = free_energy(&f, FLUID, 40, true, "O2"), expected = 0, kt = 300 * 8.31446261815324e-3 / 4.184;
    for (size_t i = 0; i < FLUID; i++) {
        double s = (3.02 + sigma[i]) / 2, e = sqrt(0.3 * 49.0 * 1.98720425864083e-3) / kt, h = 1e-3;
        for (int n = 0; n < 100000; n++) { // two sites, from 10 to 110 Å
            double r = 10 + h * (n + 0.5), y = pow(s / r, 6);
            expected += 2 * 4 * PI * r * r * h * 4 * e * (y * y - y) / (20 * 20 * 20);
        }
    }
    ok(fabs(corrected - near - expected) < 2e-3 * fabs(expected),
       "the correction for a cutoff of 10 A: %.5f kT, from the integral %.5f kT", corrected - near, expected);
    ok(fabs(corrected - far) < 0.1 * fabs(near - far),
       "a uniform fluid: %.4f kT for 10 A, corrected %.4f, and %.4f for "
       "40 A",
       near, corrected, far);
    trj_frame_free(&f);
}

// ---- orientations

static void test_orientations(void) {
    enum { N = 500 };
    struct trj_error err;
    struct lig_ligand l;
    static float x[N * LIG_SITES_MAX][3];
    double worst = 0, golden = PI * (3 - sqrt(5)), sum[3] = {0}, square[3] = {0};
    if (lig_ligand_find(&l, "O2", &err)) abort();
    lig_ligand_orient(&l, N, x);
    for (int i = 0; i < N; i++) {
        double z = 1 - (2.0 * i + 1) / N, r = sqrt(1 - z * z);
        const double to[3] = {r * cos(i * golden), r * sin(i * golden), z};
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(0.605 * to[k] - (double)x[i * 3][k]));
            worst = fmax(worst, fabs((double)(x[i * 3][k] + x[i * 3 + 1][k])));
            worst = fmax(worst, fabs((double)x[i * 3 + 2][k]));
        }
    }
    ok(worst < 1e-6, "directions of a line: those of the spiral, to %.1g Å", worst);
    if (lig_ligand_find(&l, "water", &err)) abort();
    lig_ligand_orient(&l, N, x);
    worst = 0;
    for (int i = 0; i < N; i++) {
        const float *o = x[i * 3], *h = x[i * 3 + 1], *g = x[i * 3 + 2];
        double oh = 0, hh = 0;
        for (int k = 0; k < 3; k++) {
            oh += pow((double)(h[k] - o[k]), 2);
            hh += pow((double)(h[k] - g[k]), 2);
            sum[k] += (double)h[k] / N;
            square[k] += (double)h[k] * (double)h[k] / N;
        }
        worst = fmax(worst, fabs(sqrt(oh) - 0.9572) + fabs(sqrt(hh) - 2 * 0.75695033));
    }
    ok(worst < 1e-6, "rotations of water keep its distances, to %.1g Å", worst);
    double third = 0.9572 * 0.9572 / 3;
    ok(fabs(sum[0]) + fabs(sum[1]) + fabs(sum[2]) < 0.02 && fabs(square[0] - third) < 0.01 &&
           fabs(square[1] - third) < 0.01 && fabs(square[2] - third) < 0.01,
       "rotations of water are even: mean %.3f %.3f %.3f, squares %.3f %.3f %.3f (%.3f)", sum[0], sum[1], sum[2],
       square[0], square[1], square[2], third);
}

// ---- errors, and free energies

static void rejected(struct lig_job *job, struct trj_frame *f, const char *text) {
    struct trj_error err = {.text = ""};
    int64_t *values = compute(job, f, &err);
    ok(!values && has_text(err.text, text), "rejected: %s", err.text);
    free(values);
    lig_job_free(job);
}

static void test_errors(void) {
    struct trj_frame f;
    fill_parameters();
    resize(&f, 10);
    place(&f, &shapes[0], RANDOM, 1);
    struct lig_job job = job_of("Xe", 10);
    epsilon[3] = -1;
    rejected(&job, &f, "atom 3: sigma");
    fill_parameters();
    job = job_of("Xe", 10);
    job.cutoff = 0;
    rejected(&job, &f, "--cutoff");
    job = job_of("Xe", 10);
    job.atoms = 11;
    rejected(&job, &f, "10 atoms, but earlier frames have 11");
    job = job_of("Xe", 10);
    job.ligand.site[0].epsilon = 0;
    rejected(&job, &f, "no site of the ligand interacts");
    job = job_of("Xe", 10);
    job.bits = 52;
    for (int i = 0; i < 10; i++) {
        epsilon[i] = 50;
        f.x[0][i] = 5 + 4.2F * (float)(i % 2);
        f.x[1][i] = 5;
        f.x[2][i] = 5 + (float)i * 1e-3F;
    }
    sigma[1] = sigma[2] = 3;
    rejected(&job, &f, "quanta; reduce --bits");
    trj_frame_free(&f);
}

static void test_conversion(void) {
    struct lig_setup s = {.energies = true, .energy = {.kt = 2, .reference = 1}, .ceiling = 40};
    double values[4] = {1, exp(-3), 0, 1e-30}, errors[4] = {0.1, 0.01, 0, 1e-31}, means[4];
    memcpy(means, values, sizeof means);
    lig_setup_convert(&s, values, errors, 4);
    ok(fabs(errors[0] - 0.2) < 1e-12 && fabs(errors[1] - 2 * 0.01 * exp(3)) < 1e-9 && errors[2] == 40 &&
           fabs(errors[3] - 0.2) < 1e-12 && !s.limited,
       "errors of free energies: kT times the relative error");
    lig_setup_convert(&s, means, NULL, 4);
    ok(means[0] == 0 && fabs(means[1] - 6) < 1e-12 && means[2] == 40 && means[3] == 40 && s.limited == 2,
       "free energies: -kT ln B, at most the ceiling");
}

int main(void) {
    test_shapes();
    test_fractional();
    test_equal_bytes();
    test_virial();
    test_empty();
    test_fluid();
    test_tail();
    test_orientations();
    test_errors();
    test_conversion();
    return done();
}
