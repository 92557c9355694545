// SPDX-License-Identifier: MIT
#include "point_exclusion.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "memory.h"

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static bool is_periodic(const struct trj_map_lattice *l, int axis) {
    return l->periodic & 1u << axis;
}

int pot_exclusion_make(struct pot_exclusion *e, const struct trj_map_lattice *lattice, const double (*position)[3],
                       size_t count, double distance, struct trj_error *err) {
    *e = (struct pot_exclusion){
        .lattice = lattice, .reach2 = distance * distance * POT_DISTANCE_ROUNDING, .count = count};
    trj_map_lattice_inverse(lattice, e->g);
    for (int k = 0; k < 3; k++) {
        double n = (double)lattice->n[k];
        // The planes of equal index are 1/|g| apart.
        e->reach[k] = distance * sqrt(dot(e->g[k], e->g[k]));
        if (is_periodic(lattice, k) && e->reach[k] > 4 * n)
            return trj_fail(err, TRJ_BAD_DATA,
                            "a distance of %g Å is more than four times the length of the periodic axis %d of the map; "
                            "give a smaller one",
                            distance, k);
    }
    if (!(e->index = trj_alloc(count, sizeof *e->index, "atoms", err))) return -1;
    for (size_t i = 0; i < count; i++) {
        double r[3];
        for (int c = 0; c < 3; c++) r[c] = position[i][c] - lattice->origin[c];
        for (int k = 0; k < 3; k++) {
            double u = dot(e->g[k], r), n = (double)lattice->n[k];
            e->index[i][k] = is_periodic(lattice, k) ? u - floor(u / n) * n : u;
        }
    }
    return 0;
}

void pot_exclusion_free(struct pot_exclusion *e) {
    free(e->index);
    e->index = NULL;
}

// Sets the first and the last integer within `reach` of u; along an axis that is not periodic, only those from `low` to
// `high`. Returns whether there are any.
static bool range(double u, double reach, bool periodic, double low, double high, int64_t *first, int64_t *last) {
    double from = ceil(u - reach), to = floor(u + reach);
    if (!periodic && from < low) from = low;
    if (!periodic && to > high) to = high;
    if (!(from <= to)) return false;
    *first = (int64_t)from;
    *last = (int64_t)to;
    return true;
}

static uint64_t wrap(int64_t i, uint64_t n) {
    int64_t rest = i % (int64_t)n;
    return (uint64_t)(rest < 0 ? rest + (int64_t)n : rest);
}

// Excludes points of a row. The vector from the atom to point i is i step[0] + r.
static void exclude_row(const struct pot_exclusion *e, double *row, const double r[3]) {
    const struct trj_map_lattice *l = e->lattice;
    double step2 = dot(l->step[0], l->step[0]), middle = dot(r, l->step[0]) / step2, across[3];
    for (int c = 0; c < 3; c++) across[c] = r[c] - middle * l->step[0][c];
    double across2 = dot(across, across);
    int64_t first, last;
    if (!(across2 < e->reach2)) return;
    // The comparison below decides; the range has one more point at each end, because of rounding errors.
    double reach = sqrt((e->reach2 - across2) / step2) + 1;
    if (!range(-middle, reach, is_periodic(l, 0), 0, (double)l->n[0] - 1, &first, &last)) return;
    uint64_t at = wrap(first, l->n[0]);
    for (int64_t i = first; i <= last; i++) {
        double d = (double)i + middle;
        if (d * d * step2 + across2 < e->reach2) row[at] = (double)NAN;
        if (++at == l->n[0]) at = 0;
    }
}

static void exclude_plane(const struct pot_exclusion *e, double *plane, const double u[3], int64_t k) {
    const struct trj_map_lattice *l = e->lattice;
    int64_t first, last;
    if (!range(u[1], e->reach[1] + 1e-6, is_periodic(l, 1), 0, (double)l->n[1] - 1, &first, &last)) return;
    for (int64_t j = first; j <= last; j++) {
        double r[3], n[3] = {-u[0], (double)j - u[1], (double)k - u[2]};
        for (int c = 0; c < 3; c++) r[c] = n[0] * l->step[0][c] + n[1] * l->step[1][c] + n[2] * l->step[2][c];
        exclude_row(e, plane + wrap(j, l->n[1]) * l->n[0], r);
    }
}

void pot_exclusion_apply(const struct pot_exclusion *e, double *value, uint64_t first, uint64_t end) {
    const struct trj_map_lattice *l = e->lattice;
    uint64_t plane = trj_map_lattice_plane(l);
    for (size_t i = 0; i < e->count; i++) {
        const double *u = e->index[i];
        int64_t from, to;
        if (!range(u[2], e->reach[2] + 1e-6, is_periodic(l, 2), (double)first, (double)end - 1, &from, &to)) continue;
        for (int64_t k = from; k <= to; k++) {
            uint64_t z = wrap(k, l->n[2]);
            if (z >= first && z < end) exclude_plane(e, value + z * plane, u, k);
        }
    }
}
