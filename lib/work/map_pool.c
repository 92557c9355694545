// SPDX-License-Identifier: MIT
// Adds maps of devices in int64 with a count of overflows, so that only the final sum has to fit.
#include "map_pool.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "pool.h"

struct work_map_pool {
    struct work_map_job job;
    struct work_resources resources;
    struct work_job work;
    struct work_pool *pool;
    void *cpu;       // state of job.cpu, used when no device is left
    int64_t *others; // [points] sums from elsewhere, for the next finish; NULL: none
    // [points] The sum of point i is exactly 2^64 carry[i] plus the value in the map. NULL until an addition overflows.
    int32_t *carry;
    struct trj_error carry_error; // an empty text means that memory for `carry` was available
    // The addition in progress:
    struct trj_pool *threads; // NULL: one thread adds, as the map is small
    int64_t *to;              // [count]
    const int64_t *from;
    size_t count, left; // parts that no thread has got
    atomic_bool overflows;
};

// ---- functions of the job

// Returns, in the sign bit, whether the addition of b, which gave `sum`, has overflowed.
static uint64_t overflow_of(uint64_t b, uint64_t sum) {
    uint64_t a = sum - b;
    return (a ^ sum) & (b ^ sum); // set if a and b have the same sign, and the sum has the other one
}

// What a thread adds: parts of a map that are added in one pass in vectors, as maps are larger than the cache.
enum { PART_POINTS = 1 << 16, ADDING_THREADS = 4 };

static size_t next_parts(void *arg, unsigned worker, unsigned task) {
    struct work_map_pool *m = arg;
    size_t parts = m->left;
    (void)worker, (void)task;
    m->left = 0;
    return parts;
}

static void add_part(void *arg, unsigned worker, unsigned task, size_t part) {
    struct work_map_pool *m = arg;
    size_t end = (part + 1) * PART_POINTS;
    uint64_t over = 0;
    (void)worker, (void)task;
    for (size_t i = part * PART_POINTS; i < end && i < m->count; i++) {
        uint64_t b = (uint64_t)m->from[i], s = (uint64_t)m->to[i] + b;
        over |= overflow_of(b, s);
        m->to[i] = (int64_t)s;
    }
    if (over >> 63) m->overflows = true;
}

static const struct trj_pool_work adding = {next_parts, add_part};

static void carry_overflows(struct work_map_pool *m, size_t first) {
    if (!m->carry) m->carry = trj_alloc(m->job.points, sizeof *m->carry, "sums of more than 64 bits", &m->carry_error);
    for (size_t i = 0; m->carry && i < m->count; i++)
        if (overflow_of((uint64_t)m->from[i], (uint64_t)m->to[i]) >> 63) m->carry[first + i] += m->from[i] < 0 ? -1 : 1;
}

// Adds values to the points from `first` on. One call at a time: those of add_whole precede those of the thread that
// calls the pool.
static void add_values(struct work_map_pool *m, int64_t *sum, const int64_t *from, size_t first, size_t count) {
    m->to = sum + first;
    m->from = from;
    m->count = count;
    m->overflows = false;
    m->left = (count + PART_POINTS - 1) / PART_POINTS;
    if (m->threads) {
        trj_pool_start(m->threads, trj_pool_free_task(m->threads));
        trj_pool_finish(m->threads);
    } else {
        for (size_t i = 0; i < m->left; i++) add_part(m, 0, 0, i);
    }
    if (m->overflows) carry_overflows(m, first);
}

static void add_sum(void *owner, void *sum, const void *other) {
    add_values(owner, sum, other, 0, ((struct work_map_pool *)owner)->job.points);
}

static void add_whole(void *owner, void *sum, bool empty, const struct work_slice *slice) {
    struct work_map_pool *m = owner;
    const struct work_map_slice *s = slice->data;
    if (empty) memset(sum, 0, m->job.points * sizeof(int64_t));
    add_values(m, sum, s->values, s->first, s->count);
    if (m->job.take_slice) m->job.take_slice(m->job.take_arg, s);
}

// Copies instead of adding: no other slice of the batch has these points.
static void add_slice(void *owner, void *sum, const struct work_slice *slice) {
    const struct work_map_pool *m = owner;
    const struct work_map_slice *s = slice->data;
    if (s->count) memcpy((int64_t *)sum + s->first, s->values, s->count * sizeof *s->values);
    if (m->job.take_slice) m->job.take_slice(m->job.take_arg, s);
}

static void note(void *owner, const char *text) {
    const struct work_resources *r = &((const struct work_map_pool *)owner)->resources;
    if (r->note) r->note(r->note_arg, text);
}

// ---- the engine on the CPU, when no device is left

static int open_cpu(void *owner, struct trj_error *err) {
    struct work_map_pool *m = owner;
    return m->job.cpu->open(&m->cpu, m->job.owner, &m->resources, err);
}

static int add_to_cpu(void *owner, struct trj_frame *frame, struct trj_error *err) {
    const struct work_map_pool *m = owner;
    return m->job.cpu->add(m->cpu, frame, err);
}

static int finish_cpu(void *owner, void *sum, struct trj_error *err) {
    const struct work_map_pool *m = owner;
    const int64_t *values;
    if (m->job.cpu->finish(m->cpu, &values, err)) return -1;
    add_sum(owner, sum, values);
    return 0;
}

static const struct work_fallback fallback = {"engine cpu", open_cpu, add_to_cpu, finish_cpu};

// ---- functions for the method

void work_map_pool_close(struct work_map_pool *m) {
    if (!m) return;
    work_pool_close(m->pool);
    trj_pool_close(m->threads);
    if (m->cpu) m->job.cpu->close(m->cpu);
    free(m->carry);
    free(m->others);
    free(m);
}

int work_map_pool_open(struct work_map_pool **pool, const struct work_map_job *job,
                       const struct work_resources *resources, const struct work_pool_plan *plan,
                       struct trj_error *err) {
    struct work_map_pool *m = trj_alloc(1, sizeof *m, "a device pool", err);
    if (!m) return -1;
    m->job = *job;
    m->resources = *resources;
    m->work = (struct work_job){.owner = m,
                                .atoms = job->atoms,
                                .sum_bytes = job->points * sizeof(int64_t),
                                .add_slice = add_slice,
                                .add_whole = add_whole,
                                .add_sum = add_sum,
                                .fallback = resources->cpu_may_finish ? &fallback : NULL,
                                .note = note};
    unsigned threads = trj_pool_size(resources->threads) < ADDING_THREADS ? 1 : ADDING_THREADS;
    if (job->points < (size_t)ADDING_THREADS * PART_POINTS) threads = 1;
    if ((threads > 1 && trj_pool_open(&m->threads, threads, 1, &adding, m, err)) ||
        work_pool_open(&m->pool, &m->work, plan, err)) {
        work_map_pool_close(m);
        return -1;
    }
    *pool = m;
    return 0;
}

int work_map_pool_add(struct work_map_pool *m, struct trj_frame *frame, struct trj_error *err) {
    if (frame->atoms > m->job.atoms) // devices have memory for this number of atoms
        return trj_fail(err, TRJ_BAD_DATA, "a frame of %zu atoms: expected at most %zu", frame->atoms, m->job.atoms);
    return work_pool_add(m->pool, frame, err);
}

int work_map_pool_add_sums(struct work_map_pool *m, const int64_t *values, struct trj_error *err) {
    if (!m->others) m->others = trj_alloc(m->job.points, sizeof *m->others, "the map", err);
    if (!m->others) return -1;
    add_sum(m, m->others, values);
    return 0;
}

// Fails for the first point whose sum is too large.
static int check_sums(const struct work_map_pool *m, const int64_t *values, struct trj_error *err) {
    if (!m->carry && m->job.max_sum == INT64_MAX) return 0;
    for (size_t i = 0; i < m->job.points; i++)
        if (values[i] > m->job.max_sum || (m->carry && m->carry[i])) return m->job.fail_sum(m->job.owner, i, err);
    return 0;
}

int work_map_pool_finish(struct work_map_pool *m, const int64_t **values, struct trj_error *err) {
    void *sum;
    if (work_pool_finish(m->pool, &sum, err)) return -1;
    *values = sum;
    if (m->others) add_sum(m, sum, m->others);
    free(m->others);
    m->others = NULL;
    if (*m->carry_error.text) {
        *err = m->carry_error;
        return -1;
    }
    int rc = check_sums(m, sum, err);
    free(m->carry);
    m->carry = NULL;
    return rc;
}

uint64_t work_map_pool_bad_frame(const struct work_map_pool *m) {
    return work_pool_bad_frame(m->pool);
}

void work_map_pool_stats(struct work_map_pool *m, struct trj_engine_stats *stats) {
    work_pool_stats(m->pool, stats);
}

const void *work_map_pool_cpu(const struct work_map_pool *m) {
    return m->cpu;
}
