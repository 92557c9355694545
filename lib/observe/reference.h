// SPDX-License-Identifier: MIT
// Groups that are compared with a reference: with their positions in the first frame, or in a file.
#ifndef OBS_REFERENCE_H
#define OBS_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "superpose.h"
#include "system.h"

// Sets (*x)[count], Å, to the positions in a frame of a file of the atoms of a selection that is not dynamic. The file
// contains all atoms of the trajectory, all atoms of the stream, or only those of the selection, in the same order; if
// both have names, corresponding names must be equal (atom_pairs.h). The caller frees *x. Fails with TRJ_USAGE for a
// dynamic selection, and with TRJ_BAD_DATA for other atoms, if the file ends before the frame, or, after
// obs_system_need_whole, if a boundary of the file's cell breaks a bond; errors begin with the name of the file. *cell
// is set to the cell of the file; NULL: not needed.
int obs_reference_read(double (**x)[3], struct trj_cell *cell, struct obs_system *s, size_t selection, const char *path,
                       uint64_t frame, struct trj_error *err);

// A selection with its positions in the reference, and the weights of its atoms.
struct obs_reference {
    size_t selection, count;
    double (*x)[3]; // [count] Å
    double *weight; // [count] masses; NULL: 1
};

// The word in expressions that means the first frame of the stream.
#define OBS_REFERENCE_FIRST "first"

// Prepares a selection, which must not be dynamic, for the reference in a frame of a file, or the first frame (NULL).
// Fails as obs_reference_read, and for unknown masses. obs_reference_free frees, also after a failure.
int obs_reference_open(struct obs_reference *r, struct obs_system *s, size_t selection, const char *path,
                       uint64_t frame, bool by_mass, struct trj_error *err);
// Fails with TRJ_USAGE, the reason and the remedy if the group has fewer than TRJ_SUPERPOSE_MIN atoms, because these
// cannot be superposed: the best rotation of two atoms is not unique, and one atom would always deviate by 0.
int obs_reference_check_superposition(const struct obs_reference *r, const struct obs_system *s, const char *remedy,
                                      struct trj_error *err);
// Gets the first frame of the stream. Fails if the group is not whole in it.
int obs_reference_begin(struct obs_reference *r, struct obs_view *v, struct trj_error *err);
// Finds the superposition of the group on the reference in a frame, in which it must be whole.
int obs_reference_superpose(const struct obs_reference *r, struct obs_view *v, struct trj_superposition *best,
                            struct trj_error *err);
void obs_reference_free(struct obs_reference *r); // not r itself

#endif
