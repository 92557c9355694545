// SPDX-License-Identifier: MIT
// The kernel in portable C. fma() would be a function call where the CPU has no instruction for it. A product and a sum
// give the same numbers, because neither is rounded.
enum { DOUBLES = 1, TOGETHER = 1 };
typedef double doubles;

static inline doubles d_all(double x) {
    return x;
}
static inline doubles d_load(const double *p) {
    return *p;
}
static inline void d_store(double *p, doubles x) {
    *p = x;
}
static inline doubles d_fma(doubles a, doubles b, doubles c) {
    return c + a * b;
}
static inline doubles d_nfma(doubles a, doubles b, doubles c) {
    return c - a * b;
}

#define KERNEL wav_kernel_plain
#include "wave_kernel_body.h"
