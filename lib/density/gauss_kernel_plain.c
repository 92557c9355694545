// SPDX-License-Identifier: MIT
// Portable C: vectors of one number. fmaf() is correctly rounded, with or without an instruction for it.
#include <math.h>
#include <stdint.h>
#include <string.h>

#define LANES 1
typedef float reals;

static inline float v_all(float x) {
    return x;
}
static inline float v_lanes(void) {
    return 0;
}
static inline float v_load(const float *p) {
    return *p;
}
static inline void v_store(float *p, float x) {
    *p = x;
}
static inline float v_mul(float a, float b) {
    return a * b;
}
static inline float v_add(float a, float b) {
    return a + b;
}
static inline float v_sub(float a, float b) {
    return a - b;
}
static inline float v_fma(float a, float b, float c) {
    return fmaf(a, b, c);
}
static inline float v_clamp(float x, float low, float high) {
    x = x > low ? x : low;
    return x < high ? x : high;
}
static inline float v_zero_if_above(float v, float x, float limit) {
    return fabsf(x) > limit ? 0 : v;
}
static inline uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float v_scale(float s, float n) {
    uint32_t bits = bits_of(s) + (bits_of(n) << 23);
    memcpy(&s, &bits, sizeof s);
    return s;
}
static inline void v_accumulate(uint32_t *p, float t, uint32_t bits) {
    *p += bits_of(t) - bits;
}

#include "gauss_kernel_body.h"

const struct den_gauss_kernel den_gauss_kernel_plain = {"plain", add, flush};
