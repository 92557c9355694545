// SPDX-License-Identifier: MIT
// Scores of simulated densities and maps, compared with float64 sums over all atoms and points, in lattices of every
// shape; selections, masks, threads; scores of a map with itself and with a linear function of it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cor_frames.h"
#include "cor_pool.h"
#include "cor_score.h"
#include "frame_stream.h"
#include "tap.h"
#include "uniform.h"

static struct trj_error err;

enum { ATOMS = 40, PARTS = 3, POINTS_MAX = 40 * 40 * 40 };
static float x[3][ATOMS];
static uint32_t element[ATOMS], molecule[ATOMS], all[ATOMS];
static struct trj_group group = {.name = (char[]){"P"}, .count = ATOMS, .atoms = all};
static struct trj_stream_header header = {
    .atoms = ATOMS, .group_count = 1, .groups = &group, .element = element, .molecule = molecule};
static struct trj_frame frame = {.atoms = ATOMS, .unit = 1, .x = {x[0], x[1], x[2]}};
static const double sigma = 1.7;
static uint32_t map_values[POINTS_MAX];
static struct cor_map map = {.name = (char[]){"map"}, .value = map_values, .quantum = 0x1p-20, .offset = -3e8};

// An aligned, a skew and a rotated lattice with different numbers of points.
static const struct trj_map_lattice lattices[] = {
    {.n = {33, 35, 34}, .origin = {-17, -18, -17}, .step = {{1.05, 0, 0}, {0, 1, 0}, {0, 0, 1.1}}},
    {.n = {36, 34, 38}, .origin = {-22, -17, -18}, .step = {{1, 0, 0}, {0.3, 0.95, 0}, {0.1, -0.2, 1.02}}},
    {.n = {20, 40, 17}, .origin = {-4, -12, -10}, .step = {{0, 0.8, 0.6}, {0.9, 0, 0}, {0, -0.6, 0.8}}},
};

static void set_system(const struct trj_map_lattice *l) {
    for (int i = 0; i < ATOMS; i++) {
        static const uint32_t z[] = {6, 6, 7, 8, 16};
        for (int k = 0; k < 3; k++) x[k][i] = (float)(16 * uniform() - 8);
        element[i] = z[i % 5];
        molecule[i] = (uint32_t)(i * PARTS / ATOMS);
        all[i] = (uint32_t)i;
    }
    map.lattice = *l;
    map.points = trj_map_lattice_points(l);
    double sum = 0;
    for (uint64_t p = 0; p < map.points; p++) {
        map_values[p] = (uint32_t)(uniform() * 0x1p30);
        sum += cor_map_value(&map, p);
    }
    map.summary.mean = sum / (double)map.points;
}

// Returns the density at a point of the atoms from `first` to `last`, with the support of gauss.h: `cutoff` sigma
// perpendicular to the planes of the lattice.
static double density_at(const double index[3], const double g[3][3], int first, int last, const struct cor_model *m) {
    double position[3], sum = 0;
    trj_map_lattice_position(&map.lattice, index, position);
    for (int i = first; i < last; i++) {
        double d[3] = {position[0] - (double)x[0][i], position[1] - (double)x[1][i], position[2] - (double)x[2][i]};
        double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        for (unsigned t = 0; t < m->terms; t++) {
            double s = m->sigma[m->kind ? m->kind[(unsigned)i * m->terms + t] : 0];
            bool inside = true;
            for (int k = 0; k < 3; k++) {
                double length = sqrt(g[k][0] * g[k][0] + g[k][1] * g[k][1] + g[k][2] * g[k][2]);
                inside = inside && fabs(g[k][0] * d[0] + g[k][1] * d[1] + g[k][2] * d[2]) <= 5 * s * length;
            }
            if (inside)
                sum += (double)m->weight[(unsigned)i * m->terms + t] * exp(-square / (2 * s * s)) /
                       pow(2 * 3.14159265358979323846 * s * s, 1.5);
        }
    }
    return sum;
}

static double nearest(const double index[3], int first, int last) {
    double position[3], min = INFINITY;
    trj_map_lattice_position(&map.lattice, index, position);
    for (int i = first; i < last; i++) {
        double square = 0;
        for (int k = 0; k < 3; k++) square += pow(position[k] - (double)x[k][i], 2);
        min = fmin(min, square);
    }
    return sqrt(min);
}

// Computes all scores of the atoms from `first` to `last` by their definitions.
static void brute_force(double *score, uint64_t *n, const struct cor_mask *mask, const struct cor_model *m, bool whole,
                        int first, int last) {
    static double a[POINTS_MAX], b[POINTS_MAX];
    double g[3][3], mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0, caa = 0, cbb = 0, cab = 0, msd = 0;
    double positive_a = 0, positive_b = 0, entropy = 0;
    uint64_t count = 0, point = 0;
    trj_map_lattice_inverse(&map.lattice, g);
    for (uint64_t k = 0; k < map.lattice.n[2]; k++)
        for (uint64_t j = 0; j < map.lattice.n[1]; j++)
            for (uint64_t i = 0; i < map.lattice.n[0]; i++, point++) {
                const double index[3] = {(double)i, (double)j, (double)k};
                double y = cor_map_value(&map, point), own = density_at(index, g, first, last, m);
                if (y <= mask->level) continue;
                if (mask->fraction >= 0 && own <= mask->fraction * m->height) continue;
                if (mask->radius > 0 && nearest(index, first, last) > mask->radius) continue;
                a[count] = whole ? density_at(index, g, 0, ATOMS, m) : own;
                b[count++] = y;
            }
    for (uint64_t i = 0; i < count; i++) {
        mean_a += a[i] / (double)count;
        mean_b += b[i] / (double)count;
        if (a[i] > 0 && b[i] > 0) positive_a += a[i], positive_b += b[i];
    }
    for (uint64_t i = 0; i < count; i++) {
        aa += a[i] * a[i];
        bb += b[i] * b[i];
        ab += a[i] * b[i];
        caa += (a[i] - mean_a) * (a[i] - mean_a);
        cbb += (b[i] - mean_b) * (b[i] - mean_b);
        cab += (a[i] - mean_a) * (b[i] - mean_b);
        msd += (a[i] - b[i]) * (a[i] - b[i]) / (double)count;
        if (a[i] > 0 && b[i] > 0) entropy += b[i] / positive_b * log(b[i] / positive_b / (a[i] / positive_a));
    }
    *n = count;
    score[cor_score_find("pearson")] = cab / sqrt(caa * cbb);
    score[cor_score_find("zero")] = ab / sqrt(aa * bb);
    score[cor_score_find("overlap")] = ab;
    score[cor_score_find("inner")] = ab / (double)count;
    score[cor_score_find("msd")] = msd;
    score[cor_score_find("residual")] = (cbb - cab * cab / caa) / (double)count;
    score[cor_score_find("re")] = entropy;
}

struct setting {
    const char *mask, *amplitude;
    bool divided, whole;
};

// Compares the sums of all parts with brute force, and those of several threads with those of one, number by number.
static void compare(const struct setting *s, size_t lattice) {
    const struct trj_text_list texts = {.texts = (const char *[]){s->mask}, .count = 1};
    struct cor_mask mask = {.file = NULL};
    struct cor_model model = {.terms = 0};
    struct cor_selections parts = {.count = 0};
    struct cor_sums sums[2][PARTS];
    double worst = 0, correlation = 0, quantum = 0;
    bool numbers = true;
    if (cor_mask_parse(&mask, &texts, &err) || cor_mask_apply(&mask, &map, &err) ||
        cor_model_open(&model, &header, &group, s->amplitude, sigma, &err) ||
        cor_selections_open(&parts, &header, &model, s->divided ? "molecule" : NULL, &err)) {
        ok(false, "%s", err.text);
        return;
    }
    for (unsigned k = 0; k < 2; k++) {
        struct cor_frames_setup setup = {.map = &map,
                                         .mask = &mask,
                                         .model = &model,
                                         .selections = &parts,
                                         .divided = s->divided,
                                         .whole = s->whole,
                                         .entropy = true,
                                         .threads = k ? 3 : 1};
        struct cor_frames *frames;
        if (!ok(!cor_frames_open(&frames, &setup, &err) && !cor_frames_add(frames, &frame, sums[k], &err),
                "lattice %zu, %s, %s: sums", lattice, s->mask, s->amplitude))
            return;
        cor_frames_quantum(&model, &quantum, &err);
        cor_frames_close(frames);
    }
    ok(!memcmp(sums[0], sums[1], parts.count * sizeof *sums[0]), "three threads: the same sums as one thread");
    const struct cor_scale scale = {.x = quantum, .y = map.quantum, .y_offset = map.offset};
    for (int p = 0; p < (int)parts.count; p++) {
        int first = 0, last = ATOMS;
        if (s->divided) {
            first = ATOMS;
            last = 0;
            for (int i = 0; i < ATOMS; i++)
                if ((int)molecule[i] == p) first = i < first ? i : first, last = i + 1;
        }
        double expected[16];
        uint64_t n;
        brute_force(expected, &n, &mask, &model, s->whole, first, last);
        numbers = numbers && n == sums[0][p].n && n > 10;
        for (size_t i = 0; cor_scores[i].name; i++) {
            double error = fabs(cor_score(i, &sums[0][p], &scale) - expected[i]);
            // Without a local mask, the relative entropy also uses points whose density is a quantum or less.
            if (i == cor_score_find("re") && !cor_mask_is_local(&mask)) continue;
            if (i == cor_score_find("pearson")) correlation = fmax(correlation, error);
            worst = fmax(worst, error / fmax(1e-3, fabs(expected[i])));
        }
    }
    ok(numbers, "the number of points in the mask: as by brute force");
    // Densities have relative errors of about 5e-7 (gauss.h), which differ from point to point; they average out less
    // in masks of few points.
    ok(correlation < (cor_mask_is_local(&mask) ? 1e-6 : 1e-7), "correlation: as by brute force, error %.2g",
       correlation);
    ok(worst < 2e-5, "all scores: as by brute force, relative error %.2g", worst);
    cor_mask_free(&mask);
    cor_selections_free(&parts);
    cor_model_free(&model);
}

static void test_scores(void) {
    static const struct setting settings[] = {
        {"all", "Z", false, false},           {"level:-100", "mass", false, false},
        {"simulated:0.3", "Z", false, false}, {"radius:3.3", "1", false, false},
        {"all", "electron", false, false},    {"all", "Z", true, false},
        {"level:-100", "Z", true, false},     {"simulated:0.3", "Z", true, false},
        {"simulated:0.3", "Z", true, true},   {"radius:3.3", "mass", true, false},
        {"radius:3.3", "Z", true, true},      {"simulated:0.3", "electron", true, true},
    };
    for (size_t l = 0; l < sizeof lattices / sizeof *lattices; l++) {
        set_system(&lattices[l]);
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) compare(&settings[i], l);
    }
}

// Adds n points one by one and in rows; the sums must be equal. Some x do not fit into 32 bits.
static void test_sums(void) {
    enum { N = 3000 };
    static int64_t p[N], own[N];
    static uint32_t q[N];
    static unsigned char mask[N];
    struct cor_sums expected = {0};
    static struct cor_adder a = {.entropy = false};
    for (int i = 0; i < N; i++) {
        p[i] = (int64_t)(uniform() * (i > 2000 ? 0x1p42 : 0x1p32)) - (i > 2500 ? (int64_t)1 << 40 : 0);
        own[i] = (int64_t)(uniform() * 100);
        q[i] = (uint32_t)(uniform() * 0x1p32);
        mask[i] = uniform() < 0.7;
        if (!mask[i] || own[i] <= 30) continue;
        expected.n++;
        expected.x += p[i];
        expected.y += q[i];
        expected.xx += (cor_wide)p[i] * p[i];
        expected.yy += (cor_wide)q[i] * q[i];
        expected.xy += (cor_wide)p[i] * q[i];
    }
    for (size_t at = 0, n = 1; at < N; at += n, n = n * 2 + 1)
        cor_adder_row(&a, &(struct cor_row){.n = at + n < N ? n : N - at,
                                            .x = p + at,
                                            .y = q + at,
                                            .mask = mask + at,
                                            .own = own + at,
                                            .above = 30});
    cor_adder_flush(&a);
    ok(!memcmp(&a.sums, &expected, sizeof expected) && !a.overflow,
       "rows of any length: the same sums as point by point");
    p[0] = (int64_t)1 << 43;
    cor_adder_row(&a, &(struct cor_row){.n = 1, .x = p, .y = q});
    ok(a.overflow, "a value of 2^43 quanta: an overflow is reported");
}

// Scores of two lists of integers.
static double score_of(const char *name, const int64_t *p, const uint32_t *q, size_t n, const struct cor_scale *scale) {
    static struct cor_adder a;
    cor_adder_reset(&a);
    cor_adder_row(&a, &(struct cor_row){.n = n, .x = p, .y = q});
    cor_adder_flush(&a);
    return cor_score(cor_score_find(name), &a.sums, scale);
}

static void test_identities(void) {
    enum { N = 5000 };
    static int64_t p[N], scaled[N];
    static uint32_t q[N];
    const struct cor_scale scale = {1, 0, 1, 0}, shifted = {0x1p-3, 12345, 0x1p-3, 12345};
    bool exact = true;
    for (int round = 0; round < 20; round++) {
        double size = pow(2, 12 + round);
        for (int i = 0; i < N; i++) p[i] = q[i] = (uint32_t)(uniform() * size);
        exact = exact && score_of("pearson", p, q, N, &scale) == 1 && score_of("zero", p, q, N, &shifted) == 1 &&
                score_of("msd", p, q, N, &shifted) == 0 && score_of("residual", p, q, N, &scale) == 0;
    }
    ok(exact, "a map and itself: a correlation of exactly 1, and differences of exactly 0");
    for (int i = 0; i < N; i++) {
        p[i] = (int64_t)(uniform() * 1e6);
        q[i] = (uint32_t)(uniform() * 1e6 + (double)p[i]);
        scaled[i] = 3 * p[i] + 1000000007;
    }
    double cc = score_of("pearson", p, q, N, &scale);
    ok(cc > 0.5 && fabs(score_of("pearson", scaled, q, N, &scale) - cc) < 1e-15,
       "a linear function of a map: the same correlation");
    for (int i = 0; i < N; i++) scaled[i] = 2000000000 - p[i];
    ok(fabs(score_of("pearson", scaled, q, N, &scale) + cc) < 1e-15, "a negative factor: the opposite correlation");
    for (int i = 0; i < N; i++) p[i] = 7;
    ok(isnan(score_of("pearson", p, q, N, &scale)), "constant values: the correlation is NaN");
    ok(isnan(score_of("pearson", p, q, 0, &scale)), "no points: the correlation is NaN");
}

// ---- a pool of simulated devices, each of which computes batches on the CPU

enum { DEVICES = 2, FRAMES = 23, BATCH = 3 };

struct device {
    struct cor_frames *frames;
    struct cor_sums sums[BATCH][PARTS];
    bool overflow[BATCH];
    struct cor_slice slice;
    bool overflows; // in the second frame of each batch
};

static void *allocate(size_t bytes) {
    return aligned_alloc(64, (bytes + 63) / 64 * 64);
}

static int attach(void *device, struct trj_error *why) {
    (void)device, (void)why;
    return 0;
}

static int begin(void *device, unsigned slot, const struct work_batch *batch, unsigned slice, struct trj_error *why) {
    struct device *d = device;
    (void)slot, (void)slice;
    for (unsigned i = 0; i < batch->count; i++) {
        if (cor_frames_add(d->frames, &batch->frames[i], d->sums[i], why)) return -1;
        d->overflow[i] = d->overflows && i == 1;
    }
    d->slice = (struct cor_slice){d->sums[0], d->overflow};
    return 0;
}

static int end(void *device, unsigned slot, struct work_result *result, struct trj_error *why) {
    (void)slot, (void)why;
    result->data = &((struct device *)device)->slice;
    return 0;
}

static double joules(void *device) {
    (void)device;
    return NAN;
}

static const char *name(void *device) {
    (void)device;
    return "device";
}

static const struct work_device_ops ops = {1, allocate, free, attach, begin, end, joules, name};

struct taken {
    unsigned count;
    bool ordered;
    struct cor_sums sums[FRAMES][PARTS];
    char note[400];
};

static int take(void *owner, uint64_t index, double time, const struct cor_sums *sums, struct trj_error *why) {
    struct taken *t = owner;
    (void)why;
    t->ordered = t->ordered && index == t->count && time == 10 * (double)index;
    memcpy(t->sums[t->count++], sums, sizeof *t->sums);
    return 0;
}

static void keep_note(void *owner, const char *text) {
    struct taken *t = owner;
    snprintf(t->note, sizeof t->note, "%s", text);
}

// Adds frames in which the atoms move.
static int add_frames(int (*add)(void *state, struct trj_frame *f, struct trj_error *why), void *state) {
    int rc = 0;
    for (int i = 0; i < FRAMES && !rc; i++) {
        struct trj_frame f = {.index = 0};
        if (trj_frame_resize(&f, ATOMS, &err)) abort();
        f.unit = 1;
        f.index = (uint64_t)i;
        f.time = 10 * i;
        for (int k = 0; k < 3; k++)
            for (int a = 0; a < ATOMS; a++) f.x[k][a] = x[k][a] + 0.2F * (float)i;
        rc = add(state, &f, &err);
        trj_frame_free(&f);
    }
    return rc;
}

static int fail_to_take(void *owner, uint64_t index, double time, const struct cor_sums *sums, struct trj_error *why) {
    (void)owner, (void)time, (void)sums;
    return index < 2 ? 0 : trj_fail(why, TRJ_FAILED, "no space");
}

static int add_to_cpu(void *state, struct trj_frame *f, struct trj_error *why) {
    return cor_engine_cpu.add(state, f, why);
}

static int add_to_pool(void *state, struct trj_frame *f, struct trj_error *why) {
    return cor_pool_add(state, f, why);
}

static uint64_t bad_frame; // of the last pool

static struct work_resources resources = {.threads = 1, .note = keep_note};

// Adds all frames to a pool, and finishes it.
static int run_pool(struct cor_job *job, struct taken *t, bool overflows) {
    static struct device device[DEVICES];
    void *devices[DEVICES];
    struct cor_pool *pool;
    const struct work_pool_plan plan = {&ops, devices, DEVICES, BATCH, 1, 1};
    *t = (struct taken){.ordered = true};
    job->owner = resources.note_arg = t;
    for (int i = 0; i < DEVICES; i++) {
        device[i].overflows = overflows;
        if (cor_frames_open(&device[i].frames, &job->frames, &err)) abort();
        devices[i] = &device[i];
    }
    int rc = cor_pool_open(&pool, job, &resources, &plan, &err);
    if (rc) abort();
    rc = add_frames(add_to_pool, pool) || cor_pool_finish(pool, &err) ? -1 : 0;
    bad_frame = cor_pool_bad_frame(pool);
    cor_pool_close(pool);
    for (int i = 0; i < DEVICES; i++) cor_frames_close(device[i].frames);
    return rc;
}

static void test_pool(void) {
    static struct taken expected, t;
    struct cor_mask mask = {.file = NULL};
    struct cor_model model = {.terms = 0};
    struct cor_selections parts = {.count = 0};
    const struct trj_text_list texts = {.texts = (const char *[]){"simulated:0.1"}, .count = 1};
    void *cpu;
    set_system(&lattices[0]);
    if (cor_mask_parse(&mask, &texts, &err) || cor_mask_apply(&mask, &map, &err) ||
        cor_model_open(&model, &header, &group, "Z", sigma, &err) ||
        cor_selections_open(&parts, &header, &model, "molecule", &err))
        abort();
    struct cor_job job = {
        .frames = {.map = &map, .mask = &mask, .model = &model, .selections = &parts, .divided = true, .threads = 1},
        .atoms = ATOMS,
        .take = take,
        .owner = &expected};
    expected.ordered = true;
    if (cor_engine_cpu.open(&cpu, &job, &resources, &err) || add_frames(add_to_cpu, cpu) ||
        cor_engine_cpu.finish(cpu, NULL, &err))
        abort();
    cor_engine_cpu.close(cpu);
    ok(expected.count == FRAMES && expected.ordered, "engine cpu: the sums of all frames, in their order");
    static const struct {
        const char *fault, *what;
    } cases[] = {{"", "two devices"},
                 {"1:0", "a device fails at its first batch"},
                 {"0:0,1:2", "all devices fail, and the CPU takes over"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        setenv("TRJPIPE_FAULT", cases[i].fault, 1);
        resources.cpu_may_finish = true;
        int rc = run_pool(&job, &t, false);
        ok(!rc && t.count == FRAMES && t.ordered && !memcmp(t.sums, expected.sums, sizeof t.sums),
           "%s: the sums of the engine cpu, in the order of the frames", cases[i].what);
    }
    ok(strstr(t.note, "engine cpu takes over") != NULL, "a note reports that the CPU takes over");
    resources.cpu_may_finish = false;
    ok(run_pool(&job, &t, false) == -1 && err.status == TRJ_NO_ENGINE,
       "all devices fail, and the CPU may not take over: the status is TRJ_NO_ENGINE");
    unsetenv("TRJPIPE_FAULT");
    ok(run_pool(&job, &t, true) == -1 && t.count == 1 && bad_frame == 1 &&
           !strncmp(err.text, "the simulated density exceeds", 29),
       "sums that overflow: an error of this frame");
    job.take = fail_to_take;
    ok(run_pool(&job, &t, false) == -1 && !strcmp(err.text, "no space") && bad_frame == UINT64_MAX,
       "sums that cannot be written: an error of no frame");
    cor_mask_free(&mask);
    cor_selections_free(&parts);
    cor_model_free(&model);
}

int main(void) {
    test_sums();
    test_identities();
    test_scores();
    test_pool();
    return done();
}
