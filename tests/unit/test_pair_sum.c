// SPDX-License-Identifier: MIT
// The methods direct and mdh: equal values on every instruction set, with any number of threads and order of charges,
// and within the error bound of float64 sums.
#include "instruction_set.h"
#include "inverse_root.h"
#include "pair_blocks.h"
#include "pair_sum.h"
#include "pair_term.h"
#include "tap.h"
#include "uniform.h"

enum { MAX = 6000, POINTS = 700 };

static double position[MAX][3], charge[MAX], radius[MAX], list[POINTS][3];
static uint32_t number[MAX];
static struct trj_error err;
static double frame_error; // `error` after the last call of values_of for pot_direct_cpu

// ---- helpers

// Random charges in a box around the centre of the lattice, `size` times as long.
static void fill(const struct trj_map_lattice *l, size_t n, double size) {
    for (size_t i = 0; i < n; i++) {
        double index[3];
        for (int k = 0; k < 3; k++) index[k] = (double)l->n[k] * (0.5 + size * (uniform() - 0.5));
        trj_map_lattice_position(l, index, position[i]);
        charge[i] = i % 50 ? 2 * uniform() - 1 : 0;
        radius[i] = 2 * uniform();
        number[i] = (uint32_t)(3 * i);
    }
}

static struct pot_job job_of(enum pot_method_kind method, const struct trj_map_lattice *l) {
    struct pot_job job = {.method = method, .atoms = MAX, .max_charge = 1, .threads = 1, .lattice = *l};
    if (method == POT_MDH) job.kappa = 0.127;
    job.values = (size_t)trj_map_lattice_points(l);
    return job;
}

static struct pot_frame frame_of(const struct pot_job *job, size_t n) {
    return (struct pot_frame){.count = n,
                              .position = position,
                              .charge = charge,
                              .radius = job->method == POT_MDH ? radius : NULL,
                              .atom = number,
                              .lattice = job->lattice};
}

// Returns the values of a frame, which the caller frees; NULL after an error, which is in `err`.
static int64_t *values_of(const struct pot_method *m, struct pot_job *job, size_t n) {
    const int64_t *values;
    int64_t *copy = NULL;
    void *state = NULL;
    struct pot_frame f = frame_of(job, n);
    if (pot_direct_setup(job, n, charge, f.radius, &err)) return NULL;
    if (!m->open(&state, job, &err) && !m->add(state, &f, &err) && !m->finish(state, &values, &err)) {
        copy = malloc(job->values * sizeof *copy);
        if (!copy) abort();
        memcpy(copy, values, job->values * sizeof *copy);
        if (m->error) frame_error = m->error(state);
    }
    m->close(state);
    return copy;
}

static bool equal(const struct pot_job *job, const int64_t *a, const int64_t *b) {
    return a && b && !memcmp(a, b, job->values * sizeof *a);
}

// Returns the largest difference, in e/Å.
static double difference(const struct pot_job *job, const int64_t *a, const int64_t *b) {
    double worst = 0;
    for (size_t i = 0; i < job->values; i++) worst = fmax(worst, fabs((double)(a[i] - b[i])));
    return worst * job->quantum;
}

// ---- every instruction set, threads, orders and the reference

static void reverse(size_t n) {
    for (size_t i = 0; i < n / 2; i++) {
        size_t j = n - 1 - i;
        double c = charge[i], r = radius[i], x[3];
        memcpy(x, position[i], sizeof x);
        memcpy(position[i], position[j], sizeof x);
        memcpy(position[j], x, sizeof x);
        charge[i] = charge[j];
        radius[i] = radius[j];
        charge[j] = c;
        radius[j] = r;
    }
}

static void test_sets(const char *name, struct pot_job *job, size_t n, const int64_t *plain) {
    static const char *const sets[] = {"avx2", "avx512"};
    for (int i = 0; i < 2; i++) {
        setenv("TRJPIPE_ISA", sets[i], 1);
        enum trj_isa isa;
        if (trj_isa_find(&isa, &err)) {
            skip(sets[i], err.text);
            continue;
        }
        int64_t *other = values_of(&pot_direct_cpu, job, n);
        ok(equal(job, plain, other), "%s: %s gives the values of portable C", name, sets[i]);
        free(other);
    }
    unsetenv("TRJPIPE_ISA");
}

static void test_job(const char *name, struct pot_job *job, size_t n) {
    setenv("TRJPIPE_ISA", "plain", 1);
    int64_t *plain = values_of(&pot_direct_cpu, job, n), *reference = values_of(&pot_direct_reference, job, n);
    test_sets(name, job, n, plain);
    reverse(n);
    job->threads = 3;
    double before = frame_error;
    int64_t *reversed = values_of(&pot_direct_cpu, job, n);
    ok(equal(job, plain, reversed) && before == frame_error,
       "%s: three threads and the reverse order give the same values and error", name);
    reverse(n);
    job->threads = 1;
    double worst = plain && reference ? difference(job, plain, reference) : NAN;
    ok(worst <= job->error_bound && worst <= frame_error,
       "%s: the error is %.2g e/Å, the bound of this frame %.2g, of all frames %.2g", name, worst, frame_error,
       job->error_bound);
    free(plain);
    free(reference);
    free(reversed);
}

static const struct trj_map_lattice orthogonal = {{19, 27, 13}, {-3, 40, 7}, {{1, 0, 0}, {0, 0.7, 0}, {0, 0, 1.3}}, 0},
                                    skew = {{17, 12, 21},
                                            {1, 2, 3},
                                            {{1.1, 0.2, -0.1}, {0.4, 0.9, 0.2}, {-0.2, 0.3, 1.2}},
                                            0},
                                    coarse = {{9, 10, 11}, {-90, -80, 70}, {{15, 0, 0}, {0, 16, 0}, {0, 0, 17}}, 0},
                                    thin = {{40, 1, 35}, {0, 0, 0}, {{0.8, 0, 0}, {0, 1, 0}, {0, 0, 0.9}}, 0};

static void test_jobs(void) {
    static const struct {
        const char *name;
        const struct trj_map_lattice *lattice;
    } lattices[] = {{"orthogonal", &orthogonal}, {"skew", &skew}, {"coarse", &coarse}, {"thin", &thin}};
    static const struct {
        const char *name;
        enum pot_method_kind method;
        enum pot_soften_kind soften;
        double length;
        bool dielectric, exact;
    } jobs[] = {
        {"direct", POT_DIRECT, POT_SOFTEN_NONE, 0, false, false},
        {"direct, exact", POT_DIRECT, POT_SOFTEN_NONE, 0, false, true},
        {"direct, dielectric 4r", POT_DIRECT, POT_SOFTEN_PLUMMER, 1.5, true, false},
        {"direct, plummer", POT_DIRECT, POT_SOFTEN_PLUMMER, 1.5, false, false},
        {"direct, gauss", POT_DIRECT, POT_SOFTEN_GAUSS, 1.1, false, false},
        {"direct, gauss, exact", POT_DIRECT, POT_SOFTEN_GAUSS, 1.1, false, true},
        {"direct, clip", POT_DIRECT, POT_SOFTEN_CLIP, 2.5, false, false},
        {"mdh", POT_MDH, POT_SOFTEN_NONE, 0, false, false},
        {"mdh, exact", POT_MDH, POT_SOFTEN_NONE, 0, false, true},
        {"mdh, clip", POT_MDH, POT_SOFTEN_CLIP, 2, false, false},
        {"mdh, gauss", POT_MDH, POT_SOFTEN_GAUSS, 1, false, false},
    };
    for (size_t l = 0; l < sizeof lattices / sizeof *lattices; l++)
        for (size_t j = 0; j < sizeof jobs / sizeof *jobs; j++) {
            char name[96];
            snprintf(name, sizeof name, "%s, %s", lattices[l].name, jobs[j].name);
            struct pot_job job = job_of(jobs[j].method, lattices[l].lattice);
            job.soften = jobs[j].soften;
            job.soften_length = jobs[j].length;
            job.distance_dielectric = jobs[j].dielectric;
            job.exact = jobs[j].exact;
            fill(lattices[l].lattice, 500, j % 3 ? 3 : 1.2);
            test_job(name, &job, 500);
        }
}

static void test_many(void) {
    struct pot_job job = job_of(POT_DIRECT, &orthogonal);
    fill(&orthogonal, MAX, 4);
    test_job("several batches of charges", &job, MAX);
    for (int i = 0; i < POINTS; i++)
        for (int k = 0; k < 3; k++) list[i][k] = i < 300 ? 60 * uniform() : 0.1 * i + k;
    job.point_count = job.values = POINTS;
    job.point = list;
    test_job("a list of points, direct", &job, 500);
    job.method = POT_MDH;
    job.kappa = 0.2;
    test_job("a list of points, mdh", &job, 500);
}

// ---- known values

static void set_charge(size_t i, double q, double x, double y, double z) {
    charge[i] = q;
    radius[i] = 0;
    number[i] = (uint32_t)(10 + i);
    position[i][0] = x;
    position[i][1] = y;
    position[i][2] = z;
}

static double value_at(const struct pot_job *job, const int64_t *values, size_t point) {
    return values ? (double)values[point] * job->quantum : NAN;
}

static void test_known_values(void) {
    const struct trj_map_lattice l = {{2, 1, 1}, {0, 0, 0}, {{3, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0};
    struct pot_job job = job_of(POT_DIRECT, &l);
    for (int exact = 0; exact < 2; exact++) {
        double tolerance = exact ? 1e-14 : 1e-7;
        job.exact = exact;
        job.method = POT_DIRECT;
        set_charge(0, 2, 0, 4, 0);
        int64_t *v = values_of(&pot_direct_cpu, &job, 1);
        ok(fabs(value_at(&job, v, 0) - 0.5) < tolerance && fabs(value_at(&job, v, 1) - 0.4) < tolerance,
           "one charge: q / r");
        free(v);
        set_charge(1, -2, 3, 4, 0);
        v = values_of(&pot_direct_cpu, &job, 2);
        ok(v && v[0] == -v[1] && fabs(value_at(&job, v, 0) - 0.1) < tolerance, "two charges: an antisymmetric sum");
        free(v);
        job.method = POT_MDH;
        job.kappa = 0.1;
        radius[0] = 2;
        v = values_of(&pot_direct_cpu, &job, 1);
        ok(fabs(value_at(&job, v, 1) - 2 * exp(-0.3) / (1.2 * 5)) < tolerance, "mdh: the screened charge of an ion");
        free(v);
    }
    set_charge(0, 2, 0, 0, 0);
    struct pot_job soft = job_of(POT_DIRECT, &l);
    const double expected[] = {1, 2 * sqrt(2 / acos(-1)) / 2, 1};
    for (int i = 0; i < 3; i++) {
        soft.soften = (enum pot_soften_kind)(POT_SOFTEN_PLUMMER + i);
        soft.soften_length = 2;
        int64_t *v = values_of(&pot_direct_cpu, &soft, 1);
        ok(fabs(value_at(&soft, v, 0) - expected[i]) < 1e-12, "softening %d: finite at the charge itself", i + 1);
        free(v);
    }
}

// Far atoms use float32: 4000 Å away, and with charges that need several classes.
static void test_magnitudes(void) {
    struct pot_job job = job_of(POT_DIRECT, &orthogonal);
    for (size_t i = 0; i < 400; i++) {
        double far = ldexp(1, (int)(i % 20)), size = ldexp(uniform() - 0.5, (int)(i / 20) * 2 - 20);
        set_charge(i, size, far * (1 + uniform()), far * uniform(), -far * uniform());
    }
    test_job("charges of many magnitudes at many distances", &job, 400);
}

// The errors of single far charges, in units of 2^-24 |charge| / D. The bounds are those of pair_sum.h.
static void test_far_errors(void) {
    static struct pot_block block;
    static const double bounds[] = {POT_FAR_ERROR_PLAIN, POT_FAR_ERROR_DIELECTRIC, POT_FAR_ERROR_SCREENED};
    for (int kind = 0; kind < 3; kind++) {
        struct pot_job job = job_of(kind == 2 ? POT_MDH : POT_DIRECT, &orthogonal);
        struct pot_blocks blocks;
        double worst = 0, bound = bounds[kind] * 0x1p24 + 4.2;
        job.lattice.n[0] = job.lattice.n[1] = job.lattice.n[2] = 8;
        job.values = 512;
        job.distance_dielectric = kind == 1;
        pot_blocks_set(&blocks, &job, &job.lattice);
        pot_blocks_get(&blocks, 0, &block);
        for (int i = 0; i < 400; i++) {
            double d = block.near * (1 + 1e-9 + 10 * pow(uniform(), 4)), x[3], size = 1e4 * (0.5 + uniform());
            for (int k = 0; k < 3; k++) x[k] = block.low[k] + (block.high[k] - block.low[k]) * uniform();
            x[i % 3] = i % 2 ? block.high[i % 3] + d : block.low[i % 3] - d;
            set_charge(0, kind == 1 ? 4 * size : size, x[0], x[1], x[2]);
            int64_t *v = values_of(&pot_direct_cpu, &job, 1), *exact = values_of(&pot_direct_reference, &job, 1);
            double unit = 0x1p-24 * size / (kind == 1 ? d * d : d);
            if (v && exact) worst = fmax(worst, difference(&job, v, exact) / unit);
            free(v);
            free(exact);
        }
        ok(worst > 1 && worst < bound, "%s: errors of far charges are below %.2f * 2^-24 |charge| / D (%.1f)",
           kind == 0   ? "plain"
           : kind == 1 ? "dielectric"
                       : "screened",
           worst, bound);
    }
}

// If float32 cannot represent a block, all its charges are near, and the Gaussian counts up to 8.5 standard deviations.
static void test_gaussian_in_float64(void) {
    struct pot_job job = job_of(POT_MDH, &orthogonal);
    job.kappa = 2.9e-13;
    job.soften = POT_SOFTEN_GAUSS;
    job.soften_length = 420;
    for (size_t i = 0; i < 20; i++) set_charge(i, 9.7e5, 420 * (6 + 0.13 * (double)i), 5, 9);
    test_job("a Gaussian of 420 Å at 6 to 8.5 standard deviations", &job, 20);
}

static void test_limit_of_kappa(void) {
    struct pot_job direct = job_of(POT_DIRECT, &skew), mdh = job_of(POT_MDH, &skew);
    fill(&skew, 500, 2);
    mdh.kappa = 0;
    int64_t *a = values_of(&pot_direct_cpu, &direct, 500), *b = values_of(&pot_direct_cpu, &mdh, 500);
    ok(equal(&direct, a, b), "mdh with kappa = 0: the values of direct");
    free(b);
    mdh.kappa = 1e-9;
    b = values_of(&pot_direct_cpu, &mdh, 500);
    ok(b && difference(&mdh, a, b) < 1e-5, "mdh with a small kappa: near the values of direct");
    free(a);
    free(b);
}

// A harmonic function at the centre of a sphere is its mean on the sphere (here: 14 points, exact to order 5).
static void test_mean_value(void) {
    static double points[15][3];
    size_t n = 1;
    for (int k = 0; k < 3; k++)
        for (int sign = -1; sign <= 1; sign += 2) points[n++][k] = sign;
    for (int i = 0; i < 8; i++, n++)
        for (int k = 0; k < 3; k++) points[n][k] = (i >> k & 1 ? 1 : -1) / sqrt(3);
    struct pot_job job = job_of(POT_DIRECT, &orthogonal);
    job.point_count = job.values = 15;
    job.point = (const double(*)[3])points;
    for (size_t i = 0; i < 300; i++)
        set_charge(i, uniform() - 0.5, 30 + 40 * uniform(), -50 * uniform(), 60 * uniform());
    int64_t *v = values_of(&pot_direct_cpu, &job, 300);
    double mean = 0;
    for (size_t i = 1; i < 15; i++) mean += (i < 7 ? 1.0 / 15 : 3.0 / 40) * value_at(&job, v, i);
    ok(fabs(mean - value_at(&job, v, 0)) < 2e-6, "the mean on a sphere is the value at its centre: %g",
       value_at(&job, v, 0));
    free(v);
}

// ---- errors

static void test_errors(void) {
    const struct trj_map_lattice l = {{4, 4, 4}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0};
    struct pot_job job = job_of(POT_DIRECT, &l);
    set_charge(0, 1, 9, 9, 9);
    set_charge(1, 0, 2, 2, 2);
    set_charge(2, 1, 1, 2, 3);
    err.text[0] = 0;
    int64_t *v = values_of(&pot_direct_cpu, &job, 3);
    ok(!v && err.status == TRJ_BAD_DATA && has_text(err.text, "atom 12 is 0 Å from point 1 2 3") &&
           has_text(err.text, "--soften"),
       "a charge on a point: %s", err.text);
    free(v);
    position[2][0] += 1e-9;
    v = values_of(&pot_direct_cpu, &job, 3);
    ok(!v && has_text(err.text, "exceeds 2^62 quanta"), "a charge very near a point: rejected");
    free(v);
    position[2][0] = 1 + 1e-6;
    int64_t *reference = values_of(&pot_direct_reference, &job, 3);
    v = values_of(&pot_direct_cpu, &job, 3);
    ok(v && reference && difference(&job, v, reference) < 1e6 * 1e-9, "a charge 1e-6 Å from a point: its value");
    free(reference);
    free(v);
    // The sum of frames.
    const int64_t *sums;
    void *state;
    struct pot_frame f = frame_of(&job, 3);
    position[2][0] = 1 + 2.5e-7;
    if (pot_direct_setup(&job, 3, charge, NULL, &err) || pot_direct_cpu.open(&state, &job, &err)) abort();
    ok(!pot_direct_cpu.finish(state, &sums, &err) && !sums[0], "no frame: all values are 0");
    ok(!pot_direct_cpu.add(state, &f, &err), "one frame: accepted");
    ok(!pot_direct_cpu.finish(state, &sums, &err) && sums[57] > INT64_C(1) << 61, "the value next to the charge");
    int failed = 0, added = 0;
    while (!failed && added < 9) {
        failed = pot_direct_cpu.add(state, &f, &err);
        added++;
    }
    ok(added == 3 && has_text(err.text, "point 1 2 3: the sum exceeds 2^63 quanta"), "the sum of three frames: %s",
       err.text);
    pot_direct_cpu.close(state);
    pot_direct_cpu.close(NULL);
    pot_direct_reference.close(NULL);
    job.soften = POT_SOFTEN_CLIP;
    ok(pot_direct_setup(&job, 3, charge, NULL, &err) && has_text(err.text, "invalid length 0"), "%s", err.text);
    job.soften = POT_SOFTEN_NONE;
    charge[1] = NAN;
    ok(pot_direct_setup(&job, 3, charge, NULL, &err) && has_text(err.text, "atom 1"), "%s", err.text);
    charge[1] = 0;
    job.method = POT_MDH;
    job.kappa = 1;
    radius[2] = 21;
    ok(pot_direct_setup(&job, 3, charge, radius, &err) && has_text(err.text, "invalid radius 21"), "%s", err.text);
    job.kappa = -1;
    ok(pot_direct_setup(&job, 3, charge, radius, &err) && has_text(err.text, "kappa"), "%s", err.text);
    job.kappa = 1;
    job.distance_dielectric = true;
    ok(pot_direct_setup(&job, 3, charge, radius, &err) && has_text(err.text, "4r"), "%s", err.text);
}

static void test_inside(void) {
    const struct trj_map_lattice l = {{8, 8, 8}, {0, 0, 0}, {{1, 0, 0}, {0.3, 1, 0}, {0, 0, 1}}, 0};
    struct pot_job job = job_of(POT_MDH, &l);
    uint32_t atom;
    uint64_t point;
    set_charge(0, 1, -1, 3, 3);
    set_charge(1, 1, 4.2, 3.5, 3.5);
    radius[0] = 0.9;
    radius[1] = 1;
    struct pot_frame f = frame_of(&job, 2);
    ok(pot_direct_find_inside(&job, &f, &atom, &point) == 1 && atom == 11 && point == 3 + 8 * (3 + 8 * 3),
       "an atom whose radius covers a point is found");
    radius[1] = 0.5;
    ok(!pot_direct_find_inside(&job, &f, &atom, &point), "no radius covers a point");
    radius[1] = 1;
    job.faces = true;
    ok(!pot_direct_find_inside(&job, &f, &atom, &point), "no radius covers a point of a face");
    radius[0] = 2;
    ok(pot_direct_find_inside(&job, &f, &atom, &point) == 1 && atom == 10 && point % 8 == 0,
       "an atom outside of the lattice whose radius covers a point of a face");
    const double points[2][3] = {{0, 0, 0}, {4.2, 3.5, 4.4}};
    job.point = points;
    job.point_count = job.values = 2;
    ok(pot_direct_find_inside(&job, &f, &atom, &point) == 1 && atom == 11 && point == 1, "a point of a list");
}

// ---- faces and blocks

static void test_faces(void) {
    static const struct trj_map_lattice lattices[] = {
        {{19, 21, 17}, {0, 0, 0}, {{1, 0, 0}, {0.2, 1, 0}, {0, 0.3, 1}}, 0},
        {{2, 9, 3}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0},
        {{30, 1, 30}, {0, 0, 0}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, 0},
    };
    for (size_t i = 0; i < sizeof lattices / sizeof *lattices; i++) {
        const struct trj_map_lattice *l = &lattices[i];
        struct pot_job job = job_of(POT_MDH, l);
        fill(l, 1000, 3);
        job.exact = true;
        int64_t *all = values_of(&pot_direct_cpu, &job, 1000);
        job.faces = true;
        int64_t *faces = values_of(&pot_direct_cpu, &job, 1000);
        bool good = all && faces;
        for (size_t p = 0; p < job.values && good; p++) {
            const uint64_t at[3] = {p % l->n[0], p / l->n[0] % l->n[1], p / l->n[0] / l->n[1]};
            bool face = false;
            for (int k = 0; k < 3; k++) face = face || !at[k] || at[k] + 1 == l->n[k];
            good = faces[p] == (face ? all[p] : 0);
        }
        ok(good, "faces of lattice %zu: the values of the whole map, and 0 inside", i);
        free(faces);
        job.exact = false;
        faces = values_of(&pot_direct_cpu, &job, 1000);
        int64_t *reference = values_of(&pot_direct_reference, &job, 1000);
        ok(faces && difference(&job, faces, reference) <= job.error_bound, "in float32: within the error bound");
        free(all);
        free(faces);
        free(reference);
    }
}

static void test_blocks(void) {
    static struct pot_block block;
    static unsigned char seen[40 * 40 * 40];
    bool good = true;
    for (uint64_t n = 1; n <= 40; n++) {
        struct pot_job job = job_of(POT_DIRECT, &orthogonal);
        struct pot_blocks blocks;
        job.faces = n % 5 == 0;
        job.lattice.n[0] = n;
        job.lattice.n[1] = n % 7 + 1;
        job.lattice.n[2] = 41 - n;
        size_t points = 0;
        memset(seen, 0, sizeof seen);
        pot_blocks_set(&blocks, &job, &job.lattice);
        for (size_t i = 0; i < blocks.count; i++) {
            pot_blocks_get(&blocks, i, &block);
            good = good && block.count && block.filled <= POT_BLOCK_ROOM;
            for (size_t p = 0; p < block.count; p++) good = good && !seen[block.number[p]]++;
            points += block.count;
        }
        const uint64_t *m = job.lattice.n;
        uint64_t inner = 1;
        for (int k = 0; k < 3; k++) inner *= m[k] > 2 ? m[k] - 2 : 0;
        good = good && points == m[0] * m[1] * m[2] - (job.faces ? inner : 0);
    }
    ok(good, "blocks contain each point once");
}

// ---- arithmetic

static void test_inverse_root(void) {
    double worst = 0, worst_root = 0;
    for (uint32_t bits = 0x3f800000; bits < 0x40800000; bits++) {
        float x, y;
        uint32_t guess = POT_ROOT_MAGIC - (bits >> 1);
        memcpy(&x, &bits, sizeof x);
        memcpy(&y, &guess, sizeof y);
        float t = x * y, d = fmaf(-t, y, 1), w = fmaf(POT_ROOT_4, d, POT_ROOT_3);
        w = fmaf(w, d, POT_ROOT_2);
        w = fmaf(w, d, POT_ROOT_1);
        w = fmaf(w, d, 1);
        worst = fmax(worst, fabs((double)y * (double)w * sqrt((double)x) - 1));
        worst_root = fmax(worst_root, fabs((double)t * (double)w / sqrt((double)x) - 1));
    }
    ok(worst < POT_ROOT_ERROR && worst_root < POT_ROOT_ERROR,
       "the inverse root has a relative error of at most %.3f * 2^-24, the root %.3f * 2^-24", worst * 0x1p24,
       worst_root * 0x1p24);
}

static void test_exponential(void) {
    double worst = 0;
    for (int i = 0; i < 200000; i++) {
        double x = -690 * uniform() * uniform();
        worst = fmax(worst, fabs(pot_pair_exponential(x) / (double)expl((long double)x) - 1));
    }
    ok(worst < 0x1p-51 && pot_pair_exponential(0) == 1 && pot_pair_exponential(-1e9) > 0,
       "the exponential function has a relative error of at most %.3g", worst);
}

int main(void) {
    test_inverse_root();
    test_exponential();
    test_blocks();
    test_known_values();
    test_limit_of_kappa();
    test_mean_value();
    test_faces();
    test_inside();
    test_errors();
    test_far_errors();
    test_gaussian_in_float64();
    test_magnitudes();
    test_many();
    test_jobs();
    return done();
}
