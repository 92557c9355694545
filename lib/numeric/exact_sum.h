// SPDX-License-Identifier: MIT
// Adds doubles without rounding, so that a sum does not depend on how its terms were grouped into records.
//
// The sum is a fixed-point number of 512 bits in two's complement in units of 2^-256; limb[0] is the least significant
// part. 0 and any double x with 2^-200 <= |x| < 2^200 are represented exactly, and 2^50 of them can be added without
// overflow (U. Kulisch, Computer Arithmetic and Validity, 2008, chapter 8). A zeroed struct is 0.
#ifndef TRJ_EXACT_SUM_H
#define TRJ_EXACT_SUM_H

#include <stdbool.h>
#include <stdint.h>

enum { TRJ_EXACT_LIMBS = 8 };

struct trj_exact_sum {
    uint64_t limb[TRJ_EXACT_LIMBS];
};

bool trj_exact_in_range(double x); // returns whether x can be added exactly
// Adds x, for which trj_exact_in_range must be true.
void trj_exact_add(struct trj_exact_sum *s, double x);
// Adds the other sum.
void trj_exact_merge(struct trj_exact_sum *s, const struct trj_exact_sum *other);
// Subtracts the other sum.
void trj_exact_subtract(struct trj_exact_sum *s, const struct trj_exact_sum *other);
// Returns the sum to within one unit in the last place. Equal sums give equal values.
double trj_exact_value(const struct trj_exact_sum *s);

#endif
