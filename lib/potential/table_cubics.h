// SPDX-License-Identifier: MIT
// The cubics of a table with equidistant rows in float32, for the kernels of the method cutoff. Other tables are
// interpolated in float64 (pot_kernel.h), which is six times slower.
#ifndef POT_TABLE_CUBICS_H
#define POT_TABLE_CUBICS_H

#include <stdbool.h>
#include <stddef.h>

#include "error.h"

// Cubic i is c_0 + t (c_1 + t (c_2 + t c_3)), 0 <= t <= 1, from the row at r = first + i step.
struct pot_table_cubics {
    size_t count;       // 0: the table has no cubics
    double first, step; // Å
    float (*c)[4];      // [count]
    double *bound;      // [count] largest magnitude in this cubic and all after it
    double *error;      // [count] of a value in these cubics, if t + i has a relative error of 8 * 2^-24
};

enum { POT_MAX_CUBICS = 1 << 20 };

// Makes the cubics of rows[count] with these slopes. There are none if the distances of rows differ by more than 1e-9
// of them, if there are too many, or if values are too large or too small for float32.
int pot_table_cubics_make(struct pot_table_cubics *p, size_t rows, const double *r, const double *f,
                          const double *slope, struct trj_error *err);
void pot_table_cubics_free(struct pot_table_cubics *p);

#endif
