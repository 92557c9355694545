// SPDX-License-Identifier: MIT
// Reads the topology of small-molecule CIF: the atoms of the cell, named by the labels of their sites (cif_crystal.h).
// They are those of the first frame: if the next block is one, too, an error in it concerns only trajectories.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cif_crystal.h"
#include "cif_places.h"
#include "memory.h"
#include "topology_parts.h"

static int set_elements(struct trj_topology *top, const struct trj_crystal *k, struct trj_error *err) {
    unsigned char *z = trj_alloc(top->atoms, 1, "elements", err);
    if (!z) return -1;
    for (size_t i = 0; i < top->atoms; i++) {
        const struct trj_crystal_site *s = &k->site[k->of[i]];
        z[i] = (unsigned char)trj_crystal_element(s);
        if (!*s->symbol) top->element_from = "name";
    }
    int rc = trj_topology_set_elements(top, z, err);
    free(z);
    return rc;
}

// Sets occupancies and B factors.
static int set_values(struct trj_topology *top, const struct trj_crystal *k, struct trj_error *err) {
    if (k->has_occupancy && !(top->occupancy = trj_alloc(k->atoms, sizeof(double), "occupancies", err))) return -1;
    if (k->has_bfactor && !(top->bfactor = trj_alloc(k->atoms, sizeof(double), "B factors", err))) return -1;
    for (size_t i = 0; i < k->atoms; i++) {
        const struct trj_crystal_site *s = &k->site[k->of[i]];
        if (top->occupancy) top->occupancy[i] = s->occupancy;
        if (top->bfactor) top->bfactor[i] = s->bfactor;
    }
    return 0;
}

static int add_atoms(struct trj_topology_builder *b, const struct trj_crystal *k, struct trj_error *err) {
    b->has_resid = false;
    b->has_charge = k->has_charge;
    for (size_t i = 0; i < k->atoms; i++) {
        const struct trj_crystal_site *s = &k->site[k->of[i]];
        const char *name = *s->label ? s->label : s->symbol;
        struct trj_topology_atom atom = {.name = name, .type = *s->symbol ? s->symbol : name, .charge = s->charge};
        if (trj_topology_add(b, &atom, err)) return -1;
    }
    return set_elements(b->top, k, err) || (b->properties && set_values(b->top, k, err)) ? -1 : 0;
}

int trj_small_cif_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct trj_crystal_file f = {.cif = {.lines = l}};
    struct trj_crystal first = {.sites = 0}, next = {.sites = 0};
    int rc = -1, got = trj_crystal_next(&f, &first, err);
    if (!got) trj_crystal_fail_empty(&f, err);
    if (got > 0) {
        bool other;
        got = trj_crystal_next_frame(&f, &first, &next, &other, err);
        if (got >= 0 || !other) rc = add_atoms(b, &first, err);
    }
    if (!rc && first.ends_file) rc = trj_topology_check_last_word(b->top, l, NULL, err);
    trj_crystal_file_free(&f);
    trj_crystal_free(&first);
    trj_crystal_free(&next);
    return rc;
}
