// SPDX-License-Identifier: MIT
#include "nearest_image.h"

#include <math.h>

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_orthogonal(const struct trj_cell *cell) {
    for (int k = 0; k < 3; k++) {
        const double *a = cell->h[k], *b = cell->h[(k + 1) % 3];
        bool both = cell->periodic & 1u << k && cell->periodic & 1u << (k + 1) % 3;
        if (both && fabs(dot(a, b)) > 1e-12 * sqrt(dot(a, a) * dot(b, b))) return false;
    }
    return true;
}

int trj_lattice_make(struct trj_lattice *l, const struct trj_cell *cell, struct trj_error *err) {
    double t[3][3];
    l->cell = *cell;
    if (trj_cell_reduce(&l->cell, t, err)) return -1;
    trj_cell_reciprocal(&l->cell, l->g);
    l->half = trj_cell_min_width(&l->cell) / 2 * (1 - 1e-9);
    l->sums = 0;
    for (int i = 14; i < 27 && !is_orthogonal(&l->cell); i++) { // those after 0, 0, 0; those before are their opposites
        const int n[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        bool periods = true;
        for (int k = 0; k < 3; k++) periods = periods && (!n[k] || l->cell.periodic & 1u << k);
        if (!periods) continue;
        double *sum = l->sum[l->sums];
        for (int c = 0; c < 3; c++) sum[c] = n[0] * l->cell.h[0][c] + n[1] * l->cell.h[1][c] + n[2] * l->cell.h[2][c];
        l->length2[l->sums++] = dot(sum, sum);
    }
    return 0;
}

// Rounds the fractional coordinates, and then subtracts sums s as long as this shortens the vector: |d - s|^2 < |d|^2
// if 2 d . s > s^2. The factor 1 + 1e-12 excludes steps that are only rounding errors.
void trj_nearest_image_of_long(const struct trj_lattice *l, double d[3]) {
    for (int k = 0; k < 3; k++) {
        double n = round(dot(l->g[k], d));
        for (int c = 0; c < 3; c++) d[c] -= n * l->cell.h[k][c];
    }
    bool shorter = l->sums > 0 && !trj_is_short(l, d);
    while (shorter) {
        shorter = false;
        for (int i = 0; i < l->sums; i++) {
            double twice = 2 * dot(d, l->sum[i]);
            if (!(fabs(twice) > l->length2[i] * (1 + 1e-12))) continue;
            for (int c = 0; c < 3; c++) d[c] -= copysign(l->sum[i][c], twice * l->sum[i][c]);
            shorter = true;
        }
    }
}
