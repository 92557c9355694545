// SPDX-License-Identifier: MIT
// Parses the PDB records that topologies and trajectories share.
// (wwPDB, Atomic Coordinate Entry Format 3.3; columns 21 and 73-76 as CHARMM and other programs use them)
#ifndef TRJ_PDB_RECORDS_H
#define TRJ_PDB_RECORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "cell.h"
#include "error.h"
#include "lines.h"

enum { // first columns of the fields of ATOM and HETATM, from 0
    TRJ_PDB_SERIAL = 6,
    TRJ_PDB_NAME = 12,
    TRJ_PDB_RESNAME = 17,
    TRJ_PDB_CHAIN = 21,
    TRJ_PDB_RESID = 22,
    TRJ_PDB_INSERTION = 26,
    TRJ_PDB_XYZ = 30, // three fields of TRJ_PDB_XYZ_WIDTH characters
    TRJ_PDB_XYZ_WIDTH = 8,
    TRJ_PDB_OCCUPANCY = 54, // TRJ_PDB_VALUE_WIDTH characters
    TRJ_PDB_BFACTOR = 60,   // the same
    TRJ_PDB_VALUE_WIDTH = 6,
    TRJ_PDB_SEGID = 72,
    TRJ_PDB_ELEMENT = 76
};

enum trj_pdb_record {
    TRJ_PDB_ATOM,  // ATOM, HETATM
    TRJ_PDB_MODEL, // the start of a model
    TRJ_PDB_END,   // the end of a model: ENDMDL, END
    TRJ_PDB_CRYST1,
    TRJ_PDB_TITLE,
    TRJ_PDB_OTHER,
};

// Returns whether the first n bytes of a file begin with a PDB record. PQR files have the same records (pqr_records.h).
bool trj_pdb_begins(const char *head, size_t n);

// Returns the kind of record in a line.
enum trj_pdb_record trj_pdb_record(const struct trj_lines *l);

// What to do with a line whose record is TRJ_PDB_OTHER. It must not be ignored if its record is unknown and it has
// coordinates, because the name of an atom's record may be misspelled.
enum trj_pdb_other { TRJ_PDB_IGNORE, TRJ_PDB_NOTE, TRJ_PDB_REJECT };
enum trj_pdb_other trj_pdb_other(const struct trj_lines *l);
// Sets *began if the line has a known record: the file is PDB or PQR. Starts false.
void trj_pdb_began(bool *began, const struct trj_lines *l, enum trj_pdb_record record);
// Sets the error that a line is to be rejected because of its record, or because the file has not begun as one of this
// format, PDB or PQR. Returns -1.
int trj_pdb_fail_other(const struct trj_lines *l, bool began, const char *format, struct trj_error *err);
// Sets the error that the file is not of this format, as it has no record up to this line. Returns -1.
int trj_pdb_fail_foreign(const struct trj_lines *l, const char *format, struct trj_error *err);
// Writes the note that lines of unknown records are ignored, of which this line is the first.
enum { TRJ_PDB_OTHER_NOTE = 128 };
void trj_pdb_note_other(const struct trj_lines *l, char note[TRJ_PDB_OTHER_NOTE]);

// Reads columns 31-54 as texts without blanks; they are not checked to be numbers. `number` is the atom's, for
// messages. Returns 0 or -1.
int trj_pdb_coordinates(const struct trj_lines *l, size_t number, char x[3][9], struct trj_error *err);
// Reads the coordinates as numbers, fast. Returns false for any unusual line; trj_pdb_coordinates then gives the result
// or error.
bool trj_pdb_scan(const struct trj_lines *l, float x[3]);

// Reads occupancy and B factor from columns 55-66; NaN where there is no number.
void trj_pdb_values(const struct trj_lines *l, double *occupancy, double *bfactor);

// Reads the cell from columns 7-54. The cube of edge 1 Å, which in the PDB means that there is no crystal, gives no
// cell. Returns 0 or -1.
int trj_pdb_cryst1(const struct trj_lines *l, struct trj_cell *cell, struct trj_error *err);

#endif
