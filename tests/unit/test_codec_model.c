// SPDX-License-Identifier: MIT
// Tests the prediction of coordinates in molecules: which predictors are chosen, that integers are restored, and that
// models that do not fit are rejected.
#include "memory.h"
#include "molecule_model.h"
#include "tap.h"

enum { FRAMES = 12, UNITS = 200, SIZE = 4, ATOMS = UNITS * SIZE + 1, BOX = 3000 };

static struct trj_error err;
static int32_t *from[3], *back[3], *history;
static uint32_t *value;

static double uniform(void) {
    static uint64_t state = 5;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (double)(state >> 11) / 0x1p53;
}

static int32_t wrapped(double x) {
    return (int32_t)(x - BOX * floor(x / BOX));
}

// Makes one atom, then rigid water of four sites that moves slowly in a periodic box, whose border breaks molecules.
static void make_water(void) {
    for (int f = 0; f < FRAMES; f++)
        for (int k = 0; k < 3; k++) from[k][f * ATOMS] = 100 * k + 7 * f;
    for (int m = 0; m < UNITS; m++) {
        double o[3];
        for (int k = 0; k < 3; k++) o[k] = BOX * uniform();
        for (int f = 0; f < FRAMES; f++) {
            double u[3], v[3], uu = 0, uv = 0, vv = 0;
            for (int k = 0; k < 3; k++) {
                o[k] += 40 * (uniform() - 0.5);
                u[k] = uniform() - 0.5;
                v[k] = uniform() - 0.5;
                uu += u[k] * u[k];
                uv += u[k] * v[k];
            }
            for (int k = 0; k < 3; k++) {
                v[k] -= u[k] * uv / uu;
                vv += v[k] * v[k];
            }
            for (int k = 0; k < 3; k++) {
                double a = 58.6 * u[k] / sqrt(uu), b = 75.7 * v[k] / sqrt(vv);
                int32_t *x = from[k] + f * ATOMS + 1 + SIZE * m;
                x[0] = wrapped(o[k]);
                x[1] = wrapped(o[k] + a + b);
                x[2] = wrapped(o[k] + a - b);
                x[3] = wrapped(o[k] + 0.26 * a);
            }
        }
    }
}

// Computes the integers of all frames from the values, which are overwritten.
static bool join(const struct trj_codec_model *m) {
    uint32_t *part = value;
    for (size_t f = 0, frames; f < m->frames; f += frames, part += 3 * frames * m->atoms) {
        frames = trj_codec_part_frames(m, f);
        struct trj_codec_block b = {.frame = f, .frames = frames};
        while (trj_codec_block_next(m, &b)) {
            const int32_t *v = (int32_t *)part + b.first;
            if (trj_codec_block_join(m, &b, part + b.first, history, &err)) return false;
            for (size_t j = 0; j < b.run->size; j++)
                for (size_t k = 0; k < 3; k++)
                    for (size_t i = 0; i < frames; i++)
                        for (size_t u = b.unit; u < b.unit + b.units; u++)
                            back[k][(f + i) * m->atoms + b.run->first + u * b.run->size + j] = *v++;
        }
    }
    return true;
}

static bool split(const struct trj_codec_model *m) {
    uint64_t *sum = trj_alloc(m->column_count, sizeof *sum, "a test", &err);
    bool good = sum && !trj_codec_model_split(m, (const int32_t *const *)from, value, sum, &err);
    free(sum);
    return good;
}

// Splits with a model, and joins with a copy that was stored and read. Returns whether the integers are the same.
static bool restores(const struct trj_codec_model *m) {
    struct trj_codec_model copy;
    struct trj_bytes b = {0};
    trj_codec_model_put(m, &b);
    struct trj_cursor c = {.data = b.data, .size = b.size};
    bool good = split(m) && !trj_codec_model_get(&copy, m->frames, m->atoms, &c, &err) && !trj_cursor_left(&c) &&
                copy.column_count == m->column_count && join(&copy);
    for (int k = 0; good && k < 3; k++) good = !memcmp(from[k], back[k], m->frames * m->atoms * sizeof **from);
    trj_codec_model_free(&copy);
    trj_bytes_free(&b);
    return good;
}

static bool make(struct trj_codec_model *m, const uint32_t *unit, int effort) {
    return !trj_codec_model_make(m, (const int32_t *const *)from, FRAMES, ATOMS, unit, effort, &err);
}

static void check_water(void) {
    static const uint8_t expected[SIZE] = {TRJ_CODEC_ABSOLUTE, TRJ_CODEC_SPHERE, TRJ_CODEC_CIRCLE, TRJ_CODEC_LINEAR};
    uint32_t unit[ATOMS];
    for (uint32_t i = 0; i < ATOMS; i++) unit[i] = (i + 3) / SIZE;
    make_water();
    for (int known = 0; known < 2; known++) {
        struct trj_codec_model m;
        bool good = make(&m, known ? unit : NULL, 9);
        ok(good && m.run_count == 2 && m.run[1].size == SIZE && m.run[1].count == UNITS,
           "molecules %s: runs of one atom and of water", known ? "known" : "unknown");
        for (int j = 0; good && j < SIZE; j++) good = m.predictor[m.run[1].predictor + (size_t)j].mode == expected[j];
        ok(good && m.predictor[m.run[1].predictor].time, "water: oxygen in time, sphere, circle, linear combination");
        ok(restores(&m), "water, effort 9: integers are restored");
        trj_codec_model_free(&m);
    }
    for (size_t part = 1; part < FRAMES; part += part) {
        struct trj_codec_model m;
        bool good = make(&m, unit, 9);
        m.part = part;
        ok(good && restores(&m), "water, parts of %zu frames: integers are restored", part);
        trj_codec_model_free(&m);
    }
    for (int effort = 1; effort < 9; effort++) {
        struct trj_codec_model m;
        ok(make(&m, unit, effort) && restores(&m), "water, effort %d: integers are restored", effort);
        trj_codec_model_free(&m);
    }
}

static void check_extremes(void) {
    bool good = true;
    for (int kind = 0; kind < 4; kind++) {
        struct trj_codec_model m;
        for (int k = 0; k < 3; k++)
            for (size_t i = 0; i < FRAMES * ATOMS; i++) {
                double x = kind == 0   ? 0
                           : kind == 1 ? (2 * uniform() - 1) * (TRJ_CODEC_FARTHEST - 1)
                                       : (double)(i % 97);
                from[k][i] = kind == 3 && i % 500 == 0 ? (i % 1000 ? 1 : -1) * (TRJ_CODEC_FARTHEST - 1) : (int32_t)x;
            }
        good = make(&m, NULL, 9) && restores(&m) && good;
        trj_codec_model_free(&m);
    }
    ok(good, "equal, largest and distant integers are restored");
}

static void check_damaged(void) {
    struct trj_codec_model m, other;
    struct trj_bytes b = {0};
    make_water();
    bool made = make(&m, NULL, 9);
    trj_codec_model_put(&m, &b);
    unsigned rejected = 0;
    for (size_t size = 0; made && size < b.size; size++) {
        struct trj_cursor c = {.data = b.data, .size = size};
        rejected += trj_codec_model_get(&other, FRAMES, ATOMS, &c, &err) && err.status == TRJ_BAD_DATA;
        trj_codec_model_free(&other);
    }
    ok(rejected == b.size, "truncated models are rejected");
    struct trj_cursor c = {.data = b.data, .size = b.size};
    ok(trj_codec_model_get(&other, FRAMES, ATOMS + 1, &c, &err) && err.status == TRJ_BAD_DATA,
       "a model for fewer atoms is rejected");
    trj_codec_model_free(&other);
    made = split(&m);
    value[20] = UINT32_MAX;
    ok(made && !join(&m) && err.status == TRJ_BAD_DATA, "residuals that leave the range are rejected");
    trj_codec_model_free(&m);
    trj_bytes_free(&b);
}

int main(void) {
    size_t n = (size_t)FRAMES * ATOMS;
    for (int k = 0; k < 3; k++) {
        from[k] = trj_alloc(n, sizeof **from, "a test", &err);
        back[k] = trj_alloc(n, sizeof **back, "a test", &err);
        if (!from[k] || !back[k]) return 1;
    }
    value = trj_alloc(3 * n, sizeof *value, "a test", &err);
    history = trj_alloc(3 * n, sizeof *history, "a test", &err);
    if (!value || !history) return 1;
    check_water();
    check_extremes();
    check_damaged();
    for (int k = 0; k < 3; k++) {
        free(from[k]);
        free(back[k]);
    }
    free(value);
    free(history);
    return done();
}
