// SPDX-License-Identifier: MIT
// The arithmetic of excluding points (point_exclusion.h), which CPUs and GPUs share. For files of this folder and
// kernels.
#ifndef POT_EXCLUSION_TERMS_H
#define POT_EXCLUSION_TERMS_H

#include <math.h>
#include <stdbool.h>

#include "point_exclusion.h"
#include "vector_products.h"

TRJ_HOST_DEVICE bool pot_exclusion_is_periodic(const struct pot_exclusion *e, int axis) {
    return e->lattice.periodic & 1u << axis;
}

// Sets the first and the last integer within `reach` of u; along an axis that is not periodic, only those from `low` to
// `high`. Returns whether there are any.
TRJ_HOST_DEVICE bool pot_exclusion_round(double u, double reach, bool periodic, double low, double high, int64_t *first,
                                         int64_t *last) {
    double from = ceil(u - reach), to = floor(u + reach);
    if (!periodic && from < low) from = low;
    if (!periodic && to > high) to = high;
    if (!(from <= to)) return false;
    *first = (int64_t)from;
    *last = (int64_t)to;
    return true;
}

// As pot_exclusion_round, for the planes along axis 1 or 2 that an atom with the indices u can reach.
TRJ_HOST_DEVICE bool pot_exclusion_find_range(const struct pot_exclusion *e, const double u[3], int axis, double low,
                                              double high, int64_t *first, int64_t *last) {
    return pot_exclusion_round(u[axis], e->reach[axis] + 1e-6, pot_exclusion_is_periodic(e, axis), low, high, first,
                               last);
}

// Returns the index along an axis with n points of which i is an image.
TRJ_HOST_DEVICE uint64_t pot_exclusion_wrap(int64_t i, uint64_t n) {
    int64_t rest = i % (int64_t)n;
    return (uint64_t)(rest < 0 ? rest + (int64_t)n : rest);
}

// Excludes points of the row with the indices j, k or images of them. The atom has the indices u, and the vector from
// it to point i is i step[0] + r.
TRJ_HOST_DEVICE void pot_exclusion_apply_row(const struct pot_exclusion *e, double *row, const double u[3], int64_t j,
                                             int64_t k) {
    const struct trj_map_lattice *l = &e->lattice;
    double r[3], n[3] = {-u[0], (double)j - u[1], (double)k - u[2]};
    for (int c = 0; c < 3; c++) r[c] = n[0] * l->step[0][c] + n[1] * l->step[1][c] + n[2] * l->step[2][c];
    double step2 = trj_dot(l->step[0], l->step[0]), middle = trj_dot(r, l->step[0]) / step2, across[3];
    for (int c = 0; c < 3; c++) across[c] = r[c] - middle * l->step[0][c];
    double across2 = trj_dot(across, across);
    int64_t first, last;
    if (!(across2 < e->reach2)) return;
    // The comparison below decides; the range has one more point at each end, because of rounding errors.
    double reach = sqrt((e->reach2 - across2) / step2) + 1;
    if (!pot_exclusion_round(-middle, reach, pot_exclusion_is_periodic(e, 0), 0, (double)l->n[0] - 1, &first, &last))
        return;
    uint64_t column = pot_exclusion_wrap(first, l->n[0]);
    for (int64_t i = first; i <= last; i++) {
        double d = (double)i + middle;
        if (d * d * step2 + across2 < e->reach2) row[column] = (double)NAN;
        if (++column == l->n[0]) column = 0;
    }
}

#endif
