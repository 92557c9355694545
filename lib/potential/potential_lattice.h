// SPDX-License-Identifier: MIT
// The lattice of a map of a potential: besides those of lattice_options.h, a box about a group of atoms.
#ifndef POT_POTENTIAL_LATTICE_H
#define POT_POTENTIAL_LATTICE_H

#include "error.h"
#include "frame.h"
#include "group.h"
#include "lattice_options.h"
#include "map_lattice.h"

// Texts are NULL, and numbers NaN, if they are not given. The number of points of `lattice` is --dime.
struct pot_lattice_options {
    struct trj_lattice_options lattice;
    bool around;               // the box contains the atoms of the group in the first frame, and a margin
    double pad;                // Å: the margin
    const char *glen, *center; // lengths in Å, and the position of the centre of the box
};

#define POT_DEFAULT_PAD 10 // Å

#define POT_LATTICE_OPTIONS_DEFAULT                                                                                    \
    { .lattice = {.grid = NAN, .points_option = "--dime"}, .pad = NAN }

// Rows for the option table of a filter with a static struct pot_lattice_options (tool.h).
extern const struct trj_option pot_lattice_option_table[];

// Returns whether an option of the lattice is given; `allow_grid`: other than --grid and --fractional.
bool pot_lattice_options_given(const struct pot_lattice_options *o, bool allow_grid);
// Fails with TRJ_USAGE unless the options define exactly one lattice. With `divides_cell`, --dime without --origin and
// --steps divides the cell, instead of a box.
int pot_lattice_check_options(const struct pot_lattice_options *o, bool divides_cell, struct trj_error *err);
// Sets *l to the lattice that the options define for the group and the first frame. Fails as pot_lattice_check_options,
// and with TRJ_BAD_DATA if the box or the lattice is invalid. With `divides_cell`, the cell must be periodic along all
// axes.
int pot_lattice_make(const struct pot_lattice_options *o, const struct trj_group *group, const struct trj_frame *first,
                     bool divides_cell, struct trj_map_lattice *l, struct trj_error *err);

#endif
