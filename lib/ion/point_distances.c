// SPDX-License-Identifier: MIT
// Tabulates the squares of differences along each axis where axes are independent, so that a distance is two additions.
#include "point_distances.h"

#include <math.h>
#include <stdlib.h>

#include "distance_terms.h"
#include "memory.h"

static bool is_periodic(const struct pot_distances *d, int axis) {
    return d->lattice.periodic & 1u << axis;
}

// Returns whether the nearest image is found for each axis on its own: a periodic axis is orthogonal to the others.
static bool is_separable(const struct trj_map_lattice *l) {
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++) {
            const double *a = l->step[k], *b = l->step[m];
            if (m != k && l->periodic & 1u << k && fabs(trj_dot(a, b)) > 1e-12 * sqrt(trj_dot(a, a) * trj_dot(b, b)))
                return false;
        }
    return true;
}

int pot_distances_set(struct pot_distances *d, const struct trj_map_lattice *lattice, struct trj_error *err) {
    const double *step = lattice->step[0];
    struct trj_cell cell = trj_map_lattice_cell(lattice);
    *d = (struct pot_distances){
        .lattice = *lattice, .length = sqrt(trj_dot(step, step)), .whole = !is_separable(lattice)};
    for (int k = 0; k < 3; k++) {
        d->unit[k] = step[k] / d->length;
        d->size[k] = is_periodic(d, k) ? lattice->n[k] : 2 * lattice->n[k] - 1;
    }
    return d->whole ? trj_lattice_make(&d->images, &cell, err) : 0;
}

int pot_distances_make(struct pot_distances *d, const struct trj_map_lattice *lattice, struct trj_error *err) {
    if (pot_distances_set(d, lattice, err)) return -1;
    uint64_t rows = d->whole ? d->size[1] : 1, planes = d->whole ? d->size[2] : 1;
    double *to = d->along = trj_alloc(d->size[0] * rows * planes, sizeof *to, "the distances", err);
    if (!to) return -1;
    for (uint64_t k = 0; k < planes; k++)
        for (uint64_t j = 0; j < rows; j++)
            for (uint64_t i = 0; i < d->size[0]; i++) *to++ = pot_distances_along(d, i, j, k);
    return 0;
}

void pot_distances_free(struct pot_distances *d) {
    free(d->along);
    d->along = NULL;
}

int pot_distances_row(const struct pot_distances *d, const uint64_t point[3], uint64_t j, uint64_t k,
                      struct pot_run runs[2]) {
    const struct trj_map_lattice *l = &d->lattice;
    uint64_t y = pot_distances_number(d, 1, j, point[1]), z = pot_distances_number(d, 2, k, point[2]);
    struct pot_run run = {.along = d->along, .count = l->n[0]};
    if (d->whole) {
        run.along += (z * d->size[1] + y) * d->size[0];
    } else {
        pot_distances_offset(d, y, z, &run.shift, &run.across2);
    }
    runs[0] = runs[1] = run;
    // Along a periodic axis 0, the differences begin again at 0 at the point itself.
    uint64_t first = pot_distances_number(d, 0, 0, point[0]);
    runs[0].along += first;
    if (!is_periodic(d, 0) || !point[0]) return 1;
    runs[0].count = runs[1].from = point[0];
    runs[1].count = l->n[0] - point[0];
    return 2;
}
