// SPDX-License-Identifier: MIT
// Parses the atom lines of PQR files, for topologies and trajectories. PQR files are like PDB files, but with charge
// (e) and radius (Å) instead of occupancy and B factor.
//
// Blanks separate the fields: record, serial number, name, residue name, chain (optional), residue number, x, y, z,
// charge, radius (APBS documentation, "PQR molecular structure format"). Where fields touch each other, the columns are
// those of PDB up to z; charge and radius follow (PDB2PQR without --whitespace).
#ifndef TRJ_PQR_RECORDS_H
#define TRJ_PQR_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lines.h"

enum { TRJ_PQR_FIELD = 32 };

struct trj_pqr_atom {
    char name[TRJ_PQR_FIELD], resname[TRJ_PQR_FIELD], chain[TRJ_PQR_FIELD]; // chain "": none
    char resid[TRJ_PQR_FIELD];                                              // with its insertion code
    char x[3][TRJ_PQR_FIELD];
    char charge[TRJ_PQR_FIELD], radius[TRJ_PQR_FIELD]; // texts of numbers
    int64_t number;                                    // of the residue
    char insertion;                                    // 0: none
};

// Parses an ATOM or HETATM line. `atom_number` is for messages. Returns 0 or -1.
int trj_pqr_atom(const struct trj_lines *l, size_t atom_number, struct trj_pqr_atom *atom, struct trj_error *err);

// These functions return whether the first n bytes of a file look like PDB, or like PQR. Both return true if the first
// atom line is valid in both formats, or is not in these bytes; the name of the file must then decide.
bool trj_pdb_is(const char *head, size_t n);
bool trj_pqr_is(const char *head, size_t n);

#endif
