// SPDX-License-Identifier: MIT
// Interpolates a map at the points of another lattice; unknown values count only where their weight is not 0.
#include "map_resample.h"

#include <math.h>

void trj_map_resampling_open(struct trj_map_resampling *r, const struct trj_map *from,
                             const struct trj_map_lattice *to) {
    double g[3][3];
    *r = (struct trj_map_resampling){.from = from, .to = to, .scale = 1};
    trj_map_lattice_inverse(&from->lattice, g);
    for (int m = 0; m < 3; m++) {
        for (int i = 0; i < 3; i++) {
            r->start[m] += g[m][i] * (to->origin[i] - from->lattice.origin[i]);
            for (int k = 0; k < 3; k++) r->step[k][m] += g[m][i] * to->step[k][i];
        }
    }
    double ratio = trj_map_lattice_voxel(to) / trj_map_lattice_voxel(&from->lattice);
    r->coarser = ratio > 1.01;
    if (from->meaning == TRJ_MAP_TOTALS) r->scale = trj_map_lattice_voxel(to) / trj_map_lattice_voxel(&from->lattice);
}

static void interpolate(const struct trj_map_resampling *r, const double *values, uint64_t point[3][2],
                        const double weight[3], double *to) {
    const uint64_t *n = r->from->lattice.n;
    size_t components = r->from->components;
    for (size_t c = 0; c < components; c++) {
        double sum = 0;
        for (unsigned corner = 0; corner < 8; corner++) {
            double w = 1;
            uint64_t index[3];
            for (unsigned m = 0; m < 3; m++) {
                bool second = corner & 1u << m;
                w *= second ? weight[m] : 1 - weight[m];
                index[m] = point[m][second];
            }
            // An unknown value must have no effect if its weight is 0.
            if (w > 0) sum += w * values[c + components * (index[0] + n[0] * (index[1] + n[1] * index[2]))];
        }
        to[c] = sum * r->scale;
    }
}

uint64_t trj_map_resample(const struct trj_map_resampling *r, const double *values, uint64_t first, uint64_t planes,
                          double *to) {
    const struct trj_map_lattice *l = &r->from->lattice;
    uint64_t outside = 0;
    for (uint64_t k = first; k < first + planes; k++)
        for (uint64_t j = 0; j < r->to->n[1]; j++)
            for (uint64_t i = 0; i < r->to->n[0]; i++, to += r->from->components) {
                uint64_t point[3][2];
                double weight[3];
                bool inside = true;
                for (int m = 0; m < 3; m++) {
                    double u =
                        r->start[m] + (double)i * r->step[0][m] + (double)j * r->step[1][m] + (double)k * r->step[2][m];
                    inside = inside && trj_map_lattice_neighbours(l, m, u, point[m], &weight[m]) > 0;
                }
                outside += !inside;
                if (inside) interpolate(r, values, point, weight, to);
                for (size_t c = 0; !inside && c < r->from->components; c++) to[c] = NAN;
            }
    return outside;
}
