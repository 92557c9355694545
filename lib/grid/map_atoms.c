// SPDX-License-Identifier: MIT
// Encodes the atoms of a map, so that grid streams keep what cube files contain.
#include "map_atoms.h"

#include <math.h>
#include <stdlib.h>

#include "memory.h"

enum { ATOM_SIZE = 4 + 4 * 8, ORBITAL_SIZE = 4 }; // bytes in a stream

void trj_map_atoms_free(struct trj_map_atoms *a) {
    free(a->atom);
    free(a->orbital);
    *a = (struct trj_map_atoms){.count = 0};
}

void trj_map_atoms_put(struct trj_bytes *b, const struct trj_map_atoms *a) {
    trj_put_u64(b, a->count);
    for (size_t i = 0; i < a->count; i++) {
        trj_put_u32(b, (uint32_t)a->atom[i].number);
        trj_put_f64(b, a->atom[i].charge);
        for (int k = 0; k < 3; k++) trj_put_f64(b, a->atom[i].position[k]);
    }
    trj_put_u64(b, a->orbitals);
    for (size_t i = 0; i < a->orbitals; i++) trj_put_u32(b, (uint32_t)a->orbital[i]);
}

static int get_atoms(struct trj_map_atoms *a, struct trj_cursor *c, struct trj_error *err) {
    uint64_t n = trj_get_u64(c);
    if (n > trj_cursor_left(c) / ATOM_SIZE) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (n && !(a->atom = trj_alloc(n, sizeof *a->atom, "atoms", err))) return -1;
    for (; a->count < n; a->count++) {
        struct trj_map_atom *atom = &a->atom[a->count];
        atom->number = (int32_t)trj_get_u32(c);
        atom->charge = trj_get_f64(c);
        double sum = atom->charge;
        for (int k = 0; k < 3; k++) sum += atom->position[k] = trj_get_f64(c);
        if (!isfinite(sum)) return trj_fail(err, TRJ_BAD_DATA, "atom %zu: invalid charge or position", a->count);
    }
    return 0;
}

int trj_map_atoms_get(struct trj_map_atoms *a, struct trj_cursor *c, uint32_t components, struct trj_error *err) {
    trj_map_atoms_free(a);
    if (get_atoms(a, c, err)) return -1;
    uint64_t n = trj_get_u64(c);
    if (n && n != components)
        return trj_fail(err, TRJ_BAD_DATA, "%llu orbitals, but %u values for each point", (unsigned long long)n,
                        components);
    if (n > trj_cursor_left(c) / ORBITAL_SIZE) return trj_fail(err, TRJ_BAD_DATA, "too short");
    if (n && !(a->orbital = trj_alloc(n, sizeof *a->orbital, "orbitals", err))) return -1;
    for (; a->orbitals < n; a->orbitals++) a->orbital[a->orbitals] = (int32_t)trj_get_u32(c);
    return 0;
}
