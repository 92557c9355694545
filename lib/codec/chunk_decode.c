// SPDX-License-Identifier: MIT
// Decodes chunks of frames (schemas/compressed_frames.md).
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "chunk_parts.h"
#include "floats.h"
#include "lattice.h"
#include "memory.h"
#include "variants.h"

struct trj_codec_decoder {
    size_t frames, atoms, lattice_atoms, next;
    struct trj_lattice lattice;
    struct trj_cursor exceptions; // index and float of each, in ascending order
    struct trj_codec_model model;
    struct trj_codec_entropy entropy;
    struct trj_cursor data; // after the lattice atoms
    uint16_t *column_context;
    unsigned contexts;
    uint16_t *context;   // of the values of a part
    size_t part_context; // the part whose contexts these are; 0: that of the first frame
    uint32_t *value;     // of a block
    float *block;        // the coordinates of a block, in the order of its values
    int32_t *history;    // [3 * lattice_atoms]
    float *x;            // [frames of a part][3][lattice_atoms]; NULL if a part is one frame
    struct trj_codec_floats *floats;
};

static int fail_damaged(struct trj_error *err) {
    return trj_fail(err, TRJ_BAD_DATA, "compressed coordinates are invalid");
}

static int get_lattice(struct trj_codec_decoder *d, struct trj_cursor *c, struct trj_error *err) {
    uint32_t kind = trj_get_u32(c);
    trj_get_f32s(c, &d->lattice.step, 1);
    trj_get_f32s(c, &d->lattice.factor, 1);
    d->lattice.divisor = trj_get_f64(c);
    size_t bytes = 12 * (size_t)trj_get_u32(c);
    if (c->failed || (kind != TRJ_LATTICE_PRODUCT && kind != TRJ_LATTICE_DECIMAL) || bytes > trj_cursor_left(c))
        return fail_damaged(err);
    d->lattice.kind = (enum trj_lattice_kind)kind;
    d->exceptions = (struct trj_cursor){.data = c->data + c->offset, .size = bytes};
    c->offset += bytes;
    return 0;
}

// Reads the model, and the contexts of its columns.
static int get_head(struct trj_codec_decoder *d, struct trj_cursor *c, struct trj_error *err) {
    d->contexts = trj_get_u32(c);
    size_t size = trj_get_u32(c), stored = trj_get_u32(c);
    if (c->failed || stored > trj_cursor_left(c) || size > ((size_t)1 << 20) + 64 * d->lattice_atoms || !d->contexts ||
        d->contexts > TRJ_CODEC_CONTEXTS_MAX)
        return fail_damaged(err);
    unsigned char *head = trj_alloc(size, 1, "compressed frames", err);
    if (!head) return -1;
    struct trj_cursor h = {.data = head, .size = size};
    size_t got = ZSTD_decompress(head, size, c->data + c->offset, stored);
    bool no_memory = ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation;
    int rc = got == size ? 0 : no_memory ? trj_fail_memory(err, (double)size, "unpacking") : fail_damaged(err);
    c->offset += stored;
    rc = rc || trj_codec_model_get(&d->model, d->frames, d->lattice_atoms, &h, err) ? -1 : 0;
    if (!rc &&
        !(d->column_context = trj_alloc(d->model.column_count, sizeof *d->column_context, "compressed frames", err)))
        rc = -1;
    for (size_t i = 0; !rc && i < d->model.column_count; i++) {
        uint64_t n = trj_codec_get_number(&h);
        d->column_context[i] = (uint16_t)n;
        if (h.failed || n >= d->contexts) rc = fail_damaged(err);
    }
    free(head);
    return rc;
}

static int get_lattice_atoms(struct trj_codec_decoder *d, struct trj_cursor *c, struct trj_error *err) {
    static const char what[] = "compressed frames";
    if (get_lattice(d, c, err) || get_head(d, c, err) || trj_codec_entropy_open(&d->entropy, c, d->contexts, err))
        return -1;
    const size_t n = 3 * d->lattice_atoms, part = d->model.part, values = trj_codec_block_values(&d->model);
    if (!(d->context = trj_alloc(n * part, sizeof *d->context, what, err))) return -1;
    if (!(d->value = trj_alloc(values, sizeof *d->value, what, err))) return -1;
    if (!(d->block = trj_alloc(values, sizeof *d->block, what, err))) return -1;
    if (!(d->history = trj_alloc(n, sizeof *d->history, what, err))) return -1;
    if (part > 1 && !(d->x = trj_alloc(n * part, sizeof *d->x, what, err))) return -1;
    trj_codec_part_contexts(&d->model, d->column_context, 0, d->context);
    return 0;
}

static int get_head_of_chunk(struct trj_codec_decoder *d, struct trj_error *err) {
    struct trj_cursor *c = &d->data;
    d->lattice_atoms = trj_get_u32(c);
    if (c->failed || d->lattice_atoms > d->atoms) return fail_damaged(err);
    if (d->lattice_atoms && get_lattice_atoms(d, c, err)) return -1;
    if (d->lattice_atoms == d->atoms) return trj_cursor_left(c) ? fail_damaged(err) : 0;
    return trj_codec_floats_open(&d->floats, c, d->frames, d->atoms - d->lattice_atoms, err);
}

int trj_codec_decoder_open(struct trj_codec_decoder **result, const unsigned char *data, size_t size, size_t frames,
                           size_t atoms, struct trj_error *err) {
    if (!frames || !atoms || frames > SIZE_MAX / 12 / atoms || trj_codec_is_bomb(frames * atoms, size))
        return fail_damaged(err);
    struct trj_codec_decoder *d = trj_alloc(1, sizeof *d, "compressed frames", err);
    if (!d) return -1;
    d->frames = frames;
    d->atoms = atoms;
    d->data = (struct trj_cursor){.data = data, .size = size};
    if (get_head_of_chunk(d, err)) {
        trj_codec_decoder_close(d);
        return -1;
    }
    *result = d;
    return 0;
}

void trj_codec_decoder_close(struct trj_codec_decoder *d) {
    if (!d) return;
    trj_codec_model_free(&d->model);
    trj_codec_entropy_close(&d->entropy);
    trj_codec_floats_close(d->floats);
    free(d->column_context);
    free(d->context);
    free(d->value);
    free(d->block);
    free(d->history);
    free(d->x);
    free(d);
}

size_t trj_codec_decoder_next(const struct trj_codec_decoder *d) {
    return d->next;
}

// Sets the floats of a frame that are not on the lattice. Returns 0, or -1 if their order is invalid.
static int take_exceptions(struct trj_codec_decoder *d, float *const x[3]) {
    uint64_t n = d->lattice_atoms, first = 3 * d->next * n;
    struct trj_cursor *c = &d->exceptions;
    while (trj_cursor_left(c)) {
        size_t position = c->offset;
        uint64_t index = trj_get_u64(c);
        float value;
        trj_get_f32s(c, &value, 1);
        if (index < first) return -1;
        if (index - first >= 3 * n) {
            c->offset = position;
            return 0;
        }
        if (x) x[(index - first) / n][(index - first) % n] = value;
    }
    return 0;
}

// Copies rows of units, which are `step` numbers apart, to x[units][size].
TRJ_CODEC_INLINE void transpose(const float *restrict rows, size_t units, size_t size, size_t step, float *restrict x) {
    for (size_t i = 0; i < units; i++)
        for (size_t j = 0; j < size; j++) x[i * size + j] = rows[j * step + i];
}

TRJ_CODEC_WIDE
static void put_units(const float *rows, size_t units, size_t size, size_t step, float *x) {
    if (size == 3) // water has three or four sites
        transpose(rows, units, 3, step, x);
    else if (size == 4)
        transpose(rows, units, 4, step, x);
    else
        transpose(rows, units, size, step, x);
}

// Decodes the lattice atoms of the part that begins with the next frame, into d->x, or, if d->x is NULL, because each
// part is one frame, into x[3], unless that is NULL, too.
static int decode_part(struct trj_codec_decoder *d, float *const x[3], struct trj_error *err) {
    struct trj_codec_block b = {.frame = d->next, .frames = trj_codec_part_frames(&d->model, d->next)};
    if (d->next && (!d->part_context || b.frames != d->model.part)) {
        trj_codec_part_contexts(&d->model, d->column_context, d->next, d->context);
        d->part_context = d->next;
    }
    while (trj_codec_block_next(&d->model, &b)) {
        const size_t lanes = b.frames * b.units, size = b.run->size, first = b.run->first + b.unit * size;
        trj_codec_entropy_read(&d->entropy, d->value, 3 * lanes * size, d->context + b.first);
        if (trj_codec_block_join(&d->model, &b, d->value, d->history, err)) return -1;
        trj_lattice_floats(&d->lattice, (const int32_t *)d->value, 3 * lanes * size, d->block);
        for (size_t row = 0; row < 3 * b.frames; row++) {
            float *to = d->x ? d->x + row * d->lattice_atoms : x ? x[row % 3] : NULL;
            const float *rows = d->block + row % 3 * lanes + row / 3 * b.units;
            if (to) put_units(rows, b.units, size, 3 * lanes, to + first);
        }
    }
    return b.frame + b.frames == d->frames ? trj_codec_entropy_finish(&d->entropy, err) : 0;
}

static int decode_lattice_atoms(struct trj_codec_decoder *d, float *const x[3], struct trj_error *err) {
    const size_t place = d->next ? (d->next - 1) % d->model.part : 0; // in the part
    if (!place && decode_part(d, x, err)) return -1;
    for (size_t axis = 0; d->x && x && axis < 3; axis++)
        memcpy(x[axis], d->x + (3 * place + axis) * d->lattice_atoms, d->lattice_atoms * sizeof *d->x);
    return take_exceptions(d, x) ? fail_damaged(err) : 0;
}

int trj_codec_decode(struct trj_codec_decoder *d, float *const x[3], struct trj_error *err) {
    if (d->next >= d->frames) return fail_damaged(err);
    if (d->lattice_atoms && decode_lattice_atoms(d, x, err)) return -1;
    if (d->floats) {
        const size_t n = d->lattice_atoms;
        float *const others[3] = {x ? x[0] + n : NULL, x ? x[1] + n : NULL, x ? x[2] + n : NULL};
        if (trj_codec_floats_next(d->floats, x ? others : NULL, err)) return -1;
    }
    d->next++;
    return d->next == d->frames && trj_cursor_left(&d->exceptions) ? fail_damaged(err) : 0;
}
