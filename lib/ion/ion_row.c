// SPDX-License-Identifier: MIT
// Updates and searches a row in one pass while it is in the cache, with independent minima that compilers vectorise.
#include "ion_row.h"

#include <math.h>

// Independent minima, so that the compiler can use vectors: it may not reorder a single one. The result does not depend
// on their number, because a minimum is exact, and a NaN is never less.
enum { LANES = 8 };

static double lowest_lane(const double low[LANES]) {
    double lowest = INFINITY;
    for (int k = 0; k < LANES; k++) lowest = low[k] < lowest ? low[k] : lowest;
    return lowest;
}

double pot_row_lowest(const double *value, double sign, size_t n) {
    double low[LANES];
    for (int k = 0; k < LANES; k++) low[k] = INFINITY;
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (int k = 0; k < LANES; k++) {
            double v = sign * value[i + (size_t)k];
            low[k] = v < low[k] ? v : low[k];
        }
    double lowest = lowest_lane(low);
    for (; i < n; i++) {
        double v = sign * value[i];
        lowest = v < lowest ? v : lowest;
    }
    return lowest;
}

// The values of a part stay in the L1 cache between the two loops.
enum { PART = 256 };

double pot_row_update(const struct pot_row_update *u, double *value, const double *along, double shift, double across2,
                      size_t n) {
    const double charge = u->charge, reach2 = u->reach2;
    double lowest = INFINITY;
    for (size_t from = 0; from < n; from += PART) {
        size_t count = n - from < PART ? n - from : PART;
        double *v = value + from;
        const double *a = along + from;
        for (size_t i = 0; i < count; i++) v[i] = pot_point_update(v[i], a[i], shift, across2, charge, reach2);
        double low = pot_row_lowest(v, u->sign, count);
        lowest = low < lowest ? low : lowest;
    }
    return lowest;
}
