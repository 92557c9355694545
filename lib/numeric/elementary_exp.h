// SPDX-License-Identifier: MIT
// The exponential function of elementary.h, for the CPU and for GPUs.
#ifndef TRJ_ELEMENTARY_EXP_H
#define TRJ_ELEMENTARY_EXP_H

#include <math.h>

#include "host_and_device.h"

// ln 2 as a sum of two parts. The first has 16 trailing zero bits, so that its product with an exponent is exact.
#define TRJ_LN2_HIGH 0x1.62e42fefap-1
#define TRJ_LN2_LOW  0x1.cf79abc9e3b3ap-40

// x = k ln 2 + r with |r| <= ln 2 / 2, and exp(x) = 2^k exp(r) by the Taylor series: r^14 / 14! < 2^-57.
TRJ_HOST_DEVICE double trj_exp_inline(double x) {
    enum { TERMS = 12 };
    static const double factorials[TERMS] = {// 1/n! for n = 2 to 13
                                             1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                                             1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                             1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
    if (!(x <= 710)) return x > 0 ? (double)INFINITY : x; // also NaN
    if (x < -746) return 0;
    double k = floor(x * 0x1.71547652b82fep+0 + 0.5), r = x - k * TRJ_LN2_HIGH - k * TRJ_LN2_LOW, sum = 0;
    for (int i = TERMS; i-- > 0;) sum = sum * r + factorials[i];
    return ldexp(1 + (r + r * r * sum), (int)k);
}

#endif
