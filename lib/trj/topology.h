// SPDX-License-Identifier: MIT
// Who the atoms are: names, types, residues, masses, bonds, from a topology file.
#ifndef TRJ_TOPOLOGY_H
#define TRJ_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "input.h"

// A column of texts, each different text kept once.
struct trj_texts {
    uint32_t *id; // [atoms] index into text; NULL: the file has no such column
    char **text;  // [count], each different
    size_t count;
};

struct trj_topology {
    size_t atoms;
    struct trj_texts name, type, resname, segid, element; // element: "O", "Cl"; "" where it could not be told
    int64_t *resid;                                       // [atoms]; NULL: none
    double *mass;                                         // [atoms] u; NULL: the file has none
    double *charge;                                       // [atoms] e; NULL: the file has none
    uint32_t *residue; // [atoms] running number of the residue from 0: a new one where resid, resname or segid changes
    uint32_t
        *molecule; // [atoms] running number of the bonded molecule in order of first atom; NULL: the file has no bonds
    size_t bonds;
    uint32_t (*bond)[2];      // [bonds] 0-based
    const char *element_from; // NULL: the file says; else how they were guessed: "mass", "name"
    const char *format;       // "PSF"
};

// Format by content, then by name. PSF (CHARMM, X-PLOR, EXT, NAMD), PDB, GRO (the first model or frame). trj_topology_close frees.
// Damage is TRJ_BAD_DATA with file and line.
int trj_topology_open(struct trj_topology **top, const char *path, struct trj_error *err);
// The same for an input at its start; it is closed in any case.
int trj_topology_open_input(struct trj_topology **top, struct trj_input *in, struct trj_error *err);
bool trj_topology_is(const unsigned char *head, size_t n); // whether the first bytes of a file are those of a topology
void trj_topology_close(struct trj_topology *top);         // NULL is allowed

#endif
