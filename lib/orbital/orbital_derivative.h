// SPDX-License-Identifier: MIT
// Derivatives of x^i exp(-a x^2) and their bounds, for the CPU and for GPUs.
#ifndef ORB_DERIVATIVE_H
#define ORB_DERIVATIVE_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include "elementary_exp.h"
#include "host_and_device.h"
#include "wave_function.h"

enum { ORB_POWERS = ORB_L_MAX + 5 }; // powers of x, from -2, that second derivatives need

// Returns the derivative of x^power exp(-a x^2), divided by the exponential, from the powers of x: (x^power e)' = power
// x^(power - 1) e - 2 a x^(power + 1) e. The table contains powers of x from -2, of which the negative ones are 0.
TRJ_HOST_DEVICE double orb_derivative(uint32_t order, uint32_t power, double a, const double *x, size_t stride) {
    double n = power;
    const double *at = x + (power + 2) * stride;
    if (order == 0) return *at;
    if (order == 1) return fma(-2 * a, at[stride], n * *(at - stride));
    return fma(4 * a * a, at[2 * stride], fma(-2 * a * (2 * n + 1), *at, n * (n - 1) * *(at - 2 * stride)));
}

// Returns the factor that a derivative of x^power exp(-a x^2) has before the exponential.
TRJ_HOST_DEVICE double orb_factor(uint32_t order, uint32_t power, double a, double x) {
    double powers[ORB_POWERS] = {0, 0, 1};
    for (uint32_t p = 1; p <= power + order; p++) powers[p + 2] = powers[p + 1] * x;
    return orb_derivative(order, power, a, powers, 1);
}

// Returns the sum of the magnitudes of the terms of a derivative of x^power exp(-exponent x^2) from bounds of the
// magnitudes of x^i exp(-exponent x^2) for i = -2, -1, ..., of which the first two are 0.
TRJ_HOST_DEVICE double orb_derivative_bound(double exponent, uint32_t power, uint32_t order, const double *of) {
    double n = power;
    const double *at = of + power + 2;
    if (order == 0) return *at;
    if (order == 1) return n * at[-1] + 2 * exponent * at[1];
    return n * (n - 1) * at[-2] + 2 * exponent * (2 * n + 1) * at[0] + 4 * exponent * exponent * at[2];
}

// Returns a bound of x^power exp(-exponent x^2), and of its derivatives below `orders`, from low to high.
TRJ_HOST_DEVICE double orb_interval_bound(double exponent, uint32_t power, uint32_t orders, double low, double high) {
    double far = fmax(fabs(low), fabs(high)), near = low <= 0 && high >= 0 ? 0 : fmin(fabs(low), fabs(high));
    double of[ORB_POWERS] = {0}, bound = 0; // bounds of x^i exp(-a x^2), from i = -2
    for (uint32_t p = 0; p < power + orders; p++) {
        double x = fmin(fmax(sqrt(p / (2 * exponent)), near), far), value = trj_exp_inline(-exponent * (x * x));
        for (uint32_t i = 0; i < p; i++) value *= x;
        of[p + 2] = value;
    }
    for (uint32_t order = 0; order < orders; order++)
        bound = fmax(bound, orb_derivative_bound(exponent, power, order, of));
    return bound;
}

#endif
