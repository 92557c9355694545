// SPDX-License-Identifier: MIT
// Decodes chunks of frames (schemas/compressed_frames.md).
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "chunk_parts.h"
#include "floats.h"
#include "lattice.h"
#include "memory.h"

struct trj_codec_decoder {
    size_t frames, atoms, lattice_atoms, next;
    struct trj_lattice lattice;
    struct trj_cursor exceptions; // index and float of each, in ascending order
    int32_t *k[3];                // [frames * lattice_atoms]
    float *x;                     // [3 * frames][atoms - lattice_atoms] of the other atoms
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
    d->exceptions = (struct trj_cursor){.data = c->data + c->at, .size = bytes};
    c->at += bytes;
    return 0;
}

// Reads the model, and the contexts of its columns into *context, which the caller frees.
static int get_head(struct trj_codec_decoder *d, struct trj_codec_model *m, uint16_t **context, unsigned *contexts,
                    struct trj_cursor *c, struct trj_error *err) {
    *contexts = trj_get_u32(c);
    size_t size = trj_get_u32(c), stored = trj_get_u32(c);
    if (c->failed || stored > trj_cursor_left(c) || size > ((size_t)1 << 20) + 64 * d->lattice_atoms || !*contexts ||
        *contexts > TRJ_CODEC_CONTEXTS_MAX)
        return fail_damaged(err);
    unsigned char *head = trj_alloc(size, 1, "compressed frames", err);
    if (!head) return -1;
    struct trj_cursor h = {.data = head, .size = size};
    int rc = ZSTD_decompress(head, size, c->data + c->at, stored) == size ? 0 : fail_damaged(err);
    c->at += stored;
    rc = rc || trj_codec_model_get(m, d->frames, d->lattice_atoms, &h, err) ? -1 : 0;
    if (!rc && !(*context = trj_alloc(m->column_count, sizeof **context, "compressed frames", err))) rc = -1;
    for (size_t i = 0; !rc && i < m->column_count; i++) {
        uint64_t n = trj_codec_get_number(&h);
        (*context)[i] = (uint16_t)n;
        if (h.failed || n >= *contexts) rc = fail_damaged(err);
    }
    free(head);
    return rc;
}

// Decodes all values, a part at a time.
static void read_values(struct trj_codec_entropy *e, const struct trj_codec_model *m, const uint16_t *of_column,
                        uint32_t *value, size_t values) {
    enum { PART = 2048 * TRJ_CODEC_STATES };
    uint16_t context[PART];
    size_t column = 0, left = m->column[0].count;
    for (size_t at = 0; at < values;) {
        size_t n = values - at < PART ? values - at : PART;
        for (size_t i = 0, some; i < n; i += some, left -= some) {
            while (!left) left = m->column[++column].count;
            some = left < n - i ? left : n - i;
            for (size_t j = 0; j < some; j++) context[i + j] = of_column[column];
        }
        trj_codec_entropy_read(e, value + at, n, context);
        for (size_t i = 0; i < n; i++) value[at + i] = (uint32_t)trj_codec_unfold(value[at + i]);
        at += n;
    }
}

static int get_residuals(struct trj_codec_decoder *d, const struct trj_codec_model *m, const uint16_t *context,
                         unsigned contexts, struct trj_cursor *c, struct trj_error *err) {
    size_t n = d->frames * d->lattice_atoms;
    struct trj_codec_entropy entropy;
    if (trj_codec_entropy_open(&entropy, c, contexts, err)) return -1;
    int rc = 0;
    uint32_t *value = trj_alloc(3 * n, sizeof *value, "compressed frames", err);
    for (int axis = 0; axis < 3; axis++)
        if (!(d->k[axis] = trj_alloc(n, sizeof **d->k, "compressed frames", err))) rc = -1;
    if (!value) rc = -1;
    if (!rc) {
        trj_use_large_pages(value, 3 * n * sizeof *value);
        for (int axis = 0; axis < 3; axis++) trj_use_large_pages(d->k[axis], n * sizeof **d->k);
        read_values(&entropy, m, context, value, 3 * n);
        rc = trj_codec_entropy_finish(&entropy, err);
    }
    if (!rc) rc = trj_codec_model_join(m, (int32_t *)value, d->k, err);
    trj_codec_entropy_close(&entropy);
    free(value);
    return rc;
}

static int get_lattice_atoms(struct trj_codec_decoder *d, struct trj_cursor *c, struct trj_error *err) {
    struct trj_codec_model m = {0};
    uint16_t *context = NULL;
    unsigned contexts;
    int rc = get_lattice(d, c, err) || get_head(d, &m, &context, &contexts, c, err) ||
                     get_residuals(d, &m, context, contexts, c, err)
                 ? -1
                 : 0;
    trj_codec_model_free(&m);
    free(context);
    return rc;
}

static int get_float_atoms(struct trj_codec_decoder *d, struct trj_cursor *c, struct trj_error *err) {
    size_t rows = 3 * d->frames, n = d->atoms - d->lattice_atoms;
    float **row = trj_alloc(rows, sizeof *row, "compressed frames", err);
    d->x = row ? trj_alloc(rows * n, sizeof *d->x, "compressed frames", err) : NULL;
    for (size_t i = 0; d->x && i < rows; i++) row[i] = d->x + i * n;
    int rc = d->x ? trj_codec_floats_decode(c, row, d->frames, n, err) : -1;
    free(row);
    return rc;
}

static int decode_all(struct trj_codec_decoder *d, struct trj_cursor *c, struct trj_error *err) {
    d->lattice_atoms = trj_get_u32(c);
    if (c->failed || d->lattice_atoms > d->atoms) return fail_damaged(err);
    if (d->lattice_atoms && get_lattice_atoms(d, c, err)) return -1;
    if (d->lattice_atoms < d->atoms && get_float_atoms(d, c, err)) return -1;
    return trj_cursor_left(c) ? fail_damaged(err) : 0;
}

int trj_codec_decoder_open(struct trj_codec_decoder **result, const unsigned char *data, size_t size, size_t frames,
                           size_t atoms, struct trj_error *err) {
    struct trj_cursor c = {.data = data, .size = size};
    if (!frames || !atoms || frames > SIZE_MAX / 12 / atoms || trj_codec_is_bomb(frames * atoms, size))
        return fail_damaged(err);
    struct trj_codec_decoder *d = trj_alloc(1, sizeof *d, "compressed frames", err);
    if (!d) return -1;
    d->frames = frames;
    d->atoms = atoms;
    if (decode_all(d, &c, err)) {
        trj_codec_decoder_close(d);
        return -1;
    }
    *result = d;
    return 0;
}

void trj_codec_decoder_close(struct trj_codec_decoder *d) {
    if (!d) return;
    for (int axis = 0; axis < 3; axis++) free(d->k[axis]);
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
        size_t at = c->at;
        uint64_t index = trj_get_u64(c);
        float value;
        trj_get_f32s(c, &value, 1);
        if (index < first) return -1;
        if (index - first >= 3 * n) {
            c->at = at;
            return 0;
        }
        if (x) x[(index - first) / n][(index - first) % n] = value;
    }
    return 0;
}

int trj_codec_decode(struct trj_codec_decoder *d, float *const x[3], struct trj_error *err) {
    if (d->next >= d->frames) return fail_damaged(err);
    size_t n = d->lattice_atoms, others = d->atoms - n;
    for (size_t axis = 0; x && axis < 3; axis++) {
        if (n) trj_lattice_floats(&d->lattice, d->k[axis] + d->next * n, n, 1, x[axis]);
        if (others) memcpy(x[axis] + n, d->x + (3 * d->next + axis) * others, others * sizeof *d->x);
    }
    if (n && take_exceptions(d, x)) return fail_damaged(err);
    d->next++;
    return d->next == d->frames && trj_cursor_left(&d->exceptions) ? fail_damaged(err) : 0;
}
