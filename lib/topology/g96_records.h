// SPDX-License-Identifier: MIT
// Parses the blocks of GROMOS coordinate files (g96), for topologies and trajectories. A block consists of a line with
// its name, its lines and a line END; lines that begin with # are comments. Lengths are in nm:
//   TITLE        any text
//   TIMESTEP     step and time (ps)
//   POSITION     I5, 1X, A5, 1X, A5, I7, 3F15.9: residue number, residue name, name, number of the atom, x, y, z
//   POSITIONRED  3F15.9
//   VELOCITY     as POSITION, in nm/ps; VELOCITYRED as POSITIONRED
//   BOX          xx yy zz, or xx yy zz xy xz yx yz zx zy (GROMACS)
//   TRICLINICBOX kind of box and three vectors (GROMOS05), which is not read
//   GENBOX       kind of box, lengths, angles, Euler angles, and possibly the origin (GROMOS05 and later)
// Other blocks may come between these. Columns may be filled without blanks between them. (GROMACS reference manual,
// file formats, g96; GROMOS manual, volume 4)
#ifndef TRJ_G96_RECORDS_H
#define TRJ_G96_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "lines.h"

enum trj_g96_block {
    TRJ_G96_TITLE,
    TRJ_G96_TIMESTEP,
    TRJ_G96_POSITION,
    TRJ_G96_POSITIONRED,
    TRJ_G96_VELOCITY,
    TRJ_G96_VELOCITYRED,
    TRJ_G96_BOX,
    TRJ_G96_GENBOX,
    TRJ_G96_TRICLINICBOX,
    TRJ_G96_OTHER, // a block that is not read
    TRJ_G96_NONE   // the line is not the name of a block
};

enum { TRJ_G96_NAMES = 24, TRJ_G96_REAL = 15, TRJ_G96_DECIMALS = 9 }; // columns before x, and of each number

struct trj_g96_atom {
    int64_t resid;
    char resname[6], name[6];
};

// Returns whether the first n bytes of a file look like g96.
bool trj_g96_is(const char *head, size_t n);

// Reads lines up to the next name of a block. Returns 1, 0 at the end of the file, or -1, also for another line.
int trj_g96_next_block(struct trj_lines *l, enum trj_g96_block *block, struct trj_error *err);
// Reads the next line of a block, except for comments. Returns 1; 0 for the line END; or -1, also at the end of the
// file. `block`: its name, for messages.
int trj_g96_next_line(struct trj_lines *l, const char *block, struct trj_error *err);

// Reads the names in a line of POSITION. `number` is the atom's, for messages. Returns 0 or -1.
int trj_g96_atom(const struct trj_lines *l, size_t number, struct trj_g96_atom *atom, struct trj_error *err);

// Returns whether the numbers after column `from` are in columns of TRJ_G96_REAL with TRJ_G96_DECIMALS decimals.
bool trj_g96_has_columns(const struct trj_lines *l, size_t from);
// Reads three numbers after column `from`: in these columns, or else words. `what`: "coordinate", for messages.
// Returns 0 or -1.
int trj_g96_vector(const struct trj_lines *l, size_t from, bool columns, size_t number, const char *what, float x[3],
                   struct trj_error *err);

#endif
