// SPDX-License-Identifier: MIT
#include "ligand_pool.h"

#include <stdlib.h>

#include "ligand_frame.h"
#include "memory.h"

struct lig_pool {
    const struct lig_job *job;
    struct work_job work;
    struct work_pool *pool;
    size_t points, plane;     // of the lattice, of a plane
    struct lig_frame checked; // of the last frame that was added
    unsigned device_count;
    struct lig_device_stats *reported; // [device_count], returned by lig_pool_stats
    void *cpu;                         // state of lig_engine_cpu, used when no device is left
    uint64_t frames;
};

// ---- functions of the job

// Adds n sums, none of which is negative or above LIG_SUM_MAX + 1. All sums that are too large become this value, so
// that the result does not depend on the order of additions.
static void add(int64_t *to, const int64_t *from, size_t n) {
    for (size_t i = 0; i < n; i++) {
        uint64_t sum = (uint64_t)to[i] + (uint64_t)from[i];
        to[i] = sum > (uint64_t)LIG_SUM_MAX ? LIG_SUM_MAX + 1 : (int64_t)sum;
    }
}

static void add_slice(void *owner, void *sum, const struct work_slice *slice) {
    struct lig_pool *d = owner;
    const struct lig_slice *s = slice->data;
    add((int64_t *)sum + s->plane * d->plane, s->values, (size_t)s->planes * d->plane);
}

static void add_sum(void *owner, void *sum, const void *other) {
    add(sum, other, ((const struct lig_pool *)owner)->points);
}

static void note(void *owner, const char *text) {
    const struct lig_job *job = ((const struct lig_pool *)owner)->job;
    if (job->note) job->note(job->note_arg, text);
}

// ---- engine cpu, when no device is left

static int open_cpu(void *owner, struct trj_error *err) {
    struct lig_pool *d = owner;
    return lig_engine_cpu.open(&d->cpu, d->job, err);
}

static int add_to_cpu(void *owner, struct trj_frame *frame, struct trj_error *err) {
    return lig_engine_cpu.add(((struct lig_pool *)owner)->cpu, frame, err);
}

static int finish_cpu(void *owner, void *sum, struct trj_error *err) {
    struct lig_pool *d = owner;
    const int64_t *values;
    if (lig_engine_cpu.finish(d->cpu, &values, err)) return -1;
    add(sum, values, d->points);
    return 0;
}

static const struct work_fallback fallback = {"engine cpu", open_cpu, add_to_cpu, finish_cpu};

// ---- functions for the engine

void lig_pool_close(struct lig_pool *d) {
    if (!d) return;
    work_pool_close(d->pool);
    lig_engine_cpu.close(d->cpu);
    lig_frame_close(&d->checked);
    free(d->reported);
    free(d);
}

int lig_pool_open(struct lig_pool **pool, const struct lig_job *job, const struct work_pool_plan *plan,
                  struct trj_error *err) {
    struct lig_pool *d = trj_alloc(1, sizeof *d, "a device pool", err);
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
    if (!d->reported || lig_frame_open(&d->checked, job, err) || work_pool_open(&d->pool, &d->work, plan, err)) {
        lig_pool_close(d);
        return -1;
    }
    *pool = d;
    return 0;
}

int lig_pool_add(struct lig_pool *d, struct trj_frame *frame, struct trj_error *err) {
    if (lig_frame_set(&d->checked, frame, err)) return -1;
    d->frames++;
    return work_pool_add(d->pool, frame, err);
}

int lig_pool_finish(struct lig_pool *d, const int64_t **values, struct trj_error *err) {
    void *sum;
    if (work_pool_finish(d->pool, &sum, err)) return -1;
    *values = sum;
    for (size_t i = 0; i < d->points; i++)
        if ((*values)[i] > LIG_SUM_MAX) {
            size_t x = (size_t)d->job->lattice.n[0], y = (size_t)d->job->lattice.n[1];
            return trj_fail(err, TRJ_BAD_DATA,
                            "point %zu, %zu, %zu: the sum exceeds 2^62 quanta; reduce --bits, or the number of frames "
                            "in a record with --block",
                            i % x, i / x % y, i / x / y);
        }
    return 0;
}

void lig_pool_stats(struct lig_pool *d, struct lig_engine_stats *stats) {
    *stats = (struct lig_engine_stats){
        .workers = d->device_count, .frames = d->frames, .devices = d->reported, .device_count = d->device_count};
    for (unsigned i = 0; i < d->device_count; i++) {
        struct work_device_stats w;
        work_pool_stats(d->pool, i, &w);
        d->reported[i] = (struct lig_device_stats){w.name, w.frames, w.busy, w.failed};
        stats->seconds += w.busy;
    }
}
