// SPDX-License-Identifier: MIT
// Converts tables to cubics in float32 with bounds of their errors, which kernels evaluate without a search.
#include "table_cubics.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

#define U 0x1p-24

void pot_table_cubics_free(struct pot_table_cubics *p) {
    free(p->c);
    free(p->bound);
    free(p->error);
    *p = (struct pot_table_cubics){.count = 0};
}

// Returns whether rows are equidistant, and their values suit float32.
static bool is_suitable(size_t rows, const double *r, const double *f, const double *slope) {
    double step = (r[rows - 1] - r[0]) / (double)(rows - 1), max = 0;
    if (rows > POT_MAX_CUBICS) return false;
    for (size_t i = 0; i < rows; i++) {
        if (!(fabs(r[i] - (r[0] + (double)i * step)) <= 1e-9 * step)) return false;
        max = fmax(max, fmax(fabs(f[i]), fabs(slope[i]) * step));
    }
    return max > 1e-15 && max < 1e15;
}

static void set_cubic(struct pot_table_cubics *p, size_t i, const double *f, const double *slope) {
    double rise = f[i + 1] - f[i], s0 = slope[i] * p->step, s1 = slope[i + 1] * p->step;
    const double c[4] = {f[i], s0, 3 * rise - 2 * s0 - s1, s0 + s1 - 2 * rise};
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        p->c[i][k] = (float)c[k];
        sum += fabs(c[k]);
    }
    // A cubic is between the smallest and the largest of its four Bernstein coefficients.
    p->bound[i] = fmax(fmax(fabs(f[i]), fabs(f[i] + s0 / 3)), fmax(fabs(f[i + 1]), fabs(f[i + 1] - s1 / 3)));
    p->error[i] = 8 * U * sum + 8 * U * (double)(i + 1) * (fabs(c[1]) + 2 * fabs(c[2]) + 3 * fabs(c[3]));
}

int pot_table_cubics_make(struct pot_table_cubics *p, size_t rows, const double *r, const double *f,
                          const double *slope, struct trj_error *err) {
    *p = (struct pot_table_cubics){.count = 0};
    if (!is_suitable(rows, r, f, slope)) return 0;
    p->count = rows - 1;
    p->first = r[0];
    p->step = (r[rows - 1] - r[0]) / (double)p->count;
    p->c = trj_alloc(p->count, sizeof *p->c, "the table of a kernel", err);
    p->bound = trj_alloc(p->count, sizeof *p->bound, "the table of a kernel", err);
    p->error = trj_alloc(p->count, sizeof *p->error, "the table of a kernel", err);
    if (!p->c || !p->bound || !p->error) {
        pot_table_cubics_free(p);
        return -1;
    }
    for (size_t i = p->count; i-- > 0;) {
        set_cubic(p, i, f, slope);
        if (i + 1 == p->count) continue;
        p->bound[i] = fmax(p->bound[i], p->bound[i + 1]);
        p->error[i] = fmax(p->error[i], p->error[i + 1]);
    }
    return 0;
}
