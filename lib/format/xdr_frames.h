// SPDX-License-Identifier: MIT
// What the two formats of GROMACS share: big-endian numbers (RFC 4506), boxes in nm, and where frames begin, since these
// files have neither an index nor frames of one size.
#ifndef TRJ_XDR_H
#define TRJ_XDR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cell.h"
#include "error.h"
#include "reader.h"

static inline uint32_t trj_xdr_u32(const unsigned char *from) {
    return (uint32_t)from[0] << 24 | (uint32_t)from[1] << 16 | (uint32_t)from[2] << 8 | from[3];
}

static inline int32_t trj_xdr_i32(const unsigned char *from) {
    return (int32_t)trj_xdr_u32(from);
}

static inline uint64_t trj_xdr_u64(const unsigned char *from) {
    return (uint64_t)trj_xdr_u32(from) << 32 | trj_xdr_u32(from + 4);
}

static inline float trj_xdr_f32(const unsigned char *from) {
    uint32_t bits = trj_xdr_u32(from);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline double trj_xdr_f64(const unsigned char *from) {
    uint64_t bits = trj_xdr_u64(from);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

// A real of 4 or 8 bytes.
static inline double trj_xdr_real(const unsigned char *from, size_t bytes) {
    return bytes == 4 ? (double)trj_xdr_f32(from) : trj_xdr_f64(from);
}

// Nine reals of 4 or 8 bytes in nm, rows a, b, c -> Å. Nine zeros are no cell; numbers that are not finite are TRJ_BAD_DATA.
int trj_xdr_box(struct trj_cell *cell, const unsigned char *from, size_t bytes, struct trj_error *err);

// Decodes a piece that is three times r->atoms big-endian floats (4 bytes) or doubles (8), atom by atom; doubles are rounded once.
int trj_xdr_decode(const struct trj_reader *r, struct trj_piece *p, size_t bytes, struct trj_error *err);

// Reads `bytes` bytes into *b, and puts `slack` zeros behind them. A file that is too short is known before memory is taken; of a pipe
// memory is taken as the bytes come.
int trj_xdr_read(struct trj_reader *r, struct trj_input_bytes *b, uint64_t bytes, size_t slack, const char *what,
                 struct trj_error *err);

// The bytes at which the frames begin that have been seen; what r->state begins with.
struct trj_xdr_index {
    uint64_t *at;
    size_t room, known;
};

// Frame r->next begins at byte `at`: for headers, each time they are read.
int trj_xdr_mark(struct trj_reader *r, uint64_t at, struct trj_error *err);

// The seek of both formats: to a place in the index, or on from its end by skipping. And their close.
int trj_xdr_seek(struct trj_reader *r, uint64_t frame, struct trj_error *err);
void trj_xdr_close(struct trj_reader *r);

#endif
