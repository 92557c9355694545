// SPDX-License-Identifier: MIT
// The functions of error_function.h, for the CPU and for GPUs.
#ifndef POT_ERROR_FUNCTION_INLINE_H
#define POT_ERROR_FUNCTION_INLINE_H

#include <math.h>

#include "elementary_exp.h"
#include "host_and_device.h"

// Returns erfc(x) for x >= 0.25, from the coefficients a_n of
//     (1 + 2 x) exp(x^2) erfc(x) = a_0/2 + sum of a_n T_n(t),  t = (x - 3.75) / (x + 3.75)
// (M. M. Shepherd and J. G. Laframboise, Mathematics of Computation 36 (1981) 249), recomputed with 40 digits. The sum
// of the omitted ones is below 2^-58. The sum is by Clenshaw's recurrence. x^2 is used as a sum of two numbers, because
// its rounding error would be multiplied by x^2.
TRJ_HOST_DEVICE double pot_erfc_tail(double x) {
    enum { TERMS = 25 };
    static const double term[TERMS] = {
        0x1.2d75d0246cee8p+0,   -0x1.2cd0564f8c1b7p-8,  -0x1.59159e8868995p-4,  0x1.e50c3e7c7dccep-5,
        -0x1.b4c68f4569326p-6,  0x1.295e991a7d82dp-7,   -0x1.3c4c54f8d419dp-9,  0x1.014ed1572209ap-11,
        -0x1.221e6f70130b5p-14, 0x1.15c3f597f0492p-18,  0x1.9f8f03ca86fc1p-21,  -0x1.d601c320c8f9cp-23,
        0x1.71e1efca86cf9p-27,  0x1.36bf2885524c9p-28,  -0x1.aa4d7b1cdf20ap-31, -0x1.15df59ca6082bp-34,
        0x1.f8af0a9aa6d31p-36,  0x1.b61b723941781p-43,  -0x1.0fc16c00b50f2p-40, 0x1.24f6a772cbc36p-45,
        0x1.2d8b49ab5f72bp-45,  -0x1.0cb63a80de2c5p-49, -0x1.6884628ace07ap-50, 0x1.561b105822235p-54,
        0x1.d3744857e262bp-55,
    };
    double t = (x - 3.75) / (x + 3.75), b1 = 0, b2 = 0;
    for (int n = TERMS - 1; n > 0; n--) {
        double b = 2 * t * b1 - b2 + term[n];
        b2 = b1;
        b1 = b;
    }
    double square = x * x, rest = fma(x, x, -square);
    return (t * b1 - b2 + term[0]) / (1 + 2 * x) * (trj_exp_inline(-square) * (1 - rest));
}

// Returns erf(x) for |x| < 1 by the Maclaurin series (NIST Digital Library of Mathematical Functions, 7.6.1): the first
// omitted term is below 2^-62.
TRJ_HOST_DEVICE double pot_erf_series(double x) {
    enum { TERMS = 18 };
    const double two_by_root_pi = 0x1.20dd750429b6dp+0;
    static const double term[TERMS] = {
        // (-1)^n / (n! (2 n + 1)) for n = 1 to 18
        -0x1.5555555555555p-2,  0x1.999999999999ap-4,  -0x1.8618618618618p-6,  0x1.2f684bda12f68p-8,
        -0x1.8d3018d3018d3p-11, 0x1.c01c01c01c01cp-14, -0x1.bbd779334ef0bp-17, 0x1.87a00187a0018p-20,
        -0x1.3777c55568ccdp-23, 0x1.c2e3054870b38p-27, -0x1.2b67310aa9f3ap-30, 0x1.6f448e13e85e1p-34,
        -0x1.a289ee7e40f74p-38, 0x1.bd577e658d020p-42, -0x1.bc6250fb14231p-46, 0x1.a173a167fba4dp-50,
        -0x1.7271cbe5863ecp-54, 0x1.377c2110f2083p-58,
    };
    double square = x * x, sum = 0;
    for (int n = TERMS; n-- > 0;) sum = (sum + term[n]) * square;
    return two_by_root_pi * (x + x * sum);
}

TRJ_HOST_DEVICE double pot_erf_inline(double x) {
    if (isnan(x)) return x;
    if (fabs(x) < 1) return pot_erf_series(x);
    if (fabs(x) > 6) return x < 0 ? -1 : 1;
    return x < 0 ? pot_erfc_tail(-x) - 1 : 1 - pot_erfc_tail(x);
}

TRJ_HOST_DEVICE double pot_erfc_inline(double x) {
    if (isnan(x)) return x;
    if (x > 27.3) return 0;
    if (x < -6) return 2;
    return x < 0.25 ? 1 - pot_erf_inline(x) : pot_erfc_tail(x);
}

#endif
