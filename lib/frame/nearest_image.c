// SPDX-License-Identifier: MIT
// Prepares a reduced cell and sums of its vectors once, so that only long vectors in skew cells need a search of
// images.
#include "nearest_image.h"

#include <math.h>

static bool is_orthogonal(const struct trj_cell *cell) {
    for (int k = 0; k < 3; k++) {
        const double *a = cell->h[k], *b = cell->h[(k + 1) % 3];
        bool both = cell->periodic & 1u << k && cell->periodic & 1u << (k + 1) % 3;
        if (both && fabs(trj_dot(a, b)) > 1e-12 * sqrt(trj_dot(a, a) * trj_dot(b, b))) return false;
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
        l->length2[l->sums++] = trj_dot(sum, sum);
    }
    return 0;
}

int trj_lattice_project(struct trj_lattice *l, const struct trj_cell *cell, int axis, double along[3],
                        struct trj_error *err) {
    struct trj_cell projected = *cell;
    double length = trj_norm(cell->h[axis]);
    if (!(length > 0))
        return trj_fail(err, TRJ_BAD_DATA, "the cell vector %c is unknown; give the cell: trjcat --cell", 'a' + axis);
    for (int c = 0; c < 3; c++) along[c] = cell->h[axis][c] / length;
    for (int k = 0; k < 3; k++) {
        double part = trj_dot(cell->h[k], along);
        for (int c = 0; c < 3; c++) projected.h[k][c] = k == axis ? 0 : cell->h[k][c] - part * along[c];
    }
    projected.periodic &= ~(1u << axis);
    return trj_lattice_make(l, &projected, err);
}

// A reduced cell has the shortest vectors.
double trj_lattice_half_shortest(const struct trj_lattice *l) {
    double shortest = INFINITY;
    for (int k = 0; k < 3; k++)
        if (l->cell.periodic >> k & 1) shortest = fmin(shortest, trj_norm(l->cell.h[k]));
    return shortest / 2;
}

void trj_nearest_image_of_long(const struct trj_lattice *l, double d[3]) {
    trj_nearest_image_inline(l, d);
}
