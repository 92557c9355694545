// SPDX-License-Identifier: MIT
// Computes a box of ORB_X ORB_Y ORB_Z points from basis functions: the functions that reach the box, then products with
// the density matrix or with the orbitals. Densities and quantities of them are computed this way on every lattice, and
// orbitals where there are no tables.
//
// A box of a lattice begins at the indices ORB_X at[0], ORB_Y at[1], ORB_Z at[2], with or without tables. The box at[0]
// of a list consists of points ORB_BOX at[0] and those after it, in the order of a lattice. Points after the end of the
// lattice or list have undefined values.
#ifndef ORB_BOX_H
#define ORB_BOX_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "orbital_plan.h"

enum { ORB_LAYER = ORB_X * ORB_Y, ORB_BOX = ORB_LAYER * ORB_Z };

struct orb_box; // the memory of one thread

// The plan must outlive the box. Fails with TRJ_FAILED for lack of memory.
int orb_box_open(struct orb_box **box, const struct orb_plan *plan, const struct orb_kernel *kernel,
                 struct trj_error *err);
void orb_box_close(struct orb_box *box); // NULL is allowed
// Finds what reaches a box. Fails with TRJ_FAILED for lack of memory.
int orb_box_find(struct orb_box *box, const uint32_t at[3], struct trj_error *err);
// Sets value[orb_job_values][ORB_Y][ORB_X] of a layer of the box that was found.
void orb_box_layer(struct orb_box *box, uint32_t layer, double *value);

#endif
