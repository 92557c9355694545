// SPDX-License-Identifier: MIT
// The kernel of the methods direct and mdh in portable C: vectors of one number.
#include "pair_kernel.h"
#include "vector_plain.h"

typedef uint32_t vector_u32;
typedef uint64_t vector_u64;

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
static inline double d_add(double a, double b) {
    return a + b;
}
static inline double d_sub(double a, double b) {
    return a - b;
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

const struct pot_pair_kernel pot_pair_kernel_plain = {far, distant, near};
