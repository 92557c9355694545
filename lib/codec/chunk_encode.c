// SPDX-License-Identifier: MIT
// Encodes chunks of frames (schemas/compressed_frames.md).
#include <stdlib.h>

#include "chunk_parts.h"
#include "memory.h"

struct encoder {
    const struct trj_codec_frames *in;
    struct trj_lattice lattice;
    size_t lattice_atoms;
    trj_point *point; // [1 + frames][atoms], the first of zeros
    struct trj_codec_plan plan;
    struct trj_ranges ranges, all; // of the atoms on the lattice, and of the others
    int32_t low[3], high[3];       // of the former
    uint32_t *value;               // [3 frames atoms]
    uint16_t *model;               // their models
    size_t values;
    struct trj_bytes exceptions;
    uint32_t exception_count;
};

static uint32_t magnitude_of(int32_t v) {
    return v < 0 ? 0 - (uint32_t)v : (uint32_t)v;
}

static void code_linear(struct trj_coded_atom *c, const struct trj_program *p, const struct trj_history *h,
                        const struct trj_ranges *r, size_t i) {
    trj_point from;
    trj_predict(p, h, r, i, from);
    for (int k = 0; k < 3; k++) {
        c->model[k] = (unsigned)k;
        c->value[k] = trj_codec_fold(trj_apart(r, k, h->now[i][k], from[k]));
    }
}

static void code_sphere(struct trj_coded_atom *c, const struct trj_program *p, const int32_t *a, const int32_t *x,
                        const struct trj_ranges *r) {
    const struct trj_sphere sphere = {p->square[0], 1 / sqrt((double)p->square[0])};
    int32_t d[3], magnitude;
    for (int k = 0; k < 3; k++) d[k] = trj_apart(r, k, x[k], a[k]);
    c->model[0] = 0;
    c->value[0] = trj_codec_fold(d[0]);
    c->model[1] = 1 + trj_sphere_second(&sphere, d[0]);
    c->value[1] = trj_codec_fold(d[1]);
    c->model[2] = 1 + TRJ_LEVELS + trj_sphere_third(&sphere, d[0], d[1], &magnitude);
    c->value[2] = trj_codec_fold((int32_t)(magnitude_of(d[2]) - (uint32_t)magnitude)) << 1 | (d[2] < 0);
}

static void code_circle(struct trj_coded_atom *c, const struct trj_program *p, const int32_t *a, const int32_t *b,
                        const int32_t *x, const struct trj_ranges *r) {
    struct trj_circle circle;
    int32_t d[3], solution[2][2];
    uint32_t distance[2];
    trj_circle_begin(&circle, r, a, b, p->square, 1 / sqrt((double)p->square[0]));
    for (int k = 0; k < 3; k++) d[k] = trj_apart(r, circle.axis[k], x[circle.axis[k]], a[circle.axis[k]]);
    c->model[0] = circle.level;
    c->value[0] = trj_codec_fold(trj_sub(d[0], circle.centre));
    c->model[1] = c->model[2] = TRJ_LEVELS + trj_circle_solve(&circle, d[0], solution);
    for (int s = 0; s < 2; s++)
        distance[s] = magnitude_of(trj_sub(d[1], solution[s][0])) / 2 + magnitude_of(trj_sub(d[2], solution[s][1])) / 2;
    unsigned nearer = distance[1] < distance[0];
    c->value[1] = trj_codec_fold(trj_sub(d[1], solution[nearer][0])) << 1 | nearer;
    c->value[2] = trj_codec_fold(trj_sub(d[2], solution[nearer][1]));
}

void trj_codec_code_atom(struct trj_coded_atom *c, const struct trj_program *p, const struct trj_history *h,
                         const struct trj_ranges *ranges, size_t i) {
    const int32_t *a = trj_atom(h->now, i, p->a);
    if (p->mode == TRJ_MODE_LINEAR)
        code_linear(c, p, h, ranges, i);
    else if (p->mode == TRJ_MODE_SPHERE)
        code_sphere(c, p, a, h->now[i], ranges);
    else
        code_circle(c, p, a, trj_atom(h->now, i, p->b), h->now[i], ranges);
}

static void put_atom(struct encoder *e, const struct trj_program *p, const struct trj_history *h, size_t i) {
    struct trj_coded_atom c;
    trj_codec_code_atom(&c, p, h, i < e->lattice_atoms ? &e->ranges : &e->all, i);
    for (unsigned k = 0; k < 3; k++) {
        e->value[e->values] = c.value[k];
        e->model[e->values++] = (uint16_t)(p->model + c.model[k]);
    }
}

static void put_frame(struct encoder *e, size_t frame) {
    const struct trj_history h = trj_history_of((const trj_point *)e->point, e->in->atoms, frame);
    const struct trj_codec_plan *plan = &e->plan;
    size_t i = 0;
    for (size_t r = 0; r < plan->runs; r++) {
        const struct trj_codec_kind *kind = &plan->kind[plan->run[r].kind];
        for (size_t m = 0; m < plan->run[r].units; m++)
            for (size_t k = 0; k < kind->slots; k++, i++)
                put_atom(e, &plan->program[plan->slot[kind->first + k].program[frame > 0]], &h, i);
    }
}

static void put_number(struct trj_bytes *b, uint32_t v) {
    for (;; v >>= 7) {
        const unsigned char byte = (unsigned char)(v < 128 ? v : 128 | (v & 127));
        trj_put_raw(b, &byte, 1);
        if (v < 128) return;
    }
}

static void put_plan(struct trj_bytes *b, const struct trj_codec_plan *plan) {
    trj_put_u32(b, (uint32_t)plan->programs);
    for (size_t i = 0; i < plan->programs; i++) {
        const struct trj_program *p = &plan->program[i];
        unsigned char head[2] = {(unsigned char)(p->mode | p->moves << 2), 0};
        for (int k = 0; k < TRJ_WEIGHTS; k++)
            if (p->weight[k]) head[1] |= (unsigned char)(1 << k);
        trj_put_raw(b, head, 2);
        put_number(b, p->model);
        put_number(b, p->a);
        put_number(b, p->b);
        put_number(b, p->c);
        for (int k = 0; k < TRJ_WEIGHTS; k++) {
            const unsigned char w[2] = {(unsigned char)p->weight[k], (unsigned char)((uint16_t)p->weight[k] >> 8)};
            if (p->weight[k]) trj_put_raw(b, w, 2);
        }
        for (unsigned k = 0; k < p->mode; k++) put_number(b, p->square[k]);
    }
    trj_put_u32(b, (uint32_t)plan->kinds);
    for (size_t i = 0; i < plan->kinds; i++) {
        trj_put_u32(b, (uint32_t)plan->kind[i].slots);
        for (size_t k = 0; k < plan->kind[i].slots; k++)
            for (int later = 0; later < 2; later++) put_number(b, plan->slot[plan->kind[i].first + k].program[later]);
    }
    trj_put_u32(b, (uint32_t)plan->runs);
    for (size_t i = 0; i < plan->runs; i++) {
        trj_put_u32(b, plan->run[i].kind);
        trj_put_u32(b, (uint32_t)plan->run[i].units);
    }
}

static int put_values(struct encoder *e, struct trj_bytes *b, struct trj_error *err) {
    size_t models = e->plan.models;
    uint32_t(*count)[TRJ_CODEC_SYMBOLS] = trj_alloc(models, sizeof *count, "a chunk", err);
    if (!count) return -1;
    trj_put_u32(b, (uint32_t)models);
    trj_codec_entropy_count(e->value, e->values, e->model, e->values, count);
    int rc = trj_codec_entropy_encode(b, e->value, e->values, e->model, e->values, count, (unsigned)models, err);
    free(count);
    return rc;
}

static void find_lattice(struct encoder *e) {
    enum { SAMPLE = 4096 };
    float x[SAMPLE];
    const struct trj_codec_frames *in = e->in;
    size_t n = in->atoms - in->computed, all = 3 * n * in->frames, count = all < SAMPLE ? all : SAMPLE;
    for (size_t i = 0; i < count; i++) {
        size_t j = (size_t)((double)i * ((double)all / (double)count)), column = j / n;
        x[i] = in->x[column * in->atoms + j % n];
    }
    e->lattice = trj_lattice_find(x, count, in->step);
    e->lattice_atoms = n && e->lattice.kind != TRJ_LATTICE_NONE ? n : 0;
}

// Computes the integers of all frames. Returns the number of floats that are not on the lattice.
static size_t take_integers(struct encoder *e) {
    static const struct trj_lattice numbers = {TRJ_LATTICE_NONE, 1, 1, 1};
    const struct trj_codec_frames *in = e->in;
    size_t wrong = 0, n = e->lattice_atoms;
    for (int k = 0; k < 3; k++) {
        e->low[k] = n ? INT32_MAX : 0;
        e->high[k] = n ? INT32_MIN : 0;
    }
    for (size_t f = 0; f < in->frames; f++)
        for (size_t k = 0; k < 3; k++) {
            const float *x = in->x + (3 * f + k) * in->atoms;
            int32_t *v = &e->point[(1 + f) * in->atoms][k];
            wrong += trj_lattice_integers(&e->lattice, x, n, 4, v);
            for (size_t i = 0; i < n; i++) {
                if (v[4 * i] < e->low[k]) e->low[k] = v[4 * i];
                if (v[4 * i] > e->high[k]) e->high[k] = v[4 * i];
            }
            trj_lattice_integers(&numbers, x + n, in->atoms - n, 4, v + 4 * n);
        }
    return wrong;
}

static void put_exceptions(struct encoder *e) {
    const struct trj_codec_frames *in = e->in;
    for (size_t f = 0; f < in->frames; f++)
        for (size_t k = 0; k < 3; k++) {
            size_t column = (3 * f + k) * in->atoms;
            for (size_t i = 0; i < e->lattice_atoms; i++) {
                int32_t again;
                if (!trj_lattice_integers(&e->lattice, in->x + column + i, 1, 1, &again)) continue;
                trj_put_u64(&e->exceptions, column + i);
                trj_put_f32s(&e->exceptions, in->x + column + i, 1);
                e->exception_count++;
            }
        }
}

static int encode(struct encoder *e, struct trj_bytes *out, int level, struct trj_error *err) {
    const struct trj_codec_frames *in = e->in;
    size_t n = in->frames * in->atoms;
    if (!(e->point = trj_alloc(n + in->atoms, sizeof *e->point, "a chunk", err)) ||
        !(e->value = trj_alloc(3 * n, sizeof *e->value, "a chunk", err)) ||
        !(e->model = trj_alloc(3 * n, sizeof *e->model, "a chunk", err)))
        return -1;
    find_lattice(e);
    size_t wrong = take_integers(e);
    if (wrong > 3 * n / 64) { // the sample was not typical
        e->lattice = (struct trj_lattice){TRJ_LATTICE_NONE, 1, 1, 1};
        e->lattice_atoms = wrong = 0;
        take_integers(e);
    }
    if (wrong) put_exceptions(e);
    int32_t size[3], none[3] = {0};
    for (int k = 0; k < 3; k++) size[k] = e->high[k] - e->low[k] + 1;
    trj_ranges_set(&e->ranges, e->low, size);
    trj_ranges_set(&e->all, none, none);
    if (trj_codec_plan(&e->plan, in, (const trj_point *)e->point, e->lattice_atoms ? &e->ranges : &e->all,
                       e->lattice_atoms, level, err))
        return -1;
    for (size_t f = 0; f < in->frames; f++) put_frame(e, f);
    trj_put_u32(out, e->lattice.kind);
    trj_put_f32s(out, &e->lattice.step, 1);
    trj_put_f32s(out, &e->lattice.factor, 1);
    trj_put_f64(out, e->lattice.divisor);
    trj_put_u32(out, (uint32_t)e->lattice_atoms);
    for (int k = 0; k < 3; k++) {
        trj_put_u32(out, (uint32_t)e->low[k]);
        trj_put_u32(out, (uint32_t)size[k]);
    }
    put_plan(out, &e->plan);
    trj_put_u32(out, e->exception_count);
    trj_put_raw(out, e->exceptions.data, e->exceptions.size);
    if (e->exceptions.failed) return trj_fail_memory(err, (double)e->exceptions.size, "a chunk");
    return put_values(e, out, err);
}

int trj_codec_encode(struct trj_bytes *out, const struct trj_codec_frames *in, int level, struct trj_error *err) {
    struct encoder e = {.in = in};
    int rc = encode(&e, out, level, err);
    trj_codec_plan_free(&e.plan);
    trj_bytes_free(&e.exceptions);
    free(e.point);
    free(e.value);
    free(e.model);
    return rc;
}
