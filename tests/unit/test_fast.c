// SPDX-License-Identifier: MIT
// Tests the method fast (potential/fast_sum.h): its maps are those of sums in float64, for charges inside and outside
// of lattices of several shapes and for several frames, and do not depend on threads and the order of charges.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fast_sum.h"
#include "libraries.h"
#include "pair_sum.h"
#include "tap.h"
#include "uniform.h"

enum { CHARGES = 300, FRAMES = 3 };
static double position[FRAMES][CHARGES][3], charge[CHARGES];

static const struct shape {
    const char *name;
    struct trj_map_lattice lattice;
    double low[3], high[3]; // of the box of the charges, Å
} shapes[] = {
    {"charges inside of the lattice",
     {.n = {25, 20, 31}, .origin = {-3, 1, 2}, .step = {{0.8, 0, 0}, {0, 0.9, 0}, {0, 0, 0.7}}},
     {2, 5, 7},
     {12, 15, 18}},
    {"charges on all sides of a small lattice",
     {.n = {9, 8, 7}, .origin = {-3, -3, -3}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {-20, -20, -20},
     {25, 20, 20}},
    {"charges far away on one side",
     {.n = {12, 12, 12}, .origin = {0, 0, 0}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
     {60, 20, -50},
     {70, 30, -45}},
    {"a skew, left-handed lattice",
     {.n = {17, 19, 14}, .origin = {1, 2, 3}, .step = {{0.9, 0.1, 0}, {-0.3, -0.8, 0.1}, {0.2, 0.3, 0.9}}},
     {0, -12, 2},
     {14, 6, 17}},
    {"a turned lattice with unequal steps",
     {.n = {22, 11, 15}, .origin = {0, 0, 0}, .step = {{0.6, 0.8, 0}, {-0.4, 0.3, 0}, {0, 0, 0.75}}},
     {-6, -2, -2},
     {12, 16, 12}},
    {"a plane with one point along an axis",
     {.n = {30, 1, 30}, .origin = {0, 0, 0}, .step = {{0.5, 0, 0}, {0, 0.5, 0}, {0, 0, 0.5}}},
     {0, -4, 0},
     {15, 4, 15}},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

// Places charges, with some of a net charge, in frames.
static void place(const struct shape *s) {
    for (int i = 0; i < CHARGES; i++) {
        charge[i] = 2 * uniform() - 0.9;
        for (int f = 0; f < FRAMES; f++)
            for (int c = 0; c < 3; c++) position[f][i][c] = s->low[c] + (s->high[c] - s->low[c]) * uniform();
    }
}

static struct pot_frame frame_of(const struct shape *s, int number) {
    static uint32_t atom[CHARGES];
    return (struct pot_frame){.count = CHARGES,
                              .position = (const double(*)[3])position[number],
                              .charge = charge,
                              .atom = atom,
                              .cell = {.h = {{9, 0, 0}, {0, 9, 0}, {0, 0, 9}}, .periodic = TRJ_PERIODIC_ALL},
                              .lattice = s->lattice};
}

static struct pot_job job_of(const struct shape *s, double tolerance) {
    struct pot_job job = {.method = POT_FAST, .atoms = CHARGES, .max_charge = 2, .threads = 1, .lattice = s->lattice};
    job.values = (size_t)trj_map_lattice_points(&s->lattice);
    job.tolerance = tolerance;
    return job;
}

// Computes frames with a method, and returns a copy of the values.
static int64_t *compute(const struct pot_method *method, const struct pot_job *job, const struct pot_frame *f,
                        int frames) {
    struct trj_error err;
    const int64_t *values;
    void *state;
    int rc = method->open(&state, job, &err);
    for (int i = 0; i < frames && !rc; i++) rc = method->add(state, &f[i], &err);
    if (rc || method->finish(state, &values, &err)) {
        printf("# %s\n", err.text);
        abort();
    }
    int64_t *copy = malloc(job->values * sizeof *copy);
    if (!copy) abort();
    memcpy(copy, values, job->values * sizeof *copy);
    method->close(state);
    return copy;
}

// Returns the relative rms deviation of a map whose quantum is `scale` times that of the expected values.
static double scaled_error(const int64_t *map, const int64_t *expected, size_t n, double scale) {
    double difference = 0, square = 0;
    for (size_t i = 0; i < n; i++) {
        double d = (double)(map[i] * (int64_t)scale - expected[i]), e = (double)expected[i];
        difference += d * d;
        square += e * e;
    }
    return sqrt(difference / square);
}

static double relative_error(const int64_t *map, const int64_t *expected, size_t n) {
    return scaled_error(map, expected, n, 1);
}

// Computes the direct sums of frames with a quantum that is finer than that of any tolerance.
static int64_t *compute_exactly(struct pot_job *exact, const struct pot_frame *f, int frames) {
    exact->quantum = 0x1p-48;
    exact->exact = true;
    return compute(&pot_direct_reference, exact, f, frames);
}

static void test_shapes(void) {
    static const double tolerances[] = {1e-2, 1e-4, 1e-6, 1e-8};
    struct trj_error err;
    for (int s = 0; s < SHAPES; s++) {
        place(&shapes[s]);
        struct pot_frame frames[FRAMES];
        for (int i = 0; i < FRAMES; i++) frames[i] = frame_of(&shapes[s], i);
        struct pot_job exact = job_of(&shapes[s], 0);
        int64_t *expected = compute_exactly(&exact, frames, FRAMES);
        for (size_t t = 0; t < sizeof tolerances / sizeof *tolerances; t++) {
            char report[POT_REPORT] = "";
            struct pot_job job = job_of(&shapes[s], tolerances[t]);
            job.report = report;
            if (pot_fast_setup(&job, &err)) abort();
            int64_t *map = compute(&pot_fast_cpu, &job, frames, FRAMES);
            double error = scaled_error(map, expected, job.values, job.quantum / exact.quantum);
            ok(error <= 2 * tolerances[t] && strstr(report, "relative rms deviation"),
               "%s, tolerance %g: the sum of %d frames equals direct sums to %.1e (%s)", shapes[s].name, tolerances[t],
               FRAMES, error, report);
            free(map);
        }
        free(expected);
    }
}

// Places charges in a rod along the longest axis of a lattice: charges at random positions, or pairs of opposite
// charges, whose potential is far below that of single charges.
static void place_rod(bool pairs) {
    static const double length[3] = {20, 20, 150};
    for (int i = 0; i < CHARGES; i++) {
        charge[i] = i % 2 ? -charge[i - 1] : 0.8 * uniform() - 0.4;
        for (int c = 0; c < 3; c++)
            position[0][i][c] = pairs && i % 2 ? position[0][i - 1][c] + 0.4 * uniform() - 0.2 : length[c] * uniform();
    }
}

// The smallest tolerances require a larger guard and a finer quantum than the default. All points are compared.
static void test_rod(void) {
    static const struct shape shape = {
        .name = "a rod",
        .lattice = {.n = {19, 19, 84}, .origin = {-8.01, -8, -8}, .step = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}}};
    struct trj_error err;
    for (int pairs = 0; pairs < 2; pairs++) {
        place_rod(pairs);
        struct pot_frame f = frame_of(&shape, 0);
        char report[POT_REPORT] = "";
        struct pot_job job = job_of(&shape, 1e-9), exact = job_of(&shape, 0);
        job.max_charge = 16;
        job.report = report;
        if (pot_fast_setup(&job, &err)) abort();
        int64_t *map = compute(&pot_fast_cpu, &job, &f, 1), *expected = compute_exactly(&exact, &f, 1);
        double error = scaled_error(map, expected, job.values, job.quantum / exact.quantum);
        ok(error <= 1.5e-9, "%s in a rod, tolerance 1e-9: the map equals direct sums to %.1e (%s)",
           pairs ? "pairs of opposite charges" : "charges", error, report);
        free(map);
        free(expected);
    }
}

static void test_bytes(void) {
    struct trj_error err;
    place(&shapes[0]);
    struct pot_frame f = frame_of(&shapes[0], 0);
    struct pot_job job = job_of(&shapes[0], 1e-6);
    if (pot_fast_setup(&job, &err)) abort();
    int64_t *expected = compute(&pot_fast_cpu, &job, &f, 1);
    bool same = true;
    for (unsigned threads = 1; threads < 5; threads++) {
        for (int i = CHARGES; i-- > 1;) {
            int j = (int)(uniform() * (i + 1));
            double q = charge[i];
            charge[i] = charge[j];
            charge[j] = q;
            for (int c = 0; c < 3; c++) {
                double x = position[0][i][c];
                position[0][i][c] = position[0][j][c];
                position[0][j][c] = x;
            }
        }
        job.threads = threads;
        int64_t *map = compute(&pot_fast_cpu, &job, &f, 1);
        same = same && !memcmp(map, expected, job.values * sizeof *map);
        free(map);
    }
    ok(same, "equal bytes for 1 to 4 threads and any order of the charges");
    free(expected);
}

// Frames that need a larger mesh than the first one, no charges, and several maps of one state.
static void test_growth(void) {
    struct trj_error err;
    const int64_t *values;
    void *state;
    place(&shapes[0]);
    for (int i = 0; i < CHARGES; i++) position[1][i][0] += 40;
    struct pot_frame frames[FRAMES] = {frame_of(&shapes[0], 0), frame_of(&shapes[0], 1), frame_of(&shapes[0], 2)};
    struct pot_job job = job_of(&shapes[0], 1e-6);
    if (pot_fast_setup(&job, &err)) abort();
    int64_t *map = compute(&pot_fast_cpu, &job, frames, 3), *expected = compute(&pot_direct_reference, &job, frames, 3);
    double error = relative_error(map, expected, job.values);
    ok(error < 2e-6, "the second frame is 40 Å away: the mesh grows, and the sums equal direct sums to %.1e", error);
    free(map);
    free(expected);

    expected = compute(&pot_direct_reference, &job, frames + 2, 1);
    if (pot_fast_cpu.open(&state, &job, &err) || pot_fast_cpu.add(state, &frames[0], &err) ||
        pot_fast_cpu.finish(state, &values, &err) || pot_fast_cpu.add(state, &frames[2], &err) ||
        pot_fast_cpu.finish(state, &values, &err))
        abort();
    error = relative_error(values, expected, job.values);
    ok(error < 2e-6, "a second map of the same state has only its own frame: %.1e", error);
    free(expected);
    if (pot_fast_cpu.finish(state, &values, &err)) abort();
    bool empty = true;
    for (size_t i = 0; i < job.values; i++) empty = empty && values[i] == 0;
    ok(empty, "a third map without frames is 0");
    pot_fast_cpu.close(state);

    frames[0].count = 0;
    map = compute(&pot_fast_cpu, &job, frames, 1);
    empty = true;
    for (size_t i = 0; i < job.values; i++) empty = empty && map[i] == 0;
    ok(empty, "a frame without charges: the map is 0");
    free(map);
}

static int open_in_one(void **state, const struct pot_job *job, struct trj_error *err) {
    static struct pot_parts parts;
    parts = pot_parts_cpu;
    parts.fast = &pot_fast_fixed_cpu;
    return pot_fast_open(state, job, &parts, err);
}

// A method that computes both parts of a frame, as that of GPUs.
static void test_one_method(void) {
    static const struct pot_method in_one = {
        .open = open_in_one, .add = pot_fast_add, .finish = pot_fast_finish, .close = pot_fast_close};
    struct trj_error err;
    char report[2][POT_REPORT] = {"", ""};
    for (int grows = 0; grows < 2; grows++) {
        place(&shapes[1]);
        for (int i = 0; i < CHARGES && grows; i++) position[1][i][0] += 40;
        struct pot_frame frames[FRAMES] = {frame_of(&shapes[1], 0), frame_of(&shapes[1], 1), frame_of(&shapes[1], 2)};
        struct pot_job job = job_of(&shapes[1], 1e-6);
        job.report = report[0];
        if (pot_fast_setup(&job, &err)) abort();
        int64_t *expected = compute(&pot_fast_cpu, &job, frames, 3);
        job.report = report[1];
        int64_t *map = compute(&in_one, &job, frames, 3);
        double error = relative_error(map, expected, job.values);
        ok(error < 1e-11 && !strcmp(report[0], report[1]),
           "both parts by one method, %s: %.1e from those of two methods (%s)",
           grows ? "and the mesh grows" : "one mesh", error, report[1]);
        free(map);
        free(expected);
    }
}

// Parts of an engine that cannot be opened from a certain frame on.
enum { NEAR, MESH, BOTH };
static struct pot_method limited[BOTH + 1];
static int to_open[BOTH + 1]; // how often each can be opened
static char note[512];

static int open_limited(int which, const struct pot_method *method, void **state, const struct pot_job *job,
                        struct trj_error *err) {
    if (to_open[which]-- > 0) return method->open(state, job, err);
    return trj_fail(err, TRJ_NO_ENGINE, "no memory is left");
}

static int open_near(void **state, const struct pot_job *job, struct trj_error *err) {
    return open_limited(NEAR, pot_parts_cpu.real_space, state, job, err);
}

static int open_mesh(void **state, const struct pot_job *job, struct trj_error *err) {
    return open_limited(MESH, pot_parts_cpu.mesh, state, job, err);
}

static int open_both(void **state, const struct pot_job *job, struct trj_error *err) {
    return open_limited(BOTH, &pot_fast_fixed_cpu, state, job, err);
}

static int open_with_limits(void **state, const struct pot_job *job, struct trj_error *err) {
    static struct pot_parts parts;
    parts = pot_parts_cpu;
    limited[NEAR] = *parts.real_space;
    limited[MESH] = *parts.mesh;
    limited[BOTH] = pot_fast_fixed_cpu;
    limited[NEAR].open = open_near;
    limited[MESH].open = open_mesh;
    limited[BOTH].open = open_both;
    parts.real_space = &limited[NEAR];
    parts.mesh = &limited[MESH];
    parts.fast = to_open[BOTH] < FRAMES ? &limited[BOTH] : NULL;
    return pot_fast_open(state, job, &parts, err);
}

static void take_note(void *arg, const char *text) {
    (void)arg;
    snprintf(note, sizeof note, "%s", text);
}

// The mesh grows in the second frame, so that parts are opened again.
static void test_fall_back(void) {
    static const struct pot_method method = {
        .open = open_with_limits, .add = pot_fast_add, .finish = pot_fast_finish, .close = pot_fast_close};
    static const struct {
        const char *name;
        int max[BOTH + 1];
    } cases[] = {{"the near part", {0, FRAMES, FRAMES}},
                 {"the mesh of the first frame", {FRAMES, 0, FRAMES}},
                 {"the mesh of the second frame", {FRAMES, 1, FRAMES}},
                 {"the method for both parts", {FRAMES, FRAMES, 0}},
                 {"the method for both parts, in the second frame", {FRAMES, FRAMES, 1}}};
    struct trj_error err;
    place(&shapes[1]);
    for (int i = 0; i < CHARGES; i++) position[1][i][0] += 40;
    struct pot_frame frames[FRAMES] = {frame_of(&shapes[1], 0), frame_of(&shapes[1], 1), frame_of(&shapes[1], 2)};
    struct pot_job job = job_of(&shapes[1], 1e-6);
    if (pot_fast_setup(&job, &err)) abort();
    int64_t *expected = compute(&pot_fast_cpu, &job, frames, FRAMES);
    job.note = take_note;
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        void *state;
        int rc = 0;
        job.cpu_may_finish = true;
        note[0] = 0;
        memcpy(to_open, cases[c].max, sizeof to_open);
        int64_t *map = compute(&method, &job, frames, FRAMES);
        double error = relative_error(map, expected, job.values);
        ok(error < 1e-11 && !strcmp(note, "no memory is left: engine cpu takes over"),
           "%s cannot be opened: the CPU takes over, %.1e", cases[c].name, error);
        free(map);
        job.cpu_may_finish = false;
        memcpy(to_open, cases[c].max, sizeof to_open);
        if (method.open(&state, &job, &err)) abort();
        for (int i = 0; i < FRAMES && !rc; i++) rc = method.add(state, &frames[i], &err);
        ok(rc && err.status == TRJ_NO_ENGINE, "%s cannot be opened, and the CPU may not take over: %s", cases[c].name,
           rc ? err.text : "");
        method.close(state);
    }
    free(expected);
}

static void fails(const struct pot_job *job, const struct pot_frame *f, const char *text, const char *name) {
    struct trj_error err = {.text = ""};
    void *state = NULL;
    if (pot_fast_cpu.open(&state, job, &err)) abort();
    ok(pot_fast_cpu.add(state, f, &err) == -1 && err.status == TRJ_BAD_DATA && strstr(err.text, text), "%s: %s", name,
       err.text);
    pot_fast_cpu.close(state);
}

// Replaces the charges of the first frame by pairs of opposite charges at this distance in Å.
static void place_pairs(double distance) {
    for (int i = 0; i < CHARGES; i++) {
        charge[i] = i % 2 ? 1 : -1;
        memcpy(position[0][i], position[0][i / 2 * 2], sizeof position[0][i]);
        if (i % 2) position[0][i][0] += distance;
    }
}

static void test_errors(void) {
    struct trj_error err;
    place(&shapes[0]);
    struct pot_frame f = frame_of(&shapes[0], 0);
    struct pot_job job = job_of(&shapes[0], 1e-6), bad = job_of(&shapes[0], 1e-12);
    if (pot_fast_setup(&job, &err)) abort();
    ok(pot_fast_setup(&bad, &err) == -1 && err.status == TRJ_USAGE, "a tolerance of 1e-12: rejected");
    bad = job_of(&shapes[0], 1e-6);
    bad.point_count = 1;
    ok(pot_fast_setup(&bad, &err) == -1 && err.status == TRJ_USAGE, "a list of points: rejected");
    position[0][7][1] = 1e4;
    position[0][8][0] = position[0][9][2] = 3000;
    fails(&job, &f, "use --method direct", "a mesh that is too large");
    place(&shapes[0]);
    memcpy(position[0][7], shapes[0].lattice.origin, sizeof position[0][7]);
    fails(&job, &f, "infinite", "a charge on a point");
    place_pairs(1e-9);
    fails(&job, &f, "exceeds the tolerance", "charges that cancel");
}

// The first parameters are not accurate enough for a potential that is far below that of single charges.
static void test_retry(void) {
    struct trj_error err;
    char report[POT_REPORT] = "";
    struct pot_frame f = frame_of(&shapes[0], 0);
    struct pot_job job = job_of(&shapes[0], 1e-6);
    job.report = report;
    place(&shapes[0]);
    place_pairs(0.01);
    if (pot_fast_setup(&job, &err)) abort();
    int64_t *map = compute(&pot_fast_cpu, &job, &f, 1), *expected = compute(&pot_direct_reference, &job, &f, 1);
    double error = relative_error(map, expected, job.values);
    ok(error < 2e-6 && strstr(report, "alpha") && !strstr(report, "alpha 0.4444"),
       "pairs of charges that are close to each other: smaller alpha, %.1e (%s)", error, report);
    free(map);
    free(expected);
}

// A first frame without charges, such as that of a dynamic group, does not show whether the parameters are accurate.
static void test_empty_first(void) {
    struct trj_error err;
    char report[POT_REPORT] = "";
    struct pot_frame f[3] = {frame_of(&shapes[0], 0), frame_of(&shapes[0], 0), frame_of(&shapes[0], 0)};
    struct pot_job job = job_of(&shapes[0], 1e-6);
    f[0].count = f[1].count = 0;
    job.report = report;
    place(&shapes[0]);
    place_pairs(0.01);
    if (pot_fast_setup(&job, &err)) abort();
    free(compute(&pot_fast_cpu, &job, f, 2));
    ok(!*report, "frames without charges: no deviation is reported (%s)", report);
    int64_t *map = compute(&pot_fast_cpu, &job, f, 3), *expected = compute(&pot_direct_reference, &job, f, 3);
    double error = relative_error(map, expected, job.values);
    ok(error < 2e-6 && strstr(report, "alpha") && !strstr(report, "alpha 0.4444"),
       "two frames without charges: the third is compared with direct sums, %.1e (%s)", error, report);
    free(map);
    free(expected);
}

int main(void) {
    if (trj_version_of_FFTW) {
        test_shapes();
        test_rod();
        test_bytes();
        test_growth();
        test_one_method();
        test_fall_back();
        test_errors();
        test_retry();
        test_empty_first();
    } else {
        skip("maps of the method fast", "built without FFTW");
    }
    return done();
}
