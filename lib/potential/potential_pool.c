// SPDX-License-Identifier: MIT
#include "potential_pool.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "cpu_frames.h"
#include "memory.h"
#include "pair_blocks.h"

struct pot_pool {
    const struct pot_job *job;
    const struct pot_method *method; // of the engine cpu
    struct work_job work;
    struct work_pool *pool;
    unsigned device_count;
    struct pot_device_stats *reported; // [device_count], returned by pot_pool_stats
    struct pot_cpu_frames cpu;         // used when no device is left
    pthread_mutex_t lock;              // protects the following members, which the threads of the devices change
    size_t overflow;                   // the first point whose sum exceeds int64; SIZE_MAX: none
    double error;                      // largest bound of the slices
    bool no_bound;                     // a slice has none
};

// ---- functions of the job

static void set_overflow(struct pot_pool *p, size_t point) {
    pthread_mutex_lock(&p->lock);
    if (point < p->overflow) p->overflow = point;
    pthread_mutex_unlock(&p->lock);
}

// Returns, in the sign bit, whether the addition of a and b, which gave `sum`, has overflowed.
static uint64_t overflow_of(uint64_t b, uint64_t sum) {
    uint64_t a = sum - b;
    return (a ^ sum) & (b ^ sum); // set if a and b have the same sign, and the sum has the other one
}

// Adds the values of n points. An overflow makes the result invalid, which pot_pool_finish reports. (One pass in
// vectors: maps are larger than the cache.)
static void add(struct pot_pool *p, int64_t *sum, const int64_t *values, size_t first, size_t n) {
    int64_t *to = sum + first;
    uint64_t over = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t b = (uint64_t)values[i], s = (uint64_t)to[i] + b;
        over |= overflow_of(b, s);
        to[i] = (int64_t)s;
    }
    for (size_t i = 0; over >> 63 && i < n; i++)
        if (overflow_of((uint64_t)values[i], (uint64_t)to[i]) >> 63) {
            set_overflow(p, first + i);
            return;
        }
}

static void add_slice(void *owner, void *sum, const struct work_slice *slice) {
    struct pot_pool *p = owner;
    const struct pot_slice *s = slice->data;
    add(p, sum, s->values, s->first, s->count);
    pthread_mutex_lock(&p->lock);
    p->error = fmax(p->error, s->error);
    p->no_bound |= isnan(s->error);
    pthread_mutex_unlock(&p->lock);
}

static void add_sum(void *owner, void *sum, const void *other) {
    struct pot_pool *p = owner;
    add(p, sum, other, 0, p->job->values);
}

static void note(void *owner, const char *text) {
    const struct pot_job *job = ((const struct pot_pool *)owner)->job;
    if (job->note) job->note(job->note_arg, text);
}

// ---- engine cpu, when no device is left

static int open_cpu(void *owner, struct trj_error *err) {
    struct pot_pool *p = owner;
    return pot_cpu_frames_open(&p->cpu, p->job, p->method, err);
}

static int add_to_cpu(void *owner, struct trj_frame *frame, struct trj_error *err) {
    return pot_cpu_frames_add(&((struct pot_pool *)owner)->cpu, frame, err);
}

static int finish_cpu(void *owner, void *sum, struct trj_error *err) {
    struct pot_pool *p = owner;
    const int64_t *values;
    if (p->method->finish(p->cpu.state, &values, err)) return -1;
    add(p, sum, values, 0, p->job->values);
    return 0;
}

static const struct work_fallback fallback = {"engine cpu", open_cpu, add_to_cpu, finish_cpu};

// ---- functions for the engine

void pot_pool_close(struct pot_pool *p) {
    if (!p) return;
    work_pool_close(p->pool);
    pot_cpu_frames_close(&p->cpu);
    pthread_mutex_destroy(&p->lock);
    free(p->reported);
    free(p);
}

int pot_pool_open(struct pot_pool **pool, const struct pot_job *job, const struct pot_method *cpu,
                  const struct work_pool_plan *plan, struct trj_error *err) {
    struct pot_pool *p = trj_alloc(1, sizeof *p, "a device pool", err);
    if (!p) return -1;
    pthread_mutex_init(&p->lock, NULL);
    p->job = job;
    p->method = cpu;
    p->overflow = SIZE_MAX;
    p->device_count = plan->device_count;
    p->reported = trj_alloc(p->device_count, sizeof *p->reported, "devices", err);
    p->work = (struct work_job){.owner = p,
                                .atoms = job->stream_atoms,
                                .sum_bytes = job->values * sizeof(int64_t),
                                .add_slice = add_slice,
                                .add_sum = add_sum,
                                .fallback = job->cpu_may_finish ? &fallback : NULL,
                                .note = note};
    if (!p->reported || work_pool_open(&p->pool, &p->work, plan, err)) {
        pot_pool_close(p);
        return -1;
    }
    *pool = p;
    return 0;
}

int pot_pool_add(struct pot_pool *p, const struct pot_frame *frame, struct trj_error *err) {
    return work_pool_add(p->pool, frame->stream, err);
}

int pot_pool_finish(struct pot_pool *p, const int64_t **values, struct trj_error *err) {
    char where[96];
    void *sum;
    if (work_pool_finish(p->pool, &sum, err)) return -1;
    *values = sum;
    pthread_mutex_lock(&p->lock);
    size_t point = p->overflow;
    pthread_mutex_unlock(&p->lock);
    if (point == SIZE_MAX) return 0;
    pot_point_text(p->job, &p->job->lattice, point, where, sizeof where);
    return trj_fail(err, TRJ_BAD_DATA,
                    "%s: the sum of frames exceeds 2^63 quanta of %.3g; write several maps of fewer frames each", where,
                    p->job->quantum);
}

double pot_pool_error(const struct pot_pool *p) {
    double error = p->no_bound ? NAN : p->error;
    if (!p->cpu.state || isnan(error)) return error;
    double other = pot_cpu_frames_error(&p->cpu);
    return isnan(other) ? NAN : fmax(error, other);
}

uint64_t pot_pool_bad_frame(const struct pot_pool *p) {
    return work_pool_bad_frame(p->pool);
}

void pot_pool_stats(struct pot_pool *p, struct pot_stats *stats) {
    *stats = (struct pot_stats){.devices = p->reported, .device_count = p->device_count};
    for (unsigned i = 0; i < p->device_count; i++) {
        struct work_device_stats w;
        work_pool_stats(p->pool, i, &w);
        p->reported[i] = (struct pot_device_stats){w.name, w.frames, w.busy, w.failed};
    }
}
