// SPDX-License-Identifier: MIT
// Tests the pool of devices of ligand maps (ligand/ligand_engine.h) with simulated devices, each of which computes
// slices with the engine cpu: the sums, devices that fail, and sums that are too large.
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ligand_engine.h"
#include "tap.h"
#include "uniform.h"

enum { DEVICES = 2, FRAMES = 7, ATOMS = 30, SIDE = 8, POINTS = SIDE * SIDE * SIDE };

static struct work_resources resources = {.threads = 1};
static double sigma[ATOMS], epsilon[ATOMS];
static uint32_t numbers[ATOMS];
static const struct trj_group group = {.atoms = numbers, .count = ATOMS};

struct device {
    const struct lig_job *job;
    int64_t values[POINTS];
    struct work_map_slice result;
    bool large; // all sums are the largest possible
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
    uint64_t first = SIDE * slice / batch->slices, last = SIDE * (slice + 1) / batch->slices;
    const int64_t *sums;
    void *cpu;
    (void)slot;
    if (lig_engine_cpu.open(&cpu, d->job, &resources, err)) return -1;
    for (unsigned i = 0; i < batch->count; i++)
        if (lig_engine_cpu.add(cpu, &batch->frames[i], err)) return -1;
    if (lig_engine_cpu.finish(cpu, &sums, err)) return -1;
    for (size_t i = 0; i < POINTS; i++) d->values[i] = d->large ? LIG_SUM_MAX : sums[i];
    lig_engine_cpu.close(cpu);
    size_t plane = SIDE * SIDE;
    d->result = (struct work_map_slice){d->values + plane * first, plane * first, plane * (last - first)};
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

static void make_job(struct lig_job *job) {
    struct trj_error err;
    *job = (struct lig_job){.orientations = 3,
                            .group = &group,
                            .atoms = ATOMS,
                            .sigma = sigma,
                            .epsilon = epsilon,
                            .cutoff = 6,
                            .temperature = 300,
                            .cap = 60,
                            .bits = 30,
                            .lattice = {.n = {SIDE, SIDE, SIDE}, .step = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}}};
    if (lig_ligand_find(&job->ligand, "O2", &err) || lig_job_make(job, &err)) abort();
}

// Adds all frames to an engine or a pool.
static int add_frames(int (*add)(void *state, struct trj_frame *f, struct trj_error *err), void *state,
                      struct trj_error *err) {
    int rc = 0;
    uniform_state = 5;
    for (int i = 0; i < FRAMES && !rc; i++) {
        struct trj_frame f = {.atoms = 0};
        if (trj_frame_resize(&f, ATOMS, err)) abort();
        f.unit = 1;
        f.cell = (struct trj_cell){.h = {{16, 0, 0}, {0, 16, 0}, {0, 0, 16}}, .periodic = 7};
        for (int k = 0; k < 3; k++)
            for (size_t a = 0; a < f.atoms; a++) f.x[k][a] = (float)(16 * uniform());
        rc = add(state, &f, err);
        trj_frame_free(&f);
    }
    return rc;
}

static int add_to_pool(void *pool, struct trj_frame *f, struct trj_error *err) {
    return work_map_pool_add(pool, f, err);
}

// Returns whether the sums of the pool are `expected`; NULL: whether it fails with this text.
static bool pool_gives(struct lig_job *job, unsigned slices, const int64_t *expected, bool large, const char *text) {
    static struct device devices[DEVICES];
    void *handles[DEVICES];
    for (int i = 0; i < DEVICES; i++) {
        devices[i] = (struct device){.job = job, .large = large};
        handles[i] = &devices[i];
    }
    const struct work_pool_plan plan = {&ops, handles, DEVICES, 2, 1, slices};
    struct trj_error err = {.text = ""};
    struct work_map_pool *pool;
    const int64_t *values = NULL;
    const struct work_map_job map = lig_map_job(job);
    if (work_map_pool_open(&pool, &map, &resources, &plan, &err)) return false;
    int rc = add_frames(add_to_pool, pool, &err) || work_map_pool_finish(pool, &values, &err);
    bool good = expected ? !rc && !memcmp(values, expected, POINTS * sizeof *values) : rc && has_text(err.text, text);
    work_map_pool_close(pool);
    return good;
}

int main(void) {
    struct trj_error err;
    struct lig_job job;
    static int64_t expected[POINTS];
    const int64_t *values;
    void *cpu;
    for (uint32_t i = 0; i < ATOMS; i++) {
        numbers[i] = i;
        sigma[i] = 2.5;
        epsilon[i] = 0.1;
    }
    make_job(&job);
    if (lig_engine_cpu.open(&cpu, &job, &resources, &err) || add_frames(lig_engine_cpu.add, cpu, &err) ||
        lig_engine_cpu.finish(cpu, &values, &err))
        abort();
    memcpy(expected, values, sizeof expected);
    lig_engine_cpu.close(cpu);
    for (unsigned slices = 1; slices <= 3; slices++)
        ok(pool_gives(&job, slices, expected, false, ""), "batches in %u slices: the sums of the engine cpu", slices);
    setenv("TRJPIPE_FAULT", "1:0", 1);
    ok(pool_gives(&job, 2, expected, false, ""), "one device fails: the sums are the same");
    setenv("TRJPIPE_FAULT", "0:1,1:0", 1);
    ok(pool_gives(&job, 2, NULL, false, "device"), "all devices fail: an error");
    resources.cpu_may_finish = true;
    ok(pool_gives(&job, 2, expected, false, ""), "all devices fail, and the CPU may finish: the sums are the same");
    unsetenv("TRJPIPE_FAULT");
    ok(pool_gives(&job, 1, NULL, true, "point 0, 0, 0: the sum exceeds 2^62 quanta"),
       "sums of batches that exceed 2^62 quanta: an error");
    lig_job_free(&job);
    return done();
}
