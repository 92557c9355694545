// SPDX-License-Identifier: MIT
// The kernel in portable C.
#include "wave_kernel.h"

enum { LANES = 1, TOGETHER = 1 };
typedef double vector;

static inline vector load(const double *x) {
    return *x;
}

static inline void store(double *to, vector x) {
    *to = x;
}

static inline vector all(double x) {
    return x;
}

static inline vector add_product(vector sum, vector x, vector y) {
    return sum + x * y;
}

static inline vector subtract_product(vector sum, vector x, vector y) {
    return sum - x * y;
}

#define KERNEL wav_kernel_plain
#include "wave_kernel_body.h"
