// SPDX-License-Identifier: MIT
#include "nearest_image.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static double length2(const double d[3]) {
    return d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
}

int trj_lattice_make(struct trj_lattice *l, const struct trj_cell *cell, struct trj_error *err) {
    double t[3][3];
    l->cell = *cell;
    if (trj_cell_reduce(&l->cell, t, err)) return -1;
    trj_cell_reciprocal(&l->cell, l->g);
    l->half = trj_cell_min_width(&l->cell) / 2 * (1 - 1e-9);
    l->sums = 0;
    for (int i = 0; i < 27; i++) {
        const int n[3] = {i % 3 - 1, i / 3 % 3 - 1, i / 9 - 1};
        bool periods = true;
        for (int k = 0; k < 3; k++) periods = periods && (!n[k] || l->cell.periodic & 1u << k);
        if (!periods || !(n[0] || n[1] || n[2])) continue;
        double *sum = l->sum[l->sums++];
        for (int c = 0; c < 3; c++) sum[c] = n[0] * l->cell.h[0][c] + n[1] * l->cell.h[1][c] + n[2] * l->cell.h[2][c];
    }
    return 0;
}

// Starts with the rounded fractional coordinates, and takes steps that shorten the vector.
void trj_nearest_image(const struct trj_lattice *l, double d[3]) {
    if (length2(d) <= l->half * l->half) return; // most vectors
    for (int k = 0; k < 3; k++) {
        double n = round(l->g[k][0] * d[0] + l->g[k][1] * d[1] + l->g[k][2] * d[2]);
        for (int c = 0; c < 3; c++) d[c] -= n * l->cell.h[k][c];
    }
    double best = length2(d);
    bool shorter = best > l->half * l->half;
    while (shorter) {
        shorter = false;
        for (int i = 0; i < l->sums; i++) {
            const double image[3] = {d[0] + l->sum[i][0], d[1] + l->sum[i][1], d[2] + l->sum[i][2]};
            if (!(length2(image) < best)) continue;
            best = length2(image);
            memcpy(d, image, sizeof image);
            shorter = true;
        }
    }
}
