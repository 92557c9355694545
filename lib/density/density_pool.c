// SPDX-License-Identifier: MIT
#include "density_pool.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "memory.h"

struct den_pool {
    const struct den_job *job;
    struct work_job work;
    struct work_pool *pool;
    size_t points, plane; // of the lattice, of a plane
    atomic_bool overflow;
    unsigned device_count;
    struct den_device_stats *reported; // [device_count], returned by den_pool_stats
    void *cpu;                         // state of den_engine_cpu, used when no device is left
    uint64_t frames;
};

// ---- functions of the job

// Adds n sums. An overflow makes the result invalid, which den_pool_finish reports. (One pass in vectors: maps are
// larger than the cache.)
static void add(struct den_pool *d, int64_t *to, const int64_t *from, size_t n) {
    uint64_t over = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t a = (uint64_t)to[i], b = (uint64_t)from[i], sum = a + b;
        over |= (a ^ sum) & (b ^ sum); // the sign bit: set if a and b have the same sign, and the sum has the other one
        to[i] = (int64_t)sum;
    }
    if (over >> 63) atomic_store(&d->overflow, true);
}

static void add_slice(void *owner, void *sum, const struct work_slice *slice) {
    struct den_pool *d = owner;
    const struct den_slice *s = slice->data;
    add(d, (int64_t *)sum + s->plane * d->plane, s->values, (size_t)s->planes * d->plane);
}

static void add_sum(void *owner, void *sum, const void *other) {
    struct den_pool *d = owner;
    add(d, sum, other, d->points);
}

static void note(void *owner, const char *text) {
    const struct den_job *job = ((const struct den_pool *)owner)->job;
    if (job->note) job->note(job->note_arg, text);
}

// ---- engine cpu, when no device is left

static int open_cpu(void *owner, struct trj_error *err) {
    struct den_pool *d = owner;
    return den_engine_cpu.open(&d->cpu, d->job, err);
}

static int add_to_cpu(void *owner, struct trj_frame *frame, struct trj_error *err) {
    return den_engine_cpu.add(((struct den_pool *)owner)->cpu, frame, err);
}

static int finish_cpu(void *owner, void *sum, struct trj_error *err) {
    struct den_pool *d = owner;
    const int64_t *values;
    if (den_engine_cpu.finish(d->cpu, &values, err)) return -1;
    add(d, sum, values, d->points);
    return 0;
}

static const struct work_fallback fallback = {"engine cpu", open_cpu, add_to_cpu, finish_cpu};

// ---- functions for the engine

void den_pool_close(struct den_pool *d) {
    if (!d) return;
    work_pool_close(d->pool);
    den_engine_cpu.close(d->cpu);
    free(d->reported);
    free(d);
}

int den_pool_open(struct den_pool **pool, const struct den_job *job, const struct work_pool_plan *plan,
                  struct trj_error *err) {
    struct den_pool *d = trj_alloc(1, sizeof *d, "a device pool", err);
    if (!d) return -1;
    d->job = job;
    d->points = (size_t)trj_map_lattice_points(&job->lattice);
    d->plane = (size_t)trj_map_lattice_plane(&job->lattice);
    d->device_count = plan->device_count;
    d->reported = trj_alloc(d->device_count, sizeof *d->reported, "devices", err);
    d->work = (struct work_job){.owner = d,
                                .atoms = job->atoms,
                                .sum_bytes = d->points * sizeof(int64_t),
                                .add_slice = add_slice,
                                .add_sum = add_sum,
                                .fallback = job->cpu_may_finish ? &fallback : NULL,
                                .note = note};
    if (!d->reported || work_pool_open(&d->pool, &d->work, plan, err)) {
        den_pool_close(d);
        return -1;
    }
    *pool = d;
    return 0;
}

int den_pool_add(struct den_pool *d, struct trj_frame *frame, struct trj_error *err) {
    d->frames++;
    return work_pool_add(d->pool, frame, err);
}

int den_pool_finish(struct den_pool *d, const int64_t **values, struct trj_error *err) {
    void *sum;
    if (work_pool_finish(d->pool, &sum, err)) return -1;
    *values = sum;
    if (!atomic_load(&d->overflow)) return 0;
    return trj_fail(err, TRJ_BAD_DATA,
                    "the sum of frames exceeds 2^63 quanta; write several maps of fewer frames each");
}

void den_pool_stats(struct den_pool *d, struct den_engine_stats *stats) {
    *stats = (struct den_engine_stats){
        .workers = d->device_count, .frames = d->frames, .devices = d->reported, .device_count = d->device_count};
    for (unsigned i = 0; i < d->device_count; i++) {
        struct work_device_stats w;
        work_pool_stats(d->pool, i, &w);
        d->reported[i] = (struct den_device_stats){w.name, w.frames, w.busy, w.failed};
        stats->seconds += w.busy;
    }
}
