// SPDX-License-Identifier: MIT
// The parts of a selection that have a row in a table or a map: its atoms or its residues.
#ifndef OBS_PARTS_H
#define OBS_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "system.h"
#include "table_writer.h"

struct obs_parts {
    const struct obs_system *system;
    bool residues;   // otherwise each atom is a part
    size_t count;    // in the order of their first atoms
    uint32_t *part;  // [atoms of the selection] the part that contains each atom
    uint32_t *first; // [count] the first stream atom of each part
};

// Divides a selection that is not dynamic. Fails with TRJ_USAGE for a dynamic one, and with TRJ_BAD_DATA if the stream
// does not number residues. obs_parts_free frees, also after a failure.
int obs_parts_make(struct obs_parts *p, const struct obs_system *s, size_t selection, bool residues,
                   struct trj_error *err);
// Divides it by molecules in place of residues; `residues` is then set, too. The functions below, which print residues,
// must not be called.
int obs_parts_make_molecules(struct obs_parts *p, const struct obs_system *s, size_t selection, struct trj_error *err);
void obs_parts_free(struct obs_parts *p); // not p itself

enum { OBS_PART_COLUMNS = 5 };
// Sets the columns that identify a part in a table: the number of the atom or residue, and the names and numbers that
// the stream has. Returns how many there are. The names end with `suffix`, "", "_a" or "_b".
size_t obs_parts_columns(const struct obs_parts *p, const char *suffix,
                         struct trj_table_column column[OBS_PART_COLUMNS]);
// Returns whether the numbers of the parts ascend, so that a part can be found by its number; false also for centres,
// which have none.
bool obs_parts_ascend(const struct obs_parts *p);
void obs_parts_print(const struct obs_parts *p, size_t part, struct trj_table *t); // their fields

// Returns the number of a stream atom in the trajectory, from 0, as in selections; NaN for a centre.
double obs_atom_number(const struct trj_stream_header *h, uint32_t atom);

#endif
