// SPDX-License-Identifier: MIT
#include "pair_classes.h"

#include <math.h>
#include <string.h>

#include "elementary.h"

static const double LN_2 = 0x1.62e42fefa39efp-1;

void pot_pair_ranges_set(struct pot_pair_ranges *r, const struct pot_pair *p, const struct pot_block *block,
                         bool exact) {
    double near = fmax(block->near, p->softened_range), gauss = exact ? p->gauss_range : fmin(p->gauss_range, near);
    r->near2 = near * near;
    // Without a Gaussian, no charge is POT_SOFTENED.
    r->gauss2 = p->gauss > 0 ? gauss * gauss : -1;
    // In float32, the exponents of a block must not differ by more than 50, so that 2^n does not underflow.
    r->only_near = exact || p->kappa * 2 * block->half_diagonal * POT_LOG2_E > 50;
}

void pot_pair_squares(const struct pot_block *block, const double *const at[3], size_t n, double *square) {
    for (int k = 0; k < 3; k++) {
        const double *x = at[k], low = block->low[k], high = block->high[k];
        for (size_t i = 0; i < n; i++) {
            double below = low - x[i], above = x[i] - high, d = below > above ? below : above;
            d = d > 0 ? d : 0;
            square[i] = (k ? square[i] : 0) + d * d;
        }
    }
}

// Logarithms are int64 multiples of 2^-53.
static int64_t whole_log2(int x) {
    return x * (INT64_C(1) << 53);
}

// Returns a number that exceeds log2(x) by 0.003 to 0.09, for a positive x below 2^100. The bits of x, as an integer,
// are a piecewise linear approximation of log2 that is too low by at most 0.0861.
static int64_t above_log2(double x) {
    int64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bits - (INT64_C(1023) << 52)) * 2 + (int64_t)(0.09 * 0x1p53);
}

// Returns the class of a charge that is neither POT_NEAR nor POT_SOFTENED by its distance, whose square is `square`.
static unsigned far_class(const struct pot_pair *p, double charge, double square) {
    const bool squared = p->kind != POT_PAIR_DIELECTRIC; // the root is taken of the logarithm
    square += p->square;
    double bound = (squared ? charge * charge : fabs(charge)) / square;
    if (!(bound < 0x1p60)) return POT_NEAR; // as screening must not hide a charge that float32 cannot represent
    int64_t log = squared ? above_log2(bound) / 2 : above_log2(bound);
    if (p->kind == POT_PAIR_SCREENED) {
        double screening = p->kappa * POT_LOG2_E * sqrt(square);
        if (screening > 100) return POT_NOTHING;
        log -= (int64_t)(screening * 0x1p53);
    }
    if (log <= whole_log2(POT_LEAST)) return POT_NOTHING;
    // The magnitude is at most 2^e e/Å, e = ceil(log) <= 60, which are 2^(e + 40) quanta.
    unsigned e = (unsigned)((uint64_t)(log + whole_log2(64) - 1) >> 53) + 1;
    return e < 64 - 18 ? 0 : e - (64 - 18) < POT_FAR_CLASSES ? e - (64 - 18) : POT_NEAR;
}

void pot_pair_classify(const struct pot_pair *p, const struct pot_pair_ranges *r, const double *charge,
                       const double *square, size_t n, unsigned char *class, size_t count[POT_CLASSES]) {
    memset(count, 0, POT_CLASSES * sizeof *count);
    for (size_t i = 0; i < n; i++) {
        unsigned k = square[i] <= r->gauss2                  ? POT_SOFTENED
                     : r->only_near || square[i] <= r->near2 ? POT_NEAR
                                                             : far_class(p, charge[i], square[i]);
        class[i] = (unsigned char)k;
        count[k]++;
    }
}

// The magnitude of a contribution of class k is at most 2^(k - 18) e/Å. For screened, the error decreases with the
// distance. At the distance D of the charge, largest / POT_NEAR_LEAST * exp(-kappa D) > 2^(k - 19.1) for k > 0, and
// more than 2^(POT_LEAST - 0.1) for k = 0, as above_log2 is within 0.09 of log2.
double pot_pair_error(const struct pot_pair *p, double largest, const size_t count[POT_CLASSES]) {
    double rounded = (double)count[POT_NEAR] + (double)count[POT_SOFTENED] + (double)count[POT_NOTHING],
           error = rounded * p->quantum / 2;
    for (int k = 0; k < POT_FAR_CLASSES; k++) {
        double relative = p->kind == POT_PAIR_DIELECTRIC ? POT_PAIR_ERROR_DIELECTRIC : POT_PAIR_ERROR_PLAIN;
        if (p->kind == POT_PAIR_SCREENED) {
            double x = trj_log(largest / POT_NEAR_LEAST) - LN_2 * (k ? k - 19.1 : POT_LEAST - 0.1);
            relative = POT_PAIR_ERROR_SCREENED + POT_PAIR_ERROR_SCREENED_RATE * fmax(x, 0);
        }
        error += (double)count[k] * (ldexp(relative, k - 18) + ldexp(p->quantum, k - 1));
    }
    return error;
}
