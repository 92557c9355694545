// SPDX-License-Identifier: MIT
// Connects the engine cuda of counts to the pool of devices. The sum of the pool is an array [pairs][bins + 1]; the
// last column counts pairs of an atom with its own images that lie in no bin.
#include "count_pool.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"

struct rdf_count_pool {
    const struct rdf_job *job;
    struct work_job work;
    struct work_pool *pool;
    double *squares;
    bool *overlap;        // [pairs] of different groups with atoms in common
    void *cpu;            // state of rdf_engine_cpu, used when no device is left
    uint64_t *cpu_counts; // [pairs][bins]
    pthread_mutex_t lock; // protects `done`
    struct done {
        uint64_t evaluated, resolved, counted;
    } * done; // [devices]
};

static size_t row(const struct rdf_count_pool *c) {
    return rdf_bins_cells(&c->job->bins) + 1;
}

// ---- functions of the job

static void subtract_self_images(const struct rdf_count_pool *c, const struct work_batch *b, unsigned part,
                                 uint64_t *sum) {
    for (size_t p = 0; p < c->job->pair_count; p++)
        for (unsigned i = work_part_begin(b, part); c->overlap[p] && i < b->end[part]; i++)
            rdf_job_subtract_self_images(c->job, p, &b->frames[i], c->squares, sum + p * row(c));
}

// Adds counts [pairs][bins] and returns their sum.
static uint64_t add_counts(const struct rdf_count_pool *c, uint64_t *sum, const uint64_t *counts) {
    uint64_t bins = rdf_bins_cells(&c->job->bins), counted = 0;
    for (size_t p = 0; p < c->job->pair_count; p++)
        for (uint64_t k = 0; k < bins; k++) {
            sum[p * (bins + 1) + k] += counts[p * bins + k];
            counted += counts[p * bins + k];
        }
    return counted;
}

static void add_slice(void *owner, void *sum, const struct work_slice *slice) {
    struct rdf_count_pool *c = owner;
    const struct rdf_slice_counts *r = slice->data;
    if (slice->first) subtract_self_images(c, slice->batch, slice->part, sum);
    uint64_t counted = add_counts(c, sum, r->counts + slice->part * c->job->pair_count * rdf_bins_cells(&c->job->bins));
    struct done *d = &c->done[slice->device];
    pthread_mutex_lock(&c->lock);
    d->counted += counted;
    if (!slice->part) {
        d->evaluated += r->evaluated;
        d->resolved += r->resolved;
    }
    pthread_mutex_unlock(&c->lock);
}

static void add_sum(void *owner, void *sum, const void *other) {
    const struct rdf_count_pool *c = owner;
    uint64_t *to = sum;
    const uint64_t *from = other;
    for (size_t i = 0, n = c->job->pair_count * row(c); i < n; i++) to[i] += from[i];
}

// Passes a sum to the job without its last column. Modifies it.
static void deliver(void *owner, uint64_t tag, void *sum) {
    const struct rdf_count_pool *c = owner;
    uint64_t *counts = sum;
    size_t bins = rdf_bins_cells(&c->job->bins);
    for (size_t p = 1; p < c->job->pair_count; p++)
        memmove(counts + p * bins, counts + p * (bins + 1), bins * sizeof *counts);
    c->job->deliver(c->job->deliver_arg, tag, counts);
}

static void note(void *owner, const char *text) {
    const struct rdf_job *job = ((const struct rdf_count_pool *)owner)->job;
    if (job->note) job->note(job->note_arg, text);
}

static void add_stats(void *owner, unsigned device, struct trj_device_stats *stats) {
    struct rdf_count_pool *c = owner;
    pthread_mutex_lock(&c->lock);
    stats->evaluated = c->done[device].evaluated;
    stats->resolved = c->done[device].resolved;
    stats->counted = c->done[device].counted;
    pthread_mutex_unlock(&c->lock);
}

// ---- engine cpu, when no device is left

static int open_cpu(void *owner, struct trj_error *err) {
    struct rdf_count_pool *c = owner;
    c->cpu_counts = trj_alloc(c->job->pair_count * rdf_bins_cells(&c->job->bins), sizeof *c->cpu_counts, "counts", err);
    return c->cpu_counts ? rdf_engine_cpu.open(&c->cpu, c->job, err) : -1;
}

static int add_to_cpu(void *owner, struct trj_frame *frame, struct trj_error *err) {
    return rdf_engine_cpu.add(((struct rdf_count_pool *)owner)->cpu, frame, err);
}

static int finish_cpu(void *owner, void *sum, struct trj_error *err) {
    const struct rdf_count_pool *c = owner;
    if (rdf_engine_cpu.finish(c->cpu, c->cpu_counts, err)) return -1;
    add_counts(c, sum, c->cpu_counts);
    return 0;
}

static const struct work_fallback fallback = {"engine cpu", open_cpu, add_to_cpu, finish_cpu};

// ---- functions for the engine

void rdf_count_pool_close(struct rdf_count_pool *c) {
    if (!c) return;
    work_pool_close(c->pool);
    rdf_engine_cpu.close(c->cpu);
    pthread_mutex_destroy(&c->lock);
    free(c->cpu_counts);
    free(c->done);
    free(c->overlap);
    free(c->squares);
    free(c);
}

int rdf_count_pool_open(struct rdf_count_pool **pool, const struct rdf_job *job, const struct work_pool_plan *plan,
                        struct trj_error *err) {
    struct rdf_count_pool *c = trj_alloc(1, sizeof *c, "a device pool", err);
    if (!c) return -1;
    pthread_mutex_init(&c->lock, NULL);
    c->job = job;
    c->squares = rdf_bins_squares(&job->bins, err);
    c->overlap = c->squares ? trj_alloc(job->pair_count, sizeof *c->overlap, "pairs", err) : NULL;
    c->done = c->overlap ? trj_alloc(plan->device_count, sizeof *c->done, "devices", err) : NULL;
    if (!c->done) goto out;
    for (size_t p = 0; p < job->pair_count; p++) {
        uint32_t a = job->pairs[p].a, b = job->pairs[p].b;
        c->overlap[p] = a != b && trj_group_overlap(&job->groups[a], &job->groups[b], NULL);
    }
    c->work = (struct work_job){.owner = c,
                                .atoms = job->atoms,
                                .sum_bytes = job->pair_count * row(c) * sizeof(uint64_t),
                                .add_slice = add_slice,
                                .add_sum = add_sum,
                                .deliver = deliver,
                                .fallback = job->cpu_may_finish ? &fallback : NULL,
                                .note = note,
                                .add_stats = add_stats};
    if (work_pool_open(&c->pool, &c->work, plan, err)) goto out;
    *pool = c;
    return 0;
out:
    rdf_count_pool_close(c);
    return -1;
}

int rdf_count_pool_add(struct rdf_count_pool *c, struct trj_frame *frame, struct trj_error *err) {
    return work_pool_add(c->pool, frame, err);
}

int rdf_count_pool_end_record(struct rdf_count_pool *c, uint64_t tag, struct trj_error *err) {
    return work_pool_end_record(c->pool, tag, err);
}

int rdf_count_pool_finish(struct rdf_count_pool *c, uint64_t *counts, struct trj_error *err) {
    size_t bins = rdf_bins_cells(&c->job->bins);
    void *sum;
    if (work_pool_finish(c->pool, &sum, err)) return -1;
    for (size_t p = 0; p < c->job->pair_count; p++)
        memcpy(counts + p * bins, (const uint64_t *)sum + p * (bins + 1), bins * sizeof *counts);
    return 0;
}

void rdf_count_pool_stats(struct rdf_count_pool *c, struct trj_engine_stats *stats) {
    struct trj_engine_stats cpu = {.times = RDF_ENGINE_TIMES};
    if (c->cpu) rdf_engine_cpu.stats(c->cpu, &cpu);
    work_pool_stats(c->pool, stats);
    memcpy(stats->times, cpu.times, sizeof stats->times);
    stats->evaluated = cpu.evaluated;
    stats->resolved = cpu.resolved;
    for (unsigned i = 0; i < stats->device_count; i++) {
        const struct trj_device_stats *s = &stats->devices[i];
        stats->times[RDF_COUNT_TIME].seconds += s->busy;
        stats->evaluated += s->evaluated;
        stats->resolved += s->resolved;
    }
}
