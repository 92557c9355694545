// SPDX-License-Identifier: MIT
// Codes arrays of unsigned integers with static models, one per context. schemas/compressed_frames.md, section "Entropy
// coder", defines the bytes.
//
// A value is split into a symbol, which is its order of magnitude with three more bits, and its remaining low bits. The
// symbols are coded by tabled asymmetric numeral systems (J. Duda, arXiv:1311.2540, 2013): the state is a row of a
// table, and decoding a symbol is one look-up and a few bits from the stream. All tables have the same number of rows,
// so that each value can have another context. Six states alternate, so that the processor decodes six values at a
// time. The low bits are stored as they are, next to those of the states.
//
// A model costs 30 to 150 bytes of the stream, so that a context should have some thousand values.
#ifndef TRJ_CODEC_ENTROPY_H
#define TRJ_CODEC_ENTROPY_H

#include <stddef.h>
#include <stdint.h>

#include "bytes.h"
#include "error.h"

enum {
    TRJ_CODEC_SYMBOLS = 240,       // symbols that 32-bit values can have
    TRJ_CODEC_CONTEXTS_MAX = 4096, // contexts of one stream
    TRJ_CODEC_STATES = 6,          // states that alternate
};

// Values below 16 are symbols themselves. Larger values have a symbol for each eighth of an octave.
static inline unsigned trj_codec_symbol(uint32_t value) {
    unsigned low_bits = 28u - (unsigned)__builtin_clz(value | 8);
    return (low_bits << 3) + (value >> low_bits);
}

// Number of low bits that follow the symbol.
static inline unsigned trj_codec_low_bits(unsigned symbol) {
    return symbol < 16 ? 0 : (symbol >> 3) - 1;
}

// Maps small values of either sign to small numbers: 0, -1, 1, -2 to 0, 1, 2, 3.
static inline uint32_t trj_codec_fold(int32_t v) {
    return (uint32_t)v << 1 ^ (v < 0 ? UINT32_MAX : 0);
}
static inline int32_t trj_codec_unfold(uint32_t v) {
    return (int32_t)(v >> 1 ^ (0u - (v & 1)));
}

// Adds the symbols of n values to the counts of their contexts. The context of value i is context[i].
void trj_codec_entropy_count(const uint32_t *values, size_t n, const uint16_t *context,
                             uint32_t (*counts)[TRJ_CODEC_SYMBOLS]);

struct trj_codec_encoder {
    struct trj_codec_encode_table *tables; // of the contexts
    unsigned char *space;                  // [capacity], filled from its end
    unsigned char *first_byte;             // the first byte that is written
    size_t capacity, left;                 // left: values that are not coded yet
    uint64_t pending;                      // its lowest `pending_bits` are not written yet
    unsigned pending_bits;                 // below 8
    uint32_t state[TRJ_CODEC_STATES];
};

// Appends the models of n values to `out` and starts an encoder. counts[0] to counts[contexts - 1] must be those of
// trj_codec_entropy_count() for these values. Returns -1 and sets `err` if there is no memory.
int trj_codec_encoder_open(struct trj_codec_encoder *e, struct trj_bytes *out, size_t n,
                           uint32_t (*counts)[TRJ_CODEC_SYMBOLS], unsigned contexts, struct trj_error *err);
// Codes n values with their contexts. The last values of the series are given first.
void trj_codec_encoder_put(struct trj_codec_encoder *e, const uint32_t *values, size_t n, const uint16_t *context);
// Appends the coded values after all have been given, and frees the encoder. Returns -1 and sets `err` if there is no
// memory.
int trj_codec_encoder_close(struct trj_codec_encoder *e, struct trj_bytes *out, struct trj_error *err);

struct trj_codec_entropy {
    uint32_t *rows;              // of all tables
    const unsigned char *stream; // not owned
    uint64_t bit_position;       // position in bits
    size_t size;                 // bytes of the stream
    uint32_t state[TRJ_CODEC_STATES];
    uint32_t first_value[TRJ_CODEC_SYMBOLS]; // of each symbol
    unsigned next_state;                     // that of the next value
    unsigned contexts, table_bits;
};

// Reads the models of a stream that an encoder has written, and moves `from` past the stream, whose
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
