// SPDX-License-Identifier: MIT
// Unwraps molecules or single atoms: follows them over frames, so that their positions are continuous although the file
// contains periodic images. A unit (a molecule that was made whole, or an atom) is represented by its geometric centre
// c; all its atoms are moved by the same vector.
//
// toroidal: the centre moves by the sum of its displacements, of which each is the shortest image of c_t - c_(t-1) in
// the cell of frame t (S. von Bülow, J. T. Bullerjahn, G. Hummer, J. Chem. Phys. 153, 021101 (2020)).
// fraction: the centre is at (s_t + n_t) H, where s_t are its fractional coordinates, n_t counts the periods that were
// added to such displacements, now between fractional coordinates in the cell of frame t, and H is the mean cell of all
// frames. The basis of the cell is followed (frame/cell_basis.h).
// flags: as fraction, but the caller has added the periods that the image flags of the file count, so that n_t is 0.
//
// The ways agree if the cell is constant. If it changes, as in a simulation at constant pressure, a barostat scales the
// wrapped positions: fractions do not contain this, and toroidal sums it.
//
// A displacement d is the shortest image if |d . v| <= v^2 / 2 for all lattice vectors v. A frame in which a unit
// exceeds 0.45 v^2 is rejected, because the image is ambiguous.
#ifndef TRJ_UNWRAP_H
#define TRJ_UNWRAP_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "movement.h"
#include "nearest_image.h"
#include "tool.h"
#include "whole.h"

#define TRJ_UNWRAP_LIMIT 0.45

extern const struct trj_choice trj_unwrap_choices[]; // values of --unwrap
// Returns the kind of movement of a value of --unwrap.
enum trj_movement_kind trj_unwrap_kind(const char *choice);
// Returns whether the mean cell of all frames is used.
static inline bool trj_unwrap_needs_mean_cell(enum trj_movement_kind kind) {
    return kind == TRJ_UNWRAPPED_FRACTION || kind == TRJ_UNWRAPPED_FLAGS;
}

struct trj_unwrap_setup {
    enum trj_movement_kind kind;
    double mean_cell[3][3]; // Å, if the kind needs it: the mean of the followed cells
    size_t atoms;
    const struct trj_whole *molecules; // the units, which must stay valid; NULL: atoms
    const uint32_t *rows;              // [row_count] only units with these atoms are unwrapped; NULL: all
    size_t row_count;
};

struct trj_unwrap;

int trj_unwrap_open(struct trj_unwrap **u, const struct trj_unwrap_setup *setup, struct trj_error *err);
void trj_unwrap_close(struct trj_unwrap *u); // NULL is allowed

// Moves the atoms x[atoms][3], in Å, of the next frame, whose cell and lattice are given. Fails with TRJ_BAD_DATA if no
// direction is periodic, if the periodic directions differ from those of the frame before, if the cell cannot be
// followed, and for an ambiguous displacement.
int trj_unwrap_apply(struct trj_unwrap *u, const struct trj_cell *cell, const struct trj_lattice *l, double (*x)[3],
                     struct trj_error *err);
// Returns the largest |d . v| / v^2 of all displacements so far.
double trj_unwrap_largest_step(const struct trj_unwrap *u);

#endif
