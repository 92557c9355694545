// SPDX-License-Identifier: MIT
// The charges of a group in each frame, with their positions in Å and the other properties that a method needs.
#ifndef POT_CHARGES_H
#define POT_CHARGES_H

#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "frame.h"
#include "group.h"
#include "potential_job.h"

// The atoms of the group, as the header of the stream describes them. To be zeroed; the arrays are allocated by
// pot_charges_open, and freed by pot_charges_free.
struct pot_charges {
    const struct trj_group *group;
    double *charge;  // [group->count] e, divided by the dielectric constant; NULL: not needed
    double *radius;  // [group->count] Å; NULL: not needed
    double *epsilon; // [group->count] kcal/mol; NULL: not needed
    // The members in the current frame:
    double (*position)[3];
    double *member_charge, *member_radius, *member_epsilon;
    uint32_t *atom;
};

// Allocates the arrays that `charge`, `radius` and `epsilon` request, and those of members.
int pot_charges_open(struct pot_charges *c, const struct trj_group *group, bool charge, bool radius, bool epsilon,
                     struct trj_error *err);
// As pot_charges_open, with the properties of `from`, so that another thread can find the members of other frames.
int pot_charges_copy(struct pot_charges *c, const struct pot_charges *from, struct trj_error *err);
// Checks a coordinate x (Å) of an atom. Fails with TRJ_BAD_DATA if it is not finite, or its magnitude exceeds
// TRJ_FARTHEST.
int pot_check_coordinate(uint32_t atom, double x, struct trj_error *err);
// Checks the coordinates of the members of the group in a frame. Fails as pot_check_coordinate for the first of them.
int pot_charges_check(const struct pot_charges *c, const struct trj_frame *f, struct trj_error *err);
// Sets *to to the members of the group in a frame, except for its lattice. They belong to *c, until the next call.
// Fails as pot_charges_check.
int pot_charges_in(struct pot_charges *c, const struct trj_frame *f, struct pot_frame *to, struct trj_error *err);
void pot_charges_free(struct pot_charges *c);

#endif
