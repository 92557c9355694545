// SPDX-License-Identifier: MIT
// Finds gaps by sorting, because sets that need it are wide, and have few units along a vector compared with all atoms.
#include "largest_gap.h"

#include <math.h>
#include <stdlib.h>

static int compare_reals(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool trj_largest_gap(double *fraction, size_t count, double width, double *middle) {
    for (size_t i = 0; i < count; i++) fraction[i] -= floor(fraction[i]);
    qsort(fraction, count, sizeof *fraction, compare_reals);
    double end = fraction[0] + 1, begin = fraction[count - 1];
    for (size_t i = 1; i < count; i++)
        if (fraction[i] - fraction[i - 1] > end - begin) {
            begin = fraction[i - 1];
            end = fraction[i];
        }
    *middle = (begin + end) / 2;
    return (end - begin) * width >= TRJ_GAP || end - begin >= 0.5;
}
