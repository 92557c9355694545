// SPDX-License-Identifier: MIT
// Implements tabled asymmetric numeral systems with six interleaved states, whose chains of dependent loads overlap.
#include "entropy.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "byte_order.h"
#include "memory.h"
#include "variants.h"

enum {
    TABLE_BITS = 11, // rows of the tables that the encoder makes: 2^11
    TABLE_BITS_MIN = 8,
    TABLE_BITS_MAX = 12,
    // Lengths of frequencies in the stored models: 0 to 13 bits, or one of these marks.
    LENGTH_BITS = 4,
    ZEROS = 14,  // several frequencies are 0
    UNUSED = 15, // the context has no values
    ZEROS_BITS = 5,
    ZEROS_MIN = 2,
    PADDING = 8, // bytes after the coded values, so that 8 bytes can be read at each position
};

static unsigned highest_bit(uint32_t v) {
    return 31u - (unsigned)__builtin_clz(v);
}

static uint32_t first_value(unsigned symbol) {
    return symbol < 16 ? symbol : (8u + (symbol & 7)) << ((symbol >> 3) - 1);
}

// --- Models ---

TRJ_CODEC_VARIANTS
static void count_values(const uint32_t *values, size_t n, const uint16_t *context,
                         uint32_t (*counts)[TRJ_CODEC_SYMBOLS]) {
    for (size_t i = 0; i < n; i++) counts[context[i]][trj_codec_symbol(values[i])]++;
}

// This function has no TRJ_CODEC_VARIANTS itself, because the variants of an exported function would be exported, too.
void trj_codec_entropy_count(const uint32_t *values, size_t n, const uint16_t *context,
                             uint32_t (*counts)[TRJ_CODEC_SYMBOLS]) {
    count_values(values, n, context, counts);
}

// Scales counts to frequencies whose sum is 2^TABLE_BITS. Each symbol that occurs has a frequency of at least 1.
// Returns the number of values.
static uint64_t scale_counts(const uint32_t *counts, uint32_t *frequency) {
    const uint32_t rows = 1u << TABLE_BITS;
    uint64_t total = 0;
    for (unsigned s = 0; s < TRJ_CODEC_SYMBOLS; s++) total += counts[s];
    memset(frequency, 0, TRJ_CODEC_SYMBOLS * sizeof *frequency);
    if (!total) return 0;
    uint32_t sum = 0;
    for (unsigned s = 0; s < TRJ_CODEC_SYMBOLS; s++) {
        if (!counts[s]) continue;
        frequency[s] = (uint32_t)((double)counts[s] * rows / (double)total + 0.5);
        if (!frequency[s]) frequency[s] = 1;
        sum += frequency[s];
    }
    // Correct the sum where it changes the number of bits least: a step of the frequency f of a symbol that occurs c
    // times changes it by about c / f.
    while (sum != rows) {
        const double step = sum < rows ? 0.5 : -0.5;
        unsigned best = TRJ_CODEC_SYMBOLS;
        double best_gain = 0;
        for (unsigned s = 0; s < TRJ_CODEC_SYMBOLS; s++) {
            if (!counts[s] || (step < 0 && frequency[s] == 1)) continue;
            double gain = (step > 0 ? counts[s] : -(double)counts[s]) / (frequency[s] + step);
            if (best < TRJ_CODEC_SYMBOLS && gain <= best_gain) continue;
            best = s;
            best_gain = gain;
        }
        if (step > 0) {
            frequency[best]++;
            sum++;
        } else {
            frequency[best]--;
            sum--;
        }
    }
    return total;
}

// Appends bits, the lowest first, to bytes.
struct bit_writer {
    struct trj_bytes *out;
    uint64_t bits;
    unsigned n;
};

static void put_bits(struct bit_writer *w, uint32_t v, unsigned n) {
    w->bits |= (uint64_t)v << w->n;
    for (w->n += n; w->n >= 8; w->n -= 8, w->bits >>= 8) {
        unsigned char byte = w->bits & 255;
        trj_put_raw(w->out, &byte, 1);
    }
}

static uint32_t get_bits(struct trj_cursor *c, uint64_t *position, unsigned n) {
    uint32_t v = 0;
    for (unsigned i = 0; i < n; i++, ++*position) {
        if (*position / 8 >= c->size) {
            c->failed = true;
            return 0;
        }
        v |= (uint32_t)(c->data[*position / 8] >> *position % 8 & 1) << i;
    }
    return v;
}

// The length of each frequency, then its bits below the highest one. Frequencies after the one that completes the sum
// are 0 and not stored.
static void put_model(struct bit_writer *w, const uint32_t *frequency) {
    uint32_t left = 1u << TABLE_BITS;
    for (unsigned s = 0; left; s++) {
        unsigned zeros = 0;
        while (!frequency[s + zeros]) zeros++;
        if (zeros >= ZEROS_MIN) {
            unsigned max = ZEROS_MIN + (1u << ZEROS_BITS) - 1;
            if (zeros > max) zeros = max;
            put_bits(w, ZEROS, LENGTH_BITS);
            put_bits(w, zeros - ZEROS_MIN, ZEROS_BITS);
            s += zeros - 1;
        } else if (!frequency[s]) {
            put_bits(w, 0, LENGTH_BITS);
        } else {
            unsigned high = highest_bit(frequency[s]);
            put_bits(w, high + 1, LENGTH_BITS);
            put_bits(w, frequency[s] & ((1u << high) - 1), high);
            left -= frequency[s];
        }
    }
}

// An unused context gets frequencies as if all its values were 0. Returns false if the model is damaged.
static bool get_model(struct trj_cursor *c, uint64_t *position, unsigned table_bits, uint32_t *frequency) {
    uint32_t left = 1u << table_bits;
    memset(frequency, 0, TRJ_CODEC_SYMBOLS * sizeof *frequency);
    for (unsigned s = 0; left;) {
        unsigned length = get_bits(c, position, LENGTH_BITS);
        if (length == UNUSED && s == 0) {
            frequency[0] = left;
            return !c->failed;
        }
        if (c->failed || length == UNUSED || s >= TRJ_CODEC_SYMBOLS) return false;
        if (length == ZEROS) {
            s += ZEROS_MIN + get_bits(c, position, ZEROS_BITS);
            continue;
        }
        uint32_t f = length ? 1u << (length - 1) | get_bits(c, position, length - 1) : 0;
        if (f > left) return false;
        left -= f;
        frequency[s++] = f;
    }
    return !c->failed;
}

// Distributes the symbols over the rows of a table, each at distances as equal as possible: with an odd step near the
// golden section, each row is visited once.
static void spread_symbols(const uint32_t *frequency, unsigned table_bits, unsigned char *symbol_of_row) {
    const uint32_t mask = (1u << table_bits) - 1, step = (mask * 5 >> 3) | 1;
    uint32_t row = 0;
    for (unsigned s = 0; s < TRJ_CODEC_SYMBOLS; s++)
        for (uint32_t i = 0; i < frequency[s]; i++, row = (row + step) & mask) symbol_of_row[row] = (unsigned char)s;
}

// --- Encoder ---

// How a symbol changes the state. The state has 13 bits, of which the highest is 1. `bits_to_put` plus the state, in
// its upper 16 bits, is the number of low bits of the state to put. The remaining bits plus `first_row` are the index
// of the next state.
struct encode_symbol {
    uint32_t bits_to_put;
    int32_t first_row;
};

struct trj_codec_encode_table {
    struct encode_symbol symbols[TRJ_CODEC_SYMBOLS];
    uint16_t next[1u << TABLE_BITS];
};

static void make_encode_table(struct trj_codec_encode_table *t, const uint32_t *frequency) {
    const uint32_t rows = 1u << TABLE_BITS;
    unsigned char symbol_of_row[1u << TABLE_BITS];
    uint32_t next_index[TRJ_CODEC_SYMBOLS];
    uint32_t sum = 0;
    spread_symbols(frequency, TABLE_BITS, symbol_of_row);
    for (unsigned s = 0; s < TRJ_CODEC_SYMBOLS; s++) {
        uint32_t f = frequency[s];
        next_index[s] = sum;
        if (!f) continue;
        unsigned max = f == 1 ? TABLE_BITS : TABLE_BITS - highest_bit(f - 1);
        t->symbols[s].bits_to_put = (max << 16) - (f << max);
        t->symbols[s].first_row = (int32_t)sum - (int32_t)f;
        sum += f;
    }
    for (uint32_t row = 0; row < rows; row++) t->next[next_index[symbol_of_row[row]]++] = (uint16_t)(rows + row);
}

// Puts up to 56 bits before those that were put earlier.
TRJ_CODEC_INLINE void put_before(struct trj_codec_encoder *e, uint64_t v, unsigned n) {
    e->pending = e->pending << n | v;
    e->pending_bits += n;
    uint64_t top = e->pending << 1 << (63 - e->pending_bits);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    top = __builtin_bswap64(top);
#endif
    memcpy(e->first_byte - 8, &top, 8);
    e->first_byte -= e->pending_bits >> 3;
    e->pending_bits &= 7;
}

TRJ_CODEC_INLINE void encode_value(struct trj_codec_encoder *e, uint32_t value, unsigned context, uint32_t *state) {
    const struct trj_codec_encode_table *t = &e->tables[context];
    const unsigned low_bits = 28u - (unsigned)__builtin_clz(value | 8);
    const struct encode_symbol symbol = t->symbols[(low_bits << 3) + (value >> low_bits)];
    const uint32_t x = *state;
    const unsigned bits = (x + symbol.bits_to_put) >> 16;
    const uint64_t low = value & (((uint64_t)1 << low_bits) - 1);
    put_before(e, low << bits | (x & ((1u << bits) - 1)), low_bits + bits);
    *state = t->next[(int32_t)(x >> bits) + symbol.first_row];
}

TRJ_CODEC_VARIANTS
static void encode_values(struct trj_codec_encoder *encoder, const uint32_t *restrict values, size_t n,
                          const uint16_t *restrict context) {
    struct trj_codec_encoder e = *encoder;
    uint32_t u = e.state[0], v = e.state[1], w = e.state[2], x = e.state[3], y = e.state[4], z = e.state[5];
    while (n) {
        const size_t lane = (e.left - 1) % TRJ_CODEC_STATES;
        if (lane == TRJ_CODEC_STATES - 1 && n >= TRJ_CODEC_STATES) {
            const size_t groups = n / TRJ_CODEC_STATES;
            for (size_t i = 0; i < groups; i++) {
                n -= TRJ_CODEC_STATES;
                encode_value(&e, values[n + 5], context[n + 5], &z);
                encode_value(&e, values[n + 4], context[n + 4], &y);
                encode_value(&e, values[n + 3], context[n + 3], &x);
                encode_value(&e, values[n + 2], context[n + 2], &w);
                encode_value(&e, values[n + 1], context[n + 1], &v);
                encode_value(&e, values[n], context[n], &u);
            }
            e.left -= groups * TRJ_CODEC_STATES;
            continue;
        }
        n--;
        e.left--;
        uint32_t *state[TRJ_CODEC_STATES] = {&u, &v, &w, &x, &y, &z};
        encode_value(&e, values[n], context[n], state[lane]);
    }
    const uint32_t state[TRJ_CODEC_STATES] = {u, v, w, x, y, z};
    memcpy(e.state, state, sizeof state);
    *encoder = e;
}

int trj_codec_encoder_open(struct trj_codec_encoder *e, struct trj_bytes *out, size_t n,
                           uint32_t (*counts)[TRJ_CODEC_SYMBOLS], unsigned contexts, struct trj_error *err) {
    struct bit_writer models = {.out = out};
    *e = (struct trj_codec_encoder){.left = n};
    put_bits(&models, TABLE_BITS, 8);
    if (!(e->tables = trj_alloc(contexts, sizeof *e->tables, "tables of the entropy coder", err))) return -1;
    double low_bits = 0, total = 0;
    for (unsigned c = 0; c < contexts; c++) {
        uint32_t frequency[TRJ_CODEC_SYMBOLS];
        uint64_t values_here = scale_counts(counts[c], frequency);
        total += (double)values_here;
        if (!values_here) {
            put_bits(&models, UNUSED, LENGTH_BITS);
            continue;
        }
        put_model(&models, frequency);
        make_encode_table(&e->tables[c], frequency);
        for (unsigned s = 0; s < TRJ_CODEC_SYMBOLS; s++) low_bits += (double)counts[c][s] * trj_codec_low_bits(s);
    }
    if (models.n) put_bits(&models, 0, 8 - models.n);
    // Each symbol needs at most TABLE_BITS bits.
    e->capacity = (size_t)((low_bits + total * TABLE_BITS) / 8) + 64;
    if (!(e->space = trj_alloc(e->capacity + PADDING, 1, "coded values", err))) {
        free(e->tables);
        return -1;
    }
    trj_use_large_pages(e->space, e->capacity);
    e->first_byte = e->space + e->capacity;
    for (unsigned i = 0; i < TRJ_CODEC_STATES; i++) e->state[i] = 1u << TABLE_BITS;
    return 0;
}

void trj_codec_encoder_put(struct trj_codec_encoder *e, const uint32_t *values, size_t n, const uint16_t *context) {
    encode_values(e, values, n, context);
}

int trj_codec_encoder_close(struct trj_codec_encoder *e, struct trj_bytes *out, struct trj_error *err) {
    for (unsigned i = TRJ_CODEC_STATES; i-- > 0;) put_before(e, e->state[i] & ((1u << TABLE_BITS) - 1), TABLE_BITS);
    put_before(e, 1, 1); // marks the first bit
    if (e->pending_bits) put_before(e, 0, 8 - e->pending_bits);
    size_t size = (size_t)(e->space + e->capacity + PADDING - e->first_byte);
    trj_put_u64(out, size);
    trj_put_raw(out, e->first_byte, size);
    free(e->space);
    free(e->tables);
    return out->failed ? trj_fail_memory(err, (double)size, "coded values") : 0;
}

// --- Decoder ---

// A row of a table: the state without its fresh low bits, the number of these, the symbol, and the number of all bits
// that the value takes from the stream.
enum { ROW_STATE_BITS = 12, ROW_FRESH = 12, ROW_SYMBOL = 16, ROW_ALL = 24 };

// Returns at least 57 bits from position `position`, or bits of the padding if it is after the end.
static inline uint64_t load_bits(const struct trj_codec_entropy *d, uint64_t position) {
    size_t last = d->size - PADDING, byte = position >> 3 < last ? (size_t)(position >> 3) : last;
    return trj_load_u64(d->stream + byte, !trj_host_is_little_endian()) >> (position & 7);
}

// Decodes a value from `bits`, with its state and its table, and moves the position `position`.
TRJ_CODEC_INLINE uint32_t decode_bits(const struct trj_codec_entropy *d, uint64_t bits, uint64_t *position,
                                      uint32_t *state, const uint32_t *table) {
    uint32_t row = table[*state];
    unsigned fresh = row >> ROW_FRESH & 15, symbol = row >> ROW_SYMBOL & 255, all = row >> ROW_ALL;
    *state = (row & ((1u << ROW_STATE_BITS) - 1)) + ((uint32_t)bits & ((1u << fresh) - 1));
    *position += all;
    return d->first_value[symbol] + (uint32_t)((bits & (((uint64_t)1 << all) - 1)) >> fresh);
}
static inline uint32_t decode_value(const struct trj_codec_entropy *d, uint64_t *position, uint32_t *state,
                                    const uint32_t *table) {
    return decode_bits(d, load_bits(d, *position), position, state, table);
}

static void make_decode_table(uint32_t *rows, const uint32_t *frequency, unsigned table_bits) {
    unsigned char symbol_of_row[1u << TABLE_BITS_MAX];
    uint32_t next[TRJ_CODEC_SYMBOLS];
    spread_symbols(frequency, table_bits, symbol_of_row);
    memcpy(next, frequency, sizeof next);
    for (uint32_t row = 0; row < 1u << table_bits; row++) {
        unsigned symbol = symbol_of_row[row];
        uint32_t x = next[symbol]++;
        unsigned fresh = table_bits - highest_bit(x);
        uint32_t state = (x << fresh) - (1u << table_bits);
        rows[row] = state | fresh << ROW_FRESH | symbol << ROW_SYMBOL | (fresh + trj_codec_low_bits(symbol)) << ROW_ALL;
    }
}

int trj_codec_entropy_open(struct trj_codec_entropy *d, struct trj_cursor *from, unsigned contexts,
                           struct trj_error *err) {
    *d = (struct trj_codec_entropy){.contexts = contexts};
    for (unsigned s = 0; s < TRJ_CODEC_SYMBOLS; s++) d->first_value[s] = first_value(s);
    uint64_t position = (uint64_t)from->offset * 8;
    d->table_bits = get_bits(from, &position, 8);
    if (from->failed || d->table_bits < TABLE_BITS_MIN || d->table_bits > TABLE_BITS_MAX)
        return trj_fail(err, TRJ_BAD_DATA, "compressed values: invalid table size");
    d->rows = trj_alloc((size_t)contexts << d->table_bits, sizeof *d->rows, "tables of the entropy coder", err);
    if (!d->rows) return -1;
    for (unsigned c = 0; c < contexts; c++) {
        uint32_t frequency[TRJ_CODEC_SYMBOLS];
        if (!get_model(from, &position, d->table_bits, frequency)) {
            trj_codec_entropy_close(d);
            return trj_fail(err, TRJ_BAD_DATA, "compressed values: invalid model %u of %u", c + 1, contexts);
        }
        make_decode_table(d->rows + ((size_t)c << d->table_bits), frequency, d->table_bits);
    }
    from->offset = (size_t)((position + 7) / 8);
    uint64_t size = trj_get_u64(from);
    if (from->failed || size < PADDING + 1 || size > trj_cursor_left(from)) {
        trj_codec_entropy_close(d);
        return trj_fail(err, TRJ_BAD_DATA, "compressed values: the coded values are truncated");
    }
    d->stream = from->data + from->offset;
    d->size = (size_t)size;
    from->offset += d->size;
    // The first bit that is 1 precedes the states.
    if (!d->stream[0]) {
        trj_codec_entropy_close(d);
        return trj_fail(err, TRJ_BAD_DATA, "compressed values: no start mark");
    }
    d->bit_position = (unsigned)__builtin_ctz(d->stream[0]) + 1u;
    for (unsigned i = 0; i < TRJ_CODEC_STATES; i++, d->bit_position += d->table_bits)
        d->state[i] = (uint32_t)load_bits(d, d->bit_position) & ((1u << d->table_bits) - 1);
    return 0;
}

static void decode_one_by_one(struct trj_codec_entropy *d, uint32_t *values, size_t n, const uint16_t *context) {
    for (size_t i = 0; i < n; i++) {
        values[i] = decode_value(d, &d->bit_position, &d->state[d->next_state],
                                 d->rows + ((size_t)context[i] << d->table_bits));
        d->next_state = (d->next_state + 1) % TRJ_CODEC_STATES;
    }
}

// Decodes up to n values, as long as 8 bytes follow the start of each of them. Returns the number of values.
TRJ_CODEC_VARIANTS
static size_t decode_six_at_a_time(struct trj_codec_entropy *d, uint32_t *restrict values, size_t n,
                                   const uint16_t *restrict context) {
    const uint32_t *restrict rows = d->rows;
    const unsigned char *restrict stream = d->stream;
    const unsigned table_bits = d->table_bits;
    const bool swap = !trj_host_is_little_endian();
    uint64_t position = d->bit_position;
    uint32_t u = d->state[0], v = d->state[1], w = d->state[2], x = d->state[3], y = d->state[4], z = d->state[5];
    size_t i = 0;
    // A value takes at most 41 bits, so that the six start in 27 bytes.
    for (const size_t last = d->size < 40 ? 0 : d->size - 40; i + 6 <= n && position >> 3 < last; i += 6) {
#define DECODE(k, state)                                                                                               \
    values[i + (k)] = decode_bits(d, trj_load_u64(stream + (position >> 3), swap) >> (position & 7), &position,        \
                                  &(state), rows + ((size_t)context[i + (k)] << table_bits))
        DECODE(0, u);
        DECODE(1, v);
        DECODE(2, w);
        DECODE(3, x);
        DECODE(4, y);
        DECODE(5, z);
#undef DECODE
    }
    d->bit_position = position;
    const uint32_t state[TRJ_CODEC_STATES] = {u, v, w, x, y, z};
    memcpy(d->state, state, sizeof state);
    return i;
}

void trj_codec_entropy_read(struct trj_codec_entropy *d, uint32_t *values, size_t n, const uint16_t *context) {
    size_t i = d->next_state ? TRJ_CODEC_STATES - d->next_state : 0;
    if (i > n) i = n;
    decode_one_by_one(d, values, i, context);
    if (!d->next_state) i += decode_six_at_a_time(d, values + i, n - i, context + i);
    decode_one_by_one(d, values + i, n - i, context + i);
}

int trj_codec_entropy_finish(const struct trj_codec_entropy *d, struct trj_error *err) {
    bool good = d->bit_position == (uint64_t)(d->size - PADDING) * 8;
    for (unsigned i = 0; i < TRJ_CODEC_STATES; i++) good = good && !d->state[i];
    return good ? 0 : trj_fail(err, TRJ_BAD_DATA, "compressed values: they do not end where their bytes do");
}

void trj_codec_entropy_close(struct trj_codec_entropy *d) {
    free(d->rows);
    d->rows = NULL;
}
