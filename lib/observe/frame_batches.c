// SPDX-License-Identifier: MIT
// Computes observables of batches of frames in parallel: while one batch is computed, the next one is read.
#include "frame_batches.h"

#include <stdlib.h>

#include "memory.h"
#include "pool.h"

enum {
    BATCHES = 2,
    FRAMES_MAX = 64,       // of a batch
    BATCH_BYTES = 1 << 25, // of its coordinates; but at least one frame for each thread
};

struct slot {
    struct trj_frame frame;
    double *value; // [plan.values]
    struct trj_error err;
    int status;
};

struct batch {
    struct slot *slot; // [capacity of the batches]
    size_t count;
    bool computed;  // `next` has given out the frames
    uint64_t first; // number of the first frame
};

struct obs_batches {
    struct obs_batches_plan plan;
    struct trj_pool *pool;
    struct obs_view **view; // [threads]
    struct batch batch[BATCHES];
    size_t capacity; // frames of a batch
    unsigned current;
    uint64_t added, failed;
};

static size_t next(void *arg, unsigned worker, unsigned task) {
    struct batch *batch = &((struct obs_batches *)arg)->batch[task];
    (void)worker;
    if (batch->computed) return 0;
    batch->computed = true;
    return batch->count;
}

static int compute(const struct obs_batches *b, struct obs_view *v, struct slot *slot) {
    double *value = slot->value;
    obs_view_begin(v, &slot->frame);
    for (size_t i = 0; i < b->plan.count; i++) {
        const struct obs_observable *o = &b->plan.observable[i];
        if (obs_observable_compute(o, v, value, &slot->err)) return -1;
        value += o->columns;
    }
    return 0;
}

static void item(void *arg, unsigned worker, unsigned task, size_t number) {
    const struct obs_batches *b = arg;
    struct slot *slot = &b->batch[task].slot[number];
    slot->status = 0;
    if (!work_share_computes(b->plan.share, b->batch[task].first + number)) return;
    slot->status = compute(b, b->view[worker], slot);
}

static size_t frames_of_batch(const struct obs_batches_plan *plan, unsigned threads) {
    size_t bytes = plan->system->header->atoms * 3 * sizeof(float), frames = BATCH_BYTES / (bytes ? bytes : 1);
    if (frames > FRAMES_MAX) frames = FRAMES_MAX;
    return frames > threads ? frames : threads;
}

int obs_batches_open(struct obs_batches **batches, const struct obs_batches_plan *plan, struct trj_error *err) {
    static const struct trj_pool_work work = {next, item};
    struct obs_batches *b = *batches = trj_alloc(1, sizeof *b, "frames", err);
    if (!b) return -1;
    b->plan = *plan;
    b->failed = UINT64_MAX;
    if (trj_pool_open(&b->pool, plan->threads, BATCHES, &work, b, err)) return -1;
    unsigned threads = trj_pool_threads(b->pool);
    b->capacity = frames_of_batch(plan, threads);
    if (!(b->view = trj_alloc(threads, sizeof *b->view, "threads", err))) return -1;
    for (unsigned t = 0; t < threads; t++)
        if (obs_view_open(&b->view[t], plan->system, err)) return -1;
    for (int k = 0; k < BATCHES; k++) {
        struct batch *batch = &b->batch[k];
        if (!(batch->slot = trj_alloc(b->capacity, sizeof *batch->slot, "frames", err))) return -1;
        for (size_t i = 0; i < b->capacity; i++)
            if (!(batch->slot[i].value = trj_alloc(plan->values, sizeof(double), "values", err))) return -1;
    }
    return 0;
}

// Waits for a batch, passes its values on, and empties it.
static int take(struct obs_batches *b, unsigned number, struct trj_error *err) {
    struct batch *batch = &b->batch[number];
    trj_pool_wait(b->pool, number);
    size_t count = batch->count;
    batch->count = 0;
    for (size_t i = 0; i < count; i++) {
        struct slot *slot = &batch->slot[i];
        if (slot->status) {
            b->failed = batch->first + i;
            *err = slot->err;
            return -1;
        }
        if (work_share_combine(b->plan.share, slot->value, b->plan.values, WORK_SHARE_LIST, err)) return -1;
        if (b->plan.take(b->plan.arg, &slot->frame, slot->value, err)) {
            if (err->status == TRJ_BAD_DATA) b->failed = batch->first + i;
            return -1;
        }
    }
    return 0;
}

static void start(struct obs_batches *b) {
    b->batch[b->current].computed = false;
    trj_pool_start(b->pool, b->current);
    b->current = (b->current + 1) % BATCHES;
}

static int begin(struct obs_batches *b, const struct trj_frame *f, struct trj_error *err) {
    obs_view_begin(b->view[0], f);
    for (size_t i = 0; i < b->plan.count; i++) {
        if (!obs_observable_begin(&b->plan.observable[i], b->view[0], err)) continue;
        b->failed = 0;
        return -1;
    }
    return 0;
}

int obs_batches_add(struct obs_batches *b, struct trj_frame *f, struct trj_error *err) {
    if (!b->added && begin(b, f, err)) return -1;
    struct batch *batch = &b->batch[b->current];
    if (!batch->count) batch->first = b->added;
    struct slot *slot = &batch->slot[batch->count++];
    struct trj_frame other = slot->frame;
    slot->frame = *f;
    *f = other;
    b->added++;
    if (batch->count < b->capacity) return 0;
    start(b);
    return take(b, b->current, err);
}

int obs_batches_finish(struct obs_batches *b, struct trj_error *err) {
    if (b->batch[b->current].count)
        start(b);
    else
        b->current = (b->current + 1) % BATCHES;
    for (int k = 0; k < BATCHES; k++)
        if (take(b, (b->current + (unsigned)k) % BATCHES, err)) return -1;
    return 0;
}

uint64_t obs_batches_failed(const struct obs_batches *b) {
    return b->failed;
}

void obs_batches_close(struct obs_batches *b) {
    if (!b) return;
    if (b->pool) trj_pool_finish(b->pool);
    for (unsigned t = 0; b->view && t < trj_pool_threads(b->pool); t++) obs_view_close(b->view[t]);
    trj_pool_close(b->pool);
    for (int k = 0; k < BATCHES; k++) {
        for (size_t i = 0; b->batch[k].slot && i < b->capacity; i++) {
            trj_frame_free(&b->batch[k].slot[i].frame);
            free(b->batch[k].slot[i].value);
        }
        free(b->batch[k].slot);
    }
    free(b->view);
    free(b);
}
