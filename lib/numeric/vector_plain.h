// SPDX-License-Identifier: MIT
// Vectors of one element in portable C, for kernels that are written in terms of vectors. Such a kernel is a header
// that the file of each instruction set includes after the vectors of that set; vector_avx2.h and vector_avx512.h
// define the same functions for vectors of several elements. fma() and fmaf() are correctly rounded, with or without an
// instruction for them, so that all sets give the same bytes. CUDA uses these functions, too.
#ifndef TRJ_VECTOR_PLAIN_H
#define TRJ_VECTOR_PLAIN_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "host_and_device.h"

#define LANES   1 // numbers in a vector of float
#define DOUBLES 1 // numbers in a vector of double
typedef float reals;
typedef bool flags;
typedef double doubles;

TRJ_HOST_DEVICE uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
TRJ_HOST_DEVICE float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

TRJ_HOST_DEVICE reals v_all(float x) {
    return x;
}
// Loads and stores need no alignment.
TRJ_HOST_DEVICE reals v_load(const float *p) {
    return *p;
}
TRJ_HOST_DEVICE void v_store(float *p, reals x) {
    *p = x;
}
TRJ_HOST_DEVICE reals v_add(reals a, reals b) {
    return a + b;
}
TRJ_HOST_DEVICE reals v_sub(reals a, reals b) {
    return a - b;
}
TRJ_HOST_DEVICE reals v_mul(reals a, reals b) {
    return a * b;
}
TRJ_HOST_DEVICE reals v_fma(reals a, reals b, reals c) {
    return fmaf(a, b, c);
}
TRJ_HOST_DEVICE reals v_nfma(reals a, reals b, reals c) {
    return fmaf(-a, b, c);
}
TRJ_HOST_DEVICE reals v_max(reals a, reals b) {
    return a > b ? a : b;
}
TRJ_HOST_DEVICE reals v_min(reals a, reals b) {
    return a < b ? a : b;
}
TRJ_HOST_DEVICE reals v_abs(reals x) {
    return fabsf(x);
}
TRJ_HOST_DEVICE flags v_less(reals a, reals b) {
    return a < b;
}
TRJ_HOST_DEVICE flags v_not_above(reals a, reals b) {
    return a <= b;
}
TRJ_HOST_DEVICE reals v_keep(flags f, reals x) {
    return f ? x : 0;
}
// Returns x * 2^k, where n is k plus a number such as 1.5 * 2^23 whose lowest nine bits are 0.
TRJ_HOST_DEVICE reals v_scale(reals x, reals n) {
    return float_of(bits_of(x) + (bits_of(n) << 23));
}
// With suitable bits, this is near 1/sqrt(x).
TRJ_HOST_DEVICE reals v_half_from(uint32_t bits, reals x) {
    return float_of(bits - (bits_of(x) >> 1));
}
TRJ_HOST_DEVICE void v_accumulate(uint32_t *p, reals x, reals m) {
    *p += bits_of(x) - bits_of(m);
}
// Adds the LANES numbers of x to those in memory.
TRJ_HOST_DEVICE void v_add_to_doubles(double *p, reals x) {
    *p += (double)x;
}

TRJ_HOST_DEVICE doubles d_all(double x) {
    return x;
}
TRJ_HOST_DEVICE doubles d_load(const double *p) {
    return *p;
}
TRJ_HOST_DEVICE void d_store(double *p, doubles x) {
    *p = x;
}
TRJ_HOST_DEVICE doubles d_mul(doubles a, doubles b) {
    return a * b;
}
TRJ_HOST_DEVICE doubles d_fma(doubles a, doubles b, doubles c) {
    return fma(a, b, c);
}

#endif
