// SPDX-License-Identifier: MIT
// Finds the positions by which searches for single atoms in tiles decide about candidates.
#include "tile_candidates.h"

void rdf_find_exact(struct rdf_exact_tile *e, const struct tile_set *set, const struct trj_frame *f, size_t tile) {
    size_t n = tile_count(set, tile);
    double x[3][TILE_WIDTH];
    const double *const around[3] = {&set->around[tile][0], &set->around[tile][1], &set->around[tile][2]};
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < n; i++)
            x[k][i] = e->x[k][i] = (double)f->x[k][set->atom[tile * TILE_WIDTH + i]] * f->unit;
    tile_wrap(&set->boxes.axes, x, e->wrap, around, 0, n);
}
