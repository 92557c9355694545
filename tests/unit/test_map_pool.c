// SPDX-License-Identifier: MIT
// Sums of maps on simulated devices, which return given terms of each frame: sums are exact in any order of batches,
// also if partial sums exceed int64 and if the engine on the CPU computes the rest. The first sum that is too large is
// reported.
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "map_pool.h"
#include "tap.h"

enum { ATOMS = 3, FRAMES = 10, ORDERS = 120, POINTS = ORDERS + 1, DEVICES = 2, NEVER = 1 << 30 };

static const int owner = 1;
static int64_t term[FRAMES][POINTS]; // no slice contains the last point, whose terms are 0

static void add_terms(int64_t *to, const struct trj_frame *frame) {
    for (int i = 0; i < POINTS; i++) to[i] = (int64_t)((uint64_t)to[i] + (uint64_t)term[frame->index][i]);
}

// ---- devices, and the engine on the CPU

static struct simulated {
    const char *name;
    int begun, begin_fails; // number of the slice at which it fails, or NEVER
    const struct work_batch *batch;
    unsigned slice;
    int64_t values[POINTS];
    struct work_map_slice result;
} simulated[DEVICES];

static void *allocate(size_t bytes) {
    return aligned_alloc(64, bytes);
}

static int attach(void *device, struct trj_error *err) {
    return device ? 0 : trj_fail(err, TRJ_FAILED, "no device");
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err) {
    struct simulated *d = device;
    if (slot || d->begun++ == d->begin_fails) return trj_fail(err, TRJ_FAILED, "out of memory");
    d->batch = batch;
    d->slice = slice;
    return 0;
}

static int end(void *device, unsigned slot, struct work_result *r, struct trj_error *err) {
    struct simulated *d = device;
    size_t first = (size_t)ORDERS * d->slice / d->batch->slices, next = ORDERS * (d->slice + 1) / d->batch->slices;
    (void)slot, (void)err;
    memset(d->values, 0, sizeof d->values);
    for (unsigned i = 0; i < d->batch->count; i++) add_terms(d->values, &d->batch->frames[i]);
    d->result = (struct work_map_slice){d->values + first, first, next - first};
    *r = (struct work_result){.data = &d->result, .began = d->begun - 1, .ended = d->begun};
    return 0;
}

static double joules(void *device) {
    return device ? NAN : 0;
}

static const char *name(void *device) {
    return ((const struct simulated *)device)->name;
}

static const struct work_device_ops ops = {1, allocate, free, attach, begin, end, joules, name};

static int64_t cpu_sums[2][POINTS];                     // the current one, and that of the last finish
static enum { OPENS, FAILS_EARLY, FAILS_LATE } opening; // FAILS_LATE: after it has set *engine
static unsigned opened, closed, cpu_frames;

static int open_engine(void **engine, const void *of_job, const struct work_resources *resources,
                       struct trj_error *err) {
    (void)resources;
    opened += of_job == &owner;
    if (opening != FAILS_EARLY) *engine = memset(cpu_sums, 0, sizeof cpu_sums);
    return opening == OPENS ? 0 : trj_fail(err, TRJ_FAILED, "no memory");
}

static int add_frame(void *engine, struct trj_frame *frame, struct trj_error *err) {
    cpu_frames++;
    add_terms(engine, frame);
    return engine == cpu_sums ? 0 : trj_fail(err, TRJ_FAILED, "wrong engine");
}

static int finish_engine(void *engine, const int64_t **values, struct trj_error *err) {
    *values = memcpy(cpu_sums[1], cpu_sums[0], sizeof cpu_sums[1]);
    memset(cpu_sums[0], 0, sizeof cpu_sums[0]);
    return engine == cpu_sums ? 0 : trj_fail(err, TRJ_FAILED, "wrong engine");
}

static void close_engine(void *engine) {
    closed += engine == cpu_sums;
}

// ---- the job

static char notes[1024];
static atomic_uint slices_taken;

static int fail_sum(const void *of_job, size_t point, struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "%s %zu", of_job == &owner ? "point" : "wrong owner", point);
}

static void take_slice(void *arg, const void *data) {
    const struct work_map_slice *s = data;
    atomic_fetch_add((atomic_uint *)arg, s->first + s->count <= ORDERS);
}

static void take_note(void *arg, const char *text) {
    size_t n = strlen(arg);
    snprintf((char *)arg + n, sizeof notes - n, "%s\n", text);
}

static const struct work_map_engine cpu = {
    .open = open_engine, .add = add_frame, .finish = finish_engine, .close = close_engine};
static struct work_map_job job = {&owner, ATOMS, POINTS, INT64_MAX, fail_sum, take_slice, &slices_taken, &cpu};
static struct work_resources resources = {.note = take_note, .note_arg = notes};

static void reset(void) {
    for (int i = 0; i < DEVICES; i++)
        simulated[i] = (struct simulated){i ? "device 1" : "device 0", 0, NEVER, .slice = 0};
    notes[0] = 0;
    opened = closed = cpu_frames = slices_taken = 0;
}

// ---- runs

struct setting {
    unsigned devices, batch, slices;
    unsigned frames, each; // each: frames between two calls of finish
    unsigned wait;         // number of frames after which all devices fail; 0: they need not fail
};

static size_t atoms = ATOMS; // of the frames
static unsigned failed;      // number of devices, in the last run
static double frames_by_devices;

// Returns whether the statistics are consistent.
static bool check_stats(struct work_map_pool *pool, const struct setting *s, unsigned frames) {
    struct trj_engine_stats stats;
    double busy = frames_by_devices = failed = 0;
    work_map_pool_stats(pool, &stats);
    bool good = stats.workers == s->devices && stats.device_count == s->devices && stats.frames == frames;
    for (unsigned i = 0; i < s->devices; i++) {
        good &= !strcmp(stats.devices[i].name, simulated[i].name);
        failed += stats.devices[i].failed;
        frames_by_devices += stats.devices[i].frames;
        busy += stats.devices[i].busy;
    }
    return good && stats.seconds == busy;
}

static int add_frames(struct work_map_pool *pool, const struct setting *s, struct trj_frame *f, struct trj_error *err) {
    int64_t expected[POINTS] = {0};
    const int64_t *values;
    for (unsigned n = 0; n < s->frames; n++) {
        if (trj_frame_resize(f, atoms, err)) return -1;
        f->index = n;
        add_terms(expected, f);
        if (work_map_pool_add(pool, f, err)) return -1;
        for (int i = 0; n + 1 == s->wait && i < 20000 && check_stats(pool, s, n + 1) && failed < s->devices; i++)
            nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        if ((n + 1) % s->each && n + 1 < s->frames) continue;
        if (work_map_pool_finish(pool, &values, err)) return -1;
        if (memcmp(expected, values, sizeof expected)) return trj_fail(err, TRJ_OK, "frame %u: wrong sums", n);
        memset(expected, 0, sizeof expected);
    }
    return check_stats(pool, s, s->frames) ? 0 : trj_fail(err, TRJ_OK, "wrong statistics");
}

// Adds frames. err->status is TRJ_OK if a result is wrong.
static int run(const struct setting *s, struct trj_error *err) {
    struct work_map_pool *pool;
    struct trj_frame frame = {.atoms = 0};
    void *devices[DEVICES] = {&simulated[0], &simulated[1]};
    const struct work_pool_plan plan = {&ops, devices, s->devices, s->batch, 1, s->slices};
    if (work_map_pool_open(&pool, &job, &resources, &plan, err)) return -1;
    int rc = add_frames(pool, s, &frame, err);
    bool set = opened && opening != FAILS_EARLY;
    bool good = work_map_pool_cpu(pool) == (set ? cpu_sums : NULL) && !closed;
    good &= work_map_pool_bad_frame(pool) == UINT64_MAX;
    work_map_pool_close(pool);
    trj_frame_free(&frame);
    return good && closed == set ? rc : trj_fail(err, TRJ_OK, "the engine on the CPU: wrong state");
}

static bool sums_right(const struct setting *s) {
    struct trj_error err;
    if (!run(s, &err)) return true;
    printf("# %u devices, batches of %u, %u slices: %s\n", s->devices, s->batch, s->slices, err.text);
    return false;
}

// Returns whether frames with these three terms at two points fail for the point `expected`; 0: whether they succeed.
static bool fails_for(int expected, int p, const int64_t *of_p, int q, const int64_t *of_q) {
    struct trj_error err;
    char text[16];
    bool good = true;
    snprintf(text, sizeof text, "point %d", expected);
    memset(term, 0, sizeof term);
    for (int n = 0; n < 3; n++) term[n][p] = of_p[n], term[n][q] = of_q[n];
    for (unsigned devices = 1; devices <= DEVICES; devices++) {
        reset();
        int rc = run(&(struct setting){devices, 1, 2, 3, 3, 0}, &err);
        good &= expected ? rc && err.status == TRJ_BAD_DATA && !strcmp(err.text, text) : !rc;
    }
    return good;
}

// ---- tests

static void test_sums(void) {
    bool good = true;
    for (int n = 0; n < FRAMES; n++)
        for (int i = 0; i < ORDERS; i++) term[n][i] = (n - 4) * (INT64_C(1) << 40) + i * 1000 + n;
    for (unsigned batch = 1; batch <= 4; batch++)
        for (unsigned slices = 1; slices <= 7; slices += 3) {
            reset();
            good &= sums_right(&(struct setting){2, batch, slices, FRAMES, 2 * batch + 1, 0}) && !opened && !failed;
            good &= fabs(frames_by_devices - FRAMES) < 1e-9 && slices_taken % slices == 0 && slices_taken > 0;
        }
    ok(good, "2 devices, any batches and slices: sums and statistics are right");
}

// At each point the frames have another order of the same terms.
static void test_orders(void) {
    static const int64_t terms[5] = {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MIN, 7};
    for (int i = 0; i < ORDERS; i++) {
        int left[5] = {0, 1, 2, 3, 4};
        for (int n = 0, rest = i, k; n < 5; rest /= 5 - n++) {
            term[n][i] = terms[left[k = rest % (5 - n)]];
            term[n + 5][i] = ~term[n][i];
            memmove(left + k, left + k + 1, (size_t)(4 - k) * sizeof *left);
        }
    }
    bool good = true;
    for (unsigned i = 0; i < 12; i++) {
        reset();
        good &= sums_right(&(struct setting){1 + i % 2, 1, 1 + i / 4, FRAMES, i % 4 < 2 ? 5 : FRAMES, 0});
    }
    ok(good, "partial sums exceed int64 in any order of batches: sums are right, also after another finish");
}

static void test_large_sums(void) {
    const int64_t max = INT64_MAX, min = INT64_MIN;
    ok(fails_for(0, 4, (int64_t[]){max, 1, -1}, 9, (int64_t[]){min, 1, -1}) &&
           fails_for(4, 4, (int64_t[]){max, 1, 0}, 9, (int64_t[]){min, 0, 0}) &&
           fails_for(9, 4, (int64_t[]){max, 0, 0}, 9, (int64_t[]){min, -1, 0}) &&
           fails_for(4, 4, (int64_t[]){min, min, min}, 9, (int64_t[]){max, max, max}),
       "sums outside int64: the first point is reported");
    job.max_sum = 1000;
    ok(fails_for(0, 4, (int64_t[]){999, 1, 0}, 9, (int64_t[]){max, 1000, -max}) &&
           fails_for(4, 4, (int64_t[]){999, 1, 1}, 9, (int64_t[]){0, 1001, 0}) &&
           fails_for(9, 4, (int64_t[]){min, max, 0}, 9, (int64_t[]){0, 1001, 0}) &&
           fails_for(4, 4, (int64_t[]){min, -1, 0}, 9, (int64_t[]){1001, 0, 0}) &&
           fails_for(4, 4, (int64_t[]){1001, 0, 0}, 9, (int64_t[]){max, max, max}),
       "sums above max_sum, or below int64: the first point is reported");
    job.max_sum = INT64_MAX;
}

// The devices compute two frames. The engine on the CPU gets the others, of which it repeats one as a batch.
static int run_on_cpu(int how, struct trj_error *err) {
    reset();
    simulated[0].begin_fails = how ? how == 1 ? 5 : 0 : NEVER;
    simulated[1].begin_fails = 2;
    if (!how) setenv("TRJPIPE_FAULT", "0:2", 1);
    int rc = run(&(struct setting){how == 2 ? 2 : 1, 1, how == 1 ? 2 : 1, FRAMES, 5, 3}, err);
    unsetenv("TRJPIPE_FAULT");
    return rc;
}

static void test_cpu(void) {
    static const int quarters[FRAMES] = {3, 3, 0, -2, -1, 1, 1, 1, -3, -3};
    struct trj_error err;
    bool good = true, fails = true;
    memset(term, 0, sizeof term);
    for (int n = 0; n < FRAMES; n++)
        for (int i = 0; i < ORDERS; i++) term[n][i] = (i % 2 ? -quarters[n] : quarters[n]) * (INT64_C(1) << 61) + i;
    for (int how = 0; how < 3; how++)
        good &= !run_on_cpu(how, &err) && opened == 1 && cpu_frames == 8 && failed == (how == 2 ? 2 : 1) &&
                frames_by_devices == (how == 1 ? 2.5 : 2) &&
                has_text(notes, "no device is left: engine cpu takes over");
    ok(good, "all devices fail after sums exceed int64: the engine on the CPU makes them right");
    for (int how = 0; how < 3; how++) {
        for (int i = 30; i < 90; i += 30) term[4][i] = 0; // 2^63 and more
        fails &= run_on_cpu(how, &err) && err.status == TRJ_BAD_DATA && !strcmp(err.text, "point 30");
    }
    ok(fails, "the sums are too large after the engine on the CPU: the first point is reported");
    opening = FAILS_LATE;
    ok(run_on_cpu(2, &err) && has_text(err.text, "no memory") && opened == 1 && closed == 1,
       "the engine on the CPU fails after it was made: closed once");
    opening = FAILS_EARLY;
    ok(run_on_cpu(2, &err) && has_text(err.text, "no memory") && opened == 1 && !closed,
       "the engine on the CPU fails before it was made: not closed");
    opening = OPENS;
    resources.cpu_may_finish = false;
    ok(run_on_cpu(2, &err) && err.status == TRJ_NO_ENGINE && has_text(err.text, "device 1: out of memory") && !opened,
       "no device is left, and the engine on the CPU may not compute: %s", err.text);
    reset();
    atoms = ATOMS - 1;
    ok(!run(&(struct setting){2, 1, 1, 2, 1, 0}, &err), "frames with fewer atoms than the job: sums are right");
    atoms = ATOMS + 1;
    ok(run(&(struct setting){2, 1, 1, 1, 1, 0}, &err) && err.status == TRJ_BAD_DATA, "rejected: %s", err.text);
}

int main(void) {
    unsetenv("TRJPIPE_FAULT");
    test_sums();
    test_orders();
    test_large_sums();
    resources.cpu_may_finish = true;
    test_cpu();
    return done();
}
