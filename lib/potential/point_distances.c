// SPDX-License-Identifier: MIT
#include "point_distances.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"
#include "nearest_image.h"

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_periodic(const struct pot_distances *d, int axis) {
    return d->lattice.periodic & 1u << axis;
}

// Returns whether the nearest image is found for each axis on its own: a periodic axis is orthogonal to the others.
static bool is_separable(const struct trj_map_lattice *l) {
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++) {
            const double *a = l->step[k], *b = l->step[m];
            if (m != k && l->periodic & 1u << k && fabs(dot(a, b)) > 1e-12 * sqrt(dot(a, a) * dot(b, b))) return false;
        }
    return true;
}

// Returns the shortest difference of indices for the number of a difference (`size`).
static double difference(const struct pot_distances *d, int axis, uint64_t number) {
    uint64_t n = d->lattice.n[axis];
    if (!is_periodic(d, axis)) return (double)number - (double)(n - 1);
    return (double)number - (2 * number > n ? (double)n : 0);
}

// Returns the number of the difference of two indices.
static uint64_t number_of(const struct pot_distances *d, int axis, uint64_t index, uint64_t from) {
    if (is_periodic(d, axis)) return index >= from ? index - from : d->lattice.n[axis] - (from - index);
    return index + d->lattice.n[axis] - 1 - from;
}

static int tabulate_lengths(struct pot_distances *d, struct trj_error *err) {
    struct trj_lattice images;
    struct trj_cell cell = trj_map_lattice_cell(&d->lattice);
    if (trj_lattice_make(&images, &cell, err)) return -1;
    double *to = d->along = trj_alloc(d->size[0] * d->size[1] * d->size[2], sizeof *to, "the distances", err);
    if (!to) return -1;
    for (uint64_t k = 0; k < d->size[2]; k++)
        for (uint64_t j = 0; j < d->size[1]; j++)
            for (uint64_t i = 0; i < d->size[0]; i++) {
                double n[3] = {difference(d, 0, i), difference(d, 1, j), difference(d, 2, k)}, v[3];
                for (int c = 0; c < 3; c++)
                    v[c] = n[0] * d->lattice.step[0][c] + n[1] * d->lattice.step[1][c] + n[2] * d->lattice.step[2][c];
                trj_nearest_image(&images, v);
                *to++ = sqrt(dot(v, v));
            }
    return 0;
}

int pot_distances_make(struct pot_distances *d, const struct trj_map_lattice *lattice, struct trj_error *err) {
    *d = (struct pot_distances){.lattice = *lattice, .whole = !is_separable(lattice)};
    double length = sqrt(dot(lattice->step[0], lattice->step[0]));
    for (int k = 0; k < 3; k++) {
        d->unit[k] = lattice->step[0][k] / length;
        d->size[k] = is_periodic(d, k) ? lattice->n[k] : 2 * lattice->n[k] - 1;
    }
    if (d->whole) return tabulate_lengths(d, err);
    if (!(d->along = trj_alloc(d->size[0], sizeof *d->along, "the distances", err))) return -1;
    for (uint64_t i = 0; i < d->size[0]; i++) d->along[i] = difference(d, 0, i) * length;
    return 0;
}

void pot_distances_free(struct pot_distances *d) {
    free(d->along);
    d->along = NULL;
}

int pot_distances_row(const struct pot_distances *d, const uint64_t point[3], uint64_t j, uint64_t k,
                      struct pot_run runs[2]) {
    const struct trj_map_lattice *l = &d->lattice;
    uint64_t y = number_of(d, 1, j, point[1]), z = number_of(d, 2, k, point[2]);
    struct pot_run run = {.along = d->along, .count = l->n[0]};
    if (d->whole) {
        run.along += (z * d->size[1] + y) * d->size[0];
    } else {
        double r[3], n[2] = {difference(d, 1, y), difference(d, 2, z)};
        for (int c = 0; c < 3; c++) r[c] = n[0] * l->step[1][c] + n[1] * l->step[2][c];
        run.shift = dot(r, d->unit);
        for (int c = 0; c < 3; c++) r[c] -= run.shift * d->unit[c];
        run.across2 = dot(r, r);
    }
    runs[0] = runs[1] = run;
    // Along a periodic axis 0, the differences begin again at 0 at the point itself.
    uint64_t first = number_of(d, 0, 0, point[0]);
    runs[0].along += first;
    if (!is_periodic(d, 0) || !point[0]) return 1;
    runs[0].count = runs[1].from = point[0];
    runs[1].count = l->n[0] - point[0];
    return 2;
}
