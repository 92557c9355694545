// SPDX-License-Identifier: MIT
// The exponential function of elementary.h, for the CPU and for GPUs.
#ifndef TRJ_ELEMENTARY_EXP_H
#define TRJ_ELEMENTARY_EXP_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "host_and_device.h"

// ln 2 as a sum of two parts. The first has 16 trailing zero bits, so that its product with an exponent is exact.
#define TRJ_LN2_HIGH 0x1.62e42fefap-1
#define TRJ_LN2_LOW  0x1.cf79abc9e3b3ap-40

// Returns exp(r) by the Taylor series, where x = k ln 2 + r with |r| <= ln 2 / 2: r^14 / 14! < 2^-57.
TRJ_HOST_DEVICE double trj_exp_of_rest(double x, double k) {
    enum { TERMS = 12 };
    static const double factorials[TERMS] = {// 1/n! for n = 2 to 13
                                             1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                                             1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                             1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    double r = x - k * TRJ_LN2_HIGH - k * TRJ_LN2_LOW, sum = 0;
    for (int i = TERMS; i-- > 0;) sum = sum * r + factorials[i];
    return 1 + (r + r * r * sum);
}

#define TRJ_LOG2_E 0x1.71547652b82fep+0

// exp(x) = 2^k exp(r)
TRJ_HOST_DEVICE double trj_exp_inline(double x) {
    if (!(x <= 710)) return x > 0 ? (double)INFINITY : x; // also NaN
    if (x < -746) return 0;
    double k = floor(x * TRJ_LOG2_E + 0.5);
    return ldexp(trj_exp_of_rest(x, k), (int)k);
}

// Returns exp(x) for x <= 0, and 0 below -700. It has no branch and calls nothing, so that compilers vectorise loops
// of it, and its bytes are the same everywhere, but not those of trj_exp. The error is below 2 units in the last place.
TRJ_HOST_DEVICE double trj_exp_of_negative(double x) {
    const double magic = 0x1.8p52, clamped = x < -700 ? -700 : x; // a number plus `magic` is rounded to an integer
    double n = fma(clamped, TRJ_LOG2_E, magic), k = n - magic;
    double r = fma(-k, TRJ_LN2_LOW, fma(-k, TRJ_LN2_HIGH, clamped));
    double sum = fma(1.0 / 6227020800, r, 1.0 / 479001600); // of r^i / i!
    sum = fma(sum, r, 1.0 / 39916800);
    sum = fma(sum, r, 1.0 / 3628800);
    sum = fma(sum, r, 1.0 / 362880);
    sum = fma(sum, r, 1.0 / 40320);
    sum = fma(sum, r, 1.0 / 5040);
    sum = fma(sum, r, 1.0 / 720);
    sum = fma(sum, r, 1.0 / 120);
    sum = fma(sum, r, 1.0 / 24);
    sum = fma(sum, r, 1.0 / 6);
    sum = fma(sum, r, 0.5);
    double value = 1 + fma(r * r, sum, r);
    uint64_t bits, power;
    memcpy(&bits, &value, sizeof bits);
    memcpy(&power, &n, sizeof power);
    bits += power << 52; // the lowest bits of `power` are k
    memcpy(&value, &bits, sizeof value);
    return x < -700 ? 0 : value;
}

#endif
