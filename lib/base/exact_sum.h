// SPDX-License-Identifier: MIT
// Sums of doubles without rounding, so that a sum does not depend on how its terms were grouped into records.
//
// A fixed-point number of 512 bits in two's complement whose unit is 2^-256: limb[0] is the least significant. Any double x
// with 2^-200 <= |x| < 2^200, and 0, enters exactly; 2^50 of them fit.  (U. Kulisch, Computer Arithmetic and Validity, 2008, ch. 8)
#ifndef TRJ_EXACT_SUM_H
#define TRJ_EXACT_SUM_H

#include <stdbool.h>
#include <stdint.h>

enum { TRJ_EXACT_LIMBS = 8 };

struct trj_exact_sum {
    uint64_t limb[TRJ_EXACT_LIMBS];
};

bool trj_exact_in_range(double x); // whether x may be added
void trj_exact_add(struct trj_exact_sum *s, double x);
void trj_exact_merge(struct trj_exact_sum *s, const struct trj_exact_sum *other);
void trj_exact_subtract(struct trj_exact_sum *s, const struct trj_exact_sum *other); // subtracts
double trj_exact_value(const struct trj_exact_sum *s); // to within one unit in the last place, the same for equal sums

#endif
