// SPDX-License-Identifier: MIT
// The lines of a GRO file, for topologies and trajectories:
//   a title, the number of atoms, an atom a line in fixed columns
//     resid 1-5, resname 6-10, name 11-15, number 16-20, then x, y, z in nm with any number of decimals and perhaps velocities,
//   and the box.  (GROMACS reference manual, file formats, gro)  Numbers wrap at 100000 and are taken as they are.
#ifndef TRJ_GRO_RECORDS_H
#define TRJ_GRO_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"
#include "lines.h"

struct trj_gro_shape { // how coordinates are written; the first atom of a frame shows it
    size_t width, point;
};

struct trj_gro_atom {
    int64_t resid;
    char resname[6], name[6];
    char x[3][32]; // the coordinates as they are written: without blanks, perhaps no numbers
};

bool trj_gro_is(const char *head, size_t n);

// The word of the line that should be the number of atoms, in `word` where it fits.
const char *trj_gro_count(const struct trj_lines *l, char word[32]);
struct trj_gro_shape trj_gro_shape_of(const struct trj_lines *l);
// Atom `number`, for messages.
int trj_gro_atom(const struct trj_lines *l, const struct trj_gro_shape *shape, size_t number, struct trj_gro_atom *atom,
                 struct trj_error *err);
// Its coordinates alone, quickly. False where the line is not just as it should be: trj_gro_atom tells.
bool trj_gro_scan(const struct trj_lines *l, const struct trj_gro_shape *shape, float x[3]);
// Reads 3 or 9 numbers in nm as a cell in Å; zeros mean that there is no cell. The caller must have checked that the
// line is not truncated (trj_lines_check_last_number). The call modifies the line.
int trj_gro_box(struct trj_lines *l, struct trj_cell *cell, struct trj_error *err);
// Checks that the line can be a box, for callers that do not use it: it must contain numbers, which may lack blanks
// between them.
int trj_gro_check_box(const struct trj_lines *l, struct trj_error *err);

#endif
