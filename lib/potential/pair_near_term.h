// SPDX-License-Identifier: MIT
// The contribution of a near charge (pair_term.h), for the CPU and for GPUs.
#ifndef POT_PAIR_NEAR_TERM_H
#define POT_PAIR_NEAR_TERM_H

#include <math.h>
#include <string.h>

#include "error_function_inline.h"
#include "host_and_device.h"
#include "pair_term.h"

TRJ_HOST_DEVICE double pot_pair_exponential_inline(double x) {
    static const double term[POT_EXPONENTIAL_TERMS] = {POT_EXPONENTIAL_SERIES};
    const double magic = 0x1.8p52;
    x = x > -700 ? x : -700;
    double n = x * POT_LOG2_E + magic, k = n - magic, r = (x - k * POT_LN2_HIGH) - k * POT_LN2_LOW,
           sum = term[POT_EXPONENTIAL_TERMS - 1];
    for (int i = POT_EXPONENTIAL_TERMS - 1; i-- > 0;) sum = fma(sum, r, term[i]);
    uint64_t bits, exponent;
    memcpy(&bits, &sum, sizeof bits);
    memcpy(&exponent, &n, sizeof exponent);
    bits += exponent << 52;
    memcpy(&sum, &bits, sizeof sum);
    return sum;
}

// Returns x for the charge `quanta` in units of the quantum and the square of the distance in Å^2. `gauss`: it is
// within the range of a Gaussian, or large.
TRJ_HOST_DEVICE double pot_pair_near_inline(const struct pot_pair *p, double quanta, double square, bool gauss) {
    double r = sqrt(square + p->square);
    r = r > p->clip ? r : p->clip;
    double x;
    if (gauss) {
        double factor = r > 0 ? pot_erf_inline(r * p->gauss) / r : p->gauss_at_0;
        x = p->kind == POT_PAIR_DIELECTRIC ? quanta * factor * factor : quanta * factor;
    } else {
        x = p->kind == POT_PAIR_DIELECTRIC ? quanta / (r * r) : quanta / r;
    }
    return p->kind == POT_PAIR_SCREENED ? x * pot_pair_exponential_inline(-p->kappa * r) : x;
}

#endif
