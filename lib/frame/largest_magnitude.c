// SPDX-License-Identifier: MIT
// Finds the largest magnitude in an array at the rate at which a core reads its cache, because this checks every
// coordinate that trjcat reads. One loop is compiled for each instruction set.
#include "largest_magnitude.h"

#include <stdint.h>
#include <string.h>

// The bits of non-negative floats, read as integers, have the order of the floats. The integers are signed, because
// SSE2 compares no others; the sign bit is 0. With a single maximum, each step would wait for the previous one;
// therefore many are computed side by side.
static inline __attribute__((always_inline)) float largest(const float *x, size_t n) {
    enum { PARTS = 64 };
    int32_t part[PARTS] = {0}, max = 0, bits;
    size_t i = 0;
    for (; i + PARTS <= n; i += PARTS)
        for (size_t k = 0; k < PARTS; k++) {
            memcpy(&bits, &x[i + k], sizeof bits);
            bits &= INT32_MAX;
            part[k] = bits > part[k] ? bits : part[k];
        }
    for (; i < n; i++) {
        memcpy(&bits, &x[i], sizeof bits);
        bits &= INT32_MAX;
        max = bits > max ? bits : max;
    }
    for (size_t k = 0; k < PARTS; k++) max = part[k] > max ? part[k] : max;
    float result;
    memcpy(&result, &max, sizeof result);
    return result;
}

#ifdef __x86_64__
__attribute__((target("avx512f,avx512vl,avx512dq,avx512bw"))) static float largest_avx512(const float *x, size_t n) {
    return largest(x, n);
}

__attribute__((target("avx2"))) static float largest_avx2(const float *x, size_t n) {
    return largest(x, n);
}
#endif

float trj_largest_magnitude(const float *x, size_t n, enum trj_isa isa) {
#ifdef __x86_64__
    if (isa == TRJ_ISA_AVX512) return largest_avx512(x, n);
    if (isa == TRJ_ISA_AVX2) return largest_avx2(x, n);
#endif
    (void)isa;
    return largest(x, n);
}
