// SPDX-License-Identifier: MIT
// Tests pair potentials with a cutoff (potential/cutoff_sum.h): against float64 sums over all images that are computed
// here, in cells and lattices of every shape; the same bytes for any order of atoms, threads and instruction set;
// points exactly at the cutoff; integrals; infinite values; the names of kernels.
#include <stdint.h>
#include <unistd.h>

#include "cell_shapes.h"
#include "cutoff_sum.h"
#include "memory.h"
#include "tap.h"
#include "uniform.h"

enum { MAX = 64, SHAPES = sizeof shapes / sizeof *shapes };

// A frame with its atoms, and the job.
struct sample {
    struct pot_job job;
    struct pot_frame frame;
    double position[MAX][3], charge[MAX], sigma[MAX], epsilon[MAX];
    uint32_t atom[MAX];
};

static const double table_r[] = {0, 0.5, 1, 2, 3, 4.5, 6, 9, 13, 20, 30},
                    table_f[] = {5, 4, 3, 1.5, 1, 0.3, -0.1, 0.05, 0.02, 0, 0};

static void set_lattice(struct sample *s, const struct trj_map_lattice *l) {
    s->job.lattice = s->frame.lattice = *l;
    s->job.values = (size_t)trj_map_lattice_points(l);
}

static void make_sample(struct sample *s, const struct shape *shape, size_t atoms, enum pot_kernel_kind kernel) {
    *s = (struct sample){.job = {.method = POT_CUTOFF, .atoms = atoms, .max_charge = 1.5, .threads = 1}};
    s->job.kernel = kernel;
    s->job.cutoff = shape->rmax;
    s->job.table_count = sizeof table_r / sizeof *table_r;
    s->job.table_r = table_r;
    s->job.table_f = table_f;
    static const double parameters[POT_KERNELS][3] = {[POT_KERNEL_REACTION] = {78.5},
                                                      [POT_KERNEL_ERFC] = {0.31},
                                                      [POT_KERNEL_YUKAWA] = {0.13},
                                                      [POT_KERNEL_LJ] = {3.4, 0.086},
                                                      [POT_KERNEL_BUCKINGHAM] = {30000, 3.5, 300}};
    memcpy(s->job.parameter, parameters[kernel], sizeof s->job.parameter);
    s->frame = (struct pot_frame){.count = atoms,
                                  .position = (const double(*)[3])s->position,
                                  .charge = s->charge,
                                  .radius = s->sigma,
                                  .epsilon = s->epsilon,
                                  .atom = s->atom};
    memcpy(s->frame.cell.h, shape->h, sizeof shape->h);
    s->frame.cell.periodic = shape->periodic;
    for (size_t i = 0; i < atoms; i++) {
        double u[3];
        for (int k = 0; k < 3; k++) u[k] = 2 * uniform() - 0.5; // also outside of the cell
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++) {
                const double *h = shape->h[k];
                s->position[i][c] += u[k] * (h[0] != 0 || h[1] != 0 || h[2] != 0 ? h[c] : k == c ? 20 : 0);
            }
        s->charge[i] = 3 * uniform() - 1.5;
        s->sigma[i] = i % 5 ? 2.5 + uniform() : 0;
        s->epsilon[i] = i % 5 ? 0.2 * uniform() : 0;
        s->atom[i] = (uint32_t)(100 + i);
    }
}

// ---- sums in float64

static double table_value(double r) {
    size_t i = 0, n = sizeof table_r / sizeof *table_r;
    while (i + 2 < n && table_r[i + 1] <= r) i++;
    double slope[2], h = table_r[i + 1] - table_r[i], t = (r - table_r[i]) / h;
    for (size_t k = i; k <= i + 1; k++) { // of the parabola through three rows
        size_t a = k ? k - 1 : 0, b = k + 1 < n ? k + 1 : k;
        double x0 = table_r[a], x1 = table_r[k], x2 = table_r[b];
        if (a == k || b == k)
            slope[k - i] = (table_f[b] - table_f[a]) / (x2 - x0);
        else
            slope[k - i] = table_f[a] * (x1 - x2) / ((x0 - x1) * (x0 - x2)) +
                           table_f[k] * (2 * x1 - x0 - x2) / ((x1 - x0) * (x1 - x2)) +
                           table_f[b] * (x1 - x0) / ((x2 - x0) * (x2 - x1));
    }
    double t2 = t * t, t3 = t2 * t;
    return (2 * t3 - 3 * t2 + 1) * table_f[i] + (t3 - 2 * t2 + t) * h * slope[0] + (3 * t2 - 2 * t3) * table_f[i + 1] +
           (t3 - t2) * h * slope[1];
}

static double potential(const struct sample *s, size_t i, double r) {
    const double *p = s->job.parameter;
    double rc = s->job.cutoff, q = s->charge[i], x, e;
    switch (s->job.kernel) {
    case POT_KERNEL_RODRIGUES:
        return q / r * pow(1 - r * r / rc / rc, 2);
    case POT_KERNEL_SHIFT:
        return q * (1 / r - 2 / rc + r / rc / rc);
    case POT_KERNEL_REACTION:
        e = 2 * p[0] + 1;
        return q * (1 / r + (p[0] - 1) / e * r * r / pow(rc, 3) - 3 * p[0] / e / rc);
    case POT_KERNEL_ERFC:
        return q * erfc(p[0] * r) / r;
    case POT_KERNEL_YUKAWA:
        return q * exp(-p[0] * r) / r;
    case POT_KERNEL_LJ:
        x = pow((s->sigma[i] + p[0]) / 2 / r, 6);
        return fmin(4 * sqrt(s->epsilon[i] * p[1]) * (x * x - x), POT_LIMIT);
    case POT_KERNEL_BUCKINGHAM:
        return fmax(fmin(p[0] * exp(-p[1] * r) - p[2] / pow(r, 6), POT_LIMIT), -POT_LIMIT);
    case POT_KERNEL_TABLE:
        return q * table_value(r);
    default:
        return 1;
    }
}

// Returns the scale of the error of a contribution: |q| / r, or for steep potentials 12 times the magnitude of their
// terms, at the distance below which float64 is used if r is smaller.
static double scale_of(const struct sample *s, size_t i, double r, double value) {
    const double *p = s->job.parameter;
    if (pot_kernel_has_charge(s->job.kernel)) return fmax(fabs(s->charge[i]) / r, fabs(value));
    if (s->job.kernel == POT_KERNEL_LJ) {
        double x = fmin(pow((s->sigma[i] + p[0]) / 2 / r, 6), 1);
        return 48 * sqrt(s->epsilon[i] * p[1]) * (x * x + x);
    }
    r = fmax(r, 2.5);
    return 12 * (p[0] * exp(-p[1] * r) + p[2] / pow(r, 6));
}

// Returns the sum at a position; *scale is the sum of the scales of the contributions, *terms their number.
static double brute_force(const struct sample *s, const double at[3], double *scale, double *terms) {
    const struct trj_cell *cell = &s->frame.cell;
    double rows[3][3], sum = 0;
    trj_cell_reciprocal(cell, rows);
    *scale = *terms = 0;
    for (size_t i = 0; i < s->frame.count; i++) {
        int low[3] = {0, 0, 0}, high[3] = {0, 0, 0}, n[3];
        for (int v = 0; v < 3; v++) {
            if (!(cell->periodic >> v & 1)) continue;
            double u = 0, g = 0;
            for (int k = 0; k < 3; k++) {
                u += rows[v][k] * (at[k] - s->position[i][k]);
                g += rows[v][k] * rows[v][k];
            }
            low[v] = (int)floor(u - s->job.cutoff * sqrt(g)) - 1;
            high[v] = (int)ceil(u + s->job.cutoff * sqrt(g)) + 1;
        }
        for (n[0] = low[0]; n[0] <= high[0]; n[0]++)
            for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
                for (n[2] = low[2]; n[2] <= high[2]; n[2]++) {
                    double r2 = 0;
                    for (int k = 0; k < 3; k++) {
                        double d = at[k] - s->position[i][k];
                        for (int v = 0; v < 3; v++) d -= n[v] * cell->h[v][k];
                        r2 += d * d;
                    }
                    double r = sqrt(r2), value;
                    if (!(r < s->job.cutoff)) continue;
                    value = potential(s, i, r);
                    sum += value;
                    *scale += scale_of(s, i, r, value);
                    *terms += 1;
                }
    }
    return sum;
}

// ---- engines

static double frame_error; // of the last map that the engine cpu computed

// Computes a map, which the caller frees; NULL after an error.
static int64_t *compute(const struct sample *s, const struct pot_method *method, struct trj_error *err) {
    void *engine;
    const int64_t *values;
    int64_t *copy = NULL;
    if (method->open(&engine, &s->job, err)) return NULL;
    if (!method->add(engine, &s->frame, err) && !method->finish(engine, &values, err)) {
        copy = malloc(s->job.values * sizeof *copy);
        if (!copy) abort();
        memcpy(copy, values, s->job.values * sizeof *copy);
    }
    if (method->error) frame_error = method->error(engine);
    method->close(engine);
    return copy;
}

static bool equal(const struct sample *s, const int64_t *a, const int64_t *b) {
    return a && b && !memcmp(a, b, s->job.values * sizeof *a);
}

// Compares the engine cpu with float64 sums at random points.
static void compare(struct sample *s, const char *what) {
    struct trj_error err = {.text = ""};
    const struct trj_map_lattice *l = &s->frame.lattice;
    double worst = 0, tight = 0,
           largest = 0; // of lj and buckingham, the largest magnitude that is not computed in float64:
    double coarse = s->job.kernel == POT_KERNEL_LJ           ? 8 * sqrt(0.2 * 0.086)
                    : s->job.kernel == POT_KERNEL_BUCKINGHAM ? 6
                                                             : 0;
    int64_t *values = pot_cutoff_setup(&s->job, &err) ? NULL : compute(s, &pot_cutoff_cpu, &err);
    for (int i = 0; values && i < 60; i++) {
        double index[3], at[3], scale, terms;
        for (int k = 0; k < 3; k++) index[k] = floor(uniform() * (double)l->n[k]);
        trj_map_lattice_position(l, index, at);
        double exact = brute_force(s, at, &scale, &terms);
        int64_t value = values[(size_t)index[0] + l->n[0] * ((size_t)index[1] + l->n[1] * (size_t)index[2])];
        double error = fabs((double)value * s->job.quantum - exact);
        largest = fmax(largest, error - 1e-13 * fabs(exact));
        if (s->job.error_bound > 0) worst = fmax(worst, error / s->job.error_bound);
        tight = fmax(tight, error / (scale * 0x1p-20 + terms * (s->job.quantum / 2 + 0x1p-22 * coarse) + 1e-300));
    }
    ok(values && tight <= 1 && worst <= 1 && largest <= frame_error,
       "%s: within 2^-20 sum |q/r| (%.2g), and the bounds %.3g (%.2g), %.3g (%.2g) %s", what, tight, s->job.error_bound,
       worst, frame_error, largest / frame_error, err.text);
    free(values);
}

static void name_of(char text[128], const struct sample *s, const char *what) {
    const char *form = pot_kernel_names[s->job.kernel].form;
    snprintf(text, 128, "%.*s, %s", (int)strcspn(form, ":"), form, what);
}

// A lattice that divides the cell, or one in any direction.
static void choose_lattice(struct sample *s, bool divides, double spacing) {
    struct trj_error err;
    struct trj_map_lattice l = {
        {21, 18, 19}, {-3, -2.5, 1.25}, {{spacing, 0, 0}, {0.3, -0.9 * spacing, 0.1}, {0.2, 0.4, spacing}}, 0};
    if (divides && trj_map_lattice_cover(&l, &s->frame.cell, spacing, &err)) abort();
    set_lattice(s, &l);
}

// A table with equidistant rows, which is interpolated in float32.
static void test_equidistant(void) {
    static double r[301], f[301];
    static const char *const isas[] = {"plain", "avx2", "avx512"};
    struct trj_error err = {.text = ""};
    struct sample s;
    for (int i = 0; i <= 300; i++) {
        r[i] = 0.1 * i;
        f[i] = sin(0.3 * i) / (1 + 0.1 * i);
    }
    for (int shape = 0; shape < 13; shape += 3) {
        make_sample(&s, &shapes[shape], MAX, POT_KERNEL_TABLE);
        s.job.cutoff = fmin(s.job.cutoff, 15);
        choose_lattice(&s, shapes[shape].periodic == TRJ_PERIODIC_ALL, 1.1);
        s.job.table_r = r;
        s.job.table_f = f;
        s.job.table_count = 301;
        if (pot_cutoff_setup(&s.job, &err)) abort();
        int64_t *exact = compute(&s, &pot_cutoff_reference, &err), *first = NULL;
        for (int i = 0; i < 3; i++) {
            setenv("TRJPIPE_ISA", isas[i], 1);
            int64_t *values = compute(&s, &pot_cutoff_cpu, &err);
            unsetenv("TRJPIPE_ISA");
            if (!values && err.status == TRJ_NO_ENGINE) {
                skip(isas[i], "not supported by this CPU");
                continue;
            }
            double worst = 0;
            for (size_t k = 0; values && k < s.job.values; k++)
                worst = fmax(worst, fabs((double)values[k] - (double)exact[k]) * s.job.quantum);
            ok(values && worst > 0 && worst <= frame_error && (!first || equal(&s, first, values)),
               "table of equidistant rows, %s, %s: error %.3g, bound %.3g", shapes[shape].name, isas[i], worst,
               frame_error);
            if (first) free(values);
            if (!first) first = values;
        }
        free(first);
        free(exact);
    }
}

static void test_kernels(void) {
    char text[128];
    struct sample s;
    for (unsigned k = 0; k < POT_KERNELS; k++)
        for (size_t i = 0; i < SHAPES; i++) {
            const struct shape *shape = &shapes[i];
            if (!is_usual(shape)) continue;
            make_sample(&s, shape, MAX, (enum pot_kernel_kind)k);
            s.job.cutoff = fmin(s.job.cutoff, 16);
            choose_lattice(&s, shape->periodic == TRJ_PERIODIC_ALL, 1.1);
            name_of(text, &s, shape->name);
            compare(&s, text);
        }
}

static void test_cells(void) {
    char text[128];
    struct sample s;
    for (size_t i = 0; i < SHAPES; i++)
        for (int divides = 0; divides < 2; divides++) {
            if (!is_usual(&shapes[i])) continue;
            if (divides && shapes[i].periodic != TRJ_PERIODIC_ALL) continue;
            for (int k = 0; k < 2; k++) {
                make_sample(&s, &shapes[i], 20, k ? POT_KERNEL_YUKAWA : POT_KERNEL_RODRIGUES);
                choose_lattice(&s, divides, 1.3);
                char what[96];
                snprintf(what, sizeof what, "%s%s", shapes[i].name, divides ? "" : ", skew lattice");
                name_of(text, &s, what);
                compare(&s, text);
            }
        }
}

// The reference and the engine cpu agree in every byte if all pairs are computed in float64.
static void test_exact(void) {
    struct trj_error err = {.text = ""};
    struct sample s;
    for (unsigned k = 0; k < POT_KERNELS; k++) {
        bool same = true;
        for (size_t i = 0; i < SHAPES; i++) {
            if (!is_usual(&shapes[i])) continue;
            make_sample(&s, &shapes[i], 6, (enum pot_kernel_kind)k);
            s.job.cutoff = fmin(s.job.cutoff, 12);
            choose_lattice(&s, i % 2 && shapes[i].periodic == TRJ_PERIODIC_ALL, 2.9);
            s.job.exact = k != POT_KERNEL_TABLE && k != POT_KERNEL_COUNT; // these are exact without
            if (pot_cutoff_setup(&s.job, &err)) abort();
            int64_t *a = compute(&s, &pot_cutoff_cpu, &err), *b = compute(&s, &pot_cutoff_reference, &err);
            same = same && equal(&s, a, b);
            if (a && b && !equal(&s, a, b)) printf("# %s differs\n", shapes[i].name);
            free(a);
            free(b);
        }
        ok(same, "%s: engine cpu in float64 and the reference have the same bytes in all cells %s",
           pot_kernel_names[k].form, err.text);
    }
}

// ---- order, threads, instruction sets

static void exchange(struct sample *s, size_t i, size_t j) {
    struct sample t = *s;
    memcpy(s->position[i], t.position[j], sizeof t.position[j]);
    memcpy(s->position[j], t.position[i], sizeof t.position[i]);
    s->charge[i] = t.charge[j], s->charge[j] = t.charge[i];
    s->sigma[i] = t.sigma[j], s->sigma[j] = t.sigma[i];
    s->epsilon[i] = t.epsilon[j], s->epsilon[j] = t.epsilon[i];
}

static void test_bytes(void) {
    static const char *const isas[] = {"plain", "avx2", "avx512"};
    struct trj_error err = {.text = ""};
    struct sample s;
    for (unsigned k = 0; k < POT_KERNELS; k++)
        for (int divides = 0; divides < 2; divides++) {
            make_sample(&s, &shapes[3], MAX, (enum pot_kernel_kind)k);
            choose_lattice(&s, divides, 0.9);
            if (pot_cutoff_setup(&s.job, &err)) abort();
            int64_t *expected = compute(&s, &pot_cutoff_cpu, &err);
            const double error = frame_error;
            for (int i = 0; i < 3; i++) {
                setenv("TRJPIPE_ISA", isas[i], 1);
                s.job.threads = (unsigned)(2 * i + 1);
                for (size_t a = 0; a < MAX; a++) exchange(&s, a, (size_t)(MAX * uniform()));
                int64_t *values = compute(&s, &pot_cutoff_cpu, &err);
                if (!values && err.status == TRJ_NO_ENGINE)
                    skip(isas[i], "not supported by this CPU");
                else
                    ok(equal(&s, expected, values) && !(frame_error < error || frame_error > error),
                       "%s, %s, %u threads, another order: the same bytes%s", pot_kernel_names[k].form, isas[i],
                       s.job.threads, divides ? "" : ", skew lattice");
                free(values);
            }
            unsetenv("TRJPIPE_ISA");
            free(expected);
        }
}

// ---- the cutoff

// Atoms on points, so that many points are exactly at the cutoff.
static void test_ties(double step) {
    struct trj_error err = {.text = ""};
    struct sample s;
    make_sample(&s, &shapes[12], MAX, POT_KERNEL_COUNT);
    s.job.cutoff = 5 * step;
    set_lattice(&s, &(struct trj_map_lattice){{13, 17, 11}, {0, 0, 0}, {{step, 0, 0}, {0, step, 0}, {0, 0, step}}, 0});
    for (size_t i = 0; i < MAX; i++)
        for (int k = 0; k < 3; k++) s.position[i][k] = floor(12 * uniform()) * step;
    if (pot_cutoff_setup(&s.job, &err)) abort();
    int64_t *a = compute(&s, &pot_cutoff_cpu, &err), *b = compute(&s, &pot_cutoff_reference, &err), total = 0;
    size_t wrong = 0;
    for (size_t i = 0; a && i < s.job.values; i++) {
        int64_t count = 0;
        for (size_t j = 0; j < MAX; j++) {
            double d[3];
            for (int k = 0; k < 3; k++)
                d[k] = (double)(k == 0 ? i % 13 : k == 1 ? i / 13 % 17 : i / 13 / 17) * step - s.position[j][k];
            count += d[0] * d[0] + d[1] * d[1] + d[2] * d[2] < s.job.cutoff * s.job.cutoff;
        }
        wrong += count != a[i];
        total += count;
    }
    ok(equal(&s, a, b) && !wrong && total > 0, "points exactly at the cutoff, step %g Å: exact counts", step);
    free(a);
    free(b);
}

static void test_counts(void) {
    struct trj_error err = {.text = ""};
    struct sample s;
    for (size_t i = 0; i < SHAPES; i++) {
        if (!is_usual(&shapes[i])) continue;
        make_sample(&s, &shapes[i], 30, POT_KERNEL_COUNT);
        choose_lattice(&s, i % 3 && shapes[i].periodic == TRJ_PERIODIC_ALL, 1.7);
        if (pot_cutoff_setup(&s.job, &err)) abort();
        int64_t *values = compute(&s, &pot_cutoff_cpu, &err);
        size_t wrong = 0;
        for (size_t p = 0; values && p < s.job.values; p += 7) {
            const uint64_t *n = s.job.lattice.n;
            uint64_t row = p / n[0], plane = row / n[1];
            double at[3], scale, terms, index[3] = {(double)(p % n[0]), (double)(row % n[1]), (double)plane};
            trj_map_lattice_position(&s.job.lattice, index, at);
            brute_force(&s, at, &scale, &terms);
            wrong += (double)values[p] != terms;
        }
        ok(values && !wrong, "count, %s: equal to the counts of all images", shapes[i].name);
        free(values);
    }
}

static void test_integral(void) {
    struct trj_error err = {.text = ""};
    struct sample s;
    make_sample(&s, &shapes[0], 1, POT_KERNEL_RODRIGUES);
    choose_lattice(&s, true, 0.25);
    s.charge[0] = 1.5;
    for (int k = 0; k < 3; k++) s.position[0][k] = 7.125;
    if (pot_cutoff_setup(&s.job, &err)) abort();
    int64_t *values = compute(&s, &pot_cutoff_cpu, &err);
    double sum = 0, expected = 1.5 * 2 * 3.14159265358979 * s.job.cutoff * s.job.cutoff / 3;
    for (size_t i = 0; values && i < s.job.values; i++) sum += (double)values[i] * s.job.quantum;
    sum *= trj_map_lattice_voxel(&s.job.lattice);
    ok(fabs(sum / expected - 1) < 1e-3, "rodrigues: the integral is 2 pi rc^2 / 3: ratio %.6f", sum / expected);
    free(values);
}

// ---- infinite values

// Energies exceed the limit up to a distance that depends on the parameters, and can exceed half of the cutoff.
static void test_limit(void) {
    static const struct {
        enum pot_kernel_kind kind;
        double cutoff, parameter[3];
    } cases[] = {{POT_KERNEL_BUCKINGHAM, 3, {1e6, 1, 0}},
                 {POT_KERNEL_BUCKINGHAM, 12, {1e9, 2.5, 300}},
                 {POT_KERNEL_BUCKINGHAM, 3, {1e9, 0.1, 1}},
                 {POT_KERNEL_BUCKINGHAM, 9, {1e8, 1, 1e12}},
                 {POT_KERNEL_BUCKINGHAM, 2, {30000, 3.5, 3e5}},
                 {POT_KERNEL_BUCKINGHAM, 8, {1000, 3, 100}},
                 {POT_KERNEL_LJ, 6, {3, 1e5}}};
    struct sample s;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct trj_error err = {.text = ""};
        const struct trj_map_lattice l = {{101, 2, 3}, {4.05, 5, 6}, {{0.05, 0, 0}, {0, 0.3, 0}, {0, 0, 0.4}}, 0};
        double largest = 0, worst = 0;
        make_sample(&s, &shapes[0], 1, cases[c].kind);
        set_lattice(&s, &l);
        s.job.cutoff = cases[c].cutoff;
        memcpy(s.job.parameter, cases[c].parameter, sizeof s.job.parameter);
        for (int k = 0; k < 3; k++) s.position[0][k] = 4 + k;
        s.epsilon[0] = POT_MAX_EPSILON;
        if (pot_cutoff_setup(&s.job, &err)) abort();
        int64_t *exact = compute(&s, &pot_cutoff_reference, &err), *values = compute(&s, &pot_cutoff_cpu, &err);
        for (size_t i = 0; exact && values && i < s.job.values; i++) {
            largest = fmax(largest, fabs((double)exact[i]) * s.job.quantum);
            worst = fmax(worst, fabs((double)(values[i] - exact[i])) * s.job.quantum);
        }
        ok(exact && values && largest == POT_LIMIT && worst <= frame_error,
           "%s, A %g, B %g, C %g, probes from 0.05 Å: limited as in float64, error %.2g, bound %.2g %s",
           pot_kernel_names[cases[c].kind].form, s.job.parameter[0], s.job.parameter[1], s.job.parameter[2], worst,
           frame_error, err.text);
        free(exact);
        free(values);
    }
}

static void test_infinite(void) {
    struct trj_error err = {.text = ""};
    struct sample s;
    for (unsigned k = 0; k < POT_KERNELS; k++) {
        make_sample(&s, &shapes[0], 20, (enum pot_kernel_kind)k);
        choose_lattice(&s, true, 1);
        bool finite = k == POT_KERNEL_COUNT || k == POT_KERNEL_LJ || k == POT_KERNEL_TABLE;
        for (int i = 0; i < 3; i++) s.position[7][i] = 5 + i;
        if (pot_cutoff_setup(&s.job, &err)) abort();
        int64_t *a = compute(&s, &pot_cutoff_cpu, &err);
        bool named = strstr(err.text, "atom 107 at the point 5 6 7 ") && err.status == TRJ_BAD_DATA;
        ok(finite ? a != NULL : !a && named, "%s, a point on an atom: %s", pot_kernel_names[k].form,
           finite ? "a finite value" : err.text);
        if (k == POT_KERNEL_LJ)
            ok(a && fabs((double)a[5 + 20 * (6 + 20 * 7)] * s.job.quantum - POT_LIMIT) < 10, "lj: the limit");
        free(a);
        s.charge[7] = 0;
        if (finite || k == POT_KERNEL_BUCKINGHAM) continue;
        a = compute(&s, &pot_cutoff_cpu, &err);
        ok(a != NULL, "%s, a point on an atom without charge: no error", pot_kernel_names[k].form);
        free(a);
    }
    make_sample(&s, &shapes[0], 20, POT_KERNEL_TABLE);
    choose_lattice(&s, true, 1);
    s.job.table_r++;
    s.job.table_f++;
    s.job.table_count--;
    for (int i = 0; i < 3; i++) s.position[7][i] = 5;
    if (pot_cutoff_setup(&s.job, &err)) abort();
    ok(!compute(&s, &pot_cutoff_cpu, &err) && strstr(err.text, "below the first row"), "%s", err.text);
    s.charge[3] = 1.6;
    ok(!compute(&s, &pot_cutoff_cpu, &err) && strstr(err.text, "atom 103: charge 1.6 e"), "%s", err.text);
}

static void test_overflow(void) {
    struct trj_error err = {.text = ""};
    struct sample s;
    void *engine;
    int added = 0;
    make_sample(&s, &shapes[0], 2, POT_KERNEL_LJ);
    choose_lattice(&s, true, 2);
    s.position[1][0] = s.position[1][1] = s.position[1][2] = 4;
    if (pot_cutoff_setup(&s.job, &err)) abort();
    s.job.quantum = 0x1p-44;
    if (pot_cutoff_cpu.open(&engine, &s.job, &err)) abort();
    while (added < 9 && !pot_cutoff_cpu.add(engine, &s.frame, &err)) added++;
    ok(added == 3 && strstr(err.text, "exceeds 2^63 quanta at the point 2 2 2"), "a sum above int64: %s", err.text);
    pot_cutoff_cpu.close(engine);
}

// ---- frames, lists of points

static void test_frames(void) {
    struct trj_error err = {.text = ""};
    const int64_t *values;
    struct sample s;
    void *engine;
    make_sample(&s, &shapes[3], 20, POT_KERNEL_SHIFT);
    choose_lattice(&s, true, 2);
    if (pot_cutoff_setup(&s.job, &err)) abort();
    int64_t *one = compute(&s, &pot_cutoff_cpu, &err);
    if (!one || pot_cutoff_cpu.open(&engine, &s.job, &err)) abort();
    bool good = !pot_cutoff_cpu.finish(engine, &values, &err) && values[0] == 0;
    for (int i = 0; i < 3; i++) good = good && !pot_cutoff_cpu.add(engine, &s.frame, &err);
    good = good && !pot_cutoff_cpu.finish(engine, &values, &err);
    for (size_t i = 0; good && i < s.job.values; i++) good = values[i] == 3 * one[i];
    ok(good, "three frames: the sum of three maps");
    good = !pot_cutoff_cpu.add(engine, &s.frame, &err) && !pot_cutoff_cpu.finish(engine, &values, &err);
    ok(good && equal(&s, values, one), "a frame after finish: only its values");
    s.frame.count = 0;
    good = !pot_cutoff_cpu.add(engine, &s.frame, &err) && !pot_cutoff_cpu.finish(engine, &values, &err);
    ok(good && values[5] == 0, "a frame without atoms: zeros");
    pot_cutoff_cpu.close(engine);
    pot_cutoff_cpu.close(NULL);
    free(one);

    static double points[200][3];
    for (int i = 0; i < 200; i++)
        for (int k = 0; k < 3; k++) points[i][k] = 40 * uniform() - 10;
    s.frame.count = 20;
    s.job.point = (const double(*)[3])points;
    s.job.point_count = s.job.values = 200;
    s.job.threads = 3;
    int64_t *a = compute(&s, &pot_cutoff_cpu, &err), *b = compute(&s, &pot_cutoff_reference, &err);
    double worst = 0;
    for (int i = 0; a && i < 200; i++) {
        double scale, terms, exact = brute_force(&s, points[i], &scale, &terms);
        worst = fmax(worst, fabs((double)a[i] * s.job.quantum - exact) / (terms * s.job.quantum + 1e-12 * scale));
    }
    ok(equal(&s, a, b) && worst <= 1, "a list of points: float64 sums");
    free(a);
    free(b);
}

// ---- names

static void test_names(void) {
    struct trj_error err = {.text = ""};
    struct pot_job job = {.cutoff = 8};
    static const char *const good[] = {
        "rodrigues", "shift", "rf:78.5", "erfc:0.3", "yukawa:0.1", "lj:probe=1.908,0.086", "buckingham:1000,3,20",
        "count"};
    static const char *const bad[] = {"",
                                      "rod",
                                      "rodrigues:1",
                                      "rf",
                                      "rf:",
                                      "rf:1,2",
                                      "erfc:x",
                                      "lj:1.9,0.1",
                                      "lj:probe=1.9",
                                      "lj",
                                      "buckingham:1,2",
                                      "count:",
                                      "table",
                                      "table:"};
    for (unsigned i = 0; i < sizeof good / sizeof *good; i++)
        ok(!pot_kernel_parse(&job, good[i], &err) && job.kernel == (enum pot_kernel_kind)i &&
               !pot_kernel_check(&job, &err),
           "kernel %s: accepted", good[i]);
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(pot_kernel_parse(&job, bad[i], &err) == -1 && err.status == TRJ_USAGE, "kernel '%s': %s", bad[i], err.text);
    if (pot_kernel_parse(&job, "lj:probe=1.908,0.086", &err)) abort();
    ok(fabs(job.parameter[0] - 2 * 1.908 / pow(2, 1.0 / 6)) < 1e-14 && job.parameter[1] == 0.086,
       "lj: half of the distance of the minimum becomes sigma, %.9f", job.parameter[0]);
    static const struct {
        enum pot_kernel_kind kernel;
        double cutoff, parameter[3];
    } wrong[] = {{POT_KERNEL_SHIFT, 0, {0}},
                 {POT_KERNEL_SHIFT, NAN, {0}},
                 {POT_KERNEL_SHIFT, 1e9, {0}},
                 {POT_KERNEL_REACTION, 8, {0.5}},
                 {POT_KERNEL_ERFC, 8, {0}},
                 {POT_KERNEL_ERFC, 8, {NAN}},
                 {POT_KERNEL_YUKAWA, 8, {-1}},
                 {POT_KERNEL_LJ, 8, {3, -1}},
                 {POT_KERNEL_LJ, 8, {-3, 1}},
                 {POT_KERNEL_BUCKINGHAM, 8, {1, -1, 1}},
                 {POT_KERNEL_BUCKINGHAM, 8, {1, 1, -1}},
                 {POT_KERNEL_TABLE, 8, {0}}};
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        job = (struct pot_job){.kernel = wrong[i].kernel, .cutoff = wrong[i].cutoff};
        memcpy(job.parameter, wrong[i].parameter, sizeof job.parameter);
        enum trj_status status = wrong[i].kernel == POT_KERNEL_TABLE ? TRJ_BAD_DATA : TRJ_USAGE;
        ok(pot_cutoff_setup(&job, &err) == -1 && err.status == status, "rejected: %s", err.text);
    }
}

static void test_table_file(void) {
    struct trj_error err = {.text = ""};
    struct pot_job job = {.cutoff = 8, .max_charge = 1};
    char path[] = "/tmp/test_cutoff.XXXXXX", text[64];
    int file = mkstemp(path);
    FILE *f = file < 0 ? NULL : fdopen(file, "w");
    if (!f) abort();
    fputs("#L r(A) f\n0 3\n1 2\n8 0.5\n", f);
    fclose(f);
    snprintf(text, sizeof text, "table:%s", path);
    ok(!pot_kernel_parse(&job, text, &err) && job.table_count == 3 && job.table_r[2] == 8 && job.table_f[1] == 2 &&
           !pot_cutoff_setup(&job, &err),
       "a table from a file %s", err.text);
    job.cutoff = 9;
    ok(pot_cutoff_setup(&job, &err) == -1, "%s", err.text);
    pot_kernel_table_free(&job);
    unlink(path);
    ok(pot_kernel_parse(&job, text, &err) == -1, "%s", err.text);
}

int main(void) {
    test_names();
    test_table_file();
    test_kernels();
    test_equidistant();
    test_cells();
    test_exact();
    test_counts();
    test_ties(1);
    test_ties(0.1);
    test_bytes();
    test_integral();
    test_limit();
    test_infinite();
    test_overflow();
    test_frames();
    return done();
}
