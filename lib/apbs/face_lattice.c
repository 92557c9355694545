// SPDX-License-Identifier: MIT
// Makes the lattice and the planes of the map of boundary values, with one point more at each end than the box of APBS,
// because APBS aborts if a rounded map ends inside its box.
#include "face_lattice.h"

#include <stdbool.h>
#include <stddef.h>

int pot_face_lattice(const uint64_t dime[3], const double glen[3], const double center[3], struct trj_map_lattice *l,
                     struct trj_error *err) {
    *l = (struct trj_map_lattice){.periodic = 0};
    for (int k = 0; k < 3; k++) {
        if (dime[k] < 3)
            return trj_fail(err, TRJ_BAD_DATA, "%llu points along axis %d, but a box with an inside has at least 3",
                            (unsigned long long)dime[k], k);
        l->n[k] = dime[k];
        l->step[k][k] = glen[k] / (double)(dime[k] - 1);
        l->origin[k] = center[k] - 0.5 * glen[k];
    }
    return trj_map_lattice_check(l, err);
}

struct trj_map_lattice pot_face_map_lattice(const struct trj_map_lattice *l) {
    struct trj_map_lattice m = *l;
    for (int k = 0; k < 3; k++) {
        m.n[k] += 2;
        m.origin[k] -= l->step[k][k];
    }
    return m;
}

// Returns the index in the box that is nearest to index i of the map.
static uint64_t nearest(uint64_t i, uint64_t n) {
    return i == 0 ? 0 : i > n ? n - 1 : i - 1;
}

void pot_face_map_plane(const struct trj_map_lattice *l, const double *values, uint64_t k, double *plane) {
    const uint64_t *n = l->n;
    uint64_t c = nearest(k, n[2]);
    for (uint64_t j = 0; j < n[1] + 2; j++) {
        uint64_t b = nearest(j, n[1]);
        bool edge = c == 0 || c == n[2] - 1 || b == 0 || b == n[1] - 1;
        const double *row = values + n[0] * (b + n[1] * c);
        for (uint64_t i = 0; i < n[0] + 2; i++) {
            uint64_t a = nearest(i, n[0]);
            *plane++ = edge || a == 0 || a == n[0] - 1 ? row[a] : 0;
        }
    }
}
