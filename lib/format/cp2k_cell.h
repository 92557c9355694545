// SPDX-License-Identifier: MIT
// Reads the cells of CP2K, which writes NAME-1.cell beside the positions NAME-pos-1.xyz: for each step it has written
// them a line with step, time in fs, the vectors A, B, C in Å, and the volume (CP2K manual, MOTION/PRINT/CELL).
#ifndef TRJ_CP2K_CELL_H
#define TRJ_CP2K_CELL_H

#include <stdbool.h>
#include <stdint.h>

#include "cell.h"
#include "error.h"

struct trj_cp2k_cell;

// Opens the file of cells that belongs to a file of positions. *c is NULL if there is none. Returns 0 or -1.
int trj_cp2k_cell_open(struct trj_cp2k_cell **c, const char *positions, struct trj_error *err);

// Sets the cell of a step. Steps must be requested in ascending order. Fails with TRJ_BAD_DATA if the file has no cell
// for the step. Returns 0 or -1; errors begin with the name of the file.
int trj_cp2k_cell_read(struct trj_cp2k_cell *c, int64_t step, struct trj_cell *cell, struct trj_error *err);

void trj_cp2k_cell_close(struct trj_cp2k_cell *c); // NULL is allowed

#endif
