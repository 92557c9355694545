// SPDX-License-Identifier: MIT
// Reads numbers of binary files that exist in both byte orders. `swap`: the byte orders of the file and of the host
// differ.
#ifndef TRJ_BYTE_ORDER_H
#define TRJ_BYTE_ORDER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline bool trj_host_is_little_endian(void) {
    const uint16_t one = 1;
    return *(const unsigned char *)&one == 1;
}

static inline uint32_t trj_load_u32(const unsigned char *from, bool swap) {
    uint32_t v;
    memcpy(&v, from, sizeof v);
    return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t trj_load_u64(const unsigned char *from, bool swap) {
    uint64_t v;
    memcpy(&v, from, sizeof v);
    return swap ? __builtin_bswap64(v) : v;
}

static inline float trj_load_f32(const unsigned char *from, bool swap) {
    uint32_t bits = trj_load_u32(from, swap);
    float v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static inline double trj_load_f64(const unsigned char *from, bool swap) {
    uint64_t bits = trj_load_u64(from, swap);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

#endif
