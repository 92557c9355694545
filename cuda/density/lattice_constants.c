// SPDX-License-Identifier: MIT
// Computes the constants of a frame once on the host, for densities and correlations; in a kernel, each thread would
// compute them again.
#include "lattice_constants.h"

#include <stdlib.h>
#include <string.h>

#include "memory.h"

// Computes the constants of the kinds of Gaussians.
static int set_kinds(cuda_density_args *a, cuda_density_kind *kind, const struct trj_map_lattice *l,
                     const struct den_gauss_setup *gauss, struct trj_error *err) {
    struct den_gauss_lattice g;
    struct den_gauss_kind *k = trj_alloc(gauss->kinds, sizeof *k, "widths", err);
    int rc = k ? den_gauss_lattice_set(&g, k, gauss, l, err) : -1;
    for (unsigned i = 0; !rc && i < gauss->kinds; i++) {
        memcpy(kind[i].reach, k[i].reach, sizeof kind->reach);
        memcpy(kind[i].c, k[i].c, sizeof kind->c);
        memcpy(kind[i].a, k[i].a, sizeof kind->a);
        memcpy(kind[i].b, k[i].b, sizeof kind->b);
        memcpy(kind[i].e, k[i].e, sizeof kind->e);
        memcpy(kind[i].l, k[i].l, sizeof kind->l);
    }
    if (!rc) {
        a->skew = g.skew;
        a->oblique = g.oblique;
        a->magic = g.magic;
        a->magic_bits = g.magic_bits;
    }
    free(k);
    return rc;
}

int cuda_lattice_set(cuda_density_args *a, cuda_density_kind *kind, struct tile_lattice_plan *plan,
                     const struct trj_map_lattice *l, const struct tile_lattice_atoms *atoms,
                     const struct den_gauss_setup *gauss, struct trj_error *err) {
    struct tile_lattice_atoms with_reach = *atoms;
    if (gauss && set_kinds(a, kind, l, gauss, err)) return -1;
    float(*reach)[3] = trj_alloc(atoms->kinds, sizeof *reach, "widths", err);
    if (!reach) return -1;
    for (unsigned i = 0; i < atoms->kinds; i++) memcpy(reach[i], kind[i].reach, sizeof reach[i]);
    with_reach.reach = (const float(*)[3])reach;
    int rc = tile_lattice_plan_start(plan, l, &with_reach, 1, err);
    if (!rc) cuda_lattice_plan_set(&a->plan, plan);
    free(reach);
    a->unit = atoms->frame->unit;
    return rc;
}
