// SPDX-License-Identifier: MIT
// Connects the engine cuda of correlations to the pool of devices. Each frame is one part of its batch, so that the
// pool delivers the sums of each frame separately. Sums wait in a queue until those of all earlier frames have been
// taken.
#include "cor_pool.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

// The sums of a frame; if all bytes are zero, there are none yet.
struct result {
    bool overflow;
    struct cor_sums sums[]; // [selections]
};

struct waiting {
    uint64_t index;
    double time;
    struct result *result; // NULL: not delivered yet
};

struct cor_pool {
    const struct cor_job *job;
    struct work_resources resources;
    struct work_job work;
    struct work_pool *pool;
    struct waiting *waiting; // [capacity] ring buffer: taken <= frame < added
    size_t capacity;
    uint64_t taken, added;
    struct cor_frames *cpu; // used when no device is left
    struct result *last;    // of the CPU
    bool any_last;          // `last` contains a frame that finish_cpu has not added yet
    uint64_t bad_frame;     // with an error in its data; UINT64_MAX: none
    bool failed;
    struct trj_error err;
};

static struct waiting *waiting_of(struct cor_pool *c, uint64_t number) {
    return &c->waiting[number % c->capacity];
}

// ---- functions of the job

static void add_slice(void *owner, void *sum, const struct work_slice *slice) {
    const struct cor_pool *c = owner;
    const struct cor_slice *s = slice->data;
    size_t n = c->job->frames.selections->count, frame = work_part_begin(slice->batch, slice->part);
    struct result *to = sum;
    memcpy(to->sums, s->sums + frame * n, n * sizeof *to->sums);
    to->overflow = s->overflow[frame];
}

// Copies instead of adding: a part is one frame, so that only one of the two sums contains a frame.
static void add_sum(void *owner, void *sum, const void *other) {
    const struct cor_pool *c = owner;
    memcpy(sum, other, c->work.sum_bytes);
}

static void take_first(struct cor_pool *c) {
    uint64_t number = c->taken++;
    struct waiting *w = waiting_of(c, number);
    if (!c->failed && w->result->overflow) {
        c->failed = true;
        c->bad_frame = number;
        cor_frames_fail_overflow(&c->err);
    }
    if (!c->failed && c->job->take(c->job->owner, w->index, w->time, w->result->sums, &c->err)) c->failed = true;
    free(w->result);
    w->result = NULL;
}

static void deliver(void *owner, uint64_t tag, void *sum) {
    struct cor_pool *c = owner;
    struct result *copy = trj_alloc(1, c->work.sum_bytes, "the sums of a frame", &c->err);
    if (!copy) {
        c->failed = true;
        return;
    }
    memcpy(copy, sum, c->work.sum_bytes);
    waiting_of(c, tag)->result = copy;
    while (c->taken < c->added && waiting_of(c, c->taken)->result) take_first(c);
}

static void note(void *owner, const char *text) {
    const struct work_resources *r = &((const struct cor_pool *)owner)->resources;
    if (r->note) r->note(r->note_arg, text);
}

// ---- the CPU, when no device is left

static int open_cpu(void *owner, struct trj_error *err) {
    struct cor_pool *c = owner;
    c->last = trj_alloc(1, c->work.sum_bytes, "the sums of a frame", err);
    return c->last ? cor_frames_open(&c->cpu, &c->job->frames, err) : -1;
}

static int add_to_cpu(void *owner, struct trj_frame *frame, struct trj_error *err) {
    struct cor_pool *c = owner;
    c->any_last = true;
    return cor_frames_add(c->cpu, frame, c->last->sums, err);
}

static int finish_cpu(void *owner, void *sum, struct trj_error *err) {
    struct cor_pool *c = owner;
    (void)err;
    if (c->any_last) add_sum(c, sum, c->last);
    c->any_last = false;
    return 0;
}

static const struct work_fallback fallback = {"engine cpu", open_cpu, add_to_cpu, finish_cpu};

// ---- functions for the engine

void cor_pool_close(struct cor_pool *c) {
    if (!c) return;
    work_pool_close(c->pool);
    cor_frames_close(c->cpu);
    while (c->taken < c->added) free(waiting_of(c, c->taken++)->result);
    free(c->waiting);
    free(c->last);
    free(c);
}

int cor_pool_open(struct cor_pool **pool, const struct cor_job *job, const struct work_resources *resources,
                  const struct work_pool_plan *plan, struct trj_error *err) {
    struct work_pool_plan with_parts = *plan;
    with_parts.parts = plan->batch;
    struct cor_pool *c = trj_alloc(1, sizeof *c, "a device pool", err);
    if (!c) return -1;
    c->bad_frame = UINT64_MAX;
    c->job = job;
    c->resources = *resources;
    c->work = (struct work_job){.owner = c,
                                .atoms = job->atoms,
                                .sum_bytes = sizeof *c->last + job->frames.selections->count * sizeof(struct cor_sums),
                                .add_slice = add_slice,
                                .add_sum = add_sum,
                                .deliver = deliver,
                                .fallback = resources->cpu_may_finish ? &fallback : NULL,
                                .note = note};
    if (work_pool_open(&c->pool, &c->work, &with_parts, err)) {
        cor_pool_close(c);
        return -1;
    }
    *pool = c;
    return 0;
}

// Fails with the first error that occurred when sums were taken.
static int check(const struct cor_pool *c, struct trj_error *err) {
    if (c->failed) *err = c->err;
    return c->failed ? -1 : 0;
}

// Adds a frame to the queue, which becomes long only if one device is much slower than the others.
static int add_waiting(struct cor_pool *c, const struct trj_frame *f, struct trj_error *err) {
    if (c->added - c->taken == c->capacity) {
        size_t capacity = 2 * c->capacity + WORK_MAX_PARTS;
        struct waiting *more = trj_alloc(capacity, sizeof *more, "waiting frames", err);
        if (!more) return -1;
        for (uint64_t i = c->taken; i < c->added; i++) more[i % capacity] = *waiting_of(c, i);
        free(c->waiting);
        c->waiting = more;
        c->capacity = capacity;
    }
    *waiting_of(c, c->added++) = (struct waiting){.index = f->index, .time = f->time};
    return 0;
}

int cor_pool_add(struct cor_pool *c, struct trj_frame *frame, struct trj_error *err) {
    if (cor_frames_check(&c->job->frames, frame, err)) {
        c->bad_frame = c->added;
        return -1;
    }
    if (add_waiting(c, frame, err) || work_pool_add(c->pool, frame, err)) return -1;
    return work_pool_end_record(c->pool, c->added - 1, err) || check(c, err) ? -1 : 0;
}

int cor_pool_finish(struct cor_pool *c, struct trj_error *err) {
    void *none;
    return work_pool_finish(c->pool, &none, err) || check(c, err) ? -1 : 0;
}

uint64_t cor_pool_bad_frame(const struct cor_pool *c) {
    return c->bad_frame == UINT64_MAX ? work_pool_bad_frame(c->pool) : c->bad_frame;
}

void cor_pool_stats(struct cor_pool *c, struct trj_engine_stats *stats) {
    work_pool_stats(c->pool, stats);
}
