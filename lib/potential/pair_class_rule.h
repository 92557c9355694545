// SPDX-License-Identifier: MIT
// The rule that gives the class of a charge (pair_classes.h), and the error bound, for the CPU and for GPUs.
#ifndef POT_PAIR_CLASS_RULE_H
#define POT_PAIR_CLASS_RULE_H

#include <math.h>
#include <string.h>

#include "host_and_device.h"
#include "pair_classes.h"

// As pot_pair_ranges_set, for a block with this half diagonal and `near` of struct pot_block. Distant charges
// are at least 2 `near` away, so that the error bounds of pair_sum.h hold for them, too.
TRJ_HOST_DEVICE void pot_pair_find_ranges(struct pot_pair_ranges *r, const struct pot_pair *p, double half_diagonal,
                                          double block_near, double radius, bool exact) {
    double near = fmax(block_near, p->softened_range);
    double distant = p->kappa * radius <= POT_DISTANT_SCREENING ? fmax(POT_DISTANT_RANGE * radius, 2 * near) : INFINITY;
    r->near2 = near * near;
    r->distant2 = distant * distant;
    // In float32, the exponents of a block must not differ by more than 50, so that 2^n does not underflow, and the
    // squares of distances must not, either.
    r->only_near = exact || p->kappa * 2 * half_diagonal * POT_LOG2_E > 50 || p->far_scale < 1e-12;
    // Without a Gaussian, no charge is POT_SOFTENED.
    double gauss = r->only_near ? p->gauss_range : fmin(p->gauss_range, near);
    r->gauss2 = p->gauss > 0 ? gauss * gauss : -1;
}

// Returns the distance of x from the interval from `low` to `high`.
TRJ_HOST_DEVICE double pot_pair_outside(double low, double high, double x) {
    double below = low - x, above = x - high, d = below > above ? below : above;
    return d > 0 ? d : 0;
}

// Logarithms are int64 multiples of 2^-53.
TRJ_HOST_DEVICE int64_t pot_whole_log2(int x) {
    return x * (INT64_C(1) << 53);
}

// Returns a number that exceeds log2(x) by 0.003 to 0.09, for a positive x below 2^100. The bits of x, as an integer,
// are a piecewise linear approximation of log2 that is too low by at most 0.0861.
TRJ_HOST_DEVICE int64_t pot_above_log2(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits - (INT64_C(1023) << 52)) * 2 + (int64_t)(0.09 * 0x1p53);
}

// Returns the class of a charge outside the near range, as if none were distant. `square` is that of its distance.
TRJ_HOST_DEVICE unsigned pot_pair_far_class(const struct pot_pair *p, double charge, double square) {
    const bool squared = p->kind != POT_PAIR_DIELECTRIC; // the root is taken of the logarithm
    square += p->square;
    double bound = (squared ? charge * charge : fabs(charge)) / square;
    if (!(bound < 0x1p60)) return POT_NEAR; // as screening must not hide a charge that float32 cannot represent
    int64_t log = squared ? pot_above_log2(bound) / 2 : pot_above_log2(bound);
    if (p->kind == POT_PAIR_SCREENED) {
        double screening = p->kappa * POT_LOG2_E * sqrt(square);
        if (screening > 100) return POT_NOTHING;
        log -= (int64_t)(screening * 0x1p53);
    }
    if (log <= pot_whole_log2(POT_MIN)) return POT_NOTHING;
    // The magnitude is at most 2^e e/Å, e = ceil(log) <= 60, which are 2^(e + 40) quanta.
    unsigned e = (unsigned)((uint64_t)(log + pot_whole_log2(64) - 1) >> 53) + 1;
    return e < 64 - 18 ? 0 : e - (64 - 18) < POT_MAGNITUDES ? e - (64 - 18) : POT_NEAR;
}

// Returns the class of a charge that is not 0, from the square of its distance from the box of the block, in Å^2.
TRJ_HOST_DEVICE unsigned pot_pair_class(const struct pot_pair *p, const struct pot_pair_ranges *r, double charge,
                                        double square) {
    if (square <= r->gauss2) return POT_SOFTENED;
    if (r->only_near || square <= r->near2) return POT_NEAR;
    const unsigned k = pot_pair_far_class(p, charge, square);
    return k < POT_MAGNITUDES && square >= r->distant2 ? POT_DISTANT + k : k;
}

// Returns the error bound of the values of a block from the numbers of charges in each class and from term of
// pot_pair_error_terms.
TRJ_HOST_DEVICE double pot_pair_sum_error(const struct pot_pair *p, const double term[POT_FLOAT32_CLASSES],
                                          const size_t count[POT_CLASSES]) {
    double rounded = (double)count[POT_NEAR] + (double)count[POT_SOFTENED] + (double)count[POT_NOTHING];
    double error = rounded * p->quantum / 2;
    for (int k = 0; k < POT_FLOAT32_CLASSES; k++) error += (double)count[k] * term[k];
    return error;
}

#endif
