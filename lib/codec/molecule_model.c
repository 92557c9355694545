// SPDX-License-Identifier: MIT
// Encodes models as bytes and decodes them, and defines the order of the values of a block.
#include "molecule_model.h"

#include <stdlib.h>

#include "chunk_parts.h"
#include "memory.h"
#include "molecule_parts.h"

void trj_codec_model_free(struct trj_codec_model *m) {
    free(m->run);
    free(m->predictor);
    free(m->column);
    *m = (struct trj_codec_model){0};
}

int trj_codec_model_lay_out(struct trj_codec_model *m, struct trj_error *err) {
    if (!(m->column = trj_alloc(m->predictor_count, sizeof *m->column, "columns", err))) return -1;
    m->column_count = 0;
    for (size_t i = 0; i < m->predictor_count; i++) {
        m->column[i] = (uint32_t)m->column_count;
        m->column_count += m->predictor[i].time ? 6 : 3;
    }
    return 0;
}

void trj_codec_part_contexts(const struct trj_codec_model *m, const uint16_t *column_context, size_t frame,
                             uint16_t *context) {
    struct trj_codec_block b = {.frame = frame, .frames = trj_codec_part_frames(m, frame)};
    while (trj_codec_block_next(m, &b)) {
        const size_t lanes = b.frames * b.units;
        for (size_t j = b.run->predictor; j < b.run->predictor + b.run->size; j++)
            for (unsigned axis = 0; axis < 3; axis++, context += lanes) {
                uint16_t c = column_context[trj_codec_column(m, j, axis, frame)];
                for (size_t i = 0; i < lanes; i++) context[i] = c;
            }
    }
}

size_t trj_codec_block_values(const struct trj_codec_model *m) {
    size_t max = 0;
    struct trj_codec_block b = {.frames = m->part};
    while (trj_codec_block_next(m, &b)) {
        size_t n = 3 * b.frames * b.units * b.run->size;
        max = n > max ? n : max;
    }
    return max;
}

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
        if (c->failed || c->offset >= c->size) break;
        unsigned char byte = c->data[c->offset++];
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
    trj_codec_put_number(b, m->part);
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
    size_t capacity = 0, predictors = 0, covered = 0;
    *m = (struct trj_codec_model){.frames = frames, .atoms = atoms};
    for (int i = 0; i < 3; i++) {
        m->low[i] = get_folded(c);
        uint64_t range = trj_codec_get_number(c);
        m->range[i] = (uint32_t)range;
        if (!range || range > 2 * TRJ_CODEC_FARTHEST || m->low[i] < -TRJ_CODEC_FARTHEST ||
            m->low[i] > TRJ_CODEC_FARTHEST)
            c->failed = true;
    }
    uint64_t part = trj_codec_get_number(c), runs = trj_codec_get_number(c);
    m->part = (size_t)part;
    if (!part || part > frames || !runs || runs > trj_cursor_left(c)) c->failed = true;
    if (!c->failed && trj_grow(&m->run, &capacity, runs, sizeof *m->run, "runs", err)) return -1;
    for (uint64_t r = 0; r < runs && !c->failed; r++)
        if (get_run(m, &predictors, c, err)) return -1;
    for (size_t r = 0; r < m->run_count; r++) covered += (size_t)m->run[r].size * m->run[r].count;
    if (c->failed || covered != atoms) return trj_fail(err, TRJ_BAD_DATA, "the model of the molecules is damaged");
    return trj_codec_model_lay_out(m, err);
}
