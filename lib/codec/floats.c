// SPDX-License-Identifier: MIT
// Implements the codec of coordinates that have no common decimal step, by prediction of integers and separate low
// bits.
#include "floats.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "byte_order.h"
#include "entropy.h"
#include "memory.h"
#include "variants.h"

enum {
    // How an atom is predicted, in the first plane of the plan: bits, and the distance to the reference atom.
    BY_REFERENCE = 64,
    BY_TIME = 128,
    DISTANCE = 63,
    DISTANCES_TRIED = 6,
    CONTEXTS = 32,
    ATOMS_TRIED = 1 << 16, // atoms that decide on the step
    BLOCK = 512,           // atoms whose costs are computed together
    BLOCKS_TRIED = 8,      // blocks that decide on the order
    FRAMES_TRIED = 6,      // frames that decide on the plan
    COST_BITS = 4,         // costs are in units of 2^-4 bits
    PLAN_COST = 10,        // bits that a plan must save per chunk to be chosen instead of the default
    EXPONENT_MIN = 24,     // smallest exponent of the step, so that all numbers with a k are normal
    MANTISSA = 23,
    PIECE = 1000,   // atoms that are decoded at a time
    PADDING = 8,    // bytes after the low bits, so that 8 bytes can be read at each position
    PLAN_LEVEL = 3, // of zstd
};

static inline uint32_t bits_of(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits) {
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

// Extrapolates from the previous frame k1 and the one before it, k2.
static void extrapolate(const int32_t *k1, const int32_t *k2, int32_t *predicted, size_t n) {
    for (size_t i = 0; i < n; i++) predicted[i] = (int32_t)(2u * (uint32_t)k1[i] - (uint32_t)k2[i]);
}

// --- Encoder ---

// Bits, the lowest first.
struct bit_stream {
    unsigned char *start, *next;
    uint64_t pending;
    unsigned n; // of pending, below 32
};

struct encoder {
    const float *const *x;
    size_t frames, atoms, n; // n: numbers of a frame, which are x, y and z of each atom
    unsigned exponent;       // of the step; numbers with a smaller one have bits that k does not contain
    unsigned order;          // 0: frames are independent; 1: the frame before predicts; 2: two frames, extrapolated
    int32_t *k;              // [frames][n], which the residuals replace
    int32_t *predicted;      // [n]
    unsigned char *plan;     // [2][atoms]
    uint16_t *context;       // [n]
    struct bit_stream low;
};

// Returns the largest exponent that more than one in 2^12 numbers have or exceed, in a sample of the atoms. Numbers
// with a larger exponent go to the list.
static unsigned choose_exponent(const struct encoder *e) {
    size_t counts[256] = {0}, step = e->atoms * e->frames / ATOMS_TRIED + 1, tried = 0;
    for (size_t i = 0; i < 3 * e->frames; i++)
        for (size_t a = i / 3 % step; a < e->atoms; a += step, tried++) counts[bits_of(e->x[i][a]) >> MANTISSA & 255]++;
    size_t found = 0;
    unsigned exponent = 254;
    for (; exponent > EXPONENT_MIN; exponent--) {
        found += counts[exponent];
        if (found > tried >> 12) break;
    }
    return exponent;
}

// Splits a number into k, which is returned, and its low bits. Returns false in *has_k if the number is not 0 and its
// exponent is above that of the step or more than 23 below it.
static inline int32_t split_number(unsigned exponent, uint32_t bits, unsigned *low_bits, bool *has_k) {
    unsigned low = exponent - (bits >> MANTISSA & 255);
    *has_k = low <= MANTISSA || !bits;
    *low_bits = low <= MANTISSA ? low : 0;
    if (low > MANTISSA) return 0;
    int32_t k = (int32_t)(((bits & ((1u << MANTISSA) - 1)) | 1u << MANTISSA) >> low);
    int32_t sign = -(int32_t)(bits >> 31);
    return (k ^ sign) - sign;
}

static inline void put_low_bits(struct bit_stream *s, uint32_t bits, unsigned n) {
    s->pending |= (uint64_t)(bits & ((1u << n) - 1)) << s->n;
    s->n += n;
    if (s->n < 32) return;
    const unsigned char four[4] = {(unsigned char)s->pending, (unsigned char)(s->pending >> 8),
                                   (unsigned char)(s->pending >> 16), (unsigned char)(s->pending >> 24)};
    memcpy(s->next, four, 4);
    s->next += 4;
    s->pending >>= 32;
    s->n -= 32;
}

// Computes k and the low bits of all numbers, and stores the numbers without a k, whose k is then 0.
TRJ_CODEC_VARIANTS
static void split_numbers(struct encoder *e, struct trj_bytes *out) {
    size_t count_at = out->size;
    uint64_t count = 0, last = 0;
    const unsigned exponent = e->exponent;
    struct bit_stream low = e->low;
    trj_put_u64(out, 0);
    for (size_t f = 0; f < e->frames; f++)
        for (size_t a = 0; a < e->atoms; a++)
            for (size_t c = 0; c < 3; c++) {
                uint64_t index = (uint64_t)f * e->n + 3 * a + c;
                uint32_t bits = bits_of(e->x[3 * f + c][a]);
                unsigned low_bits;
                bool has_k;
                e->k[index] = split_number(exponent, bits, &low_bits, &has_k);
                put_low_bits(&low, bits, low_bits);
                if (has_k) continue;
                trj_put_u32(out, (uint32_t)(index - last));
                trj_put_u32(out, bits);
                last = index;
                count++;
            }
    e->low = low;
    for (unsigned i = 0; i < 8 && !out->failed; i++) out->data[count_at + i] = (unsigned char)(count >> 8 * i);
}

// About log2(|v| + 1), in units of 2^-COST_BITS.
static inline uint16_t cost_of(uint32_t v) {
    int32_t s = (int32_t)v;
    float magnitude = (float)(s < 0 ? -s : s) + 1;
    return (uint16_t)((bits_of(magnitude) >> (MANTISSA - COST_BITS)) - (127u << COST_BITS));
}

// Costs of atoms that follow each other, for each way to predict them.
struct costs {
    uint16_t time[3 * BLOCK], near[DISTANCES_TRIED][3 * BLOCK], both[DISTANCES_TRIED][3 * BLOCK];
};

// Adds the costs of n numbers, of which the first is number i of the frame.
TRJ_CODEC_VARIANTS
static void add_costs(struct costs *costs, const int32_t *k, const int32_t *predicted, size_t i, size_t n) {
    for (size_t c = 0; predicted && c < n; c++)
        costs->time[c] += cost_of((uint32_t)k[i + c] - (uint32_t)predicted[i + c]);
    for (size_t d = 1; d <= DISTANCES_TRIED; d++) {
        size_t first = i < 3 * d ? 3 * d - i : 0; // atoms before have no reference at this distance
        const int32_t *reference = k + i - 3 * d;
        for (size_t c = first; c < n; c++)
            costs->near[d - 1][c] += cost_of((uint32_t)k[i + c] - (uint32_t)reference[c]);
        if (!predicted) continue;
        const int32_t *reference_predicted = predicted + i - 3 * d;
        for (size_t c = first; c < n; c++)
            costs->both[d - 1][c] += cost_of((uint32_t)k[i + c] - (uint32_t)predicted[i + c] -
                                             ((uint32_t)reference[c] - (uint32_t)reference_predicted[c]));
    }
}

// Returns the frame that predicts frame f: the previous one, or an extrapolation. NULL: frame f is not predicted in
// time.
static const int32_t *predicted_frame(const struct encoder *e, size_t f, unsigned order, size_t i, size_t n) {
    if (!order || !f) return NULL;
    const int32_t *before = e->k + (f - 1) * e->n;
    if (order == 1 || f == 1) return before;
    extrapolate(before + i, before - e->n + i, e->predicted + i, n);
    return e->predicted;
}

static uint32_t cost_of_atom(const uint16_t *cost) {
    return (uint32_t)cost[0] + cost[1] + cost[2];
}

// How the plans of a chunk are chosen.
struct choice {
    size_t every, tried; // frames: one of `every`, together `tried`
    uint32_t bias;       // a plan must be better than the default by this cost
    unsigned fineness;   // classes of cost for each bit; finer ones pay only if the plan is used for many frames
};

// Chooses the plans of n atoms from `first`, with the given order, and returns the estimated cost. plan NULL: the plans
// are not stored.
static uint64_t choose_plans(const struct encoder *e, const struct choice *choice, unsigned order, size_t first,
                             size_t n, struct costs *costs, unsigned char *plan) {
    size_t before = first < DISTANCES_TRIED ? first : DISTANCES_TRIED;
    memset(costs, 0, sizeof *costs);
    for (size_t f = e->frames > 1 ? 1 : 0; f < e->frames; f += choice->every) {
        const int32_t *predicted = predicted_frame(e, f, order, 3 * (first - before), 3 * (n + before));
        add_costs(costs, e->k + f * e->n, predicted, 3 * first, 3 * n);
    }
    const uint32_t per_bit = (uint32_t)(3 * choice->tried << COST_BITS);
    const unsigned fineness = choice->fineness;
    // Residuals have up to 24 bits.
    const unsigned offset = 24 * fineness > CONTEXTS ? 24 * fineness - CONTEXTS : 0;
    uint64_t total = 0;
    for (size_t a = 0; a < n; a++) {
        size_t atom = first + a;
        unsigned how = order ? BY_TIME : 0, distance = atom > 0;
        uint32_t best = order ? cost_of_atom(costs->time + 3 * a) : UINT32_MAX;
        for (unsigned d = 1; d <= DISTANCES_TRIED && d <= atom; d++) {
            uint32_t near = cost_of_atom(costs->near[d - 1] + 3 * a) + (d > 1 ? choice->bias : 0);
            uint32_t both = order ? cost_of_atom(costs->both[d - 1] + 3 * a) + choice->bias : UINT32_MAX;
            if (near < best) {
                best = near;
                how = BY_REFERENCE;
                distance = d;
            }
            if (both < best) {
                best = both;
                how = BY_REFERENCE | BY_TIME;
                distance = d;
            }
        }
        if (best == UINT32_MAX) best = 0;
        total += best;
        if (!plan) continue;
        unsigned class = best * fineness / per_bit;
        if (fineness == 1) class /= 3;
        class = class > offset ? class - offset : 0;
        plan[atom] = (unsigned char)(how | distance);
        plan[e->atoms + atom] = (unsigned char)(class < CONTEXTS ? class : CONTEXTS - 1);
    }
    return total;
}

// Chooses the order from some blocks of atoms, then the plans of all atoms.
static void choose_prediction(struct encoder *e, struct costs *costs) {
    struct choice choice = {.fineness = e->frames < 4 ? 1 : e->frames < 16 ? 2 : 4};
    choice.every = (e->frames + FRAMES_TRIED - 1) / FRAMES_TRIED;
    choice.tried = e->frames > 1 ? (e->frames - 2) / choice.every + 1 : 1;
    choice.bias = (uint32_t)((PLAN_COST << COST_BITS) * choice.tried / e->frames);
    uint64_t best = UINT64_MAX;
    size_t step = BLOCK * (e->atoms / BLOCK / BLOCKS_TRIED + 1);
    for (unsigned order = 0; order <= 2 && (order == 0 || e->frames > order + 1); order++) {
        uint64_t cost = 0;
        for (size_t a = 0; a < e->atoms; a += step)
            cost += choose_plans(e, &choice, order, a, e->atoms - a < BLOCK ? e->atoms - a : BLOCK, costs, NULL);
        if (cost >= best) continue;
        best = cost;
        e->order = order;
    }
    for (size_t a = 0; a < e->atoms; a += BLOCK)
        choose_plans(e, &choice, e->order, a, e->atoms - a < BLOCK ? e->atoms - a : BLOCK, costs, e->plan);
}

// In frames without a prediction in time, the reference atom predicts, if there is one.
static inline unsigned how_in_frame(unsigned how, bool in_time) {
    if (in_time) return how;
    return (how & DISTANCE) | (how & DISTANCE ? BY_REFERENCE : 0u);
}

// Predicts the numbers from c to c + 2. `predicted` must not be NULL.
static inline void predict_atom(const int32_t *k, const int32_t *predicted, unsigned how, size_t c, uint32_t p[3]) {
    const uint32_t near = how & BY_REFERENCE ? UINT32_MAX : 0, time = how & BY_TIME ? UINT32_MAX : 0;
    const size_t r = c - 3 * (size_t)(how & DISTANCE);
    for (size_t i = 0; i < 3; i++)
        p[i] = ((uint32_t)k[r + i] & near) + ((uint32_t)predicted[c + i] & time) -
               ((uint32_t)predicted[r + i] & near & time);
}

static void make_contexts(uint16_t *context, const unsigned char *plan, size_t atoms) {
    for (size_t a = 0; a < atoms; a++)
        for (size_t c = 0; c < 3; c++) context[3 * a + c] = plan[atoms + a];
}

static int put_plan(const struct encoder *e, struct trj_bytes *out, struct trj_error *err) {
    size_t capacity = ZSTD_compressBound(2 * e->atoms);
    unsigned char *space = trj_alloc(capacity, 1, "plan of the prediction", err);
    if (!space) return -1;
    size_t size = ZSTD_compress(space, capacity, e->plan, 2 * e->atoms, PLAN_LEVEL);
    bool failed = ZSTD_isError(size);
    if (!failed) {
        trj_put_u64(out, size);
        trj_put_raw(out, space, size);
    }
    free(space);
    return failed ? trj_fail(err, TRJ_FAILED, "zstd: %s", ZSTD_getErrorName(size)) : 0;
}

// Replaces the integers of a frame by residuals, from the last one to the first, and counts their symbols. The frames
// before it must have their integers.
TRJ_CODEC_VARIANTS
static void make_residuals(const struct encoder *e, size_t f, uint32_t (*counts)[TRJ_CODEC_SYMBOLS]) {
    int32_t *k = e->k + f * e->n;
    const int32_t *predicted = predicted_frame(e, f, e->order, 0, e->n);
    for (size_t a = e->atoms; a-- > 0;) {
        uint32_t p[3];
        predict_atom(k, predicted ? predicted : k, how_in_frame(e->plan[a], predicted), 3 * a, p);
        uint32_t *count = counts[e->plan[e->atoms + a]];
        for (size_t i = 0; i < 3; i++) {
            uint32_t value = trj_codec_fold((int32_t)((uint32_t)k[3 * a + i] - p[i]));
            k[3 * a + i] = (int32_t)value;
            count[trj_codec_symbol(value)]++;
        }
    }
}

static int encode(struct encoder *e, struct trj_bytes *out, struct trj_error *err) {
    e->exponent = choose_exponent(e);
    trj_put_u32(out, e->exponent);
    size_t order_at = out->size;
    trj_put_u32(out, 0);
    split_numbers(e, out);
    struct costs *costs = trj_alloc(1, sizeof *costs, "costs of predictions", err);
    if (!costs) return -1;
    choose_prediction(e, costs);
    free(costs);
    if (!out->failed) out->data[order_at] = (unsigned char)e->order;
    if (put_plan(e, out, err)) return -1;
    for (unsigned i = 0; i < 4 + PADDING; i++, e->low.pending >>= 8) e->low.next[i] = (unsigned char)e->low.pending;
    size_t low_size = (size_t)(e->low.next - e->low.start) + e->low.n / 8 + 1 + PADDING;
    trj_put_u64(out, low_size);
    trj_put_raw(out, e->low.start, low_size);
    // The first frame has statistics of its own.
    make_contexts(e->context, e->plan, e->atoms);
    uint32_t counts[2][CONTEXTS][TRJ_CODEC_SYMBOLS] = {0};
    for (size_t f = e->frames; f-- > 0;) make_residuals(e, f, counts[f > 0]);
    for (size_t f = 0; f < e->frames && f < 2; f++) {
        struct trj_codec_encoder encoder;
        size_t end = f ? e->frames : 1;
        if (trj_codec_encoder_open(&encoder, out, (end - f) * e->n, counts[f], CONTEXTS, err)) return -1;
        for (size_t i = end; i-- > f;)
            trj_codec_encoder_put(&encoder, (const uint32_t *)e->k + i * e->n, e->n, e->context);
        if (trj_codec_encoder_close(&encoder, out, err)) return -1;
    }
    return out->failed ? trj_fail_memory(err, (double)out->size, "compressed coordinates") : 0;
}

int trj_codec_floats_encode(struct trj_bytes *out, const float *const *x, size_t frames, size_t atoms,
                            struct trj_error *err) {
    struct encoder e = {.x = x, .frames = frames, .atoms = atoms, .n = 3 * atoms};
    static const char what[] = "compression of coordinates";
    int rc = -1;
    if (!(e.k = trj_alloc(frames * e.n, sizeof *e.k, what, err))) goto out;
    if (!(e.predicted = trj_alloc(e.n, sizeof *e.predicted, what, err))) goto out;
    if (!(e.plan = trj_alloc(atoms, 2, what, err))) goto out;
    if (!(e.context = trj_alloc(e.n, sizeof *e.context, what, err))) goto out;
    e.low.start = e.low.next = trj_alloc(frames * e.n + 8, 3, what, err); // 23 bits of a number at most
    if (!e.low.start) goto out;
    trj_use_large_pages(e.k, frames * e.n * sizeof *e.k);
    trj_use_large_pages(e.low.start, frames * e.n * 3);
    rc = encode(&e, out, err);
out:
    free(e.k);
    free(e.predicted);
    free(e.plan);
    free(e.context);
    free(e.low.start);
    return rc;
}

// --- Decoder ---

// The three coordinates of an atom, and one that is not used, so that vector instructions apply.
typedef int32_t point __attribute__((vector_size(16)));
typedef uint32_t unsigned_point __attribute__((vector_size(16)));
typedef float float_point __attribute__((vector_size(16)));

struct trj_codec_floats {
    size_t frames, atoms, n, next;
    struct trj_cursor from, exceptions;
    struct trj_codec_entropy entropy;
    uint64_t place; // of the last exception
    unsigned exponent, order;
    unsigned_point *k[3];      // of the last frames, [atoms] each; k[0] is being decoded
    unsigned_point *predicted; // [atoms]
    unsigned char *plan;       // [2][atoms]
    uint16_t *context;         // [n]
    const unsigned char *low;  // the low bits
    size_t low_size;
    uint64_t low_at; // position in bits
};

static int damaged(struct trj_error *err, const char *what) {
    return trj_fail(err, TRJ_BAD_DATA, "compressed coordinates: invalid %s", what);
}

static int get_plan(struct trj_codec_floats *d, struct trj_error *err) {
    struct trj_cursor *from = &d->from;
    uint64_t size = trj_get_u64(from);
    if (from->failed || size > trj_cursor_left(from)) return damaged(err, "size of the plan");
    size_t got = ZSTD_decompress(d->plan, 2 * d->atoms, from->data + from->offset, (size_t)size);
    if (ZSTD_getErrorCode(got) == ZSTD_error_memory_allocation)
        return trj_fail_memory(err, 2.0 * (double)d->atoms, "unpacking");
    if (got != 2 * d->atoms) return damaged(err, "plan");
    from->offset += (size_t)size;
    for (size_t a = 0; a < d->atoms; a++)
        if ((d->plan[a] & DISTANCE) > a || d->plan[d->atoms + a] >= CONTEXTS ||
            ((d->plan[a] & BY_REFERENCE) && !(d->plan[a] & DISTANCE)))
            return damaged(err, "plan");
    make_contexts(d->context, d->plan, d->atoms);
    return 0;
}

// Decodes k of the atoms from `first` to `end` - 1. values[3 * (end - first)] is read, but not used.
TRJ_CODEC_VARIANTS
static void add_predictions(const struct trj_codec_floats *d, const uint32_t *values, size_t first, size_t end,
                            const unsigned_point *predicted) {
    const unsigned_point one = {1, 1, 1, 1};
    unsigned_point *k = d->k[0];
    for (size_t a = first; a < end; a++, values += 3) {
        unsigned_point v;
        memcpy(&v, values, sizeof v);
        v = (v >> 1) ^ -(v & one); // trj_codec_unfold
        size_t distance = d->plan[a] & DISTANCE;
        if (predicted) {
            const unsigned_point near = one * -(uint32_t)(d->plan[a] / BY_REFERENCE & 1);
            const unsigned_point time = one * -(uint32_t)(d->plan[a] / BY_TIME);
            v += (k[a - distance] & near) + ((predicted[a] - (predicted[a - distance] & near)) & time);
        } else if (distance) {
            v += k[a - distance];
        }
        k[a] = v;
    }
}

static inline uint64_t load_low(const struct trj_codec_floats *d, size_t last, uint64_t bit, bool swap) {
    return trj_load_u64(d->low + (bit >> 3 < last ? (size_t)(bit >> 3) : last), swap) >> (bit & 7);
}

// Makes numbers of k and the low bits, and writes them to x. The product is exact: k has at most 24 bits, unless the
// bytes are damaged.
TRJ_CODEC_VARIANTS
static void make_numbers(struct trj_codec_floats *d, float *const x[3], size_t first, size_t n) {
    const float step = (float)step_of(d->exponent);
    const size_t last = d->low_size - PADDING;
    const bool swap = !trj_host_is_little_endian();
    const unsigned_point exponent = (unsigned_point){1, 1, 1, 1} * d->exponent;
    uint64_t bit = d->low_at;
    float *restrict const to[3] = {x[0], x[1], x[2]};
    for (size_t a = 0; a < n; a++) {
        unsigned_point bits = (unsigned_point)(__builtin_convertvector((point)d->k[0][first + a], float_point) * step);
        unsigned_point low = (exponent - (bits >> MANTISSA & 255)) & (unsigned_point)(bits != 0) & 31;
        // Three numbers have at most 69 low bits, and a load gives at least 57.
        const uint32_t two = low[0] + low[1];
        uint64_t next = load_low(d, last, bit, swap);
        to[0][a] = float_of(bits[0] | ((uint32_t)next & ((1u << low[0]) - 1)));
        to[1][a] = float_of(bits[1] | ((uint32_t)(next >> low[0]) & ((1u << low[1]) - 1)));
        next = two + low[2] <= 57 ? next >> two : load_low(d, last, bit + two, swap);
        to[2][a] = float_of(bits[2] | ((uint32_t)next & ((1u << low[2]) - 1)));
        bit += two + low[2];
    }
    d->low_at = bit;
}

static void decode_frame(struct trj_codec_floats *d, float *const x[3], const unsigned_point *predicted) {
    uint32_t values[3 * PIECE + 1];
    float unused[3][PIECE];
    values[3 * PIECE] = 0;
    for (size_t a = 0; a < d->atoms; a += PIECE) {
        size_t n = d->atoms - a < PIECE ? d->atoms - a : PIECE;
        // cppcheck-suppress legacyUninitvar ; make_numbers sets it
        float *const to[3] = {x ? x[0] + a : unused[0], x ? x[1] + a : unused[1], x ? x[2] + a : unused[2]};
        trj_codec_entropy_read(&d->entropy, values, 3 * n, d->context + 3 * a);
        add_predictions(d, values, a, a + n, predicted);
        make_numbers(d, to, a, n);
    }
}

// Replaces the numbers of a frame that are in the list.
static void take_exceptions(struct trj_codec_floats *d, float *const x[3]) {
    const uint64_t first = (uint64_t)d->next * d->n;
    while (trj_cursor_left(&d->exceptions)) {
        size_t before = d->exceptions.offset;
        uint64_t place = d->place + trj_get_u32(&d->exceptions);
        uint32_t bits = trj_get_u32(&d->exceptions);
        if (place >= first + d->n) {
            d->exceptions.offset = before;
            return;
        }
        d->place = place;
        if (x) x[place % 3][(place - first) / 3] = float_of(bits);
    }
}

static int read_head(struct trj_codec_floats *d, struct trj_error *err) {
    struct trj_cursor *from = &d->from;
    d->exponent = trj_get_u32(from);
    d->order = trj_get_u32(from);
    uint64_t exceptions = trj_get_u64(from);
    if (from->failed || d->exponent < EXPONENT_MIN || d->exponent > 254 || d->order > 2)
        return damaged(err, "exponent or order");
    if (exceptions > trj_cursor_left(from) / 8) return damaged(err, "number of exceptions");
    d->exceptions = (struct trj_cursor){.data = from->data + from->offset, .size = (size_t)exceptions * 8};
    from->offset += d->exceptions.size;
    if (get_plan(d, err)) return -1;
    uint64_t size = trj_get_u64(from);
    if (from->failed || size <= PADDING || size > trj_cursor_left(from)) return damaged(err, "size of the low bits");
    d->low = from->data + from->offset;
    d->low_size = (size_t)size;
    from->offset += d->low_size;
    return trj_codec_entropy_open(&d->entropy, from, CONTEXTS, err);
}

int trj_codec_floats_open(struct trj_codec_floats **result, const struct trj_cursor *data, size_t frames, size_t atoms,
                          struct trj_error *err) {
    static const char what[] = "decompression of coordinates";
    struct trj_codec_floats *d = trj_alloc(1, sizeof *d, what, err);
    if (!d) return -1;
    d->frames = frames;
    d->atoms = atoms;
    d->n = 3 * atoms;
    d->from = *data;
    if (!(d->k[0] = trj_alloc(atoms, sizeof *d->k[0], what, err))) goto out;
    if (!(d->plan = trj_alloc(atoms, 2, what, err))) goto out;
    if (!(d->context = trj_alloc(d->n, sizeof *d->context, what, err))) goto out;
    if (read_head(d, err)) goto out;
    // The integers of as many previous frames as may predict.
    bool one = d->order && frames > 1, two = d->order > 1 && frames > 2;
    if (one && !(d->k[1] = trj_alloc(atoms, sizeof *d->k[1], what, err))) goto out;
    if (two && !(d->k[2] = trj_alloc(atoms, sizeof *d->k[2], what, err))) goto out;
    if (two && !(d->predicted = trj_alloc(atoms, sizeof *d->predicted, what, err))) goto out;
    *result = d;
    return 0;
out:
    trj_codec_floats_close(d);
    return -1;
}

// Makes the buffer of the oldest integers that of the next frame.
static void keep_integers(struct trj_codec_floats *d) {
    unsigned kept = d->k[2] ? 2 : d->k[1] ? 1 : 0;
    unsigned_point *oldest = d->k[kept];
    for (unsigned i = kept; i > 0; i--) d->k[i] = d->k[i - 1];
    d->k[0] = oldest;
}

int trj_codec_floats_next(struct trj_codec_floats *d, float *const x[3], struct trj_error *err) {
    const size_t f = d->next;
    if (f == 1) {
        if (trj_codec_entropy_finish(&d->entropy, err)) return -1;
        trj_codec_entropy_close(&d->entropy);
        if (trj_codec_entropy_open(&d->entropy, &d->from, CONTEXTS, err)) return -1;
    }
    const unsigned_point *predicted = f && d->order ? d->k[1] : NULL;
    if (f > 1 && d->order == 2) {
        for (size_t a = 0; a < d->atoms; a++) d->predicted[a] = 2 * d->k[1][a] - d->k[2][a];
        predicted = d->predicted;
    }
    decode_frame(d, x, predicted);
    take_exceptions(d, x);
    keep_integers(d);
    d->next++;
    if (d->next < d->frames) return 0;
    if (trj_codec_entropy_finish(&d->entropy, err)) return -1;
    if (d->low_at / 8 + 1 + PADDING != d->low_size) return damaged(err, "number of low bits");
    if (trj_cursor_left(&d->exceptions)) return damaged(err, "place of an exception");
    return trj_cursor_left(&d->from) ? damaged(err, "number of bytes") : 0;
}

void trj_codec_floats_close(struct trj_codec_floats *d) {
    if (!d) return;
    trj_codec_entropy_close(&d->entropy);
    for (unsigned i = 0; i < 3; i++) free(d->k[i]);
    free(d->predicted);
    free(d->plan);
    free(d->context);
    free(d);
}
