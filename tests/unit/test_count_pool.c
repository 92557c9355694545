// SPDX-License-Identifier: MIT
// Counts on a pool of simulated devices, compared with those of `reference`: any number of devices, batches and slices;
// devices that fail at any slice, and how that is reported; reuse of memory; devices that take over from engine cpu.
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#include "count_pool.h"
#include "engine_handover.h"
#include "memory.h"
#include "record_merger.h"
#include "tap.h"

enum { ATOMS = 97, FRAMES = 11, BINS = 24, PAIRS = 4, DEVICES = 5, SLOTS = 2, MAX_PARTS = 4, NEVER = 1 << 30 };

// ---- the job: a small triclinic cell and an rmax beyond it, so that images of an atom itself count and are subtracted

static uint32_t all[ATOMS], even[ATOMS / 2 + 1], first[7];
static char names[3][6] = {"all", "even", "first"};
static struct trj_group groups[] = {{.name = names[0], .count = ATOMS, .atoms = all},
                                    {.name = names[1], .count = ATOMS / 2 + 1, .atoms = even},
                                    {.name = names[2], .count = 7, .atoms = first}};
static struct rdf_pair pairs[PAIRS] = {{0, 0, 1}, {1, 2, 1}, {0, 1, 1}, {2, 2, 1}};
static struct rdf_job job = {.bins = {0, 9, BINS},
                             .atoms = ATOMS,
                             .group_count = 3,
                             .groups = groups,
                             .pair_count = PAIRS,
                             .pairs = pairs,
                             .threads = 4};
static float coordinates[FRAMES][3][ATOMS];
static uint64_t want[FRAMES][PAIRS * BINS]; // of each frame, by reference
static double *squares;

static uint64_t scramble(uint64_t *state) { // xorshift64*
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 2685821657736338717u >> 20;
}

static double unit_of(uint64_t number) {
    return number % 2 ? 1 : 1.5;
}

static struct trj_cell cell_of(uint64_t number) {
    return (struct trj_cell){{{8 + 0.1 * (double)number, 0, 0}, {2, 9, 0}, {-1, 3, 10}}, 7};
}

static void fill(struct trj_frame *f, unsigned number) {
    struct trj_error err;
    trj_frame_resize(f, ATOMS, &err);
    f->index = number;
    f->unit = unit_of(number);
    f->cell = cell_of(number);
    for (int k = 0; k < 3; k++) memcpy(f->x[k], coordinates[number][k], sizeof coordinates[number][k]);
}

// Returns whether the frame has the values of `fill`.
static bool is_filled(const struct trj_frame *f) {
    if (f->index >= FRAMES || f->unit != unit_of(f->index) || f->cell.periodic != 7) return false;
    const struct trj_cell cell = cell_of(f->index);
    for (int k = 0; k < 3; k++)
        if (memcmp(f->x[k], coordinates[f->index][k], sizeof coordinates[f->index][k])) return false;
    return !memcmp(f->cell.h, cell.h, sizeof cell.h);
}

// Counts an atom with all images of another, which may be itself, as engines do that ignore that groups overlap.
static void count_atoms(const struct trj_frame *f, uint32_t i, uint32_t j, uint64_t *counts) {
    double g[3][3], from[3], to[3], apart[3];
    int low[3], high[3], n[3];
    trj_cell_reciprocal(&f->cell, g);
    rdf_position(f, i, from);
    rdf_position(f, j, to);
    for (int k = 0; k < 3; k++) apart[k] = to[k] - from[k];
    rdf_image_range(g, apart, job.bins.rmax + 1e-9, (const double[3]){0}, low, high);
    for (n[0] = low[0]; n[0] <= high[0]; n[0]++)
        for (n[1] = low[1]; n[1] <= high[1]; n[1]++)
            for (n[2] = low[2]; n[2] <= high[2]; n[2]++) {
                uint64_t bin = rdf_bin_of(&job.bins, squares, rdf_r2(f->cell.h, from, to, n));
                if (bin < BINS) counts[bin]++;
            }
}

// Counts row i of pair p: its atom with those of the second group; in a group with itself, with the atoms after it.
static void count_row(const struct trj_frame *f, size_t p, size_t i, uint64_t *counts) {
    const struct trj_group *rows = &groups[pairs[p].a], *columns = &groups[pairs[p].b];
    for (size_t j = rows == columns ? i + 1 : 0; j < columns->count; j++)
        count_atoms(f, rows->atoms[i], columns->atoms[j], counts);
}

// Of the frames of `fill`, so that the devices do not count the same rows in every run.
static uint64_t row_counts[FRAMES][PAIRS][ATOMS][BINS];

static void set_up(void) {
    uint64_t state = 7;
    struct trj_frame f = {.atoms = 0};
    struct trj_error err;
    void *reference;
    for (uint32_t i = 0; i < ATOMS; i++) all[i] = i;
    for (uint32_t i = 0; i < ATOMS; i += 2) even[i / 2] = i;
    for (uint32_t i = 0; i < 7; i++) first[i] = i;
    for (unsigned n = 0; n < FRAMES; n++)
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < ATOMS; i++) coordinates[n][k][i] = (float)(scramble(&state) % 10000) * 1e-3f;
    squares = rdf_bins_squares(&job.bins, &err);
    if (!squares || rdf_engine_reference.open(&reference, &job, &err)) exit(1);
    for (unsigned n = 0; n < FRAMES; n++) {
        fill(&f, n);
        rdf_engine_reference.add(reference, &f, &err);
        rdf_engine_reference.finish(reference, want[n], &err);
        for (size_t p = 0; p < PAIRS; p++)
            for (size_t i = 0; i < groups[pairs[p].a].count; i++) count_row(&f, p, i, row_counts[n][p][i]);
    }
    rdf_engine_reference.close(reference);
    trj_frame_free(&f);
}

// ---- memory, with a limit

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

// ---- devices

struct fake {
    char name[24];
    uint64_t random; // state of the generator of delays; 0: no delays
    int begin_fails; // number of the slice at which begin fails; NEVER
    bool attach_fails;
    uint64_t order;   // added to the digest
    double busy;      // reported duration of a slice, s; a slice begins every second
    int turn;         // exclusive or with the number of a slice, to report slices in another order
    atomic_int begun; // slices
    int ended;
    unsigned frames[FRAMES];               // frames in the batch of each slice that was begun
    const struct fake *with;               // no slice ends before this device has begun one
    const struct work_batch *batch[SLOTS]; // in flight
    unsigned slice[SLOTS];
    uint64_t counts[SLOTS][MAX_PARTS][PAIRS * BINS];
    struct rdf_slice_counts result[SLOTS];
};

static struct fake fakes[DEVICES];

static void reset_fakes(void) {
    for (unsigned i = 0; i < DEVICES; i++) {
        fakes[i] = (struct fake){.random = i + 1, .begin_fails = NEVER, .busy = 0.5};
        snprintf(fakes[i].name, sizeof fakes[i].name, "fake %u", i);
    }
}

static void delay(struct fake *d) {
    if (d->random) nanosleep(&(struct timespec){.tv_nsec = (long)(scramble(&d->random) % 60000)}, NULL);
}

static int fake_attach(void *device, struct trj_error *err) {
    const struct fake *d = device;
    return d->attach_fails ? trj_fail(err, TRJ_FAILED, "no power") : 0;
}

static int fake_begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice,
                      struct trj_error *err) {
    struct fake *d = device;
    delay(d);
    if (d->begun == d->begin_fails) return trj_fail(err, TRJ_FAILED, "out of memory");
    if (d->batch[slot] || slot != (unsigned)d->begun % SLOTS) return trj_fail(err, TRJ_FAILED, "slot in use");
    d->frames[d->begun++ % FRAMES] = batch->count;
    d->batch[slot] = batch;
    d->slice[slot] = slice;
    return 0;
}

// Counts only at the end, so that a batch that changes while it is in flight gives wrong counts.
static int fake_end(void *device, unsigned slot, struct work_result *r, struct trj_error *err) {
    struct fake *d = device;
    const struct work_batch *b = d->batch[slot];
    if (!b || slot != (unsigned)d->ended % SLOTS) return trj_fail(err, TRJ_FAILED, "slot not in use");
    while (d->with && !d->with->begun) nanosleep(&(struct timespec){.tv_nsec = 10000}, NULL);
    delay(d);
    if (b->parts > MAX_PARTS || b->end[b->parts - 1] != b->count) return trj_fail(err, TRJ_FAILED, "invalid parts");
    memset(d->counts[slot], 0, sizeof d->counts[slot]);
    for (unsigned n = 0, part = 0; n < b->count; n++) {
        const struct trj_frame *f = &b->frames[n];
        const bool filled = is_filled(f);
        if (n == b->end[part]) part++;
        for (size_t p = 0; p < PAIRS; p++) {
            uint64_t *counts = d->counts[slot][part] + p * BINS;
            for (size_t i = d->slice[slot]; i < groups[pairs[p].a].count; i += b->slices)
                if (!filled)
                    count_row(f, p, i, counts);
                else
                    for (size_t k = 0; k < BINS; k++) counts[k] += row_counts[f->index][p][i][k];
        }
    }
    d->result[slot] = (struct rdf_slice_counts){.counts = d->counts[slot][0], .evaluated = 10, .resolved = 1};
    *r = (struct work_result){.data = &d->result[slot],
                              .digest = b->number + d->order,
                              .began = d->ended ^ d->turn,
                              .ended = (d->ended ^ d->turn) + d->busy,
                              .upload = 0.125};
    d->batch[slot] = NULL;
    d->ended++;
    return 0;
}

static double fake_joules(void *device) {
    return device == &fakes[1] ? NAN : 100;
}

static const char *fake_name(void *device) {
    return ((const struct fake *)device)->name;
}

static const struct work_device_ops ops = {.slots = SLOTS,
                                           .allocate = allocate,
                                           .release = release,
                                           .attach = fake_attach,
                                           .begin = fake_begin,
                                           .end = fake_end,
                                           .joules = fake_joules,
                                           .name = fake_name};

// ---- runs

static char notes[4096];
static pthread_t caller;
static bool noted_elsewhere;
static bool copied; // no memory is left for a frame for the caller

static void take_note(void *arg, const char *text) {
    (void)arg;
    size_t n = strlen(notes);
    snprintf(notes + n, sizeof notes - n, "%s\n", text);
    noted_elsewhere |= !pthread_equal(pthread_self(), caller);
}

struct setting {
    unsigned devices, batch, slices;
    unsigned every; // frames between two calls of finish
};

static unsigned parts = 1; // of a batch, at most

// Number of records that frames are merged into, with a cut at the end of each and one finish; 0: no records.
static size_t keep;

static struct rdf_merger merger;

static struct trj_engine_stats stats; // of the last run
static struct trj_device_stats device_stats[DEVICES];

static int open_pool(struct rdf_count_pool **pool, const struct setting *s, struct trj_error *err) {
    void *devices[DEVICES];
    for (unsigned i = 0; i < s->devices; i++) devices[i] = &fakes[i];
    return rdf_count_pool_open(pool, &job,
                               &(struct work_pool_plan){&ops, devices, s->devices, s->batch, parts, s->slices}, err);
}

// The pool as an engine, whose setting is `current`.
static const struct setting *current;

static int open_engine(void **engine, const struct rdf_job *copy, struct trj_error *err) {
    struct rdf_count_pool *pool;
    (void)copy;
    if (open_pool(&pool, current, err)) return -1;
    *engine = pool;
    return 0;
}

static int add_frame(void *pool, struct trj_frame *frame, struct trj_error *err) {
    return rdf_count_pool_add(pool, frame, err);
}

static int end_record(void *pool, uint64_t tag, struct trj_error *err) {
    return rdf_count_pool_end_record(pool, tag, err);
}

static int finish(void *pool, uint64_t *counts, struct trj_error *err) {
    return rdf_count_pool_finish(pool, counts, err);
}

static void get_stats(void *pool, struct trj_engine_stats *s) {
    rdf_count_pool_stats(pool, s);
}

static void close_engine(void *pool) {
    rdf_count_pool_close(pool);
}

static const struct rdf_engine pool_engine = {.kind.name = "pool",
                                              .kind.workers = "devices",
                                              .open = open_engine,
                                              .add = add_frame,
                                              .end_record = end_record,
                                              .finish = finish,
                                              .stats = get_stats,
                                              .close = close_engine};

// Engine cpu, then the pool.
static int open_handover(void **engine, const struct rdf_job *same, struct trj_error *err) {
    return rdf_handover_open(engine, &rdf_engine_cpu, &pool_engine, same, err);
}

static const struct rdf_engine handover_engine = {.open = open_handover,
                                                  .add = rdf_handover_add,
                                                  .end_record = rdf_handover_end_record,
                                                  .finish = rdf_handover_finish,
                                                  .stats = rdf_handover_stats,
                                                  .close = rdf_handover_close};

static const struct rdf_engine *tested = &pool_engine;

// Adds frames [from, to) and calls finish: the counts must be those of reference.
static int count_some(void *state, struct trj_frame *frame, unsigned from, unsigned to, struct trj_error *err) {
    uint64_t sum[PAIRS * BINS] = {0}, got[PAIRS * BINS];
    for (unsigned n = from; n < to; n++) {
        fill(frame, n);
        for (size_t i = 0; i < PAIRS * BINS; i++) sum[i] += want[n][i];
        if (tested->add(state, frame, err)) return -1;
    }
    if (tested->finish(state, got, err)) return -1;
    for (size_t i = 0; i < PAIRS * BINS; i++)
        if (sum[i] != got[i])
            return trj_fail(err, TRJ_OK, "frames %u to %u, pair %zu, bin %zu: %llu, not %llu", from, to, i / BINS,
                            i % BINS, (unsigned long long)got[i], (unsigned long long)sum[i]);
    return 0;
}

// Adds all frames with a cut after each record; records are merged while their batches are in flight.
static int count_records(void *state, struct trj_frame *frame, struct trj_error *err) {
    struct rdf_setup setup = {.bins = job.bins, .pair_count = PAIRS};
    uint64_t rest[PAIRS * BINS];
    rdf_merger_open(&merger, &setup, false);
    merger.max = keep;
    for (unsigned n = 0; n < FRAMES; n++) {
        struct rdf_record *record = rdf_merger_next(&merger, err);
        fill(frame, n);
        if (!record || tested->add(state, frame, err)) return -1;
        record->frames++;
        if (rdf_merger_full(&merger) && tested->end_record(state, rdf_merger_tag(&merger), err)) return -1;
    }
    if (tested->finish(state, rest, err)) return -1;
    if (!rdf_merger_full(&merger)) rdf_merger_deliver(&merger, rdf_merger_tag(&merger), rest);
    for (size_t i = 0; i < merger.count; i++)
        for (size_t k = 0; k < PAIRS * BINS; k++) {
            uint64_t sum = 0;
            for (size_t n = i * merger.each; n < (i + 1) * merger.each && n < FRAMES; n++) sum += want[n][k];
            if (sum != merger.record[i].counts[k])
                return trj_fail(err, TRJ_OK, "record %zu of %zu, pair %zu, bin %zu: %llu, not %llu", i, merger.count,
                                k / BINS, k % BINS, (unsigned long long)merger.record[i].counts[k],
                                (unsigned long long)sum);
        }
    return merger.count > keep / 2 && merger.count <= keep ? 0 : trj_fail(err, TRJ_OK, "%zu records", merger.count);
}

// Returns 0 if all counts are right, the caller has a frame of the pool, and all memory was released. err->status is
// TRJ_OK if a check of the test fails.
static int run(const struct setting *s, struct trj_error *err) {
    void *state;
    struct trj_frame frame = {.atoms = 0};
    current = s;
    notes[0] = 0;
    if (tested->open(&state, &job, err)) return -1;
    int rc = 0;
    if (keep) rc = count_records(state, &frame, err);
    rdf_merger_free(&merger);
    for (unsigned from = 0; !rc && !keep && from < FRAMES; from += s->every)
        rc = count_some(state, &frame, from, from + s->every < FRAMES ? from + s->every : FRAMES, err);
    tested->stats(state, &stats);
    if (stats.devices) memcpy(device_stats, stats.devices, s->devices * sizeof *device_stats);
    bool bounded = (unsigned)allocated <= (s->devices * SLOTS + 1) * s->batch + 1;
    tested->close(state);
    // If no device is left, the caller may have a frame of engine cpu, or its own.
    bool theirs = frame.release == release, ours = allocated == theirs && (theirs == !copied || job.cpu_may_finish);
    if (!rc && ours) fill(&frame, 0); // the frame outlives the pool
    trj_frame_free(&frame);
    for (unsigned i = 0; i < s->devices; i++)
        if (fakes[i].begun != fakes[i].ended) return trj_fail(err, TRJ_OK, "a slot of device %u was not ended", i);
    if (allocated || !bounded || (!rc && !ours)) return trj_fail(err, TRJ_OK, "frames are not reused or released");
    return rc;
}

static bool counts_right(const struct setting *s) {
    struct trj_error err;
    if (!run(s, &err)) return true;
    printf("# %u devices, batches of %u in %u slices, finish every %u, %u parts, %zu records: %s\n", s->devices,
           s->batch, s->slices, s->every, parts, keep, err.text);
    return false;
}

// ---- tests

static void test_counts(void) {
    for (unsigned devices = 1; devices <= DEVICES; devices++) {
        bool good = true;
        for (unsigned batch = 1; batch <= 7; batch++)
            for (unsigned slices = 1; slices <= 9; slices++) {
                reset_fakes();
                good &=
                    counts_right(&(struct setting){devices, batch, slices, 1 + (devices + batch + slices) % FRAMES});
                good &= !notes[0];
            }
        ok(good, "%u devices, batches of 1 to 7, 1 to 9 slices", devices);
    }
    bool good = true;
    for (unsigned every = 1; every <= FRAMES; every++) {
        reset_fakes();
        good &= counts_right(&(struct setting){3, 4, 2, every});
    }
    ok(good, "finish after every k frames");
}

static void test_records(void) {
    for (keep = 2; keep <= 16; keep *= 2) {
        bool good = true;
        for (unsigned devices = 1; devices <= DEVICES; devices += 2)
            for (unsigned batch = 1; batch <= 5; batch++)
                for (unsigned slices = 1; slices <= 5; slices += 2)
                    for (parts = 1; parts <= MAX_PARTS; parts += 2) {
                        reset_fakes();
                        good &= counts_right(&(struct setting){devices, batch, slices, FRAMES});
                    }
        ok(good, "%zu records at most, merged while batches are in flight: the counts of each are exact", keep);
    }
    bool right = true;
    job.cpu_may_finish = true;
    for (unsigned item = 0; item < 8; item++)
        for (keep = 2; keep <= 16; keep *= 2) {
            char fault[32];
            snprintf(fault, sizeof fault, "0:%u,1:%u", item, 2 * item);
            setenv("TRJPIPE_FAULT", fault, 1);
            for (parts = 1; parts <= MAX_PARTS; parts += 3) {
                reset_fakes();
                right &= counts_right(&(struct setting){2, 1 + parts, 2, FRAMES});
            }
        }
    job.cpu_may_finish = false;
    keep = 0;
    parts = 1;
    unsetenv("TRJPIPE_FAULT");
    ok(right, "devices fail between records: records are exact, including those of frames that engine cpu repeats");
}

static void discard(void *arg, uint64_t tag, const uint64_t *counts) {
    (void)arg, (void)tag, (void)counts;
}

// The first batches are as long as possible; later ones divide the frames between two cuts evenly.
// The devices take over at every frame, with finish after every k frames and with records, and then fail or not.
static void test_handover(void) {
    tested = &handover_engine;
    parts = 3;
    job.cpu_may_finish = true;
    for (int fails = 0; fails < 2; fails++) {
        bool counts = true, records = true, noted = true;
        if (fails) setenv("TRJPIPE_FAULT", "0:1,1:2", 1);
        for (unsigned at = 0; at < FRAMES; at++) {
            char frame[32];
            snprintf(frame, sizeof frame, "%u", at);
            setenv("TRJPIPE_HANDOVER", frame, 1);
            for (unsigned batch = 1; batch <= 4; batch++) {
                reset_fakes();
                counts &= counts_right(&(struct setting){2, batch, 2, 1 + (at + batch) % FRAMES});
                noted &= has_text(notes, "engine cpu, then pool, devices 2\n") && stats.before == at && stats.start > 0;
                for (keep = 2; keep <= 8; keep *= 2) {
                    reset_fakes();
                    records &= counts_right(&(struct setting){2, batch, 2, FRAMES});
                }
                keep = 0;
            }
        }
        ok(counts, "devices take over at every frame%s: the counts are exact", fails ? " and fail" : "");
        ok(records, "devices take over at every frame%s: the counts of each record are exact",
           fails ? " and fail" : "");
        ok(noted, "the note and the statistics contain both engines, and the frame");
    }
    unsetenv("TRJPIPE_FAULT");
    unsetenv("TRJPIPE_HANDOVER");
    job.cpu_may_finish = false;
    tested = &pool_engine;
    parts = 1;
}

// Adds all frames with a cut after every second one, in batches of 5 frames and at most `max` parts. Returns whether
// the batches have these numbers of frames.
static bool batches_are(unsigned max, const unsigned *expected, int count) {
    struct rdf_count_pool *pool = NULL;
    struct trj_frame frame = {.atoms = 0};
    struct trj_error err;
    uint64_t rest[PAIRS * BINS];
    reset_fakes();
    parts = max;
    int rc = open_pool(&pool, &(struct setting){1, 5, 1, FRAMES}, &err);
    parts = 1;
    job.deliver = discard;
    for (unsigned n = 0; !rc && n < FRAMES; n++) {
        fill(&frame, n);
        rc = rdf_count_pool_add(pool, &frame, &err) || (n % 2 && rdf_count_pool_end_record(pool, n, &err));
    }
    rc = rc || rdf_count_pool_finish(pool, rest, &err);
    job.deliver = rdf_merger_deliver;
    bool same = !rc && fakes[0].ended == count;
    for (int i = 0; same && i < count; i++) same = fakes[0].frames[i] == expected[i];
    rdf_count_pool_close(pool);
    trj_frame_free(&frame);
    return same;
}

static void test_parts(void) {
    ok(batches_are(4, (const unsigned[]){5, 5, 1}, 3), "batches are filled with frames of several parts");
    ok(batches_are(2, (const unsigned[]){4, 4, 3}, 3), "a batch with the maximum number of parts is sent");
    ok(batches_are(1, (const unsigned[]){2, 2, 2, 2, 2, 1}, 6), "batches of one part are sent at its end");
}

static void test_stats(void) {
    const struct setting s = {2, 2, 3, FRAMES}; // 6 batches, the last of one frame: 18 slices
    reset_fakes();
    fakes[1].busy = 1.5; // intervals overlap
    ok(counts_right(&s), "statistics of a run with right counts");
    double frames = 0;
    uint64_t counted = 0, sum = 0;
    bool good = true;
    for (unsigned i = 0; i < 2; i++) {
        const struct trj_device_stats *d = &device_stats[i];
        double n = fakes[i].ended, kernel = i ? n + 0.5 : 0.5 * n, all_time = i ? n + 0.5 : n - 0.5;
        if (fakes[i].ended == 0) kernel = all_time = 0;
        frames += d->frames;
        counted += d->counted;
        good &= !strcmp(d->name, fakes[i].name) && !d->failed;
        good &= d->evaluated == 10 * (uint64_t)n && d->resolved == (uint64_t)n && d->upload == 0.125 * n;
        good &= d->busy == kernel && d->idle == (all_time > 0 ? 1 - kernel / all_time : 0);
        good &= i ? isnan(d->joules) : d->joules == 0;
    }
    ok(good, "statistics of each device; overlapping intervals count once");
    for (unsigned n = 0; n < FRAMES; n++)
        for (size_t i = 0; i < PAIRS * BINS; i++) sum += want[n][i];
    ok(fabs(frames - FRAMES) < 1e-9 && fakes[0].ended + fakes[1].ended == 18, "frames add up: %g", frames);
    ok(counted > sum, "the sum of counted pairs includes images of atoms themselves"); // which are subtracted later
    ok(stats.workers == 2 && stats.evaluated == 180 && stats.resolved == 18 &&
           stats.times[RDF_PLAN_TIME].seconds == 0 &&
           stats.times[RDF_COUNT_TIME].seconds == device_stats[0].busy + device_stats[1].busy,
       "statistics of all devices are sums");
    reset_fakes();
    fakes[0].turn = 1; // 22 slices, every second of which is reported late
    ok(counts_right(&(struct setting){1, 1, 2, FRAMES}) && device_stats[0].busy == 11 &&
           device_stats[0].idle == 1 - 11 / 21.5,
       "intervals in another order: the busy time is right");
}

static void test_frames(void) {
    const struct setting s = {1, 3, 1, FRAMES};
    struct rdf_count_pool *pool;
    struct trj_frame frame = {.atoms = 0};
    struct trj_error err;
    uint64_t got[PAIRS * BINS];
    reset_fakes();
    open_pool(&pool, &s, &err);
    fill(&frame, 0);
    rdf_count_pool_add(pool, &frame, &err);
    ok(frame.release == release, "the caller gets a frame of the pool");
    fill(&frame, 1);
    float *mine = frame.x[0];
    rdf_count_pool_add(pool, &frame, &err);
    ok(frame.release == release && frame.x[0] != mine, "the caller gets another frame for that one");
    int before = allocated;
    fill(&frame, 2);
    rdf_count_pool_add(pool, &frame, &err);
    rdf_count_pool_finish(pool, got, &err);
    fill(&frame, 3);
    rdf_count_pool_add(pool, &frame, &err);
    ok(allocated == before && frame.capacity >= ATOMS && frame.atoms == ATOMS, "batches are reused");
    rdf_count_pool_close(pool); // a frame is in a batch that was not submitted
    trj_frame_free(&frame);
    ok(allocated == 0, "all memory is released");
}

static void test_one_fault(void) {
    bool good = true;
    unsigned struck = 0;
    for (unsigned device = 0; device < 3; device++)
        for (unsigned item = 0; item < 18; item++) { // 6 batches of 3 slices
            char fault[32];
            snprintf(fault, sizeof fault, "%u:%u", device, item);
            setenv("TRJPIPE_FAULT", fault, 1);
            reset_fakes();
            fakes[device].random = 0; // without delays it gets the most slices
            good &= counts_right(&(struct setting){3, 2, 3, 4});
            bool failed = device_stats[device].failed;
            struck += failed;
            char text[128];
            snprintf(text, sizeof text,
                     "fake %u failed: TRJPIPE_FAULT at slice %u; the other devices take over its work\n", device, item);
            good &= !strcmp(notes, failed ? text : "");
        }
    unsetenv("TRJPIPE_FAULT");
    ok(good, "a device fails at any slice: the others repeat its work");
    printf("# the fault struck in %u runs of 54\n", struck);
}

static void test_two_faults(void) {
    bool good = true;
    for (unsigned a = 0; a < 4; a++)
        for (unsigned b = 0; b < 4; b++) {
            char fault[32];
            snprintf(fault, sizeof fault, "2:%u,0:%u", a, b);
            setenv("TRJPIPE_FAULT", fault, 1);
            reset_fakes();
            good &= counts_right(&(struct setting){3, 1, 4, FRAMES});
            // Of 44 slices, the last device processes those that the others have not completed.
            good &= !device_stats[1].failed && !has_text(notes, "fake 1");
        }
    unsetenv("TRJPIPE_FAULT");
    ok(good, "two devices fail: the third does the rest");
}

static void test_all_faults(void) {
    bool right = true, fails = true;
    for (unsigned item = 0; item < 8; item++) {
        char fault[32];
        struct trj_error err;
        struct setting s = {3, 2, 5, 1 + item % FRAMES}; // at least 30 slices, of which 3 item are done
        snprintf(fault, sizeof fault, "0:%u,1:%u,2:%u", item, item, item);
        setenv("TRJPIPE_FAULT", fault, 1);
        job.cpu_may_finish = true;
        reset_fakes();
        right &= counts_right(&s);
        right &= has_text(notes, "no device is left: engine cpu takes over\n") && stats.evaluated > 30 * item;
        for (unsigned i = 0; i < 3; i++) {
            char text[64];
            snprintf(text, sizeof text, "fake %u failed: TRJPIPE_FAULT at slice %u", i, item);
            const char *at = strstr(notes, text);
            right &= at && !strstr(at + 1, text) && device_stats[i].failed;
        }
        job.cpu_may_finish = false;
        reset_fakes();
        fails &= run(&s, &err) && err.status == TRJ_NO_ENGINE && !has_text(notes, "cpu");
        for (unsigned i = 0; i < 3; i++) fails &= has_text(err.text, fakes[i].name);
        if (!item) printf("# %s\n", err.text);
    }
    unsetenv("TRJPIPE_FAULT");
    ok(right, "all devices fail: engine cpu counts the rest");
    ok(fails, "all devices fail without leave to use engine cpu: the error names all devices");
}

static void test_bad_devices(void) {
    const struct setting s = {3, 2, 3, 5};
    struct trj_error err;
    bool good = true;
    for (int item = 0; item < 12; item++) {
        reset_fakes();
        fakes[1].begin_fails = item;
        good &= counts_right(&s);
        good &= !strcmp(notes, device_stats[1].failed
                                   ? "fake 1 failed: out of memory; the other devices take over its work\n"
                                   : "");
    }
    ok(good, "a device fails to begin any slice: the others repeat its work");
    reset_fakes();
    fakes[0].attach_fails = fakes[2].attach_fails = true;
    ok(counts_right(&s) && device_stats[0].frames == 0 && fabs(device_stats[1].frames - FRAMES) < 1e-9 &&
           isnan(device_stats[0].joules),
       "two devices cannot be attached: the third counts all frames");
    fakes[1].attach_fails = true;
    job.cpu_may_finish = true;
    ok(counts_right(&s) && has_text(notes, " failed: no power\nno device is left"),
       "no device can be attached: engine cpu counts all frames");
    job.cpu_may_finish = false;
    ok(run(&s, &err) && err.status == TRJ_NO_ENGINE, "no device can be attached, without leave to use engine cpu: %s",
       err.text);
}

static void test_memory(void) {
    const struct setting s = {3, 2, 1, 4};
    struct trj_error err;
    bool good = true;
    for (int frames = 3; frames < 16; frames++) { // a batch, and one for the caller
        atomic_store(&allowed, frames);
        reset_fakes();
        good &= counts_right(&s);
    }
    ok(good, "memory for few frames: fewer batches are in flight, and counts are right");
    atomic_store(&allowed, 2);
    copied = true;
    reset_fakes();
    ok(counts_right(&s), "memory for one batch: frames are copied, and counts are right");
    copied = false;
    for (int frames = 0; frames < 2; frames++) {
        atomic_store(&allowed, frames);
        reset_fakes();
        ok(run(&s, &err) && err.status == TRJ_FAILED && has_text(err.text, "out of memory"),
           "memory for less than a batch: %s", err.text);
    }
    atomic_store(&allowed, NEVER);
}

static void test_order(void) {
    struct trj_error err;
    reset_fakes();
    fakes[1].order = 1;
    fakes[0].with = &fakes[1]; // each takes at most two of the seven slices before the other takes one
    fakes[1].with = &fakes[0];
    ok(run(&(struct setting){2, 1, 7, 1}, &err) && err.status == TRJ_FAILED &&
           has_text(err.text, "divided frame 0 differently") && has_text(err.text, "fake 0") &&
           has_text(err.text, "fake 1"),
       "devices that divide a frame differently: rejected: %s", err.text);
}

static void test_fault_text(void) {
    static const char *const bad[] = {"1",
                                      "1:",
                                      ":1",
                                      "a:1",
                                      "1:b",
                                      "0:1,",
                                      ",0:1",
                                      "0:1;1:2",
                                      "3:0",
                                      "0:-1",
                                      "0:1:2",
                                      "0: 1",
                                      "99999999999999999999999999:0"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct trj_error err;
        struct rdf_count_pool *pool;
        setenv("TRJPIPE_FAULT", bad[i], 1);
        ok(open_pool(&pool, &(struct setting){3, 1, 1, 1}, &err) && err.status == TRJ_USAGE,
           "invalid TRJPIPE_FAULT: rejected: %s", err.text);
    }
    setenv("TRJPIPE_FAULT", "", 1);
    reset_fakes();
    ok(counts_right(&(struct setting){3, 1, 1, 3}), "an empty TRJPIPE_FAULT has no effect");
    unsetenv("TRJPIPE_FAULT");
}

int main(void) {
    caller = pthread_self();
    unsetenv("TRJPIPE_FAULT");
    set_up();
    job.note = take_note;
    job.deliver = rdf_merger_deliver;
    job.deliver_arg = &merger;
    test_counts();
    test_records();
    test_handover();
    test_parts();
    test_stats();
    test_frames();
    test_one_fault();
    test_two_faults();
    test_all_faults();
    test_bad_devices();
    test_memory();
    test_order();
    test_fault_text();
    ok(!noted_elsewhere, "notes come from the thread of the caller");
    free(squares);
    return done();
}
