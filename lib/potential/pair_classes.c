// SPDX-License-Identifier: MIT
// Decides by distance how exactly a charge is computed, so that distant charges need neither float64 nor single
// distances.
#include "pair_classes.h"

#include <math.h>
#include <string.h>

#include "elementary.h"
#include "pair_class_rule.h"

static const double LN_2 = 0x1.62e42fefa39efp-1;

void pot_pair_ranges_set(struct pot_pair_ranges *r, const struct pot_pair *p, const struct pot_block *block,
                         double radius, bool exact) {
    pot_pair_find_ranges(r, p, block->half_diagonal, block->near, radius, exact);
}

void pot_pair_squares(const struct pot_block *block, const double *const position[3], size_t n, double *square) {
    for (int k = 0; k < 3; k++) {
        const double *x = position[k], low = block->low[k], high = block->high[k];
        for (size_t i = 0; i < n; i++) {
            double d = pot_pair_outside(low, high, x[i]);
            square[i] = (k ? square[i] : 0) + d * d;
        }
    }
}

void pot_pair_classify(const struct pot_pair *p, const struct pot_pair_ranges *r, const double *charge,
                       const double *square, size_t n, unsigned char *class_of, size_t count[POT_CLASSES]) {
    memset(count, 0, POT_CLASSES * sizeof *count);
    for (size_t i = 0; i < n; i++) {
        unsigned k = pot_pair_class(p, r, charge[i], square[i]);
        class_of[i] = (unsigned char)k;
        count[k]++;
    }
}

// The magnitude of a contribution of class k is at most 2^(k - 18) e/Å. For screened, the error decreases with the
// distance. At the distance D of the charge, largest / POT_NEAR_MIN * exp(-kappa D) > 2^(k - 19.1) for k > 0, and
// more than 2^(POT_MIN - 0.1) for k = 0, as above_log2 is within 0.09 of log2.
void pot_pair_error_terms(const struct pot_pair *p, double largest, double term[POT_FLOAT32_CLASSES]) {
    static const double errors[2][3] = {
        {[POT_PAIR_PLAIN] = POT_FAR_ERROR_PLAIN,
         [POT_PAIR_DIELECTRIC] = POT_FAR_ERROR_DIELECTRIC,
         [POT_PAIR_SCREENED] = POT_FAR_ERROR_SCREENED},
        {[POT_PAIR_PLAIN] = POT_DISTANT_ERROR_PLAIN,
         [POT_PAIR_DIELECTRIC] = POT_DISTANT_ERROR_DIELECTRIC,
         [POT_PAIR_SCREENED] = POT_DISTANT_ERROR_SCREENED},
    };
    for (int class = 0; class < POT_FLOAT32_CLASSES; class ++) {
        const int k = class % POT_MAGNITUDES;
        double relative = errors[class >= POT_DISTANT][p->kind];
        if (p->kind == POT_PAIR_SCREENED) {
            double x = trj_log(largest / POT_NEAR_MIN) - LN_2 * (k ? k - 19.1 : POT_MIN - 0.1);
            relative += POT_ERROR_SCREENED_RATE * fmax(x, 0);
        }
        term[class] = ldexp(relative, k - 18) + ldexp(p->quantum, k - 1);
    }
}

double pot_pair_error(const struct pot_pair *p, double largest, const size_t count[POT_CLASSES]) {
    double term[POT_FLOAT32_CLASSES];
    pot_pair_error_terms(p, largest, term);
    return pot_pair_sum_error(p, term, count);
}
