// SPDX-License-Identifier: MIT
// Reads the topology of a PQR file (pqr_records.h): the atoms of its first model.
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "number.h"
#include "pdb_records.h"
#include "pqr_records.h"
#include "topology_parts.h"

static int read_atom(struct trj_topology_builder *b, size_t *radius_capacity, bool *chains, const struct trj_lines *l,
                     struct trj_error *err) {
    struct trj_topology *top = b->top;
    struct trj_pqr_atom a;
    if (trj_pqr_atom(l, top->atoms, &a, err)) return -1;
    // A truncated charge or radius is a valid number.
    if (!trj_lines_has_newline(l) && trj_lines_check_last_number(l, (const char *const[]){a.charge, a.radius}, 2, err))
        return -1;
    struct trj_topology_atom atom = {
        .name = a.name, .resname = a.resname, .chain = a.chain, .resid = a.number, .insertion = a.insertion};
    double radius;
    if (!trj_parse_real(a.charge, &atom.charge) || !trj_parse_real(a.radius, &radius))
        return -1; // trj_pqr_atom has checked them
    if (radius < 0)
        return trj_lines_fail(l, err, "atom %zu: radius of %g Å, expected at least 0; correct it, or set it to 0",
                              top->atoms, radius);
    *chains = *chains || *a.chain;
    if (b->properties) {
        if (trj_grow(&top->radius, radius_capacity, top->atoms + 1, sizeof *top->radius, "atoms", err)) return -1;
        top->radius[top->atoms] = radius;
    }
    return trj_topology_add(b, &atom, err);
}

int trj_pqr_read(struct trj_topology_builder *b, struct trj_lines *l, struct trj_error *err) {
    struct trj_topology *top = b->top;
    size_t radius_capacity = 0;
    bool chains = false, began = false;
    int got;
    b->has_charge = true;
    while ((got = trj_lines_next(l, err)) == 1) {
        enum trj_pdb_record record = trj_pdb_record(l);
        trj_pdb_began(&began, l, record);
        if (record == TRJ_PDB_ATOM) {
            if (read_atom(b, &radius_capacity, &chains, l, err)) return -1;
        } else if (top->atoms && (record == TRJ_PDB_MODEL || record == TRJ_PDB_END)) {
            break;
        } else if (record == TRJ_PDB_OTHER && trj_topology_check_record(top, l, began, err)) {
            return -1;
        }
    }
    if (got < 0) return -1;
    if (!top->atoms && !began) return trj_pdb_fail_foreign(l, top->format, err);
    if (!top->atoms) return trj_lines_fail(l, err, "the file ends without an ATOM or HETATM record");
    if (!chains) {
        free(top->chain.id);
        top->chain.id = NULL;
    }
    return trj_topology_guess_elements(top, NULL, false, err);
}
