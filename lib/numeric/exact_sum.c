// SPDX-License-Identifier: MIT
// Adds doubles as integers of several limbs, so that sums depend neither on order nor on threads.
#include "exact_sum.h"

#include <math.h>

enum { UNIT = 256 }; // the lowest bit of limb[0] is 2^-UNIT

bool trj_exact_in_range(double x) {
    return x == 0 || (fabs(x) >= 0x1p-200 && fabs(x) < 0x1p200);
}

void trj_exact_merge(struct trj_exact_sum *s, const struct trj_exact_sum *other) {
    uint64_t carry = 0;
    for (int i = 0; i < TRJ_EXACT_LIMBS; i++) {
        uint64_t a = s->limb[i] + carry;
        carry = a < carry;
        s->limb[i] = a + other->limb[i];
        carry += s->limb[i] < a;
    }
}

static void negate(struct trj_exact_sum *s) {
    uint64_t carry = 1;
    for (int i = 0; i < TRJ_EXACT_LIMBS; i++) {
        s->limb[i] = ~s->limb[i] + carry;
        carry = carry && s->limb[i] == 0;
    }
}

void trj_exact_subtract(struct trj_exact_sum *s, const struct trj_exact_sum *other) {
    struct trj_exact_sum less = *other;
    negate(&less);
    trj_exact_merge(s, &less);
}

void trj_exact_add(struct trj_exact_sum *s, double x) {
    if (x == 0) return;
    int exponent;
    double m = frexp(fabs(x), &exponent);              // |x| = m 2^exponent, m in [1/2, 1)
    uint64_t bits = (uint64_t)ldexp(m, 53);            // |x| = bits 2^(exponent - 53), exactly
    unsigned place = (unsigned)(exponent - 53 + UNIT); // >= 4 by trj_exact_in_range
    struct trj_exact_sum term = {{0}};
    term.limb[place / 64] = bits << place % 64;
    if (place % 64) term.limb[place / 64 + 1] = bits >> (64 - place % 64);
    if (x < 0) negate(&term);
    trj_exact_merge(s, &term);
}

double trj_exact_value(const struct trj_exact_sum *s) {
    struct trj_exact_sum a = *s;
    bool negative = a.limb[TRJ_EXACT_LIMBS - 1] >> 63;
    if (negative) negate(&a);
    double value = 0;
    // The sum starts with the most significant limb. Two limbs have more bits than a double, so that all others change
    // at most the last place.
    for (int i = TRJ_EXACT_LIMBS - 1; i >= 0; i--) value += ldexp((double)a.limb[i], 64 * i - UNIT);
    return negative ? -value : value;
}
