// SPDX-License-Identifier: MIT
// The table of atoms in mmCIF (https://mmcif.wwpdb.org/dictionaries/mmcif_pdbx_v50.dic, category atom_site), for
// topologies and trajectories. Its columns are in any order, and most are optional. Rows of one model are consecutive.
#ifndef TRJ_MMCIF_RECORDS_H
#define TRJ_MMCIF_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cif_records.h"
#include "instruction_set.h"

enum { TRJ_MMCIF_COLUMNS = 256, TRJ_MMCIF_MODEL_NAME = 24, TRJ_MMCIF_BLOCKS = 200 };

// Columns that are read. Of the names of the author and those of the PDB (LABEL), the first are used.
enum trj_mmcif_role {
    TRJ_MMCIF_X,
    TRJ_MMCIF_Y,
    TRJ_MMCIF_Z,
    TRJ_MMCIF_MODEL,
    TRJ_MMCIF_NAME,
    TRJ_MMCIF_RESNAME,
    TRJ_MMCIF_CHAIN,
    TRJ_MMCIF_RESID,
    TRJ_MMCIF_LABEL_NAME, // the order of the four above
    TRJ_MMCIF_LABEL_RESNAME,
    TRJ_MMCIF_LABEL_CHAIN,
    TRJ_MMCIF_LABEL_RESID,
    TRJ_MMCIF_INSERTION,
    TRJ_MMCIF_ALTLOC,
    TRJ_MMCIF_ELEMENT,
    TRJ_MMCIF_OCCUPANCY,
    TRJ_MMCIF_BFACTOR,
    TRJ_MMCIF_ROLES, // any other column
};

struct trj_mmcif_columns {
    size_t count;
    bool has[TRJ_MMCIF_ROLES + 1];
    unsigned char role[TRJ_MMCIF_COLUMNS];                               // enum trj_mmcif_role of each column
    unsigned char column[TRJ_MMCIF_ROLES + 1];                           // of each role, if it has one
    unsigned char first[TRJ_MMCIF_ROLES + 1], last[TRJ_MMCIF_ROLES + 1]; // [k]: columns that contain the first k roles
    enum trj_isa isa;                                                    // finds the words of a row
};

// The values of a row: texts without quotes. Of a missing column, and of a value '?' or '.', the length is 0.
struct trj_mmcif_row {
    struct {
        const char *text;
        size_t length;
    } value[TRJ_MMCIF_ROLES + 1];
};

struct trj_mmcif {
    struct trj_cif cif;
    struct trj_mmcif_columns columns;
    struct trj_cif_cell cell;      // of the block of the atoms, or of the current block before these are found
    struct trj_cif_cell other;     // of a block after that of the atoms
    bool is_past;                  // such a block has begun
    char block[80];                // the name of the current block
    size_t tables;                 // of atoms so far
    char blocks[TRJ_MMCIF_BLOCKS]; // that contain them: "1ABC, 2XYZ"
    char *text;                    // the row read last, in one line; NUL-terminated
    size_t length, capacity;
    uint64_t line; // in which it starts
    uint64_t last; // in which the row before it ends
    bool own_line; // it occupies exactly one line
};

void trj_mmcif_start(struct trj_mmcif *m, struct trj_lines *l);
void trj_mmcif_free(struct trj_mmcif *m);

// Reads on to the next table of atoms. Returns 1; 0 at the end of the file; -1.
int trj_mmcif_find(struct trj_mmcif *m, struct trj_error *err);
// Reads a row. Returns 1; 0 after the last one; -1.
int trj_mmcif_next_row(struct trj_mmcif *m, struct trj_error *err);
// After the table: reads to the end of the file. A second table is an error. Returns 0 or -1.
int trj_mmcif_finish(struct trj_mmcif *m, struct trj_error *err);
// Sets the error that the file has no table of atoms. Returns -1.
int trj_mmcif_fail_empty(const struct trj_mmcif *m, struct trj_error *err);

// Finds the values of the first `roles` roles, at least 3, in a row that occupies one line. Returns the number of the
// values of the row.
size_t trj_mmcif_scan(const struct trj_mmcif_columns *c, int roles, const char *line, size_t length,
                      struct trj_mmcif_row *row);
// Returns the value of a name of the author or, if it is missing, that of the PDB. `role`: _NAME, _RESNAME, _CHAIN or
// _RESID.
enum trj_mmcif_role trj_mmcif_source(const struct trj_mmcif_row *row, enum trj_mmcif_role role);
// Copies the model of a row in one line: "1"; "" if there is none. All bytes after it are 0.
void trj_mmcif_model(const struct trj_mmcif_columns *c, const char *line, size_t length,
                     char model[TRJ_MMCIF_MODEL_NAME]);

#endif
