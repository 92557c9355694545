// SPDX-License-Identifier: MIT
// Who touches what: batches that are filled, the totals and the cpu engine are the calling thread's; a batch in the schedule is read by
// the devices' threads, which add their counts to it under its own lock. fleet.lock guards what devices tell of themselves.
#include "device_pool.h"

#include <math.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "slice_schedule.h"

struct batch {
    struct tile_job job; // first, so that the schedule's pointer is the batch's
    struct rdf_batch frames;
    struct batch *made_before; // of all
    struct batch *next;        // of those free
    uint64_t part, tag;        // part of the frames, and its tag, which is known once the part is cut
    pthread_mutex_t lock;      // of what follows, while the batch is in the schedule
    uint64_t *counts;          // [pairs][bins + 1]; the last one takes what lies in no bin
    unsigned arrived;          // slices
    uint64_t order;            // of the first slice
    unsigned order_of;         // the device that did it
};

// Union of intervals that come nearly in order: of those before the last gap only the sum is kept, the others are one stretch.
struct busy {
    bool any;
    double first, before, gap; // where it all begins; the sum before the last gap; the end of what the sum holds
    double began, ended;
};

struct flight {
    struct batch *batch;
    unsigned slice;
    uint64_t item; // the how-maniest the device was given, from 0
};

struct device {
    struct rdf_fleet *fleet;
    unsigned number;
    void *handle;
    pthread_t thread;
    struct flight *flights; // [slots], a ring
    unsigned first, flying;
    uint64_t given;
    bool told; // job->note, of its failure; the calling thread's
    // Under the fleet's lock:
    struct rdf_device_stats stats;
    struct trj_error reason; // if stats.failed
    struct busy busy;
    bool attached;
    double joules; // at that time
};

struct fault {
    uint64_t device, item;
};

struct rdf_fleet {
    const struct rdf_job *job;
    const struct rdf_device_ops *ops;
    struct tile_schedule *schedule;
    double *squares;
    bool *overlap; // [pairs] of different groups with atoms in common
    unsigned batch, slices;
    struct fault *faults;
    size_t fault_count;
    struct device *devices;
    struct rdf_device_stats *told_stats; // [device_count], what rdf_fleet_stats gives away
    unsigned device_count, running;      // threads that were started

    struct batch *batches; // all there are, the youngest
    unsigned made, most;
    struct batch *free, *filling;
    uint64_t sent;
    uint64_t part;        // number of cuts so far
    uint64_t part_frames; // frames added since the last cut
    unsigned even_batch;  // frames of each batch, at most `batch`, so that batches between two cuts have equal length
    uint64_t *totals;     // [pairs][bins + 1] sums over the completed batches of this part
    bool any_total;       // true if `totals` contains a batch
    void *cpu;            // state of rdf_engine_cpu, used when no device is left

    pthread_mutex_t lock;
    bool broken; // counts that are there cannot be trusted
    struct trj_error why_broken;
};

static size_t counts_size(const struct rdf_fleet *f) {
    return f->job->pair_count * (f->job->bins.count + 1);
}

// ---- a device's thread

static void add_interval(struct busy *b, double began, double ended) {
    b->first = b->any ? fmin(b->first, began) : began;
    if (!b->any) {
        b->gap = -INFINITY;
        b->began = began;
        b->ended = ended;
        b->any = true;
    }
    began = fmax(began, b->gap); // what lies before has been added
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

static bool fault_strikes(const struct rdf_fleet *f, unsigned device, uint64_t item) {
    for (size_t i = 0; i < f->fault_count; i++)
        if (f->faults[i].device == device && f->faults[i].item == item) return true;
    return false;
}

static void set_broken(struct rdf_fleet *f, const struct batch *b, unsigned device) {
    pthread_mutex_lock(&f->lock);
    if (!f->broken)
        trj_error_set(&f->why_broken, TRJ_FAILED,
                      "%s and %s cut frame %llu differently: their counts do not add up to anything",
                      f->devices[b->order_of].stats.name, f->devices[device].stats.name,
                      (unsigned long long)b->frames.frames[0].index);
    f->broken = true;
    pthread_mutex_unlock(&f->lock);
}

static void subtract_self_images(const struct rdf_fleet *f, struct batch *b) {
    uint64_t bins = f->job->bins.count;
    for (size_t p = 0; p < f->job->pair_count; p++)
        for (unsigned i = 0; f->overlap[p] && i < b->frames.count; i++)
            rdf_job_subtract_self_images(f->job, p, &b->frames.frames[i], f->squares, b->counts + p * (bins + 1));
}

// Adds a slice's counts to those of its batch; their sum.
static uint64_t receive(const struct device *d, struct batch *b, const struct rdf_slice_result *r) {
    struct rdf_fleet *f = d->fleet;
    uint64_t bins = f->job->bins.count, sum = 0;
    pthread_mutex_lock(&b->lock);
    if (!b->arrived++) {
        b->order = r->order;
        b->order_of = d->number;
        memset(b->counts, 0, counts_size(f) * sizeof *b->counts);
        subtract_self_images(f, b);
    } else if (b->order != r->order) {
        set_broken(f, b, d->number);
    }
    for (size_t p = 0; p < f->job->pair_count; p++)
        for (uint64_t k = 0; k < bins; k++) {
            b->counts[p * (bins + 1) + k] += r->counts[p * bins + k];
            sum += r->counts[p * bins + k];
        }
    pthread_mutex_unlock(&b->lock);
    return sum;
}

static int begin_slice(struct device *d, struct tile_job *job, unsigned slice, struct trj_error *err) {
    const struct rdf_device_ops *ops = d->fleet->ops;
    unsigned slot = (d->first + d->flying) % ops->slots;
    struct batch *b = (struct batch *)job;
    d->flights[slot] = (struct flight){b, slice, d->given++};
    if (ops->begin(d->handle, slot, &b->frames, slice, err)) return -1;
    d->flying++;
    return 0;
}

// Ends the slot that was begun first.
static int end_slice(struct device *d, struct flight *flight, struct rdf_slice_result *result, struct trj_error *err) {
    const struct rdf_device_ops *ops = d->fleet->ops;
    unsigned slot = d->first;
    *flight = d->flights[slot];
    *result = (struct rdf_slice_result){.counts = NULL};
    d->first = (slot + 1) % ops->slots;
    d->flying--;
    return ops->end(d->handle, slot, result, err);
}

static int deliver_slice(struct device *d, struct trj_error *err) {
    struct rdf_fleet *f = d->fleet;
    struct rdf_slice_result r;
    struct flight flight;
    if (end_slice(d, &flight, &r, err)) return -1;
    if (fault_strikes(f, d->number, flight.item))
        return trj_fail(err, TRJ_FAILED, "TRJPIPE_FAULT at slice %llu", (unsigned long long)flight.item);
    uint64_t counted = receive(d, flight.batch, &r);
    pthread_mutex_lock(&f->lock);
    d->stats.frames += (double)flight.batch->frames.count / f->slices;
    d->stats.evaluated += r.evaluated;
    d->stats.resolved += r.resolved;
    d->stats.counted += counted;
    d->stats.upload += r.upload;
    add_interval(&d->busy, r.began, r.ended);
    pthread_mutex_unlock(&f->lock);
    tile_schedule_done(f->schedule, &flight.batch->job, flight.slice); // last: the batch may be gone after it
    return 0;
}

static int attach(struct device *d, struct trj_error *err) {
    struct rdf_fleet *f = d->fleet;
    if (f->ops->attach(d->handle, err)) return -1;
    double joules = f->ops->joules(d->handle);
    pthread_mutex_lock(&f->lock);
    d->attached = true;
    d->joules = joules;
    pthread_mutex_unlock(&f->lock);
    return 0;
}

// Until there is nothing more to come: keeps all slots busy, and sleeps only when none is.
static int serve(struct device *d, struct trj_error *err) {
    struct rdf_fleet *f = d->fleet;
    for (;;) {
        struct tile_job *job;
        unsigned slice;
        while (d->flying < f->ops->slots && tile_schedule_take(f->schedule, d->number, !d->flying, &job, &slice))
            if (begin_slice(d, job, slice, err)) return -1;
        if (!d->flying) return 0;
        if (deliver_slice(d, err)) return -1;
    }
}

// The device may still be reading batches that others will finish and the caller will fill again: it is waited for first.
static void give_up(struct device *d, const struct trj_error *reason) {
    struct rdf_fleet *f = d->fleet;
    while (d->flying) {
        struct flight flight;
        struct rdf_slice_result lost;
        struct trj_error ignored;
        end_slice(d, &flight, &lost, &ignored);
    }
    pthread_mutex_lock(&f->lock);
    d->stats.failed = true;
    d->reason = *reason;
    pthread_mutex_unlock(&f->lock);
    tile_schedule_fail(f->schedule, d->number);
}

static void *device_main(void *data) {
    struct device *d = data;
    struct trj_error err;
    if (attach(d, &err) || serve(d, &err)) give_up(d, &err);
    return NULL;
}

// ---- batches

static void free_batch(struct rdf_fleet *f, struct batch *b) {
    for (unsigned i = 0; b->frames.frames && i < f->batch; i++) trj_frame_free(&b->frames.frames[i]);
    pthread_mutex_destroy(&b->lock);
    free(b->frames.frames);
    free(b->counts);
    free(b);
}

static int make_frame(const struct rdf_fleet *f, struct trj_frame *frame, struct trj_error *err) {
    size_t bytes = trj_frame_bytes(f->job->atoms);
    void *memory = bytes ? f->ops->allocate(bytes) : NULL;
    if (!memory) return trj_fail_memory(err, (double)bytes, "coordinates that devices can read");
    *frame = (struct trj_frame){.index = 0};
    trj_frame_adopt(frame, memory, f->job->atoms, f->ops->release);
    return 0;
}

static int make_batch(struct rdf_fleet *f, struct trj_error *err) {
    struct batch *b = trj_alloc(1, sizeof *b, "a batch", err);
    if (!b) return -1;
    pthread_mutex_init(&b->lock, NULL);
    b->job.slices = b->frames.slices = f->slices;
    b->counts = trj_alloc(counts_size(f), sizeof *b->counts, "counts of a batch", err);
    b->frames.frames = b->counts ? trj_alloc(f->batch, sizeof *b->frames.frames, "a batch", err) : NULL;
    if (!b->frames.frames) goto out;
    for (unsigned i = 0; i < f->batch; i++)
        if (make_frame(f, &b->frames.frames[i], err)) goto out;
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

static void recycle(struct rdf_fleet *f, struct batch *b) {
    b->frames.count = 0;
    b->arrived = 0;
    b->next = f->free;
    f->free = b;
}

// Passes counts [pairs][bins + 1] to the job without the last column, which counts pairs in no bin. Modifies `counts`.
static void deliver(const struct rdf_fleet *f, uint64_t tag, uint64_t *counts) {
    size_t bins = f->job->bins.count;
    for (size_t p = 1; p < f->job->pair_count; p++)
        memmove(counts + p * bins, counts + p * (bins + 1), bins * sizeof *counts);
    f->job->deliver(f->job->deliver_arg, tag, counts);
}

// Adds or delivers the counts of a complete batch.
static void settle(struct rdf_fleet *f, struct batch *b) {
    size_t n = counts_size(f);
    if (b->part == f->part) {
        for (size_t i = 0; i < n; i++) f->totals[i] += b->counts[i];
        f->any_total = true;
    } else {
        deliver(f, b->tag, b->counts);
    }
    recycle(f, b);
}

// Processes the next complete batch. With `wait` it sleeps until one is complete. Returns false if there is none.
static bool collect(struct rdf_fleet *f, bool wait) {
    struct batch *b = (struct batch *)tile_schedule_completed(f->schedule, wait);
    if (b) settle(f, b);
    return b != NULL;
}

// Chooses the batch to be filled next. Leaves f->filling NULL if all are in flight and no device is left to complete
// one.
static int next_batch(struct rdf_fleet *f, struct trj_error *err) {
    while (collect(f, false)) {}
    if (!f->free && f->made < f->most && make_batch(f, err)) {
        if (!f->made) return -1;
        f->most = f->made; // out of memory: counting continues with fewer batches in flight
    }
    if (!f->free) collect(f, true);
    f->filling = f->free;
    if (f->free) {
        f->free = f->free->next;
        f->filling->part = f->part;
    }
    return 0;
}

static int send_off(struct rdf_fleet *f, struct trj_error *err) {
    struct batch *b = f->filling;
    f->filling = NULL;
    b->frames.number = ++f->sent;
    return tile_schedule_put(f->schedule, &b->job, err);
}

// Puts the caller's frame in place of *mine, which goes to the caller; frames of other memory are copied, and exchanged for one of ours.
static void exchange(const struct rdf_fleet *f, struct trj_frame *mine, struct trj_frame *frame) {
    struct trj_frame copy = *frame;
    if (frame->release == f->ops->release) {
        *frame = *mine;
        *mine = copy;
        return;
    }
    trj_frame_adopt(&copy, mine->x[0], frame->atoms, mine->release);
    for (int k = 0; k < 3; k++) memcpy(copy.x[k], frame->x[k], frame->atoms * sizeof *frame->x[k]);
    frame->members = mine->members;
    frame->member_room = mine->member_room;
    *mine = copy;
    struct trj_error ignored; // without memory for one more the caller keeps his own, and the next one is copied again
    if (make_frame(f, &copy, &ignored)) return;
    trj_frame_free(frame);
    *frame = copy;
}

// ---- failures, as the calling thread sees them

__attribute__((format(printf, 2, 3))) static void note(const struct rdf_fleet *f, const char *format, ...) {
    char text[1280]; // a reason and a name
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (f->job->note) f->job->note(text);
}

// Whether a device has failed, and why.
static bool has_failed(struct rdf_fleet *f, const struct device *d, struct trj_error *reason) {
    pthread_mutex_lock(&f->lock);
    bool failed = d->stats.failed;
    if (failed) *reason = d->reason;
    pthread_mutex_unlock(&f->lock);
    return failed;
}

static int fail_no_device(struct rdf_fleet *f, struct trj_error *err) {
    trj_error_set(err, TRJ_NO_ENGINE, "no device is left");
    for (unsigned i = 0; i < f->device_count; i++) {
        struct trj_error reason;
        size_t n = strlen(err->text);
        if (has_failed(f, &f->devices[i], &reason))
            snprintf(err->text + n, sizeof err->text - n, "%s %s: %s", i ? ";" : ":", f->devices[i].stats.name,
                     reason.text);
    }
    return -1;
}

// Gets counts [pairs][bins + 1] of the frames that the cpu engine has counted since the last call.
static int finish_cpu(struct rdf_fleet *f, uint64_t *counts, struct trj_error *err) {
    size_t bins = f->job->bins.count;
    if (rdf_engine_cpu.finish(f->cpu, counts, err)) return -1;
    for (size_t p = f->job->pair_count; p-- > 0;) {
        memmove(counts + p * (bins + 1), counts + p * bins, bins * sizeof *counts);
        counts[p * (bins + 1) + bins] = 0;
    }
    return 0;
}

// Counts the frames of a batch, of which slices may have arrived, from the start.
static int redo(struct rdf_fleet *f, struct batch *b, struct trj_error *err) {
    for (unsigned i = 0; i < b->frames.count; i++)
        if (rdf_engine_cpu.add(f->cpu, &b->frames.frames[i], err)) return -1;
    if (finish_cpu(f, b->counts, err)) return -1;
    settle(f, b);
    return 0;
}

static int take_over(struct rdf_fleet *f, struct trj_error *err) {
    if (rdf_engine_cpu.open(&f->cpu, f->job, err)) return -1;
    note(f, "no device is left: engine cpu does the rest");
    while (collect(f, false)) {}
    for (struct tile_job *job; (job = tile_schedule_orphan(f->schedule));)
        if (redo(f, (struct batch *)job, err)) return -1;
    struct batch *b = f->filling;
    f->filling = NULL;
    return b ? redo(f, b, err) : 0;
}

// Speaks of devices that failed; when none is left, goes on with the cpu engine or gives up.
static int look_after(struct rdf_fleet *f, struct trj_error *err) {
    pthread_mutex_lock(&f->lock);
    bool broken = f->broken;
    if (broken) *err = f->why_broken;
    pthread_mutex_unlock(&f->lock);
    if (broken) return -1;
    unsigned left = tile_schedule_workers(f->schedule);
    if (!left && !f->job->cpu_may_finish) return fail_no_device(f, err);
    for (unsigned i = 0; i < f->device_count; i++) {
        struct device *d = &f->devices[i];
        struct trj_error reason;
        if (d->told || !has_failed(f, d, &reason)) continue;
        note(f, "%s failed: %s%s", d->stats.name, reason.text, left ? "; the others do its work" : "");
        d->told = true;
    }
    return left || f->cpu ? 0 : take_over(f, err);
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

static int read_faults(struct rdf_fleet *f, struct trj_error *err) {
    const char *text = getenv("TRJPIPE_FAULT");
    if (!text || !*text) return 0;
    char *copy = trj_copy_text(text, err);
    size_t room = 0;
    int rc = copy ? 0 : -1;
    for (char *item = copy, *next; !rc && item; item = next) {
        next = strchr(item, ',');
        if (next) *next++ = 0;
        rc = trj_grow(&f->faults, &room, f->fault_count + 1, sizeof *f->faults, "faults", err);
        if (!rc && parse_fault(item, f->device_count, &f->faults[f->fault_count++]))
            rc = trj_fail(err, TRJ_USAGE, "TRJPIPE_FAULT: '%s' is not DEVICE:SLICE with one of %u devices, from 0",
                          item, f->device_count);
    }
    free(copy);
    return rc;
}

void rdf_fleet_close(struct rdf_fleet *f) {
    if (!f) return;
    if (f->schedule) tile_schedule_end(f->schedule);
    for (unsigned i = 0; f->devices && i < f->running; i++) pthread_join(f->devices[i].thread, NULL);
    tile_schedule_close(f->schedule);
    for (unsigned i = 0; f->devices && i < f->device_count; i++) free(f->devices[i].flights);
    for (struct batch *b = f->batches, *made_before; b; b = made_before) {
        made_before = b->made_before;
        free_batch(f, b);
    }
    rdf_engine_cpu.close(f->cpu);
    pthread_mutex_destroy(&f->lock);
    free(f->totals);
    free(f->devices);
    free(f->told_stats);
    free(f->faults);
    free(f->overlap);
    free(f->squares);
    free(f);
}

static int open_device(struct rdf_fleet *f, unsigned number, void *handle, struct trj_error *err) {
    struct device *d = &f->devices[number];
    *d = (struct device){.fleet = f, .number = number, .handle = handle};
    d->stats.name = f->ops->name(handle);
    d->flights = trj_alloc(f->ops->slots, sizeof *d->flights, "slots", err);
    return d->flights ? 0 : -1;
}

static int start_threads(struct rdf_fleet *f, struct trj_error *err) {
    for (unsigned i = 0; i < f->device_count; i++) {
        int rc = pthread_create(&f->devices[i].thread, NULL, device_main, &f->devices[i]);
        if (rc)
            return trj_fail(err, TRJ_FAILED, "cannot start a thread for %s: %s", f->devices[i].stats.name,
                            strerror(rc));
        f->running++;
    }
    return 0;
}

int rdf_fleet_open(struct rdf_fleet **fleet, const struct rdf_job *job, const struct rdf_fleet_plan *plan,
                   struct trj_error *err) {
    struct rdf_fleet *f = trj_alloc(1, sizeof *f, "a fleet", err);
    if (!f) return -1;
    pthread_mutex_init(&f->lock, NULL);
    f->job = job;
    f->ops = plan->ops;
    f->batch = f->even_batch = plan->batch;
    f->slices = plan->slices;
    f->device_count = plan->device_count;
    f->most = plan->device_count * plan->ops->slots + 1; // one is filled while every slot has another
    f->squares = rdf_bins_squares(&job->bins, err);
    f->overlap = f->squares ? trj_alloc(job->pair_count, sizeof *f->overlap, "pairs", err) : NULL;
    f->totals = f->overlap ? trj_alloc(counts_size(f), sizeof *f->totals, "counts", err) : NULL;
    f->devices = f->totals ? trj_alloc(f->device_count, sizeof *f->devices, "devices", err) : NULL;
    f->told_stats = f->devices ? trj_alloc(f->device_count, sizeof *f->told_stats, "devices", err) : NULL;
    if (!f->told_stats || read_faults(f, err)) goto out;
    for (size_t p = 0; p < job->pair_count; p++) {
        uint32_t a = job->pairs[p].a, b = job->pairs[p].b;
        f->overlap[p] = a != b && trj_group_overlap(&job->groups[a], &job->groups[b], NULL);
    }
    for (unsigned i = 0; i < f->device_count; i++)
        if (open_device(f, i, plan->devices[i], err)) goto out;
    if (tile_schedule_open(&f->schedule, f->device_count, err) || start_threads(f, err)) goto out;
    *fleet = f;
    return 0;
out:
    rdf_fleet_close(f);
    return -1;
}

// ---- what the engine's caller calls

int rdf_fleet_add(struct rdf_fleet *f, struct trj_frame *frame, struct trj_error *err) {
    if (look_after(f, err)) return -1;
    if (!f->cpu && !f->filling && (next_batch(f, err) || (!f->filling && look_after(f, err)))) return -1;
    if (f->cpu) return rdf_engine_cpu.add(f->cpu, frame, err);
    struct rdf_batch *b = &f->filling->frames;
    exchange(f, &b->frames[b->count++], frame);
    f->part_frames++;
    return b->count < f->even_batch ? 0 : send_off(f, err);
}

// A GPU uploads one batch while it counts another. After a short batch it would wait for the upload of a long one. The
// frames between two cuts are therefore divided evenly, on the assumption that the next cut is as far away as the last
// one.
static unsigned even_batch(uint64_t frames, unsigned most) {
    uint64_t batches = (frames + most - 1) / most;
    return batches ? (unsigned)((frames + batches - 1) / batches) : most;
}

int rdf_fleet_cut(struct rdf_fleet *f, uint64_t tag, struct trj_error *err) {
    size_t size = counts_size(f) * sizeof *f->totals;
    if (look_after(f, err) || (f->filling && send_off(f, err))) return -1;
    for (struct batch *b = f->batches; b; b = b->made_before)
        if (b->part == f->part) b->tag = tag;
    if (f->any_total) {
        deliver(f, tag, f->totals);
        memset(f->totals, 0, size);
    }
    f->any_total = false;
    f->part++;
    f->even_batch = even_batch(f->part_frames, f->batch);
    f->part_frames = 0;
    return f->cpu ? rdf_engine_cpu.cut(f->cpu, tag, err) : 0;
}

int rdf_fleet_finish(struct rdf_fleet *f, uint64_t *counts, struct trj_error *err) {
    uint64_t bins = f->job->bins.count;
    if (look_after(f, err) || (f->filling && send_off(f, err))) return -1;
    while (collect(f, true)) {}
    if (look_after(f, err)) return -1; // the last device may have failed while it was waited for
    memset(counts, 0, f->job->pair_count * bins * sizeof *counts);
    if (f->cpu && rdf_engine_cpu.finish(f->cpu, counts, err)) return -1;
    for (size_t p = 0; p < f->job->pair_count; p++)
        for (uint64_t k = 0; k < bins; k++) counts[p * bins + k] += f->totals[p * (bins + 1) + k];
    memset(f->totals, 0, counts_size(f) * sizeof *f->totals);
    f->any_total = false;
    return 0;
}

static struct rdf_device_stats device_stats(struct rdf_fleet *f, const struct device *d) {
    pthread_mutex_lock(&f->lock);
    struct rdf_device_stats s = d->stats;
    struct busy busy = d->busy;
    double joules = d->joules;
    bool attached = d->attached;
    pthread_mutex_unlock(&f->lock);
    s.kernel = busy_seconds(&busy);
    s.idle = busy.ended > busy.first ? 1 - s.kernel / (busy.ended - busy.first) : 0;
    s.joules = attached ? f->ops->joules(d->handle) - joules : NAN;
    return s;
}

void rdf_fleet_stats(struct rdf_fleet *f, struct rdf_engine_stats *stats) {
    *stats = (struct rdf_engine_stats){.devices = f->told_stats, .device_count = f->device_count};
    if (f->cpu) {
        rdf_engine_cpu.stats(f->cpu, stats);
        stats->devices = f->told_stats;
        stats->device_count = f->device_count;
    }
    stats->threads = f->device_count;
    for (unsigned i = 0; i < f->device_count; i++) {
        const struct rdf_device_stats *s = &f->told_stats[i];
        f->told_stats[i] = device_stats(f, &f->devices[i]);
        stats->count += s->kernel;
        stats->evaluated += s->evaluated;
        stats->resolved += s->resolved;
    }
}
