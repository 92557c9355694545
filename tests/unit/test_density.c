// SPDX-License-Identifier: MIT
// Tests jobs of density maps (density/density_job.h, density_engine.h): quanta and their bounds, sums at the largest
// integer and one above, members of groups, lattices of frames, and sums over several devices.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "density_engine.h"
#include "tap.h"
#include "uniform.h"

static uint32_t atoms[2] = {0, 1};
static struct trj_group group = {.atoms = atoms, .count = 2};
static float weight[2] = {1, -0.5F};

static struct work_resources resources = {.threads = 1};

static struct den_job job_of(enum den_kernel kernel) {
    struct den_job job = {.kernel = kernel, .atoms = 2, .group = &group, .gauss.bound = 1, .radius = 2};
    job.lattice = (struct trj_map_lattice){
        .n = {8, 8, 8}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, .periodic = TRJ_PERIODIC_ALL};
    return job;
}

static void fill(struct trj_frame *f) {
    struct trj_error err;
    *f = (struct trj_frame){0};
    if (trj_frame_resize(f, 2, &err)) abort();
    f->unit = 1;
    f->cell = (struct trj_cell){.h = {{8, 0, 0}, {0, 8, 0}, {0, 0, 8}}, .periodic = TRJ_PERIODIC_ALL};
    for (int k = 0; k < 3; k++) {
        f->x[k][0] = 3;
        f->x[k][1] = 7.5F; // on a border: it belongs to the point 0 of the next period
    }
}

static void test_quanta(void) {
    struct trj_error err;
    struct den_job job = job_of(DEN_COUNT);
    ok(!den_job_quantum(&job, &err) && job.quantum == 1, "counts without weights: the quantum is 1");
    job.weight = weight;
    ok(!den_job_quantum(&job, &err) && job.quantum == 0x1p-30, "weights up to 1: the quantum is 2^-30");
    job.gauss.bound = 0x1.8p9;
    ok(!den_job_quantum(&job, &err) && job.quantum == 0x1p-20, "weights up to 768: the quantum is 2^-20");
    job.gauss.bound = 1;
    weight[1] = nextafterf(-1, -2);
    ok(den_job_quantum(&job, &err) == -1 && strstr(err.text, "atom 1: weight -1"),
       "a weight just above the bound: rejected");
    weight[1] = -1;
    ok(!den_job_quantum(&job, &err), "a weight at the bound: accepted");
    weight[1] = NAN;
    ok(den_job_quantum(&job, &err) == -1, "a weight that is NaN: rejected");
    weight[1] = -0.5F;
    const double bounds[] = {0, -1, NAN, INFINITY, 1e300};
    job.weight = NULL;
    for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++) {
        job.gauss.bound = bounds[i];
        ok(den_job_quantum(&job, &err) == -1, "bound %g: rejected", bounds[i]);
    }
    job.gauss.bound = 0.5;
    ok(den_job_quantum(&job, &err) == -1 && strstr(err.text, "the weights are 1"),
       "weights of 1 and a bound of 0.5: rejected");
    job = job_of(DEN_BALL);
    job.radius = 0;
    ok(den_job_quantum(&job, &err) == -1 && strstr(err.text, "invalid radius"), "a ball without radius: rejected");
}

// Adds the frame to a map whose values are `before`, and returns whether that succeeded and gave `after` at point
// 3,3,3.
static bool scatter(const struct den_job *job, const struct trj_frame *f, int64_t before, int64_t after) {
    struct trj_error err;
    struct tile_lattice_plan plan = {0};
    static int64_t values[512];
    float reach[1][3];
    den_job_reach(job, &job->lattice, reach[0]);
    struct tile_lattice_atoms list = {
        .frame = f, .list = atoms, .count = 1, .value = job->weight, .kinds = 1, .reach = (const float(*)[3])reach};
    for (int i = 0; i < 512; i++) values[i] = before;
    if (tile_lattice_plan_start(&plan, &job->lattice, &list, 1, &err)) abort();
    tile_lattice_plan_find(&plan, 0);
    int rc = den_scatter(job, &job->lattice, &plan, 0, 8, values, &err);
    tile_lattice_plan_free(&plan);
    return (rc == 0) == (before != after) && values[3 + 8 * (3 + 8 * 3)] == after &&
           (!rc || strstr(err.text, "the sum at point 3, 3, 3 exceeds 2^63"));
}

static void test_bounds(void) {
    struct trj_error err;
    struct trj_frame f;
    fill(&f);
    struct den_job job = job_of(DEN_COUNT);
    den_job_quantum(&job, &err);
    ok(scatter(&job, &f, 0, 1), "a count: 1 is added");
    ok(scatter(&job, &f, INT64_MAX - 1, INT64_MAX), "a sum that is the largest integer: exact");
    ok(scatter(&job, &f, INT64_MAX, INT64_MAX), "a sum above the largest integer: an error before the addition");
    job.weight = weight;
    weight[0] = -1;
    den_job_quantum(&job, &err);
    const int64_t max = DEN_UNITS_MAX;
    ok(scatter(&job, &f, 0, -max), "a weight at the bound is -2^30 quanta");
    ok(scatter(&job, &f, INT64_MIN + max, INT64_MIN), "a sum that is the smallest integer: exact");
    ok(scatter(&job, &f, INT64_MIN + max - 1, INT64_MIN + max - 1),
       "a sum below the smallest integer: an error before the addition");
    weight[0] = 1;
    trj_frame_free(&f);
}

static void test_engines(void) {
    static const struct work_map_engine *const engines[] = {&den_engine_cpu, &den_engine_reference};
    struct trj_error err;
    struct trj_frame f;
    fill(&f);
    for (int e = 0; e < 2; e++) {
        const struct work_map_engine *engine = engines[e];
        struct den_job job = job_of(DEN_COUNT);
        struct trj_engine_stats stats;
        const int64_t *values;
        void *state;
        den_job_quantum(&job, &err);
        if (engine->open(&state, &job, &resources, &err)) abort();
        ok(!engine->finish(state, &values, &err) && !values[0] && !values[219], "%s: no frames: all values are 0",
           engine->kind.name);
        for (int i = 0; i < 3; i++)
            if (engine->add(state, &f, &err)) abort();
        ok(!engine->finish(state, &values, &err) && values[219] == 3 && values[0] == 3,
           "%s: three frames, with an atom on the border of the cell: exact counts", engine->kind.name);
        if (engine->add(state, &f, &err)) abort();
        ok(!engine->finish(state, &values, &err) && values[219] == 1 && values[0] == 1,
           "%s: the next record contains only its own frame", engine->kind.name);
        engine->stats(state, &stats);
        ok(stats.frames == 4 && stats.workers == 1, "%s: statistics give the numbers of frames and workers",
           engine->kind.name);
        engine->close(state);
        engine->close(NULL);
    }
    trj_frame_free(&f);
}

static void test_frames(void) {
    struct trj_error err;
    struct trj_frame f;
    struct trj_map_lattice l;
    fill(&f);
    struct den_job job = job_of(DEN_COUNT);
    ok(!den_job_check_frame(&job, &f, &err), "a valid frame: accepted");
    f.cell.h[1][1] = 8.001;
    ok(den_job_check_frame(&job, &f, &err) == -1 && strstr(err.text, "--fractional"),
       "another cell: rejected with a remedy");
    job.fractional = true;
    ok(!den_job_lattice(&job, &f, &l, &err) && fabs(l.step[1][1] - 8.001 / 8) < 1e-15 && l.step[0][0] == 1,
       "fractional points: the lattice divides the cell of the frame");
    f.cell.periodic = 3;
    ok(den_job_check_frame(&job, &f, &err) == -1 && strstr(err.text, "no cell that is periodic"),
       "fractional points without a periodic cell: rejected");
    trj_frame_free(&f);
    fill(&f);
    f.x[1][1] = NAN;
    f.farthest = 0;
    ok(den_job_check_frame(&job, &f, &err) == -1 && strstr(err.text, "atom 1: coordinate nan"),
       "a coordinate that is NaN: rejected with the number of the atom");
    job.atoms = 3;
    ok(den_job_check_frame(&job, &f, &err) == -1 && strstr(err.text, "2 atoms"), "another number of atoms: rejected");
    trj_frame_free(&f);
}

// ---- a pool of simulated devices, each of which computes slices with the engine cpu

enum { DEVICES = 2, FRAMES = 7, POINTS = 512 };

struct device {
    const struct den_job *job;
    int64_t values[POINTS];
    struct work_map_slice result;
    bool huge; // all sums are the largest integer
};

static void *allocate(size_t bytes) {
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static int attach(void *device, struct trj_error *err) {
    (void)device, (void)err;
    return 0;
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err) {
    struct device *d = device;
    uint64_t first = 8 * slice / batch->slices, last = 8 * (slice + 1) / batch->slices;
    const int64_t *sums;
    void *cpu;
    (void)slot;
    if (den_engine_cpu.open(&cpu, d->job, &resources, err)) return -1;
    for (unsigned i = 0; i < batch->count; i++)
        if (den_engine_cpu.add(cpu, &batch->frames[i], err)) return -1;
    if (den_engine_cpu.finish(cpu, &sums, err)) return -1;
    for (size_t i = 0; i < POINTS; i++) d->values[i] = d->huge ? INT64_MAX : sums[i];
    den_engine_cpu.close(cpu);
    d->result = (struct work_map_slice){d->values + 64 * first, 64 * first, 64 * (last - first)};
    return 0;
}

static int end(void *device, unsigned slot, struct work_result *result, struct trj_error *err) {
    (void)slot, (void)err;
    result->data = &((struct device *)device)->result;
    return 0;
}

static double joules(void *device) {
    (void)device;
    return NAN;
}

static const char *name(void *device) {
    (void)device;
    return "device";
}

static const struct work_device_ops ops = {1, allocate, free, attach, begin, end, joules, name};

// Adds all frames to an engine or a pool. Atom 0 moves by one point a frame along each axis.
static int add_frames(int (*add)(void *state, struct trj_frame *f, struct trj_error *err), void *state,
                      struct trj_error *err) {
    int rc = 0;
    for (int i = 0; i < FRAMES && !rc; i++) {
        struct trj_frame f;
        fill(&f);
        for (int k = 0; k < 3; k++) f.x[k][0] += (float)i;
        rc = add(state, &f, err);
        trj_frame_free(&f);
    }
    return rc;
}

static int add_to_pool(void *pool, struct trj_frame *f, struct trj_error *err) {
    return work_map_pool_add(pool, f, err);
}

// Returns whether the sums of the pool are `expected`; NULL: whether it reports an overflow.
static bool pool_gives(struct den_job *job, unsigned slices, const int64_t *expected) {
    static struct device devices[DEVICES];
    void *handles[DEVICES];
    for (int i = 0; i < DEVICES; i++) {
        devices[i] = (struct device){.job = job, .huge = !expected};
        handles[i] = &devices[i];
    }
    const struct work_pool_plan plan = {&ops, handles, DEVICES, 2, 1, slices};
    struct trj_error err = {.text = ""};
    struct work_map_pool *pool;
    const int64_t *values = NULL;
    const struct work_map_job map = den_map_job(job);
    if (work_map_pool_open(&pool, &map, &resources, &plan, &err)) return false;
    int rc = add_frames(add_to_pool, pool, &err) || work_map_pool_finish(pool, &values, &err);
    bool good = expected ? !rc && !memcmp(values, expected, POINTS * sizeof *values)
                         : rc && strstr(err.text, "point 0, 0, 0: the sum of frames exceeds 2^63 quanta");
    work_map_pool_close(pool);
    return good;
}

static void test_pool(void) {
    struct trj_error err;
    struct den_job job = job_of(DEN_COUNT);
    static int64_t expected[POINTS];
    const int64_t *values;
    void *cpu;
    if (den_job_quantum(&job, &err) || den_engine_cpu.open(&cpu, &job, &resources, &err) ||
        add_frames(den_engine_cpu.add, cpu, &err) || den_engine_cpu.finish(cpu, &values, &err))
        abort();
    memcpy(expected, values, sizeof expected);
    den_engine_cpu.close(cpu);
    ok(expected[3 + 8 * (3 + 8 * 3)] == 1 && expected[0] == FRAMES + 1, "the sums of all frames at two points");
    for (unsigned slices = 1; slices <= 3; slices++)
        ok(pool_gives(&job, slices, expected), "batches in %u slices: the sums of the engine cpu", slices);
    setenv("TRJPIPE_FAULT", "1:0", 1);
    ok(pool_gives(&job, 2, expected), "one device fails: the sums are the same");
    setenv("TRJPIPE_FAULT", "0:1,1:0", 1);
    ok(!pool_gives(&job, 2, expected), "all devices fail: an error");
    resources.cpu_may_finish = true;
    ok(pool_gives(&job, 2, expected), "all devices fail, and the CPU may finish: the sums are the same");
    unsetenv("TRJPIPE_FAULT");
    ok(pool_gives(&job, 1, NULL), "sums of batches that exceed int64: an error");
}

// ---- the error bound of Gaussians

enum { MANY = 400 };

// Atoms in a cell, or all near one point, and a lattice that divides the cell or not.
static void test_error_bound(const char *name, const struct trj_cell *cell, bool divides, bool stacked) {
    static const double sigmas[2] = {1.1, 2.3}, peaks[2] = {0.7, 0.05};
    static uint32_t list[MANY];
    static float weights[MANY];
    static uint16_t kinds[MANY];
    const struct trj_group all = {.atoms = list, .count = MANY};
    struct trj_error err = {.text = ""};
    struct trj_frame f = {0};
    if (trj_frame_resize(&f, MANY, &err)) abort();
    f.unit = 1;
    f.cell = *cell;
    for (size_t i = 0; i < MANY; i++) {
        double s[3];
        for (int k = 0; k < 3; k++) s[k] = stacked ? 0.5 + 0.001 * uniform() : 2 * uniform() - 0.5;
        for (int k = 0; k < 3; k++)
            f.x[k][i] = (float)(s[0] * cell->h[0][k] + s[1] * cell->h[1][k] + s[2] * cell->h[2][k]);
        list[i] = (uint32_t)i;
        weights[i] = (float)(stacked ? 8 : 16 * uniform() - 8);
        kinds[i] = (uint16_t)(2 * uniform());
    }
    struct den_job job = {.kernel = DEN_GAUSS,
                          .atoms = MANY,
                          .group = &all,
                          .weight = weights,
                          .kind = kinds,
                          .gauss = {2, sigmas, peaks, 8, 0}};
    job.lattice = (struct trj_map_lattice){{30, 24, 27}, {-2, 1, 3}, {{0.9, 0, 0}, {0.2, 1.1, 0}, {0, -0.3, 0.8}}, 0};
    if (divides && trj_map_lattice_cover(&job.lattice, cell, 0.9, &err)) abort();
    const struct den_gauss_atoms members = {list, MANY, weights, kinds};
    struct den_gauss_setup wide = job.gauss;
    wide.cutoff = 9;
    const int64_t *values;
    void *cpu;
    double worst = 0;
    if (den_job_quantum(&job, &err) || den_job_bound(&job, cell, &err) || den_job_check_frame(&job, &f, &err) ||
        den_engine_cpu.open(&cpu, &job, &resources, &err) || den_engine_cpu.add(cpu, &f, &err) ||
        den_engine_cpu.finish(cpu, &values, &err))
        abort();
    for (int i = 0; i < 100; i++) {
        int64_t at[3];
        for (int k = 0; k < 3; k++) at[k] = (int64_t)((double)job.lattice.n[k] * uniform());
        int64_t v = values[at[0] + (int64_t)job.lattice.n[0] * (at[1] + (int64_t)job.lattice.n[1] * at[2])];
        double exact = den_gauss_reference(&wide, &job.lattice, &f, &members, at);
        worst = fmax(worst, fabs((double)v * job.quantum - exact) / job.error_bound);
    }
    den_engine_cpu.close(cpu);
    ok(worst > 0 && worst <= 1, "%s%s%s: values are within the error bound %.3g of float64 sums: %.3g of it", name,
       divides ? "" : ", fixed lattice", stacked ? ", all atoms at one place" : "", job.error_bound, worst);
    // The bound of a cell that may change allows somewhat shorter vectors, but not a much smaller cell.
    f.cell = (struct trj_cell){.h = {{0.7, 0, 0}, {0, 0.7, 0}, {0, 0, 0.7}}, .periodic = TRJ_PERIODIC_ALL};
    for (size_t i = 0; i < MANY; i++) f.x[0][i] = f.x[1][i] = f.x[2][i] = 0;
    job.fractional = divides;
    ok(den_job_check_frame(&job, &f, &err) == -1 && strstr(err.text, "error bound"), "%s: a tiny cell is rejected: %s",
       name, err.text);
    trj_frame_free(&f);
}

static void test_error_bounds(void) {
    static const struct {
        const char *name;
        struct trj_cell cell;
    } cells[] = {
        {"cubic", {{{30, 0, 0}, {0, 30, 0}, {0, 0, 30}}, 7}},
        {"triclinic", {{{26, 0, 0}, {7, 28, 0}, {-9, 5, 33}}, 7}},
        {"small", {{{9, 0, 0}, {2, 8, 0}, {1, -2, 11}}, 7}},
        {"30 degrees", {{{30, 0, 0}, {26, 15, 0}, {3, 2, 28}}, 7}},
    };
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        for (int way = 0; way < 4; way++) test_error_bound(cells[i].name, &cells[i].cell, way & 1, way & 2);
}

int main(void) {
    test_error_bounds();
    test_quanta();
    test_bounds();
    test_engines();
    test_frames();
    test_pool();
    return done();
}
