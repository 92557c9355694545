// SPDX-License-Identifier: MIT
// Tests particle-mesh Ewald (potential/pme_sum.h): charges on the mesh, their independence of threads and order, the
// reciprocal potential in cells of all shapes, Madelung constants, and the terms of surfaces.
#include <math.h>
#include <stdlib.h>

#include "cell_shapes.h"
#include "charge_mesh.h"
#include "ewald.h"
#include "pme_frames.h"
#include "pme_sum.h"
#include "tap.h"

static const double PI = 3.14159265358979323846;

// ---- charges on the mesh

static void test_mesh_values(void) {
    static const uint64_t meshes[][3] = {{8, 9, 10}, {32, 20, 24}, {1, 2, 3}, {5, 16, 7}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t m = 0; m < sizeof meshes / sizeof *meshes && shapes[s].periodic == TRJ_PERIODIC_ALL; m++) {
            double worst = 0, total = 0, sum = 0;
            for (unsigned order = 4; order <= 8; order += 2) {
                place_charges(shapes[s].h, 200, 3);
                struct pot_frame f = frame_of(shapes[s].h, 200, meshes[m]);
                f.lattice.origin[1] = shapes[s].h[1][1] / 3;
                struct pot_job job = job_of(&f, order, 0);
                job.charge_mesh = true;
                int64_t *mesh = compute(&pot_pme_cpu, &job, &f, 1),
                        *expected = compute(&pot_pme_reference, &job, &f, 1);
                for (size_t i = 0; i < job.values; i++) {
                    worst = fmax(worst, fabs((double)(mesh[i] - expected[i])));
                    total += (double)mesh[i] * job.quantum;
                }
                for (size_t i = 0; i < f.count; i++) sum += charge[i];
                free(mesh);
                free(expected);
            }
            // Rounding a product is an error of half a quantum; an axis of one point adds up all weights.
            double images = 8.0 / (double)meshes[m][0] + 1;
            ok(worst <= 200 * (images > 2 ? 100 : 1) && fabs(total - sum) < 600 * 512 * 0x1p-40,
               "%s, mesh %zu: charges equal those of the recursion to %g quanta; the total charge is kept to %.1e e",
               shapes[s].name, m, worst, fabs(total - sum));
        }
}

static void shuffle(size_t count) {
    for (size_t i = count; i-- > 1;) {
        size_t j = (size_t)(uniform() * (double)(i + 1));
        double q = charge[i];
        charge[i] = charge[j];
        charge[j] = q;
        for (int c = 0; c < 3; c++) {
            double x = position[i][c];
            position[i][c] = position[j][c];
            position[j][c] = x;
        }
    }
}

static void test_mesh_bytes(void) {
    static const char *const isas[] = {"plain", "avx2", "avx512"};
    const uint64_t n[3] = {24, 40, 48};
    for (unsigned order = 4; order <= 8; order += 2) {
        place_charges(shapes[3].h, MAX, 0);
        struct pot_frame f = frame_of(shapes[3].h, MAX, n), frames[2] = {f, f};
        struct pot_job job = job_of(&f, order, 0);
        job.charge_mesh = true;
        int64_t *expected = compute(&pot_pme_cpu, &job, frames, 2);
        bool same = true;
        for (unsigned threads = 2; threads < 6; threads++) {
            shuffle(MAX);
            job.threads = threads;
            int64_t *mesh = compute(&pot_pme_cpu, &job, frames, 2);
            same = same && !memcmp(mesh, expected, job.values * sizeof *mesh);
            free(mesh);
        }
        ok(same, "order %u: equal bytes for 1 to 5 threads and any order of the charges", order);
        for (int i = 0; i < 3; i++) {
            struct trj_error err;
            struct pot_mesh *mesh;
            setenv("TRJPIPE_ISA", isas[i], 1);
            if (pot_mesh_open(&mesh, n, order, job.max_charge, job.quantum, 1, &err)) {
                skip(isas[i], err.text);
            } else {
                bool added = true;
                for (int frame = 0; frame < 2; frame++) added = added && !pot_mesh_add(mesh, &f, &err);
                ok(added && !memcmp(pot_mesh_take(mesh), expected, job.values * sizeof *expected),
                   "order %u: equal bytes with %s", order, isas[i]);
                pot_mesh_close(mesh);
            }
            unsetenv("TRJPIPE_ISA");
        }
        free(expected);
    }
}

static void test_mesh_errors(void) {
    const double h[3][3] = {{9, 0, 0}, {0, 9, 0}, {0, 0, 9}};
    const uint64_t n[3] = {1, 1, 1};
    struct trj_error err;
    struct pot_mesh *mesh;
    place_charges(h, MAX, 0);
    for (size_t i = 0; i < MAX; i++) charge[i] = 1;
    struct pot_frame f = frame_of(h, MAX, n);
    if (pot_mesh_open(&mesh, n, 8, 1, 0x1p-40, 1, &err)) abort();
    int frames = 0;
    while (frames < 1000 && !pot_mesh_add(mesh, &f, &err)) frames++;
    // The sum of a frame is 20,000 x 2^40, in 8 columns of which each may have 2^63 / 10.
    ok(frames > 5 && frames < 420 && strstr(err.text, "can exceed 2^63 quanta"),
       "sums that can overflow: an error after %d frames", frames);
    pot_mesh_close(mesh);
    if (pot_mesh_open(&mesh, n, 4, 0.75, 0x1p-40, 1, &err)) abort();
    ok(pot_mesh_add(mesh, &f, &err) == -1 &&
           strstr(err.text, "atom 0: charge 1 e, but the bound of the set-up is 0.75"),
       "a charge above the bound: rejected");
    pot_mesh_close(mesh);
    charge[0] = NAN;
    if (pot_mesh_open(&mesh, n, 4, 1, 0x1p-40, 1, &err)) abort();
    ok(pot_mesh_add(mesh, &f, &err) == -1 && strstr(err.text, "atom 0"), "a charge that is NaN: rejected");
    pot_mesh_close(mesh);
    ok(pot_mesh_open(&mesh, n, 5, 1, 0x1p-40, 1, &err) == -1 && err.status == TRJ_USAGE, "order 5: rejected");
    ok(pot_mesh_open(&mesh, n, 8, 1, 0x1p-49, 1, &err) == -1 &&
           strstr(err.text, "expected 3.55271e-15 to 9.09495e-13 e") &&
           pot_mesh_open(&mesh, n, 8, 1, 0x1p-39, 1, &err) == -1 && err.status == TRJ_BAD_DATA,
       "a quantum that is too small or too large: rejected: %s", err.text);
    ok(pot_mesh_quantum(1) == 0x1p-40 && pot_mesh_quantum(1.01) == 0x1p-39 && pot_mesh_quantum(0) == 0x1p-40,
       "the quantum is 2^-40 of the power of two that bounds the charges");
}

// ---- the reciprocal potential

static void test_shapes(void) {
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        if (shapes[s].periodic != TRJ_PERIODIC_ALL) continue;
        struct trj_cell cell = {.periodic = TRJ_PERIODIC_ALL};
        memcpy(cell.h, shapes[s].h, sizeof cell.h);
        double alpha = 5 / cbrt(trj_cell_volume(&cell));
        uint64_t n[3];
        for (int k = 0; k < 3; k++) { // a wave of the length 2 pi / k along vector h has m <= k |h| / (2 pi)
            const double *v = cell.h[k];
            n[k] = (uint64_t)(alpha * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 0.35) + 1 + (uint64_t)k % 2;
        }
        place_charges(shapes[s].h, 20, 1);
        struct pot_frame f = frame_of(shapes[s].h, 20, n);
        f.lattice.origin[0] = 0.21 * shapes[s].h[0][0];
        struct pot_job job = job_of(&f, 8, alpha);
        if (alpha < 1e-3) continue; // the huge cell
        int64_t *map = compute(&pot_pme_cpu, &job, &f, 1), *expected = compute(&pot_pme_reference, &job, &f, 1);
        double error = relative_error(map, expected, job.values);
        ok(error < 1e-5, "%s, %u x %u x %u points, a net charge: the potential equals Ewald sums to %.1e",
           shapes[s].name, (unsigned)n[0], (unsigned)n[1], (unsigned)n[2], error);
        free(map);
        free(expected);
    }
}

// The errors of the method itself, which a shift or a wrong factor would exceed.
static void test_accuracy(void) {
    static const struct {
        unsigned order, points;
        double error;
    } cases[] = {{4, 24, 3.3e-5}, {6, 24, 4.3e-7}, {8, 24, 1.2e-8}, {4, 12, 8.4e-4}, {6, 12, 8.7e-5}, {8, 12, 2.1e-5}};
    const double h[3][3] = {{24, 0, 0}, {0, 24, 0}, {0, 0, 24}};
    place_charges(h, 600, 0);
    for (size_t i = 0; i < 600; i++)
        for (int c = 0; c < 3; c++) position[i][c] = 24 * uniform();
    int64_t *expected[2] = {NULL, NULL};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t n[3] = {cases[i].points, cases[i].points, cases[i].points};
        struct pot_frame f = frame_of(h, 600, n);
        struct pot_job job = job_of(&f, cases[i].order, 0.2575);
        int64_t **sums = &expected[cases[i].points == 24], *map = compute(&pot_pme_cpu, &job, &f, 1);
        if (!*sums) *sums = compute(&pot_pme_reference, &job, &f, 1);
        double error = relative_error(map, *sums, job.values);
        ok(error > 0.5 * cases[i].error && error < 2 * cases[i].error,
           "order %u, steps of %u Å: the relative rms error is %.2e, expected about %.1e", cases[i].order,
           24 / cases[i].points, error, cases[i].error);
        free(map);
    }
    free(expected[0]);
    free(expected[1]);
}

// ---- Madelung constants

struct ion {
    double u[3], q;
};

static void test_madelung(const char *name, const struct ion *ion, size_t count, double nearest, double expected,
                          double tolerance) {
    const double a = 5.64, alpha = 8 / a, h[3][3] = {{a, 0, 0}, {0, a, 0}, {0, 0, a}};
    const uint64_t n[3] = {64, 64, 64};
    double energy = 0, largest = 0;
    for (size_t i = 0; i < count; i++) {
        for (int c = 0; c < 3; c++) position[i][c] = a * ion[i].u[c];
        charge[i] = ion[i].q;
        largest = fmax(largest, fabs(ion[i].q));
    }
    struct pot_frame f = frame_of(h, count, n);
    struct pot_job job = job_of(&f, 8, alpha);
    int64_t *map = compute(&pot_pme_cpu, &job, &f, 1);
    for (size_t i = 0; i < count; i++) {
        size_t at[3];
        for (int c = 0; c < 3; c++) at[c] = (size_t)lrint(64 * ion[i].u[c]);
        double potential = (double)map[at[0] + 64 * (at[1] + 64 * at[2])] * job.quantum;
        potential -= 2 * alpha * ion[i].q / sqrt(PI);
        for (size_t j = 0; j < count; j++)
            for (int image = 0; image < 27; image++) {
                double d[3];
                const int shift[3] = {image % 3 - 1, image / 3 % 3 - 1, image / 9 - 1};
                for (int c = 0; c < 3; c++) d[c] = position[j][c] + a * shift[c] - position[i][c];
                double r = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
                if (r > 0) potential += ion[j].q * erfc(alpha * r) / r;
            }
        energy += ion[i].q * potential / 2;
    }
    free(map);
    double units = (double)count / (count == 12 ? 3 : 2); // ions of a formula
    double constant = -energy / units * nearest * a;
    ok(fabs(constant - expected) < tolerance, "%s: Madelung constant %.12f, expected %.12g", name, constant, expected);
}

static void test_crystals(void) {
    static const double face[4][3] = {{0, 0, 0}, {0, 0.5, 0.5}, {0.5, 0, 0.5}, {0.5, 0.5, 0}};
    struct ion nacl[8], zns[8], caf2[12];
    static const struct ion cscl[2] = {{{0, 0, 0}, 1}, {{0.5, 0.5, 0.5}, -1}};
    for (int i = 0; i < 4; i++) {
        nacl[i] = zns[i] = caf2[i] = (struct ion){{face[i][0], face[i][1], face[i][2]}, 1};
        caf2[i].q = 2;
        nacl[4 + i] = zns[4 + i] = caf2[4 + i] = caf2[8 + i] = nacl[i];
        nacl[4 + i].q = zns[4 + i].q = caf2[4 + i].q = caf2[8 + i].q = -1;
        nacl[4 + i].u[0] = fmod(face[i][0] + 0.5, 1);
        for (int c = 0; c < 3; c++) {
            zns[4 + i].u[c] = caf2[4 + i].u[c] = face[i][c] + 0.25;
            caf2[8 + i].u[c] = fmod(face[i][c] + 0.75, 1);
        }
    }
    const double rock_salt = 1.747564594633, blende = 1.638055053389;
    test_madelung("NaCl", nacl, 8, 0.5, rock_salt, 1e-9);
    test_madelung("CsCl", cscl, 2, sqrt(0.75), 1.762674773071, 1e-9);
    test_madelung("ZnS", zns, 8, sqrt(0.1875), blende, 1e-9);
    // CaF2 consists of three face-centred lattices. Ca and F are placed as in ZnS, F and F as in NaCl. With the charges
    // 2, -1 and -1, the energy is 4 times that of ZnS less that of NaCl in cells of the same length.
    test_madelung("CaF2", caf2, 12, sqrt(0.1875), 4 * blende - sqrt(0.75) * rock_salt, 1e-9);
}

// ---- the full potential: a real-space method for this test, which sums over images

struct real {
    const struct pot_job *job;
    double *value;
    int64_t *sum;
};

static int set_up_real(struct pot_job *job, struct trj_error *err) {
    (void)err;
    job->quantum = 0x1p-42; // not that of the method pme
    return 0;
}

static int open_real(void **state, const struct pot_job *job, struct trj_error *err) {
    (void)err;
    struct real *r = malloc(sizeof *r);
    if (!r || job->kernel != POT_KERNEL_ERFC) abort();
    *r = (struct real){job, calloc(job->values, sizeof(double)), calloc(job->values, sizeof(int64_t))};
    *state = r;
    return 0;
}

static int add_real(void *state, const struct pot_frame *f, struct trj_error *err) {
    const struct real *r = state;
    struct pot_ewald *e;
    double sum = 0;
    if (pot_ewald_open(&e, &f->cell, r->job->parameter[0], f->count, f->position, f->charge, err)) return -1;
    for (size_t i = 0; i < f->count; i++) sum += f->charge[i];
    for (size_t i = 0; i < r->job->values; i++) {
        const uint64_t *n = f->lattice.n, row = i / n[0], plane = row / n[1];
        const double index[3] = {(double)(i % n[0]), (double)(row % n[1]), (double)plane};
        double x[3], background = PI / pow(r->job->parameter[0], 2) / trj_cell_volume(&f->cell) * sum;
        trj_map_lattice_position(&f->lattice, index, x);
        r->value[i] += pot_ewald_real(e, x) + background; // the method itself has no background
    }
    pot_ewald_close(e);
    return 0;
}

static int finish_real(void *state, const int64_t **values, struct trj_error *err) {
    const struct real *r = state;
    (void)err;
    for (size_t i = 0; i < r->job->values; i++) r->sum[i] = llrint(r->value[i] / r->job->quantum);
    *values = r->sum;
    return 0;
}

static void close_real(void *state) {
    struct real *r = state;
    if (!r) return;
    free(r->value);
    free(r->sum);
    free(r);
}

static const struct pot_method real_space = {
    .open = open_real, .add = add_real, .finish = finish_real, .close = close_real};

// The method pme with this real-space part.
static int open_exact(void **state, const struct pot_job *job, struct trj_error *err) {
    static struct pot_parts parts;
    parts = pot_parts_cpu;
    parts.real_space = &real_space;
    parts.real_space_setup = set_up_real;
    return pot_pme_open(state, job, &parts, err);
}

static const struct pot_method pme_exact = {
    .open = open_exact, .add = pot_pme_add, .finish = pot_pme_finish, .close = pot_pme_close};

static void make_full(struct pot_job *job) {
    job->full = true;
    job->cutoff = 100;
}

static void test_full(void) {
    const uint64_t n[3] = {25, 27, 24};
    place_charges(shapes[3].h, 12, 1.5);
    for (size_t i = 0; i < 12; i++)
        for (int c = 0; c < 3; c++) position[i][c] += 0.123; // charges are not at points of the mesh
    struct pot_frame f = frame_of(shapes[3].h, 12, n);
    struct pot_job job = job_of(&f, 8, 0.25), other = job_of(&f, 8, 0.3);
    make_full(&job);
    make_full(&other);
    int64_t *a = compute(&pme_exact, &job, &f, 1), *b = compute(&pme_exact, &other, &f, 1),
            *expected = compute(&pot_pme_reference, &job, &f, 1);
    ok(relative_error(a, b, job.values) < 2e-7, "the full potential does not depend on alpha: %.1e",
       relative_error(a, b, job.values));
    ok(relative_error(a, expected, job.values) < 2e-7, "the full potential with a net charge equals Ewald sums: %.1e",
       relative_error(a, expected, job.values));
    for (int exact = 0; exact < 2; exact++) {
        job.exact = exact;
        job.cutoff = exact ? 22 : 18;
        int64_t *map = compute(&pot_pme_cpu, &job, &f, 1);
        double error = relative_error(map, expected, job.values);
        ok(error < (exact ? 5e-9 : 2e-6), "the same with the method cutoff to %g Å%s: %.1e", job.cutoff,
           exact ? ", in float64" : "", error);
        free(map);
    }
    free(a);
    free(b);
    free(expected);
}

// ---- frames

static void test_frames(void) {
    const uint64_t n[3] = {18, 20, 16};
    struct trj_error err;
    place_charges(shapes[3].h, 50, 0);
    struct pot_frame a = frame_of(shapes[3].h, 50, n), b = frame_of(shapes[0].h, 50, n), list[] = {a, a, b, b, a};
    struct pot_job job = job_of(&a, 6, 0.3);
    int64_t *map_a = compute(&pot_pme_cpu, &job, &a, 1), *map_b = compute(&pot_pme_cpu, &job, &b, 1),
            *map = compute(&pot_pme_cpu, &job, list, 5);
    int64_t worst = 0;
    for (size_t i = 0; i < job.values; i++) worst += llabs(map[i] - 3 * map_a[i] - 2 * map_b[i]) > 8;
    ok(!worst, "frames with two cells: the sum of their potentials");
    void *state;
    const int64_t *values;
    if (pot_pme_cpu.open(&state, &job, &err) || pot_pme_cpu.finish(state, &values, &err)) abort();
    ok(!values[0] && !values[job.values - 1], "no frames: all values are 0");
    bool same = true;
    for (int i = 0; i < 2; i++) {
        if (pot_pme_cpu.add(state, &a, &err) || pot_pme_cpu.finish(state, &values, &err)) abort();
        same = same && !memcmp(values, map_a, job.values * sizeof *values);
    }
    ok(same, "each record contains only its own frames");
    a.cell.h[1][1] += 0.01;
    ok(pot_pme_cpu.add(state, &a, &err) == -1 && strstr(err.text, "--fractional"),
       "a lattice that does not divide the cell: rejected with a remedy");
    pot_pme_cpu.close(state);
    pot_pme_cpu.close(NULL);
    free(map_a);
    free(map_b);
    free(map);
}

// ---- surfaces

// Returns the potential of charges that are periodic along x and y only (D. E. Parry, Surf. Sci. 49, 433 (1975)).
static double slab_potential(const double box[2], size_t count, const double at[3]) {
    const double alpha = 6 / box[0];
    double area = box[0] * box[1], sum = 0;
    for (size_t j = 0; j < count; j++) {
        double d[3], term = 0;
        for (int c = 0; c < 3; c++) d[c] = at[c] - position[j][c];
        double z = d[2];
        for (int i = -3; i <= 3; i++)
            for (int k = -3; k <= 3; k++) {
                double r = sqrt(pow(d[0] + i * box[0], 2) + pow(d[1] + k * box[1], 2) + z * z);
                term += erfc(alpha * r) / r;
            }
        term -= 2 / area * (sqrt(PI) / alpha * exp(-alpha * alpha * z * z) + PI * z * erf(alpha * z));
        for (int i = -14; i <= 14; i++)
            for (int l = -14; l <= 14; l++) {
                double kx = 2 * PI * i / box[0], ky = 2 * PI * l / box[1], k = sqrt(kx * kx + ky * ky);
                if (!i && !l) continue;
                double up = k * z < 600 ? exp(k * z) * erfc(k / (2 * alpha) + alpha * z) : 0,
                       down = k * z > -600 ? exp(-k * z) * erfc(k / (2 * alpha) - alpha * z) : 0;
                term += PI / (area * k) * cos(kx * d[0] + ky * d[1]) * (up + down);
            }
        sum += charge[j] * term;
    }
    return sum;
}

static void test_slab(double net) {
    const double box[2] = {8, 9};
    double before = INFINITY;
    bool falls = true;
    enum { CHARGES = 6 };
    for (size_t j = 0; j < CHARGES; j++) {
        charge[j] = (j % 2 ? -0.7 : 0.7) + net / CHARGES;
        position[j][0] = 8 * uniform();
        position[j][1] = 9 * uniform();
        position[j][2] = 3.07 + 3 * uniform() + (double)(j % 2);
    }
    for (int height = 12; height <= 36; height += 12) {
        const double h[3][3] = {{8, 0, 0}, {0, 9, 0}, {2, -1, height}}; // a skew third vector changes nothing
        const uint64_t n[3] = {32, 36, (uint64_t)(4 * height)};
        struct pot_frame f = frame_of(h, CHARGES, n);
        struct pot_job job = job_of(&f, 8, 0.6);
        make_full(&job);
        job.surface = POT_SLAB;
        job.slab_axis = 2;
        int64_t *map = compute(&pme_exact, &job, &f, 1);
        double worst = 0;
        for (int test = 0; test < 12; test++) {
            const size_t at[3] = {(size_t)(32 * uniform()), (size_t)(36 * uniform()), (size_t)(test * 4)};
            double x[3], index[3] = {(double)at[0], (double)at[1], (double)at[2]};
            trj_map_lattice_position(&f.lattice, index, x);
            double value = (double)map[at[0] + 32 * (at[1] + 36 * at[2])] * job.quantum;
            worst = fmax(worst, fabs(value - slab_potential(box, CHARGES, x)));
        }
        free(map);
        printf("# net charge %g, cell %d Å high: largest difference from the sums of a slab %.1e e/Å\n", net, height,
               worst);
        falls = falls && (worst < before || worst < 1e-6);
        before = worst;
    }
    ok(falls && before < 1e-6, "a slab with net charge %g: the potential of a system that is periodic along two axes",
       net);
}

static void test_slab_errors(void) {
    const double h[3][3] = {{8, 0, 0}, {0, 9, 0}, {0, 0, 20}};
    const uint64_t n[3] = {8, 8, 8};
    struct trj_error err;
    void *state;
    place_charges(h, 300, 0);
    struct pot_frame f = frame_of(h, 300, n);
    struct pot_job job = job_of(&f, 4, 0.3);
    job.surface = POT_SLAB;
    job.slab_axis = 2;
    if (pot_pme_setup(&job, &err) || pot_pme_cpu.open(&state, &job, &err)) abort();
    ok(pot_pme_cpu.add(state, &f, &err) == -1 && strstr(err.text, "vacuum"), "a slab without vacuum: rejected");
    pot_pme_cpu.close(state);
    place_charges(h, 300, 1);
    job = job_of(&f, 4, 0.3);
    job.surface = POT_VACUUM;
    if (pot_pme_setup(&job, &err) || pot_pme_cpu.open(&state, &job, &err)) abort();
    ok(pot_pme_cpu.add(state, &f, &err) == -1 && strstr(err.text, "net charge"),
       "a charged crystal in vacuum: rejected");
    pot_pme_cpu.close(state);
}

// Returns the sum over cells n with the weights exp(-s n^2), which is that of a sphere for s = 0 (de Leeuw).
static double sphere_potential(double a, size_t count, const double at[3], double s) {
    double sum = 0;
    int max = (int)sqrt(25 / s);
    for (int i = -max; i <= max; i++)
        for (int j = -max; j <= max; j++)
            for (int k = -max; k <= max; k++) {
                double cell = 0;
                for (size_t q = 0; q < count; q++)
                    cell += charge[q] /
                            sqrt(pow(at[0] - position[q][0] - a * i, 2) + pow(at[1] - position[q][1] - a * j, 2) +
                                 pow(at[2] - position[q][2] - a * k, 2));
                sum += cell * exp(-s * (i * i + j * j + k * k));
            }
    return sum;
}

static void test_sphere(void) {
    const double a = 6, h[3][3] = {{a, 0, 0}, {0, a, 0}, {0, 0, a}};
    const uint64_t n[3] = {32, 32, 32};
    static const double x[3][3] = {{1.1, 2.3, 3.2}, {-2.2, 4.1, 0.4}, {3.3, 3.1, 5.5}}; // one in another cell
    memcpy(position, x, sizeof x);
    charge[0] = 1;
    charge[1] = -0.4;
    charge[2] = -0.6;
    struct pot_frame f = frame_of(h, 3, n);
    struct pot_job job = job_of(&f, 8, 0.7);
    make_full(&job);
    job.surface = POT_VACUUM;
    int64_t *map = compute(&pme_exact, &job, &f, 1);
    double worst = 0;
    for (size_t test = 0; test < 3; test++) {
        const size_t at[3] = {3 + 7 * test, 29 - 9 * test, 12 + test};
        const double r[3] = {a / 32 * (double)at[0], a / 32 * (double)at[1], a / 32 * (double)at[2]};
        // The error of the sum is proportional to s.
        double sum = 2 * sphere_potential(a, 3, r, 0.02) - sphere_potential(a, 3, r, 0.04);
        worst = fmax(worst, fabs((double)map[at[0] + 32 * (at[1] + 32 * at[2])] * job.quantum - sum));
    }
    free(map);
    ok(worst < 1e-4, "a sphere in vacuum: the sum over cells, to %.1e e/Å", worst);
}

int main(void) {
    test_mesh_values();
    test_mesh_bytes();
    test_mesh_errors();
    if (!trj_version_of_FFTW) {
        skip("potentials", "this build lacks FFTW");
        return done();
    }
    test_shapes();
    test_accuracy();
    test_crystals();
    test_full();
    test_frames();
    test_slab(0);
    test_slab(0.9);
    test_slab_errors();
    test_sphere();
    return done();
}
