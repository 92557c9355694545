// SPDX-License-Identifier: MIT
// The records of a PDB that topologies and trajectories read and write.  (wwPDB, Atomic Coordinate Entry Format 3.3; columns 21 and 73-76
// as CHARMM and others use them)
#ifndef TRJ_PDB_RECORDS_H
#define TRJ_PDB_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "cell.h"
#include "error.h"
#include "lines.h"

enum { // where fields of ATOM and HETATM begin, from 0
    TRJ_PDB_SERIAL = 6,
    TRJ_PDB_NAME = 12,
    TRJ_PDB_RESNAME = 17,
    TRJ_PDB_CHAIN = 21,
    TRJ_PDB_RESID = 22,
    TRJ_PDB_INSERTION = 26,
    TRJ_PDB_XYZ = 30, // three of 8 characters
    TRJ_PDB_XYZ_WIDTH = 8,
    TRJ_PDB_SEGID = 72,
    TRJ_PDB_ELEMENT = 76
};

enum trj_pdb_record {
    TRJ_PDB_ATOM,  // ATOM, HETATM
    TRJ_PDB_MODEL, // the beginning of one
    TRJ_PDB_END,   // the end of one: ENDMDL, END
    TRJ_PDB_CRYST1,
    TRJ_PDB_TITLE,
    TRJ_PDB_OTHER,
};

bool trj_pdb_is(const char *head, size_t n);

enum trj_pdb_record trj_pdb_record(const struct trj_lines *l);

// Columns 31-54 of atom `number`, as they are written: without blanks, perhaps no numbers.
int trj_pdb_coordinates(const struct trj_lines *l, size_t number, char x[3][9], struct trj_error *err);
// The same as numbers, quickly. False where they are not just as they should be: trj_pdb_coordinates tells.
bool trj_pdb_scan(const struct trj_lines *l, float x[3]);

// Columns 7-54. The cube of length 1 by which the PDB says that there is no crystal is no cell.
int trj_pdb_cryst1(const struct trj_lines *l, struct trj_cell *cell, struct trj_error *err);

#endif
