// SPDX-License-Identifier: MIT
// Reads the topology of POSCAR and XDATCAR: the species of the head, each with its number of atoms (vasp_records.h).
#include <stdlib.h>
#include <string.h>

#include "element.h"
#include "memory.h"
#include "topology_parts.h"
#include "vasp_records.h"

// Sets elements by the names, which are symbols. Others, of VASP 4, are unknown.
static int set_elements(struct trj_topology *top, const struct trj_vasp_head *h, struct trj_error *err) {
    unsigned char *z = trj_alloc(top->atoms, 1, "elements", err);
    if (!z) return -1;
    size_t i = 0;
    for (size_t k = 0; k < h->count; k++) {
        const char *name = h->species[k].name;
        unsigned number = !strcmp(name, "D") ? 1 : trj_element_find_exact(name, strlen(name));
        memset(z + i, (int)number, (size_t)h->species[k].atoms);
        i += (size_t)h->species[k].atoms;
    }
    int rc = trj_topology_set_elements(top, z, err);
    free(z);
    return rc;
}

// Adds the atoms of the head, each of which has a line with a position.
static int read_atoms(struct trj_topology_builder *b, const struct trj_vasp_head *h, struct trj_lines *l,
                      struct trj_error *err) {
    double v[3];
    const char *number[3];
    b->has_resid = false;
    for (size_t k = 0; k < h->count; k++)
        for (uint64_t i = 0; i < h->species[k].atoms; i++) {
            int got = trj_lines_next(l, err);
            if (got < 0) return -1;
            if (!got)
                return trj_lines_fail(l, err, "the file ends after %zu of %llu atoms", b->top->atoms,
                                      (unsigned long long)h->atoms);
            if (!trj_vasp_scan(l->text, v, number))
                return trj_lines_fail(l, err, "atom %zu: '%.60s' where three numbers of a position are expected",
                                      b->top->atoms, l->text);
            struct trj_topology_atom atom = {.name = h->species[k].name, .type = h->species[k].name};
            if (trj_topology_add(b, &atom, err)) return -1;
        }
    if (!h->named)
        b->top->note = "it has no names of elements, as VASP 4 writes: atoms are named by the number of their species; "
                       "insert a line with the names before the numbers of atoms";
    return set_elements(b->top, h, err);
}

int trj_poscar_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct trj_vasp_head h = {.atoms = 0};
    bool direct, flags;
    int rc = trj_vasp_read_head(&h, l, err) || trj_vasp_read_mode(l, &direct, &flags, err) || read_atoms(b, &h, l, err);
    trj_vasp_head_free(&h);
    return rc ? -1 : 0;
}

int trj_xdatcar_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct trj_vasp_head h = {.atoms = 0};
    int64_t step;
    int rc = trj_vasp_read_head(&h, l, err);
    do
        if (!rc) rc = trj_topology_next_line(l, "the positions", err);
    while (!rc && trj_vasp_is_blank(l->text));
    if (!rc && !trj_vasp_is_configuration(l->text, &step)) trj_lines_repeat(l);
    if (!rc) rc = read_atoms(b, &h, l, err);
    trj_vasp_head_free(&h);
    return rc ? -1 : 0;
}
