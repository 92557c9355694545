// SPDX-License-Identifier: MIT
// Potentials on a pool of simulated devices, whose values are those of the engine cpu: frames in any batches and slices
// give the same bytes, also if devices fail, and errors in frames have the message and the frame of the engine cpu.
#include <pthread.h>
#include <stdint.h>

#include "charges.h"
#include "cpu_frames.h"
#include "memory.h"
#include "pair_sum.h"
#include "potential_pool.h"
#include "tap.h"
#include "uniform.h"

enum { ATOMS = 41, LISTED = 23, FRAMES = 13, DEVICES = 3, SLOTS = 2, NEVER = 1 << 30 };

static struct pot_job job;
static struct trj_group group;
static struct pot_charges charges;
static struct trj_frame frames[FRAMES];
static const struct pot_method *method = &pot_direct_cpu;

// ---- devices

struct simulated {
    char name[24];
    const struct work_batch *batch[SLOTS];
    unsigned slice[SLOTS];
    int begun, begin_fails; // number of the slice at which it fails, or NEVER
    struct pot_cpu_frames cpu;
    int64_t *values[SLOTS]; // [job.values]
    struct pot_slice result[SLOTS];
};

static struct simulated simulated[DEVICES];
static int64_t extra;              // added to point 5 in each frame
static uint64_t reversed = FRAMES; // from this frame on, it is subtracted instead

static int64_t extra_of(uint64_t first, uint64_t end) {
    uint64_t sum = 0;
    for (uint64_t i = first; i < end; i++) sum += i < reversed ? (uint64_t)extra : -(uint64_t)extra;
    return (int64_t)sum;
}

static void *allocate(size_t bytes) {
    return aligned_alloc(64, bytes);
}

static int attach(void *device, struct trj_error *err) {
    (void)device, (void)err;
    return 0;
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *err) {
    struct simulated *d = device;
    if (d->begun++ == d->begin_fails) return trj_fail(err, TRJ_FAILED, "out of memory");
    d->batch[slot] = batch;
    d->slice[slot] = slice;
    return 0;
}

static int end(void *device, unsigned slot, struct work_result *r, struct trj_error *err) {
    struct simulated *d = device;
    const struct work_batch *b = d->batch[slot];
    const int64_t *values;
    if (!d->cpu.state && pot_cpu_frames_open(&d->cpu, &job, method, err)) return -1;
    for (unsigned i = 0; i < b->count; i++) {
        r->bad_frame = i;
        if (!pot_cpu_frames_add(&d->cpu, &b->frames[i], err)) continue;
        pot_cpu_frames_close(&d->cpu);
        return -1;
    }
    if (method->finish(d->cpu.state, &values, err)) return -1;
    memcpy(d->values[slot], values, job.values * sizeof *values);
    d->values[slot][5] += extra_of(b->frames[0].index, b->frames[0].index + b->count);
    size_t first = job.values * d->slice[slot] / b->slices, last = job.values * (d->slice[slot] + 1) / b->slices;
    d->result[slot] = (struct pot_slice){{d->values[slot] + first, first, last - first}, pot_cpu_frames_error(&d->cpu)};
    *r = (struct work_result){.data = &d->result[slot], .began = d->begun - 1, .ended = d->begun};
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
                                           .release = free,
                                           .attach = attach,
                                           .begin = begin,
                                           .end = end,
                                           .joules = joules,
                                           .name = name};

// ---- the job

static char notes[1024];

static void take_note(void *arg, const char *text) {
    (void)arg;
    size_t n = strlen(notes);
    snprintf(notes + n, sizeof notes - n, "%s\n", text);
}

static int lattice_of(const void *owner, const struct trj_frame *f, struct trj_map_lattice *l, struct trj_error *err) {
    const struct pot_job *j = owner;
    return trj_map_lattice_in_cell(l, &j->lattice, j->fractional, &f->cell, err);
}

// Fills a frame with any atoms, of which none is nearer than 0.1 Å to a point.
static void fill(struct trj_frame *f, unsigned number, struct trj_error *err) {
    if (trj_frame_resize(f, ATOMS, err) || trj_frame_resize_members(f, 1, err)) exit(1);
    f->index = number;
    f->unit = number % 2 ? 1 : 10;
    f->members[0] = 0x5bd1e995u * (number + 1);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < ATOMS; i++)
            f->x[k][i] = (float)((floor(9 * uniform() - 2) + 0.1 + 0.8 * uniform()) / f->unit);
}

static void set_up(void) {
    struct trj_error err;
    static uint32_t atoms[LISTED];
    for (unsigned i = 0; i < LISTED; i++) atoms[i] = i + i / 2;
    group = (struct trj_group){.count = LISTED, .atoms = atoms};
    if (pot_charges_open(&charges, &group, true, false, false, &err)) exit(1);
    for (int i = 0; i < LISTED; i++) charges.charge[i] = i % 7 ? 2 * uniform() - 1 : 0;
    for (unsigned i = 0; i < FRAMES; i++) fill(&frames[i], i, &err);
    job = (struct pot_job){.method = POT_DIRECT,
                           .atoms = LISTED,
                           .max_charge = 1,
                           .threads = 1,
                           .lattice = {.n = {6, 5, 9}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                           .values = 6 * 5 * 9,
                           .note = take_note,
                           .group = &group,
                           .stream_atoms = ATOMS,
                           .charges = &charges,
                           .frame_lattice = lattice_of,
                           .frame_lattice_owner = &job};
    if (pot_direct_setup(&job, LISTED, charges.charge, NULL, &err)) exit(1);
    for (int i = 0; i < DEVICES; i++)
        for (int s = 0; s < SLOTS; s++) simulated[i].values[s] = calloc(job.values, sizeof(int64_t));
}

static void reset(void) {
    for (int i = 0; i < DEVICES; i++) {
        pot_cpu_frames_close(&simulated[i].cpu); // its bound is of all frames since it was opened
        simulated[i].begun = 0;
        simulated[i].begin_fails = NEVER;
        snprintf(simulated[i].name, sizeof simulated[i].name, "device %d", i);
    }
    notes[0] = 0;
}

// ---- runs

struct setting {
    unsigned devices, batch, slices;
    unsigned each; // frames between two calls of finish
};

static uint64_t bad_frame; // of the last run
static double bound, frames_by_devices;
static bool failed[DEVICES];

// Adds the frames to the engine cpu. Returns the number of the frame that fails, or FRAMES.
static unsigned expect(unsigned from, unsigned to, int64_t *values, double *error, struct trj_error *err) {
    struct pot_cpu_frames c = {.state = NULL};
    const int64_t *sums;
    unsigned i = from;
    if (pot_cpu_frames_open(&c, &job, method, err)) exit(1);
    while (i < to && !pot_cpu_frames_add(&c, &frames[i], err)) i++;
    if (i == to) {
        if (method->finish(c.state, &sums, err)) exit(1);
        memcpy(values, sums, job.values * sizeof *values);
        values[5] += extra_of(from, to);
        i = FRAMES;
    }
    *error = pot_cpu_frames_error(&c);
    pot_cpu_frames_close(&c);
    return i;
}

static int compare(const int64_t *values, unsigned from, unsigned to, struct trj_error *err) {
    int64_t *expected = calloc(job.values, sizeof *expected);
    struct trj_error ignored;
    double error;
    bool same = expect(from, to, expected, &error, &ignored) == FRAMES &&
                !memcmp(expected, values, job.values * sizeof *values);
    free(expected);
    return same ? 0 : trj_fail(err, TRJ_OK, "frames %u to %u: other values", from, to);
}

static int add_frames(struct pot_pool *pool, const struct setting *s, struct trj_frame *mine, struct trj_error *err) {
    const int64_t *values;
    for (unsigned i = 0, from = 0; i < FRAMES; i++) {
        if (trj_frame_resize(mine, ATOMS, err) || trj_frame_resize_members(mine, 1, err)) return -1;
        trj_frame_copy_head(mine, &frames[i]);
        mine->members[0] = frames[i].members[0];
        for (int k = 0; k < 3; k++) memcpy(mine->x[k], frames[i].x[k], ATOMS * sizeof *mine->x[k]);
        if (work_map_pool_add(pot_pool_map(pool), mine, err)) return -1;
        if ((i + 1) % s->each && i + 1 < FRAMES) continue;
        if (work_map_pool_finish(pot_pool_map(pool), &values, err) || compare(values, from, i + 1, err)) return -1;
        from = i + 1;
    }
    return 0;
}

// Adds all frames. err->status is TRJ_OK if values differ from those of the engine cpu.
static int run(const struct setting *s, struct trj_error *err) {
    struct pot_pool *pool;
    struct trj_engine_stats stats;
    struct trj_frame mine = {.atoms = 0};
    void *devices[DEVICES];
    for (unsigned i = 0; i < s->devices; i++) devices[i] = &simulated[i];
    const struct work_pool_plan plan = {&ops, devices, s->devices, s->batch, 1, s->slices};
    if (pot_pool_open(&pool, &job, method, &plan, err)) return -1;
    int rc = add_frames(pool, s, &mine, err);
    bad_frame = work_map_pool_bad_frame(pot_pool_map(pool));
    bound = pot_pool_error(pool);
    work_map_pool_stats(pot_pool_map(pool), &stats);
    frames_by_devices = 0;
    for (unsigned i = 0; i < stats.device_count; i++) {
        frames_by_devices += stats.devices[i].frames;
        failed[i] = stats.devices[i].failed;
        if (strcmp(stats.devices[i].name, simulated[i].name)) rc = trj_fail(err, TRJ_OK, "wrong name");
    }
    pot_pool_close(pool);
    trj_frame_free(&mine);
    return rc;
}

static bool values_right(const struct setting *s) {
    struct trj_error err;
    if (!run(s, &err)) return true;
    printf("# %u devices, batches of %u, %u slices, finish every %u: %s\n", s->devices, s->batch, s->slices, s->each,
           err.text);
    return false;
}

// ---- tests

static void test_values(void) {
    int64_t *values = calloc(job.values, sizeof *values);
    struct trj_error err;
    double error;
    for (int dynamic = 0; dynamic < 2; dynamic++) {
        bool good = true, same = true;
        group.dynamic = dynamic;
        expect(0, FRAMES, values, &error, &err);
        for (unsigned batch = 1; batch <= 5; batch++)
            for (unsigned slices = 1; slices <= 7; slices += 3) {
                reset();
                good &= values_right(&(struct setting){1 + (batch + slices) % 3, batch, slices, 1 + 2 * batch});
                good &= !notes[0] && fabs(frames_by_devices - FRAMES) < 1e-9;
                same &= bound == error && bad_frame == UINT64_MAX;
            }
        ok(good, "%s group, any batches and slices: the values of the engine cpu", dynamic ? "dynamic" : "static");
        ok(same && error > 0, "the error bound is that of the engine cpu: %g", error);
    }
    free(values);
    static struct pot_method without; // devices use it until they are reset
    without = pot_direct_cpu;
    without.error = NULL;
    method = &without;
    reset();
    ok(values_right(&(struct setting){2, 2, 2, FRAMES}) && isnan(bound), "a method without a bound: NAN");
    method = &pot_direct_cpu;
}

static void test_failures(void) {
    bool good = true, rest = true, fails = true;
    double error;
    struct trj_error err;
    int64_t *values = calloc(job.values, sizeof *values);
    expect(0, FRAMES, values, &error, &err);
    for (int slice = 0; slice < 8; slice++) {
        char fault[32];
        snprintf(fault, sizeof fault, "0:%d", slice);
        setenv("TRJPIPE_FAULT", fault, 1);
        reset();
        simulated[1].begin_fails = slice;
        good &= values_right(&(struct setting){3, 1 + (unsigned)slice % 3, 3, 5}) && bound == error && !failed[2];
        job.cpu_may_finish = true;
        reset();
        simulated[1].begin_fails = 1;
        rest &= values_right(&(struct setting){2, 1 + (unsigned)slice % 3, 2, 7}) && bound == error;
        if (failed[0] && failed[1]) rest &= has_text(notes, "no device is left: engine cpu takes over");
        job.cpu_may_finish = false;
        reset();
        simulated[0].begin_fails = slice;
        fails &= run(&(struct setting){1, 1, 3, 7}, &err) && err.status == TRJ_NO_ENGINE && bad_frame == UINT64_MAX;
    }
    unsetenv("TRJPIPE_FAULT");
    free(values);
    ok(good, "devices fail at any slice: the same values and bound");
    ok(rest, "all devices fail: the engine cpu computes the rest, with the same values and bound");
    ok(fails, "all devices fail, and the engine cpu may not compute the rest: %s", err.text);
}

// Puts an atom on a point in two frames.
static void test_bad_frames(void) {
    bool good = true;
    group.dynamic = false;
    char text[sizeof((struct trj_error *)0)->text] = "";
    int64_t *values = calloc(job.values, sizeof *values);
    for (unsigned i = 0; i < FRAMES; i++) {
        struct trj_error err, expected;
        double error;
        unsigned later = (i + FRAMES) / 2;
        for (int k = 0; k < 3; k++) frames[i].x[k][1] = frames[later].x[k][3] = 0;
        unsigned first = expect(0, FRAMES, values, &error, &expected);
        for (int may = 0; may < 2; may++) {
            job.cpu_may_finish = may;
            reset();
            simulated[0].begin_fails = simulated[1].begin_fails = may ? (int)i : NEVER;
            good &= first == i && run(&(struct setting){2, 1 + i % 4, 3, 6}, &err) && err.status == TRJ_BAD_DATA &&
                    bad_frame == i && !strcmp(err.text, expected.text);
        }
        snprintf(text, sizeof text, "%s", err.text);
        fill(&frames[i], i, &err);
        fill(&frames[later], later, &err);
    }
    job.cpu_may_finish = false;
    free(values);
    ok(good, "an atom on a point in any frame: the first such frame, with the message of the engine cpu: %s", text);
}

static void test_overflow(void) {
    struct trj_error err;
    extra = INT64_C(1) << 60;
    reset();
    ok(values_right(&(struct setting){2, 1, 2, 7}), "sums of up to 7 * 2^60 quanta: right");
    bool good = true;
    for (unsigned batch = 1; batch <= 7; batch++) {
        reset();
        good &= run(&(struct setting){2, batch, 2, FRAMES}, &err) && err.status == TRJ_BAD_DATA &&
                has_text(err.text, "point 5 0 0: the sum of frames exceeds 2^63 quanta") && bad_frame == UINT64_MAX;
    }
    ok(good, "sums of 13 * 2^60 quanta: rejected: %s", err.text);
    extra = -extra;
    reset();
    ok(run(&(struct setting){2, 3, 2, FRAMES}, &err) && err.status == TRJ_BAD_DATA, "sums of -13 * 2^60: rejected");
    extra *= 3;
    reversed = 7;
    for (unsigned batch = 1; batch <= 2; batch++) {
        reset();
        ok(values_right(&(struct setting){3, batch, 2, FRAMES}),
           "batches of %u, a sum that exceeds int64 until other frames are added: right", batch);
    }
    reversed = FRAMES;
    extra = 0;
}

int main(void) {
    unsetenv("TRJPIPE_FAULT");
    set_up();
    test_values();
    test_failures();
    test_bad_frames();
    test_overflow();
    reset();
    for (int i = 0; i < DEVICES; i++)
        for (int s = 0; s < SLOTS; s++) free(simulated[i].values[s]);
    for (int i = 0; i < FRAMES; i++) trj_frame_free(&frames[i]);
    pot_charges_free(&charges);
    return done();
}
