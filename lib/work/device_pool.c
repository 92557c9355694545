// SPDX-License-Identifier: MIT
// Implements the device pool. The thread that calls the pool fills batches, adds their sums and runs the fallback.
// While a batch is in the schedule, the devices' threads read its frames and add to its sum under the lock of the
// batch. work_pool.lock protects the statistics and errors of the devices.
#include "device_pool.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"

struct batch {
    struct work_batch work;    // first, so that a pointer of the schedule is a pointer to the batch
    struct batch *made_before; // list of all batches
    struct batch *next;        // list of free batches
    struct part {
        uint64_t number, tag; // number of cuts before it; the tag is known after the cut that ends it
    } parts[WORK_MAX_PARTS];  // [work.parts]
    pthread_mutex_t lock;     // protects the following members while the batch is in the schedule
    unsigned char *sum;       // [batch_parts][sum_bytes]
    unsigned added;           // number of slices in `sum`
    uint64_t digest;          // of the first slice
    unsigned digest_device;   // number of the device that processed it
    bool bad;                 // a device has found an error in a frame: `sum` is incomplete
};

// Union of intervals that are added approximately in ascending order. Those before the last gap are kept as a sum only,
// those after it as one interval.
struct busy {
    bool any;
    double first;        // start of the first interval
    double before;       // sum before the last gap
    double gap;          // end of the intervals that `before` contains
    double began, ended; // the interval after the last gap
};

// A slice in flight.
struct slot {
    struct batch *batch;
    unsigned slice;
    uint64_t item; // number of slices that the device got before
};

struct device {
    struct work_pool *pool;
    unsigned number;
    void *handle;
    pthread_t thread;
    struct slot *slots; // [ops->slots], a ring
    unsigned first, in_flight;
    uint64_t given; // number of slices that the device got
    // Used by the calling thread only:
    bool failed;   // copy of stats.failed
    bool reported; // job->note has reported this
    // Protected by the lock of the pool:
    struct trj_device_stats stats;
    struct trj_error reason; // if stats.failed; does not change afterwards
    struct busy busy;
    bool attached;
    double joules; // when it was attached
};

struct fault {
    uint64_t device, item;
};

struct work_pool {
    const struct work_job *job;
    const struct work_device_ops *ops;
    struct work_schedule *schedule;
    unsigned batch_frames, batch_parts, slices; // of a batch, at most
    struct fault *faults;
    size_t fault_count;
    struct device *devices;
    struct trj_device_stats *reported; // [device_count], returned by work_pool_stats
    unsigned device_count, running;    // running: number of threads that were started

    struct batch *batches; // the youngest of all
    unsigned made, max;    // number of batches, and its maximum
    struct batch *free, *filling;
    uint64_t submitted;
    uint64_t part;  // number of cuts so far
    void *total;    // [sum_bytes] sum of the completed batches of this part
    bool any_total; // `total` contains a batch; otherwise its content is undefined
    bool direct;    // devices add to `total` (job->add_whole), which total_lock protects with any_total
    pthread_mutex_t total_lock;
    bool fallback;  // no device is left, and job->fallback is open
    uint64_t added; // number of frames

    pthread_mutex_t lock;
    bool inconsistent; // slices with different digests were added to one sum
    struct trj_error why_inconsistent;
    uint64_t bad_frame; // the first frame with an error; UINT64_MAX: none has been found
    struct trj_error why_bad;
};

// ---- the thread of a device

static void add_interval(struct busy *b, double began, double ended) {
    b->first = b->any ? fmin(b->first, began) : began;
    if (!b->any) {
        b->gap = -INFINITY;
        b->began = began;
        b->ended = ended;
        b->any = true;
    }
    began = fmax(began, b->gap); // `before` contains the part that precedes
    if (began > b->ended) {
        b->before += b->ended - b->began;
        b->gap = b->ended;
        b->began = began;
        b->ended = ended;
    } else if (ended >= b->began) {
        b->began = fmin(b->began, began);
        b->ended = fmax(b->ended, ended);
    } else if (ended > began) {
        b->before += ended - began;
        b->gap = ended;
    }
}

static double busy_seconds(const struct busy *b) {
    return b->before + (b->ended - b->began);
}

static bool fault_strikes(const struct work_pool *f, unsigned device, uint64_t item) {
    for (size_t i = 0; i < f->fault_count; i++)
        if (f->faults[i].device == device && f->faults[i].item == item) return true;
    return false;
}

// Two devices divided a batch differently.
static void set_inconsistent(struct work_pool *f, const struct batch *b, unsigned device) {
    pthread_mutex_lock(&f->lock);
    if (!f->inconsistent)
        trj_error_set(&f->why_inconsistent, TRJ_FAILED,
                      "%s and %s divided frame %llu differently, so their results cannot be added; select one of them",
                      f->devices[b->digest_device].stats.name, f->devices[device].stats.name,
                      (unsigned long long)b->work.frames[0].index);
    f->inconsistent = true;
    pthread_mutex_unlock(&f->lock);
}

static void *sum_of_part(const struct work_pool *f, const struct batch *b, unsigned part) {
    return b->sum + part * f->job->sum_bytes;
}

// Adds a slice to the sums of its batch, or a whole batch to the total.
static void add_slice(const struct device *d, struct batch *b, const struct work_result *r) {
    struct work_pool *f = d->pool;
    if (f->direct) {
        const struct work_slice whole = {.batch = &b->work, .device = d->number, .first = true, .data = r->data};
        pthread_mutex_lock(&f->total_lock);
        f->job->add_whole(f->job->owner, f->total, !f->any_total, &whole);
        f->any_total = true;
        pthread_mutex_unlock(&f->total_lock);
        return;
    }
    pthread_mutex_lock(&b->lock);
    struct work_slice slice = {.batch = &b->work, .device = d->number, .first = !b->added++, .data = r->data};
    if (slice.first) {
        b->digest = r->digest;
        b->digest_device = d->number;
        memset(b->sum, 0, b->work.parts * f->job->sum_bytes);
    } else if (b->digest != r->digest) {
        set_inconsistent(f, b, d->number);
    }
    for (; slice.part < b->work.parts; slice.part++)
        f->job->add_slice(f->job->owner, sum_of_part(f, b, slice.part), &slice);
    pthread_mutex_unlock(&b->lock);
}

// A device has found an error in a frame of the batch.
static void set_bad_frame(struct work_pool *f, struct batch *b, unsigned frame, const struct trj_error *why) {
    uint64_t number = b->work.first + frame;
    pthread_mutex_lock(&b->lock);
    b->bad = true;
    pthread_mutex_unlock(&b->lock);
    pthread_mutex_lock(&f->lock);
    if (number < f->bad_frame) {
        f->bad_frame = number;
        f->why_bad = *why;
    }
    pthread_mutex_unlock(&f->lock);
}

static int begin_slice(struct device *d, struct work_batch *batch, unsigned slice, struct trj_error *err) {
    const struct work_device_ops *ops = d->pool->ops;
    unsigned slot = (d->first + d->in_flight) % ops->slots;
    d->slots[slot] = (struct slot){(struct batch *)batch, slice, d->given++};
    if (ops->begin(d->handle, slot, batch, slice, err)) return -1;
    d->in_flight++;
    return 0;
}

// Waits for the oldest slice in flight.
static int end_slice(struct device *d, struct slot *ended, struct work_result *result, struct trj_error *err) {
    const struct work_device_ops *ops = d->pool->ops;
    unsigned slot = d->first;
    *ended = d->slots[slot];
    *result = (struct work_result){.data = NULL};
    d->first = (slot + 1) % ops->slots;
    d->in_flight--;
    return ops->end(d->handle, slot, result, err);
}

static int complete_slice(struct device *d, struct trj_error *err) {
    struct work_pool *f = d->pool;
    struct work_result r;
    struct slot ended;
    if (end_slice(d, &ended, &r, err)) {
        if (err->status != TRJ_BAD_DATA) return -1;
        set_bad_frame(f, ended.batch, r.bad_frame, err);
        work_schedule_done(f->schedule, &ended.batch->work, ended.slice);
        return 0;
    }
    if (fault_strikes(f, d->number, ended.item))
        return trj_fail(err, TRJ_FAILED, "TRJPIPE_FAULT at slice %llu", (unsigned long long)ended.item);
    add_slice(d, ended.batch, &r);
    pthread_mutex_lock(&f->lock);
    d->stats.frames += (double)ended.batch->work.count / f->slices;
    d->stats.upload += r.upload;
    add_interval(&d->busy, r.began, r.ended);
    pthread_mutex_unlock(&f->lock);
    // Last, because the calling thread may reuse or free the batch afterwards.
    work_schedule_done(f->schedule, &ended.batch->work, ended.slice);
    return 0;
}

static int attach(struct device *d, struct trj_error *err) {
    struct work_pool *f = d->pool;
    if (f->ops->attach(d->handle, err)) return -1;
    double joules = f->ops->joules(d->handle);
    pthread_mutex_lock(&f->lock);
    d->attached = true;
    d->joules = joules;
    pthread_mutex_unlock(&f->lock);
    return 0;
}

// Processes slices until the schedule ends. Fills all slots, and sleeps only if nothing is in flight.
static int process_slices(struct device *d, struct trj_error *err) {
    struct work_pool *f = d->pool;
    for (;;) {
        struct work_batch *batch;
        unsigned slice;
        while (d->in_flight < f->ops->slots &&
               work_schedule_take(f->schedule, d->number, !d->in_flight, &batch, &slice))
            if (begin_slice(d, batch, slice, err)) return -1;
        if (!d->in_flight) return 0;
        if (complete_slice(d, err)) return -1;
    }
}

// Marks the device as failed. It may still read batches that other devices will complete and the calling thread will
// fill again, so its slices are waited for first.
static void fail_device(struct device *d, const struct trj_error *reason) {
    struct work_pool *f = d->pool;
    while (d->in_flight) {
        struct slot ended;
        struct work_result lost;
        struct trj_error ignored;
        end_slice(d, &ended, &lost, &ignored);
    }
    pthread_mutex_lock(&f->lock);
    d->stats.failed = true;
    d->reason = *reason;
    work_schedule_fail(f->schedule,
                       d->number); // under the lock, so that `failed` agrees with the number of workers left
    pthread_mutex_unlock(&f->lock);
}

static void *device_main(void *data) {
    struct device *d = data;
    struct trj_error err;
    if (attach(d, &err) || process_slices(d, &err)) fail_device(d, &err);
    return NULL;
}

// ---- batches

static void free_batch(struct work_pool *f, struct batch *b) {
    for (unsigned i = 0; b->work.frames && i < f->batch_frames; i++) trj_frame_free(&b->work.frames[i]);
    pthread_mutex_destroy(&b->lock);
    free(b->work.frames);
    free(b->sum);
    free(b);
}

static int make_frame(const struct work_pool *f, struct trj_frame *frame, struct trj_error *err) {
    size_t bytes = trj_frame_bytes(f->job->atoms);
    void *memory = bytes ? f->ops->allocate(bytes) : NULL;
    if (!memory) return trj_fail_memory(err, (double)bytes, "coordinates that devices can read");
    *frame = (struct trj_frame){.index = 0};
    trj_frame_adopt(frame, memory, f->job->atoms, f->ops->release);
    return 0;
}

static int make_batch(struct work_pool *f, struct trj_error *err) {
    struct batch *b = trj_alloc(1, sizeof *b, "a batch", err);
    if (!b) return -1;
    pthread_mutex_init(&b->lock, NULL);
    b->work.slices = f->slices;
    b->sum = f->direct ? NULL : trj_alloc(f->batch_parts, f->job->sum_bytes, "the sums of a batch", err);
    b->work.frames = f->direct || b->sum ? trj_alloc(f->batch_frames, sizeof *b->work.frames, "a batch", err) : NULL;
    if (!b->work.frames) goto out;
    for (unsigned i = 0; i < f->batch_frames; i++)
        if (make_frame(f, &b->work.frames[i], err)) goto out;
    b->made_before = f->batches;
    f->batches = b;
    f->made++;
    b->next = f->free;
    f->free = b;
    return 0;
out:
    free_batch(f, b);
    return -1;
}

// Returns the sum of the current part, which is empty if no batch has been added to it.
static void *current_total(struct work_pool *f) {
    if (!f->any_total) memset(f->total, 0, f->job->sum_bytes);
    f->any_total = true;
    return f->total;
}

// Delivers the sums of parts that have ended, adds that of the current part to its total, and frees the batch for
// reuse.
static void merge_batch(struct work_pool *f, struct batch *b) {
    const struct work_job *job = f->job;
    for (unsigned i = 0; i < b->work.parts && !b->bad && !f->direct; i++)
        if (b->parts[i].number == f->part)
            job->add_sum(job->owner, current_total(f), sum_of_part(f, b, i));
        else
            job->deliver(job->owner, b->parts[i].tag, sum_of_part(f, b, i));
    b->work.count = b->work.parts = 0;
    b->added = 0;
    b->next = f->free;
    f->free = b;
}

// Merges the next complete batch. With `wait` it sleeps until one is complete. Returns false if there is none.
static bool merge_next(struct work_pool *f, bool wait) {
    struct batch *b = (struct batch *)work_schedule_completed(f->schedule, wait);
    if (b) merge_batch(f, b);
    return b != NULL;
}

// Chooses the batch to be filled next. Leaves f->filling NULL if all are in flight and no device is left to complete
// one.
static int choose_batch(struct work_pool *f, struct trj_error *err) {
    while (merge_next(f, false)) {}
    if (!f->free && f->made < f->max && make_batch(f, err)) {
        if (!f->made) return -1;
        f->max = f->made; // out of memory: the work continues with fewer batches in flight
    }
    if (!f->free) merge_next(f, true);
    f->filling = f->free;
    if (f->free) f->free = f->free->next;
    return 0;
}

static int submit_batch(struct work_pool *f, struct trj_error *err) {
    struct batch *b = f->filling;
    f->filling = NULL;
    b->work.number = ++f->submitted;
    return work_schedule_put(f->schedule, &b->work, err);
}

// Puts the caller's frame in the place of *mine, and *mine in the place of the caller's. A frame with memory that is
// not from ops->allocate is copied, and the caller gets a new frame with such memory.
static void swap_frames(const struct work_pool *f, struct trj_frame *mine, struct trj_frame *frame) {
    struct trj_frame copy = *frame;
    if (frame->release == f->ops->release) {
        *frame = *mine;
        *mine = copy;
        return;
    }
    trj_frame_adopt(&copy, mine->x[0], frame->atoms, mine->release);
    for (int k = 0; k < 3; k++) memcpy(copy.x[k], frame->x[k], frame->atoms * sizeof *frame->x[k]);
    frame->members = mine->members;
    frame->member_capacity = mine->member_capacity;
    *mine = copy;
    struct trj_error ignored; // without memory for a new frame the caller keeps this one, and the next is copied, too
    if (make_frame(f, &copy, &ignored)) return;
    trj_frame_free(frame);
    *frame = copy;
}

// ---- failures, handled by the calling thread

__attribute__((format(printf, 2, 3))) static void note(const struct work_pool *f, const char *format, ...) {
    char text[1280]; // a reason and a name
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (f->job->note) f->job->note(f->job->owner, text);
}

static int fail_no_device(struct work_pool *f, struct trj_error *err) {
    trj_error_set(err, TRJ_NO_ENGINE, "no device is left");
    for (unsigned i = 0; i < f->device_count; i++) {
        size_t n = strlen(err->text);
        snprintf(err->text + n, sizeof err->text - n, "%s %s: %s", i ? ";" : ":", f->devices[i].stats.name,
                 f->devices[i].reason.text);
    }
    return -1;
}

static int add_to_fallback(struct work_pool *f, struct trj_frame *frame, uint64_t number, struct trj_error *err) {
    if (!f->job->fallback->add(f->job->owner, frame, err)) return 0;
    if (err->status == TRJ_BAD_DATA) f->bad_frame = number;
    return -1;
}

// Processes all frames of a batch by the fallback, including those of slices that devices have completed.
static int repeat_batch(struct work_pool *f, struct batch *b, struct trj_error *err) {
    const struct work_job *job = f->job;
    if (!f->direct) memset(b->sum, 0, b->work.parts * job->sum_bytes);
    for (unsigned part = 0; part < b->work.parts; part++) {
        for (unsigned i = work_part_begin(&b->work, part); i < b->work.end[part]; i++)
            if (add_to_fallback(f, &b->work.frames[i], b->work.first + i, err)) return -1;
        void *sum = f->direct ? current_total(f) : sum_of_part(f, b, part);
        if (job->fallback->finish(job->owner, sum, err)) return -1;
    }
    merge_batch(f, b);
    return 0;
}

static int open_fallback(struct work_pool *f, struct trj_error *err) {
    if (f->job->fallback->open(f->job->owner, err)) return -1;
    f->fallback = true;
    return 0;
}

// Fails if a device has found an error in a frame. Batches in flight may contain an earlier one, so they are completed
// first, if necessary by the fallback: otherwise the error would depend on the speed of the devices.
static int check_frames(struct work_pool *f, struct trj_error *err) {
    pthread_mutex_lock(&f->lock);
    bool bad = f->bad_frame != UINT64_MAX;
    pthread_mutex_unlock(&f->lock);
    if (!bad) return 0;
    while (merge_next(f, true)) {}
    bool repeat = f->job->fallback && !work_schedule_workers_left(f->schedule);
    if (repeat && open_fallback(f, err)) return -1;
    for (struct work_batch *batch; repeat && (batch = work_schedule_unfinished(f->schedule));)
        if (batch->first < f->bad_frame && repeat_batch(f, (struct batch *)batch, err)) return -1;
    *err = f->why_bad; // no thread changes it any more
    return -1;
}

static int start_fallback(struct work_pool *f, struct trj_error *err) {
    if (open_fallback(f, err)) return -1;
    note(f, "no device is left: %s takes over", f->job->fallback->name);
    while (merge_next(f, false)) {}
    for (struct work_batch *batch; (batch = work_schedule_unfinished(f->schedule));)
        if (repeat_batch(f, (struct batch *)batch, err)) return -1;
    struct batch *b = f->filling;
    f->filling = NULL;
    return b ? repeat_batch(f, b, err) : 0;
}

// Reports devices that have failed. If none is left, starts the fallback or fails. Frames are checked after the devices
// have been counted: if none was left, no device can find a further error, whose batch the fallback would then lack.
static int check_devices(struct work_pool *f, struct trj_error *err) {
    pthread_mutex_lock(&f->lock);
    bool inconsistent = f->inconsistent;
    struct trj_error why = f->why_inconsistent;
    unsigned left = work_schedule_workers_left(f->schedule);
    for (unsigned i = 0; i < f->device_count; i++) f->devices[i].failed = f->devices[i].stats.failed;
    pthread_mutex_unlock(&f->lock);
    if (check_frames(f, err)) return -1;
    if (inconsistent) *err = why;
    if (inconsistent) return -1;
    if (!left && !f->job->fallback) return fail_no_device(f, err);
    for (unsigned i = 0; i < f->device_count; i++) {
        struct device *d = &f->devices[i];
        if (!d->failed || d->reported) continue;
        note(f, "%s failed: %s%s", d->stats.name, d->reason.text, left ? "; the other devices take over its work" : "");
        d->reported = true;
    }
    return left || f->fallback ? 0 : start_fallback(f, err);
}

// ---- open and close

static int parse_fault(const char *text, unsigned devices, struct fault *fault) {
    char number[24];
    const char *colon = strchr(text, ':');
    size_t n = colon ? (size_t)(colon - text) : 0;
    if (!n || n >= sizeof number) return -1;
    memcpy(number, text, n);
    number[n] = 0;
    return trj_parse_u64(number, &fault->device) && trj_parse_u64(colon + 1, &fault->item) && fault->device < devices
               ? 0
               : -1;
}

static int read_faults(struct work_pool *f, struct trj_error *err) {
    const char *text = getenv("TRJPIPE_FAULT");
    if (!text || !*text) return 0;
    char *copy = trj_copy_text(text, err);
    size_t capacity = 0;
    int rc = copy ? 0 : -1;
    for (char *item = copy, *next; !rc && item; item = next) {
        next = strchr(item, ',');
        if (next) *next++ = 0;
        rc = trj_grow(&f->faults, &capacity, f->fault_count + 1, sizeof *f->faults, "faults", err);
        if (!rc && parse_fault(item, f->device_count, &f->faults[f->fault_count++]))
            rc = trj_fail(err, TRJ_USAGE,
                          "TRJPIPE_FAULT: invalid item '%s': expected DEVICE:SLICE with DEVICE less than %u", item,
                          f->device_count);
    }
    free(copy);
    return rc;
}

void work_pool_close(struct work_pool *f) {
    if (!f) return;
    if (f->schedule) work_schedule_end(f->schedule);
    for (unsigned i = 0; f->devices && i < f->running; i++) pthread_join(f->devices[i].thread, NULL);
    work_schedule_close(f->schedule);
    for (unsigned i = 0; f->devices && i < f->device_count; i++) free(f->devices[i].slots);
    for (struct batch *b = f->batches, *made_before; b; b = made_before) {
        made_before = b->made_before;
        free_batch(f, b);
    }
    pthread_mutex_destroy(&f->lock);
    pthread_mutex_destroy(&f->total_lock);
    free(f->total);
    free(f->devices);
    free(f->reported);
    free(f->faults);
    free(f);
}

static int open_device(struct work_pool *f, unsigned number, void *handle, struct trj_error *err) {
    struct device *d = &f->devices[number];
    *d = (struct device){.pool = f, .number = number, .handle = handle};
    d->stats.name = f->ops->name(handle);
    d->slots = trj_alloc(f->ops->slots, sizeof *d->slots, "slots", err);
    return d->slots ? 0 : -1;
}

static int start_threads(struct work_pool *f, struct trj_error *err) {
    for (unsigned i = 0; i < f->device_count; i++) {
        int rc = pthread_create(&f->devices[i].thread, NULL, device_main, &f->devices[i]);
        if (rc)
            return trj_fail(err, TRJ_FAILED, "cannot start a thread for %s: %s", f->devices[i].stats.name,
                            strerror(rc));
        f->running++;
    }
    return 0;
}

int work_pool_open(struct work_pool **pool, const struct work_job *job, const struct work_pool_plan *plan,
                   struct trj_error *err) {
    struct work_pool *f = trj_alloc(1, sizeof *f, "a device pool", err);
    if (!f) return -1;
    pthread_mutex_init(&f->lock, NULL);
    pthread_mutex_init(&f->total_lock, NULL);
    f->job = job;
    f->direct = job->add_whole && plan->parts == 1 && plan->slices == 1;
    f->ops = plan->ops;
    f->batch_frames = plan->batch;
    f->batch_parts = plan->parts;
    f->slices = plan->slices;
    f->bad_frame = UINT64_MAX;
    f->device_count = plan->device_count;
    f->max = plan->device_count * plan->ops->slots + 1; // one is filled while each slot holds another
    f->total = trj_alloc(1, job->sum_bytes, "the sum of all batches", err);
    if (f->total && f->direct) trj_use_large_pages(f->total, job->sum_bytes);
    f->devices = f->total ? trj_alloc(f->device_count, sizeof *f->devices, "devices", err) : NULL;
    f->reported = f->devices ? trj_alloc(f->device_count, sizeof *f->reported, "devices", err) : NULL;
    if (!f->reported || read_faults(f, err)) goto out;
    for (unsigned i = 0; i < f->device_count; i++)
        if (open_device(f, i, plan->devices[i], err)) goto out;
    if (work_schedule_open(&f->schedule, f->device_count, err) || start_threads(f, err)) goto out;
    *pool = f;
    return 0;
out:
    work_pool_close(f);
    return -1;
}

// ---- functions for the caller

int work_pool_add(struct work_pool *f, struct trj_frame *frame, struct trj_error *err) {
    if (check_devices(f, err)) return -1;
    if (!f->fallback && !f->filling && (choose_batch(f, err) || (!f->filling && check_devices(f, err)))) return -1;
    uint64_t number = f->added++;
    if (f->fallback) return add_to_fallback(f, frame, number, err);
    struct batch *b = f->filling;
    if (!b->work.count) b->work.first = number;
    swap_frames(f, &b->work.frames[b->work.count++], frame);
    if (!b->work.parts || b->parts[b->work.parts - 1].number != f->part) b->parts[b->work.parts++].number = f->part;
    b->work.end[b->work.parts - 1] = b->work.count;
    return b->work.count < f->batch_frames ? 0 : submit_batch(f, err);
}

// Adds to the current part the results of the fallback since the last call.
static int finish_fallback(struct work_pool *f, struct trj_error *err) {
    return f->fallback ? f->job->fallback->finish(f->job->owner, current_total(f), err) : 0;
}

int work_pool_end_record(struct work_pool *f, uint64_t tag, struct trj_error *err) {
    if (check_devices(f, err) || finish_fallback(f, err)) return -1;
    for (struct batch *b = f->batches; b; b = b->made_before) {
        unsigned parts = b->work.parts;
        if (parts && b->parts[parts - 1].number == f->part) b->parts[parts - 1].tag = tag;
    }
    if (f->filling && f->filling->work.parts == f->batch_parts && submit_batch(f, err)) return -1;
    if (f->any_total) f->job->deliver(f->job->owner, tag, f->total);
    f->any_total = false;
    f->part++;
    return 0;
}

int work_pool_finish(struct work_pool *f, void **sum, struct trj_error *err) {
    if (check_devices(f, err) || (f->filling && submit_batch(f, err))) return -1;
    while (merge_next(f, true)) {}
    if (check_devices(f, err)) return -1; // the last device may have failed in the meantime
    if (finish_fallback(f, err)) return -1;
    *sum = current_total(f);
    f->any_total = false;
    return 0;
}

uint64_t work_pool_bad_frame(const struct work_pool *f) {
    return f->bad_frame;
}

static void get_device_stats(struct work_pool *f, unsigned device, struct trj_device_stats *stats) {
    const struct device *d = &f->devices[device];
    pthread_mutex_lock(&f->lock);
    *stats = d->stats;
    struct busy busy = d->busy;
    double joules = d->joules;
    bool attached = d->attached;
    pthread_mutex_unlock(&f->lock);
    stats->busy = busy_seconds(&busy);
    stats->idle = busy.ended > busy.first ? 1 - stats->busy / (busy.ended - busy.first) : 0;
    stats->joules = attached ? f->ops->joules(d->handle) - joules : NAN;
    if (f->job->add_stats) f->job->add_stats(f->job->owner, device, stats);
}

void work_pool_stats(struct work_pool *f, struct trj_engine_stats *stats) {
    *stats = (struct trj_engine_stats){
        .workers = f->device_count, .frames = f->added, .devices = f->reported, .device_count = f->device_count};
    for (unsigned i = 0; i < f->device_count; i++) {
        get_device_stats(f, i, &f->reported[i]);
        stats->seconds += f->reported[i].busy;
    }
}
