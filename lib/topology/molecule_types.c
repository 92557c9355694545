// SPDX-License-Identifier: MIT
// Makes topologies from molecule types and blocks of molecules, for the formats of GROMACS.
#include "molecule_types.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "element.h"
#include "memory.h"

int trj_molecule_type_add(struct trj_molecule_system *s, struct trj_error *err) {
    if (trj_grow(&s->type, &s->type_capacity, s->types + 1, sizeof *s->type, "molecules", err)) return -1;
    s->type[s->types++] = (struct trj_molecule_type){.name = 0};
    return 0;
}

// grompp leaves entries of 0 molecules, and types without molecules, out of its TPR files. They have no effect on
// residue numbers.
int trj_molecule_block_add(struct trj_molecule_system *s, struct trj_molecule_block block, struct trj_error *err) {
    if (!block.molecules) return 0;
    if (trj_grow(&s->block, &s->block_capacity, s->blocks + 1, sizeof *s->block, "blocks", err)) return -1;
    s->block[s->blocks++] = block;
    return 0;
}

int trj_molecule_bond_add(struct trj_molecule_type *type, uint32_t i, uint32_t j, struct trj_error *err) {
    if (trj_grow(&type->bond, &type->bond_capacity, type->bonds + 1, sizeof *type->bond, "bonds", err)) return -1;
    type->bond[type->bonds][0] = i;
    type->bond[type->bonds++][1] = j;
    return 0;
}

int trj_molecule_lj_start(struct trj_molecule_system *s, size_t types, struct trj_error *err) {
    s->sigma = trj_alloc(types, sizeof *s->sigma, "types", err);
    s->epsilon = trj_alloc(types, sizeof *s->epsilon, "types", err);
    if (!s->sigma || !s->epsilon) return -1;
    for (size_t i = 0; i < types; i++) s->sigma[i] = s->epsilon[i] = NAN;
    s->lj_types = types;
    return 0;
}

void trj_molecule_lj_set(struct trj_molecule_system *s, size_t type, double c6, double c12) {
    if (c6 > 0 && c12 > 0) {
        s->sigma[type] = 10 * pow(c12 / c6, 1.0 / 6);
        s->epsilon[type] = c6 * c6 / (4 * c12) / 4.184;
    } else if (c6 == 0 && c12 == 0) {
        s->sigma[type] = s->epsilon[type] = 0;
    }
}

static int add_molecule(struct trj_topology_builder *b, const struct trj_molecule_system *s,
                        const struct trj_molecule_type *k, int64_t renumber, unsigned char *z, struct trj_error *err) {
    struct trj_topology *top = b->top;
    size_t first = top->atoms;
    for (size_t i = 0; i < k->atoms; i++) {
        const struct trj_molecule_atom *a = &k->atom[i];
        const struct trj_molecule_residue *r = &k->residue[a->residue];
        struct trj_topology_atom atom = {.name = s->text[a->name],
                                         .type = s->text[a->type],
                                         .resname = s->text[r->name],
                                         .segid = s->text[k->name],
                                         .resid = renumber ? renumber + a->residue : r->number,
                                         .insertion = r->insertion,
                                         .mass = a->mass,
                                         .charge = a->charge};
        z[first + i] = (unsigned char)(a->number > 0 && a->number <= TRJ_ELEMENTS ? a->number : 0);
        // A bead, or an atom of a force field without atomic numbers.
        if (a->number <= 0 && a->mass != 0) z[first + i] = TRJ_TO_GUESS;
        if (trj_topology_add(b, &atom, err)) return -1;
        if (!s->lj_types) continue;
        top->sigma[first + i] = s->sigma[a->lj];
        top->epsilon[first + i] = s->epsilon[a->lj];
    }
    for (size_t i = 0; i < k->bonds; i++)
        if (trj_topology_add_bond(b, (uint32_t)first + k->bond[i][0], (uint32_t)first + k->bond[i][1], err)) return -1;
    return 0;
}

static bool has_masses(const struct trj_topology *top) {
    for (size_t i = 0; i < top->atoms; i++)
        if (!isnan(top->mass[i])) return true;
    return false;
}

// Molecules of one residue get consecutive numbers after the highest residue number of the other molecules, as in files
// that GROMACS writes. A system of a single molecule keeps its numbers.
static int add_molecules(struct trj_topology_builder *b, const struct trj_molecule_system *s, unsigned char *z,
                         struct trj_error *err) {
    struct trj_topology *top = b->top;
    size_t max_renumbered = s->blocks == 1 && s->block->molecules == 1 ? 0 : 1;
    int64_t next = 1;
    uint32_t molecule = 0, residue = 0;
    for (size_t i = 0; i < s->blocks; i++) {
        const struct trj_molecule_type *k = &s->type[s->block[i].type];
        for (size_t r = 0; r < k->residues && k->residues > max_renumbered; r++)
            if (k->residue[r].number >= next) next = (int64_t)k->residue[r].number + 1;
    }
    for (size_t i = 0; i < s->blocks; i++) {
        const struct trj_molecule_type *k = &s->type[s->block[i].type];
        bool renumbered = k->residues <= max_renumbered;
        for (uint32_t m = 0; m < s->block[i].molecules; m++, molecule++, residue += (uint32_t)k->residues) {
            size_t first = top->atoms;
            if (add_molecule(b, s, k, renumbered ? next : 0, z, err)) return -1;
            if (renumbered) next += (int64_t)k->residues;
            for (size_t a = 0; a < k->atoms; a++) {
                top->molecule[first + a] = molecule;
                top->residue[first + a] = residue + k->atom[a].residue;
            }
        }
    }
    return trj_topology_guess_elements(top, z, has_masses(top), err);
}

int trj_molecule_system_build(struct trj_topology_builder *b, const struct trj_molecule_system *s, size_t atoms,
                              struct trj_error *err) {
    struct trj_topology *top = b->top;
    int rc = -1;
    b->has_mass = b->has_charge = true;
    unsigned char *z = trj_alloc(atoms, 1, "elements", err);
    top->molecule = trj_alloc(atoms, sizeof *top->molecule, "molecules", err);
    top->residue = trj_alloc(atoms, sizeof *top->residue, "residues", err);
    if (!z || !top->molecule || !top->residue) goto out;
    if (s->lj_types) {
        top->sigma = trj_alloc(atoms, sizeof *top->sigma, "atoms", err);
        top->epsilon = trj_alloc(atoms, sizeof *top->epsilon, "atoms", err);
        top->lj_from = s->lj_from;
        if (!top->sigma || !top->epsilon) goto out;
    }
    if (add_molecules(b, s, z, err)) goto out;
    top->no_bonds = !top->bonds;
    rc = 0;
out:
    free(z);
    return rc;
}

void trj_molecule_system_free(struct trj_molecule_system *s) {
    for (size_t i = 0; i < s->types; i++) {
        free(s->type[i].atom);
        free(s->type[i].residue);
        free(s->type[i].bond);
    }
    free(s->type);
    free(s->block);
    free(s->sigma);
    free(s->epsilon);
}
