// SPDX-License-Identifier: MIT
// Values of atoms from a text file, for streams that do not contain them: each line has a name and a number; '#' begins
// a comment. A name is RESIDUE:ATOM, such as ASP:OD1, that of an atom, or the symbol of an element, such as Na. The
// first of these three that has a line determines the value: "ASP:CA 2.1" holds for atoms CA of residues ASP, "CA 2.0"
// for all other atoms CA, and "C 1.7" for all other carbon atoms. Names of residues and atoms are the properties
// resname and name of the stream.
#ifndef POT_ATOM_TABLE_H
#define POT_ATOM_TABLE_H

#include "error.h"
#include "frame_stream.h"
#include "group.h"

// What a file contains.
struct pot_atom_table {
    const char *option;     // that gives the file, for messages
    const char *words;      // other values of the option, for messages; NULL: none
    const char *what, *all; // "radius", "radii"
    const char *unit;       // "Angstrom"
    double min, max;        // limits of the numbers
};

enum { POT_ATOM_TEXT = 64 };

// Describes an atom for a message: "atom 12 (CA)". Returns the text.
const char *pot_describe_atom(char text[POT_ATOM_TEXT], const struct trj_stream_header *h, uint32_t atom);

// Sets value[group->count] of the atoms of a group. Fails if the file cannot be read, and with TRJ_BAD_DATA for an
// invalid line, for names of atoms or residues if the stream contains none, or if no line holds for an atom, naming the
// first such atom.
int pot_atom_table_read(double *value, const struct pot_atom_table *table, const char *path,
                        const struct trj_stream_header *h, const struct trj_group *group, struct trj_error *err);

#endif
