// SPDX-License-Identifier: MIT
// The parts of the XTC unpacker that its instruction sets share; xtc_unpack.c describes the format.
#ifndef TRJ_XTC_UNPACK_PARTS_H
#define TRJ_XTC_UNPACK_PARTS_H

#include <stdbool.h>
#include <string.h>

#include "instruction_set.h"
#include "xtc_unpack.h"

enum {
    TRJ_XTC_GATHERED = 512, // atoms that are collected before they are converted
    TRJ_XTC_MAX_RUN = 10,   // small atoms in a row
    TRJ_XTC_VECTOR = 8,     // atoms in a vector
    TRJ_XTC_MAX_LOAD = 57,  // bits that one load returns at any bit
};

// For a number of bits: those in whole bytes, and a mask. For the size of a digit: `shift` and `inverse` below.
#define TRJ_XTC_BYTES(bits)   ((bits) / 8 * 8)
#define TRJ_XTC_MASK(bits)    (((uint64_t)1 << (bits)) - 1)
#define TRJ_XTC_SHIFT(size)   (63u - (unsigned)__builtin_clzll((size)-1))
#define TRJ_XTC_INVERSE(size) ((uint64_t)((((unsigned __int128)1 << (64 + TRJ_XTC_SHIFT(size))) + (size)-1) / (size)))

// How three digits are stored.
struct trj_xtc_digits {
    enum { QUICK, WIDE, ONE_BY_ONE } kind;
    unsigned bits, each[3]; // of all three digits; of each, if stored one by one
    unsigned whole, left;   // bits in whole bytes; 64 - bits
    uint64_t low, rest;     // masks of the whole bytes, and of the bits after them
    uint32_t size[3];
    // [1], [2]: 2^(64 + shift) / size, rounded up, with the shift that makes it use all 64 bits. The quotient is exact
    // for numbers below 2^63, because the inverse is too large by less than 1, and at least 2^63.
    uint64_t inverse[3];
    unsigned shift[3];
    double reciprocal[3]; // [1], [2]: 1 / size
};
extern const struct trj_xtc_digits trj_xtc_smalls[TRJ_XTC_SMALL_LAST - TRJ_XTC_SMALL_FIRST + 1];

struct trj_xtc_unpacker {
    const struct trj_packed *b;
    struct trj_xtc_digits whole;
    int32_t small; // bits; TRJ_XTC_SMALL_LAST + 1 is allowed as long as no small atom follows
    unsigned run;  // number of small atoms after each whole one
    uint64_t bit;
    float unit;
    float farthest; // largest magnitude of all coordinates that were converted
};

// Returns the next bits, highest first; at least 57 of them are valid.
static inline uint64_t trj_xtc_look(const unsigned char *data, uint64_t bit) {
    uint64_t v;
    memcpy(&v, data + (bit >> 3), sizeof v);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v << (bit & 7);
}

// Unpacks and converts groups of a whole atom and its small ones to x[k], until they are at least TRJ_XTC_GATHERED of
// `left` atoms, or all that are left. Returns their number. Returns 0, and changes nothing but x, if the data are
// invalid, or if digits need more bits than this function supports: then the portable function, which stops at the same
// atom, unpacks them, or finds the error.
size_t trj_xtc_gather_avx2(struct trj_xtc_unpacker *u, float *const x[3], size_t left);

// As trj_xtc_unpack, with an instruction set that the CPU supports.
int trj_xtc_unpack_with(enum trj_isa isa, const struct trj_packed *block, float *const x[3], size_t atoms,
                        const uint32_t *pick, size_t picked, float *farthest, struct trj_error *err);

#endif
