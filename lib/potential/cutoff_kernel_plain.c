// SPDX-License-Identifier: MIT
// The kernel of the method cutoff in portable C: vectors are arrays of eight numbers. fmaf() is correctly rounded, with
// or without an instruction for it.
#include <math.h>
#include <stdint.h>
#include <string.h>

#define LANES    8
#define ONE_COPY 1
typedef struct {
    float v[LANES];
} reals;
typedef unsigned flags; // one bit for each lane

#define EACH for (int i = 0; i < LANES; i++)

static inline reals v_all(float x) {
    reals r;
    EACH r.v[i] = x;
    return r;
}
static inline reals v_load(const float *p) {
    reals r;
    memcpy(r.v, p, sizeof r.v);
    return r;
}
static inline reals v_points(const float *p) {
    return v_load(p);
}
static inline reals v_rows(const float *p) {
    return v_all(*p);
}
static inline reals v_repeat(const float *p) {
    return v_load(p);
}
static inline reals v_planes(const float *p) {
    return v_all(*p);
}
static inline void v_store(float *p, reals a) {
    memcpy(p, a.v, sizeof a.v);
}
static inline reals v_mul(reals a, reals b) {
    EACH a.v[i] *= b.v[i];
    return a;
}
static inline reals v_add(reals a, reals b) {
    EACH a.v[i] += b.v[i];
    return a;
}
static inline reals v_sub(reals a, reals b) {
    EACH a.v[i] -= b.v[i];
    return a;
}
static inline reals v_fma(reals a, reals b, reals c) {
    EACH a.v[i] = fmaf(a.v[i], b.v[i], c.v[i]);
    return a;
}
static inline reals v_nfma(reals a, reals b, reals c) {
    EACH a.v[i] = fmaf(-a.v[i], b.v[i], c.v[i]);
    return a;
}
static inline reals v_max(reals a, reals b) {
    EACH a.v[i] = a.v[i] > b.v[i] ? a.v[i] : b.v[i];
    return a;
}
static inline reals v_min(reals a, reals b) {
    EACH a.v[i] = a.v[i] < b.v[i] ? a.v[i] : b.v[i];
    return a;
}
static inline reals v_abs(reals a) {
    EACH a.v[i] = fabsf(a.v[i]);
    return a;
}
static inline flags v_less(reals a, reals b) {
    flags f = 0;
    EACH f |= (unsigned)(a.v[i] < b.v[i]) << i;
    return f;
}
static inline flags v_not_above(reals a, reals b) {
    flags f = 0;
    EACH f |= (unsigned)(a.v[i] <= b.v[i]) << i;
    return f;
}
static inline unsigned v_bits(flags f) {
    return f;
}
static inline reals v_select(flags f, reals a, reals b) {
    EACH a.v[i] = f >> i & 1 ? a.v[i] : b.v[i];
    return a;
}
static inline reals v_keep(flags f, reals a) {
    return v_select(f, a, v_all(0));
}
static inline uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float of_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline reals v_half_from(uint32_t bits, reals a) {
    EACH a.v[i] = of_bits(bits - (bits_of(a.v[i]) >> 1));
    return a;
}
static inline reals v_scale(reals s, reals n) {
    EACH s.v[i] = of_bits(bits_of(s.v[i]) + (bits_of(n.v[i]) << 23));
    return s;
}
static inline void v_gather(const float (*p)[4], reals n, reals c[4]) {
    for (int k = 0; k < 4; k++) EACH c[k].v[i] = p[bits_of(n.v[i]) - 0x4b400000][k];
}
static inline void v_accumulate(uint32_t *p, reals t, reals m) {
    EACH p[i] += bits_of(t.v[i]) - bits_of(m.v[i]);
}

#include "cutoff_kernel_body.h"

const struct pot_cutoff_kernel pot_cutoff_kernel_plain = {"plain", add, flush, find};
