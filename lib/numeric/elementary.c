// SPDX-License-Identifier: MIT
// Computes exp and log by fixed series, because those of libm differ in the last bit between systems.
#include "elementary.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "elementary_exp.h"

enum { LOG_TERMS = 11 };

// Results that are normal numbers need neither floor() nor ldexp(), whose calls take as long as the series.
double trj_exp(double x) {
    if (!(x > -700 && x < 700)) return trj_exp_inline(x);
    double y = x * TRJ_LOG2_E + 0.5, power;
    int64_t k = (int64_t)y;
    k -= (double)k > y; // floor
    uint64_t bits = (uint64_t)(k + 1023) << 52;
    memcpy(&power, &bits, sizeof power);
    return trj_exp_of_rest(x, (double)k) * power;
}

// x = 2^k (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), and with s = f / (2 + f)
//   log(1 + f) = 2 atanh(s) = f - s (f - R),  R = 2 (s^2/3 + s^4/5 + ...)
// where |s| < 0.1716, so that the first omitted term is below 2^-58 of 2 s.
double trj_log(double x) {
    if (!(x > 0)) return x == 0 ? -INFINITY : NAN;
    if (isinf(x)) return x;
    int k;
    double m = frexp(x, &k);
    if (m < 0x1.6a09e667f3bcdp-1) {
        m *= 2;
        k--;
    }
    double f = m - 1, s = f / (2 + f), square = s * s, sum = 0;
    for (int i = LOG_TERMS; i > 0; i--) sum = (sum + 2.0 / (2 * i + 1)) * square;
    return k * TRJ_LN2_HIGH + (f - (s * (f - sum) - k * TRJ_LN2_LOW));
}
