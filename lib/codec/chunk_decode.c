// SPDX-License-Identifier: MIT
// Decodes chunks of frames (schemas/compressed_frames.md).
#include <stdlib.h>

#include "chunk_parts.h"
#include "memory.h"

// A kind of molecule.
struct kind {
    size_t first, slots; // of the decoder's slots
};

// How an atom of a molecule is decoded in the first frame, and in later ones.
struct slot {
    uint32_t program[2];
};

// Consecutive molecules of a kind.
struct run {
    uint32_t kind;
    size_t molecules;
};

// A coordinate that is not on the lattice.
struct exception {
    uint64_t index; // of the coordinates of the chunk
    float x;
};

struct coded_program {
    struct trj_program program;
    struct trj_sphere sphere;
};

struct trj_codec_decoder {
    size_t frames, atoms, lattice_atoms, next;
    struct trj_lattice lattice;
    struct kind *kind;
    struct slot *slot;
    struct run *run;
    struct coded_program *program;
    struct exception *exception;
    struct trj_codec_entropy values;
    size_t kinds, slots, runs, programs, exceptions;
    size_t slot_room, exceptions_used;
    trj_point *point[3];           // integers of three frames
    struct trj_ranges ranges, all; // of the atoms on the lattice, and of the others
};

static int fail_damaged(struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "compressed coordinates are invalid");
}

static unsigned get_byte(struct trj_cursor *c) {
    if (!trj_cursor_left(c)) c->failed = true;
    return c->failed ? 0 : c->data[c->at++];
}

// Reads a number in groups of seven bits, lowest first.
static uint32_t get_number(struct trj_cursor *c) {
    uint32_t v = 0;
    for (unsigned shift = 0; shift < 32; shift += 7) {
        unsigned byte = get_byte(c);
        v |= (uint32_t)(byte & 127) << shift;
        if (byte < 128) return v;
    }
    c->failed = true;
    return 0;
}

// Reads the length of a list whose elements have at least `bytes` bytes.
static size_t get_length(struct trj_cursor *c, size_t bytes) {
    size_t n = trj_get_u32(c);
    if (n > trj_cursor_left(c) / bytes) c->failed = true;
    return c->failed ? 0 : n;
}

static void get_lattice(struct trj_codec_decoder *d, struct trj_cursor *c) {
    uint32_t kind = trj_get_u32(c);
    if (kind > TRJ_LATTICE_DECIMAL) c->failed = true;
    d->lattice.kind = c->failed ? TRJ_LATTICE_NONE : (enum trj_lattice_kind)kind;
    trj_get_f32s(c, &d->lattice.step, 1);
    trj_get_f32s(c, &d->lattice.factor, 1);
    d->lattice.divisor = trj_get_f64(c);
    d->lattice_atoms = trj_get_u32(c);
    if (d->lattice_atoms > d->atoms) c->failed = true;
    int32_t low[3], size[3], none[3] = {0};
    for (int k = 0; k < 3; k++) {
        low[k] = (int32_t)trj_get_u32(c);
        size[k] = (int32_t)trj_get_u32(c);
        if (low[k] < -TRJ_LATTICE_MAX || low[k] > TRJ_LATTICE_MAX || size[k] < 1 || size[k] > 2 * TRJ_LATTICE_MAX + 1)
            c->failed = true;
    }
    trj_ranges_set(&d->ranges, c->failed ? none : low, c->failed ? none : size);
    trj_ranges_set(&d->all, none, none);
}

static int get_programs(struct trj_codec_decoder *d, struct trj_cursor *c, struct trj_error *err) {
    d->programs = get_length(c, 2);
    if (!(d->program = trj_alloc(d->programs, sizeof *d->program, "compressed frames", err))) return -1;
    for (size_t i = 0; i < d->programs && !c->failed; i++) {
        struct trj_program *p = &d->program[i].program;
        unsigned flags = get_byte(c), weights = get_byte(c);
        p->mode = flags & 3;
        p->moves = flags >> 2 & 1;
        p->model = (uint16_t)get_number(c);
        p->a = get_number(c);
        p->b = get_number(c);
        p->c = get_number(c);
        for (int k = 0; k < TRJ_WEIGHTS; k++)
            if (weights >> k & 1) {
                unsigned low = get_byte(c);
                p->weight[k] = (int16_t)(uint16_t)(low | get_byte(c) << 8);
            }
        if (p->mode >= TRJ_MODES || flags > 7 || weights >> TRJ_WEIGHTS) {
            c->failed = true;
            break;
        }
        for (unsigned k = 0; k < p->mode; k++) p->square[k] = get_number(c);
        d->program[i].sphere = (struct trj_sphere){p->square[0], 1 / sqrt((double)p->square[0])};
    }
    return 0;
}

static int get_molecules(struct trj_codec_decoder *d, struct trj_cursor *c, struct trj_error *err) {
    d->kinds = get_length(c, 4);
    if (!(d->kind = trj_alloc(d->kinds, sizeof *d->kind, "compressed frames", err))) return -1;
    for (size_t i = 0; i < d->kinds && !c->failed; i++) {
        size_t n = get_length(c, 2);
        if (!n) c->failed = true;
        if (trj_grow(&d->slot, &d->slot_room, d->slots + n, sizeof *d->slot, "compressed frames", err)) return -1;
        d->kind[i] = (struct kind){d->slots, n};
        for (size_t k = 0; k < n && !c->failed; k++)
            for (int later = 0; later < 2; later++) {
                uint32_t p = get_number(c);
                if (p >= d->programs) c->failed = true;
                d->slot[d->slots + k].program[later] = p;
            }
        d->slots += n;
    }
    d->runs = get_length(c, 8);
    if (!(d->run = trj_alloc(d->runs, sizeof *d->run, "compressed frames", err))) return -1;
    size_t left = d->atoms;
    for (size_t i = 0; i < d->runs && !c->failed; i++) {
        d->run[i].kind = trj_get_u32(c);
        d->run[i].molecules = trj_get_u32(c);
        if (d->run[i].kind >= d->kinds || d->run[i].molecules > left / d->kind[d->run[i].kind].slots)
            c->failed = true;
        else
            left -= d->run[i].molecules * d->kind[d->run[i].kind].slots;
    }
    if (left) c->failed = true;
    return 0;
}

static int get_models(struct trj_codec_decoder *d, struct trj_cursor *c, struct trj_error *err) {
    size_t models = trj_get_u32(c);
    if (!models || models > TRJ_CODEC_CONTEXTS_MAX) c->failed = true;
    for (size_t i = 0; i < d->programs; i++)
        if (d->program[i].program.model + trj_program_models(d->program[i].program.mode) > models) c->failed = true;
    return c->failed ? 0 : trj_codec_entropy_open(&d->values, c, (unsigned)models, err);
}

static int get_exceptions(struct trj_codec_decoder *d, struct trj_cursor *c, struct trj_error *err) {
    d->exceptions = get_length(c, 12);
    if (!(d->exception = trj_alloc(d->exceptions, sizeof *d->exception, "compressed frames", err))) return -1;
    for (size_t i = 0; i < d->exceptions; i++) {
        d->exception[i].index = trj_get_u64(c);
        trj_get_f32s(c, &d->exception[i].x, 1);
        if (i && d->exception[i].index <= d->exception[i - 1].index) c->failed = true;
    }
    return 0;
}

int trj_codec_decoder_open(struct trj_codec_decoder **result, const unsigned char *data, size_t size, size_t frames,
                           size_t atoms, struct trj_error *err) {
    struct trj_cursor c = {.data = data, .size = size};
    if (!frames || !atoms || frames > SIZE_MAX / atoms || trj_codec_is_bomb(frames * atoms, size))
        return fail_damaged(err);
    struct trj_codec_decoder *d = trj_alloc(1, sizeof *d, "compressed frames", err);
    if (!d) return -1;
    d->frames = frames;
    d->atoms = atoms;
    get_lattice(d, &c);
    if (get_programs(d, &c, err) || get_molecules(d, &c, err) || get_exceptions(d, &c, err) || get_models(d, &c, err))
        goto out;
    if (c.failed || trj_cursor_left(&c)) {
        fail_damaged(err);
        goto out;
    }
    for (int i = 0; i < 3; i++)
        if (!(d->point[i] = trj_alloc(atoms, sizeof *d->point[i], "compressed frames", err))) goto out;
    *result = d;
    return 0;
out:
    trj_codec_decoder_close(d);
    return -1;
}

void trj_codec_decoder_close(struct trj_codec_decoder *d) {
    if (!d) return;
    free(d->kind);
    free(d->slot);
    free(d->run);
    free(d->program);
    free(d->exception);
    trj_codec_entropy_close(&d->values);
    for (int i = 0; i < 3; i++) free(d->point[i]);
    free(d);
}

size_t trj_codec_decoder_next(const struct trj_codec_decoder *d) {
    return d->next;
}

// Where the decoder is in the values.
struct place {
    const struct trj_codec_entropy *values;
    uint64_t at;
    uint32_t state[3];
};

// Decodes value k of an atom with model m.
static inline uint32_t get_value(struct place *p, size_t m, int k) {
    return trj_codec_decode_value(p->values, &p->at, &p->state[k], p->values->rows + (m << p->values->table_bits));
}

static inline int32_t get_integer(struct place *p, size_t m, int k) {
    return trj_codec_unfold(get_value(p, m, k));
}

static inline void get_linear(struct place *p, const struct trj_program *q, const struct trj_history *h,
                              const struct trj_ranges *r, size_t i, trj_point x) {
    trj_point from;
    trj_predict(q, h, r, i, from);
    for (int k = 0; k < 3; k++) x[k] = trj_move(r, k, from[k], get_integer(p, q->model + (size_t)k, k));
}

static inline void get_sphere(struct place *p, const struct coded_program *q, const struct trj_ranges *r,
                              const int32_t *a, trj_point x) {
    size_t m = q->program.model;
    int32_t d0 = get_integer(p, m, 0), magnitude;
    unsigned level = trj_sphere_second(&q->sphere, d0);
    int32_t d1 = get_integer(p, m + 1 + level, 1);
    level = trj_sphere_third(&q->sphere, d0, d1, &magnitude);
    uint32_t v = get_value(p, m + 1 + TRJ_LEVELS + level, 2), negative = 0 - (v & 1);
    uint32_t size = (uint32_t)trj_add(trj_codec_unfold(v >> 1), magnitude);
    x[0] = trj_move(r, 0, a[0], d0);
    x[1] = trj_move(r, 1, a[1], d1);
    x[2] = trj_move(r, 2, a[2], (int32_t)((size ^ negative) - negative));
}

static inline void get_circle(struct place *p, const struct coded_program *q, const struct trj_ranges *r,
                              const int32_t *a, const int32_t *b, trj_point x) {
    struct trj_circle c;
    int32_t solution[2][2];
    size_t m = q->program.model;
    trj_circle_begin(&c, r, a, b, q->program.square, q->sphere.inverse);
    int32_t d0 = trj_add(get_integer(p, m + c.level, 0), c.centre);
    m += TRJ_LEVELS + trj_circle_solve(&c, d0, solution);
    uint32_t v = get_value(p, m, 1);
    int32_t d1 = trj_add(trj_codec_unfold(v >> 1), solution[v & 1][0]);
    int32_t d2 = trj_add(get_integer(p, m, 2), solution[v & 1][1]);
    x[c.axis[0]] = trj_move(r, c.axis[0], a[c.axis[0]], d0);
    x[c.axis[1]] = trj_move(r, c.axis[1], a[c.axis[1]], d1);
    x[c.axis[2]] = trj_move(r, c.axis[2], a[c.axis[2]], d2);
}

// Decodes the integers of a frame.
static void get_frame(struct trj_codec_decoder *d) {
    struct place p = {&d->values, d->values.at, {d->values.state[0], d->values.state[1], d->values.state[2]}};
    trj_point *now = d->point[d->next % 3];
    const trj_point *before = d->point[(d->next + 2) % 3];
    const struct trj_history h = {now, before, d->next > 1 ? d->point[(d->next + 1) % 3] : before};
    size_t i = 0;
    for (size_t r = 0; r < d->runs; r++) {
        const struct kind *kind = &d->kind[d->run[r].kind];
        const struct slot *slot = d->slot + kind->first;
        for (size_t m = 0; m < d->run[r].molecules; m++)
            for (size_t k = 0; k < kind->slots; k++, i++) {
                const struct coded_program *q = &d->program[slot[k].program[d->next > 0]];
                const struct trj_ranges *ranges = i < d->lattice_atoms ? &d->ranges : &d->all;
                const int32_t *a = trj_atom(h.now, i, q->program.a);
                if (q->program.mode == TRJ_MODE_LINEAR)
                    get_linear(&p, &q->program, &h, ranges, i, now[i]);
                else if (q->program.mode == TRJ_MODE_SPHERE)
                    get_sphere(&p, q, ranges, a, now[i]);
                else
                    get_circle(&p, q, ranges, a, trj_atom(h.now, i, q->program.b), now[i]);
            }
    }
    d->values.at = p.at;
    memcpy(d->values.state, p.state, sizeof p.state);
}

static void take_exceptions(struct trj_codec_decoder *d, float *const x[3]) {
    uint64_t first = (uint64_t)d->next * 3 * d->atoms, end = first + 3 * (uint64_t)d->atoms;
    for (; d->exceptions_used < d->exceptions; d->exceptions_used++) {
        const struct exception *e = &d->exception[d->exceptions_used];
        if (e->index >= end) break;
        if (x) x[(e->index - first) / d->atoms][(e->index - first) % d->atoms] = e->x;
    }
}

int trj_codec_decode(struct trj_codec_decoder *d, float *const x[3], struct trj_error *err) {
    static const struct trj_lattice numbers = {TRJ_LATTICE_NONE, 1, 1, 1};
    if (d->next >= d->frames) return fail_damaged(err);
    get_frame(d);
    const int32_t *now = d->point[d->next % 3][0];
    size_t n = d->lattice_atoms;
    for (int k = 0; x && k < 3; k++) {
        trj_lattice_floats(&d->lattice, now + k, n, 4, x[k]);
        trj_lattice_floats(&numbers, now + 4 * n + k, d->atoms - n, 4, x[k] + n);
    }
    take_exceptions(d, x);
    d->next++;
    if (d->next < d->frames) return 0;
    return d->exceptions_used < d->exceptions ? fail_damaged(err) : trj_codec_entropy_finish(&d->values, err);
}
