// SPDX-License-Identifier: MIT
// Codes arrays of unsigned integers with static models, one per context. schemas/compressed_frames.md, section "Entropy
// coder", defines the bytes.
//
// A value is split into a symbol, which is its order of magnitude with three more bits, and its remaining low bits. The
// symbols are coded by tabled asymmetric numeral systems (J. Duda, arXiv:1311.2540, 2013): the state is a row of a
// table, and decoding a symbol is one look-up and a few bits from the stream. All tables have the same number of rows,
// so that each value can have another context. Three states alternate, as x, y and z do, so that the processor decodes
// three values at a time. The low bits are stored as they are, next to those of the states.
//
// A model costs 30 to 150 bytes of the stream, so that a context should have some thousand values.
#ifndef TRJ_CODEC_ENTROPY_H
#define TRJ_CODEC_ENTROPY_H

#include <stddef.h>
#include <stdint.h>

#include "byte_order.h"
#include "bytes.h"
#include "error.h"

enum {
    TRJ_CODEC_SYMBOLS = 240,       // symbols that 32-bit values can have
    TRJ_CODEC_CONTEXTS_MAX = 4096, // contexts of one stream
    TRJ_CODEC_STATES = 3,          // states that alternate
    TRJ_CODEC_PADDING = 8,         // bytes after the coded values, so that 8 bytes can be read at each position
};

// Values below 16 are symbols themselves. Larger values have a symbol for each eighth of an octave.
static inline unsigned trj_codec_symbol(uint32_t value) {
    if (value < 16) return value;
    unsigned low_bits = 28u - (unsigned)__builtin_clz(value);
    return (low_bits << 3) + (value >> low_bits);
}

// Number of low bits that follow the symbol.
static inline unsigned trj_codec_low_bits(unsigned symbol) {
    return symbol < 16 ? 0 : (symbol >> 3) - 1;
}

// Maps small values of either sign to small numbers: 0, -1, 1, -2 to 0, 1, 2, 3.
static inline uint32_t trj_codec_fold(int32_t v) {
    return (uint32_t)v << 1 ^ (uint32_t)(v >> 31);
}
static inline int32_t trj_codec_unfold(uint32_t v) {
    return (int32_t)(v >> 1 ^ (0u - (v & 1)));
}

// Adds the symbols of n values to the counts of their contexts. The context of value i is context[i % period].
void trj_codec_entropy_count(const uint32_t *values, size_t n, const uint16_t *context, size_t period,
                             uint32_t (*counts)[TRJ_CODEC_SYMBOLS]);

// Estimates the bits of all values of a context: their entropy, their low bits, and the model.
double trj_codec_entropy_cost(const uint32_t counts[TRJ_CODEC_SYMBOLS]);

// Appends models and values. counts[0] to counts[contexts - 1] must be those of trj_codec_entropy_count() for these
// values. Returns -1 and sets `err` if there is no memory.
int trj_codec_entropy_encode(struct trj_bytes *out, const uint32_t *values, size_t n, const uint16_t *context,
                             size_t period, uint32_t (*counts)[TRJ_CODEC_SYMBOLS], unsigned contexts,
                             struct trj_error *err);

struct trj_codec_entropy {
    uint32_t *rows;              // of all tables
    const unsigned char *stream; // not owned
    uint64_t at;                 // position in bits
    size_t size;                 // bytes of the stream
    uint32_t state[TRJ_CODEC_STATES];
    uint32_t first_value[TRJ_CODEC_SYMBOLS]; // of each symbol
    unsigned next_state;                     // that of the next value
    unsigned contexts, table_bits;
};

// A row of a table: the state without its fresh low bits, the number of these, the symbol, and the number of all bits
// that the value takes from the stream.
enum { TRJ_CODEC_ROW_STATE_BITS = 12, TRJ_CODEC_ROW_FRESH = 12, TRJ_CODEC_ROW_SYMBOL = 16, TRJ_CODEC_ROW_ALL = 24 };

// Returns at least 57 bits from position `at`, or bits of the padding if it is after the end.
static inline uint64_t trj_codec_load_bits(const struct trj_codec_entropy *d, uint64_t at) {
    size_t last = d->size - TRJ_CODEC_PADDING, byte = at >> 3 < last ? (size_t)(at >> 3) : last;
    return trj_load_u64(d->stream + byte, !trj_host_is_little_endian()) >> (at & 7);
}

// Decodes a value from `bits`, with its state and its table, and moves the position `at`.
static inline uint32_t trj_codec_decode_bits(const struct trj_codec_entropy *d, uint64_t bits, uint64_t *at,
                                             uint32_t *state, const uint32_t *table) {
    uint32_t row = table[*state];
    unsigned fresh = row >> TRJ_CODEC_ROW_FRESH & 15, symbol = row >> TRJ_CODEC_ROW_SYMBOL & 255,
             all = row >> TRJ_CODEC_ROW_ALL;
    *state = (row & ((1u << TRJ_CODEC_ROW_STATE_BITS) - 1)) + ((uint32_t)bits & ((1u << fresh) - 1));
    *at += all;
    return d->first_value[symbol] + (uint32_t)((bits & (((uint64_t)1 << all) - 1)) >> fresh);
}
static inline uint32_t trj_codec_decode_value(const struct trj_codec_entropy *d, uint64_t *at, uint32_t *state,
                                              const uint32_t *table) {
    return trj_codec_decode_bits(d, trj_codec_load_bits(d, *at), at, state, table);
}

// Reads the models of a stream that trj_codec_entropy_encode() has written, and moves `from` past the stream, whose
// bytes must remain valid until the decoder is closed. `contexts` must be that of the encoder. Returns -1 and sets
// `err` if the models are damaged (TRJ_BAD_DATA) or there is no memory.
int trj_codec_entropy_open(struct trj_codec_entropy *d, struct trj_cursor *from, unsigned contexts,
                           struct trj_error *err);
// Decodes the next n values; context[i] is the context of value i, below `contexts`. Damaged bytes give arbitrary
// values, which trj_codec_entropy_finish() reports.
void trj_codec_entropy_read(struct trj_codec_entropy *d, uint32_t *values, size_t n, const uint16_t *context);
// Checks that all of the stream was read, and that the states are those with which the encoder started.
int trj_codec_entropy_finish(const struct trj_codec_entropy *d, struct trj_error *err);
void trj_codec_entropy_close(struct trj_codec_entropy *d); // frees the tables; a zeroed decoder is allowed

#endif
