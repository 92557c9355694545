// SPDX-License-Identifier: MIT
// Portable C: vectors of one number. fmaf() and sqrtf() are correctly rounded, with or without an instruction for them.
#include <math.h>

#define LANES 1
typedef float reals;

static inline float v_all(float x) {
    return x;
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
static inline float v_div(float a, float b) {
    return a / b;
}
static inline float v_max(float a, float b) {
    return a > b ? a : b;
}
static inline float v_root(float x) {
    return sqrtf(x);
}
static inline float v_fma(float a, float b, float c) {
    return fmaf(a, b, c);
}
static inline float v_if_less(float x, float limit, float v) {
    return x < limit ? v : 0;
}

#include "ligand_kernel_body.h"

const struct lig_kernel lig_kernel_plain = {"plain", energies};
