// SPDX-License-Identifier: MIT
// Visits only the points within the radius of an atom, because a map has far more points than an atom excludes.
#include "point_exclusion.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "exclusion_terms.h"
#include "memory.h"

static bool is_periodic(const struct trj_map_lattice *l, int axis) {
    return l->periodic & 1u << axis;
}

int pot_exclusion_make(struct pot_exclusion *e, const struct trj_map_lattice *lattice, const double (*position)[3],
                       size_t count, double distance, struct trj_error *err) {
    *e = (struct pot_exclusion){
        .lattice = *lattice, .reach2 = distance * distance * POT_DISTANCE_ROUNDING, .count = count};
    trj_map_lattice_inverse(lattice, e->g);
    for (int k = 0; k < 3; k++) {
        double n = (double)lattice->n[k];
        // The planes of equal index are 1/|g| apart.
        e->reach[k] = distance * sqrt(trj_dot(e->g[k], e->g[k]));
        if (count && is_periodic(lattice, k) && e->reach[k] > 4 * n)
            return trj_fail(err, TRJ_BAD_DATA,
                            "a distance of %g Å from the solute is more than four times the length of the periodic "
                            "axis %d of the map; give a smaller one",
                            distance, k);
    }
    if (!(e->index = trj_alloc(count, sizeof *e->index, "atoms", err))) return -1;
    for (size_t i = 0; i < count; i++) {
        double r[3];
        for (int c = 0; c < 3; c++) r[c] = position[i][c] - lattice->origin[c];
        for (int k = 0; k < 3; k++) {
            double u = trj_dot(e->g[k], r), n = (double)lattice->n[k];
            e->index[i][k] = is_periodic(lattice, k) ? u - floor(u / n) * n : u;
        }
    }
    return 0;
}

void pot_exclusion_free(struct pot_exclusion *e) {
    free(e->index);
    e->index = NULL;
}

static void exclude_plane(const struct pot_exclusion *e, double *plane, const double u[3], int64_t k) {
    int64_t first, last;
    if (!pot_exclusion_find_range(e, u, 1, 0, (double)e->lattice.n[1] - 1, &first, &last)) return;
    for (int64_t j = first; j <= last; j++)
        pot_exclusion_apply_row(e, plane + pot_exclusion_wrap(j, e->lattice.n[1]) * e->lattice.n[0], u, j, k);
}

void pot_exclusion_apply(const struct pot_exclusion *e, double *value, uint64_t first, uint64_t end) {
    const struct trj_map_lattice *l = &e->lattice;
    uint64_t plane = trj_map_lattice_plane(l);
    for (size_t i = 0; i < e->count; i++) {
        const double *u = e->index[i];
        int64_t from, to;
        if (!pot_exclusion_find_range(e, u, 2, (double)first, (double)end - 1, &from, &to)) continue;
        for (int64_t k = from; k <= to; k++) {
            uint64_t z = pot_exclusion_wrap(k, l->n[2]);
            if (z >= first && z < end) exclude_plane(e, value + z * plane, u, k);
        }
    }
}
