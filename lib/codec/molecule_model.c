// SPDX-License-Identifier: MIT
#include "molecule_model.h"

#include <stdlib.h>
#include <string.h>

#include "chunk_parts.h"
#include "memory.h"
#include "molecule_parts.h"
#include "variants.h"

void trj_codec_model_free(struct trj_codec_model *m) {
    free(m->run);
    free(m->predictor);
    free(m->column);
    *m = (struct trj_codec_model){0};
}

int trj_codec_model_lay_out(struct trj_codec_model *m, struct trj_error *err) {
    size_t n = 0;
    if (!(m->column = trj_alloc(6 * m->predictor_count, sizeof *m->column, "columns", err))) return -1;
    for (size_t r = 0; r < m->run_count; r++) {
        const struct trj_codec_run *run = &m->run[r];
        for (size_t j = 0; j < run->size; j++) {
            const struct trj_codec_predictor *p = &m->predictor[run->predictor + j];
            for (size_t axis = 0; axis < 3; axis++) {
                size_t first = m->frames * (3 * (run->first + j * run->count) + axis * run->count);
                size_t head = p->time ? run->count : m->frames * run->count; // the first frame, or all
                m->column[n++] = (struct trj_codec_column){first, head};
                if (p->time) m->column[n++] = (struct trj_codec_column){first + head, (m->frames - 1) * run->count};
            }
        }
    }
    m->column_count = n;
    return 0;
}

static void predict_sphere(const struct trj_codec_predictor *p, const int32_t d[3], int32_t residual[3]) {
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (abs(d[k]) > abs(d[axis])) axis = k;
    int32_t x = d[(axis + 1) % 3], y = d[(axis + 2) % 3];
    int32_t rest = abs(d[axis]) - trj_codec_sphere(p->value[0], x, y);
    residual[0] = x;
    residual[1] = y;
    residual[2] = 6 * rest + 2 * axis + (d[axis] < 0);
}

static void predict_circle(const struct trj_codec_predictor *p, const int32_t d[3], const int32_t e[3],
                           int32_t residual[3]) {
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (abs(d[k]) < abs(d[axis])) axis = k;
    int b = (axis + 1) % 3, c = (axis + 2) % 3;
    int32_t y[2][2], cost[2];
    for (int s = 0; s < 2; s++) {
        trj_codec_circle(p->value, e[axis], d[axis], d[b], d[c], s ? -1 : 1, y[s]);
        cost[s] = abs(e[b] - y[s][0]) + abs(e[c] - y[s][1]);
    }
    int side = cost[1] < cost[0];
    residual[0] = e[axis];
    residual[1] = e[b] - y[side][0];
    residual[2] = 2 * (e[c] - y[side][1]) + side;
}

void trj_codec_predict(const struct trj_codec_model *m, const struct trj_codec_predictor *p, const int32_t *const k[3],
                       size_t at, size_t size, bool first, int32_t residual[3]) {
    int32_t d[3], e[3];
    switch (p->mode) {
    case TRJ_CODEC_CHAIN:
        if (!first) {
            for (int i = 0; i < 3; i++) residual[i] = trj_codec_difference(m, i, k[i], at, at - size);
            return;
        }
        // fall through
    case TRJ_CODEC_ABSOLUTE:
        for (int i = 0; i < 3; i++) residual[i] = k[i][at] - m->low[i] - (int32_t)(m->range[i] / 2);
        return;
    case TRJ_CODEC_RELATIVE:
        for (int i = 0; i < 3; i++) residual[i] = trj_codec_difference(m, i, k[i], at, at - p->a);
        return;
    case TRJ_CODEC_LINEAR:
        for (int i = 0; i < 3; i++) {
            size_t a = at - p->a;
            int32_t to = trj_codec_linear(m, i, p->value, trj_codec_difference(m, i, k[i], at - p->b, a),
                                          trj_codec_difference(m, i, k[i], at - p->c, a));
            residual[i] = trj_codec_centre(m, i, trj_codec_difference(m, i, k[i], at, a) - to);
        }
        return;
    default:
        for (int i = 0; i < 3; i++) e[i] = trj_codec_difference(m, i, k[i], at, at - p->a);
        if (p->mode == TRJ_CODEC_SPHERE) {
            predict_sphere(p, e, residual);
            return;
        }
        for (int i = 0; i < 3; i++) d[i] = trj_codec_difference(m, i, k[i], at - p->b, at - p->a);
        predict_circle(p, d, e, residual);
    }
}

void trj_codec_model_split(const struct trj_codec_model *m, const int32_t *const k[3], int32_t *residual) {
    for (size_t r = 0; r < m->run_count; r++) {
        const struct trj_codec_run *run = &m->run[r];
        size_t values = m->frames * run->count;
        for (size_t j = 0; j < run->size; j++) {
            const struct trj_codec_predictor *p = &m->predictor[run->predictor + j];
            int32_t *to = residual + 3 * m->frames * (run->first + j * run->count);
            for (size_t n = 0, f = 0; f < m->frames; f++)
                for (size_t i = 0; i < run->count; i++, n++) {
                    int32_t v[3];
                    trj_codec_predict(m, p, k, f * m->atoms + run->first + i * run->size + j, run->size, !i, v);
                    for (size_t axis = 0; axis < 3; axis++) to[axis * values + n] = v[axis];
                }
            for (int axis = 0; p->time && axis < 3; axis++, to += values)
                for (size_t n = values; n-- > run->count;)
                    to[n] = trj_codec_centre(m, axis, to[n] - to[n - run->count]);
        }
    }
}

// ---- decoding. Sums are unsigned, because damaged data may contain any residual.

static inline int32_t add(int32_t a, int32_t b) {
    return (int32_t)((uint32_t)a + (uint32_t)b);
}

static inline int32_t add_centred(int32_t a, int32_t b, int32_t range) {
    int32_t half = range / 2, v = add(a, b);
    return v < -half ? v + range : v >= range - half ? add(v, -range) : v;
}

// The values of one atom of the unit: an outer loop over frames and an inner one over units, or, for a single unit, one
// inner loop over frames. `at` is the index of the first value in k. The residuals are contiguous.
struct walk {
    size_t outer, inner, outer_step, inner_step, at;
    const struct trj_codec_model *m;
    const struct trj_codec_predictor *p;
};

// Returns the integer that differs by d from `from`, within the range. Sets bits of *beyond if it is outside.
static inline int32_t move(int32_t from, int32_t d, int32_t low, int32_t range, uint32_t *beyond) {
    int32_t v = add(add(from, -low), d);
    v = v < 0 ? v + range : v >= range ? v - range : v;
    *beyond |= (uint32_t)v >= (uint32_t)range;
    return add(v, low);
}

static inline uint32_t join_relative(const struct walk *w, int axis, const int32_t *residual, int32_t *k) {
    int32_t low = w->m->low[axis], range = (int32_t)w->m->range[axis];
    size_t a = w->p->a;
    uint32_t beyond = 0;
    for (size_t o = 0; o < w->outer; o++) {
        int32_t *to = k + w->at + o * w->outer_step;
        for (size_t i = 0; i < w->inner; i++, to += w->inner_step)
            *to = move(*(to - a), *residual++, low, range, &beyond);
    }
    return beyond;
}

static inline uint32_t join_linear(const struct walk *w, int axis, const int32_t *residual, int32_t *k) {
    int32_t low = w->m->low[axis], range = (int32_t)w->m->range[axis];
    uint32_t beyond = 0;
    for (size_t o = 0; o < w->outer; o++) {
        int32_t *to = k + w->at + o * w->outer_step;
        for (size_t i = 0; i < w->inner; i++, to += w->inner_step) {
            int32_t a = *(to - w->p->a);
            int32_t b = trj_codec_centre(w->m, axis, *(to - w->p->b) - a);
            int32_t c = trj_codec_centre(w->m, axis, *(to - w->p->c) - a);
            int32_t d = add_centred(*residual++, trj_codec_linear(w->m, axis, w->p->value, b, c), range);
            *to = move(a, d, low, range, &beyond);
        }
    }
    return beyond;
}

// Also for `chain`, in which the first unit of each frame is absolute.
static inline uint32_t join_absolute(const struct walk *w, int axis, const int32_t *residual, int32_t *k, bool chain) {
    int32_t low = w->m->low[axis], range = (int32_t)w->m->range[axis], middle = low + range / 2;
    uint32_t beyond = 0;
    for (size_t o = 0; o < w->outer; o++) {
        int32_t *to = k + w->at + o * w->outer_step, last = middle;
        for (size_t i = 0; i < w->inner; i++, to += w->inner_step) {
            *to = chain ? move(last, *residual++, low, range, &beyond) : add(middle, *residual++);
            beyond |= (uint32_t)add(*to, -low) >= (uint32_t)range;
            last = *to;
        }
    }
    return beyond;
}

enum { BLOCK = 256 }; // atoms that are joined together, in loops that compilers vectorise

// For each atom of a block: its residuals, the vector d from atom a to atom b, and the vector e from atom a to the
// atom.
struct block {
    int32_t residual[3][BLOCK], d[3][BLOCK], e[3][BLOCK];
};

static inline void join_spheres(struct block *block, const struct trj_codec_predictor *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int32_t x = block->residual[0][i], y = block->residual[1][i], v = block->residual[2][i];
        int32_t rest = v / 6 - (v % 6 < 0), code = (int32_t)((uint32_t)v - 6 * (uint32_t)rest), axis = code >> 1;
        uint32_t length = (uint32_t)trj_codec_sphere(p->value[0], x, y) + (uint32_t)rest;
        int32_t z = (int32_t)(code & 1 ? 0 - length : length);
        block->e[0][i] = axis == 0 ? z : axis == 1 ? y : x;
        block->e[1][i] = axis == 0 ? x : axis == 1 ? z : y;
        block->e[2][i] = axis == 0 ? y : axis == 1 ? x : z;
    }
}

static inline void join_circles(struct block *block, const struct trj_codec_predictor *p, size_t n) {
    for (size_t i = 0; i < n; i++) {
        int32_t d0 = block->d[0][i], d1 = block->d[1][i], d2 = block->d[2][i], y[2];
        int32_t axis = abs(d1) < abs(d0), v = block->residual[2][i];
        axis = abs(d2) < (axis ? abs(d1) : abs(d0)) ? 2 : axis;
        double da = axis == 0 ? d0 : axis == 1 ? d1 : d2;
        double db = axis == 0 ? d1 : axis == 1 ? d2 : d0;
        double dc = axis == 0 ? d2 : axis == 1 ? d0 : d1;
        int32_t ea = block->residual[0][i];
        trj_codec_circle(p->value, ea, da, db, dc, v & 1 ? -1 : 1, y);
        int32_t eb = add(y[0], block->residual[1][i]), ec = add(y[1], v >> 1);
        block->e[0][i] = axis == 0 ? ea : axis == 1 ? ec : eb;
        block->e[1][i] = axis == 0 ? eb : axis == 1 ? ea : ec;
        block->e[2][i] = axis == 0 ? ec : axis == 1 ? eb : ea;
    }
}

// Joins n atoms, of which the first has index `at` in k. Returns whether an integer is out of range.
TRJ_CODEC_VARIANTS
static uint32_t join_block(const struct walk *w, const int32_t *residual, size_t values, size_t at, size_t n,
                           int32_t *const k[3]) {
    const struct trj_codec_predictor *p = w->p;
    bool sphere = p->mode == TRJ_CODEC_SPHERE;
    struct block block;
    uint32_t beyond = 0;
    for (size_t axis = 0; axis < 3; axis++) {
        // cppcheck-suppress uninitvar ; memcpy sets it
        memcpy(block.residual[axis], residual + axis * values, n * sizeof *residual);
        const int32_t *from = k[axis] + at;
        for (size_t i = 0; !sphere && i < n; i++, from += w->inner_step)
            block.d[axis][i] = trj_codec_centre(w->m, (int)axis, *(from - p->b) - *(from - p->a));
    }
    if (sphere)
        join_spheres(&block, p, n);
    else
        join_circles(&block, p, n);
    for (size_t axis = 0; axis < 3; axis++) {
        int32_t *to = k[axis] + at, low = w->m->low[axis], range = (int32_t)w->m->range[axis];
        for (size_t i = 0; i < n; i++, to += w->inner_step)
            *to = move(*(to - p->a), block.e[axis][i], low, range, &beyond);
    }
    return beyond;
}

static uint32_t join_geometric(const struct walk *w, const int32_t *residual, size_t values, int32_t *const k[3]) {
    uint32_t beyond = 0;
    for (size_t o = 0; o < w->outer; o++)
        for (size_t i = 0, n; i < w->inner; i += n, residual += n) {
            n = w->inner - i < BLOCK ? w->inner - i : BLOCK;
            beyond |= join_block(w, residual, values, w->at + o * w->outer_step + i * w->inner_step, n, k);
        }
    return beyond;
}

// Returns whether the integers are within the range. Later atoms rely on it.
TRJ_CODEC_VARIANTS
static bool join_axis(const struct walk *w, int axis, size_t values, int32_t *residual, int32_t *k) {
    const struct trj_codec_predictor *p = w->p;
    int32_t range = (int32_t)w->m->range[axis];
    size_t count = values / w->m->frames;
    for (size_t n = count; p->time && n < values; n++)
        residual[n] = add_centred(residual[n], residual[n - count], range);
    if (p->mode == TRJ_CODEC_RELATIVE) return !join_relative(w, axis, residual, k);
    if (p->mode == TRJ_CODEC_LINEAR) return !join_linear(w, axis, residual, k);
    return !join_absolute(w, axis, residual, k, p->mode == TRJ_CODEC_CHAIN && count > 1);
}

static bool join_atom(const struct walk *w, size_t values, int32_t *residual, int32_t *const k[3]) {
    if (!trj_codec_may_use_time(w->p->mode)) return !join_geometric(w, residual, values, k);
    for (int axis = 0; axis < 3; axis++, residual += values)
        if (!join_axis(w, axis, values, residual, k[axis])) return false;
    return true;
}

int trj_codec_model_join(const struct trj_codec_model *m, int32_t *residual, int32_t *const k[3],
                         struct trj_error *err) {
    for (size_t r = 0; r < m->run_count; r++) {
        const struct trj_codec_run *run = &m->run[r];
        size_t values = m->frames * run->count;
        for (size_t j = 0; j < run->size; j++) {
            struct walk w = {
                m->frames, run->count, m->atoms, run->size, run->first + j, m, &m->predictor[run->predictor + j]};
            if (run->count == 1) { // one loop over frames
                w.outer = 1;
                w.inner = m->frames;
                w.inner_step = m->atoms;
            }
            if (!join_atom(&w, values, residual + 3 * m->frames * (run->first + j * run->count), k))
                return trj_fail(err, TRJ_BAD_DATA, "atom %zu of a molecule is outside of the range of the chunk", j);
        }
    }
    return 0;
}

// ---- the model as bytes

void trj_codec_put_number(struct trj_bytes *b, uint64_t v) {
    unsigned char bytes[10];
    size_t n = 0;
    for (; v > 127; v >>= 7) bytes[n++] = (unsigned char)(v & 127) | 128;
    bytes[n++] = (unsigned char)v;
    trj_put_raw(b, bytes, n);
}

uint64_t trj_codec_get_number(struct trj_cursor *c) {
    uint64_t v = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (c->failed || c->at >= c->size) break;
        unsigned char byte = c->data[c->at++];
        v |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) return v;
    }
    c->failed = true;
    return 0;
}

static int32_t get_folded(struct trj_cursor *c) {
    uint64_t v = trj_codec_get_number(c);
    if (v > UINT32_MAX) c->failed = true;
    return trj_codec_unfold((uint32_t)v);
}

// Numbers that each mode has: references to atoms, and values.
static const struct {
    unsigned char references, values;
} fields[TRJ_CODEC_MODES] = {{0, 0}, {0, 0}, {1, 0}, {1, 1}, {2, 2}, {3, 2}};

void trj_codec_model_put(const struct trj_codec_model *m, struct trj_bytes *b) {
    for (int i = 0; i < 3; i++) {
        trj_codec_put_number(b, trj_codec_fold(m->low[i]));
        trj_codec_put_number(b, m->range[i]);
    }
    trj_codec_put_number(b, m->run_count);
    for (size_t r = 0; r < m->run_count; r++) {
        const struct trj_codec_run *run = &m->run[r];
        trj_codec_put_number(b, run->size);
        trj_codec_put_number(b, run->count);
        for (size_t j = 0; j < run->size; j++) {
            const struct trj_codec_predictor *p = &m->predictor[run->predictor + j];
            const uint8_t reference[3] = {p->a, p->b, p->c};
            trj_codec_put_number(b, p->mode | (unsigned)p->time << 3);
            for (int i = 0; i < 3 && i < fields[p->mode].references; i++) trj_codec_put_number(b, reference[i]);
            for (int i = 0; i < fields[p->mode].values; i++) trj_codec_put_number(b, trj_codec_fold(p->value[i]));
        }
    }
}

static void get_predictor(struct trj_codec_predictor *p, const struct trj_codec_model *m, size_t atom,
                          struct trj_cursor *c) {
    uint64_t code = trj_codec_get_number(c);
    uint8_t *reference[3] = {&p->a, &p->b, &p->c};
    p->mode = code & 7;
    p->time = code >> 3 & 1;
    bool geometric = !trj_codec_may_use_time(p->mode);
    if (code > 15 || p->mode >= TRJ_CODEC_MODES || (p->time && (geometric || m->frames < 2))) c->failed = true;
    for (int i = 0; geometric && i < 3; i++)
        if (m->range[i] > TRJ_CODEC_GEOMETRIC_RANGE) c->failed = true;
    for (int i = 0; !c->failed && i < 3 && i < fields[p->mode].references; i++) {
        uint64_t back = trj_codec_get_number(c);
        if (!back || back > atom || back > UINT8_MAX) c->failed = true;
        *reference[i] = (uint8_t)back;
    }
    for (int i = 0; !c->failed && i < fields[p->mode].values; i++) p->value[i] = get_folded(c);
}

static int get_run(struct trj_codec_model *m, size_t *predictors, struct trj_cursor *c, struct trj_error *err) {
    struct trj_codec_run *run = &m->run[m->run_count];
    size_t first = m->run_count ? run[-1].first + (size_t)run[-1].size * run[-1].count : 0;
    uint64_t size = trj_codec_get_number(c), count = trj_codec_get_number(c), left = m->atoms - first;
    // Each predictor has at least one byte.
    if (!size || !count || size > left || count > left / size || size > trj_cursor_left(c)) {
        c->failed = true;
        return 0;
    }
    *run = (struct trj_codec_run){(uint32_t)size, (uint32_t)count, first, m->predictor_count};
    if (trj_grow(&m->predictor, predictors, m->predictor_count + size, sizeof *m->predictor, "predictors", err))
        return -1;
    for (size_t j = 0; j < size && !c->failed; j++) {
        struct trj_codec_predictor *p = &m->predictor[m->predictor_count++];
        *p = (struct trj_codec_predictor){0};
        get_predictor(p, m, j, c);
    }
    m->run_count++;
    return 0;
}

int trj_codec_model_get(struct trj_codec_model *m, size_t frames, size_t atoms, struct trj_cursor *c,
                        struct trj_error *err) {
    size_t room = 0, predictors = 0, covered = 0;
    *m = (struct trj_codec_model){.frames = frames, .atoms = atoms};
    for (int i = 0; i < 3; i++) {
        m->low[i] = get_folded(c);
        uint64_t range = trj_codec_get_number(c);
        m->range[i] = (uint32_t)range;
        if (!range || range > 2 * TRJ_CODEC_FARTHEST || m->low[i] < -TRJ_CODEC_FARTHEST ||
            m->low[i] > TRJ_CODEC_FARTHEST)
            c->failed = true;
    }
    uint64_t runs = trj_codec_get_number(c);
    if (!runs || runs > trj_cursor_left(c)) c->failed = true;
    if (!c->failed && trj_grow(&m->run, &room, runs, sizeof *m->run, "runs", err)) return -1;
    for (uint64_t r = 0; r < runs && !c->failed; r++)
        if (get_run(m, &predictors, c, err)) return -1;
    for (size_t r = 0; r < m->run_count; r++) covered += (size_t)m->run[r].size * m->run[r].count;
    if (c->failed || covered != atoms) return trj_fail(err, TRJ_BAD_DATA, "the model of the molecules is damaged");
    return trj_codec_model_lay_out(m, err);
}
