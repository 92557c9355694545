// SPDX-License-Identifier: MIT
// Reads big-endian numbers (XDR, RFC 4506) from memory.
#ifndef TRJ_XDR_H
#define TRJ_XDR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

// Reads a float of 4 or 8 bytes.
static inline double trj_xdr_real(const unsigned char *from, size_t bytes) {
    return bytes == 4 ? (double)trj_xdr_f32(from) : trj_xdr_f64(from);
}

#endif
