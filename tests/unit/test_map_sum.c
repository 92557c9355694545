// SPDX-License-Identifier: MIT
// Sums of maps: they are exact and equal in every order, also in temporary files; standard errors agree with the
// formula; overflows are rejected.
#define _DEFAULT_SOURCE // NOLINT(bugprone-reserved-identifier,cert-*): MAP_ANONYMOUS
#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "map_store.h"
#include "map_sum.h"
#include "tap.h"
#include "uniform.h"

static struct trj_error err;

enum { RECORDS = 12, POINTS = 7 * 5 * 9 };
static const uint64_t N[3] = {7, 5, 9};

static struct trj_map map_of(enum trj_map_kind kind) {
    return (struct trj_map){.lattice = {.n = {7, 5, 9}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                            .kind = kind,
                            .components = 1,
                            .quantum = kind == TRJ_MAP_QUANTA ? 0x1p-8 : 0};
}

static uint64_t values[RECORDS][POINTS];
static double weight[RECORDS];

// Fills values with numbers of about this size, the last ones near 0, and of both signs if the kind allows it.
static void fill(enum trj_map_kind kind, double size) {
    for (int r = 0; r < RECORDS; r++)
        for (int p = 0; p < POINTS; p++) {
            double v = p % 11 ? uniform() * size : floor(uniform() * 3);
            values[r][p] = kind == TRJ_MAP_QUANTA ? (uint64_t)(int64_t)(v - (p % 11 ? size / 2 : 1)) : (uint64_t)v;
        }
}

static struct trj_map_sum *sum_of(const struct trj_map *m, const int *order, int records, uint64_t block,
                                  uint64_t memory, uint64_t portion) {
    const struct trj_map_sum_setup setup = {.errors = true, .block = block, .memory = memory};
    struct trj_map_sum *s;
    if (trj_map_sum_open(&s, m, &setup, &err)) abort();
    for (int k = 0; k < records; k++) {
        int r = order ? order[k] : k;
        struct trj_grid_record record = {.frames = 0};
        if (trj_grid_record_add_frame(&record, 0, (uint64_t)r, weight[r], &err) || trj_map_sum_begin(s, &record, &err))
            abort();
        for (uint64_t z = 0, some; z < N[2]; z += some) {
            some = N[2] - z < portion ? N[2] - z : portion;
            if (trj_map_sum_add(s, values[r] + z * N[0] * N[1], some, &err)) abort();
        }
        trj_grid_record_free(&record);
    }
    return s;
}

static double real(const struct trj_map *m, uint64_t bits) {
    return m->kind == TRJ_MAP_QUANTA ? (double)(int64_t)bits * m->quantum : (double)bits;
}

// Computes the standard error of point p by the formula, with deviations from the mean, in long double.
static long double error_of(const struct trj_map *m, int p, int records, int block) {
    long double total = 0, sum = 0, squares = 0, shares = 0, s[RECORDS] = {0}, w[RECORDS] = {0};
    for (int r = 0; r < records; r++) {
        s[r / block] += real(m, values[r][p]);
        w[r / block] += weight[r];
    }
    for (int b = 0; b * block < records; b++) {
        total += w[b];
        sum += s[b];
    }
    for (int b = 0; b * block < records; b++) {
        long double share = w[b] / total, d = share * (s[b] / w[b] - sum / total);
        squares += d * d;
        shares += share * share;
    }
    return sqrtl(squares / (1 - shares));
}

static void test_errors(enum trj_map_kind kind, double size, bool weights, int block, uint64_t memory) {
    struct trj_map m = map_of(kind);
    double plane[35], worst = 0, worst_mean = 0;
    struct trj_map_blocks blocks;
    fill(kind, size);
    for (int r = 0; r < RECORDS; r++) weight[r] = weights ? 0.1 + uniform() : 1;
    struct trj_map_sum *s = sum_of(&m, NULL, RECORDS - 1, (uint64_t)block, memory, 2);
    bool finished = !trj_map_sum_finish_errors(s, &blocks, &err);
    for (uint64_t k = 0; k < N[2]; k++) {
        trj_map_sum_means(s, k, plane);
        for (int i = 0; i < 35; i++) {
            long double sum = 0, all = 0;
            for (int r = 0; r < RECORDS - 1; r++) {
                sum += real(&m, values[r][k * 35 + (uint64_t)i]);
                all += weight[r];
            }
            worst_mean = fmax(worst_mean, fabs((double)((plane[i] - sum / all) / (fabsl(sum / all) + 1e-3L))));
        }
        trj_map_sum_errors(s, k, plane);
        for (int i = 0; i < 35; i++) {
            long double want = error_of(&m, (int)k * 35 + i, RECORDS - 1, block);
            worst = fmax(worst, fabs((double)((plane[i] - want) / (want + 1e-12L))));
        }
    }
    ok(finished && blocks.count == (uint64_t)((RECORDS - 2) / block + 1) && worst_mean < 1e-13 &&
           worst < (weights ? 1e-8 : 1e-13),
       "kind %d, values up to %g, %s, blocks of %d, %" PRIu64 " bytes: means %g, errors %g", kind, size,
       weights ? "weights" : "no weights", block, memory, worst_mean, worst);
    trj_map_sum_close(s);
}

static void test_order(void) {
    static const int order[RECORDS] = {5, 0, 11, 3, 7, 1, 2, 10, 4, 9, 6, 8};
    struct trj_map m = map_of(TRJ_MAP_QUANTA);
    double a[35], b[35];
    struct trj_map_blocks blocks;
    fill(TRJ_MAP_QUANTA, 0x1p50);
    for (int r = 0; r < RECORDS; r++) weight[r] = 0.1 + uniform();
    struct trj_map_sum *s = sum_of(&m, NULL, RECORDS, 1, 0, 9), *t = sum_of(&m, order, RECORDS, 1, 1, 1);
    bool same = !trj_map_sum_finish_errors(s, &blocks, &err) && !trj_map_sum_finish_errors(t, &blocks, &err);
    for (uint64_t k = 0; k < N[2]; k++) {
        same = same && !memcmp(trj_map_sum_plane(s, k), trj_map_sum_plane(t, k), sizeof a);
        trj_map_sum_means(s, k, a);
        trj_map_sum_means(t, k, b);
        same = same && !memcmp(a, b, sizeof a);
        trj_map_sum_errors(s, k, a);
        trj_map_sum_errors(t, k, b);
        same = same && !memcmp(a, b, sizeof a);
    }
    ok(same, "another order, in a temporary file: the same bytes of sums, means and errors");
    trj_map_sum_close(s);
    trj_map_sum_close(t);
}

// ---- blocks that are chosen

enum { SERIES_POINTS = 5 * 5, FRAMES = 1000, RUNS = 30 };

// Moves a series on by a frame: values of standard deviation 100, of which a frame keeps the share `persistence`.
static void next_frame(double *x, double persistence) {
    for (int p = 0; p < SERIES_POINTS; p++) {
        double normal = -6;
        for (int i = 0; i < 12; i++) normal += uniform();
        x[p] = persistence * x[p] + sqrt(1 - persistence * persistence) * 100 * normal;
    }
}

// Adds the frames of a series, in records of the length that the sum requests, or of `fixed` frames.
static struct trj_map_sum *sum_of_series(const struct trj_map *m, double persistence, int frames, uint64_t fixed,
                                         uint64_t block) {
    const struct trj_map_sum_setup setup = {.errors = true, .block = block};
    struct trj_map_sum *s;
    double x[SERIES_POINTS] = {0};
    if (trj_map_sum_open(&s, m, &setup, &err)) abort();
    for (int i = 0; persistence > 0 && i < 200; i++) next_frame(x, persistence);
    for (int frame = 0; frame < frames;) {
        struct trj_grid_record record = {.frames = 0};
        uint64_t sum[SERIES_POINTS] = {0}, length = fixed ? fixed : trj_map_sum_frames_of_part(s);
        for (uint64_t i = 0; i < length && frame < frames; i++, frame++) {
            next_frame(x, persistence);
            for (int p = 0; p < SERIES_POINTS; p++) sum[p] += (uint64_t)(int64_t)x[p];
            if (trj_grid_record_add_frame(&record, 0, (uint64_t)frame, 1, &err)) abort();
        }
        if (trj_map_sum_begin(s, &record, &err) || trj_map_sum_add(s, sum, 1, &err)) abort();
        trj_grid_record_free(&record);
    }
    return s;
}

// The standard errors of correlated frames are compared with the exact one of a recursive filter of this persistence.
static void test_series(double persistence, uint64_t fixed, double least) {
    struct trj_map m = {.lattice = {.n = {5, 5, 1}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                        .kind = TRJ_MAP_QUANTA,
                        .components = 1,
                        .quantum = 1};
    double plane[SERIES_POINTS], square = 0, exact = 1, n = 0;
    int few = 0;
    for (int k = 1; k < FRAMES; k++) exact += 2 * (1 - (double)k / FRAMES) * pow(persistence, k);
    exact = 100 * sqrt(exact / FRAMES);
    for (int run = 0; run < RUNS; run++) {
        struct trj_map_sum *s = sum_of_series(&m, persistence, FRAMES, fixed, 0);
        struct trj_map_blocks b;
        if (trj_map_sum_finish_errors(s, &b, &err)) abort();
        trj_map_sum_errors(s, 0, plane);
        for (int p = 0; p < SERIES_POINTS; p++) square += plane[p] * plane[p] / (SERIES_POINTS * RUNS);
        few += !b.independent || b.too_few;
        n += b.number / RUNS;
        trj_map_sum_close(s);
    }
    ok(sqrt(square) / exact > least && sqrt(square) / exact < 1.1 && few < RUNS / 2,
       "persistence %g, records of %s: standard errors %.3f of the true ones, from %.3g independent blocks, %d of %d "
       "without",
       persistence, fixed ? "fixed length" : "the requested length", sqrt(square) / exact, n, few, RUNS);
}

static void test_chosen_blocks(void) {
    struct trj_map m = {.lattice = {.n = {5, 5, 1}, .step = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
                        .kind = TRJ_MAP_QUANTA,
                        .components = 1,
                        .quantum = 1};
    double a[SERIES_POINTS], b[SERIES_POINTS];
    struct trj_map_blocks chosen, given;
    char text[TRJ_MAP_BLOCKS_TEXT];
    uint64_t seed = uniform_state;
    struct trj_map_sum *s = sum_of_series(&m, 0.5, 31, 1, 0);
    bool good = !trj_map_sum_finish_errors(s, &chosen, &err) && chosen.count < 31;
    trj_map_sum_errors(s, 0, a);
    trj_map_sum_close(s);
    uniform_state = seed;
    uint64_t block = (31 + chosen.count - 1) / chosen.count;
    s = sum_of_series(&m, 0.5, 31, 1, block);
    good = good && !trj_map_sum_finish_errors(s, &given, &err) && given.count == chosen.count;
    trj_map_sum_errors(s, 0, b);
    trj_map_sum_close(s);
    ok(good && chosen.frames == block && !memcmp(a, b, sizeof a),
       "blocks that are chosen: the errors of blocks of this length, %d records", (int)block);
    s = sum_of_series(&m, 0.9, 6, 1, 0);
    good = !trj_map_sum_finish_errors(s, &chosen, &err) && chosen.too_few;
    trj_map_blocks_text(text, &chosen);
    ok(good && has_text(text, "6 blocks of up to 1 frame; too few frames"), "few records: %s", text);
    trj_map_sum_close(s);
}

// Adds two values to a sum; returns whether the second addition is accepted.
static bool accepts(enum trj_map_kind kind, uint64_t first, uint64_t second) {
    struct trj_map m = map_of(kind);
    memset(values, 0, sizeof values);
    values[0][100] = first;
    values[1][100] = second;
    struct trj_map_sum *s = sum_of(&m, NULL, 1, 1, 0, 9);
    struct trj_grid_record record = {.frames = 0};
    bool good = !trj_grid_record_add_frame(&record, 0, 1, 1, &err) && !trj_map_sum_begin(s, &record, &err) &&
                !trj_map_sum_add(s, values[1], 9, &err);
    trj_grid_record_free(&record);
    trj_map_sum_close(s);
    return good;
}

static void test_bounds(void) {
    const uint64_t max = INT64_MAX, min = (uint64_t)INT64_MIN;
    weight[0] = 1;
    ok(accepts(TRJ_MAP_COUNTS, UINT64_MAX - 1, 1), "counts: a sum of 2^64 - 1");
    ok(!accepts(TRJ_MAP_COUNTS, UINT64_MAX, 1) && has_text(err.text, "point 2, 4, 2") && has_text(err.text, "2^64") &&
           err.status == TRJ_BAD_DATA,
       "counts: a sum of 2^64: %s", err.text);
    ok(accepts(TRJ_MAP_QUANTA, max - 1, 1), "quanta: a sum of 2^63 - 1");
    ok(!accepts(TRJ_MAP_QUANTA, max, 1) && has_text(err.text, "2^63 quanta"), "quanta: a sum of 2^63");
    ok(accepts(TRJ_MAP_QUANTA, min + 1, UINT64_MAX), "quanta: a sum of -2^63");
    ok(!accepts(TRJ_MAP_QUANTA, min, UINT64_MAX), "quanta: a sum of -2^63 - 1");
    // The largest squares.
    struct trj_map m = map_of(TRJ_MAP_COUNTS);
    double plane[35];
    struct trj_map_blocks blocks;
    weight[1] = 1;
    memset(values, 0, sizeof values);
    values[0][0] = UINT64_MAX;
    struct trj_map_sum *s = sum_of(&m, NULL, 2, 1, 0, 9);
    bool good = !trj_map_sum_finish_errors(s, &blocks, &err);
    trj_map_sum_errors(s, 0, plane);
    ok(good && fabs(plane[0] / 0x1p63 - 1) < 1e-15 && plane[1] == 0, "the largest count, and none: error %g", plane[0]);
    trj_map_sum_close(s);
}

static void test_rejected(void) {
    struct trj_map m = map_of(TRJ_MAP_FLOAT64);
    struct trj_map_sum_setup setup = {.errors = false};
    struct trj_grid_record mean = {.frames = 3}, frame = {.frames = 0};
    struct trj_map_sum *s;
    struct trj_map_blocks blocks;
    static double zeros[POINTS], plane[35];
    if (trj_grid_record_add_frame(&frame, 0, 1, 1, &err) || trj_map_sum_open(&s, &m, &setup, &err)) abort();
    ok(trj_map_sum_begin(s, &mean, &err) && has_text(err.text, "is not a sum over frames"), "a mean: %s", err.text);
    trj_map_sum_close(s);
    if (trj_map_sum_open(&s, &m, &setup, &err)) abort();
    zeros[3] = 0.25;
    bool one = !trj_map_sum_begin(s, &frame, &err) && !trj_map_sum_add(s, zeros, 9, &err);
    trj_map_sum_means(s, 0, plane);
    ok(one && plane[3] == 0.25, "one record of float64: its mean");
    ok(trj_map_sum_begin(s, &frame, &err) && has_text(err.text, "depends on the order"), "two: %s", err.text);
    trj_map_sum_close(s);
    m = map_of(TRJ_MAP_COUNTS);
    weight[0] = 1;
    s = sum_of(&m, NULL, 1, 1, 0, 9);
    ok(trj_map_sum_finish_errors(s, &blocks, &err) && has_text(err.text, "at least 2 frames, found 1"), "one frame: %s",
       err.text);
    trj_map_sum_close(s);
    weight[0] = 1e-5;
    setup.errors = true;
    setup.block = 1;
    struct trj_grid_record light = {.frames = 0};
    if (trj_grid_record_add_frame(&light, 0, 1, 1e-5, &err) || trj_map_sum_open(&s, &m, &setup, &err)) abort();
    ok(trj_map_sum_begin(s, &light, &err) && has_text(err.text, "weight 1e-05"), "a small weight: %s", err.text);
    trj_map_sum_close(s);
    trj_grid_record_free(&light);
    trj_grid_record_free(&frame);
}

static void test_too_large(void) {
    struct trj_map_store s;
    for (int bits = 55; bits < 64; bits += 8)
        ok(trj_map_store_open(&s, (uint64_t)1 << bits, 0, &err) && has_text(err.text, "requires a temporary file"),
           "a map that is larger than any disk: %s", err.text);
    trj_map_store_close(&s);
}

static void test_release(void) {
    const struct trj_map_store none = {0};
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char *memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) abort();
    *memory = 7;
    trj_map_store_release(&none, (uint64_t)(uintptr_t)memory, page);
    ok(*memory == 7, "a store that is not open releases no memory");
    munmap(memory, page);
}

int main(void) {
    test_errors(TRJ_MAP_COUNTS, 1000, false, 1, 0);
    test_errors(TRJ_MAP_COUNTS, 0x1p58, false, 3, 0);
    test_errors(TRJ_MAP_QUANTA, 1e6, false, 4, 1);
    test_errors(TRJ_MAP_QUANTA, 0x1p59, false, 1, 1000);
    test_errors(TRJ_MAP_QUANTA, 0x1p40, true, 1, 0);
    test_errors(TRJ_MAP_COUNTS, 1e5, true, 2, 0);
    test_order();
    test_bounds();
    test_rejected();
    test_too_large();
    test_release();
    test_series(0, 0, 0.95);
    test_series(0.967, 0, 0.85); // a correlation time of 30 frames
    test_series(0.967, 1, 0.85);
    test_chosen_blocks();
    return done();
}
