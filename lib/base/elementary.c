// SPDX-License-Identifier: MIT
#include "elementary.h"

#include <math.h>

// ln 2 as a sum of two parts. The first has 16 trailing zero bits, so that its product with an exponent is exact.
static const double LN2_HIGH = 0x1.62e42fefap-1, LN2_LOW = 0x1.cf79abc9e3b3ap-40;

enum { LOG_TERMS = 11 };

static const double FACTORIALS[] = { // 1/n! for n = 2 to 13
    1.0 / 2,     1.0 / 6,      1.0 / 24,      1.0 / 120,      1.0 / 720,       1.0 / 5040,
    1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};

// x = k ln 2 + r with |r| <= ln 2 / 2, and exp(x) = 2^k exp(r) by the Taylor series: r^14 / 14! < 2^-57.
double trj_exp(double x) {
    if (!(x <= 710)) return x > 0 ? INFINITY : x; // also NaN
    if (x < -746) return 0;
    double k = floor(x * 0x1.71547652b82fep+0 + 0.5), r = x - k * LN2_HIGH - k * LN2_LOW, sum = 0;
    for (int i = sizeof FACTORIALS / sizeof *FACTORIALS; i-- > 0;) sum = sum * r + FACTORIALS[i];
    return ldexp(1 + (r + r * r * sum), (int)k);
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
    return k * LN2_HIGH + (f - (s * (f - sum) - k * LN2_LOW));
}
