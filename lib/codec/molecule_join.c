// SPDX-License-Identifier: MIT
// Computes integers from residuals, for decoders. Sums are unsigned, because damaged data may contain any residual. The
// loops have no branches, so that compilers vectorise them.
#include <stdlib.h>
#include <string.h>

#include "entropy.h"
#include "molecule_parts.h"
#include "variants.h"

TRJ_CODEC_INLINE int32_t add(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

TRJ_CODEC_INLINE int32_t add_centred(int32_t a, int32_t b, int32_t range) {
    int32_t half = range / 2, v = add(a, b);
    return v < -half ? add(v, range) : v >= range - half ? add(v, -range) : v;
}

// Returns the integer that differs by d from `from`, within the range. Sets bits of *beyond if it is outside.
TRJ_CODEC_INLINE int32_t move(int32_t from, int32_t d, int32_t low, int32_t range, uint32_t *beyond) {
    int32_t v = add(add(from, -low), d);
    v = v < 0 ? v + range : v >= range ? v - range : v;
    *beyond |= (uint32_t)v >= (uint32_t)range;
    return add(v, low);
}

// The functions below replace the residuals r[n] of one axis by integers, and return whether one is out of range.
TRJ_CODEC_INLINE uint32_t join_absolute(int32_t *restrict r, size_t n, int32_t low, int32_t range) {
    uint32_t beyond = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t v = add(range / 2, r[i]);
        beyond |= (uint32_t)v >= (uint32_t)range;
        r[i] = add(low, v);
    }
    return beyond;
}

TRJ_CODEC_INLINE uint32_t join_relative(int32_t *restrict r, const int32_t *restrict a, size_t n, int32_t low,
                                        int32_t range) {
    uint32_t beyond = 0;
    for (size_t i = 0; i < n; i++) r[i] = move(a[i], r[i], low, range, &beyond);
    return beyond;
}

TRJ_CODEC_INLINE uint32_t join_linear(int32_t *restrict r, const int32_t *a, const int32_t *b, const int32_t *c,
                                      size_t n, const int32_t value[2], int32_t low, int32_t range) {
    uint32_t beyond = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t d = trj_codec_centre(range, b[i] - a[i]), e = trj_codec_centre(range, c[i] - a[i]);
        r[i] = move(a[i], add_centred(r[i], trj_codec_linear(range, value, d, e), range), low, range, &beyond);
    }
    return beyond;
}

// Joins the axes in one loop: each integer depends on the previous one of its axis, so that the processor works on
// three independent sequences at the same time.
TRJ_CODEC_INLINE uint32_t join_chain(const struct trj_codec_model *m, int32_t *r, size_t frames, size_t units) {
    const size_t n = frames * units;
    uint32_t beyond = 0;
    for (size_t f = 0; f < frames; f++, r += units) {
        int32_t last[3];
        for (size_t axis = 0; axis < 3; axis++) last[axis] = m->low[axis] + (int32_t)(m->range[axis] / 2);
        for (size_t i = 0; i < units; i++)
            for (size_t axis = 0; axis < 3; axis++)
                r[axis * n + i] = last[axis] =
                    move(last[axis], r[axis * n + i], m->low[axis], (int32_t)m->range[axis], &beyond);
    }
    return beyond;
}

// The functions below replace residuals r[3][n] by the vector from atom a.
TRJ_CODEC_INLINE void join_spheres(int32_t *restrict r, size_t n, int32_t square) {
    for (size_t i = 0; i < n; i++) {
        int32_t x = r[i], y = r[n + i], v = r[2 * n + i];
        int32_t rest = v / 6 - (v % 6 < 0), code = (int32_t)((uint32_t)v - 6 * (uint32_t)rest), axis = code >> 1;
        uint32_t length = (uint32_t)trj_codec_sphere(square, x, y) + (uint32_t)rest;
        int32_t z = (int32_t)(code & 1 ? 0 - length : length);
        r[i] = trj_codec_pick(axis, z, y, x);
        r[n + i] = trj_codec_pick(axis, x, z, y);
        r[2 * n + i] = trj_codec_pick(axis, y, x, z);
    }
}

TRJ_CODEC_INLINE void join_circles(const struct trj_codec_model *m, int32_t *restrict r, const int32_t *restrict a,
                                   const int32_t *restrict b, size_t n, const int32_t value[2]) {
    const int32_t range[3] = {(int32_t)m->range[0], (int32_t)m->range[1], (int32_t)m->range[2]};
    const int32_t square = value[0], product = value[1];
    const double limit = trj_codec_round_limit();
    for (size_t i = 0; i < n; i++) {
        int32_t d0 = trj_codec_centre(range[0], b[i] - a[i]), d1 = trj_codec_centre(range[1], b[n + i] - a[n + i]),
                d2 = trj_codec_centre(range[2], b[2 * n + i] - a[2 * n + i]);
        int32_t axis = abs(d1) < abs(d0), x = r[i], v = r[2 * n + i], y[2];
        axis = abs(d2) < (axis ? abs(d1) : abs(d0)) ? 2 : axis;
        const int32_t da = trj_codec_pick(axis, d0, d1, d2);
        const int32_t db = trj_codec_pick(axis, d1, d2, d0);
        const int32_t dc = trj_codec_pick(axis, d2, d0, d1);
        trj_codec_circle(square, product, x, da, db, dc, 1 - 2 * (v & 1), limit, y);
        int32_t eb = add(y[0], r[n + i]), ec = add(y[1], v >> 1);
        r[i] = trj_codec_pick(axis, x, ec, eb);
        r[n + i] = trj_codec_pick(axis, eb, x, ec);
        r[2 * n + i] = trj_codec_pick(axis, ec, eb, x);
    }
}

// Adds the residuals of the frame before to those of each frame. history[units] are those of the last frame.
TRJ_CODEC_INLINE void add_history(const struct trj_codec_block *b, int32_t range, int32_t *restrict r,
                                  int32_t *restrict history) {
    const size_t units = b->units;
    if (!b->frame) memcpy(history, r, units * sizeof *r);
    for (size_t f = 0; b->frame && f < b->frames; f++, r += units)
        for (size_t i = 0; i < units; i++) history[i] = r[i] = add_centred(r[i], history[i], range);
}

// Returns whether an integer of these atoms is out of range. Later atoms rely on them.
TRJ_CODEC_INLINE uint32_t join_atoms(const struct trj_codec_model *m, const struct trj_codec_block *b,
                                     const struct trj_codec_predictor *p, int32_t *r, int32_t *history) {
    const size_t n = b->frames * b->units;
    const int32_t *a = r - 3 * n * p->a, *pb = r - 3 * n * p->b, *pc = r - 3 * n * p->c;
    uint32_t beyond = 0;
    for (size_t axis = 0; p->time && axis < 3; axis++)
        add_history(b, (int32_t)m->range[axis], r + axis * n, history + axis * b->units);
    if (p->mode == TRJ_CODEC_CHAIN) return join_chain(m, r, b->frames, b->units);
    if (p->mode == TRJ_CODEC_SPHERE) join_spheres(r, n, p->value[0]);
    if (p->mode == TRJ_CODEC_CIRCLE) join_circles(m, r, a, pb, n, p->value);
    for (size_t axis = 0; axis < 3; axis++) {
        const size_t position = axis * n;
        const int32_t low = m->low[axis], range = (int32_t)m->range[axis];
        if (p->mode == TRJ_CODEC_ABSOLUTE)
            beyond |= join_absolute(r + position, n, low, range);
        else if (p->mode == TRJ_CODEC_LINEAR)
            beyond |= join_linear(r + position, a + position, pb + position, pc + position, n, p->value, low, range);
        else
            beyond |= join_relative(r + position, a + position, n, low, range);
    }
    return beyond;
}

// Returns the atom of a unit that is out of range, or the number of atoms of a unit.
TRJ_CODEC_WIDE
static size_t join_block(const struct trj_codec_model *m, const struct trj_codec_block *b, int32_t *r,
                         int32_t *history) {
    const size_t n = 3 * b->frames * b->units, size = b->run->size;
    const struct trj_codec_predictor *p = &m->predictor[b->run->predictor];
    for (size_t i = 0; i < n * size; i++) r[i] = trj_codec_unfold((uint32_t)r[i]);
    history += 3 * (b->run->first + b->unit * size);
    for (size_t j = 0; j < size; j++, p++, r += n, history += 3 * b->units)
        if (join_atoms(m, b, p, r, history)) return j;
    return size;
}

int trj_codec_block_join(const struct trj_codec_model *m, const struct trj_codec_block *b, uint32_t *value,
                         int32_t *history, struct trj_error *err) {
    size_t bad = join_block(m, b, (int32_t *)value, history);
    if (bad == b->run->size) return 0;
    return trj_fail(err, TRJ_BAD_DATA, "atom %zu of a molecule is outside of the range of the chunk", bad);
}
