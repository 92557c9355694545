// SPDX-License-Identifier: MIT
// Computes residuals of integers, for encoders.
#include <stdlib.h>
#include <string.h>

#include "entropy.h"
#include "memory.h"
#include "molecule_parts.h"
#include "variants.h"

TRJ_CODEC_INLINE void differences(const int32_t *restrict a, const int32_t *restrict b, size_t n, int32_t range,
                                  int32_t *restrict to) {
    for (size_t i = 0; i < n; i++) to[i] = trj_codec_centre(range, a[i] - b[i]);
}

TRJ_CODEC_INLINE void linear_residuals(const struct trj_codec_predictor *p, const int32_t *restrict k,
                                       const int32_t *restrict a, const int32_t *restrict b, const int32_t *restrict c,
                                       size_t n, int32_t range, int32_t *restrict to) {
    for (size_t i = 0; i < n; i++) {
        int32_t e = trj_codec_centre(range, k[i] - a[i]), d = trj_codec_centre(range, b[i] - a[i]),
                f = trj_codec_centre(range, c[i] - a[i]);
        to[i] = trj_codec_centre(range, e - trj_codec_linear(range, p->value, d, f));
    }
}

// The functions below replace the vectors e[3][n] from atom a by residuals.
TRJ_CODEC_INLINE void sphere_residuals(const struct trj_codec_predictor *p, size_t n, int32_t *restrict e) {
    for (size_t i = 0; i < n; i++) {
        int32_t v0 = e[i], v1 = e[n + i], v2 = e[2 * n + i];
        int32_t axis = abs(v1) > abs(v0), max = axis ? v1 : v0;
        axis = abs(v2) > abs(max) ? 2 : axis;
        max = axis == 2 ? v2 : max;
        int32_t x = trj_codec_pick(axis, v1, v2, v0), y = trj_codec_pick(axis, v2, v0, v1);
        int32_t rest = abs(max) - trj_codec_sphere(p->value[0], x, y);
        e[i] = x;
        e[n + i] = y;
        e[2 * n + i] = 6 * rest + 2 * axis + (max < 0);
    }
}

// b[3][n] and a[3][n] are the places of the atoms a and b.
TRJ_CODEC_INLINE void circle_residuals(const struct trj_codec_model *m, const struct trj_codec_predictor *p,
                                       const int32_t *restrict a, const int32_t *restrict b, size_t n,
                                       int32_t *restrict e) {
    const int32_t range[3] = {(int32_t)m->range[0], (int32_t)m->range[1], (int32_t)m->range[2]};
    const int32_t square = p->value[0], product = p->value[1];
    const double limit = trj_codec_round_limit();
    for (size_t i = 0; i < n; i++) {
        int32_t d0 = trj_codec_centre(range[0], b[i] - a[i]), d1 = trj_codec_centre(range[1], b[n + i] - a[n + i]),
                d2 = trj_codec_centre(range[2], b[2 * n + i] - a[2 * n + i]);
        int32_t v0 = e[i], v1 = e[n + i], v2 = e[2 * n + i];
        int32_t axis = abs(d1) < abs(d0);
        axis = abs(d2) < (axis ? abs(d1) : abs(d0)) ? 2 : axis;
        const int32_t da = trj_codec_pick(axis, d0, d1, d2);
        const int32_t db = trj_codec_pick(axis, d1, d2, d0);
        const int32_t dc = trj_codec_pick(axis, d2, d0, d1);
        int32_t x = axis == 0   ? v0
                    : axis == 1 ? v1
                                : v2,
                y = axis == 0   ? v1
                    : axis == 1 ? v2
                                : v0,
                z = axis == 0   ? v2
                    : axis == 1 ? v0
                                : v1;
        int32_t one[2], other[2];
        trj_codec_circle(square, product, x, da, db, dc, 1, limit, one);
        trj_codec_circle(square, product, x, da, db, dc, -1, limit, other);
        int32_t side = abs(y - other[0]) + abs(z - other[1]) < abs(y - one[0]) + abs(z - one[1]);
        e[i] = x;
        e[n + i] = y - (side ? other[0] : one[0]);
        e[2 * n + i] = 2 * (z - (side ? other[1] : one[1])) + side;
    }
}

TRJ_CODEC_WIDE
static void residuals(const struct trj_codec_model *m, const struct trj_codec_predictor *p, const int32_t *k,
                      const int32_t *a, const int32_t *b, const int32_t *c, size_t n, int32_t *to) {
    for (size_t axis = 0; axis < 3; axis++) {
        const size_t position = axis * n;
        const int32_t range = (int32_t)m->range[axis], middle = m->low[axis] + range / 2;
        if (p->mode == TRJ_CODEC_ABSOLUTE)
            for (size_t i = 0; i < n; i++) to[position + i] = k[position + i] - middle;
        else if (p->mode == TRJ_CODEC_LINEAR)
            linear_residuals(p, k + position, a + position, b + position, c + position, n, range, to + position);
        else
            differences(k + position, a + position, n, range, to + position);
    }
    if (p->mode == TRJ_CODEC_SPHERE) sphere_residuals(p, n, to);
    if (p->mode == TRJ_CODEC_CIRCLE) circle_residuals(m, p, a, b, n, to);
}

// This function has no TRJ_CODEC_WIDE itself, because the variants of an exported function would be exported, too.
void trj_codec_residuals(const struct trj_codec_model *m, const struct trj_codec_predictor *p, const int32_t *k,
                         const int32_t *a, const int32_t *b, const int32_t *c, size_t n, int32_t *residual) {
    residuals(m, p, k, a, b, c, n, residual);
}

// Copies from[units][size] to rows of units that are `step` numbers apart.
TRJ_CODEC_INLINE void transpose(const int32_t *restrict from, size_t units, size_t size, size_t step,
                                int32_t *restrict to) {
    for (size_t i = 0; i < units; i++)
        for (size_t j = 0; j < size; j++) to[j * step + i] = from[i * size + j];
}

// Copies the integers of a block to[size][3][frames][units].
TRJ_CODEC_WIDE
static void gather(const struct trj_codec_model *m, const struct trj_codec_block *b, const int32_t *const k[3],
                   int32_t *to) {
    const size_t size = b->run->size, lanes = b->frames * b->units;
    for (size_t axis = 0; axis < 3; axis++)
        for (size_t f = 0; f < b->frames; f++) {
            const int32_t *from = k[axis] + (b->frame + f) * m->atoms + b->run->first + b->unit * size;
            int32_t *row = to + axis * lanes + f * b->units;
            if (size == 3) // water has three or four sites
                transpose(from, b->units, 3, 3 * lanes, row);
            else if (size == 4)
                transpose(from, b->units, 4, 3 * lanes, row);
            else
                transpose(from, b->units, size, 3 * lanes, row);
        }
}

static void chain_residuals(const struct trj_codec_model *m, const struct trj_codec_block *b, const int32_t *k,
                            int32_t *to) {
    for (size_t axis = 0; axis < 3; axis++)
        for (size_t f = 0; f < b->frames; f++, k += b->units, to += b->units) {
            *to = *k - m->low[axis] - (int32_t)(m->range[axis] / 2);
            differences(k + 1, k, b->units - 1, (int32_t)m->range[axis], to + 1);
        }
}

// Replaces residuals of one axis by their differences to those of the frame before. history[units] are those
// of the last frame.
TRJ_CODEC_WIDE
static void subtract_history(const struct trj_codec_block *b, int32_t range, int32_t *restrict residual,
                             int32_t *restrict history) {
    const size_t units = b->units;
    if (!b->frame) memcpy(history, residual, units * sizeof *residual);
    for (size_t f = 0; b->frame && f < b->frames; f++, residual += units)
        for (size_t i = 0; i < units; i++) {
            int32_t here = residual[i];
            residual[i] = trj_codec_centre(range, here - history[i]);
            history[i] = here;
        }
}

TRJ_CODEC_WIDE
static uint64_t fold(const int32_t *restrict residual, size_t n, uint32_t *restrict value) {
    uint64_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        value[i] = trj_codec_fold(residual[i]);
        sum += (value[i] >> 1) + (value[i] & 1);
    }
    return sum;
}

static void split_block(const struct trj_codec_model *m, const struct trj_codec_block *b, const int32_t *k,
                        int32_t *residual, int32_t *history, uint32_t *value, uint64_t *sum) {
    const size_t lanes = b->frames * b->units;
    history += 3 * (b->run->first + b->unit * b->run->size);
    for (size_t j = 0; j < b->run->size; j++, k += 3 * lanes, value += 3 * lanes, history += 3 * b->units) {
        const struct trj_codec_predictor *p = &m->predictor[b->run->predictor + j];
        if (p->mode == TRJ_CODEC_CHAIN)
            chain_residuals(m, b, k, residual);
        else
            residuals(m, p, k, k - 3 * lanes * p->a, k - 3 * lanes * p->b, k - 3 * lanes * p->c, lanes, residual);
        for (unsigned axis = 0; axis < 3; axis++) {
            int32_t *r = residual + axis * lanes;
            if (p->time) subtract_history(b, (int32_t)m->range[axis], r, history + axis * b->units);
            sum[trj_codec_column(m, b->run->predictor + j, axis, b->frame)] += fold(r, lanes, value + axis * lanes);
        }
    }
}

int trj_codec_model_split(const struct trj_codec_model *m, const int32_t *const k[3], uint32_t *value, uint64_t *sum,
                          struct trj_error *err) {
    size_t values = trj_codec_block_values(m);
    int32_t *gathered = trj_alloc(values, sizeof *gathered, "a chunk", err);
    int32_t *residual = trj_alloc(values, sizeof *residual, "a chunk", err);
    int32_t *history = trj_alloc(3 * m->atoms, sizeof *history, "a chunk", err);
    bool good = gathered && residual && history;
    for (size_t f = 0, frames; good && f < m->frames; f += frames, value += 3 * frames * m->atoms) {
        frames = trj_codec_part_frames(m, f);
        struct trj_codec_block b = {.frame = f, .frames = frames};
        while (trj_codec_block_next(m, &b)) {
            gather(m, &b, k, gathered);
            split_block(m, &b, gathered, residual, history, value + b.first, sum);
        }
    }
    free(gathered);
    free(residual);
    free(history);
    return good ? 0 : -1;
}
