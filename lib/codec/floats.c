// SPDX-License-Identifier: MIT
#include "floats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "byte_order.h"
#include "entropy.h"
#include "memory.h"

enum {
    // How an atom is predicted, in the first plane of the plan: bits, and the distance to the reference atom.
    BY_REFERENCE = 64,
    BY_TIME = 128,
    DISTANCE = 63,
    DISTANCES_TRIED = 6,
    CONTEXTS = 32,
    FRAMES_TRIED = 12, // frames that decide on the plan
    COST_BITS = 4,     // costs are in units of 2^-4 bits
    PLAN_COST = 10,    // bits that a plan must save per chunk to be chosen instead of the default
    EXPONENT_MIN = 24, // smallest exponent of the step, so that all numbers with a k are normal
    MANTISSA = 23,
    PIECE = 1023 * 3, // coordinates that are decoded at a time
    PADDING = 8,      // bytes after the low bits, so that 8 bytes can be read at each position
    PLAN_LEVEL = 3,   // of zstd
};

static uint32_t bits_of(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// 2^(exponent - 150): the step of numbers with that biased exponent.
static double step_of(unsigned exponent) {
    uint64_t bits = (uint64_t)(exponent + 1023 - 150) << 52;
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// What predicts a frame: the frame before, or two frames extrapolated. NULL: nothing does.
static void extrapolate(const int32_t *k1, const int32_t *k2, int32_t *predicted, size_t n) {
    for (size_t i = 0; i < n; i++) predicted[i] = (int32_t)(2u * (uint32_t)k1[i] - (uint32_t)k2[i]);
}

// --- Encoder ---

struct encoder {
    size_t frames, atoms, n; // n: numbers of a frame, which are x, y and z of each atom
    uint32_t *bits;          // [frames][n], of the numbers
    unsigned exponent;       // of the step; below, numbers have bits that k does not contain
    unsigned order;          // 0: frames are independent; 1: the frame before predicts; 2: two frames, extrapolated
    int32_t *k;              // [frames][n]
    int32_t *predicted;      // [n]
    uint32_t *values;        // [frames][n], residuals
    unsigned char *plan;     // [2][atoms]
    uint16_t *context;       // [n]
};

// The largest exponent that more than one of 2^12 numbers has. Numbers with a larger one go to the list.
static unsigned choose_exponent(const struct encoder *e) {
    size_t counts[256] = {0}, found = 0;
    for (size_t i = 0; i < e->frames * e->n; i++) counts[e->bits[i] >> MANTISSA & 255]++;
    unsigned exponent = 254;
    for (; exponent > EXPONENT_MIN; exponent--) {
        found += counts[exponent];
        if (found > e->frames * e->n >> 12) break;
    }
    return exponent;
}

// True if the number has a k: it is 0, or its exponent is at most 23 below that of the step.
static bool has_k(unsigned exponent_of_step, uint32_t bits) {
    return (exponent_of_step - (bits >> MANTISSA & 255)) <= MANTISSA || !bits;
}

static int32_t k_of(unsigned exponent_of_step, uint32_t bits) {
    if (!bits) return 0;
    unsigned low = exponent_of_step - (bits >> MANTISSA & 255);
    int32_t k = (int32_t)(((bits & ((1u << MANTISSA) - 1)) | 1u << MANTISSA) >> low);
    return bits >> 31 ? -k : k;
}

// Stores the numbers without a k. They are predicted as the number before, so that they do not disturb the others.
static void put_exceptions(const struct encoder *e, struct trj_bytes *out) {
    size_t count_at = out->size;
    uint64_t count = 0, last = 0;
    trj_put_u64(out, 0);
    for (size_t i = 0; i < e->frames * e->n; i++) {
        uint32_t bits = e->bits[i];
        if (has_k(e->exponent, bits)) {
            e->k[i] = k_of(e->exponent, bits);
            continue;
        }
        e->k[i] = i >= 3 ? e->k[i - 3] : 0;
        trj_put_u32(out, (uint32_t)(i - last));
        trj_put_u32(out, bits);
        last = i;
        count++;
    }
    struct trj_bytes head = {0};
    trj_put_u64(&head, count);
    if (head.failed || out->failed)
        out->failed = true;
    else
        memcpy(out->data + count_at, head.data, head.size);
    trj_bytes_free(&head);
}

// About log2(|v| + 1), in units of 2^-COST_BITS.
static inline uint32_t cost_of(uint32_t v) {
    int32_t s = (int32_t)v;
    float magnitude = (float)(s < 0 ? -s : s) + 1;
    return (bits_of(magnitude) >> (MANTISSA - COST_BITS)) - (127u << COST_BITS);
}

struct costs {
    uint32_t time, near[DISTANCES_TRIED + 1], both[DISTANCES_TRIED + 1];
};

// Adds the costs of an atom in a frame. `predicted` is NULL if only atoms of the frame predict.
static void add_costs(struct costs *costs, const int32_t *k, const int32_t *predicted, size_t atom) {
    const size_t i = 3 * atom;
    for (size_t c = i; c < i + 3; c++) {
        uint32_t rest = predicted ? (uint32_t)k[c] - (uint32_t)predicted[c] : 0;
        if (predicted) costs->time += cost_of(rest);
        for (size_t d = 1; d <= DISTANCES_TRIED && d <= atom; d++) {
            costs->near[d] += cost_of((uint32_t)k[c] - (uint32_t)k[c - 3 * d]);
            if (predicted) costs->both[d] += cost_of(rest - ((uint32_t)k[c - 3 * d] - (uint32_t)predicted[c - 3 * d]));
        }
    }
}

static const int32_t *predicted_frame(const struct encoder *e, size_t f, unsigned order) {
    if (!order || !f) return NULL;
    if (order == 1 || f == 1) return e->k + (f - 1) * e->n;
    extrapolate(e->k + (f - 1) * e->n, e->k + (f - 2) * e->n, e->predicted, e->n);
    return e->predicted;
}

// Chooses the plan of each atom for the given order, and returns the estimated cost.
static uint64_t choose_plan(const struct encoder *e, unsigned order, struct costs *costs, unsigned char *plan) {
    memset(costs, 0, e->atoms * sizeof *costs);
    size_t every = (e->frames + FRAMES_TRIED - 1) / FRAMES_TRIED, tried = 0;
    for (size_t f = e->frames > 1 ? 1 : 0; f < e->frames; f += every, tried++) {
        const int32_t *predicted = predicted_frame(e, f, order);
        for (size_t a = 0; a < e->atoms; a++) add_costs(&costs[a], e->k + f * e->n, predicted, a);
    }
    // Finer classes of cost pay only if the plan is used for many frames.
    const uint32_t per_class = (uint32_t)(3 * tried << COST_BITS);
    const unsigned fineness = e->frames < 4 ? 1 : e->frames < 16 ? 2 : 4;
    const unsigned offset = 24 * fineness > CONTEXTS ? 24 * fineness - CONTEXTS : 0; // residuals have up to 24 bits
    const uint32_t bias = (uint32_t)((PLAN_COST << COST_BITS) * tried / e->frames);
    uint64_t total = 0;
    for (size_t a = 0; a < e->atoms; a++) {
        unsigned how = order ? BY_TIME : 0, distance = a > 0;
        uint32_t best = order ? costs[a].time : UINT32_MAX;
        for (unsigned d = 1; d <= DISTANCES_TRIED && d <= a; d++) {
            uint32_t extra = d > 1 ? bias : 0;
            if (costs[a].near[d] + extra < best) {
                best = costs[a].near[d] + extra;
                how = BY_REFERENCE;
                distance = d;
            }
            if (order && costs[a].both[d] + bias < best) {
                best = costs[a].both[d] + bias;
                how = BY_REFERENCE | BY_TIME;
                distance = d;
            }
        }
        if (best == UINT32_MAX) best = 0;
        total += best;
        unsigned class = (unsigned)((uint64_t)best * fineness / per_class);
        if (fineness == 1) class /= 3;
        class = class > offset ? class - offset : 0;
        plan[a] = (unsigned char)(how | distance);
        plan[e->atoms + a] = (unsigned char)(class < CONTEXTS ? class : CONTEXTS - 1);
    }
    return total;
}

static uint32_t prediction(const int32_t *k, const int32_t *predicted, unsigned how, size_t c) {
    size_t r = c - 3 * (size_t)(how & DISTANCE);
    uint32_t p = 0;
    if (how & BY_REFERENCE) p += (uint32_t)k[r];
    if (how & BY_TIME) p += (uint32_t)predicted[c];
    if ((how & BY_REFERENCE) && (how & BY_TIME)) p -= (uint32_t)predicted[r];
    return p;
}

// In frames without a prediction in time, the reference atom predicts, if there is one.
static unsigned how_in_frame(unsigned how, bool in_time) {
    if (in_time) return how;
    return (how & DISTANCE) | (how & DISTANCE ? BY_REFERENCE : 0u);
}

static void make_contexts(uint16_t *context, const unsigned char *plan, size_t atoms) {
    for (size_t a = 0; a < atoms; a++)
        for (size_t c = 0; c < 3; c++) context[3 * a + c] = plan[atoms + a];
}

// Number of bits below those of k, in a number of 24 bits.
static unsigned low_bits_of(int32_t k) {
    return k ? (unsigned)__builtin_clz((uint32_t)(k < 0 ? -k : k)) - 8 : 0;
}

// Appends the bits that k does not contain.
static int put_low_bits(const struct encoder *e, struct trj_bytes *out, struct trj_error *err) {
    uint64_t total = 0;
    for (size_t i = 0; i < e->frames * e->n; i++) total += low_bits_of(e->k[i]);
    size_t size = (size_t)(total / 8) + 1 + PADDING;
    unsigned char *space = trj_alloc(size + PADDING, 1, "low bits of coordinates", err);
    if (!space) return -1;
    uint64_t pending = 0;
    unsigned n = 0;
    unsigned char *at = space;
    for (size_t i = 0; i < e->frames * e->n; i++) {
        unsigned low = low_bits_of(e->k[i]);
        pending |= (uint64_t)(e->bits[i] & ((1u << low) - 1)) << n;
        n += low;
        for (; n >= 8; n -= 8, pending >>= 8) *at++ = (unsigned char)pending;
    }
    *at = (unsigned char)pending;
    trj_put_u64(out, size);
    trj_put_raw(out, space, size);
    free(space);
    return 0;
}

static int put_plan(const struct encoder *e, struct trj_bytes *out, struct trj_error *err) {
    size_t room = ZSTD_compressBound(2 * e->atoms);
    unsigned char *space = trj_alloc(room, 1, "plan of the prediction", err);
    if (!space) return -1;
    size_t size = ZSTD_compress(space, room, e->plan, 2 * e->atoms, PLAN_LEVEL);
    bool failed = ZSTD_isError(size);
    if (!failed) {
        trj_put_u64(out, size);
        trj_put_raw(out, space, size);
    }
    free(space);
    return failed ? trj_fail(err, TRJ_FAILED, "zstd: %s", ZSTD_getErrorName(size)) : 0;
}

static int encode(struct encoder *e, struct trj_bytes *out, struct trj_error *err) {
    static const unsigned orders[] = {0, 1, 2};
    e->exponent = choose_exponent(e);
    trj_put_u32(out, e->exponent);
    size_t order_at = out->size;
    trj_put_u32(out, 0);
    put_exceptions(e, out);
    struct costs *costs = trj_alloc(e->atoms, sizeof *costs, "costs of predictions", err);
    unsigned char *plan = trj_alloc(e->atoms, 2, "plan of the prediction", err);
    if (!costs || !plan) {
        free(costs);
        free(plan);
        return -1;
    }
    uint64_t best = UINT64_MAX;
    for (size_t i = 0; i < sizeof orders / sizeof *orders && (i == 0 || e->frames > i + 1); i++) {
        uint64_t cost = choose_plan(e, orders[i], costs, plan);
        if (cost >= best) continue;
        best = cost;
        e->order = orders[i];
        memcpy(e->plan, plan, 2 * e->atoms);
    }
    free(costs);
    free(plan);
    if (!out->failed) out->data[order_at] = (unsigned char)e->order;
    for (size_t f = 0; f < e->frames; f++) {
        const int32_t *predicted = predicted_frame(e, f, e->order), *k = e->k + f * e->n;
        uint32_t *values = e->values + f * e->n;
        for (size_t a = 0; a < e->atoms; a++) {
            unsigned how = how_in_frame(e->plan[a], predicted);
            for (size_t c = 3 * a; c < 3 * a + 3; c++)
                values[c] = trj_codec_fold((int32_t)((uint32_t)k[c] - prediction(k, predicted, how, c)));
        }
    }
    if (put_plan(e, out, err) || put_low_bits(e, out, err)) return -1;
    // The first frame has statistics of its own.
    make_contexts(e->context, e->plan, e->atoms);
    for (size_t f = 0; f < e->frames && f < 2; f++) {
        uint32_t counts[CONTEXTS][TRJ_CODEC_SYMBOLS] = {0};
        const uint32_t *values = e->values + f * e->n;
        size_t n = f ? (e->frames - 1) * e->n : e->n;
        trj_codec_entropy_count(values, n, e->context, e->n, counts);
        if (trj_codec_entropy_encode(out, values, n, e->context, e->n, counts, CONTEXTS, err)) return -1;
    }
    return out->failed ? trj_fail_memory(err, (double)out->size, "compressed coordinates") : 0;
}

int trj_codec_floats_encode(struct trj_bytes *out, const float *const *x, size_t frames, size_t atoms,
                            struct trj_error *err) {
    struct encoder e = {.frames = frames, .atoms = atoms, .n = 3 * atoms};
    static const char what[] = "compression of coordinates";
    int rc = -1;
    if ((e.bits = trj_alloc(frames * e.n, sizeof *e.bits, what, err)) &&
        (e.k = trj_alloc(frames * e.n, sizeof *e.k, what, err)) &&
        (e.predicted = trj_alloc(e.n, sizeof *e.predicted, what, err)) &&
        (e.values = trj_alloc(frames * e.n, sizeof *e.values, what, err)) &&
        (e.plan = trj_alloc(atoms, 2, what, err)) && (e.context = trj_alloc(e.n, sizeof *e.context, what, err))) {
        for (size_t i = 0; i < 3 * frames; i++)
            for (size_t a = 0; a < atoms; a++) e.bits[i / 3 * e.n + 3 * a + i % 3] = bits_of(x[i][a]);
        rc = encode(&e, out, err);
    }
    free(e.bits);
    free(e.k);
    free(e.predicted);
    free(e.values);
    free(e.plan);
    free(e.context);
    return rc;
}

// --- Decoder ---

struct decoder {
    size_t atoms, n;
    unsigned exponent, order;
    int32_t *k[3];            // of the last frames, [n] each; k[0] is being decoded
    int32_t *predicted;       // [n]
    unsigned char *plan;      // [2][atoms]
    uint16_t *context;        // [n]
    const unsigned char *low; // the low bits
    size_t low_size;
    uint64_t low_at; // position in bits
};

static int damaged(struct trj_error *err, const char *what) {
    return trj_fail(err, TRJ_BAD_DATA, "compressed coordinates: invalid %s", what);
}

static int get_plan(struct decoder *d, struct trj_cursor *from, struct trj_error *err) {
    uint64_t size = trj_get_u64(from);
    if (from->failed || size > trj_cursor_left(from)) return damaged(err, "size of the plan");
    size_t got = ZSTD_decompress(d->plan, 2 * d->atoms, from->data + from->at, (size_t)size);
    if (got != 2 * d->atoms) return damaged(err, "plan");
    from->at += (size_t)size;
    for (size_t a = 0; a < d->atoms; a++)
        if ((d->plan[a] & DISTANCE) > a || d->plan[d->atoms + a] >= CONTEXTS ||
            ((d->plan[a] & BY_REFERENCE) && !(d->plan[a] & DISTANCE)))
            return damaged(err, "plan");
    make_contexts(d->context, d->plan, d->atoms);
    return 0;
}

// Decodes k of the atoms from `first` to `end` - 1.
static void add_predictions(const struct decoder *d, const uint32_t *values, size_t first, size_t end,
                            const int32_t *predicted) {
    int32_t *k = d->k[0];
    for (size_t a = first; a < end; a++, values += 3) {
        unsigned how = how_in_frame(d->plan[a], predicted);
        for (size_t c = 0; c < 3; c++)
            k[3 * a + c] = (int32_t)((uint32_t)trj_codec_unfold(values[c]) + prediction(k, predicted, how, 3 * a + c));
    }
}

// Makes numbers of k and the low bits. The product is exact: k has at most 24 bits, unless the bytes are damaged.
static void make_numbers(struct decoder *d, float *const x[3], size_t first, size_t end) {
    const float step = (float)step_of(d->exponent);
    const size_t last = d->low_size - PADDING;
    uint64_t at = d->low_at;
    for (size_t a = first; a < end; a++)
        for (size_t c = 0; c < 3; c++) {
            uint32_t bits = bits_of((float)d->k[0][3 * a + c] * step);
            unsigned low = bits ? (d->exponent - (bits >> MANTISSA & 255)) & 31 : 0;
            size_t byte = at >> 3 < last ? (size_t)(at >> 3) : last;
            uint32_t next = trj_load_u32(d->low + byte, !trj_host_is_little_endian()) >> (at & 7);
            x[c][a] = float_of(bits | (next & ((1u << low) - 1)));
            at += low;
        }
    d->low_at = at;
}

static void decode_frame(struct decoder *d, struct trj_codec_entropy *entropy, float *const x[3],
                         const int32_t *predicted) {
    uint32_t values[PIECE];
    for (size_t i = 0; i < d->n; i += PIECE) {
        size_t n = d->n - i < PIECE ? d->n - i : PIECE;
        trj_codec_entropy_read(entropy, values, n, d->context + i);
        add_predictions(d, values, i / 3, (i + n) / 3, predicted);
        make_numbers(d, x, i / 3, (i + n) / 3);
    }
}

static int decode(struct decoder *d, struct trj_cursor *from, float *const *x, size_t frames, struct trj_error *err) {
    d->exponent = trj_get_u32(from);
    d->order = trj_get_u32(from);
    uint64_t exceptions = trj_get_u64(from);
    if (from->failed || d->exponent < EXPONENT_MIN || d->exponent > 254 || d->order > 2)
        return damaged(err, "exponent or order");
    if (exceptions > trj_cursor_left(from) / 8) return damaged(err, "number of exceptions");
    struct trj_cursor list = *from;
    from->at += (size_t)exceptions * 8;
    if (get_plan(d, from, err)) return -1;
    uint64_t size = trj_get_u64(from);
    if (from->failed || size <= PADDING || size > trj_cursor_left(from)) return damaged(err, "size of the low bits");
    d->low = from->data + from->at;
    d->low_size = (size_t)size;
    from->at += d->low_size;
    struct trj_codec_entropy entropy = {0};
    for (size_t f = 0; f < frames; f++) {
        if (f < 2) {
            if (f && trj_codec_entropy_finish(&entropy, err)) break;
            trj_codec_entropy_close(&entropy);
            if (trj_codec_entropy_open(&entropy, from, CONTEXTS, err)) return -1;
        }
        const int32_t *predicted = f && d->order ? d->k[1] : NULL;
        if (f > 1 && d->order == 2) {
            extrapolate(d->k[1], d->k[2], d->predicted, d->n);
            predicted = d->predicted;
        }
        decode_frame(d, &entropy, x + 3 * f, predicted);
        int32_t *oldest = d->k[2];
        d->k[2] = d->k[1];
        d->k[1] = d->k[0];
        d->k[0] = oldest;
    }
    int rc = trj_codec_entropy_finish(&entropy, err);
    trj_codec_entropy_close(&entropy);
    if (rc) return -1;
    if (d->low_at / 8 + 1 + PADDING != d->low_size) return damaged(err, "number of low bits");
    uint64_t at = 0;
    for (uint64_t i = 0; i < exceptions; i++) {
        at += trj_get_u32(&list);
        uint32_t bits = trj_get_u32(&list);
        if (at >= (uint64_t)frames * d->n) return damaged(err, "place of an exception");
        x[at / d->n * 3 + at % 3][at % d->n / 3] = float_of(bits);
    }
    return 0;
}

int trj_codec_floats_decode(struct trj_cursor *from, float *const *x, size_t frames, size_t atoms,
                            struct trj_error *err) {
    struct decoder d = {.atoms = atoms, .n = 3 * atoms};
    static const char what[] = "decompression of coordinates";
    int rc = -1;
    if ((d.k[0] = trj_alloc(d.n, sizeof *d.k[0], what, err)) && (d.k[1] = trj_alloc(d.n, sizeof *d.k[1], what, err)) &&
        (d.k[2] = trj_alloc(d.n, sizeof *d.k[2], what, err)) &&
        (d.predicted = trj_alloc(d.n, sizeof *d.predicted, what, err)) && (d.plan = trj_alloc(atoms, 2, what, err)) &&
        (d.context = trj_alloc(d.n, sizeof *d.context, what, err)))
        rc = decode(&d, from, x, frames, err);
    for (unsigned i = 0; i < 3; i++) free(d.k[i]);
    free(d.predicted);
    free(d.plan);
    free(d.context);
    return rc;
}
