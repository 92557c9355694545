// SPDX-License-Identifier: MIT
// A job without histograms on a pool of simulated devices: moments of the coordinates, summed over frames. Devices fail
// at any slice, memory is short, and frames that no device is left for are processed by the caller; the sums stay
// exact. An error in a frame ends the computation, and is that of the first such frame.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "device_pool.h"
#include "memory.h"
#include "tap.h"

enum { ATOMS = 53, FRAMES = 17, DEVICES = 4, SLOTS = 3, PARTS = 6, MAX_PARTS = 4, NEVER = 1 << 30 };

// ---- the job

// Sum of x and x^2 along each axis. Each atom's term is computed in float64 and rounded to a multiple of 2^-20, so that
// terms are integers and their sum does not depend on the order.
struct moments {
    int64_t first[3], second[3];
    uint32_t atoms, batches;
};

static float coordinates[FRAMES][3][ATOMS];
static struct moments expected[FRAMES]; // of each frame

static void add_atom(struct moments *m, const struct trj_frame *f, size_t atom) {
    for (int k = 0; k < 3; k++) {
        double x = (double)f->x[k][atom] * f->unit;
        m->first[k] += (int64_t)rint(x * 0x1p20);
        m->second[k] += (int64_t)rint(x * x * 0x1p20);
    }
    m->atoms++;
}

static void add_moments(void *owner, void *sum, const void *other) {
    struct moments *to = sum;
    const struct moments *from = other;
    (void)owner;
    for (int k = 0; k < 3; k++) {
        to->first[k] += from->first[k];
        to->second[k] += from->second[k];
    }
    to->atoms += from->atoms;
    to->batches += from->batches;
}

static atomic_uint slices_of[DEVICES]; // slices that were added, by device

static void add_slice(void *owner, void *sum, const struct work_slice *slice) {
    struct moments *m = sum;
    add_moments(owner, sum, (const struct moments *)slice->data + slice->part);
    if (slice->first) m->batches++;
    if (!slice->part) slices_of[slice->device]++;
}

static struct moments parts[PARTS]; // by tag

static void deliver(void *owner, uint64_t tag, void *sum) {
    add_moments(owner, &parts[tag], sum);
    memset(sum, 0xff, sizeof parts[tag]); // the owner may modify it
}

// The owner processes the remaining frames itself.
static struct moments remaining;
static unsigned opened, frames_by_owner;
static bool open_fails;

static int open_fallback(void *owner, struct trj_error *err) {
    (void)owner;
    opened++;
    return open_fails ? trj_fail(err, TRJ_FAILED, "the fallback cannot start") : 0;
}

static bool bad[FRAMES]; // frames with an error

static int fail_frame(const struct trj_frame *frame, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "coordinate %llu is not finite", (unsigned long long)frame->index);
}

static int add_frame(void *owner, struct trj_frame *frame, struct trj_error *err) {
    (void)owner;
    if (bad[frame->index]) return fail_frame(frame, err);
    for (size_t i = 0; i < ATOMS; i++) add_atom(&remaining, frame, i);
    frames_by_owner++;
    return 0;
}

static int finish_fallback(void *owner, void *sum, struct trj_error *err) {
    (void)err;
    add_moments(owner, sum, &remaining);
    remaining = (struct moments){.atoms = 0};
    return 0;
}

static const struct work_fallback fallback = {"the test", open_fallback, add_frame, finish_fallback};

// ---- devices

static atomic_int allocated, allowed = NEVER; // frames

static void *allocate(size_t bytes) {
    if (atomic_fetch_add(&allocated, 1) < allowed) return aligned_alloc(64, bytes);
    atomic_fetch_sub(&allocated, 1);
    return NULL;
}

static void release(void *memory) {
    atomic_fetch_sub(&allocated, 1);
    free(memory);
}

struct simulated {
    char name[24];
    uint64_t random; // state of the generator of delays
    bool attach_fails;
    int begin_fails, end_fails; // number of the slice at which they fail, or NEVER
    uint64_t digest;            // added to the digest
    atomic_int begun;
    int ended;
    const struct simulated *other; // no slice ends before this device has begun one
    const struct work_batch *batch[SLOTS];
    unsigned slice[SLOTS];
    struct moments moments[SLOTS][MAX_PARTS];
};

static struct simulated simulated[DEVICES];

static uint64_t next_random(uint64_t *state) { // xorshift64*
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u >> 20;
}

static void delay(struct simulated *d) {
    nanosleep(&(struct timespec){.tv_nsec = (long)(next_random(&d->random) % 30000)}, NULL);
}

static int attach(void *device, struct trj_error *err) {
    const struct simulated *d = device;
    return d->attach_fails ? trj_fail(err, TRJ_FAILED, "no power") : 0;
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err) {
    struct simulated *d = device;
    delay(d);
    if (d->begun == d->begin_fails) return trj_fail(err, TRJ_FAILED, "out of memory");
    if (d->batch[slot] || slot != (unsigned)d->begun % SLOTS) return trj_fail(err, TRJ_FAILED, "slot in use");
    d->begun++;
    d->batch[slot] = batch;
    d->slice[slot] = slice;
    return 0;
}

// Computes only at the end, so that a batch that changes while it is in flight gives a wrong sum.
static int end(void *device, unsigned slot, struct work_result *r, struct trj_error *err) {
    struct simulated *d = device;
    const struct work_batch *b = d->batch[slot];
    if (!b) return trj_fail(err, TRJ_FAILED, "slot not in use");
    while (d->other && !d->other->begun) nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    delay(d);
    struct moments *m = d->moments[slot];
    memset(m, 0, sizeof d->moments[slot]);
    for (unsigned part = 0; part < b->parts; part++)
        for (unsigned n = work_part_begin(b, part); n < b->end[part]; n++)
            for (size_t i = d->slice[slot]; i < ATOMS; i += b->slices) add_atom(&m[part], &b->frames[n], i);
    d->batch[slot] = NULL;
    if (d->ended++ == d->end_fails) return trj_fail(err, TRJ_FAILED, "overheated");
    for (unsigned n = 0; n < b->count; n++)
        if (bad[b->frames[n].index]) {
            r->bad_frame = n;
            return fail_frame(&b->frames[n], err);
        }
    *r = (struct work_result){.data = m, .digest = b->number + d->digest, .began = d->ended - 1, .ended = d->ended};
    return 0;
}

static double joules(void *device) {
    (void)device;
    return NAN;
}

static const char *name(void *device) {
    return ((const struct simulated *)device)->name;
}

static const struct work_device_ops ops = {.slots = SLOTS,
                                           .allocate = allocate,
                                           .release = release,
                                           .attach = attach,
                                           .begin = begin,
                                           .end = end,
                                           .joules = joules,
                                           .name = name};

// ---- runs

static char notes[2048];

static void take_note(void *owner, const char *text) {
    (void)owner;
    size_t n = strlen(notes);
    snprintf(notes + n, sizeof notes - n, "%s\n", text);
}

static struct work_job job = {.atoms = ATOMS,
                              .sum_bytes = sizeof(struct moments),
                              .add_slice = add_slice,
                              .add_sum = add_moments,
                              .deliver = deliver,
                              .note = take_note};

static void fill(struct trj_frame *f, unsigned number) {
    struct trj_error err;
    if (trj_frame_resize(f, ATOMS, &err)) exit(1);
    f->index = number;
    f->unit = number % 2 ? 1 : 10;
    for (int k = 0; k < 3; k++) memcpy(f->x[k], coordinates[number][k], sizeof coordinates[number][k]);
}

static void set_up(void) {
    uint64_t state = 11;
    struct trj_frame f = {.atoms = 0};
    for (unsigned n = 0; n < FRAMES; n++) {
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < ATOMS; i++) coordinates[n][k][i] = (float)(next_random(&state) % 100000) * 1e-3f - 50;
        fill(&f, n);
        for (size_t i = 0; i < ATOMS; i++) add_atom(&expected[n], &f, i);
    }
    trj_frame_free(&f);
}

static void reset(void) {
    for (unsigned i = 0; i < DEVICES; i++) {
        simulated[i] = (struct simulated){.random = i + 1, .begin_fails = NEVER, .end_fails = NEVER};
        snprintf(simulated[i].name, sizeof simulated[i].name, "device %u", i);
        slices_of[i] = 0;
    }
    memset(parts, 0, sizeof parts);
    notes[0] = 0;
    opened = frames_by_owner = 0;
}

struct setting {
    unsigned devices, batch, slices;
    unsigned cut; // frames between two cuts; 0: no cut
};

static unsigned parts_of_batch = 1; // at most

static double frames_by_devices; // in the last run
static uint64_t bad_frame;       // in the last run

// Returns whether `got` is the sum over frames [from, to).
static int compare(const struct moments *got, unsigned from, unsigned to, struct trj_error *err) {
    struct moments sum = {.atoms = 0};
    for (unsigned n = from; n < to; n++) add_moments(NULL, &sum, &expected[n]);
    sum.batches = got->batches;
    return memcmp(&sum, got, sizeof sum) ? trj_fail(err, TRJ_OK, "frames %u to %u: wrong sum", from, to) : 0;
}

static int add_frames(struct work_pool *pool, const struct setting *s, struct trj_frame *frame, struct trj_error *err) {
    void *sum;
    unsigned part = 0;
    for (unsigned n = 0; n < FRAMES; n++) {
        fill(frame, n);
        if (work_pool_add(pool, frame, err)) return -1;
        if (s->cut && (n + 1) % s->cut == 0 && work_pool_end_record(pool, part++, err)) return -1;
    }
    if (work_pool_finish(pool, &sum, err)) return -1;
    for (unsigned p = 0; p < part; p++)
        if (compare(&parts[p], p * s->cut, (p + 1) * s->cut, err)) return -1;
    return compare(sum, part * s->cut, FRAMES, err);
}

// Sums over all frames. err->status is TRJ_OK if a sum is wrong or memory is lost.
static int run(const struct setting *s, struct trj_error *err) {
    struct work_pool *pool;
    struct trj_frame frame = {.atoms = 0};
    void *devices[DEVICES];
    for (unsigned i = 0; i < s->devices; i++) devices[i] = &simulated[i];
    const struct work_pool_plan plan = {&ops, devices, s->devices, s->batch, parts_of_batch, s->slices};
    if (work_pool_open(&pool, &job, &plan, err)) return -1;
    int rc = add_frames(pool, s, &frame, err);
    bad_frame = work_pool_bad_frame(pool);
    frames_by_devices = 0;
    struct trj_engine_stats stats;
    work_pool_stats(pool, &stats);
    for (unsigned i = 0; i < s->devices; i++) {
        frames_by_devices += stats.devices[i].frames;
        if (!rc && stats.devices[i].busy != slices_of[i]) rc = trj_fail(err, TRJ_OK, "device %u: wrong time", i);
    }
    work_pool_close(pool);
    trj_frame_free(&frame);
    for (unsigned i = 0; i < s->devices; i++)
        if (simulated[i].begun != simulated[i].ended)
            return trj_fail(err, TRJ_OK, "a slice of device %u was not ended", i);
    return allocated ? trj_fail(err, TRJ_OK, "memory was not released") : rc;
}

static bool sums_right(const struct setting *s) {
    struct trj_error err;
    if (!run(s, &err)) return true;
    printf("# %u devices, batches of %u, %u slices, cut every %u: %s\n", s->devices, s->batch, s->slices, s->cut,
           err.text);
    return false;
}

// ---- tests

static void test_sums(void) {
    for (unsigned devices = 1; devices <= DEVICES; devices++) {
        bool good = true;
        for (unsigned batch = 1; batch <= 5; batch++)
            for (unsigned slices = 1; slices <= 7; slices += 2) {
                reset();
                good &= sums_right(&(struct setting){devices, batch, slices, 0});
                good &= !notes[0] && !opened && fabs(frames_by_devices - FRAMES) < 1e-9;
            }
        ok(good, "%u devices, any batches and slices: sums are exact", devices);
    }
    bool good = true;
    for (unsigned cut = 3; cut <= FRAMES; cut++) {
        for (parts_of_batch = 1; parts_of_batch <= MAX_PARTS; parts_of_batch++) {
            reset();
            good &= sums_right(&(struct setting){3, 2 + cut % 5, 3, cut});
        }
    }
    parts_of_batch = 1;
    ok(good, "cuts: the sum of each part is exact");
    reset();
    ok(sums_right(&(struct setting){2, 4, 5, 1 + FRAMES / PARTS}) && parts[0].batches == 1,
       "the first slice of each batch is marked");
}

static void test_failures(void) {
    bool good = true;
    for (unsigned device = 0; device < 3; device++)
        for (int slice = 0; slice < 12; slice++) {
            reset();
            *(slice % 2 ? &simulated[device].begin_fails : &simulated[device].end_fails) = slice;
            good &= sums_right(&(struct setting){3, 2, 3, slice % 3 ? 4 : 0}) && !opened;
        }
    ok(good, "a device fails at any slice: other devices repeat it");
    good = true;
    for (int slice = 0; slice < 12; slice++) {
        reset();
        simulated[slice % 4].attach_fails = true;
        for (int i = 0; i < 4; i++) simulated[i].end_fails = i == (slice + 1) % 4 ? NEVER : slice / 2 + i;
        good &= sums_right(&(struct setting){4, 1, 4, 0}) && !opened;
    }
    ok(good, "all devices but one fail: the last one does the rest");
    setenv("TRJPIPE_FAULT", "0:2,1:3", 1);
    reset();
    ok(sums_right(&(struct setting){3, 1, 2, 0}), "faults of TRJPIPE_FAULT: sums are exact");
    unsetenv("TRJPIPE_FAULT");
}

static void test_fallback(void) {
    bool good = true, all = true, fails = true;
    unsigned by_devices = 0, by_owner = 0;
    struct trj_error err;
    job.fallback = &fallback;
    for (int slice = 0; slice < 10; slice++)
        for (unsigned cut = 0; cut < 8; cut += slice % 2 ? 3 : 7) {
            reset();
            for (int i = 0; i < 3; i++) simulated[i].end_fails = slice;
            parts_of_batch = 1 + (unsigned)slice % MAX_PARTS;
            good &= sums_right(&(struct setting){3, 2, 5, cut});
            all &= opened == 1 && has_text(notes, "no device is left: the test takes over\n");
            by_devices += (unsigned)frames_by_devices;
            by_owner += frames_by_owner;
        }
    parts_of_batch = 1;
    ok(good, "all devices fail at any slice: the owner processes the rest, and sums are exact");
    ok(all, "the fallback is opened once, and reported");
    ok(by_devices > 0 && by_owner > 0, "frames by devices and by the owner: %u and %u", by_devices, by_owner);
    reset();
    for (int i = 0; i < 3; i++) simulated[i].attach_fails = true;
    ok(sums_right(&(struct setting){3, 3, 2, 5}) && frames_by_owner == FRAMES,
       "no device can be attached: the owner processes all frames");
    reset();
    open_fails = true;
    for (int i = 0; i < 3; i++) simulated[i].attach_fails = true;
    ok(run(&(struct setting){3, 3, 2, 0}, &err) && err.status == TRJ_FAILED && has_text(err.text, "cannot start"),
       "the fallback fails: %s", err.text);
    open_fails = false;
    job.fallback = NULL;
    for (int slice = 0; slice < 4; slice++) {
        reset();
        for (int i = 0; i < 2; i++) simulated[i].begin_fails = slice;
        fails &= run(&(struct setting){2, 2, 6, 0}, &err) && err.status == TRJ_NO_ENGINE &&
                 has_text(err.text, "device 0: out of memory") && has_text(err.text, "device 1: out of memory");
    }
    ok(fails, "without a fallback: %s", err.text);
}

static void test_memory(void) {
    struct trj_error err;
    bool good = true;
    for (int frames = 4; frames < 24; frames++) {
        atomic_store(&allowed, frames);
        reset();
        simulated[frames % 3].end_fails = frames % 5;
        good &= sums_right(&(struct setting){3, 3, 2, 4});
    }
    ok(good, "memory for few frames: fewer batches are in flight, and sums are exact");
    atomic_store(&allowed, 2);
    reset();
    ok(run(&(struct setting){3, 3, 2, 0}, &err) && err.status == TRJ_FAILED && has_text(err.text, "out of memory"),
       "memory for less than a batch: %s", err.text);
    atomic_store(&allowed, NEVER);
}

static void test_digest(void) {
    struct trj_error err;
    reset();
    simulated[1].digest = 1;
    simulated[0].other = &simulated[1];
    simulated[1].other = &simulated[0];
    ok(run(&(struct setting){2, FRAMES, 9, 0}, &err) && err.status == TRJ_FAILED && has_text(err.text, "device 0") &&
           has_text(err.text, "device 1"),
       "different digests of one batch: rejected: %s", err.text);
}

// Runs with frames that have an error. Returns whether the error is that of the first one.
static bool reports_first_bad_frame(const struct setting *s) {
    struct trj_error err;
    char text[64];
    unsigned first = 0;
    while (!bad[first]) first++;
    snprintf(text, sizeof text, "coordinate %u is not finite", first);
    bool good = run(s, &err) && err.status == TRJ_BAD_DATA && bad_frame == first && !strcmp(err.text, text);
    if (!good)
        printf("# %u devices, batches of %u, %u slices: frame %llu: %s\n", s->devices, s->batch, s->slices,
               (unsigned long long)bad_frame, err.text);
    return good;
}

static void test_bad_frames(void) {
    bool good = true, right = true;
    job.fallback = &fallback;
    for (unsigned first = 0; first < FRAMES; first++) {
        bad[first] = bad[(first + FRAMES) / 2] = bad[FRAMES - 1] = true;
        for (unsigned batch = 1; batch <= 5; batch++) {
            reset();
            good &= reports_first_bad_frame(&(struct setting){1 + first % DEVICES, batch, 1 + first % 3, 0});
            good &= !notes[0] && !opened;
            reset();
            good &= reports_first_bad_frame(&(struct setting){3, batch, 2, 4}) && !notes[0];
        }
        memset(bad, 0, sizeof bad);
    }
    ok(good, "errors in frames: the first one is reported, and no device is reported as failed");
    good = true;
    for (unsigned first = 0; first < FRAMES; first++)
        for (int slice = -1; slice < 4; slice++) {
            bad[first] = bad[FRAMES - 1] = true;
            reset();
            for (int i = 0; i < 3; i++) {
                simulated[i].attach_fails = slice < 0;
                if (slice >= 0) simulated[i].end_fails = slice + i % 2;
            }
            good &= reports_first_bad_frame(&(struct setting){3, 1 + first % 4, 2, 0});
            memset(bad, 0, sizeof bad);
            reset();
            right &= sums_right(&(struct setting){3, 1 + first % 4, 2, 0}) && bad_frame == UINT64_MAX;
        }
    ok(good,
       "devices fail, and frames have errors: that of the first such frame is reported, whichever device finds it");
    ok(right, "no frame has an error: none is named");
    job.fallback = NULL;
    struct trj_error err;
    reset();
    simulated[0].attach_fails = true;
    ok(run(&(struct setting){1, 2, 1, 0}, &err) && err.status == TRJ_NO_ENGINE && bad_frame == UINT64_MAX,
       "no device is left: no frame is named");
}

int main(void) {
    unsetenv("TRJPIPE_FAULT");
    set_up();
    test_sums();
    test_failures();
    test_fallback();
    test_memory();
    test_digest();
    test_bad_frames();
    return done();
}
