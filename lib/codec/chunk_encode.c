// SPDX-License-Identifier: MIT
// Encodes chunks of frames (schemas/compressed_frames.md).
#include <math.h>
#include <stdlib.h>
#include <zstd.h>

#include "chunk_parts.h"
#include "floats.h"
#include "lattice.h"
#include "memory.h"

struct encoder {
    const struct trj_codec_frames *in;
    struct trj_lattice lattice;
    size_t atoms;    // on the lattice, which are the first; 0: none
    int32_t *k[3];   // [frames * atoms] each, in one array that k[0] points to
    uint32_t *value; // [3 * frames * atoms] folded residuals
    uint16_t *column_context, *context;
    size_t context_frame; // first frame of the part whose contexts are in `context`; 0: the first frame, or none
    unsigned contexts;
    struct trj_codec_model model;
    struct trj_bytes exceptions, head, packed;
    uint32_t exception_count;
};

static void find_lattice(struct encoder *e) {
    enum { SAMPLE = 4096 };
    float x[SAMPLE];
    const struct trj_codec_frames *in = e->in;
    size_t n = in->atoms - in->computed, all = 3 * n * in->frames, count = all < SAMPLE ? all : SAMPLE;
    for (size_t i = 0; i < count; i++) {
        size_t j = (size_t)((double)i * ((double)all / (double)count)), row = j / n;
        x[i] = in->x[row * in->atoms + j % n];
    }
    e->lattice = trj_lattice_find(x, count, in->step);
    e->atoms = e->lattice.kind == TRJ_LATTICE_NONE ? 0 : n;
}

// Stores a float that is not on the lattice. If no integer is near it, it gets that of the previous atom.
static void put_exception(struct encoder *e, size_t row, size_t i, int32_t *k) {
    if (!*k && i) *k = k[-1];
    trj_put_u64(&e->exceptions, row * e->atoms + i);
    trj_put_f32s(&e->exceptions, e->in->x + row * e->in->atoms + i, 1);
    e->exception_count++;
}

// Computes the integers. Returns 1, or -1 after an error, or 0 if too many floats are not on the lattice: the sample
// from which the lattice was found was not typical.
static int take_integers(struct encoder *e, struct trj_error *err) {
    size_t n = e->atoms, values = e->in->frames * n, wrong = 0;
    if (!(e->k[0] = trj_alloc(3 * values, sizeof **e->k, "a chunk", err))) return -1;
    trj_use_large_pages(e->k[0], 3 * values * sizeof **e->k);
    for (size_t axis = 1; axis < 3; axis++) e->k[axis] = e->k[0] + axis * values;
    for (size_t row = 0; row < 3 * e->in->frames; row++) {
        const float *x = e->in->x + row * e->in->atoms;
        int32_t *k = e->k[row % 3] + row / 3 * n, again;
        size_t here = trj_lattice_integers(&e->lattice, x, n, k);
        wrong += here;
        if (wrong > 3 * n * e->in->frames / 64) return 0;
        for (size_t i = 0; here && i < n; i++)
            if (trj_lattice_integers(&e->lattice, x + i, 1, &again)) put_exception(e, row, i, k + i);
    }
    return e->exceptions.failed ? trj_fail_memory(err, (double)e->exceptions.size, "a chunk") : 1;
}

// Chooses the contexts of columns: long columns have one each, short ones share those of their mean magnitude.
static int choose_contexts(struct encoder *e, const uint64_t *sum, struct trj_error *err) {
    enum { LONG = 8192, MAGNITUDES = 128, MAX = 1024 };
    const struct trj_codec_model *m = &e->model;
    int of_magnitude[MAGNITUDES];
    for (int i = 0; i < MAGNITUDES; i++) of_magnitude[i] = -1;
    if (!(e->column_context = trj_alloc(m->column_count, sizeof *e->column_context, "a chunk", err))) return -1;
    for (const struct trj_codec_run *run = m->run; run < m->run + m->run_count; run++)
        for (size_t j = run->predictor; j < run->predictor + run->size; j++) {
            unsigned columns = m->predictor[j].time ? 6 : 3;
            for (size_t i = 0, c = m->column[j]; i < columns; i++, c++) {
                // With prediction in time, the columns of the first frame and those of the others alternate.
                size_t count = run->count * (columns == 3 ? m->frames : i % 2 ? m->frames - 1 : 1);
                int magnitude = (int)(3 * log2(1 + (double)sum[c] / (double)count) + 0.5);
                bool own = count >= LONG && e->contexts < MAX;
                if (!own && of_magnitude[magnitude] < 0) of_magnitude[magnitude] = (int)e->contexts++;
                e->column_context[c] = (uint16_t)(own ? e->contexts++ : (unsigned)of_magnitude[magnitude]);
            }
        }
    return 0;
}

// Appends the model and the contexts of the columns, compressed by zstd.
static int put_head(struct encoder *e, struct trj_bytes *out, struct trj_error *err) {
    trj_codec_model_put(&e->model, &e->head);
    for (size_t c = 0; c < e->model.column_count; c++) trj_codec_put_number(&e->head, e->column_context[c]);
    size_t capacity = ZSTD_compressBound(e->head.size);
    if (e->head.failed || !(e->packed.data = trj_alloc(capacity, 1, "a chunk", err)))
        return trj_fail_memory(err, (double)e->head.size, "a chunk");
    size_t n = ZSTD_compress(e->packed.data, capacity, e->head.data, e->head.size, 12);
    if (ZSTD_isError(n)) return trj_fail(err, TRJ_FAILED, "zstd: %s", ZSTD_getErrorName(n));
    trj_put_u32(out, e->contexts);
    trj_put_u32(out, (uint32_t)e->head.size);
    trj_put_u32(out, (uint32_t)n);
    trj_put_raw(out, e->packed.data, n);
    return 0;
}

// Sets the contexts of the values of a part. Most parts have the same.
static void set_contexts(struct encoder *e, size_t frame) {
    const struct trj_codec_model *m = &e->model;
    if (e->context_frame && frame && trj_codec_part_frames(m, frame) == trj_codec_part_frames(m, e->context_frame))
        return;
    trj_codec_part_contexts(m, e->column_context, frame, e->context);
    e->context_frame = frame;
}

// Parts are counted in their order, and coded from the last one to the first.
static int put_values(struct encoder *e, struct trj_bytes *out, uint32_t (*counts)[TRJ_CODEC_SYMBOLS],
                      struct trj_error *err) {
    const struct trj_codec_model *m = &e->model;
    const size_t n = 3 * m->atoms;
    struct trj_codec_encoder encoder;
    size_t frame = 0;
    for (size_t frames; frame < m->frames; frame += frames) {
        frames = trj_codec_part_frames(m, frame);
        set_contexts(e, frame);
        trj_codec_entropy_count(e->value + n * frame, n * frames, e->context, counts);
    }
    if (trj_codec_encoder_open(&encoder, out, n * m->frames, counts, e->contexts, err)) return -1;
    for (size_t end = m->frames; end; end = frame) {
        frame = end == 1 ? 0 : 1 + (end - 2) / m->part * m->part;
        set_contexts(e, frame);
        trj_codec_encoder_put(&encoder, e->value + n * frame, n * (end - frame), e->context);
    }
    return trj_codec_encoder_close(&encoder, out, err);
}

static int put_residuals(struct encoder *e, struct trj_bytes *out, struct trj_error *err) {
    uint32_t(*counts)[TRJ_CODEC_SYMBOLS] = trj_alloc(e->contexts, sizeof *counts, "a chunk", err);
    e->context = trj_alloc(3 * e->atoms * e->model.part, sizeof *e->context, "a chunk", err);
    int rc = counts && e->context ? put_values(e, out, counts, err) : -1;
    free(counts);
    return rc;
}

// Appends the atoms on the lattice.
static int put_lattice_atoms(struct encoder *e, struct trj_bytes *out, int level, struct trj_error *err) {
    const struct trj_codec_frames *in = e->in;
    size_t n = 3 * in->frames * e->atoms;
    const int32_t *const k[3] = {e->k[0], e->k[1], e->k[2]};
    const uint32_t *unit = in->residue ? in->residue : in->molecule;
    trj_put_u32(out, e->lattice.kind);
    trj_put_f32s(out, &e->lattice.step, 1);
    trj_put_f32s(out, &e->lattice.factor, 1);
    trj_put_f64(out, e->lattice.divisor);
    trj_put_u32(out, e->exception_count);
    trj_put_raw(out, e->exceptions.data, e->exceptions.size);
    if (!(e->value = trj_alloc(n, sizeof *e->value, "a chunk", err)) ||
        trj_codec_model_make(&e->model, k, in->frames, e->atoms, unit, level < 9 ? level : 9, err))
        return -1;
    trj_use_large_pages(e->value, n * sizeof *e->value);
    uint64_t *sum = trj_alloc(e->model.column_count, sizeof *sum, "a chunk", err);
    int rc = !sum || trj_codec_model_split(&e->model, k, e->value, sum, err) || choose_contexts(e, sum, err) ? -1 : 0;
    free(sum);
    return rc || put_head(e, out, err) || put_residuals(e, out, err) ? -1 : 0;
}

// Appends the other atoms.
static int put_float_atoms(const struct encoder *e, struct trj_bytes *out, struct trj_error *err) {
    const struct trj_codec_frames *in = e->in;
    const float **x = trj_alloc(3 * in->frames, sizeof *x, "a chunk", err);
    if (!x) return -1;
    for (size_t row = 0; row < 3 * in->frames; row++) x[row] = in->x + row * in->atoms + e->atoms;
    int rc = trj_codec_floats_encode(out, x, in->frames, in->atoms - e->atoms, err);
    free(x);
    return rc;
}

static int encode(struct encoder *e, struct trj_bytes *out, int level, struct trj_error *err) {
    if (e->in->computed < e->in->atoms) find_lattice(e);
    int on_lattice = e->atoms ? take_integers(e, err) : 1;
    if (on_lattice < 0) return -1;
    if (!on_lattice) e->atoms = 0;
    trj_put_u32(out, (uint32_t)e->atoms);
    if (e->atoms && put_lattice_atoms(e, out, level, err)) return -1;
    if (e->atoms < e->in->atoms && put_float_atoms(e, out, err)) return -1;
    return out->failed ? trj_fail_memory(err, (double)out->size, "a chunk") : 0;
}

int trj_codec_encode(struct trj_bytes *out, const struct trj_codec_frames *in, int level, struct trj_error *err) {
    struct encoder e = {.in = in};
    int rc = encode(&e, out, level, err);
    trj_codec_model_free(&e.model);
    trj_bytes_free(&e.exceptions);
    trj_bytes_free(&e.head);
    trj_bytes_free(&e.packed);
    free(e.k[0]);
    free(e.value);
    free(e.context);
    free(e.column_context);
    return rc;
}
