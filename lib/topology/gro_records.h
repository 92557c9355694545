// SPDX-License-Identifier: MIT
// Parses the lines of GRO files, for topologies and trajectories. A frame consists of a title, the number of atoms, one
// line for each atom, and the box. An atom line has fixed columns: resid 1-5, resname 6-10, name 11-15, number 16-20,
// then x, y, z in nm with any number of decimals, and possibly velocities. Residue numbers wrap to 0 at 100000; they
// are used as stored. (GROMACS reference manual, file formats, gro)
#ifndef TRJ_GRO_RECORDS_H
#define TRJ_GRO_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"
#include "lines.h"

// The columns of a coordinate, taken from the first atom of a frame: their number, and the position of the decimal
// point among them.
struct trj_gro_shape {
    size_t width, point;
};

struct trj_gro_atom {
    int64_t resid;
    char resname[6], name[6];
    char x[3][32]; // texts of the coordinates, without blanks; not checked to be numbers
};

// Returns whether the first n bytes of a file look like GRO.
bool trj_gro_is(const char *head, size_t n);

// Returns the text that must be the number of atoms: `word`, which gets it, or the whole line if it is too long.
const char *trj_gro_count(const struct trj_lines *l, char word[32]);
struct trj_gro_shape trj_gro_shape_of(const struct trj_lines *l);
// Reads an atom line. `number` is the atom's, for messages. Returns 0 or -1.
int trj_gro_atom(const struct trj_lines *l, const struct trj_gro_shape *shape, size_t number, struct trj_gro_atom *atom,
                 struct trj_error *err);
// Reads only the coordinates, fast. Returns false for any unusual line; trj_gro_atom then gives the result or error.
bool trj_gro_scan(const struct trj_lines *l, const struct trj_gro_shape *shape, float x[3]);
// Returns whether the line of an atom continues with velocities.
bool trj_gro_has_velocities(const struct trj_lines *l, const struct trj_gro_shape *shape);
// Reads the velocities in nm/ps, which have as many columns as coordinates, and one decimal more. `number` is the
// atom's, for messages. Returns 0 or -1.
int trj_gro_velocities(const struct trj_lines *l, const struct trj_gro_shape *shape, size_t number, float v[3],
                       struct trj_error *err);
// Reads 3 or 9 numbers in nm as a cell in Å; zeros mean that there is no cell. The caller must have checked that the
// line is not truncated (trj_lines_check_last_number). The call modifies the line.
int trj_gro_box(struct trj_lines *l, struct trj_cell *cell, struct trj_error *err);
// Checks that the line can be a box, for callers that do not use it: it must contain numbers, which may lack blanks
// between them.
int trj_gro_check_box(const struct trj_lines *l, struct trj_error *err);

#endif
