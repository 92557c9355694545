// SPDX-License-Identifier: MIT
// The kernels of ligand_kernel.h, in terms of the vectors of vector_plain.h, or of those of an instruction set. Its
// file includes them, defines v_div(a, b) and v_root(x), which are correctly rounded, includes this file, and defines
// its struct lig_kernel with energies(). (This is a header because each file compiles it for its instruction set.)
#if !defined LIG_LIGAND_KERNEL_BODY_H && defined LANES
#define LIG_LIGAND_KERNEL_BODY_H

#include <math.h>
#include <stdalign.h>
#include <stdbool.h>

#include "ligand_kernel.h"

enum { VECTORS = LIG_LANES / LANES };

// Adds the pairs of one site. `near` and `charged` are constants of each call, so that the compiler makes a loop for
// each case.
static inline __attribute__((always_inline)) void add_pairs(reals sum[VECTORS], reals *max, const struct lig_atoms *a,
                                                            const struct lig_placements *p,
                                                            const struct lig_kernel_site *site, const float centre[3],
                                                            bool near, bool typed, bool charged) {
    const reals x = v_all(centre[0]), y = v_all(centre[1]), z = v_all(centre[2]), limit = v_all(p->cutoff2);
    const reals closest = v_all(LIG_CLOSEST), one = v_all(1), k = v_all(p->k), c = v_all(p->c), q = v_all(site->charge);
    const float *c12 = typed ? a->c12[site->type] : NULL, *minus_c6 = typed ? a->minus_c6[site->type] : NULL;
    for (size_t i = 0; i < a->count; i += LIG_LANES)
        for (size_t v = 0; v < VECTORS; v++) {
            size_t j = i + v * LANES;
            reals dx = v_sub(v_load(a->x[0] + j), x), dy = v_sub(v_load(a->x[1] + j), y),
                  dz = v_sub(v_load(a->x[2] + j), z);
            reals r2 = v_max(v_fma(dz, dz, v_fma(dy, dy, v_mul(dx, dx))), closest), inverse = v_div(one, r2);
            if (typed) {
                reals s6 = v_keep(v_less(r2, limit), v_mul(v_mul(inverse, inverse), inverse));
                reals t = v_fma(v_load(c12 + j), s6, v_load(minus_c6 + j));
                if (near) {
                    reals e = v_mul(s6, t);
                    *max = v_max(*max, e);
                    sum[v] = v_add(sum[v], e);
                } else {
                    sum[v] = v_fma(s6, t, sum[v]);
                }
            }
            if (charged) {
                reals w = v_mul(v_sub(v_fma(k, r2, v_root(inverse)), c), q);
                sum[v] = v_fma(v_load(a->charge + j), v_keep(v_less(r2, limit), w), sum[v]);
            }
        }
}

static inline __attribute__((always_inline)) void add_site(reals sum[VECTORS], reals *max, const struct lig_atoms *a,
                                                           const struct lig_placements *p, size_t number,
                                                           const float centre[3], bool near) {
    const struct lig_kernel_site *site = &p->site[number];
    if (site->type < 0)
        add_pairs(sum, max, a, p, site, centre, near, false, true);
    else if (site->charge != 0)
        add_pairs(sum, max, a, p, site, centre, near, true, true);
    else
        add_pairs(sum, max, a, p, site, centre, near, true, false);
}

static float energy_of(const struct lig_placements *p, const struct lig_atoms *near, const struct lig_atoms *far,
                       const float (*position)[3], const float x[3]) {
    alignas(64) float part[LIG_LANES];
    float centre[LIG_SITES_MAX][3];
    reals sum[VECTORS], max = v_all(0);
    for (size_t v = 0; v < VECTORS; v++) sum[v] = v_all(0);
    for (size_t s = 0; s < p->sites; s++) {
        for (int k = 0; k < 3; k++) centre[s][k] = x[k] + position[s][k];
        add_site(sum, &max, near, p, s, centre[s], true);
    }
    v_store(part, max);
    for (int m = 0; m < LANES; m++)
        if (part[m] > p->cap) return INFINITY;
    for (size_t s = 0; s < p->sites; s++) add_site(sum, &max, far, p, s, centre[s], false);
    for (size_t v = 0; v < VECTORS; v++) v_store(part + v * LANES, sum[v]);
    for (int h = LIG_LANES / 2; h; h /= 2)
        for (int m = 0; m < h; m++) part[m] += part[m + h];
    return part[0];
}

static void energies(const struct lig_placements *p, const struct lig_atoms *near, const struct lig_atoms *far,
                     const float x[3], float *energy) {
    for (unsigned i = 0; i < p->orientations; i++) energy[i] = energy_of(p, near, far, p->position + i * p->sites, x);
}

#endif
