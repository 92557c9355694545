// SPDX-License-Identifier: MIT
// Portable C: vectors of one number. fma() and fmaf() are correctly rounded, with or without an instruction for them.
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "inverse_root.h"
#include "pair_kernel.h"

#define LANES 1
#define PAIRS 1
typedef float reals;
typedef uint32_t wholes;
typedef double doubles;
typedef uint64_t longs;

static inline uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline float v_all(float x) {
    return x;
}
static inline float v_load(const float *p) {
    return *p;
}
static inline float v_sub(float a, float b) {
    return a - b;
}
static inline float v_mul(float a, float b) {
    return a * b;
}
static inline float v_fma(float a, float b, float c) {
    return fmaf(a, b, c);
}
static inline float v_fnma(float a, float b, float c) {
    return fmaf(-a, b, c);
}
static inline float v_guess(float x) {
    return float_of(POT_ROOT_MAGIC - (bits_of(x) >> 1));
}
static inline float v_scale(float g, float n) {
    return float_of(bits_of(g) + (bits_of(n) << 23));
}
static inline uint32_t w_zero(void) {
    return 0;
}
static inline uint32_t w_add(uint32_t s, float x) {
    return s + bits_of(x);
}
static inline void w_store(uint32_t *p, uint32_t s) {
    *p = s;
}

static inline uint64_t long_bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline double d_all(double x) {
    return x;
}
static inline double d_load(const double *p) {
    return *p;
}
static inline double d_add(double a, double b) {
    return a + b;
}
static inline double d_sub(double a, double b) {
    return a - b;
}
static inline double d_mul(double a, double b) {
    return a * b;
}
static inline double d_fma(double a, double b, double c) {
    return fma(a, b, c);
}
static inline double d_div(double a, double b) {
    return a / b;
}
static inline double d_sqrt(double a) {
    return sqrt(a);
}
static inline double d_max(double a, double b) {
    return a > b ? a : b;
}
static inline double d_scale(double g, double n) {
    uint64_t bits = long_bits_of(g) + (long_bits_of(n) << 52);
    memcpy(&g, &bits, sizeof g);
    return g;
}
static inline double d_clear_large(double x, int *any) {
    if (fabs(x) <= POT_NEAR_LARGE) return x;
    *any = 1;
    return 0;
}
static inline uint64_t l_zero(void) {
    return 0;
}
static inline uint64_t l_add(uint64_t s, double x) {
    return s + long_bits_of(x);
}
static inline void l_store(uint64_t *p, uint64_t s) {
    *p = s;
}

#include "pair_kernel_body.h"

const struct pot_pair_kernel pot_pair_kernel_plain = {far, near};
