// SPDX-License-Identifier: MIT
// Parses the lines of CHARMM coordinate files in CARD format, for topologies and trajectories. A file consists of title
// lines, which begin with '*', the number of atoms, with EXT if the columns are wide, and one line for each atom:
//   normal    I5, I5, 1X, A4, 1X, A4, 3F10.5, 1X, A4, 1X, A4, F10.5
//   extended  I10, I10, 2X, A8, 2X, A8, 3F20.10, 2X, A8, 2X, A8, F20.10
// which are the numbers of the atom and of its residue, residue name, name, x, y, z in Å, segment, residue number in
// the segment, and a weight. What follows z may be missing. Columns can be filled without blanks between them. The
// format is extended, too, if there are 100,000 atoms or more. (CHARMM documentation, io.doc)
#ifndef TRJ_CARD_RECORDS_H
#define TRJ_CARD_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lines.h"

struct trj_card_columns {
    size_t number, text, gap, real;                 // widths
    size_t residue, resname, name, x, segid, resid; // first columns
    size_t decimals;                                // of coordinates
};

struct trj_card_atom {
    int64_t resid;
    char insertion;
    char resname[9], name[9], segid[9];
    char x[3][21]; // texts of the coordinates, without blanks; not checked to be numbers
};

// Returns whether the first n bytes of a file look like CARD.
bool trj_card_is(const char *head, size_t n);

// Returns the columns that the line with the number of atoms states, and sets *count to the first word of the line,
// or to a text that is no number if its second word is not EXT. It changes the line.
const struct trj_card_columns *trj_card_layout(const struct trj_lines *l, const char **count);
// Reads an atom line. `number` is the atom's, for messages. Returns 0 or -1.
int trj_card_atom(const struct trj_lines *l, const struct trj_card_columns *c, size_t number,
                  struct trj_card_atom *atom, struct trj_error *err);
// Reads only the coordinates, fast. Returns false for any unusual line; trj_card_atom then gives the result or error.
bool trj_card_scan(const struct trj_lines *l, const struct trj_card_columns *c, float x[3]);

#endif
